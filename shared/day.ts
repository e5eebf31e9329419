import type { Row } from './attendance/row.ts'
import type { Change } from './change.ts'
import type { Key } from './table.ts'

/**
 * One employee's day under one shift (or under none): what the engine found, with what reports need to show and to filter
 * without reading more. Written by the recalculation alone.
 */
export interface DayRow extends Row {
  employee: string
  /** As it was on that day; a later move does not carry past days along. */
  department: string
  calculatedAt: string
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
  return row ? [{ type: 'day.changed' as const, company, employee: row.employee, day: row.day }] : []
}
