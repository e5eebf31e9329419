import type { DayKind, Exception, Row } from './attendance/row.ts'
import type { Change } from './change.ts'
import type { Figures } from './figure.ts'
import type { Key } from './table.ts'
import type { TaskKind } from './task.ts'

/**
 * The cause of a recalculation: a punch, a correction or an objection to it, the plan, a request, the employment, the end of a day, or a person's task.
 * `sweep` means that the sweep found lost work.
 */
export interface Cause {
  kind: 'punch' | 'correction' | 'objection' | 'schedule' | 'request' | 'employment' | 'close' | 'sweep' | TaskKind
  /** The id of the task, if a task is the cause. */
  task?: string
  /** The employee who started the task or decided the request. */
  by?: string
}

/** A row's figures before a change, recorded once its day was over. */
export interface FormerFigures {
  figures: Figures
  kind: DayKind
  exceptions: Exception[]
  /** When the row changed, and why. */
  at: string
  cause: Cause
}

/** The most history entries of one row. */
export const mostFormer = 8

/**
 * One employee's day under one shift or none: the engine's row, plus the fields that reports show and filter by. Only
 * the recalculation writes it.
 */
export interface CalculatedRow extends Row {
  employee: string
  /** The department on that day; a later move does not change past days. */
  department: string
  calculatedAt: string
}

export interface DayRow extends CalculatedRow {
  /** The cause of the current figures. */
  cause: Cause
  /** Earlier figures, the oldest first. Figures that grow during the day are not recorded. */
  history?: FormerFigures[]
}

/** FNV-1a, distributes employees evenly over the parts of a day's index. */
export const partOf = (employee: string, parts: number): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < employee.length; i++) hash = Math.imul(hash ^ employee.charCodeAt(i), 0x01000193)
  return (hash >>> 0) % parts
}

/** The partition of one day and part in the day index. */
export const dayIndexPk = (day: string, part: number) => `DAY#${day}#${part}`

/**
 * `parts` is the company's number of parts on that day. An employee's rows are in one partition; a day's rows are in
 * one index partition per part.
 */
export const dayRowKey = (employee: string, day: string, shift: string | null, parts: number): Key<DayRow> => ({
  pk: `DAY#${employee}`,
  sk: `${day}#${shift ?? '-'}`,
  byDay: { pk: dayIndexPk(day, partOf(employee, parts)), sk: `${employee}#${shift ?? '-'}` },
})

export const dayRowFacts = ({ company, old, new: next }: Change<DayRow>) => {
  const row = next ?? old
  if (!row) return []
  const { task, by } = row.cause
  return [
    {
      ...{ type: 'day.changed' as const, company, employee: row.employee, day: row.day },
      ...(task !== undefined && by !== undefined && { task, by }),
    },
  ]
}
