import type { HourHoliday } from './holiday.ts'
import type { HeldDay } from './tally.ts'

// The context that `splitHours` reads beside rows and set, and its result.

/** Minutes of a kind. Instants are minutes since 1970; a span excludes its end. */
export interface HourPiece {
  from: number
  to: number
  kind: string
  /** The index of the rule in the set's base or extra rules. */
  rule: number
  /** The figure of the row that counts the minutes. */
  figure: 'work' | 'overtime'
}

/** The kinds of a row's paid minutes. */
export interface RowHours {
  /** A partition of work and overtime, in time order. */
  base: HourPiece[]
  /** In addition to the base kinds, by their first minute. */
  extra: HourPiece[]
  paid: number
  /** The minutes whose kinds fill the week. */
  fills: number
  setVersion: number
  /** Equal hashes mean equal kinds. */
  hash: string
}

export interface HourContext {
  /** 0 Sunday … 6 Saturday. */
  firstWeekday: number
  /** The time `HH:MM` at which a local date begins for `dayOf: clock`. */
  splitTime: string
  /** The holidays of the rows' days, and of the days before and after. */
  holidays: readonly HourHoliday[]
  /** Days up to and including `to` are not split again. Their stored minutes count for the day and the week. */
  locked?: { to: string; days: readonly HeldDay[] }
}
