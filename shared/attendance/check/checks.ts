import type { CheckName, Row } from '../row.ts'

// Working-time checks warn and never refuse. An absent check is off.

/** A day with more than `afterMinutes` paid minutes owes a break of `breakMinutes`. */
export interface BreakStep {
  afterMinutes: number
  breakMinutes: number
}

export interface Checks {
  /** The most paid minutes of a day. */
  dailyMaximum?: number
  /** The least minutes between two work days. */
  restBetween?: number
  /** The breaks that paid minutes owe. */
  breakOwed?: readonly BreakStep[]
  /** The most paid minutes of a week, on average over so many weeks. */
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
