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

// A task recalculates worked days after a change. The author of the change can watch the task, leave it and find it
// again. The transaction of the change also stores the task, so neither exists without the other. The task runs even if
// its author leaves.
//
// To add a kind, list its path in `taskKinds` (shared/task.ts), and write in its handler:
//   const { writes, ...owed } = owe(caller, 'noun/verb', input); await save(…the change…, ...writes); return owed
// Add to events/perform.ts:
//   'noun/verb': recalculation(async work => [{ employee, from, to }, …])
// Return the changed days; `recalculateDays` adds their neighbours. `work.input` is the input of `owe`. A kind that
// writes and calculates in the same task calls `recalculateDays(work, spans)` after it has written. For its preview,
// see preview.ts.

type Calculating = Walking & Pick<TakingBack<TaskKind>, 'company' | 'task' | 'kind' | 'by'>

const emptyTotals = { employees: 0, days: 0, rows: 0, handedOn: 0, last: '', lastHandedOn: '' }

const toldOf = ({ employees, days, rows, handedOn }: typeof emptyTotals): Recalculated => ({
  employees,
  days,
  rows,
  handedOn,
})

/**
 * Recalculates days and writes the rows that differ, with progress. Days after tomorrow have no rows, and locked days
 * keep theirs. A job retries failed days and finally alarms the operators.
 */
export const recalculateDays = async (work: Calculating, spans: Span[]): Promise<Recalculated> => {
  // The rules change the days, not a person, so the audit gets no actor.
  const table = openTable(work.company)
  const cause: Cause = { kind: work.kind, task: work.task, by: work.by }
  const company = await table.get(companyKey())
  const tomorrow = company ? addDays(localDay(company.timezone, Date.now()), 1) : ''
  const due = widen(spans)
    .map(({ employee, from, to }) => ({ employee, from, to: earlierDay(to, tomorrow) }))
    .filter(({ from, to }) => from <= to)
  // The end of the task recalculates the summaries of these days. The days cover whole weeks, because the engine
  // calculates a week as a whole.
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
    emptyTotals,
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

/** A kind of task that only recalculates. `touched` gives the days. */
export const recalculation = <K extends TaskKind>(touched: (work: TakingBack<K>) => Promise<Span[]>): Kind<K> => ({
  isOwed: true,
  run: async work => ({ recalculated: await recalculateDays(work, await touched(work)) }),
})
