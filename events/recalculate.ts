import { atOnce } from '../functions/kit/at-once.ts'
import { publish } from '../functions/kit/bus.ts'
import { calculateDays } from '../functions/kit/days.ts'
import { findEmployee } from '../functions/kit/employee.ts'
import { job, type Told } from '../functions/kit/job.ts'
import { log } from '../functions/kit/log.ts'
import { tellWhose } from '../functions/kit/orphan.ts'
import { openTable, save, type Table } from '../functions/kit/table.ts'
import { marginDays } from '../shared/attendance/calculate.ts'
import { companyKey } from '../shared/company.ts'
import { type Cause, type DayRow, dayRowKey } from '../shared/day.ts'
import { worknoKey } from '../shared/employee.ts'
import type { DaysDue, Fact } from '../shared/fact.ts'
import { jobs } from '../shared/jobs.ts'
import { addDays, earlierDay, laterDay, localDay } from '../shared/local-day.ts'
import { type Punch, punchKey } from '../shared/punch.ts'
import { orphanKey } from '../shared/record.ts'

// A fact says where to look; the days it touches are read again and calculated again. Said twice, late or out of order, it
// changes nothing.

type Waking = Extract<Fact, { type: (typeof jobs)['recalculate']['facts'][number] }>
type Days = Omit<DaysDue, 'type'>

/** Longer ranges are handed on in portions, so that no run takes longer than its message may wait. */
const portionDays = 62
const employeesAtOnce = 8

/**
 * A number whose last punch is nobody's (it has no holder, or not on that day) is held up to the managers. Judged anew from
 * what stands in the table, and looked at again after it was written, because its holder may have come meanwhile. Answers
 * whether anybody ever punched with it: ten thousand people who are new cost one question each.
 */
const judgeNumber = async (table: Table, number: string): Promise<boolean> => {
  const { list } = await table.page<Punch>({
    pk: punchKey({ number, localTime: '', sn: '' }).pk,
    reverse: true,
    size: 1,
  })
  const [last] = list
  if (!last) return false
  const isSomebodys = async () => {
    const holder = await table.get(worknoKey(number))
    const employee = holder && (await findEmployee(table, holder.employee))
    if (!employee) return false
    const day = last.localTime.slice(0, 10)
    // The last night shift ends the day after.
    const end = employee.endDay ? addDays(employee.endDay, 1) : day
    return day >= (employee.hireDay ?? day) && day <= end
  }
  if (!(await isSomebodys()))
    await save(table.put(orphanKey(number), { workno: number, serialNumber: last.sn, lastAt: last.at }))
  // Whoever holds it up from now on looks again as well; a punch of somebody's, as nearly all are, writes nothing here.
  else if (!(await table.get(orphanKey(number)))) return true
  if (await isSomebodys()) await save(table.remove(orphanKey(number)))
  return true
}

type PunchFact = Extract<Waking, { type: 'record.created' }>

/** All that a batch says of one number's punches; a terminal's backlog tells hundreds of them at once. */
const touchedByPunches = async (facts: PunchFact[], { company, number }: PunchFact): Promise<Days[]> => {
  const table = openTable(company)
  const [holder, settings] = await Promise.all([table.get(worknoKey(number)), table.get(companyKey())])
  await judgeNumber(table, number)
  if (!holder || !settings) return []
  // The terminal may show the date of another zone than the company's.
  const days = new Set(facts.map(({ at }) => localDay(settings.timezone, Date.parse(at))))
  return [...days].map(day => ({
    company,
    employee: holder.employee,
    from: addDays(day, -marginDays),
    to: addDays(day, marginDays),
    cause: { kind: 'punch' },
  }))
}

/** All days of an employee, from the first that can have a row; of who is new and has not punched there is none. */
const touchedByEmployment = async ({
  company,
  employee: id,
  workno,
  isNew,
}: Extract<Waking, { type: 'employment.changed' }>): Promise<Days[]> => {
  const table = openTable(company)
  const isUsed = await judgeNumber(table, workno)
  if (isUsed) await tellWhose(table, workno)
  if (isNew && !isUsed) return []
  const [settings, employee] = await Promise.all([table.get(companyKey()), findEmployee(table, id)])
  if (!settings || !employee) return []
  const [punches, rows] = await Promise.all([
    table.page<Punch>({ pk: punchKey({ number: employee.workno, localTime: '', sn: '' }).pk, size: 1 }),
    table.page<DayRow>({ pk: dayRowKey(id, '', null, 1).pk, size: 1 }),
  ])
  const first = [
    localDay(settings.timezone, Date.parse(settings.createdAt)),
    ...punches.list.map(({ localTime }) => localTime.slice(0, 10)),
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

/** The days facts about one subject touch. */
const touched = async (facts: Waking[]): Promise<Days[]> => {
  const [fact] = facts
  switch (fact?.type) {
    case 'record.created':
      return touchedByPunches(facts.filter(isPunch), fact)
    case 'schedule.changed':
      // A neighbouring day's shift may gain or lose a punch to the one that changed.
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
    case undefined:
      return []
  }
}

const isPunch = (fact: Waking): fact is PunchFact => fact.type === 'record.created'

/** Punches of one number are one subject; every other fact is its own. */
const subjectOf = ({ fact, message }: Told<Waking>) =>
  isPunch(fact) ? `${fact.company} ${fact.number}` : `message ${message}`

/** Cuts a range into portions. */
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

/** Of several reasons at once, the one a person would name: days end anyway, and punches come every day. */
const quiet: Cause['kind'][] = ['close', 'punch']
const stronger = (one: Cause, other: Cause) => (quiet.indexOf(other.kind) < quiet.indexOf(one.kind) ? other : one)

/** One computation for all that a batch says about neighbouring days of one employee. */
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
  const later: DaysDue[] = []
  await atOnce(employeesAtOnce, [...Map.groupBy(told, subjectOf).values()], async group => {
    const messages = group.map(({ message }) => message)
    const facts = group.map(({ fact }) => fact)
    try {
      const list = (await touched(facts)).flatMap(portions)
      if (list.length === 1 || facts.some(isPunch)) dues.push(...list.map(days => ({ ...days, messages })))
      else
        for (const { company, employee, from, to, cause } of list)
          later.push({ type: 'days.due', company, employee, from, to, cause })
    } catch (error) {
      // One poisoned fact does not stop the others.
      failed.push(...messages)
      log({ job: 'recalculate', fact: facts[0], fault: error instanceof Error ? error.stack : String(error) })
    }
  })
  if (later.length > 0) await publish(later)
  // One employee's portions follow each other; different employees do not wait for one another.
  const byEmployee = Map.groupBy(dues, ({ company, employee }) => `${company} ${employee}`)
  await atOnce(employeesAtOnce, [...byEmployee.values()], async list => {
    for (const { company, employee, from, to, cause, messages } of merge(list)) {
      const { stuck } = await calculateDays(openTable(company), [{ employee, from, to }], cause)
      for (const { error } of stuck) {
        failed.push(...messages)
        const fault = error instanceof Error ? error.stack : String(error)
        log({ job: 'recalculate', company, employee, from, to, fault })
      }
    }
  })
  return failed
})
