import type { DayKind, Exception, Row } from './attendance/row.ts'
import type { Change } from './change.ts'
import type { Figures } from './figure.ts'
import type { Key } from './table.ts'
import type { TaskKind } from './task.ts'

/**
 * What had days calculated again: a punch, the plan, a request or the employment of their person, the end of a day, or somebody's
 * task; or the sweep, which found that something of it had been lost.
 */
export interface Cause {
  kind: 'punch' | 'correction' | 'schedule' | 'request' | 'employment' | 'close' | 'sweep' | TaskKind
  /** Of a task. */
  task?: string
  /** Whose task, or who decided about the request. */
  by?: string
}

/** What a row said, once its day was over, before something altered it. */
export interface FormerFigures {
  figures: Figures
  kind: DayKind
  exceptions: Exception[]
  /** When it was altered, and by what. */
  at: string
  cause: Cause
}

/** More than that of one day nobody goes through. */
export const mostFormer = 8

/**
 * One employee's day under one shift (or under none): what the engine found, with what reports need to show and to filter
 * without reading more. Written by the recalculation alone.
 */
export interface CalculatedRow extends Row {
  employee: string
  /** As it was on that day; a later move does not carry past days along. */
  department: string
  calculatedAt: string
}

export interface DayRow extends CalculatedRow {
  /** What had it say what it says. */
  cause: Cause
  /** What it said before, the oldest first; while a day is going on its figures grow, and nothing is altered. */
  history?: FormerFigures[]
}

/** FNV-1a: spreads employees evenly over the parts of a day's index. */
export const partOf = (employee: string, parts: number): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < employee.length; i++) hash = Math.imul(hash ^ employee.charCodeAt(i), 0x01000193)
  return (hash >>> 0) % parts
}

/** The partition of one day and part in the day index. */
export const dayIndexPk = (day: string, part: number) => `DAY#${day}#${part}`

/** `parts` is how many the company has on that day; an employee's rows stand in one partition, a day's rows in one index partition per part. */
export const dayRowKey = (employee: string, day: string, shift: string | null, parts: number): Key<DayRow> => ({
  pk: `DAY#${employee}`,
  sk: `${day}#${shift ?? '-'}`,
  byDay: { pk: dayIndexPk(day, partOf(employee, parts)), sk: `${employee}#${shift ?? '-'}` },
})

export const dayRowFacts = ({ company, old, new: now }: Change<DayRow>) => {
  const row = now ?? old
  if (!row) return []
  const { task, by } = row.cause
  return [
    {
      ...{ type: 'day.changed' as const, company, employee: row.employee, day: row.day },
      ...(task !== undefined && by !== undefined && { task, by }),
    },
  ]
}
