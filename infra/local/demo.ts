import { addEmployee } from '../../functions/employee/store.ts'
import { hashSecret, newId } from '../../functions/kit/id.ts'
import { directory, openTable, save, type Write } from '../../functions/kit/table.ts'
import { hashPassword } from '../../functions/user/password.ts'
import { accountKey, emailKey } from '../../shared/account.ts'
import { dayNumber } from '../../shared/attendance/calendar.ts'
import { dutyInterval } from '../../shared/attendance/shift.ts'
import { companyKey, companyNumberKey, zoneKey, zonesKey } from '../../shared/company.ts'
import { departmentKey, departmentNameKey } from '../../shared/department.ts'
import { serialNumberKey } from '../../shared/device/claim.ts'
import { deviceKey } from '../../shared/device/key.ts'
import { addDays, daysBetween, localDay } from '../../shared/local-day.ts'
import { migrationKey, newestMigration } from '../../shared/migration.ts'
import { roles } from '../../shared/permissions.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import { roleKey } from '../../shared/role.ts'
import { monthOf, type ScheduleMonth, scheduleKey } from '../../shared/schedule/month.ts'
import { type Shift, shiftKey, shiftNameKey, shiftUseKey, shiftVersionKey } from '../../shared/shift.ts'
import { seeded } from './stack/seeded.ts'

// A demo company with four departments, 24 people and realistic punches. Its schedule covers last month and the next
// two weeks. The normal recalculation calculates the days.

export interface SignIn {
  kind: 'administrator' | 'manager' | 'employee' | 'reports'
  name: string
  email?: string
  /** The company number and the employee ID of a person without an e-mail sign-in. */
  code?: string
  workno?: string
  password: string
}

/** How the console prints a sign-in. */
export const printSignIn = ({ kind, email, code, workno, password }: SignIn): string => {
  const what = {
    administrator: 'administrator',
    manager: 'manager of Production',
    employee: 'employee',
    reports: 'reports only',
  }
  return `${what[kind].padEnd(22)} ${(email ?? `company ${code}, employee ${workno}`).padEnd(32)} password ${password}`
}

const companyNumber = '10000001'
const password = 'Demo#2026'
const serialNumber = 'DEMO0001'
/** The terminal that the stack simulates. Logistics punches there, and it measures body temperatures. */
export const gateSerialNumber = 'DEMO0002'
const daysBehind = 30
/** How far ahead the demo company plans, in days. */
export const daysAhead = 14

export const people = [
  'Ada Brandt',
  'Ben Castillo',
  'Chloe Dimou',
  'Daniel Evans',
  'Elena Fotiou',
  'Felix Grant',
  'Grace Huang',
  'Hugo Ibarra',
  'Iris Jansen',
  'Jonas Keller',
  'Katerina Lagos',
  'Leo Martin',
  'Mei Nakamura',
  'Nikos Orfanos',
  'Olivia Park',
  'Pablo Quiroga',
  'Quentin Reyes',
  'Rosa Santos',
  'Stefan Tanaka',
  'Thea Ulrich',
  'Uma Vasquez',
  'Victor Wang',
  'Wendy Xu',
  'Yannis Zervas',
]

export const departments = ['Demo Works', 'Production', 'Logistics', 'Office'] as const

const shiftDefaults = {
  allowedLateMinutes: 5,
  allowedEarlyMinutes: 5,
  noClockOut: 0 as const,
  earlyInOvertime: { counts: false, afterMinutes: 0 },
  lateOutOvertime: { counts: true, afterMinutes: 15 },
  raisesException: true,
}
const rest = (start: string, end: string, durationMinutes: number) => ({
  start,
  end,
  durationMinutes,
  thresholdMinutes: 240,
})

export const shifts: Omit<Shift, 'id'>[] = [
  {
    ...shiftDefaults,
    name: 'Day',
    color: 'teal',
    onDuty: '09:00',
    offDuty: '18:00',
    punchStart: '07:00',
    punchEnd: '23:00',
    breaks: [rest('12:00', '14:00', 60)],
  },
  {
    ...shiftDefaults,
    name: 'Early',
    color: 'amber',
    onDuty: '06:00',
    offDuty: '14:00',
    punchStart: '04:30',
    punchEnd: '17:00',
    breaks: [rest('09:30', '11:00', 30)],
  },
  {
    ...shiftDefaults,
    name: 'Late',
    color: 'violet',
    onDuty: '14:00',
    offDuty: '22:00',
    punchStart: '12:00',
    punchEnd: '23:59',
    breaks: [rest('17:30', '19:00', 30)],
  },
  {
    ...shiftDefaults,
    name: 'Night',
    color: 'blue',
    onDuty: '22:00',
    offDuty: '06:00+1',
    punchStart: '20:00',
    punchEnd: '10:00+1',
    breaks: [rest('02:00+1', '03:00+1', 30)],
  },
]

/**
 * The shift of a person on a day, by its place in `shifts`. Five days on, two days off, with staggered starts, so that
 * some people work on every weekday. The office works by day. The other departments rotate after their days off, so
 * that everybody rests before the next shift.
 */
export const plannedShift = (person: number, department: number, day: string): number | undefined => {
  const place = dayNumber(day) + person
  if (place % 7 >= 5) return undefined
  return department === 0 || department === 3 ? 0 : 1 + ((person + Math.floor(place / 7)) % 3)
}

const clock = (zone: string, at: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
    .format(at)
    .replace(' ', 'T')

/** The punches of one shift: mostly on time, sometimes late, sometimes forgotten. */
const punchesOf = (random: () => number, [on, off]: readonly [number, number]): number[] => {
  const minute = 60_000
  const chance = random()
  if (chance < 0.025) return []
  const late = random() < 0.1 ? 6 + random() * 40 : -12 + random() * 15
  const leave = random() < 0.06 ? -8 - random() * 60 : random() < 0.15 ? 20 + random() * 70 : random() * 12
  const arrival = on + late * minute
  return chance < 0.05 ? [arrival] : [arrival, off + leave * minute]
}

const saveAll = async (writes: Write[]) => {
  for (let i = 0; i < writes.length; i += 100) await save(...writes.slice(i, i + 100))
}

const signInsOf = (isPlain: boolean): SignIn[] => [
  { kind: 'administrator', name: 'Ada Brandt', email: 'demo@example.com', password },
  { kind: 'manager', name: 'Grace Huang', email: 'grace@example.com', password },
  { kind: 'employee', name: 'Daniel Evans', code: companyNumber, workno: '4', password },
  ...(isPlain ? [] : [{ kind: 'reports' as const, name: 'Iris Jansen', email: 'iris@example.com', password }]),
]

/** The places of the people who sign in, in `people`. */
export const places = { administrator: 0, employee: 3, manager: 6, reports: 8 }

/** The measurements of the terminal at the gate: mostly 36.2–37.0 °C, rarely a fever. */
const measureAt = (random: () => number): Pick<Punch, 'temperature' | 'mask'> => ({
  temperature: random() < 0.01 ? 379 : 362 + Math.floor(random() * 9),
  mask: random() < 0.95,
})

/**
 * Creates the demo company unless it exists, and returns its sign-ins. A plain demo has three sign-ins, one terminal
 * and no further history.
 */
export const demo = async (say: (line: string) => void, { isPlain }: { isPlain: boolean }): Promise<SignIn[]> => {
  const signIns = signInsOf(isPlain)
  if (await directory().get(companyNumberKey(companyNumber))) return signIns
  say('Creating the demo company: 4 departments, 24 people, 4 shifts, a month of schedule and punches …')

  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const now = Date.now()
  const today = localDay(zone, now)
  const company = newId()
  const table = openTable(company)
  const passwordHash = await hashPassword(password)
  const departmentIds = departments.map(() => newId())
  const shiftIds = shifts.map(() => newId())
  const [manager, owner, reports] = [newId(), newId(), newId()]
  const firstDay = addDays(today, -daysBehind)

  await saveAll([
    directory().insert(zoneKey(zone, company), { company }),
    directory().put(zonesKey(zone), { zone }),
    table.insert(companyKey(), {
      id: company,
      name: departments[0],
      company_num: companyNumber,
      timezone: zone,
      dateformat_id: 3,
      timeformat_id: 2,
      timeUnit: [1, 1, 0, 0, 1],
      areStepsHidden: true,
      createdAt: new Date(now - daysBehind * 86_400_000).toISOString(),
    }),
    table.insert(migrationKey(), { number: newestMigration }),
    ...departments.flatMap((name, i) => {
      const id = departmentIds[i] ?? ''
      return [
        table.insert(departmentNameKey(name), { department: id }),
        table.insert(departmentKey(id), {
          id,
          name,
          ...(i === 0 ? { isDefault: true as const } : { parent: departmentIds[0] ?? '' }),
        }),
      ]
    }),
    ...shifts.flatMap((template, i) => {
      const shift = { ...template, id: shiftIds[i] ?? '' }
      return [
        table.insert(shiftKey(shift.id), shift),
        table.insert(shiftNameKey(shift.name), { shift: shift.id }),
        table.insert(shiftVersionKey(shift.id, 1), { ...shift, number: 1, by: owner, at: new Date(now).toISOString() }),
      ]
    }),
    table.insert(roleKey(manager), {
      id: manager,
      name: 'Production manager',
      permissions: [1, 2, 3, 4, 6, 7, 8, 9, 10],
      departments: [departmentIds[1] ?? ''],
      createdAt: new Date(now).toISOString(),
    }),
    ...(isPlain
      ? []
      : [
          table.insert(roleKey(reports), {
            id: reports,
            name: 'Reports',
            notes: 'Reads reports and exceptions of all departments.',
            permissions: [8],
            departments: departmentIds,
            createdAt: new Date(now).toISOString(),
          }),
        ]),
    directory().put(serialNumberKey(serialNumber), { company }),
    table.insert(deviceKey(serialNumber), {
      serialNumber,
      name: 'Main entrance',
      department: departmentIds[0] ?? '',
      voice: 3,
      language: 0,
      authentication: 'claim',
      edition: 1,
      registeredAt: new Date(now).toISOString(),
      claimedAt: new Date(now).toISOString(),
      state: 'bound',
      firstOnlineAt: new Date(now - daysBehind * 86_400_000).toISOString(),
      lastSeenAt: new Date(now).toISOString(),
      uploadedAt: new Date(now).toISOString(),
      generation: 0,
    }),
  ])

  // A fixed seed gives the same punches in every demo. Another seed keeps the punches of both demos equal.
  const random = seeded(2026)
  const measured = seeded(36)
  const writes: Write[] = []
  people.forEach((name, i) => {
    const id = i === 0 ? owner : newId()
    const [first_name = '', last_name = ''] = name.split(' ')
    const workno = String(i + 1)
    const department = i === 0 ? 0 : i === 6 ? 1 : 1 + (i % 3)
    const isAtGate = !isPlain && department === 2
    const isReporter = !isPlain && i === places.reports
    const email = i === 0 ? 'demo@example.com' : `${first_name.toLowerCase()}@example.com`
    const canSignIn = !isPlain || i === 0 || i === 3 || i === 6
    const account = newId()
    writes.push(
      ...addEmployee(table, {
        id,
        first_name,
        last_name,
        workno,
        department: departmentIds[department] ?? '',
        email,
        emailSetBy: owner,
        position: ['Manager', 'Operator', 'Driver', 'Clerk'][department] ?? '',
        hireDay: addDays(firstDay, -30 * (i + 2)),
        role: i === 0 ? roles.administrator : i === 6 || isReporter ? roles.manager : roles.employee,
        ...(i === 6 && { roleId: manager }),
        ...(isReporter && { roleId: reports }),
        ...(canSignIn && { account, passwordSetBy: owner }),
        ...(i === 0 && { isOwner: true as const }),
      }),
    )
    if (canSignIn)
      writes.push(
        directory().insert(accountKey(account), {
          id: account,
          email,
          passwordHash,
          memberships: [{ company, employee: id }],
        }),
        directory().put(emailKey(hashSecret(email)), { account }),
      )

    const months = new Map<string, ScheduleMonth>()
    for (const day of daysBetween(firstDay, addDays(today, daysAhead))) {
      const index = plannedShift(i, department, day) ?? -1
      const shift = shifts[index]
      const shiftId = shiftIds[index] ?? ''
      if (!shift) continue
      const month = months.get(monthOf(day)) ?? { employee: id, month: monthOf(day), days: {} }
      month.days[day] = [shiftId]
      months.set(month.month, month)
      for (const at of punchesOf(random, dutyInterval(zone, day, shift))) {
        if (at > now) continue
        const punch: Punch = {
          number: workno,
          sn: isAtGate ? gateSerialNumber : serialNumber,
          at: new Date(Math.floor(at / 1000) * 1000).toISOString(),
          localTime: clock(zone, at),
          zone,
          source: 'sendlog',
          mode: 8,
          inout: 0,
          ...(isAtGate && measureAt(measured)),
          receivedAt: new Date(at).toISOString(),
          generation: 0,
        }
        writes.push(table.put(punchKey(punch), punch))
      }
    }
    for (const item of months.values()) {
      writes.push(table.insert(scheduleKey(item.month, id), item))
      for (const shift of new Set(Object.values(item.days).flat()))
        writes.push(table.insert(shiftUseKey(shift, item.month, id), { month: item.month, employee: id }))
    }
  })
  await saveAll(writes)
  // Runs last, because this item marks the demo company as complete. After an interrupted start the next start creates
  // the company again.
  await save(directory().insert(companyNumberKey(companyNumber), { company }))
  return signIns
}
