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
const shardOf = (employee: string, shards: number) => {
  let hash = 0x811c9dc5
  for (let i = 0; i < employee.length; i++) hash = Math.imul(hash ^ employee.charCodeAt(i), 0x01000193)
  return (hash >>> 0) % shards
}

/** The partition of one day and shard in the day index. */
export const dayIndexPk = (day: string, shard: number) => `DAY#${day}#${shard}`

/** `shards` is the company's number of parts; an employee's rows stand in one partition, a day's rows in one index partition per part. */
export const dayRowKey = (employee: string, day: string, shift: string | null, shards: number): Key<DayRow> => ({
  pk: `DAY#${employee}`,
  sk: `${day}#${shift ?? '-'}`,
  byDay: { pk: dayIndexPk(day, shardOf(employee, shards)), sk: `${employee}#${shift ?? '-'}` },
})

export const dayRowFacts = ({ company, old, new: now }: Change<DayRow>) => {
  const row = now ?? old
  return row ? [{ type: 'day.changed' as const, company, employee: row.employee, day: row.day }] : []
}
