import { atOnce } from '../functions/kit/at-once.ts'
import { publish } from '../functions/kit/bus.ts'
import { calculateDays } from '../functions/kit/days.ts'
import { job, type Told } from '../functions/kit/job.ts'
import { log } from '../functions/kit/log.ts'
import { openTable, save, type Table } from '../functions/kit/table.ts'
import { companyKey } from '../shared/company.ts'
import { type DayRow, dayRowKey } from '../shared/day.ts'
import { employeeKey, worknoKey } from '../shared/employee.ts'
import type { DaysDue, Fact } from '../shared/fact.ts'
import { jobs } from '../shared/jobs.ts'
import { addDays, earlierDay, laterDay, localDay } from '../shared/local-day.ts'
import { type Punch, punchKey } from '../shared/punch.ts'
import { orphanKey } from '../shared/record.ts'
import { shiftUseKey } from '../shared/shift.ts'

// A fact says where to look; the days it touches are read again and calculated again. Said twice, late or out of order, it
// changes nothing.

type Waking = Extract<Fact, { type: (typeof jobs)['recalculate']['facts'][number] }>
type Days = Omit<DaysDue, 'type'>

/** Longer ranges are handed on in portions, so that no run takes longer than its message may wait. */
const portionDays = 62
const employeesAtOnce = 8

/** A number nobody has is held up to the managers; told again when its last punch changes. */
const holdOrphan = async (table: Table, number: string) => {
  const { list } = await table.page<Punch>({
    pk: punchKey({ number, localTime: '', sn: '' }).pk,
    reverse: true,
    size: 1,
  })
  const [last] = list
  if (last) await save(table.put(orphanKey(number), { workno: number, serialNumber: last.sn, lastAt: last.at }))
}

const touchedByPunch = async ({
  company,
  number,
  day,
}: Extract<Waking, { type: 'record.created' }>): Promise<Days[]> => {
  const table = openTable(company)
  const holder = await table.get(worknoKey(number))
  if (holder) return [{ company, employee: holder.employee, from: addDays(day, -1), to: addDays(day, 1) }]
  await holdOrphan(table, number)
  return []
}

/** Everyone and every month the shift is scheduled in. */
const touchedByShift = async ({ company, shift }: Extract<Waking, { type: 'shift.changed' }>): Promise<Days[]> => {
  const uses = await openTable(company).all<{ month: string; employee: string }>({ pk: shiftUseKey(shift, '', '').pk })
  return [...Map.groupBy(uses, ({ employee }) => employee)].map(([employee, list]) => {
    const months = list.map(({ month }) => month).sort()
    return { company, employee, from: addDays(`${months[0]}-01`, -1), to: addDays(`${months.at(-1)}-28`, 4) }
  })
}

/** All days of an employee, from the first that can have a row. */
const touchedByEmployment = async ({
  company,
  employee: id,
}: Extract<Waking, { type: 'employment.changed' }>): Promise<Days[]> => {
  const table = openTable(company)
  const [settings, employee] = await Promise.all([table.get(companyKey()), table.get(employeeKey(id))])
  if (!settings || !employee) return []
  await save(table.remove(orphanKey(employee.workno)))
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
    ? [{ company, employee: id, from: addDays(first, -1), to: addDays(localDay(settings.timezone, Date.now()), 1) }]
    : []
}

const touched = async (fact: Waking): Promise<Days[]> => {
  switch (fact.type) {
    case 'record.created':
      return touchedByPunch(fact)
    case 'schedule.changed':
      // A neighbouring day's shift may gain or lose a punch to the one that changed.
      return [{ ...fact, from: addDays(fact.from, -1), to: addDays(fact.to, 1) }]
    case 'shift.changed':
      return touchedByShift(fact)
    case 'employment.changed':
      return touchedByEmployment(fact)
    case 'days.due':
      return [fact]
  }
}

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

/** One computation for all that a batch says about neighbouring days of one employee. */
const merge = (dues: Due[]): Due[] => {
  const merged: Due[] = []
  for (const due of dues.toSorted((one, other) => (one.from < other.from ? -1 : 1))) {
    const last = merged.at(-1)
    if (last && due.from <= addDays(last.to, 1) && due.from <= addDays(last.from, portionDays)) {
      last.to = laterDay(last.to, due.to)
      last.messages.push(...due.messages)
    } else merged.push({ ...due })
  }
  return merged
}

export const handler = job('recalculate', jobs.recalculate.facts, async (told: Told<Waking>[]) => {
  const failed: string[] = []
  const dues: Due[] = []
  const later: DaysDue[] = []
  for (const { fact, message } of told)
    try {
      const list = (await touched(fact)).flatMap(portions)
      if (list.length === 1 && list[0]) dues.push({ ...list[0], messages: [message] })
      else
        for (const { company, employee, from, to } of list)
          later.push({ type: 'days.due', company, employee, from, to })
    } catch (error) {
      // One poisoned fact does not stop the others.
      failed.push(message)
      log({ job: 'recalculate', fact, fault: String(error) })
    }
  if (later.length > 0) await publish(later)
  // One employee's portions follow each other; different employees do not wait for one another.
  const byEmployee = Map.groupBy(dues, ({ company, employee }) => `${company} ${employee}`)
  await atOnce(employeesAtOnce, [...byEmployee.values()], async list => {
    for (const { company, employee, from, to, messages } of merge(list))
      try {
        await calculateDays(openTable(company), employee, from, to)
      } catch (error) {
        failed.push(...messages)
        const fault = error instanceof Error ? error.stack : String(error)
        log({ job: 'recalculate', company, employee, from, to, fault })
      }
  })
  return failed
})
