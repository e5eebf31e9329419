import { calculate, marginDays } from '../../shared/attendance/calculate.ts'
import type { Punch as EnginePunch } from '../../shared/attendance/input.ts'
import { type Company, companyKey } from '../../shared/company.ts'
import { type DayRow, dayRowKey } from '../../shared/day.ts'
import { type Device, deviceKey } from '../../shared/device.ts'
import type { Employee } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { addDays, daysBetween, earlierDay, localDay } from '../../shared/local-day.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import { rulePeriods, rulesChangedFrom } from '../../shared/rule.ts'
import { monthOf, scheduleKey } from '../../shared/schedule.ts'
import { shiftKey } from '../../shared/shift.ts'
import { atOnce } from './at-once.ts'
import { findEmployee } from './employee.ts'
import { type Item, save, type Table } from './table.ts'

// The days of one employee, read anew, calculated, and written where they differ.

/** Terminals tell the date of their own zone; no zone's date is further than this from another's. */
const zoneSlackDays = 1

const isDefined = <T>(value: T | undefined): value is T => value !== undefined

/** The months a range of days lies in, each once. */
const monthsOf = (from: string, to: string) => [...new Set(daysBetween(from, to).map(monthOf))]

const readPunches = async (table: Table, employee: Employee, from: string, to: string): Promise<EnginePunch[]> => {
  const numbers = [employee.workno, ...(employee.formerWorknos ?? [])]
  const lists = await Promise.all(
    numbers.map(number =>
      table.all<Punch>({
        pk: punchKey({ number, localTime: '', sn: '' }).pk,
        from,
        to: `${to}T99`,
        only: ['at', 'number', 'localTime', 'sn', 'inout'],
      }),
    ),
  )
  return lists.flat().map(punch => ({
    at: Date.parse(punch.at),
    key: `${punch.number}#${punchKey(punch).sk}`,
    ...((punch.inout === 0 || punch.inout === 1) && { state: punch.inout === 0 ? ('in' as const) : ('out' as const) }),
  }))
}

/** Up to where every terminal of the department has delivered; without terminals there is nothing to wait for. */
const uploadedTo = (devices: Device[], department: string, now: number): number => {
  const mine = devices.filter(device => device.department === department)
  return Math.min(now, ...mine.map(({ uploadedAt }) => (uploadedAt ? Date.parse(uploadedAt) : 0)))
}

const readSchedule = async (table: Table, employee: string, from: string, to: string) => {
  const months = (await table.getMany(monthsOf(from, to).map(month => scheduleKey(month, employee)))).filter(isDefined)
  return months.flatMap(({ days }) =>
    Object.entries(days).flatMap(([day, shifts]) =>
      day >= from && day <= to ? shifts.map(shift => ({ day, shift })) : [],
    ),
  )
}

const readShifts = async (table: Table, ids: string[]) =>
  Object.fromEntries(
    (await table.getMany([...new Set(ids)].map(shiftKey))).filter(isDefined).map(shift => [shift.id, shift] as const),
  )

/** What the days of all employees of a company have in common; good for one batch. */
export interface Common {
  table: Table
  company: Company
}

/** Undefined where there is no such company (any more). */
export const readCommon = async (table: Table): Promise<Common | undefined> => {
  const company = await table.get(companyKey())
  return company && { table, company }
}

/**
 * Calculates the days `from`–`to` (up to tomorrow) of one employee and writes those that changed. Answers how many were
 * written. The rows are read first and saved only if nobody saved them since, so that of two runs at once the one that read
 * less is the one that has to look again.
 */
const calculateOnce = async ({ table, company }: Common, employee: Item<Employee>, from: string, last: string) => {
  const now = Date.now()
  const today = localDay(company.timezone, now)
  // A shift that begins after midnight may open its punch period today, so tomorrow has a row as well.
  const to = earlierDay(last, addDays(today, 1))
  if (to < from) return 0
  const stored = await table.all<DayRow>({
    pk: dayRowKey(employee.id, '', null, 1).pk,
    from,
    to: `${to}#~`,
  })
  const margin = marginDays + zoneSlackDays
  const [punches, schedule, devices] = await Promise.all([
    readPunches(table, employee, addDays(from, -margin), addDays(to, margin)),
    readSchedule(table, employee.id, addDays(from, -marginDays), addDays(to, marginDays)),
    table.all<Device>({ pk: deviceKey('').pk, only: ['department', 'uploadedAt'] }),
  ])
  const shifts = await readShifts(
    table,
    schedule.map(({ shift }) => shift),
  )
  const given = {
    asOf: now,
    employee: {
      ...(employee.hireDay && { hireDay: employee.hireDay }),
      ...(employee.endDay && { endDay: employee.endDay }),
    },
    shifts,
    schedule: schedule.filter(({ shift }) => shift in shifts),
    punches,
    requests: [],
    holidays: [],
    uploadedTo: uploadedTo(devices, employee.department, now),
  }
  // Each day by the rules that count on it, whatever counted before or has counted since.
  const rows = rulePeriods(company, from, to).flatMap(({ timezone, ...period }) =>
    calculate({ ...given, ...period, zone: timezone }),
  )
  const before = new Map(stored.map(row => [`${row.day}#${row.shift ?? '-'}`, row]))
  const calculatedAt = new Date(now).toISOString()
  const writes = rows.flatMap(row => {
    const id = `${row.day}#${row.shift ?? '-'}`
    const old = before.get(id)
    before.delete(id)
    const department = old && row.day < today ? old.department : employee.department
    if (old && old.inputHash === row.inputHash && old.state === row.state && old.department === department) return []
    const key = dayRowKey(employee.id, row.day, row.shift, company.dayShards)
    const item = { ...row, employee: employee.id, department, calculatedAt }
    return [old ? table.replace(key, { ...item, version: old.version }) : table.insert(key, item)]
  })
  for (const gone of before.values())
    writes.push(table.remove(dayRowKey(employee.id, gone.day, gone.shift, company.dayShards), gone.version))
  await atOnce(8, writes, write => save(write))
  return writes.length
}

/**
 * `calculateOnce`, again where somebody else was quicker. Nothing is done for an employee who never was. Whoever changes the
 * rules looks at what stands there then, so what was written since is looked at again here.
 */
export const calculateDays = async (common: Common, employeeId: string, from: string, to: string): Promise<number> => {
  const { table } = common
  let { company } = common
  let written = 0
  for (let tries = 1; ; tries++) {
    const employee = await findEmployee(table, employeeId)
    if (!employee) return written
    let refusal: Problem | undefined
    try {
      const count = await calculateOnce({ table, company }, employee, from, to)
      if (count === 0) return written
      written += count
    } catch (error) {
      if (!(error instanceof Problem) || tries === 8) throw error
      refusal = error
    }
    const now = await table.get(companyKey())
    if (!now || (!refusal && rulesChangedFrom(company, now) === undefined)) return written
    company = now
  }
}
