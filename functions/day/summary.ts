import { type KeptSummary, type Summary, summaryKey, sumSummaries, wholeCompany } from '../../shared/summary.ts'
import type { Caller } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import type { Table } from '../kit/table.ts'

// Reading back what days amount to. It costs what is asked for, whatever the company's size.

const departmentsAtOnce = 32

/** One for each day that has rows, in order; of everybody (`wholeCompany`) or of a department without those below it. Both ends count. */
export const readSummaries = async (table: Table, scope: string, from: string, to: string): Promise<Summary[]> =>
  table.all<KeptSummary>({ pk: summaryKey(scope, '').pk, from, to })

/** Of all whom a caller manages. */
export const readManagedSummaries = async (
  { table, departments }: Pick<Caller, 'table' | 'departments'>,
  from: string,
  to: string,
): Promise<Summary[]> => {
  if (!departments) return readSummaries(table, wholeCompany, from, to)
  const read = (scope: string) => readSummaries(table, scope, from, to)
  const byDay = Map.groupBy((await atOnce(departmentsAtOnce, [...departments], read)).flat(), ({ day }) => day)
  return [...byDay].sort(([one], [other]) => (one < other ? -1 : 1)).map(([day, same]) => sumSummaries(day, same))
}
