import type { CheckName, Row } from '../row.ts'

// Working-time checks warn and never refuse. An absent check is off.

/** A day with more than `afterMinutes` paid minutes owes a break of `breakMinutes`. */
export interface BreakStep {
  afterMinutes: number
  breakMinutes: number
}

export interface Checks {
  /** Rule 13: the most paid minutes of a day. */
  dailyMaximum?: number
  /** Rule 14: the least minutes between two work days. */
  restBetween?: number
  /** Rule 15. */
  breakOwed?: readonly BreakStep[]
  /** Rule 16: the most paid minutes of a week, on average over so many weeks. */
  weeklyAverage?: { minutes: number; weeks: number }
}

/** Minutes beyond a limit, or missing for one. */
export interface Finding {
  row: Row
  check: CheckName
  minutes: number
}

export const paidOf = ({ workMinutes, overtimeMinutes }: Pick<Row, 'workMinutes' | 'overtimeMinutes'>): number =>
  workMinutes + overtimeMinutes

/** The rows of each work day, oldest first. */
export const byDay = (rows: readonly Row[]): [day: string, rows: Row[]][] =>
  [...Map.groupBy(rows, ({ day }) => day)].sort(([a], [b]) => (a < b ? -1 : 1))

export const isPending = ({ state }: Row): boolean => state === 'pending'
