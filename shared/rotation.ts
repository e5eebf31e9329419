import { dayNumber } from './attendance/calendar.ts'
import { daysBetween } from './local-day.ts'

// A rotation: some weeks that come again and again, each with a cell for each of its seven days. Days are counted as local dates,
// so that no clock change moves anybody.

export interface Rotation<C> {
  weeks: readonly (readonly C[])[]
  /** The day the first of the weeks begins on. */
  starts: string
  /** Who begins with a later week than the first: how many weeks later. */
  step?: number
}

const daysOfWeek = 7
const within = (place: number, length: number) => ((place % length) + length) % length

/** The cell of a day, before `starts` too; undefined where the rotation has no weeks, or the week no such day. */
export const cellOn = <C>({ weeks, starts, step = 0 }: Rotation<C>, day: string): C | undefined => {
  const place = dayNumber(day) - dayNumber(starts)
  const week = weeks[within(Math.floor(place / daysOfWeek) + step, weeks.length)]
  return week?.[within(place, daysOfWeek)]
}

/** The cells of the days `from` to `until`, as a row of a plan takes them. */
export const expandRotation = <C>(rotation: Rotation<C>, from: string, until: string): (C | null)[] =>
  daysBetween(from, until).map(day => cellOn(rotation, day) ?? null)
