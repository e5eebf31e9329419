// Step 12: rounding, only for output. Stored minutes are unrounded, and a total adds the rounded days.

/** 0 rounds down, 1 up, 2 to the nearest unit. Half a unit rounds up. */
export type RoundingMode = 0 | 1 | 2

export interface Rounding {
  mode: RoundingMode
  /** The unit in minutes; 0 and 1 do not round. */
  unit: number
}

/** A day's minutes as printed. */
export const roundMinutes = (minutes: number, { mode, unit }: Rounding): number => {
  if (unit <= 1) return minutes
  if (mode === 0) return Math.floor(minutes / unit) * unit
  if (mode === 1) return Math.ceil(minutes / unit) * unit
  return Math.floor((2 * minutes + unit) / (2 * unit)) * unit
}

/** The five measures in the order of the specification's time-unit numbers. */
export const measures = ['work', 'overtime', 'late', 'early', 'absence'] as const
export type Measure = (typeof measures)[number]

/** The printed total of days: rounds each day, then adds. */
export const sumRounded = (days: readonly number[], rounding: Rounding): number =>
  days.reduce((sum, minutes) => sum + roundMinutes(minutes, rounding), 0)

/** Minutes as hours with 2 decimals, for display only. */
export const asHours = (minutes: number): string => (minutes / 60).toFixed(2)
