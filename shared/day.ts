import type { CheckName, DayKind, Exception, Row } from './attendance/row.ts'
import type { Change } from './change.ts'
import type { Figures } from './figure.ts'
import type { StoredHours } from './hours/row.ts'
import type { Key } from './table.ts'
import type { TaskKind } from './task.ts'

/** The causes of a recalculation besides tasks. */
export const causeKinds = [
  ...(['punch', 'correction', 'objection', 'absence', 'schedule'] as const),
  ...(['request', 'employment', 'close', 'sweep'] as const),
] as const

/**
 * The cause of a recalculation: a punch, a correction, an objection, a mark of absence, the plan, a request, the employment, the end of a
 * day, or a person's task. `sweep` means that the sweep found lost work.
 */
export interface Cause {
  kind: (typeof causeKinds)[number] | TaskKind
  /** The id of the task, if a task is the cause. */
  task?: string
  /** The employee who started the task or decided the request. */
  by?: string
}

/** Causes that any other cause replaces: every day has a close and punches, so they explain little. */
export const quietCauses: readonly Cause['kind'][] = ['close', 'punch']

/** The figures of a row before a change. The recalculation records them only after the end of the day. */
export interface FormerFigures {
  figures: Figures
  kind: DayKind
  exceptions: Exception[]
  /** Minutes by kind; absent without an hour set. */
  kinds?: Record<string, number>
  /** The time and the cause of the change. */
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
  /** The employee's department on that day. A later move does not change past days. */
  department: string
  calculatedAt: string
  /** The kinds of the paid minutes; absent without an hour set. */
  hours?: StoredHours
  /** The minutes of the working-time checks among the exceptions. */
  checkMinutes?: Partial<Record<CheckName, number>>
}

export interface DayRow extends CalculatedRow {
  /** The cause of the current figures. */
  cause: Cause
  /** Earlier figures, oldest first. Excludes figures that grew during the day. */
  history?: FormerFigures[]
}

/** Distributes employees evenly over the parts of a day's index, with FNV-1a. */
export const partOf = (employee: string, parts: number): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < employee.length; i++) hash = Math.imul(hash ^ employee.charCodeAt(i), 0x01000193)
  return (hash >>> 0) % parts
}

/** The partition of a day and part in the day index. */
export const dayIndexPk = (day: string, part: number) => `DAY#${day}#${part}`

/**
 * `parts` is the company's number of parts on that day. One partition holds an employee's rows. In the index, each part
 * of a day is a partition.
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
