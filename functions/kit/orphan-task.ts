import { type Punch, punchKey } from '../../shared/punch.ts'
import { atOnce } from './at-once.ts'
import { change } from './change.ts'
import type { Span } from './days.ts'
import { firstPunch, lastPunches, punchesPk } from './orphan.ts'
import { recalculateDays } from './recalculation.ts'
import { openTable, type Table } from './table.ts'
import type { Kind } from './task.ts'

type NumberKind = 'record/orphan/assign' | 'record/orphan/return'

const portion = 200
const punchesAtOnce = 8

/** The days from that of its first punch to that of its last. */
const daysOf = async (table: Table, workno: string, employee: string): Promise<Span[]> => {
  const [first, [last]] = await Promise.all([firstPunch(table, workno), lastPunches(table, workno, 1)])
  return first && last ? [{ employee, from: first.localTime.slice(0, 10), to: last.localTime.slice(0, 10) }] : []
}

/** Others were told of the punches by whose they were: each is written anew, and so is told of and listed once more. Safe twice. */
const tellAgain = async (table: Table, workno: string, task: string, pause: () => void): Promise<void> => {
  const isTold = ({ given }: Punch) => given?.task === task
  let from: string | undefined
  for (;;) {
    const { list, next } = await table.page<Punch>({ pk: punchesPk(workno), size: portion, page: from })
    const left = list.filter(punch => !isTold(punch))
    await atOnce(punchesAtOnce, left, punch =>
      change(table, punchKey(punch), now =>
        isTold(now) ? undefined : { ...now, given: { task, at: new Date().toISOString() } },
      ),
    )
    if (next === undefined) return
    from = next
    pause()
  }
}

/** A number that was given to somebody or given back: its days are calculated, and its punches are another's. */
export const recalculateNumber: Kind<NumberKind> = {
  isOwed: true,
  run: async work => {
    const { company, task, input } = work
    const table = openTable(company)
    const recalculated = await recalculateDays(work, await daysOf(table, input.workno, input.employee))
    await tellAgain(table, input.workno, task, work.pause)
    return { recalculated }
  },
}
