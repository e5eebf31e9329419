import type { PathInput } from '../../shared/api.ts'
import { attparamsOf } from '../../shared/attparams.ts'
import { type DayRow, dayRowKey } from '../../shared/day.ts'
import { type Employee, employeeKey, formerEmployeeKey } from '../../shared/employee.ts'
import { addDays, addMonths, laterDay, localDay } from '../../shared/local-day.ts'
import { monthOf, scheduleKey } from '../../shared/schedule/month.ts'
import { renameEverybody } from '../company/rename.ts'
import { readCompany } from '../company/store.ts'
import { previewing } from '../day/preview.ts'
import { recalculation } from '../day/recalculation.ts'
import type { Walking } from '../day/span.ts'
import type { Span } from '../day/walk.ts'
import { atOnce } from '../kit/each.ts'
import { openTable, type Table } from '../kit/table.ts'
import { type RuleChange, timeRulesOf, withRules } from './rule.ts'

// Recalculates and previews all employees' days from the first day of changed rules on.

const recentDays = 62
const peopleAtOnce = 16
/** The search for the last planned month ends after this many months without a schedule. */
const monthsWithoutPlans = 12

/** The last day of the last month with a schedule; tomorrow if no month has a schedule. */
const findLastPlanned = async (table: Table, today: string): Promise<string> => {
  let last = addDays(today, 1)
  for (let ahead = 0, empty = 0; empty < monthsWithoutPlans; ahead++) {
    const first = addMonths(`${monthOf(today)}-01`, ahead)
    const { list } = await table.page({ pk: scheduleKey(monthOf(first), '').pk, size: 1 })
    empty = list.length > 0 ? 0 : empty + 1
    if (list.length > 0) last = addDays(addMonths(first, 1), -1)
  }
  return last
}

/**
 * The days from `from` on, for present employees and former employees who left later. An employee's days begin near
 * their first row, because earlier days have nothing to recalculate.
 */
export const daysOfEverybody = async (
  table: Table,
  zone: string,
  from: string,
  to: string,
  work: Walking,
): Promise<Span[]> => {
  const people: string[] = []
  for (const pk of [employeeKey('').pk, formerEmployeeKey('').pk])
    for await (const { id, endDay } of table.each<Employee>({ pk, only: ['id', 'endDay'] }))
      if (!endDay || endDay >= from) people.push(id)
  const recent = addDays(localDay(zone, Date.now()), -recentDays)
  if (from >= recent) return people.map(employee => ({ employee, from, to }))
  let done = 0
  return atOnce(peopleAtOnce, people, async employee => {
    const { list } = await table.page<DayRow>({ pk: dayRowKey(employee, '', null, 1).pk, size: 1, only: ['day'] })
    if (++done % 100 === 0) await work.tell('check', done, people.length)
    // In another zone, the work of the first day may belong to the day before.
    return { employee, from: laterDay(from, addDays(list[0]?.day ?? recent, -1)), to }
  })
}

/**
 * The days that changed rules affect. `from` is the first day on which the saved rules differ from the previous rules.
 */
const daysOfRules = async ({
  from,
  ...work
}: Walking & { company: string; from: string | undefined }): Promise<Span[]> => {
  const table = openTable(work.company)
  const { timezone } = await readCompany({ table })
  const today = localDay(timezone, Date.now())
  return daysOfEverybody(table, timezone, from ?? today, addDays(today, 1), work)
}

export const recalculateRules = recalculation<'attparams/update'>(work =>
  daysOfRules({ ...work, from: work.input.from }),
)

/** Without `from`, only the name order has changed. */
export const recalculateTime = recalculation<'company/time/update'>(async work => {
  await renameEverybody(work)
  const { from } = work.input
  return from === undefined ? [] : daysOfRules({ ...work, from })
})

const previewRules = <K extends 'attparams/preview' | 'company/time/preview'>(
  rulesOf: (input: PathInput<K>) => RuleChange,
) =>
  previewing<K>(async work => {
    const table = openTable(work.company)
    const company = await readCompany({ table })
    const input = work.input as PathInput<K>
    const { book, changedFrom } = withRules(company, rulesOf(input), input.from)
    const today = localDay(company.timezone, Date.now())
    const to = await findLastPlanned(table, today)
    return {
      spans: changedFrom === undefined ? [] : await daysOfEverybody(table, company.timezone, changedFrom, to, work),
      supposed: { company: company => ({ ...company, ...book }) },
    }
  })

export const previewAttparams = previewRules<'attparams/preview'>(attparamsOf)
export const previewTime = previewRules<'company/time/preview'>(timeRulesOf)
