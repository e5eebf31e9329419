// Printed columns add up. A total is the sum of the printed rows, not of the minutes behind them.

/** `hours`: decimal hours with 2 places. `clock`: `h:mm`, which loses nothing. */
export type MinuteFormat = 'hours' | 'clock'

/** Hundredths of an hour, half up. */
export const hundredthsOf = (minutes: number): number => Math.floor((minutes * 100 + 30) / 60)

const twoDigits = (count: number): string => String(count).padStart(2, '0')

const split = (count: number, unit: number, separator: string): string => {
  const size = Math.abs(count)
  return `${count < 0 ? '-' : ''}${Math.floor(size / unit)}${separator}${twoDigits(size % unit)}`
}

/** Hours and minutes, such as `7:30`. */
export const clockText = (minutes: number): string => split(minutes, 60, ':')

/** The written rows of a column of minutes, and their sum. */
export const printMinutes = (rows: readonly number[], format: MinuteFormat): { printed: string[]; total: string } => {
  const units = format === 'hours' ? rows.map(hundredthsOf) : rows
  const write = (count: number) => (format === 'hours' ? split(count, 100, '.') : clockText(count))
  return { printed: units.map(write), total: write(units.reduce((sum, count) => sum + count, 0)) }
}
