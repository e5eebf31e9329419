import { weekSlackDays } from '../../shared/attendance/weekly.ts'
import { companyKey } from '../../shared/company.ts'
import type { Cause } from '../../shared/day.ts'
import type { DaysDue } from '../../shared/fact.ts'
import { addDays, countDays, earlierDay, laterDay, localDay } from '../../shared/local-day.ts'
import type { Recalculated } from '../../shared/preview.ts'
import type { TaskKind, TouchedDays } from '../../shared/task.ts'
import { publish } from '../kit/bus.ts'
import { log } from '../kit/log.ts'
import { openTable } from '../kit/table.ts'
import type { Kind, TakingBack } from '../kit/task.ts'
import { calculateDays } from './calculate.ts'
import { goThrough, type Walking, widen } from './span.ts'
import type { Span } from './walk.ts'

// A change that alters days already worked has them calculated again by a task, which whoever caused it can watch, leave and find
// again. The task is written in the transaction of the change itself: there is neither one without the other, and it is done
// whatever becomes of who asked.
//
// A new kind takes four lines: its path in `taskKinds` (shared/task.ts); in its handler
//   const { writes, ...owed } = owe(caller, 'noun/verb', input); await save(…the change…, ...writes); return owed
// and under the path in events/perform.ts
//   'noun/verb': recalculation(async work => [{ employee, from, to }, …])
// with the days on which something is otherwise than it was; the days beside them are looked at too. `work.input` is what
// `owe` was given. Who writes first, and calculates in the same task, calls `recalculateDays(work, spans)` when it has written.
// Its preview is as short: see preview.ts.

type Calculating = Walking & Pick<TakingBack<TaskKind>, 'company' | 'task' | 'kind' | 'by'>

const nothingYet = { employees: 0, days: 0, rows: 0, handedOn: 0, last: '', lastHandedOn: '' }

const toldOf = ({ employees, days, rows, handedOn }: typeof nothingYet): Recalculated => ({
  employees,
  days,
  rows,
  handedOn,
})

/**
 * Calculates days anew and writes those that differ, with progress; days after tomorrow have no rows, and locked ones keep
 * theirs. Whose days cannot be calculated now are handed on to the job that tries again and in the end holds them up to the operators.
 */
export const recalculateDays = async (work: Calculating, spans: Span[]): Promise<Recalculated> => {
  // Nobody changes days but the rules themselves: there is nobody to name for it in the audit.
  const table = openTable(work.company)
  const cause: Cause = { kind: work.kind, task: work.task, by: work.by }
  const company = await table.get(companyKey())
  const tomorrow = company ? addDays(localDay(company.timezone, Date.now()), 1) : ''
  const due = widen(spans)
    .map(({ employee, from, to }) => ({ employee, from, to: earlierDay(to, tomorrow) }))
    .filter(({ from, to }) => from <= to)
  // Summed up anew when the task ends. A week is judged as a whole.
  if (due.length > 0) {
    const touched: TouchedDays = {
      from: addDays(due.map(({ from }) => from).reduce(earlierDay), -weekSlackDays),
      to: addDays(due.map(({ to }) => to).reduce(laterDay), weekSlackDays),
    }
    await work.remember({ touched })
  }
  const sum = await goThrough(
    work,
    due,
    nothingYet,
    async (portion, soFar) => {
      const { rows, stuck } = await calculateDays(table, portion, cause)
      for (const { span, error } of stuck)
        log({ job: 'task', task: work.task, ...span, fault: error instanceof Error ? error.stack : String(error) })
      await publish(
        stuck.map(
          ({ span: { employee, from, to } }): DaysDue => ({
            type: 'days.due',
            company: work.company,
            ...{ employee, from, to, cause },
          }),
        ),
      )
      const sum = { ...soFar, rows: soFar.rows + rows }
      for (const { employee, from, to } of portion) {
        sum.days += countDays(from, to)
        if (employee !== sum.last) sum.employees++
        sum.last = employee
      }
      for (const employee of stuck.map(({ span }) => span.employee).sort()) {
        if (employee !== sum.lastHandedOn) sum.handedOn++
        sum.lastHandedOn = employee
      }
      return sum
    },
    soFar => ({ recalculated: toldOf(soFar) }),
  )
  return toldOf(sum)
}

/** A kind of task that does nothing else; `touched` says which days. */
export const recalculation = <K extends TaskKind>(touched: (work: TakingBack<K>) => Promise<Span[]>): Kind<K> => ({
  isOwed: true,
  run: async work => ({ recalculated: await recalculateDays(work, await touched(work)) }),
})
