import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Checks } from '../../shared/attendance/check/checks.ts'
import { readySets } from '../../shared/attendance/hours/ready.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, type Registered, register, type Signed } from '../kit/client.ts'
import { dayIn, eveningZone, mondayOf } from '../kit/evening.ts'
import { addGate, type Gate } from '../kit/gate.ts'
import { taskEnd } from '../kit/sheet.ts'

// Working-time checks raise exceptions with minutes on the days of a department whose hour set has them.

const http = client(inject('address'))
const zone = eveningZone()
const today = dayIn(zone)
const monday = addDays(mondayOf(today), -14)
const [sunday, tuesday] = [addDays(monday, -1), addDays(monday, 1)]
const filters = { from: addDays(monday, -7), to: today }

let owner: Registered
let boss: Signed
let gate: Gate
let setId: string | undefined

const checks: Checks = {
  dailyMaximum: 600,
  restBetween: 660,
  breakOwed: [
    { afterMinutes: 360, breakMinutes: 30 },
    { afterMinutes: 540, breakMinutes: 45 },
  ],
  weeklyAverage: { minutes: 1000, weeks: 1 },
}

const punch = (...times: string[]) => gate.punch(...times.map(time => `7 ${time}`))

const list = async (more: object = {}) =>
  (await http.call('exception/grid', { filters: { ...filters, ...more } }, boss)).list
    .map(({ day, type, minutes }) => [day, type, minutes])
    .sort()
const raised = (...expected: [day: string, type: string, minutes: number][]) =>
  eventually(
    () => list({ state: 'open' }),
    found => expect(found).toEqual(expected.sort()),
  )

const setChecks = async (checks: Checks | undefined) => {
  const { version } = await http.call('attparams/index', {}, boss)
  const { checks: _, ...plain } = structuredClone(readySets.plain)
  const set = { ...plain, ...(checks && { checks }) } as typeof readySets.plain
  const form = { version, ...(setId && { id: setId }), set, isCompanySet: true, from: filters.from }
  const { id, task } = await http.call('attparams/hours/update', form, boss)
  setId = id
  if (task) expect(await taskEnd(http, boss, { task })).toMatchObject({ state: 'done' })
}

const ofMonday: [string, string, number][] = [
  [monday, 'overDailyMaximum', 61],
  [monday, 'breakOwed', 45],
]

beforeAll(async () => {
  owner = await register(http, { timezone: zone })
  boss = { ...owner, headers: { 'x-timezone': zone } }
  const person = { first_name: 'Ann', last_name: 'Work', workno: '7', department: owner.department }
  await http.call('employee/add', person, boss)
  gate = await addGate(http, boss, owner.department)
  await setChecks(checks)
})
afterAll(() => gate.close())

describe('a working-time check', () => {
  test('raises an exception with its minutes on the day, and with the week once it is final', async () => {
    await punch(`${monday} 08:00`, `${monday} 19:01`, `${tuesday} 05:00`, `${tuesday} 12:00`)
    await raised(
      ...ofMonday,
      [tuesday, 'shortRest', 61],
      [tuesday, 'breakOwed', 30],
      // 661 + 420 minutes.
      [tuesday, 'overWeeklyAverage', 81],
    )
  })

  test('judges the next day again after a punch of the day before', async () => {
    await punch(`${sunday} 15:00`, `${sunday} 22:00`)
    await raised(
      ...ofMonday,
      [monday, 'shortRest', 60],
      [sunday, 'breakOwed', 30],
      [tuesday, 'shortRest', 61],
      [tuesday, 'breakOwed', 30],
      [tuesday, 'overWeeklyAverage', 81],
    )
  })

  test('is found by its type, explained on its day, and reviewed like other exceptions', async () => {
    expect(await list({ type: 'shortRest', state: 'open' })).toEqual([
      [monday, 'shortRest', 60],
      [tuesday, 'shortRest', 61],
    ])
    const { list: found } = await http.call('exception/grid', { filters: { ...filters, type: 'shortRest' } }, boss)
    const [first] = found
    if (!first) throw new Error('No exception')
    const { employee, day, shift, type, minutes } = first
    const exceptions = [{ employee, day, shift, type, minutes }]
    expect(await http.ask('exception/fix', { exceptions, action: 'proposed', reason: 'No' }, boss)).toMatchObject({
      code: 10002,
    })
    const { list: rows } = await http.call('report/day', { employee, day }, boss)
    expect(rows).toMatchObject([{ checkMinutes: { shortRest: minutes } }])
    await http.call('exception/accept', { exceptions, note: 'Agreed' }, boss)
    expect(await list({ type: 'shortRest', state: 'open' })).toHaveLength(1)
    expect(await list({ type: 'shortRest', state: 'accepted' })).toHaveLength(1)
    expect((await http.call('report/close/check', filters, boss)).exceptions).toMatchObject({ minutes: 0 })
  })

  test('is settled when the day no longer raises it, and stays on locked days', async () => {
    await http.call('report/lock/update', { lockedTo: monday }, boss)
    await setChecks(undefined)
    await eventually(
      () => list({ state: 'settled' }),
      found =>
        expect(found).toEqual(
          [
            [tuesday, 'breakOwed', 30],
            [tuesday, 'overWeeklyAverage', 81],
            [tuesday, 'shortRest', 61],
          ].sort(),
        ),
    )
    expect(await list({ state: 'open', type: 'overDailyMaximum' })).toEqual([[monday, 'overDailyMaximum', 61]])
  })
})
