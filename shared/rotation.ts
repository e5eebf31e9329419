import { dayNumber } from './attendance/calendar.ts'
import { daysBetween } from './local-day.ts'

// A rotation repeats some weeks, each with a cell for its seven days. Days are local dates, so a clock change moves no
// shift.

export interface Rotation<C> {
  weeks: readonly (readonly C[])[]
  /** The first day of the first week. */
  starts: string
  /** The number of weeks to skip at the start of the rotation. */
  step?: number
}

const daysOfWeek = 7
const within = (offset: number, length: number) => ((offset % length) + length) % length

/**
 * The cell of a day, which may be before `starts`. Undefined if the rotation has no weeks or its week has no such day.
 */
export const cellOn = <C>({ weeks, starts, step = 0 }: Rotation<C>, day: string): C | undefined => {
  const offset = dayNumber(day) - dayNumber(starts)
  const week = weeks[within(Math.floor(offset / daysOfWeek) + step, weeks.length)]
  return week?.[within(offset, daysOfWeek)]
}

/** The cells of the days `from` to `until`, in the format of a plan's row. */
export const expandRotation = <C>(rotation: Rotation<C>, from: string, until: string): (C | null)[] =>
  daysBetween(from, until).map(day => cellOn(rotation, day) ?? null)
