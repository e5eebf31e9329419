import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hashSecret, newSecret } from '../../functions/kit/id.ts'
import type { PathCall, PathOutput } from '../../shared/api.ts'
import { leaveSlackDays } from '../../shared/leave/day.ts'
import { leaveBookKey } from '../../shared/leave.ts'
import { monthOf, scheduleKey } from '../../shared/schedule/month.ts'
import { sessionKey } from '../../shared/session.ts'
import { client, eventually, invite, type Registered, register, type Signed, strongPassword } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import {
  type Case,
  cases,
  daysAround,
  holidays,
  plannedOn,
  plans,
  rules,
  shifts,
  stateOf,
  zone,
} from '../kit/leave-balance.ts'
import { openSocket } from '../kit/socket.ts'
import { openTable } from '../kit/table.ts'
import { isShort } from '../kit/tier.ts'

// Leave balances: requested, approved and read through the API, and compared with a table counted by hand.

const open = openTable(inject('endpoint'))
const http = client(inject('address'))

afterAll(() => open.close())

/** Adds an employee who is signed in on the employee side. */
const join = async (
  { company_num }: Registered,
  boss: Signed,
  person: Omit<PathCall<'employee/add'>, 'password'>,
): Promise<{ id: string; signed: { token: string } }> => {
  const { id } = await http.call('employee/add', { ...person, password: strongPassword }, boss)
  const { workno } = person
  const { token } = await http.call('personal/login', { code: company_num, workno, password: strongPassword }, {})
  return { id, signed: { token } }
}

const setRules = async (boss: Signed, newRules: PathCall<'leave/params/update'>['rules']) => {
  const { version } = await http.call('leave/params', {}, boss)
  await http.call('leave/params/update', { version, rules: newRules }, boss)
}

const played = isShort ? cases.filter((_, i) => i % 3 === 0) : cases

describe('the table counted by hand', () => {
  let company: Registered
  let boss: Signed
  let other: Signed
  const shiftIds = new Map<string, string>()
  const departments = new Map<string, string>()
  /** The answers for each employee and year. */
  const answers: ({ id: string; year: number } & PathOutput<'personal/report/leave'>)[] = []

  beforeAll(async () => {
    company = await register(http, { timezone: zone })
    boss = { token: company.token }
    // Administrators cannot decide their own requests, so a second administrator decides.
    other = await invite(http, boss, {
      first_name: 'Ada',
      last_name: 'A',
      workno: '9',
      department: company.department,
      role: 1,
    })
    await setRules(boss, rules)
    for (const plan of plans.keys())
      departments.set(plan, (await http.call('department/add', { name: plan, parent: company.department }, boss)).id)
    for (const { day, plan } of holidays) {
      const department = departments.get(plan)
      const free = { name: `Free ${day}`, from: day, to: day, ...(department && { departments: [department] }) }
      await http.call('holiday/add', free, boss)
    }
    for (const { name, onDuty, offDuty, breaks, targetMinutes } of shifts) {
      const earlier = `${String((Number(onDuty.slice(0, 2)) + 23) % 24).padStart(2, '0')}:59`
      const later = offDuty.replace(':00', ':01')
      const form: PathCall<'shift/add'> = targetMinutes
        ? {
            name,
            kind: 'weekly',
            weekly: { targetMinutes, breakMinutes: 60, breakThresholdMinutes: 360, overtimeCounts: true },
          }
        : { name, onDuty, offDuty, punchStart: earlier, punchEnd: later, breaks }
      shiftIds.set(name, (await http.call('shift/add', form, boss)).id)
    }
  })

  /** Creates a session directly, because fifty password logins would take too long. */
  const signIn = async (employee: string): Promise<Signed> => {
    const token = newSecret()
    const startedAt = new Date().toISOString()
    const session = { company: company.company, employee, account: 'a'.repeat(16), type: 'user' as const }
    const expiresAt = Math.floor(Date.now() / 1000) + 3600
    await open.set(sessionKey(hashSecret(token)), { ...session, startedAt, seenAt: startedAt, expiresAt })
    return { token }
  }

  /** Plans the shifts of an employee and sends the requests in order. */
  const live = async (testCase: Case, workno: number) => {
    const { name, plan, hireDay, own, asked } = testCase
    const department = departments.get(plan) ?? ''
    const person = {
      first_name: name,
      last_name: plan,
      workno: String(workno),
      department,
      ...(hireDay && { hireDay }),
    }
    const { id } = await http.call('employee/add', { ...person, role: 3 }, boss)
    const signed = await signIn(id)
    const days = daysAround(testCase, leaveSlackDays).map(
      day => [day, plannedOn(plan, day).map(of => shiftIds.get(of) ?? '')] as const,
    )
    for (const [month, held] of Map.groupBy(
      days.filter(([, of]) => of.length > 0),
      ([day]) => monthOf(day),
    ))
      await open.set(
        scheduleKey(month, id),
        // The task mark leaves these days to a task, so the job does not calculate them.
        { employee: id, month, days: Object.fromEntries(held), task: 't'.repeat(16), version: 1 } as never,
        company.company,
      )
    let version: number | undefined
    for (const { leaveType, year, ...grant } of own) {
      const form = { employee: id, year, leaveType, ...grant, reason: 'Agreed', ...(version && { version }) }
      version = (await http.call('leave/balance/update', form, boss)).version
    }
    for (const { outcome, leaveType, date, toDate, from, to } of asked) {
      const form = { leaveType, date, toDate, isAllDay: from === undefined, ...(from && to && { from, to }) }
      const answer = await http.ask('personal/request/leave/add', form, signed)
      const status = stateOf[outcome]
      if (status === undefined) {
        const [code, field] = outcome === '!' ? ([60084, 'leaveType'] as const) : ([60085, 'date'] as const)
        expect(answer).toMatchObject({ code, fields: { [field]: code } })
        continue
      }
      expect(answer.code, JSON.stringify(answer)).toBe(0)
      const request = { employee: id, id: answer.data.id }
      if (status === 3) await http.call('personal/request/cancel', { id: request.id }, signed)
      else if (status > 0) await http.call('approve/update', { requests: [request], status: status as 1 | 2 }, other)
    }
    return { id, signed }
  }

  test.each(played.map((testCase, i) => [testCase.name, testCase, 100 + i] as const))(
    '%s',
    async (_, testCase, workno) => {
      const { id, signed } = await live(testCase, workno)
      for (const { leaveType, year, figures, isEstimated } of testCase.expected) {
        const own = await http.call('personal/report/leave', { year }, signed)
        const balance = own.balances.find(of => of.leaveType === leaveType)
        const { entitledDays, carriedDays, leftDays } = balance?.limit ?? {}
        const { usedDays, plannedDays } = balance ?? {}
        expect({ usedDays, plannedDays, ...(balance?.limit && { entitledDays, carriedDays, leftDays }) }).toEqual(
          figures,
        )
        expect(balance?.isEstimated ?? false).toBe(isEstimated)
        const counted = own.list.filter(of => of.leaveType === leaveType).reduce((sum, { days }) => sum + days, 0)
        expect(counted).toBeCloseTo(figures.usedDays + figures.plannedDays, 9)
        answers.push({ id, year, ...own })
      }
    },
  )

  test('the list and the details show the same balances', async () => {
    expect(new Set(answers.map(({ id }) => id)).size).toBe(played.length)
    for (const [year, people] of Map.groupBy(answers, answer => answer.year)) {
      const { list } = await http.call('leave/balance/grid', { filters: { year }, size: 200 }, boss)
      const balancesOf = new Map(list.map(({ employee, balances }) => [employee, balances]))
      for (const { id, balances } of people) expect(balancesOf.get(id)).toEqual(balances)
      const [first] = people
      if (!first) continue
      const { balances, list: leaves } = await http.call('leave/balance/get', { employee: first.id, year }, boss)
      expect({ balances, list: leaves }).toEqual({ balances: first.balances, list: first.list })
    }
  })
})

describe('leave permissions', () => {
  let company: Registered
  let boss: Signed
  let manager: Signed
  let self: string
  let nia: { id: string; signed: { token: string } }
  let solId: string
  let north: string

  beforeAll(async () => {
    company = await register(http, {})
    boss = { token: company.token }
    north = (await http.call('department/add', { name: 'North', parent: company.department }, boss)).id
    const { id: roleId } = await http.call('role/add', { name: 'North', permissions: [10], departments: [north] }, boss)
    const mona = { first_name: 'Mona', last_name: 'M', workno: '300', department: north, role: 2, roleId }
    manager = await invite(http, boss, mona)
    nia = await join(company, boss, { first_name: 'Nia', last_name: 'N', workno: '301', department: north })
    const south = { first_name: 'Sol', last_name: 'S', workno: '302', department: company.department }
    solId = (await http.call('employee/add', south, boss)).id
    await setRules(boss, [{ leaveType: 1, since: 2024, days: 20, mostCarriedDays: 0, excess: 'refuse' }])
    const { list } = await http.call('leave/balance/grid', { filters: { year: 2025 } }, manager)
    self = list.find(({ workno }) => workno === '300')?.employee ?? ''
  })

  test('only an administrator changes the rules, once per type and year, against the current version', async () => {
    const { version, rules: now, types } = await http.call('leave/params', {}, manager)
    expect(types).toHaveLength(10)
    expect(now).toEqual([{ leaveType: 1, since: 2024, days: 20, mostCarriedDays: 0, excess: 'refuse' }])
    const rule = { leaveType: 3, since: 2025, days: 1, mostCarriedDays: 0, excess: 'warn' } as const
    expect(await http.ask('leave/params/update', { version, rules: [rule] }, manager)).toMatchObject({ code: 60005 })
    const twice = await http.ask('leave/params/update', { version, rules: [rule, { ...rule, days: 2 }] }, boss)
    expect(twice).toMatchObject({ code: 10002, fields: { 'rules.1.since': 10002 } })
    const third = await http.ask('leave/params/update', { version, rules: [{ ...rule, days: 1.3 }] }, boss)
    expect(third).toMatchObject({ code: 10002, fields: { 'rules.0.days': 10002 } })
    expect(await http.ask('leave/params/update', { version: version + 7, rules: [] }, boss)).toMatchObject({
      code: 60006,
    })
    expect((await http.call('leave/params', {}, boss)).rules).toEqual(now)
  })

  test('a manager sees and grants leave within their departments, but not to themselves', async () => {
    const { list } = await http.call('leave/balance/grid', { filters: { year: 2025 } }, manager)
    expect(list.map(({ workno }) => workno).sort()).toEqual(['300', '301'])
    const missing = { code: 60004, fields: { employee: 60004 } }
    expect(await http.ask('leave/balance/get', { employee: solId, year: 2025 }, manager)).toMatchObject(missing)
    const grant = { year: 2025, leaveType: 1, days: 30, reason: 'Long service' }
    expect(await http.ask('leave/balance/update', { employee: solId, ...grant }, manager)).toMatchObject(missing)
    const own = await http.ask('leave/balance/update', { employee: self, ...grant }, manager)
    expect(own).toMatchObject({ code: 60005, fields: { employee: 60005 } })
    const { version } = await http.call('leave/balance/update', { employee: nia.id, ...grant }, manager)
    expect(version).toBe(1)
    const shown = await http.call('leave/balance/get', { employee: nia.id, year: 2025 }, manager)
    expect(shown).toMatchObject({ version: 1, workno: '301' })
    expect(shown.balances.find(({ leaveType }) => leaveType === 1)?.limit).toEqual({
      ...{ excess: 'refuse', ruledDays: 20, entitledDays: 30, carriedDays: 0, leftDays: 30 },
      own: { days: 30, reason: 'Long service' },
    })
  })

  test('a grant needs the current version and a limited type, and the audit log records it', async () => {
    const grant = { employee: nia.id, year: 2025, leaveType: 1, days: 31, reason: 'Again' }
    expect(await http.ask('leave/balance/update', grant, manager)).toMatchObject({ code: 60006 })
    expect(await http.ask('leave/balance/update', { ...grant, version: 9 }, manager)).toMatchObject({ code: 60006 })
    const other = { ...grant, version: 1 }
    for (const none of [{ leaveType: 2 }, { year: 2023 }])
      expect(await http.ask('leave/balance/update', { ...other, ...none }, manager)).toMatchObject({
        ...{ code: 60004, fields: { leaveType: 60004 } },
      })
    await http.call('leave/balance/update', { ...other, days: undefined, adjustedDays: -2 }, manager)
    const { balances } = await http.call('leave/balance/get', { employee: nia.id, year: 2025 }, manager)
    expect(balances.find(({ leaveType }) => leaveType === 1)?.limit).toMatchObject({
      ...{ ruledDays: 20, entitledDays: 18, own: { adjustedDays: -2, reason: 'Again' } },
    })
    const { list } = await http.call('audit/grid', { filters: { noun: 'leave' } }, boss)
    expect(list.map(({ changes }) => changes)).toEqual([
      [
        expect.objectContaining({
          ...{ noun: 'leave', id: nia.id, change: 'changed' },
          fields: {
            '2025#1': { before: { days: 30, reason: 'Long service' }, after: { adjustedDays: -2, reason: 'Again' } },
          },
        }),
      ],
      [
        expect.objectContaining({
          fields: { '2025#1': { after: { days: 30, reason: 'Long service' } } },
          change: 'added',
        }),
      ],
    ])
  })

  test('a disabled leave type and a deleted employee disappear', async () => {
    const { version } = await http.call('company/get', {}, boss)
    const { timezone, dateformat_id, timeformat_id, splitTime, firstWeekday } = await http.call('company/get', {}, boss)
    const time = {
      version,
      timezone,
      dateformat_id,
      timeformat_id,
      splitTime,
      firstWeekday,
    } as PathCall<'company/time/update'>
    await http.call('company/time/update', { ...time, leaveTypes: [{ id: 9, isOn: false, isPaid: true }] }, boss)
    const { balances } = await http.call('leave/balance/get', { employee: nia.id, year: 2025 }, manager)
    expect(balances.map(({ leaveType }) => leaveType)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 10])
    const grant = { employee: solId, year: 2025, leaveType: 1, days: 22, reason: 'Agreed' }
    await http.call('leave/balance/update', grant, boss)
    expect(await open.look(leaveBookKey(solId), company.company)).toBeDefined()
    await http.call('employee/delete', { id: solId }, boss)
    expect(await open.look(leaveBookKey(solId), company.company)).toBeUndefined()
    const gone = await http.ask('leave/balance/get', { employee: solId, year: 2025 }, boss)
    expect(gone).toMatchObject({ code: 60004, fields: { employee: 60004 } })
  })
})

test('the overtime report shows how much overtime a request allowed', async () => {
  const zone = eveningZone()
  const day = dayIn(zone)
  const company = await register(http, { timezone: zone })
  const boss = { token: company.token, headers: { 'x-timezone': zone } }
  const { id, signed } = await join(company, boss, {
    first_name: 'O',
    last_name: 'T',
    workno: '7',
    department: company.department,
  })
  const form = { name: 'Early', onDuty: '05:00', offDuty: '08:00', punchStart: '04:00', punchEnd: '12:00', breaks: [] }
  const overtime = {
    lateOutOvertime: { counts: true, afterMinutes: 30 },
    earlyInOvertime: { counts: true, afterMinutes: 0 },
  }
  const shift = (await http.call('shift/add', { ...form, ...overtime }, boss)).id
  await http.call('schedule/add', { employees: [id], days: [day], shift }, boss)
  const request = await http.call('personal/request/overtime/add', { date: day, from: '08:00', to: '08:20' }, signed)
  await http.call('approve/update', { requests: [{ employee: id, id: request.id }], status: 1 }, boss)
  const serialNumber = `L${Math.random().toString(36).slice(2, 10)}`.toUpperCase()
  const device = { serialNumber, name: 'Gate', department: company.department }
  const terminal = await openSocket(http.address, { path: (await http.call('device/add', device, boss)).serverPath })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  const record = ['04:50:00', '08:30:00'].map(time => ({
    enrollid: 7,
    time: `${day} ${time}`,
    mode: 8,
    inout: 0,
    event: 0,
  }))
  terminal.say({ cmd: 'sendlog', count: record.length, logindex: 1, record })
  // Half an hour after the shift is too short to count as overtime. But the request covers 20 minutes of it.
  await eventually(
    () => http.call('personal/report/overtime', { from: day, to: day }, signed),
    ({ list, total, requests }) => {
      expect(list).toMatchObject([{ day, shift: 'Early', overtimeMinutes: 30, requestedOvertimeMinutes: 20 }])
      expect(total).toEqual({ overtimeMinutes: 30, requestedOvertimeMinutes: 20 })
      expect(requests).toMatchObject([{ id: request.id, status: 1, date: day, timezone: zone }])
    },
  )
  const before = { from: '2024-01-01', to: '2024-01-31' }
  expect(await http.call('personal/report/overtime', before, signed)).toMatchObject({ list: [], requests: [] })
  const backwards = await http.ask('personal/report/overtime', { from: day, to: '2024-01-01' }, signed)
  expect(backwards).toMatchObject({ code: 10002, fields: { to: 10002 } })
})
