import { weekStart } from '../calendar.ts'
import type { Piece } from './clock.ts'

// Rules 4, 6 and 7: counts the minutes of days and weeks so far.

/** A day with its locked minutes, which `splitHours` does not split again. */
export interface HeldDay {
  day: string
  paid: number
  /** The minutes whose kinds fill the week. */
  fills: number
}

export interface DayTally {
  /** Paid minutes so far. */
  paid: number
  /** The day's place in a row of days with paid minutes. */
  readonly place: number
  readonly week: WeekTally
}

interface WeekTally {
  /** The minutes so far whose kinds fill the week. */
  filled: number
}

/** Starts to count, and returns the count of each day. `held` are locked days by day number. */
export const startTally = (
  pieces: readonly Piece[],
  held: ReadonlyMap<number, HeldDay>,
  firstWeekday: number,
): ((day: number) => DayTally) => {
  const worked = new Set<number>()
  let latest = Number.NaN
  for (const { day } of pieces) {
    if (day === latest) continue
    worked.add(day)
    latest = day
  }
  const weeks = new Map<number, WeekTally>()
  for (const [day, { paid, fills }] of held) {
    if (paid > 0) worked.add(day)
    const first = weekStart(day, firstWeekday)
    const week = weeks.get(first)
    if (week) week.filled += fills
    else weeks.set(first, { filled: fills })
  }
  const days = new Map<number, DayTally>()
  return (day: number): DayTally => {
    const known = days.get(day)
    if (known) return known
    const first = weekStart(day, firstWeekday)
    let week = weeks.get(first)
    if (!week) {
      week = { filled: 0 }
      weeks.set(first, week)
    }
    let place = 1
    while (day - place >= first && worked.has(day - place)) place++
    const tally = { paid: held.get(day)?.paid ?? 0, place, week }
    days.set(day, tally)
    return tally
  }
}
