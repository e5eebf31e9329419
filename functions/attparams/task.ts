import type { PathInput } from '../../shared/api.ts'
import { attparamsOf } from '../../shared/attparams.ts'
import { type DayRow, dayRowKey } from '../../shared/day.ts'
import { type Employee, employeeKey, formerEmployeeKey } from '../../shared/employee.ts'
import { addDays, addMonths, laterDay, localDay } from '../../shared/local-day.ts'
import { monthOf, scheduleKey } from '../../shared/schedule.ts'
import { renameEverybody } from '../company/rename.ts'
import { readCompany } from '../company/store.ts'
import { previewing } from '../day/preview.ts'
import { recalculation } from '../day/recalculation.ts'
import type { Walking } from '../day/span.ts'
import type { Span } from '../day/walk.ts'
import { atOnce } from '../kit/each.ts'
import { openTable, type Table } from '../kit/table.ts'
import { type RuleChange, timeRulesOf, withRules } from './rule.ts'

// Everybody's days, from the day on from which other rules count.

const recentDays = 62
const peopleAtOnce = 16
/** Nobody plans without a gap of a year. */
const monthsWithoutPlans = 12

/** The last day of the last month somebody is scheduled in. */
const lastPlanned = async (table: Table, today: string): Promise<string> => {
  let last = addDays(today, 1)
  for (let ahead = 0, empty = 0; empty < monthsWithoutPlans; ahead++) {
    const first = addMonths(`${monthOf(today)}-01`, ahead)
    const { list } = await table.page({ pk: scheduleKey(monthOf(first), '').pk, size: 1 })
    empty = list.length > 0 ? 0 : empty + 1
    if (list.length > 0) last = addDays(addMonths(first, 1), -1)
  }
  return last
}

/** The days from one on of everybody who is there or was there then. Far back there is nothing before somebody's first row. */
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
    // Another zone may put what was worked on the first day on the one before it.
    return { employee, from: laterDay(from, addDays(list[0]?.day ?? recent, -1)), to }
  })
}

/** `from` is the day from which on the saved rules differ from those before. */
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
    const to = await lastPlanned(table, today)
    return {
      spans: changedFrom === undefined ? [] : await daysOfEverybody(table, company.timezone, changedFrom, to, work),
      supposed: { company: company => ({ ...company, ...book }) },
    }
  })

export const previewAttparams = previewRules<'attparams/preview'>(attparamsOf)
export const previewTime = previewRules<'company/time/preview'>(timeRulesOf)
