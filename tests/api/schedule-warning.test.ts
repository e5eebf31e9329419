import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { readySets } from '../../shared/attendance/hours/ready.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register, type Signed } from '../kit/client.ts'
import { dayIn, eveningZone, mondayOf } from '../kit/evening.ts'
import { addGate } from '../kit/gate.ts'
import { taskEnd } from '../kit/sheet.ts'

// The schedule board warns about working-time checks before a plan is saved.

const http = client(inject('address'))
const zone = eveningZone()
const today = dayIn(zone)
const day = (ahead: number) => addDays(today, ahead)

let owner: Registered
let boss: Signed
let manager: Signed
let [works, early, late, long]: string[] = []
let [anna, berta]: string[] = []

const checks = {
  dailyMaximum: 600,
  restBetween: 660,
  breakOwed: [{ afterMinutes: 360, breakMinutes: 30 }],
  weeklyAverage: { minutes: 2400, weeks: 1 },
}

/** One row for each person: the shifts of the days from `from` on, by name. */
const planOf = (from: string, ...rows: [employee: string | undefined, cells: (string | undefined | null)[]][]) => {
  const shifts = [early, late, long].map(shift => shift ?? '')
  const cellOf = (cell: string | undefined | null) => (cell ? [shifts.indexOf(cell)] : cell === null ? null : [])
  return { from, shifts, rows: rows.map(([id = '', cells]) => ({ employees: [id], cells: cells.map(cellOf) })) }
}
type Plan = PathCall<'schedule/plan'>['plan']
const warn = (plan: Plan, by: Signed = boss) => http.call('schedule/check', { plan }, by)
const save = async (plan: Plan) => taskEnd(http, boss, await http.call('schedule/plan', { plan }, boss))

beforeAll(async () => {
  owner = await register(http, { timezone: zone })
  boss = { ...owner, headers: { 'x-timezone': zone } }
  works = (await http.call('department/add', { name: 'Works' }, boss)).id
  const add = async (first_name: string, workno: string, department: string) =>
    (await http.call('employee/add', { first_name, last_name: 'X', workno, department }, boss)).id
  anna = await add('Anna', '11', owner.department)
  berta = await add('Berta', '12', works)
  const role = { name: 'Plans', permissions: [7], departments: [works] }
  const { id: roleId } = await http.call('role/add', role, boss)
  const mona = { first_name: 'Mona', last_name: 'M', workno: '20', department: works, role: 2, roleId }
  manager = { ...(await invite(http, boss, mona)), headers: { 'x-timezone': zone } }
  const addShift = async (name: string, form: object) =>
    (await http.call('shift/add', { name, ...form } as PathCall<'shift/add'>, boss)).id
  const breaks = [{ start: '00:00', end: '23:00', durationMinutes: 30, thresholdMinutes: 0 }]
  const restOf = (start: string, end: string) => breaks.map(rest => ({ ...rest, start, end }))
  const at = (punchStart: string, onDuty: string, offDuty: string, punchEnd: string) => ({
    ...{ punchStart, onDuty, offDuty, punchEnd },
  })
  early = await addShift('Early', { ...at('05:00', '06:00', '14:00', '15:00'), breaks: restOf('09:00', '11:00') })
  late = await addShift('Late', { ...at('13:00', '14:00', '22:00', '23:00'), breaks: restOf('17:00', '19:00') })
  long = await addShift('Long', { ...at('05:00', '06:00', '18:00', '19:00'), breaks: [] })
  const { version } = await http.call('attparams/index', {}, boss)
  const set = { ...structuredClone(readySets.plain), checks }
  const { task } = await http.call('attparams/hours/update', { version, set, departments: [owner.department] }, boss)
  if (task) await taskEnd(http, boss, { task })
})

describe('the warnings of a plan', () => {
  test('name person, day, check and minutes, and the plan can still be saved', async () => {
    const plan = planOf(day(7), [anna, [late, early]])
    expect(await warn(plan)).toEqual({
      list: [{ employee: anna, name: 'Anna X', day: day(8), check: 'shortRest', minutes: 180 }],
      count: 1,
    })
    expect(await save(plan)).toMatchObject({ state: 'done', rowCount: 2 })
  })

  test('do not repeat what the schedule already holds, but judge new days beside it', async () => {
    expect(await warn(planOf(day(7), [anna, [late, early]]))).toEqual({ list: [], count: 0 })
    expect((await warn(planOf(day(6), [anna, [late]]))).list).toEqual([])
    expect((await warn(planOf(day(9), [anna, [long]]))).list.map(({ check, minutes }) => [check, minutes])).toEqual([
      ['overDailyMaximum', 120],
      ['breakOwed', 30],
    ])
  })

  test('judge a week with its planned days', async () => {
    const monday = mondayOf(day(28))
    const { list } = await warn(planOf(monday, [anna, Array(14).fill(early)]))
    // Seven shifts of 450 minutes.
    expect(list).toMatchObject([
      { day: addDays(monday, 6), check: 'overWeeklyAverage', minutes: 750 },
      { day: addDays(monday, 13), check: 'overWeeklyAverage', minutes: 750 },
    ])
  })

  test('are none for departments whose set checks nothing', async () => {
    expect(await warn(planOf(day(7), [berta, [late, early, long]]))).toEqual({ list: [], count: 0 })
  })

  test('are refused for people of other departments', async () => {
    expect(await http.ask('schedule/check', { plan: planOf(day(7), [anna, [late, early]]) }, manager)).toMatchObject({
      code: 60004,
      fields: { 'plan.rows.0.employees.0': 60004 },
    })
    expect(await warn(planOf(day(7), [berta, [late]]), manager)).toEqual({ list: [], count: 0 })
  })

  test('leave out days of approved leave', async () => {
    const away = mondayOf(day(20))
    const leave = { leaveType: 3, isAllDay: true, date: away, toDate: away, notes: 'Away' }
    await http.call('leave/add', { ...leave, employees: [anna ?? ''] }, boss)
    expect((await warn(planOf(away, [anna, [late, early]]))).list).toEqual([])
    expect((await warn(planOf(addDays(away, 1), [anna, [late, early]]))).list).toHaveLength(1)
  })

  test('count the rest from the last real clock-out', async () => {
    const workno = '31'
    const person = { first_name: 'Cora', last_name: 'X', workno, department: owner.department }
    const { id } = await http.call('employee/add', person, boss)
    expect(await save(planOf(today, [id, [early]]))).toMatchObject({ state: 'done' })
    const gate = await addGate(http, boss, owner.department)
    await gate.punch(`${workno} ${today} 06:00`, `${workno} ${today} 14:50`)
    gate.close()
    const night = await http.call(
      'shift/add',
      {
        ...{ name: 'Soon', punchStart: '23:00-1', onDuty: '00:30', offDuty: '05:30', punchEnd: '06:00' },
        breaks: [],
      } as unknown as PathCall<'shift/add'>,
      boss,
    )
    const plan = { from: day(1), shifts: [night.id], rows: [{ employees: [id], cells: [[0]] }] }
    // From 14:50 to 00:30 are 580 minutes. The planned end at 14:00 would leave 630.
    await eventually(
      () => warn(plan),
      ({ list }) => expect(list).toMatchObject([{ day: day(1), check: 'shortRest', minutes: 80 }]),
    )
  })

  test('judge drafts on top of drafts', async () => {
    const { version } = await http.call('company/schedule', {}, boss)
    await http.call('company/schedule/update', { version, draftsSchedule: true }, boss)
    const draft = planOf(day(42), [anna, [late]])
    await taskEnd(http, boss, await http.call('schedule/draft/update', { plan: draft }, boss))
    expect((await warn(planOf(day(43), [anna, [early]]))).list).toMatchObject([{ check: 'shortRest', minutes: 180 }])
  })
})
