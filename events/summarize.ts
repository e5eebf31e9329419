import { type Part, sumPart, sumParts } from '../functions/day/summary-write.ts'
import { publish } from '../functions/kit/bus.ts'
import { tryEach } from '../functions/kit/each.ts'
import { job, type Told, tryCompanies } from '../functions/kit/job.ts'
import { openTable, type Table } from '../functions/kit/table.ts'
import { type Company, companyKey, partsOn } from '../shared/company.ts'
import { partOf } from '../shared/day.ts'
import type { Fact, SummaryDue } from '../shared/fact.ts'
import { jobs } from '../shared/jobs.ts'
import { addDays, countDays, daysBetween, earlierDay } from '../shared/local-day.ts'
import { isOver, taskKey } from '../shared/task.ts'

// A changed row names its day and index part. The job reads and sums all rows of that part, and compares the sum with
// the stored summary. It never increments a sum, so a duplicate, late or reordered event changes nothing.

type SummaryFact = Extract<Fact, { type: (typeof jobs)['summarize']['facts'][number] }>
type DayFact = Extract<SummaryFact, { type: 'day.changed' }>

const summedAtOnce = 6
/** The most days of one run, so that no run takes longer than its message may wait. */
const portionDays = 31

interface DuePart extends Part {
  employees: Set<string>
  messages: string[]
}

/**
 * Whether a task is still changing thousands of rows. The end of the task sums its days, so the job skips them until
 * then.
 */
const isUnderWay = async (table: Table, { by, task }: DayFact): Promise<boolean> => {
  if (by === undefined || task === undefined) return false
  const found = await table.get(taskKey(by, task))
  return found?.memory?.touched !== undefined && !isOver(found)
}

/** The parts of days that the events name, each part once. */
const partsOf = async (table: Table, company: Company, told: Told<SummaryFact>[]): Promise<DuePart[]> => {
  const parts = new Map<string, DuePart>()
  const add = (day: string, part: number, message: string, employee?: string) => {
    const found = parts.get(`${day} ${part}`) ?? { day, part, employees: new Set(), messages: [] }
    found.messages.push(message)
    if (employee !== undefined) found.employees.add(employee)
    parts.set(`${day} ${part}`, found)
  }
  const tasks = new Map<string, Promise<boolean>>()
  for (const { fact, message } of told) {
    if (fact.type === 'day.changed') {
      const { task = '' } = fact
      const underWay = tasks.get(task) ?? isUnderWay(table, fact)
      tasks.set(task, underWay)
      if (await underWay) continue
      add(fact.day, partOf(fact.employee, partsOn(company, fact.day)), message, fact.employee)
    }
    if (fact.type === 'summary.due')
      for (const day of daysBetween(fact.from, fact.to))
        for (let part = 0; part < partsOn(company, day); part++) add(day, part, message)
  }
  return [...parts.values()]
}

const isLong = (fact: SummaryFact): fact is SummaryDue =>
  fact.type === 'summary.due' && countDays(fact.from, fact.to) > portionDays

const portionsOf = ({ from: first, to: last, ...fact }: SummaryDue): SummaryDue[] => {
  const list: SummaryDue[] = []
  for (let from = first; from <= last; from = addDays(from, portionDays))
    list.push({ ...fact, from, to: earlierDay(addDays(from, portionDays - 1), last) })
  return list
}

/** Sums each part. Returns the message ids of the failed parts. */
const sumEach = async <T extends { day: string; messages: string[] }>(
  company: string,
  list: T[],
  run: (one: T) => Promise<void>,
): Promise<string[]> => {
  const nameOf = ({ day }: T) => ({ company, day })
  const failed = await tryEach({ job: 'summarize', atOnce: summedAtOnce, nameOf }, list, run)
  return failed.flatMap(({ messages }) => messages)
}

const summarize = async (id: string, told: Told<SummaryFact>[]): Promise<string[]> => {
  const table = openTable(id)
  const company = await table.get(companyKey())
  if (!company) return []
  await publish(told.flatMap(({ fact }) => (isLong(fact) ? portionsOf(fact) : [])))
  const parts = await partsOf(
    table,
    company,
    told.filter(({ fact }) => !isLong(fact)),
  )
  const sums = Map.groupBy(
    told.flatMap(({ fact, message }) => (fact.type === 'part.changed' ? [{ ...fact, message }] : [])),
    ({ scope, day }) => `${scope} ${day}`,
  )
  const failed = await sumEach(id, parts, part => sumPart(table, company, part))
  const whole = [...sums.values()].flatMap(same => {
    const [first] = same
    return first ? [{ scope: first.scope, day: first.day, messages: same.map(({ message }) => message) }] : []
  })
  return [...failed, ...(await sumEach(id, whole, ({ scope, day }) => sumParts(table, scope, day)))]
}

export const handler = job('summarize', jobs.summarize.facts, async (told: Told<SummaryFact>[]) => {
  const failed: string[] = []
  const unread = await tryCompanies('summarize', told, async (company, list) => {
    failed.push(...(await summarize(company, list)))
  })
  return [...failed, ...unread]
})
