import { calculateDays } from '../functions/day/calculate.ts'
import { findEmployee } from '../functions/employee/store.ts'
import { publish } from '../functions/kit/bus.ts'
import { atOnce } from '../functions/kit/each.ts'
import { job, type Told } from '../functions/kit/job.ts'
import { faultOf, log } from '../functions/kit/log.ts'
import { openTable } from '../functions/kit/table.ts'
import { dayBefore, everyDay, firstPunch, judgeNumbers, tellWhose } from '../functions/record/orphan.ts'
import { marginDays } from '../shared/attendance/calculate.ts'
import { type Company, companyKey } from '../shared/company.ts'
import { type Cause, type DayRow, dayRowKey, quietCauses } from '../shared/day.ts'
import type { DaysDue, Fact } from '../shared/fact.ts'
import { jobs } from '../shared/jobs.ts'
import { addDays, earlierDay, laterDay, localDay } from '../shared/local-day.ts'

// An event names the days it touches; this job reads and calculates them again. A duplicate, late or reordered event
// changes nothing.

type Waking = Extract<Fact, { type: (typeof jobs)['recalculate']['facts'][number] }>
type Days = Omit<DaysDue, 'type'>

/** The most days of one calculation, so that no run takes longer than its message may wait. */
const portionDays = 62
const employeesAtOnce = 8
const companiesAtOnce = 8
const numbersAtOnce = 8

type PunchFact = Extract<Waking, { type: 'record.created' }>

/** The days that an employee's punches touch. */
const touchedByPunches = (facts: PunchFact[], { id, timezone }: Company, employee: string): Days[] => {
  // Widen the range, because the terminal may show the date of another zone.
  const days = new Set(facts.map(({ at }) => localDay(timezone, Date.parse(at))))
  return [...days].map(day => ({
    company: id,
    employee,
    from: addDays(day, -marginDays),
    to: addDays(day, marginDays),
    cause: { kind: 'punch' },
  }))
}

/** All days of an employee from the first possible row on; none for a new employee without punches. */
const touchedByEmployment = async ({
  company,
  employee: id,
  workno,
  isNew,
}: Extract<Waking, { type: 'employment.changed' }>): Promise<Days[]> => {
  const table = openTable(company)
  // Check for punches first, so that ten thousand new employees cost one query each.
  const isUsed = (await firstPunch(table, workno)) !== undefined
  if (isUsed) {
    await judgeNumbers(table, new Map([[workno, everyDay]]))
    await tellWhose(table, workno)
  }
  if (isNew && !isUsed) return []
  const [settings, employee] = await Promise.all([table.get(companyKey()), findEmployee(table, id)])
  if (!settings || !employee) return []
  const { formerWorknos = [] } = employee
  if (formerWorknos.length > 0) await judgeNumbers(table, new Map(formerWorknos.map(number => [number, everyDay])))
  const [punch, rows] = await Promise.all([
    firstPunch(table, employee.workno),
    table.page<DayRow>({ pk: dayRowKey(id, '', null, 1).pk, size: 1 }),
  ])
  const first = [
    localDay(settings.timezone, Date.parse(settings.createdAt)),
    ...(punch ? [punch.localTime.slice(0, 10)] : []),
    ...rows.list.map(({ day }) => day),
  ].sort()[0]
  return first
    ? [
        {
          ...{
            company,
            employee: id,
            from: addDays(first, -1),
            to: addDays(localDay(settings.timezone, Date.now()), 1),
          },
          cause: { kind: 'employment' },
        },
      ]
    : []
}

/** The days that an event other than a punch touches. */
const touched = async (fact: Exclude<Waking, PunchFact>): Promise<Days[]> => {
  switch (fact.type) {
    case 'schedule.changed':
      // Widen the range, because a neighbouring day's shift may gain or lose a punch.
      return [
        {
          ...{ company: fact.company, employee: fact.employee, cause: { kind: 'schedule' } },
          ...{ from: addDays(fact.from, -marginDays), to: addDays(fact.to, marginDays) },
        },
      ]
    case 'employment.changed':
      return touchedByEmployment(fact)
    case 'request.decided': {
      const { company, employee, by } = fact
      return [
        {
          ...{ company, employee, cause: { kind: 'request', ...(by !== undefined && { by }) } },
          ...{ from: addDays(fact.from, -marginDays), to: addDays(fact.to, marginDays) },
        },
      ]
    }
    case 'days.due':
      return [fact]
  }
}

const portions = (days: Days): Days[] => {
  const list: Days[] = []
  for (let from = days.from; from <= days.to; from = addDays(from, portionDays)) {
    list.push({ ...days, from, to: earlierDay(addDays(from, portionDays - 1), days.to) })
  }
  return list
}

interface Due extends Days {
  messages: string[]
}

const stronger = (one: Cause, other: Cause) =>
  quietCauses.indexOf(other.kind) < quietCauses.indexOf(one.kind) ? other : one

/** Merges events about neighbouring days of an employee into one calculation. */
const merge = (dues: Due[]): Due[] => {
  const merged: Due[] = []
  for (const due of dues.toSorted((one, other) => (one.from < other.from ? -1 : 1))) {
    const last = merged.at(-1)
    if (last && due.from <= addDays(last.to, 1) && due.from <= addDays(last.from, portionDays)) {
      last.to = laterDay(last.to, due.to)
      last.messages = [...last.messages, ...due.messages]
      last.cause = stronger(last.cause, due.cause)
    } else merged.push({ ...due })
  }
  return merged
}

export const handler = job('recalculate', jobs.recalculate.facts, async (told: Told<Waking>[]) => {
  const failed: string[] = []
  const dues: Due[] = []
  const fail = (messages: string[], error: unknown, about: object) => {
    failed.push(...messages)
    log({ job: 'recalculate', ...about, fault: faultOf(error) })
  }
  /**
   * Reads all numbers of a company at once. After a failure, reads each number separately, so that one bad event does
   * not stop the other events.
   */
  const takePunches = async (company: string, part: Told<PunchFact>[]): Promise<void> => {
    const table = openTable(company)
    const byNumber = Map.groupBy(part, ({ fact }) => fact.number)
    try {
      const firsts = [...byNumber].map(([number, mine]) => [number, mine.map(({ fact }) => fact.at).sort()[0]] as const)
      const places = [...byNumber].map(([number, mine]) => [number, new Set(mine.map(({ fact }) => fact.sn))] as const)
      const [settings, whose] = await Promise.all([
        table.get(companyKey()),
        judgeNumbers(table, new Map(firsts.map(([number, at = '']) => [number, dayBefore(at)])), new Map(places)),
      ])
      const found = [...byNumber].flatMap(([number, mine]) => {
        const employee = whose.get(number)
        if (!settings || employee === undefined) return []
        const facts = mine.map(({ fact }) => fact)
        const messages = mine.map(({ message }) => message)
        return touchedByPunches(facts, settings, employee).map(days => ({ ...days, messages }))
      })
      dues.push(...found)
    } catch (error) {
      if (byNumber.size === 1)
        fail(
          part.map(({ message }) => message),
          error,
          { fact: part[0]?.fact },
        )
      else await atOnce(numbersAtOnce, [...byNumber.values()], mine => takePunches(company, mine))
    }
  }
  const punches = told.flatMap(({ fact, message }) => (fact.type === 'record.created' ? [{ fact, message }] : []))
  const byCompany = Map.groupBy(punches, ({ fact }) => fact.company)
  await atOnce(companiesAtOnce, [...byCompany], ([company, part]) => takePunches(company, part))
  await atOnce(employeesAtOnce, told, async ({ fact, message }) => {
    if (fact.type === 'record.created') return
    try {
      const list = (await touched(fact)).flatMap(portions)
      if (list.length === 1) dues.push(...list.map(days => ({ ...days, messages: [message] })))
      else await publish(list.map(days => ({ type: 'days.due', ...days })))
    } catch (error) {
      fail([message], error, { fact })
    }
  })
  // Portions of one employee run in order; different employees run in parallel.
  const byEmployee = Map.groupBy(dues, ({ company, employee }) => `${company} ${employee}`)
  await atOnce(employeesAtOnce, [...byEmployee.values()], async list => {
    for (const { company, employee, from, to, cause, messages } of merge(list)) {
      const about = { company, employee, from, to }
      try {
        const { stuck } = await calculateDays(openTable(company), [{ employee, from, to }], cause)
        for (const { error } of stuck) fail(messages, error, about)
      } catch (error) {
        fail(messages, error, about)
      }
    }
  })
  return failed
})
