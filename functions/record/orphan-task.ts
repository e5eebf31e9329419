import { recalculateDays } from '../day/recalculation.ts'
import type { Span } from '../day/walk.ts'
import { openTable, type Table } from '../kit/table.ts'
import type { Kind } from '../kit/task.ts'
import { everyDay, firstPunch, judgeNumbers, lastPunches, tellAgain } from './orphan.ts'

type NumberKind = 'record/orphan/assign' | 'record/orphan/return'

/** The days from the first punch of the number to its last. */
const daysOf = async (table: Table, workno: string, employee: string): Promise<Span[]> => {
  const [first, [last]] = await Promise.all([firstPunch(table, workno), lastPunches(table, workno, 1)])
  return first && last ? [{ employee, from: first.localTime.slice(0, 10), to: last.localTime.slice(0, 10) }] : []
}

/** Recalculates the days of an assigned or returned number, and announces its punches again. */
export const recalculateNumber: Kind<NumberKind> = {
  isOwed: true,
  run: async work => {
    const { company, task, input } = work
    const table = openTable(company)
    const recalculated = await recalculateDays(work, await daysOf(table, input.workno, input.employee))
    await tellAgain(table, input.workno, { by: task, isTold: ({ given }) => given?.by === task, pause: work.pause })
    // List the number again if its holder was not employed on the days of some punches.
    const first = (await firstPunch(table, input.workno))?.localTime.slice(0, 10) ?? everyDay
    await judgeNumbers(table, new Map([[input.workno, first]]))
    return { recalculated }
  },
}
