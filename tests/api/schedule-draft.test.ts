import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register, type Signed } from '../kit/client.ts'
import { taskEnd } from '../kit/sheet.ts'

// Draft and publish: the board writes to a draft, and only published shifts count.

const http = client(inject('address'))
const zone = 'Europe/Athens'
const today = localDay(zone, Date.now())
const day = (count: number) => addDays(today, count)
let owner: Registered
/** A manager of the department Works only. */
let manager: Signed
let people: string[]
let worker: string
let worksId: string
let early: string
let late: string

type Plan = PathCall<'schedule/plan'>['plan']
type Cells = Plan['rows'][number]['cells']
const planOf = (cells: Cells, employees: string[], from = today): Plan => ({
  ...{ from, shifts: [early, late] },
  rows: [{ employees, cells }],
})
const draft = async (plan: Plan, caller: Signed = owner) =>
  taskEnd(http, caller, await http.call('schedule/draft/update', { plan }, caller))
const publish = async (input: PathCall<'schedule/publish'>, caller: Signed = owner) =>
  taskEnd(http, caller, await http.call('schedule/publish', input, caller))
const setDrafts = async (draftsSchedule: boolean, company: Signed = owner) => {
  const { version } = await http.call('company/schedule', {}, company)
  await http.call('company/schedule/update', { version, draftsSchedule }, company)
}
const readRow = async (employee: string) => {
  const { list } = await http.call('schedule/grid', { filters: { from: today, to: day(40) }, size: 200 }, owner)
  const { days, draft } = list.find(row => row.employee === employee) ?? {}
  return { days, draft }
}
const discardAll = (employees: string[]) => http.call('schedule/draft/delete', { employees }, owner)
const clear = async (employee: string) => {
  await http.call('schedule/clear', { employees: [employee], from: today, to: day(40) }, owner)
}
const summaryOf = (caller: Signed = owner) => http.call('schedule/draft/summary', {}, caller)

const addPerson = async (workno: string, department = owner.department) =>
  (await http.call('employee/add', { first_name: `P${workno}`, last_name: 'Draft', workno, department }, owner)).id

beforeAll(async () => {
  owner = await register(http)
  worksId = (await http.call('department/add', { name: 'Works' }, owner)).id
  people = []
  for (const workno of ['11', '12', '13']) people.push(await addPerson(workno))
  worker = await addPerson('14', worksId)
  const { id: roleId } = await http.call('role/add', { name: 'Plans', permissions: [7], departments: [worksId] }, owner)
  manager = await invite(http, owner, {
    ...{ first_name: 'Mona', last_name: 'M', workno: '20' },
    ...{ department: worksId, role: 2, roleId },
  })
  const addShift = async (name: string, punchStart: string, onDuty: string, offDuty: string, punchEnd: string) =>
    (await http.call('shift/add', { name, punchStart, onDuty, offDuty, punchEnd }, owner)).id
  early = await addShift('Early', '05:00', '06:00', '14:00', '15:00')
  late = await addShift('Late', '12:00', '13:00', '22:00', '23:00')
  await setDrafts(true)
})

describe('a draft', () => {
  test('is refused while the company plans without drafts, which is the default', async () => {
    const other = await register(http)
    expect(await http.call('company/schedule', {}, other)).toMatchObject({ draftsSchedule: false })
    await setDrafts(false)
    const plan = planOf([[0]], people.slice(0, 1), day(1))
    expect(await http.ask('schedule/draft/update', { plan }, owner)).toMatchObject({ code: 60073 })
    await setDrafts(true)
  })

  test('changes no published day, and its publication sets, replaces and clears days', async () => {
    const [first = ''] = people
    await http.call('schedule/update', { employees: [first], days: [day(2), day(3)], shift: early }, owner)
    expect(await draft(planOf([[0], [1], []], [first], day(1)))).toMatchObject({ state: 'done', rowCount: 3 })
    const before = { [day(2)]: [early], [day(3)]: [early] }
    expect(await readRow(first)).toEqual({
      days: before,
      draft: { [day(1)]: [early], [day(2)]: [late], [day(3)]: [] },
    })
    const { list } = await http.call('schedule/draft/grid', {}, owner)
    expect(list).toMatchObject([
      {
        employee: first,
        days: [
          { day: day(1), before: [], after: [early] },
          { day: day(2), before: [early], after: [late] },
          { day: day(3), before: [early], after: [] },
        ],
      },
    ])
    expect(await summaryOf()).toEqual({ draftsSchedule: true, employees: 1, days: 3 })
    const summary = await http.call('schedule/summary', { from: day(1), to: day(3) }, owner)
    expect(summary.list).toEqual([
      { day: day(2), shift: early, employees: 1 },
      { day: day(3), shift: early, employees: 1 },
    ])

    expect(await publish({ employees: [first] })).toMatchObject({ state: 'done', rowCount: 3, problemCount: 0 })
    expect(await readRow(first)).toEqual({ days: { [day(1)]: [early], [day(2)]: [late] }, draft: undefined })
    expect(await summaryOf()).toMatchObject({ employees: 0, days: 0 })
    // A second publication finds nothing to do.
    expect(await publish({ employees: [first] })).toMatchObject({ state: 'done', rowCount: 0 })
    await clear(first)
  })

  test('of a day equal to the published day disappears', async () => {
    const [first = ''] = people
    await http.call('schedule/add', { employees: [first], days: [day(5)], shift: early }, owner)
    await draft(planOf([[1]], [first], day(5)))
    expect((await readRow(first)).draft).toEqual({ [day(5)]: [late] })
    expect(await draft(planOf([[0]], [first], day(5)))).toMatchObject({ rowCount: 1 })
    expect((await readRow(first)).draft).toBeUndefined()
    await clear(first)
  })

  test('loses against a direct change of the same day, even one that changes nothing', async () => {
    const [first = ''] = people
    await http.call('schedule/add', { employees: [first], days: [day(7)], shift: early }, owner)
    await draft(planOf([[1], [1], [1], [1]], [first], day(6)))
    await http.call('schedule/update', { employees: [first], days: [day(6), day(7)], shift: early }, owner)
    await http.call('schedule/clear', { employees: [first], from: day(8), to: day(8) }, owner)
    expect(await readRow(first)).toEqual({
      days: { [day(6)]: [early], [day(7)]: [early] },
      draft: { [day(9)]: [late] },
    })
    const { task } = await http.call('schedule/plan', { plan: planOf([[0]], [first], day(9)) }, owner)
    await taskEnd(http, owner, { task })
    expect((await readRow(first)).draft).toBeUndefined()
    await clear(first)
  })

  test('stays when the deletion of a shift that the day does not have is refused', async () => {
    const [first = ''] = people
    await draft(planOf([[0]], [first], day(5)))
    const wrong = { employee: first, day: day(5), shift: early }
    expect(await http.ask('schedule/delete', wrong, owner)).toMatchObject({ code: 60004, fields: { shift: 60004 } })
    expect((await readRow(first)).draft).toEqual({ [day(5)]: [early] })
    await clear(first)
  })

  test('can be discarded for a range or as a whole', async () => {
    const [first = '', second = ''] = people
    await draft(planOf([[0], [0], [0]], [first, second], day(1)))
    const range = { employees: [first], from: day(2), to: day(2) }
    expect(await http.call('schedule/draft/delete', range, owner)).toEqual({ changedDays: 1, refused: [] })
    expect((await readRow(first)).draft).toEqual({ [day(1)]: [early], [day(3)]: [early] })
    expect(await discardAll([first, second])).toMatchObject({ changedDays: 5 })
    expect(await summaryOf()).toMatchObject({ employees: 0, days: 0 })
    expect(await discardAll([first, second])).toMatchObject({ changedDays: 0 })
  })

  test('with a conflict is refused, and a later conflict stops the publication before any write', async () => {
    const [first = '', second = ''] = people
    expect(await draft(planOf([[0, 1]], [first], day(1)))).toMatchObject({ state: 'failed', code: 59031 })
    await draft(planOf([[0], [0]], [first, second], day(1)))
    const night = { name: 'Night', punchStart: '21:00', onDuty: '22:00', offDuty: '08:00+1', punchEnd: '09:00+1' }
    const { id: shift } = await http.call('shift/add', night, owner)
    await http.call('schedule/add', { employees: [second], days: [today], shift }, owner)
    const end = await publish({ employees: [first, second] })
    expect(end).toMatchObject({ state: 'failed', code: 59031, problems: [{ row: 2, about: { employee: second } }] })
    expect((await readRow(first)).days).toEqual({})
    await discardAll([first, second])
    await clear(second)
  })

  test('of a past day is refused', async () => {
    const plan = planOf([[0]], people.slice(0, 1), day(-1))
    expect(await http.ask('schedule/draft/update', { plan }, owner)).toMatchObject({
      ...{ code: 60019, fields: { 'plan.from': 60019 } },
    })
  })

  test('reaches two years ahead', async () => {
    const [first = ''] = people
    const plan = planOf([[0], [0]], [first], day(2 * 366))
    expect(await http.ask('schedule/draft/update', { plan }, owner)).toMatchObject({ fields: { 'plan.from': 10002 } })
  })

  test('keeps its shift from deletion', async () => {
    const [first = ''] = people
    const form = { name: 'Short', punchStart: '05:00', onDuty: '06:00', offDuty: '10:00', punchEnd: '11:00' }
    const { id } = await http.call('shift/add', form, owner)
    await draft({ from: day(1), shifts: [id], rows: [{ employees: [first], cells: [[0]] }] })
    expect(await http.ask('shift/delete', { id }, owner)).toMatchObject({ code: 60016 })
    await discardAll([first])
    await http.call('shift/delete', { id }, owner)
  })

  test('is listed and counted for some days, and says on which of them the person is away', async () => {
    const [first = '', second = ''] = people
    // Leave needs scheduled days, also on weekends.
    await http.call('schedule/update', { employees: [first], days: [day(2)], shift: late }, owner)
    const leave = { leaveType: 3, isAllDay: true, date: day(2), toDate: day(2) }
    await http.call('leave/add', { employees: [first], ...leave }, owner)
    await draft(planOf([[0], [0], [0]], [first], day(1)))
    await draft(planOf([[0]], [second], day(4)))
    const filters = { from: day(2), to: day(3) }
    expect((await http.call('schedule/draft/grid', { filters }, owner)).list).toMatchObject([
      {
        employee: first,
        days: [
          { day: day(2), isAway: true },
          { day: day(3), isAway: false },
        ],
      },
    ])
    expect(await http.call('schedule/draft/summary', filters, owner)).toMatchObject({ employees: 1, days: 2 })
    const backwards = { from: day(3), to: day(2) }
    expect(await http.ask('schedule/draft/grid', { filters: backwards }, owner)).toMatchObject({
      ...{ code: 10002, fields: { 'filters.to': 10002 } },
    })
    expect(await http.ask('schedule/draft/summary', backwards, owner)).toMatchObject({ fields: { to: 10002 } })
    await discardAll([first, second])
    await clear(first)
  })

  test('belongs to the managers of the person', async () => {
    const [first = ''] = people
    await draft(planOf([[0]], [first, worker], day(1)))
    expect(await summaryOf(manager)).toMatchObject({ employees: 1, days: 1 })
    const { list } = await http.call('schedule/draft/grid', {}, manager)
    expect(list.map(({ employee }) => employee)).toEqual([worker])
    for (const path of ['schedule/draft/delete', 'schedule/publish'] as const)
      expect(await http.ask(path, { employees: [worker, first] }, manager)).toMatchObject({
        ...{ code: 60004, fields: { 'employees.1': 60004 } },
      })
    expect(await http.ask('schedule/draft/update', { plan: planOf([[0]], [first], day(1)) }, manager)).toMatchObject({
      code: 60004,
    })
    expect(await http.ask('schedule/draft/summary', { department: owner.department }, manager)).toMatchObject({
      code: 60004,
    })
    expect(await publish({ employees: [worker] }, manager)).toMatchObject({ state: 'done', rowCount: 1 })
    expect(await summaryOf()).toMatchObject({ employees: 1, days: 1 })
    await discardAll([first])
    await clear(worker)
  })

  test('is written and published by two planners at once without a loss', async () => {
    const ids = people.slice(0, 3)
    await draft(planOf([[0], [0], [0]], ids, day(10)))
    const ends = await Promise.all([
      publish({ employees: ids }),
      publish({ employees: ids }),
      draft(planOf([[1]], ids, day(13))),
    ])
    expect(ends.every(({ state }) => state === 'done')).toBe(true)
    await publish({ employees: ids })
    for (const id of ids)
      expect(await readRow(id)).toEqual({
        days: { [day(10)]: [early], [day(11)]: [early], [day(12)]: [early], [day(13)]: [late] },
        draft: undefined,
      })
    for (const id of ids) await clear(id)
  })

  test('stays in the audit, as does its publication', async () => {
    const [first = ''] = people
    await draft(planOf([[0]], [first], day(20)))
    await publish({ employees: [first], from: day(20), to: day(20) })
    const { list } = await http.call('audit/grid', { filters: { object: first } }, owner)
    expect(list.map(({ path }) => path)).toEqual(expect.arrayContaining(['schedule/draft/update', 'schedule/publish']))
    await clear(first)
  })
})

describe('a publication', () => {
  test('gives each person one notice with the days', async () => {
    const { id: nora, ...noraSigned } = await invite(http, owner, {
      ...{ first_name: 'Nora', last_name: 'N', workno: '30' },
      ...{ department: worksId, role: 3 },
    })
    await draft(planOf([[0], [0], null, [1]], [nora], day(1)))
    await draft(planOf([[1]], people.slice(0, 1), day(1)))
    await publish({ employees: [nora, people[0] ?? ''] })
    const published = async () =>
      (await http.call('notice/grid', {}, noraSigned)).list.filter(({ kind }) => kind === 'schedule.published')
    await eventually(published, list => expect(list).toHaveLength(1))
    const [notice, ...others] = await published()
    expect(others).toEqual([])
    expect(notice).toMatchObject({
      ...{ days: [day(1), day(2), day(4)], date: day(1), toDate: day(4), employee: nora, side: 'user' },
      address: `/timecard?month=${day(1).slice(0, 7)}&day=${day(1)}`,
    })
    await clear(nora)
    await clear(people[0] ?? '')
  })
})
