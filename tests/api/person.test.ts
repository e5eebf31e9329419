import { beforeAll, describe, expect, inject, test } from 'vitest'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, invite, type Person, register, type Signed } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'

// The head of a person's page. It is between 20:00 and 21:00 in the company’s zone.

const http = client(inject('address'))
const zone = eveningZone()
const today = dayIn(zone)
const yesterday = addDays(today, -1)
const headers = { 'x-timezone': zone }
const missing = { code: 60004, fields: { id: 60004 } }

let boss: Signed

/** Managers of the workshop by their only permission. */
const managers = new Map<number, Signed>()
const ids: Record<string, string> = {}

const get = (id: string | undefined, by: Signed = boss) => http.call('employee/get', { id: id ?? '' }, by)
const ask = (id: string | undefined, by: Signed = boss) => http.ask('employee/get', { id: id ?? '' }, by)

beforeAll(async () => {
  const company = await register(http, { timezone: zone })
  boss = { token: company.token, headers }
  const works = (await http.call('department/add', { name: 'Workshop' }, boss)).id
  const desk = (await http.call('department/add', { name: 'Office' }, boss)).id

  const add = async (workno: string, department: string, more: object = {}) => {
    const person = { first_name: 'E', last_name: workno, workno, department, ...more }
    ids[workno] = (await http.call('employee/add', person, boss)).id
  }
  await add('11', works, { position: 'Welder', email: 'e11@example.com', hireDay: addDays(today, -400) })
  await add('12', works)
  await add('13', works, { hireDay: addDays(today, -400), endDay: yesterday })
  await add('14', works)
  await add('21', desk)
  await add('22', desk, { departments: [works] })
  for (const number of [3, 7, 8, 9, 10]) {
    const role = { name: `Role ${number}`, permissions: [number], departments: [works] }
    const { id: roleId } = await http.call('role/add', role as never, boss)
    const person = {
      first_name: 'M',
      last_name: String(number),
      workno: `9${number}`,
      department: desk,
      role: 2,
      roleId,
    }
    const { token } = await invite(http, boss, person as Person)
    managers.set(number, { token, headers })
  }
  const correct = (workno: string, date: string, time: string) =>
    http.call('record/add', { employee: ids[workno] ?? '', date, time, reason: 'Terminal was off' }, boss)
  await correct('11', today, '09:00')
  await correct('12', today, '09:00')
  await correct('12', today, '17:00')
})

describe('the page of a person opens', () => {
  test.each([3, 8, 9, 10])('with permission %i for people of managed departments only', async number => {
    const manager = managers.get(number)
    for (const workno of ['11', '22']) expect((await get(ids[workno], manager)).workno).toBe(workno)
    expect(await ask(ids['21'], manager)).toMatchObject(missing)
    expect(await ask('0'.repeat(16), manager)).toMatchObject(missing)
  })

  test('not with the schedule permission alone', async () => {
    expect(await ask(ids['11'], managers.get(7))).toMatchObject({ code: 60005 })
  })

  test('not for a person of another company', async () => {
    const other = await register(http, { timezone: zone })
    expect(await ask(ids['11'], { token: other.token, headers })).toMatchObject(missing)
  })
})

test('contact data comes only with permission 3, and the totals of the month only with permission 8', async () => {
  const byNumber = new Map<number, Awaited<ReturnType<typeof get>>>()
  for (const number of [3, 8, 9, 10]) byNumber.set(number, await get(ids['11'], managers.get(number)))
  expect(byNumber.get(3)?.record).toMatchObject({ id: ids['11'], email: 'e11@example.com', version: 1 })
  for (const number of [8, 9, 10]) {
    expect(JSON.stringify(byNumber.get(number))).not.toContain('e11@example.com')
    expect(byNumber.get(number)).toMatchObject({ position: 'Welder', hireDay: addDays(today, -400) })
  }
  for (const number of [3, 9, 10]) expect(byNumber.get(number)).not.toHaveProperty('month')
  // The first day of a month has no day before it.
  const isFirst = today.endsWith('-01')
  expect('month' in (byNumber.get(8) ?? {})).toBe(!isFirst)
})

test('the state now is the one of the dashboard', async () => {
  await eventually(
    async () => [(await get(ids['11'])).now?.state, (await get(ids['12'])).now?.state],
    states => expect(states).toEqual(['in', 'finished']),
  )
  for (const [workno, list] of [['11', 'in'] as const, ['12', 'finished'] as const]) {
    const { now } = await get(ids[workno])
    const rows = (await http.call('dashboard/now', { filters: { list } }, boss)).list
    expect(rows.find(row => row.workno === workno)).toEqual(now)
  }
  expect(await get(ids['14'])).not.toHaveProperty('now')
})

test('a person on leave for the whole day shows as on leave, and the type only to those who may see it', async () => {
  const times = { onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '19:30', breaks: [] }
  const { id: shift } = await http.call('shift/add', { name: 'Day', ...times }, boss)
  await http.call('schedule/add', { employees: [ids['14'] ?? ''], days: [today], shift }, boss)
  await http.call('leave/add', { employees: [ids['14'] ?? ''], leaveType: 3, date: today, isAllDay: true }, boss)
  await eventually(
    async () => (await get(ids['14'])).now,
    now => expect(now).toMatchObject({ state: 'leave', leaveType: 3 }),
  )
  const { now } = await get(ids['14'], managers.get(9))
  expect(now?.state).toBe('leave')
  expect(now).not.toHaveProperty('leaveType')
})

test('the page says whether a person ever punched, also under an earlier employee ID', async () => {
  expect((await get(ids['11'])).hasPunched).toBe(true)
  expect((await get(ids['22'])).hasPunched).toBe(false)
  const { record } = await get(ids['12'])
  const { first_name = '', last_name = '', department = '', version = 0 } = record ?? {}
  const form = { id: ids['12'] ?? '', version, first_name, last_name, department, workno: '1200' }
  await http.call('employee/update', form, boss)
  expect(await get(ids['12'])).toMatchObject({ workno: '1200', hasPunched: true })
})

test('a former person is marked, and a deleted one shows no contact data', async () => {
  expect(await get(ids['13'])).toMatchObject({ isFormer: true, record: { workno: '13' } })
  await http.call('employee/delete', { id: ids['13'] ?? '' }, boss)
  const deleted = await get(ids['13'])
  expect(deleted).toMatchObject({ isFormer: true, isDeleted: true, workno: '13' })
  expect(deleted).not.toHaveProperty('record')
  expect(deleted).not.toHaveProperty('hireDay')
  expect((await get(ids['13'], managers.get(8))).isDeleted).toBe(true)
  // The employee list does not name deleted people either.
  expect(await ask(ids['13'], managers.get(3))).toMatchObject(missing)
})

test('the balance of the month counts worked time and leave against the scheduled time up to yesterday', async () => {
  const { month } = await get(ids['11'])
  if (!month) return expect(today).toMatch(/-01$/)
  expect(month.to).toBe(yesterday)
  expect(month.from).toBe(`${today.slice(0, 7)}-01`)
  const {
    dutyMinutes = 0,
    workMinutes = 0,
    unscheduledMinutes = 0,
    overtimeMinutes = 0,
    leaveMinutes = 0,
  } = month.amounts
  const sum = workMinutes + unscheduledMinutes + overtimeMinutes + leaveMinutes - dutyMinutes
  expect(month.balance).toBeCloseTo(sum, 2)
})
