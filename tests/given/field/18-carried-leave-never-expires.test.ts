import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../../shared/api.ts'
import { client, type Registered, register, strongPassword } from '../../kit/client.ts'
import { dayIn } from '../../kit/evening.ts'

// Field case 18: 5 of 22 days are carried into the next year and end on 31 March. Leave up to that day takes them first.
// The table has past years, whose carried days have ended, and the next year, whose carried days are still to end.

const http = client(inject('address'))
const zone = 'Europe/Berlin'
const thisYear = Number(dayIn(zone).slice(0, 4))
const [last, next] = [thisYear - 1, thisYear + 1]
const vacation = 1

interface Signed {
  id: string
  token: string
}
let company: Registered
let boss: { token: string; headers: Record<string, string> }
let number = 800

type Params = Omit<PathCall<'leave/params/update'>, 'version'>
const setParams = async (params: Params) => {
  const { version } = await http.call('leave/params', {}, boss)
  return http.ask('leave/params/update', { version, ...params }, boss)
}

const rule = { leaveType: vacation, since: last - 1, days: 22, mostCarriedDays: 5, excess: 'refuse' } as const
const ending = { ...rule, carriedUntil: '03-31' }

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  boss = { token: company.token, headers: { 'x-timezone': zone } }
  expect((await setParams({ rules: [ending] })).code).toBe(0)
})

/** A worker who never leaves. No month has a schedule, so each weekday is a usual day of leave. */
const addWorker = async (dates: { hireDay?: string; endDay?: string } = {}): Promise<Signed> => {
  const workno = String(++number)
  const person = { first_name: 'Carla', last_name: workno, workno, department: company.department, ...dates }
  const { id } = await http.call('employee/add', { ...person, password: strongPassword }, boss)
  const { token } = await http.call('personal/login', { code: company.company_num, workno, password: strongPassword }, {})
  return { id, token }
}

const limitOf = async ({ token }: Signed, year: number) => {
  const { balances } = await http.call('personal/report/leave', { year }, { token })
  return balances.find(({ leaveType }) => leaveType === vacation)?.limit
}

/** The first weekdays from a date on. */
const weekdays = (from: string, count: number) => {
  const days: string[] = []
  for (const day = new Date(`${from}T12:00:00Z`); days.length < count; day.setUTCDate(day.getUTCDate() + 1))
    if (day.getUTCDay() % 6 !== 0) days.push(day.toISOString().slice(0, 10))
  return { date: days[0] ?? from, toDate: days.at(-1) ?? from }
}
const leave = (from: string, count: number) => ({ leaveType: vacation, isAllDay: true, ...weekdays(from, count) })
const ask = (worker: Signed, from: string, count: number) =>
  http.ask('personal/request/leave/add', leave(from, count), { token: worker.token })

describe('5 days that are carried into a year until 31 March', () => {
  test('count before that day, with the days that will end', async () => {
    const worker = await addWorker()
    expect(await limitOf(worker, next)).toEqual({
      ...{ excess: 'refuse', ruledDays: 22, entitledDays: 22, carriedDays: 5, leftDays: 27 },
      ...{ carriedUntil: `${next}-03-31`, expiringDays: 5, expiredDays: 0 },
    })
  })

  test('are gone after that day if no leave took them', async () => {
    const worker = await addWorker()
    expect(await limitOf(worker, last)).toMatchObject({
      ...{ carriedDays: 5, leftDays: 22, carriedUntil: `${last}-03-31`, expiringDays: 0, expiredDays: 5 },
    })
  })

  test('are taken first: 3 days of leave in March leave all 22', async () => {
    const worker = await addWorker()
    expect((await ask(worker, `${last}-03-01`, 3)).code).toBe(0)
    expect(await limitOf(worker, last)).toMatchObject({ leftDays: 22, expiredDays: 2 })
    expect((await ask(worker, `${next}-03-01`, 3)).code).toBe(0)
    expect(await limitOf(worker, next)).toMatchObject({ leftDays: 24, expiringDays: 2 })
  })

  test('are not taken by leave in April', async () => {
    const worker = await addWorker()
    await ask(worker, `${last}-04-01`, 3)
    expect(await limitOf(worker, last)).toMatchObject({ leftDays: 19, expiredDays: 5 })
  })

  test('are not carried on into the following year', async () => {
    await setParams({ rules: [{ ...ending, mostCarriedDays: 40 }] })
    const worker = await addWorker()
    expect(await limitOf(worker, next)).toMatchObject({ carriedDays: 22, leftDays: 44 })
    await setParams({ rules: [ending] })
  })
})

test('a request after 31 March is weighed by what is left then, and its preview says so', async () => {
  const worker = await addWorker()
  const preview = (count: number) =>
    http.call('personal/request/leave/preview', leave(`${next}-04-01`, count), { token: worker.token })
  const fits = await preview(22)
  expect(fits.exceeds).toBeUndefined()
  expect(fits.balances).toEqual([
    { year: next, before: 27, after: 5, later: { from: `${next}-04-01`, before: 22, after: 0 } },
  ])
  expect((await preview(23)).exceeds).toBe('refuse')
  expect(await ask(worker, `${next}-04-01`, 23)).toMatchObject({ code: 60084, fields: { leaveType: 60084 } })
  expect((await ask(worker, `${next}-04-01`, 22)).code).toBe(0)
  expect((await ask(worker, `${next}-02-01`, 5)).code).toBe(0)
  expect(await ask(worker, `${next}-03-01`, 1)).toMatchObject({ code: 60084 })
  expect(await limitOf(worker, next)).toMatchObject({ leftDays: 0, expiringDays: 0 })
})

test('a request in January may only take the carried days if April takes all others', async () => {
  const worker = await addWorker()
  expect((await ask(worker, `${next}-04-01`, 22)).code).toBe(0)
  expect((await ask(worker, `${next}-01-04`, 6)).code).toBe(60084)
})

test('the manager reads the same balance in the list and on the person page', async () => {
  const worker = await addWorker()
  const own = await limitOf(worker, next)
  const { balances } = await http.call('leave/balance/get', { employee: worker.id, year: next }, boss)
  expect(balances.find(({ leaveType }) => leaveType === vacation)?.limit).toEqual(own)
  const { list } = await http.call('leave/balance/grid', { filters: { year: next } }, boss)
  const row = list.find(({ employee }) => employee === worker.id)
  expect(row?.balances.find(({ leaveType }) => leaveType === vacation)?.limit).toEqual(own)
})

describe('a leave year from April', () => {
  beforeAll(async () => {
    expect((await setParams({ rules: [rule], yearStart: 4 })).code).toBe(0)
  })

  test('is named by the year it begins in: 31 March is of the year before', async () => {
    const worker = await addWorker()
    const weekday = weekdays(`${next}-03-25`, 1).date
    expect((await ask(worker, weekday, 1)).code).toBe(0)
    expect((await limitOf(worker, thisYear))?.leftDays).toBe(26)
    expect((await limitOf(worker, next))?.carriedDays).toBe(5)
    const { list } = await http.call('personal/report/leave', { year: thisYear }, { token: worker.token })
    expect(list).toMatchObject([{ date: weekday, days: 1 }])
  })

  test('counts the months of a joiner: from 10 September 7 of 12', async () => {
    await setParams({ rules: [{ ...rule, days: 30 }] })
    const worker = await addWorker({ hireDay: `${last}-09-10` })
    expect(await limitOf(worker, last)).toMatchObject({ ruledDays: 17.5, entitledDays: 17.5 })
  })

  test('counts the months of a leaver only by choice of the rule', async () => {
    await setParams({ rules: [{ ...rule, days: 30 }] })
    const worker = await addWorker({ endDay: `${next}-06-30` })
    expect(await limitOf(worker, next)).toMatchObject({ ruledDays: 30 })
    await setParams({ rules: [{ ...rule, days: 30, proRatesLeavers: true }] })
    expect(await limitOf(worker, next)).toMatchObject({ ruledDays: 7.5 })
    const grant = { employee: worker.id, year: next, leaveType: vacation, days: 12, reason: 'Agreed' }
    await http.call('leave/balance/update', grant, boss)
    expect(await limitOf(worker, next)).toMatchObject({ ruledDays: 7.5, entitledDays: 12 })
  })

  test('ends carried days on the first such date of the leave year', async () => {
    await setParams({ rules: [{ ...rule, carriedUntil: '06-30' }] })
    const worker = await addWorker()
    expect(await limitOf(worker, next)).toMatchObject({ carriedUntil: `${next}-06-30` })
    await setParams({ rules: [{ ...rule, carriedUntil: '02-29' }] })
    const end = new Date(Date.UTC(next + 1, 2, 0)).toISOString().slice(0, 10)
    expect(await limitOf(worker, next)).toMatchObject({ carriedUntil: end })
  })

  test('stays if a change of the rules omits it', async () => {
    expect(await http.call('leave/params', {}, boss)).toMatchObject({ yearStart: 4 })
    await setParams({ rules: [rule] })
    expect(await http.call('leave/params', {}, boss)).toMatchObject({ yearStart: 4 })
  })
})

test('a wrong end or a wrong first month is refused with its field', async () => {
  for (const carriedUntil of ['13-01', '04-31', '3-1', '0331'])
    expect(await setParams({ rules: [{ ...rule, carriedUntil }] })).toMatchObject({
      ...{ code: 10002, fields: { 'rules.0.carriedUntil': 10002 } },
    })
  for (const yearStart of [0, 13, 1.5])
    expect((await setParams({ rules: [], yearStart })).fields).toHaveProperty('yearStart')
})
