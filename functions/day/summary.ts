import { type KeptSummary, type Summary, summaryKey, sumSummaries, wholeCompany } from '../../shared/summary.ts'
import type { Caller } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import type { Table } from '../kit/table.ts'

// Reads the summaries of days. The cost does not depend on the company's size.

const departmentsAtOnce = 32

/**
 * The summaries of the days with rows, in order, both ends included. The scope is `wholeCompany`, or one department
 * without its sub-departments.
 */
export const readSummaries = async (table: Table, scope: string, from: string, to: string): Promise<Summary[]> =>
  table.all<KeptSummary>({ pk: summaryKey(scope, '').pk, from, to })

/** The summaries of the caller's departments, summed for each day. */
export const readManagedSummaries = async (
  { table, departments }: Pick<Caller, 'table' | 'departments'>,
  from: string,
  to: string,
): Promise<Summary[]> => {
  if (!departments) return readSummaries(table, wholeCompany, from, to)
  const read = (scope: string) => readSummaries(table, scope, from, to)
  const byDay = Map.groupBy((await atOnce(departmentsAtOnce, [...departments], read)).flat(), ({ day }) => day)
  return [...byDay].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, parts]) => sumSummaries(day, parts))
}
