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
const caller = { token: '', headers: { 'x-timezone': zone } }
let company: Registered

type Form = PathCall<'shift/add'>
const times = { onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '19:30' }
const weekly = { targetMinutes: 2400, breakMinutes: 60, breakThresholdMinutes: 360, overtimeCounts: true }
const add = async (form: Form) => (await http.call('shift/add', form, caller)).id
const readShift = async (id: string) => {
  const shift = (await http.call('shift/grid', { size: 200 }, caller)).list.find(shift => shift.id === id)
  if (!shift) throw new Error('No such shift')
  return shift
}
/** The fields of a shift that its form sends back. */
const formOf = ({ isUsed: _, ...shift }: Awaited<ReturnType<typeof readShift>>) => shift

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  caller.token = company.token
})

describe('a weekly-flexible shift', () => {
  test('requires a weekly target and no clock times; a fixed shift requires clock times and no target', async () => {
    expect(await http.ask('shift/add', { name: 'No clock' }, caller)).toMatchObject({
      code: 10002,
      fields: { onDuty: 60001, offDuty: 60001, punchStart: 60001, punchEnd: 60001 },
    })
    expect(await http.ask('shift/add', { name: 'No week', kind: 'weekly' }, caller)).toMatchObject({
      code: 10002,
      fields: { weekly: 60001 },
    })
    const none = { ...weekly, targetMinutes: 0 }
    expect(await http.ask('shift/add', { name: 'No target', kind: 'weekly', weekly: none }, caller)).toMatchObject({
      fields: { 'weekly.targetMinutes': 10002 },
    })
    const id = await add({ name: 'Flexible', kind: 'weekly', weekly, ...times, allowedLateMinutes: 30 })
    expect(await readShift(id)).toMatchObject({ kind: 'weekly', weekly, onDuty: '00:00', allowedLateMinutes: 0 })
    const day = await add({ name: 'Fixed', ...times, weekly })
    expect(await readShift(day)).not.toHaveProperty('weekly')
    const { list } = await http.call('shift/all', {}, caller)
    expect(list.find(shift => shift.id === id)).toMatchObject({ kind: 'weekly' })
    expect(list.find(shift => shift.id === day)).toMatchObject({ kind: 'fixed', ...times })
  })

  test('gives each day a share of the weekly target, and the last scheduled day the figures of the week', async () => {
    const person = { first_name: 'W', last_name: 'W', workno: '900', department: company.department }
    const { id: employee } = await http.call('employee/add', person, caller)
    const shift = await add({ name: 'By the week', kind: 'weekly', weekly })
    await http.call('schedule/add', { employees: [employee], days: [today], shift }, caller)
    const filters = { from: today, to: today, employee }
    await eventually(
      () => http.call('report/grid', { filters }, caller),
      ({ list }) =>
        expect(list).toMatchObject([
          { day: today, dutyMinutes: 2400, week: { settled: false, targetMinutes: 2400, shortfallMinutes: 0 } },
        ]),
    )
  })
})

describe('shift/all', () => {
  test('lists shifts by age, so that a new shift or a change of times moves no other shift', async () => {
    const names = async () => (await http.call('shift/all', {}, caller)).list.map(({ name }) => name)
    const id = await add({ name: 'Z first', ...times })
    const before = await names()
    await add({ name: 'A second', ...times, punchStart: '00:30', onDuty: '01:00' })
    expect(await names()).toEqual([...before, 'A second'])
    const form = { ...formOf(await readShift(id)), name: 'Z changed', punchEnd: '23:59' }
    await http.call('shift/update', form, caller)
    expect(await names()).toEqual([...before.slice(0, -1), 'Z changed', 'A second'])
  })
})

describe('a shift’s name', () => {
  test('is unique regardless of case and accents, and free again after a renaming or deletion', async () => {
    const taken = { code: 60060, fields: { name: 60060 } }
    const id = await add({ name: 'Früh  Dienst', ...times })
    expect(await http.ask('shift/add', { name: 'FRUH dienst', ...times }, caller)).toMatchObject(taken)
    const late = await add({ name: 'Spät', ...times })
    expect(
      await http.ask('shift/update', { ...formOf(await readShift(late)), name: 'früh dienst' }, caller),
    ).toMatchObject(taken)
    await http.call('shift/update', { ...formOf(await readShift(id)), name: 'Morgen' }, caller)
    await http.call('shift/update', { ...formOf(await readShift(late)), name: 'Fruh dienst' }, caller)
    await http.call('shift/delete', { id: late }, caller)
    await add({ name: 'Früh Dienst', ...times })
  })

  test('goes to one of several simultaneous additions', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => http.ask('shift/add', { name: 'At once', ...times }, caller)),
    )
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 60060, 60060, 60060, 60060, 60060])
  })
})

test('the list of versions shows each version’s values, time and author', async () => {
  const id = await add({ name: 'Version', ...times })
  await http.call('shift/update', { ...formOf(await readShift(id)), name: 'Version 2', allowedLateMinutes: 5 }, caller)
  await http.call('shift/update', { ...formOf(await readShift(id)), offDuty: '17:00' }, caller)
  const { list } = await http.call('shift/version/grid', { filters: { id } }, caller)
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
  const first = await http.call('shift/version/grid', { filters: { id }, size: 2 }, caller)
  const second = await http.call('shift/version/grid', { filters: { id }, size: 2, page: first.next }, caller)
  expect([...first.list, ...second.list]).toEqual(list)
  expect(await http.call('shift/version/grid', { filters: { id: '0'.repeat(16) } }, caller)).toMatchObject({ list: [] })
})

test('a rejected form names all missing fields of its kind', async () => {
  const missing = { onDuty: 60001, offDuty: 60001, punchStart: 60001, punchEnd: 60001 }
  expect(await http.ask('shift/add', {} as never, caller)).toMatchObject({
    code: 10002,
    fields: { name: 60001, ...missing },
  })
  const invalid = { name: 'Wrong', onDuty: 'noon', color: 'none', offDuty: '18:00' }
  expect((await http.ask('shift/add', invalid as never, caller)).fields).toEqual({
    ...{ color: 10002, onDuty: 10002, punchStart: 60001, punchEnd: 60001 },
  })
  expect((await http.ask('shift/add', { kind: 'weekly' } as never, caller)).fields).toEqual({
    ...{ name: 60001, weekly: 60001 },
  })
  expect((await http.ask('shift/add', 7 as never, caller)).code).toBe(10002)
})

test('the author of a version is shown only to callers who may see that employee', async () => {
  const works = (await http.call('department/add', { name: 'Elsewhere' }, caller)).id
  const id = await add({ name: 'Seen', ...times })
  const listAuthors = async (permissions: number[], departments: string[], workno: string) => {
    const { id: roleId } = await http.call('role/add', { name: `Role ${workno}`, permissions, departments }, caller)
    const form = { first_name: 'M', last_name: workno, workno, department: works, role: 2 as const, roleId }
    const manager = await invite(http, company, form)
    return (await http.call('shift/version/grid', { filters: { id } }, manager)).list.map(({ by }) => by)
  }
  expect(await listAuthors([6], [works], '951')).toEqual([undefined])
  expect(await listAuthors([6], [works, company.department], '952')).toEqual(['Olga Owner'])
})

describe('an edited shift', () => {
  test('starts a task even without employees, because a manager may assign the shift at that moment', async () => {
    const unused = await add({ name: 'Unused', ...times })
    const edit = async (changes: object) =>
      (await http.call('shift/update', { ...formOf(await readShift(unused)), ...changes }, caller)).task
    const task = await edit({ allowedLateMinutes: 7 })
    expect(await taskEnd(http, caller, { task: task ?? '' })).toMatchObject({ recalculated: { employees: 0, rows: 0 } })
    expect(await edit({ name: 'Unused still' })).toBeUndefined()
  })

  const people: string[] = []
  let id: string
  let manager: { token: string }
  const readFigures = async () => {
    const { list } = await http.call('report/grid', { filters: { from: today, to: today } }, caller)
    return new Map(list.map(row => [row.employee, row]))
  }
  type Task = PathOutput<'task/get'>
  const runPreview = async (changes: Partial<Form>, by = caller): Promise<NonNullable<Task['preview']>> => {
    const task = await http.call('shift/preview', { ...formOf(await readShift(id)), ...changes }, by)
    const { state, preview } = await taskEnd(http, by, task)
    expect(state).toBe('done')
    if (!preview) throw new Error('No preview')
    return preview
  }

  beforeAll(async () => {
    const hidden = (await http.call('department/add', { name: 'Hidden' }, caller)).id
    for (const [workno, department] of [
      ['1', company.department],
      ['2', company.department],
      ['3', hidden],
    ] as const) {
      const person = { first_name: 'P', last_name: workno, workno: `80${workno}`, department }
      people.push((await http.call('employee/add', person, caller)).id)
    }
    const { id: roleId } = await http.call(
      'role/add',
      { name: 'Shifts', permissions: [6], departments: [company.department] },
      caller,
    )
    const person = {
      first_name: 'M',
      last_name: 'M',
      workno: '809',
      department: company.department,
      role: 2 as const,
      roleId,
    }
    manager = await invite(http, caller, person)
    id = await add({ name: 'Edited', ...times, allowedLateMinutes: 15 })
    await http.call('schedule/add', { employees: people, days: [today, addDays(today, 4)], shift: id }, caller)
    const serialNumber = `SH${Math.random().toString(36).slice(2, 12).toUpperCase()}`
    const { serverPath } = await http.call(
      'device/add',
      { serialNumber, name: 'Gate', department: company.department },
      caller,
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
    await eventually(readFigures, rows => {
      expect(people.map(person => rows.get(person)?.workMinutes)).toEqual([540, 510, 520])
      expect(people.map(person => rows.get(person)?.lateMinutes)).toEqual([0, 0, 20])
    })
  })

  const changes = { allowedLateMinutes: 0, offDuty: '17:00', lateOutOvertime: { counts: true, afterMinutes: 0 } }

  test('changes the report exactly as its preview shows, and its task reports progress', async () => {
    const before = await readFigures()
    const previewed = await runPreview(changes)
    expect(await readFigures()).toEqual(before)
    expect(previewed).toMatchObject({ employees: 3, days: 3, lockedDays: 0, hiddenDays: 0, unknownEmployees: 0 })
    expect(previewed.toCome).toEqual({ days: 3, dutyMinutesBefore: 3 * 540, dutyMinutesAfter: 3 * 480 })
    const { task = '' } = await http.call('shift/update', { ...formOf(await readShift(id)), ...changes }, caller)
    const end = await taskEnd(http, caller, { task })
    expect(end).toMatchObject({
      kind: 'shift/update',
      state: 'done',
      step: 'calculate',
      recalculated: { employees: 3, rows: 3, handedOn: 0 },
    })
    expect(end.done).toBe(end.recalculated?.days)
    const after = await readFigures()
    for (const [when, rows] of [
      ['before', before],
      ['after', after],
    ] as const) {
      let sum = noFigures()
      for (const previewRow of previewed.list) {
        const row = rows.get(previewRow.employee)
        const figures = previewRow[when]
        if (!row || !figures) throw new Error('No row')
        for (const name of figureNames) expect([name, figures[name]]).toEqual([name, row[name]])
        sum = addFigures(sum, figures)
      }
      expect(previewed[when]).toEqual(sum)
    }
    expect(after.get(people[2] ?? '')).toMatchObject({ lateMinutes: 20, overtimeMinutes: 90 })
    // The same edit again changes nothing.
    expect(await runPreview({})).toMatchObject({ employees: 0, days: 0, list: [], toCome: { days: 0 } })
  })

  test('with only a new colour or new notes starts no calculation', async () => {
    const answer = await http.call(
      'shift/update',
      { ...formOf(await readShift(id)), color: 'rose', notes: 'Pink' },
      caller,
    )
    expect(answer).toEqual({})
    expect(await runPreview({ name: 'Another name' })).toMatchObject({ days: 0, toCome: { days: 0 } })
  })

  test('rejects a preview of an old version, and of an invalid form', async () => {
    const form = formOf(await readShift(id))
    expect(await http.ask('shift/preview', { ...form, version: form.version - 1 }, caller)).toMatchObject({
      code: 60006,
    })
    expect(await http.ask('shift/preview', { ...form, offDuty: '08:00' }, caller)).toMatchObject({
      code: 59022,
      fields: { offDuty: 59022 },
    })
    expect(await http.ask('shift/preview', { ...form, id: '0'.repeat(16) }, caller)).toMatchObject({ code: 60004 })
    await add({ name: 'Taken', ...times })
    expect(await http.ask('shift/preview', { ...form, name: 'taken' }, caller)).toMatchObject({
      code: 60060,
      fields: { name: 60060 },
    })
  })

  test('previews the figures of all employees, but names only the manager’s employees', async () => {
    const previewed = await runPreview({ offDuty: '16:00' }, { ...caller, token: manager.token })
    expect(previewed).toMatchObject({ employees: 3, days: 3, hiddenDays: 1 })
    expect(previewed.list.map(({ employee }) => employee).sort()).toEqual(people.slice(0, 2).sort())
    expect(JSON.stringify(previewed)).not.toContain('"department"')
  })

  test('names employees with new overlaps from today on, but no older overlaps', async () => {
    const shape = { punchStart: '00:00', punchEnd: '23:59' }
    const night = await add({
      name: 'Night',
      onDuty: '22:00',
      offDuty: '06:00+1',
      punchStart: '21:00',
      punchEnd: '11:00+1',
    })
    const early = await add({ ...shape, name: 'Early', onDuty: '09:00', offDuty: '15:00' })
    const [first = '', second = '', hidden = ''] = people
    const schedule = (employees: string[], days: string[], shift: string) =>
      http.call('schedule/add', { employees, days, shift }, caller)
    // Night shifts at the end of a month and of a year end in the next month and year.
    await schedule([first, hidden], ['2098-11-30', '2098-12-31'], night)
    await schedule([first, hidden], ['2098-12-01', '2099-01-01'], early)
    await schedule([second], ['2098-11-30'], night)
    await schedule([second], ['2098-12-02'], early)
    const form = formOf(await readShift(night))
    const runPreviewOf = async (changes: Partial<Form>, by = caller) =>
      taskEnd(http, by, await http.call('shift/preview', { ...form, ...changes }, by))
    expect(await runPreviewOf({ offDuty: '09:00+1' })).toMatchObject({ state: 'done', problemCount: 0, problems: [] })
    const longer = { offDuty: '09:30+1' }
    const conflict = (employee: string, day: string, withDay: string) => ({
      code: 59031,
      about: { employee, day, shift: 'Night', withDay, withShift: 'Early' },
    })
    const end = await runPreviewOf(longer)
    expect(end).toMatchObject({ state: 'done', problemCount: 4, preview: { days: 0 } })
    const months = [
      ['2098-11-30', '2098-12-01'],
      ['2098-12-31', '2099-01-01'],
    ] as const
    expect(end.problems).toMatchObject(
      months.flatMap(([day, withDay]) => [first, hidden].sort().map(employee => conflict(employee, day, withDay))),
    )
    const managerEnd = await runPreviewOf(longer, { ...caller, token: manager.token })
    expect(managerEnd.problemCount).toBe(4)
    expect(managerEnd.problems).toMatchObject(months.map(([day, withDay]) => conflict(first, day, withDay)))
    // The caller may save the edit despite the overlaps. A later edit does not report the same overlaps again.
    await http.call('shift/update', { ...form, ...longer }, caller)
    const again = { ...form, version: form.version + 1, offDuty: '09:40+1' }
    expect(await runPreviewOf(again)).toMatchObject({ state: 'done', problemCount: 0, problems: [] })
  })

  test('counts locked days and does not change them', async () => {
    const yesterday = addDays(today, -1)
    expect(await http.ask('report/lock/update', { lockedTo: today }, caller)).toMatchObject({
      code: 60064,
      fields: { lockedTo: 60064 },
    })
    await http.call('report/lock/update', { lockedTo: yesterday }, caller)
    expect(await http.call('report/lock', {}, caller)).toMatchObject({ lockedTo: yesterday, by: 'Olga Owner' })
    const { version } = await http.call('report/lock', {}, caller)
    expect(await http.ask('report/lock/update', { version: version - 1, lockedTo: null }, caller)).toMatchObject({
      code: 60006,
    })
    expect(await runPreview({ offDuty: '16:00' })).toMatchObject({ lockedTo: yesterday, lockedDays: 0, days: 3 })
    await http.call('report/lock/update', { version, lockedTo: null }, caller)
    expect(await http.call('report/lock', {}, caller)).not.toHaveProperty('lockedTo')
    const audit = await http.call('audit/grid', { filters: { noun: 'company' } }, caller)
    expect(audit.list[0]?.changes[0]?.fields).toEqual({ lockedTo: { before: yesterday } })
  })
})

test('the parameters show their start and their former values, and a change matches its preview', async () => {
  const other = await register(http, { timezone: zone })
  const otherCaller = { token: other.token }
  const before = await http.call('attparams/index', {}, otherCaller)
  expect(before).toMatchObject({ bounceSeconds: 60, former: [] })
  expect(before).not.toHaveProperty('since')
  const { former: _, ...form } = before
  for (const path of ['attparams/preview', 'attparams/update'] as const)
    expect(
      await http.ask(path, { ...form, minimumOvertimeMinutes: 60, maximumOvertimeMinutes: 30 }, otherCaller),
    ).toMatchObject({ code: 10002, fields: { maximumOvertimeMinutes: 10002 } })
  const changed = { ...form, deductGaps: true, from: addDays(today, -3) }
  const previewed = await taskEnd(http, otherCaller, await http.call('attparams/preview', changed, otherCaller))
  expect(previewed).toMatchObject({ state: 'done', preview: { days: 0 } })
  const { task = '' } = await http.call('attparams/update', changed, otherCaller)
  expect(await taskEnd(http, otherCaller, { task })).toMatchObject({ state: 'done', recalculated: { employees: 1 } })
  const after = await http.call('attparams/index', {}, otherCaller)
  expect(after).toMatchObject({
    deductGaps: true,
    since: changed.from,
    former: [{ deductGaps: false, until: addDays(today, -4) }],
  })
  expect(await http.ask('attparams/update', changed, otherCaller)).toMatchObject({ code: 60006 })
  const { former: _f, since: _s, ...same } = after
  expect(await http.call('attparams/update', same, otherCaller)).toEqual({})
  // The start of the day is no parameter, so its change adds no former parameters.
  const settings = await http.call('company/get', {}, otherCaller)
  const { version } = settings
  const formats = { dateformat_id: 3 as const, timeformat_id: 2 as const }
  const time = { version, timezone: zone, ...formats, splitTime: '04:00', firstWeekday: 0 }
  const timePreview = await taskEnd(http, otherCaller, await http.call('company/time/preview', time, otherCaller))
  expect(timePreview).toMatchObject({ state: 'done', preview: { days: 0 } })
  expect((await http.call('company/time/update', time, otherCaller)).task).toBeDefined()
  expect((await http.call('attparams/index', {}, otherCaller)).former).toEqual(after.former)
})
