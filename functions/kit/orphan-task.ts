import type { Span } from './days.ts'
import { firstPunch, lastPunches } from './orphan.ts'
import { recalculation } from './recalculation.ts'
import { openTable } from './table.ts'

/** The days of a number that was given to somebody or given back: from that of its first punch to that of its last. */
export const recalculateNumber = recalculation<'record/orphan/assign' | 'record/orphan/return'>(
  async ({ company, input: { workno, employee } }): Promise<Span[]> => {
    const table = openTable(company)
    const [first, [last]] = await Promise.all([firstPunch(table, workno), lastPunches(table, workno, 1)])
    return first && last ? [{ employee, from: first.localTime.slice(0, 10), to: last.localTime.slice(0, 10) }] : []
  },
)
