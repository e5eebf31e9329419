import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall, PathOutput } from '../../shared/api.ts'
import { addFigures, figureNames, noFigures } from '../../shared/figure.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { taskEnd } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'

const http = client(inject('address'))
const zone = eveningZone()
const today = dayIn(zone)
const signed = { token: '', headers: { 'x-timezone': zone } }
let mine: Registered

type Form = PathCall<'shift/add'>
const times = { onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '19:30' }
const weekly = { targetMinutes: 2400, breakMinutes: 60, breakThresholdMinutes: 360, overtimeCounts: true }
const add = async (form: Form) => (await http.call('shift/add', form, signed)).id
const read = async (id: string) => {
  const found = (await http.call('shift/grid', { size: 200 }, signed)).list.find(shift => shift.id === id)
  if (!found) throw new Error('No such shift')
  return found
}
/** What a shift's form sends back of what it was given. */
const formOf = ({ isUsed: _, ...shift }: Awaited<ReturnType<typeof read>>) => shift

beforeAll(async () => {
  mine = await register(http, { timezone: zone })
  signed.token = mine.token
})

describe('a weekly-flexible shift', () => {
  test('asks for its week and for no clock times, and a fixed one the other way round', async () => {
    expect(await http.ask('shift/add', { name: 'No clock' }, signed)).toMatchObject({
      code: 10002,
      fields: { onDuty: 60001, offDuty: 60001, punchStart: 60001, punchEnd: 60001 },
    })
    expect(await http.ask('shift/add', { name: 'No week', kind: 'weekly' }, signed)).toMatchObject({
      code: 10002,
      fields: { weekly: 60001 },
    })
    const none = { ...weekly, targetMinutes: 0 }
    expect(await http.ask('shift/add', { name: 'No target', kind: 'weekly', weekly: none }, signed)).toMatchObject({
      fields: { 'weekly.targetMinutes': 10002 },
    })
    const id = await add({ name: 'Flexible', kind: 'weekly', weekly, ...times, allowedLateMinutes: 30 })
    expect(await read(id)).toMatchObject({ kind: 'weekly', weekly, onDuty: '00:00', allowedLateMinutes: 0 })
    const day = await add({ name: 'Fixed', ...times, weekly })
    expect(await read(day)).not.toHaveProperty('weekly')
    const { list } = await http.call('shift/all', {}, signed)
    expect(list.find(shift => shift.id === id)).toMatchObject({ kind: 'weekly' })
    expect(list.find(shift => shift.id === day)).toMatchObject({ kind: 'fixed', ...times })
  })

  test('has a day’s share of duty, and its week on the row of the last day it is scheduled', async () => {
    const person = { first_name: 'W', last_name: 'W', workno: '900', department: mine.department }
    const { id: employee } = await http.call('employee/add', person, signed)
    const shift = await add({ name: 'By the week', kind: 'weekly', weekly })
    await http.call('schedule/add', { employees: [employee], days: [today], shift }, signed)
    const filters = { from: today, to: today, employee }
    await eventually(
      () => http.call('report/grid', { filters }, signed),
      ({ list }) =>
        expect(list).toMatchObject([
          { day: today, dutyMinutes: 2400, week: { settled: false, targetMinutes: 2400, shortfallMinutes: 0 } },
        ]),
    )
  })
})

describe('a shift’s name', () => {
  test('is given once, in whatever letters, and is free again when its shift has another or is gone', async () => {
    const taken = { code: 60060, fields: { name: 60060 } }
    const id = await add({ name: 'Früh  Dienst', ...times })
    expect(await http.ask('shift/add', { name: 'FRUH dienst', ...times }, signed)).toMatchObject(taken)
    const late = await add({ name: 'Spät', ...times })
    expect(await http.ask('shift/update', { ...formOf(await read(late)), name: 'früh dienst' }, signed)).toMatchObject(
      taken,
    )
    await http.call('shift/update', { ...formOf(await read(id)), name: 'Morgen' }, signed)
    await http.call('shift/update', { ...formOf(await read(late)), name: 'Fruh dienst' }, signed)
    await http.call('shift/delete', { id: late }, signed)
    await add({ name: 'Früh Dienst', ...times })
  })

  test('asked for by many at once is one’s', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => http.ask('shift/add', { name: 'At once', ...times }, signed)),
    )
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 60060, 60060, 60060, 60060, 60060])
  })
})

test('every version of a shift says what it was, since when, and who made it so', async () => {
  const id = await add({ name: 'Version', ...times })
  await http.call('shift/update', { ...formOf(await read(id)), name: 'Version 2', allowedLateMinutes: 5 }, signed)
  await http.call('shift/update', { ...formOf(await read(id)), offDuty: '17:00' }, signed)
  const { list } = await http.call('shift/version/grid', { filters: { id } }, signed)
  expect(
    list.map(({ version, name, allowedLateMinutes, offDuty, by }) => [version, name, allowedLateMinutes, offDuty, by]),
  ).toEqual([
    [3, 'Version 2', 5, '17:00', 'Olga Owner'],
    [2, 'Version 2', 5, '18:00', 'Olga Owner'],
    [1, 'Version', 0, '18:00', 'Olga Owner'],
  ])
  expect(
    list
      .map(({ at }) => at)
      .sort()
      .reverse(),
  ).toEqual(list.map(({ at }) => at))
  const first = await http.call('shift/version/grid', { filters: { id }, size: 2 }, signed)
  const second = await http.call('shift/version/grid', { filters: { id }, size: 2, page: first.next }, signed)
  expect([...first.list, ...second.list]).toEqual(list)
  expect(await http.call('shift/version/grid', { filters: { id: '0'.repeat(16) } }, signed)).toMatchObject({ list: [] })
})

test('a form names all that is missing, of what its kind is asked', async () => {
  const missing = { onDuty: 60001, offDuty: 60001, punchStart: 60001, punchEnd: 60001 }
  expect(await http.ask('shift/add', {} as never, signed)).toMatchObject({
    code: 10002,
    fields: { name: 60001, ...missing },
  })
  const wrong = { name: 'Wrong', onDuty: 'noon', color: 'none', offDuty: '18:00' }
  expect((await http.ask('shift/add', wrong as never, signed)).fields).toEqual({
    ...{ color: 10002, onDuty: 10002, punchStart: 60001, punchEnd: 60001 },
  })
  expect((await http.ask('shift/add', { kind: 'weekly' } as never, signed)).fields).toEqual({
    ...{ name: 60001, weekly: 60001 },
  })
  expect((await http.ask('shift/add', 7 as never, signed)).code).toBe(10002)
})

test('who saved a version is named to those who may see the person', async () => {
  const works = (await http.call('department/add', { name: 'Elsewhere' }, signed)).id
  const id = await add({ name: 'Seen', ...times })
  const by = async (permissions: number[], departments: string[], workno: string) => {
    const { id: roleId } = await http.call('role/add', { name: `Role ${workno}`, permissions, departments }, signed)
    const form = { first_name: 'M', last_name: workno, workno, department: works, role: 2 as const, roleId }
    const manager = await invite(http, mine, form)
    return (await http.call('shift/version/grid', { filters: { id } }, manager)).list.map(({ by }) => by)
  }
  expect(await by([6], [works], '951')).toEqual([undefined])
  expect(await by([6], [works, mine.department], '952')).toEqual(['Olga Owner'])
})

describe('an edit', () => {
  test('is followed by a task also where nobody has the shift yet: somebody may be given it at that moment', async () => {
    const unused = await add({ name: 'Unused', ...times })
    const edit = async (changes: object) =>
      (await http.call('shift/update', { ...formOf(await read(unused)), ...changes }, signed)).task
    const task = await edit({ allowedLateMinutes: 7 })
    expect(await taskEnd(http, signed, { task: task ?? '' })).toMatchObject({ recalculated: { employees: 0, rows: 0 } })
    expect(await edit({ name: 'Unused still' })).toBeUndefined()
  })

  const people: string[] = []
  let id: string
  let manager: { token: string }
  const figures = async () => {
    const { list } = await http.call('report/grid', { filters: { from: today, to: today } }, signed)
    return new Map(list.map(row => [row.employee, row]))
  }
  type Task = PathOutput<'task/get'>
  const preview = async (changes: Partial<Form>, by = signed): Promise<NonNullable<Task['preview']>> => {
    const begun = await http.call('shift/preview', { ...formOf(await read(id)), ...changes }, by)
    const { state, preview } = await taskEnd(http, by, begun)
    expect(state).toBe('done')
    if (!preview) throw new Error('No preview')
    return preview
  }

  beforeAll(async () => {
    const hidden = (await http.call('department/add', { name: 'Hidden' }, signed)).id
    for (const [workno, department] of [
      ['1', mine.department],
      ['2', mine.department],
      ['3', hidden],
    ] as const) {
      const person = { first_name: 'P', last_name: workno, workno: `80${workno}`, department }
      people.push((await http.call('employee/add', person, signed)).id)
    }
    const { id: roleId } = await http.call(
      'role/add',
      { name: 'Shifts', permissions: [6], departments: [mine.department] },
      signed,
    )
    const person = {
      first_name: 'M',
      last_name: 'M',
      workno: '809',
      department: mine.department,
      role: 2 as const,
      roleId,
    }
    manager = await invite(http, signed, person)
    id = await add({ name: 'Edited', ...times, allowedLateMinutes: 15 })
    await http.call('schedule/add', { employees: people, days: [today, addDays(today, 4)], shift: id }, signed)
    const serialNumber = `SH${Math.random().toString(36).slice(2, 12).toUpperCase()}`
    const { serverPath } = await http.call(
      'device/add',
      { serialNumber, name: 'Gate', department: mine.department },
      signed,
    )
    const terminal = await openSocket(http.address, { path: serverPath })
    terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
    await terminal.hear({ ret: 'reg' })
    const record = [
      [801, '09:10'],
      [801, '18:00'],
      [802, '08:50'],
      [802, '17:30'],
      [803, '09:20'],
      [803, '18:30'],
    ].map(([enrollid, time]) => ({ enrollid, time: `${today} ${time}:00`, mode: 8, inout: 0, event: 0 }))
    terminal.say({ cmd: 'sendlog', count: record.length, logindex: 1, record })
    expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
    terminal.close()
    await eventually(figures, rows => {
      expect(people.map(person => rows.get(person)?.workMinutes)).toEqual([540, 510, 520])
      expect(people.map(person => rows.get(person)?.lateMinutes)).toEqual([0, 0, 20])
    })
  })

  const changes = { allowedLateMinutes: 0, offDuty: '17:00', lateOutOvertime: { counts: true, afterMinutes: 0 } }

  test('does to the report what its preview said, figure by figure, and is followed while it does', async () => {
    const before = await figures()
    const told = await preview(changes)
    expect(await figures()).toEqual(before)
    expect(told).toMatchObject({ employees: 3, days: 3, lockedDays: 0, hiddenDays: 0, unknownEmployees: 0 })
    expect(told.toCome).toEqual({ days: 3, dutyMinutesBefore: 3 * 540, dutyMinutesAfter: 3 * 480 })
    const { task = '' } = await http.call('shift/update', { ...formOf(await read(id)), ...changes }, signed)
    const end = await taskEnd(http, signed, { task })
    expect(end).toMatchObject({
      kind: 'shift/update',
      state: 'done',
      step: 'calculate',
      recalculated: { employees: 3, rows: 3, handedOn: 0 },
    })
    expect(end.done).toBe(end.recalculated?.days)
    const after = await figures()
    for (const [when, rows] of [
      ['before', before],
      ['after', after],
    ] as const) {
      let sum = noFigures()
      for (const listed of told.list) {
        const row = rows.get(listed.employee)
        const shown = listed[when]
        if (!row || !shown) throw new Error('No row')
        for (const name of figureNames) expect([name, shown[name]]).toEqual([name, row[name]])
        sum = addFigures(sum, shown)
      }
      expect(told[when]).toEqual(sum)
    }
    expect(after.get(people[2] ?? '')).toMatchObject({ lateMinutes: 20, overtimeMinutes: 90 })
    // The same again would change nothing.
    expect(await preview({})).toMatchObject({ employees: 0, days: 0, list: [], toCome: { days: 0 } })
  })

  test('that changes no figure has nothing calculated', async () => {
    const answer = await http.call('shift/update', { ...formOf(await read(id)), color: 'rose', notes: 'Pink' }, signed)
    expect(answer).toEqual({})
    expect(await preview({ name: 'Another name' })).toMatchObject({ days: 0, toCome: { days: 0 } })
  })

  test('is previewed on top of what one has seen, and refused where the form would be', async () => {
    const form = formOf(await read(id))
    expect(await http.ask('shift/preview', { ...form, version: form.version - 1 }, signed)).toMatchObject({
      code: 60006,
    })
    expect(await http.ask('shift/preview', { ...form, offDuty: '08:00' }, signed)).toMatchObject({
      code: 59022,
      fields: { offDuty: 59022 },
    })
    expect(await http.ask('shift/preview', { ...form, id: '0'.repeat(16) }, signed)).toMatchObject({ code: 60004 })
    await add({ name: 'Taken', ...times })
    expect(await http.ask('shift/preview', { ...form, name: 'taken' }, signed)).toMatchObject({
      code: 60060,
      fields: { name: 60060 },
    })
  })

  test('tells who manages some of the people about all of them, and names those', async () => {
    const told = await preview({ offDuty: '16:00' }, { ...signed, token: manager.token })
    expect(told).toMatchObject({ employees: 3, days: 3, hiddenDays: 1 })
    expect(told.list.map(({ employee }) => employee).sort()).toEqual(people.slice(0, 2).sort())
    expect(JSON.stringify(told)).not.toContain('"department"')
  })

  test('names whom it would have on two duties at once from today on, and whom it would not have had before', async () => {
    const shape = { punchStart: '00:00', punchEnd: '23:59' }
    const night = await add({
      name: 'Night',
      onDuty: '22:00',
      offDuty: '06:00+1',
      punchStart: '21:00',
      punchEnd: '11:00+1',
    })
    const early = await add({ ...shape, name: 'Early', onDuty: '09:00', offDuty: '15:00' })
    const [one = '', two = '', hidden = ''] = people
    const put = (employees: string[], days: string[], shift: string) =>
      http.call('schedule/add', { employees, days, shift }, signed)
    // The last night of a month and of a year end in the next.
    await put([one, hidden], ['2098-11-30', '2098-12-31'], night)
    await put([one, hidden], ['2098-12-01', '2099-01-01'], early)
    await put([two], ['2098-11-30'], night)
    await put([two], ['2098-12-02'], early)
    const form = formOf(await read(night))
    const ask = async (changes: Partial<Form>, by = signed) =>
      taskEnd(http, by, await http.call('shift/preview', { ...form, ...changes }, by))
    expect(await ask({ offDuty: '09:00+1' })).toMatchObject({ state: 'done', problemCount: 0, problems: [] })
    const longer = { offDuty: '09:30+1' }
    const conflict = (employee: string, day: string, withDay: string) => ({
      code: 59031,
      about: { employee, day, shift: 'Night', withDay, withShift: 'Early' },
    })
    const end = await ask(longer)
    expect(end).toMatchObject({ state: 'done', problemCount: 4, preview: { days: 0 } })
    const months = [
      ['2098-11-30', '2098-12-01'],
      ['2098-12-31', '2099-01-01'],
    ] as const
    expect(end.problems).toMatchObject(
      months.flatMap(([day, withDay]) => [one, hidden].sort().map(employee => conflict(employee, day, withDay))),
    )
    const seen = await ask(longer, { ...signed, token: manager.token })
    expect(seen.problemCount).toBe(4)
    expect(seen.problems).toMatchObject(months.map(([day, withDay]) => conflict(one, day, withDay)))
    // It may be saved all the same; what then stands in conflict is no further edit's to answer for.
    await http.call('shift/update', { ...form, ...longer }, signed)
    const again = { ...form, version: form.version + 1, offDuty: '09:40+1' }
    expect(await ask(again)).toMatchObject({ state: 'done', problemCount: 0, problems: [] })
  })

  test('of a shift whose days are locked is counted and does nothing to them', async () => {
    const yesterday = addDays(today, -1)
    expect(await http.ask('report/lock/update', { lockedTo: today }, signed)).toMatchObject({
      code: 60064,
      fields: { lockedTo: 60064 },
    })
    await http.call('report/lock/update', { lockedTo: yesterday }, signed)
    expect(await http.call('report/lock', {}, signed)).toMatchObject({ lockedTo: yesterday, by: 'Olga Owner' })
    const { version } = await http.call('report/lock', {}, signed)
    expect(await http.ask('report/lock/update', { version: version - 1, lockedTo: null }, signed)).toMatchObject({
      code: 60006,
    })
    expect(await preview({ offDuty: '16:00' })).toMatchObject({ lockedTo: yesterday, lockedDays: 0, days: 3 })
    await http.call('report/lock/update', { version, lockedTo: null }, signed)
    expect(await http.call('report/lock', {}, signed)).not.toHaveProperty('lockedTo')
    const audit = await http.call('audit/grid', { filters: { noun: 'company' } }, signed)
    expect(audit.list[0]?.changes[0]?.fields).toEqual({ lockedTo: { before: yesterday } })
  })
})

test('the parameters say since when they count and what counted before, and a change does what was told', async () => {
  const other = await register(http, { timezone: zone })
  const by = { token: other.token }
  const before = await http.call('attparams/index', {}, by)
  expect(before).toMatchObject({ bounceSeconds: 60, former: [] })
  expect(before).not.toHaveProperty('since')
  const { former: _, ...form } = before
  for (const path of ['attparams/preview', 'attparams/update'] as const)
    expect(await http.ask(path, { ...form, minimumOvertimeMinutes: 60, maximumOvertimeMinutes: 30 }, by)).toMatchObject(
      { code: 10002, fields: { maximumOvertimeMinutes: 10002 } },
    )
  const changed = { ...form, deductGaps: true, from: addDays(today, -3) }
  const told = await taskEnd(http, by, await http.call('attparams/preview', changed, by))
  expect(told).toMatchObject({ state: 'done', preview: { days: 0 } })
  const { task = '' } = await http.call('attparams/update', changed, by)
  expect(await taskEnd(http, by, { task })).toMatchObject({ state: 'done', recalculated: { employees: 1 } })
  const after = await http.call('attparams/index', {}, by)
  expect(after).toMatchObject({
    deductGaps: true,
    since: changed.from,
    former: [{ deductGaps: false, until: addDays(today, -4) }],
  })
  expect(await http.ask('attparams/update', changed, by)).toMatchObject({ code: 60006 })
  const { former: _f, since: _s, ...same } = after
  expect(await http.call('attparams/update', same, by)).toEqual({})
  // When a day begins is another setting, and makes no other parameters.
  const settings = await http.call('company/get', {}, by)
  const { version } = settings
  const formats = { dateformat_id: 3 as const, timeformat_id: 2 as const }
  const time = { version, timezone: zone, ...formats, splitTime: '04:00', firstWeekday: 0 }
  const begun = await taskEnd(http, by, await http.call('company/time/preview', time, by))
  expect(begun).toMatchObject({ state: 'done', preview: { days: 0 } })
  expect((await http.call('company/time/update', time, by)).task).toBeDefined()
  expect((await http.call('attparams/index', {}, by)).former).toEqual(after.former)
})
