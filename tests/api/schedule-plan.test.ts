import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { addDays, daysBetween, localDay } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register, type Signed } from '../kit/client.ts'
import { taskEnd } from '../kit/sheet.ts'

// Planning the days of many employees in one task, and its preview.

const http = client(inject('address'))
const zone = 'Europe/Athens'
const today = localDay(zone, Date.now())
let owner: Registered
/** A manager of the department Works only. */
let manager: Signed
let people: string[]
let worker: string
let shifts: { [name in 'early' | 'late' | 'night' | 'week']: string }

type Plan = PathCall<'schedule/plan'>['plan']
type Cells = Plan['rows'][number]['cells']
const row = (employees: string[], cells: Cells) => ({ employees, cells })
const planOf = (
  cells: Cells,
  { from, shift }: { from: string; shift: string },
  employees = people.slice(0, 1),
): Plan => ({
  ...{ from, shifts: [shift] },
  rows: [row(employees, cells)],
})
const times = (punchStart: string, onDuty: string, offDuty: string, punchEnd: string) => ({
  ...{ punchStart, onDuty, offDuty, punchEnd },
})
const addShift = async (name: string, form: object) =>
  (await http.call('shift/add', { name, ...form } as PathCall<'shift/add'>, owner)).id
/** Adds a shift with a unique name, so that the test can run again. */
const addUniqueShift = (name: string, form: object) => addShift(`${name} ${Date.now()}`, form)
const addPerson = async (workno: string, department = owner.department) =>
  (await http.call('employee/add', { first_name: `P${workno}`, last_name: 'Plan', workno, department }, owner)).id

const runPlan = async (runPlan: Plan, caller: Signed = owner, preview?: string) =>
  taskEnd(http, caller, await http.call('schedule/plan', { plan: runPlan, ...(preview && { preview }) }, caller))
const runPreview = async (plan: Plan, caller: Signed = owner) => {
  const task = await http.call('schedule/preview', { plan }, caller)
  return { ...task, ...(await taskEnd(http, caller, task)) }
}
const tryPlan = (
  input: unknown,
  caller: Signed = owner,
  path: 'schedule/plan' | 'schedule/preview' = 'schedule/plan',
) => http.ask(path, input as PathCall<'schedule/plan'>, caller)

const read = async (employee: string, from: string, to = addDays(from, 30)) => {
  const { list } = await http.call('schedule/grid', { filters: { from, to }, size: 200 }, owner)
  return list.find(row => row.employee === employee)?.days
}

beforeAll(async () => {
  owner = await register(http)
  const { id: works } = await http.call('department/add', { name: 'Works' }, owner)
  people = []
  for (const workno of ['11', '12', '13']) people.push(await addPerson(workno))
  worker = await addPerson('14', works)
  const { id: roleId } = await http.call('role/add', { name: 'Plans', permissions: [7], departments: [works] }, owner)
  manager = await invite(http, owner, {
    first_name: 'Mona',
    last_name: 'M',
    workno: '20',
    department: works,
    role: 2,
    roleId,
  })
  shifts = {
    early: await addShift('Early', times('05:00', '06:00', '14:00', '15:00')),
    late: await addShift('Late', times('13:00', '14:00', '22:00', '23:00')),
    night: await addShift('Night', times('21:00', '22:00', '06:30+1', '08:00+1')),
    week: await addShift('Week', {
      kind: 'weekly',
      weekly: { targetMinutes: 2400, breakMinutes: 30, breakThresholdMinutes: 360, overtimeCounts: true },
    }),
  }
})

describe('a plan', () => {
  test('sets, clears and keeps days of employees in one task', async () => {
    const [first = '', two = '', three = ''] = people
    const from = '2098-03-03'
    const both = { from, shifts: [shifts.early, shifts.late] }
    const firstEnd = await runPlan({ ...both, rows: [row([first, two], [[0], [0, 1], []]), row([three], [[1]])] })
    expect(firstEnd).toMatchObject({ state: 'done', rowCount: 5, problemCount: 0, done: firstEnd.total })
    const day = (count: number) => addDays(from, count)
    expect(await read(first, from)).toEqual({ [day(0)]: [shifts.early], [day(1)]: [shifts.early, shifts.late] })
    const secondEnd = await runPlan({ ...both, rows: [row([first], [null, [], [1]]), row([three], [[1]])] })
    expect(secondEnd).toMatchObject({ state: 'done', rowCount: 2 })
    expect(await read(first, from)).toEqual({ [day(0)]: [shifts.early], [day(2)]: [shifts.late] })
    expect(await read(two, from)).toEqual({ [day(0)]: [shifts.early], [day(1)]: [shifts.early, shifts.late] })
    expect(await read(three, from)).toEqual({ [day(0)]: [shifts.late] })
  })

  test('with a conflict writes nothing, and names the employee, the day and the shifts', async () => {
    const [first = '', two = '', three = ''] = people
    await runPlan(planOf([[0]], { from: '2098-05-01', shift: shifts.early }, [two]))
    const conflicting: Plan = {
      ...{ from: '2098-04-29', shifts: [shifts.night] },
      rows: [row([first], [[0], [0], [0]]), row([two, three], [[0], [0]])],
    }
    for (const end of [await runPlan(conflicting), await runPreview(conflicting)]) {
      expect(end).toMatchObject({ state: 'failed', code: 59031, problemCount: 1 })
      expect(end.problems).toEqual([
        {
          ...{ row: 2, field: 'employee', code: 59031 },
          about: {
            ...{ employee: two, name: 'P12 Plan', day: '2098-04-30', shift: 'Night' },
            ...{ withDay: '2098-05-01', withShift: 'Early' },
          },
        },
      ])
    }
    for (const employee of [first, three]) expect(await read(employee, '2098-04-29')).toEqual({})
  })

  test('has a conflict if two shifts overlap only because clocks go forward that night', { tags: 'long' }, async () => {
    const until = await addUniqueShift('Until half past three', times('20:00', '22:00', '03:30+1', '03:45+1'))
    const from = await addUniqueShift('From four', times('03:50', '04:00', '10:00', '11:00'))
    const rows = [row(people.slice(0, 1), [[0], [1]])]
    // In Athens, clocks jump from 3:00 to 4:00 on 31 March 2097, so 3:30 becomes 4:30.
    expect(await runPlan({ from: '2097-03-23', shifts: [until, from], rows })).toMatchObject({
      state: 'done',
      rowCount: 2,
    })
    const end = await runPlan({ from: '2097-03-30', shifts: [until, from], rows })
    expect(end.problems.map(({ code, about }) => [code, about?.day, about?.withDay])).toEqual([
      [59031, '2097-03-30', '2097-03-31'],
    ])
  })

  test('allows a night shift to end on a day of a weekly shift, but no second shift on that day', async () => {
    const from = '2098-06-03'
    const both = { from, shifts: [shifts.night, shifts.week] }
    expect(await runPlan({ ...both, rows: [row(people.slice(0, 1), [[0], [1]])] })).toMatchObject({ rowCount: 2 })
    expect(await runPlan({ ...both, rows: [row(people.slice(0, 1), [null, [0, 1]])] })).toMatchObject({ code: 59031 })
  })

  test('may remove and add shifts despite an older conflict, but must not create a new conflict', {
    tags: 'long',
  }, async () => {
    const from = '2098-07-01'
    const noon = await addUniqueShift('Noon', times('11:00', '12:00', '16:00', '17:00'))
    const [employee = ''] = people
    const three = { from, shifts: [shifts.early, noon, shifts.late] }
    const short = await addUniqueShift('Short', times('05:00', '06:00', '12:00', '13:00'))
    await runPlan({
      from,
      shifts: [short, noon],
      rows: [
        row(
          [employee],
          [
            [0, 1],
            [0, 1],
            [0, 1],
          ],
        ),
      ],
    })
    const { list } = await http.call('shift/grid', {}, owner)
    const { isUsed: _, ...form } = list.find(({ id }) => id === short) ?? ({} as never)
    await http.call('shift/update', { ...form, offDuty: '14:00', punchEnd: '15:00' } as never, owner)
    const reduced = { from, shifts: [short, noon], rows: [row([employee], [[], [1], [0, 1]])] }
    expect(await runPlan(reduced)).toMatchObject({ state: 'done', rowCount: 2 })
    expect(await runPlan({ ...three, rows: [row([employee], [null, null, null, [0, 1]])] })).toMatchObject({
      code: 59031,
    })
    expect(await read(employee, from)).toEqual({ [addDays(from, 1)]: [noon], [addDays(from, 2)]: [short, noon] })
  })

  test('with a repeated idempotency key runs once', async () => {
    const headers = { 'idempotency-key': 'one-plan' }
    const input = { plan: planOf([[0]], { from: '2098-08-01', shift: shifts.early }) }
    const first = await http.call('schedule/plan', input, { ...owner, headers })
    expect(await http.call('schedule/plan', input, { ...owner, headers })).toEqual(first)
    const other = { plan: planOf([[0], [0]], { from: '2098-08-01', shift: shifts.early }) }
    expect(await tryPlan(other, { ...owner, headers })).toMatchObject({ code: 60007 })
    expect(await taskEnd(http, owner, first)).toMatchObject({ state: 'done', rowCount: 1 })
  })

  test('rejects employees outside the caller’s departments like unknown employees', async () => {
    const foreign = planOf([[0]], { from: '2098-09-01', shift: shifts.late }, [worker, people[0] ?? ''])
    for (const path of ['schedule/plan', 'schedule/preview'] as const)
      expect(await tryPlan({ plan: foreign }, manager, path)).toMatchObject({
        code: 60004,
        fields: { 'plan.rows.0.employees.1': 60004 },
      })
    expect(await runPlan({ ...foreign, rows: [row([worker], [[0]])] }, manager)).toMatchObject({
      state: 'done',
      rowCount: 1,
    })
  })

  test('is rejected with the wrong field', async () => {
    const [employee = '', other = ''] = people
    const from = '2098-10-01'
    const valid: Plan = { from, shifts: [shifts.early], rows: [row([employee], [[0]])] }
    const refuse = async (changes: object, field: string, code: number) =>
      expect(await tryPlan({ plan: { ...valid, ...changes } }), field).toMatchObject({
        code: code === 60004 ? 60004 : 10002,
        fields: { [`plan.${field}`]: code },
      })
    await refuse({ rows: [] }, 'rows', 60001)
    await refuse({ rows: [row([], [[0]])] }, 'rows.0.employees', 60001)
    await refuse({ rows: [row([employee], [])] }, 'rows.0.cells', 60001)
    await refuse({ rows: [row([employee], [[1]])] }, 'rows.0.cells.0', 10002)
    await refuse({ rows: [row([employee], [null, [0, 0]])] }, 'rows.0.cells.1', 10002)
    await refuse({ rows: [row([employee], [[-1]])] }, 'rows.0.cells.0.0', 10002)
    await refuse({ rows: [row([employee], Array(367).fill(null))] }, 'rows.0.cells', 60002)
    await refuse({ rows: [row([employee, employee], [[0]])] }, 'rows.0.employees.1', 10002)
    await refuse({ rows: [row([other], [[0]]), row([employee, other], [[0]])] }, 'rows.1.employees.1', 10002)
    const many = (count: number, first = 0) =>
      Array.from({ length: count }, (_, i) => String(first + i).padStart(16, 'x'))
    await refuse({ rows: [row(many(501), [null])] }, 'rows.0.employees', 60002)
    await refuse({ rows: [row(many(300), [null]), row(many(201, 300), [null])] }, 'rows', 60002)
    await refuse({ shifts: many(101) }, 'shifts', 60002)
    await refuse({ shifts: ['0000000000000000'] }, 'shifts.0', 60004)
    await refuse({ rows: [row([employee, '0000000000000000'], [[0]])] }, 'rows.0.employees.1', 60004)
    await refuse({ from: '2098-02-30' }, 'from', 10002)
    await refuse({ from: '9999-12-31' }, 'from', 10002)
    await refuse({ from: '2100-12-31', rows: [row([employee], [null, null])] }, 'from', 10002)
    expect(await tryPlan({ plan: valid }, { ...owner, headers: { 'x-timezone': 'Asia/Tokyo' } })).toMatchObject({
      code: 59040,
    })
    expect(await read(employee, from)).toEqual({})
  })
})

describe('two simultaneous plans', () => {
  test('save all days or no day of each employee, and report the employees with conflicts', async () => {
    const from = '2098-11-03'
    const everyone = [...people, worker]
    const ends = await Promise.all([
      runPlan(planOf([[0], null], { from, shift: shifts.night }, everyone)),
      runPlan(planOf([null, [0]], { from, shift: shifts.early }, everyone)),
    ])
    const saved = ends.map(({ rowCount = 0 }) => rowCount)
    for (const [i, end] of ends.entries()) {
      if (end.state === 'failed') expect(end).toMatchObject({ code: 59031 })
      else expect((saved[i] ?? 0) + end.problemCount).toBe(everyone.length)
      for (const { code } of end.problems) expect([59031, 60006]).toContain(code)
    }
    const schedules = await Promise.all(everyone.map(employee => read(employee, from)))
    for (const days of schedules) expect(Object.keys(days ?? {})).toHaveLength(1)
    expect(schedules.filter(days => days?.[from])).toHaveLength(saved[0] ?? 0)
    expect(schedules.filter(days => days?.[addDays(from, 1)])).toHaveLength(saved[1] ?? 0)
  })

  test('either use a shift or lose it to a simultaneous deletion', { tags: 'long' }, async () => {
    for (let round = 0; round < 3; round++) {
      const shift = await addShift(`Fleeting ${round}`, times('05:00', '06:00', '14:00', '15:00'))
      const from = `2098-12-0${round + 1}`
      const answer = await tryPlan({ plan: planOf([[0]], { from, shift }, people) })
      const [deleted, end] = await Promise.all([
        http.ask('shift/delete', { id: shift }, owner),
        answer.code === 0 ? taskEnd(http, owner, answer.data) : undefined,
      ])
      const schedules = await Promise.all(people.map(employee => read(employee, from, from)))
      if (deleted.code === 0) {
        expect(end).toMatchObject({ state: 'failed', code: 60004 })
        for (const days of schedules) expect(days).toEqual({})
      } else {
        expect(deleted).toMatchObject({ code: 60016 })
        expect(end).toMatchObject({ state: 'done', rowCount: people.length })
        for (const days of schedules) expect(days).toEqual({ [from]: [shift] })
        await runPlan(planOf([[]], { from, shift }, people))
        await http.call('shift/delete', { id: shift }, owner)
      }
    }
  })
})

describe('past days', () => {
  const from = addDays(today, -6)
  const makePlan = () => planOf([[0], [0], [0]], { from, shift: shifts.early })

  test('change only after a preview of the same plan', async () => {
    expect(await tryPlan({ plan: makePlan() })).toMatchObject({ code: 60019, fields: { 'plan.from': 60019 } })
    const previewed = await runPreview(makePlan())
    expect(previewed).toMatchObject({ state: 'done', preview: { employees: 1, days: 3, hiddenDays: 0, lockedDays: 0 } })
    expect(previewed.preview).toMatchObject({
      before: { absentMinutes: 0 },
      after: { dutyMinutes: 1440, absentMinutes: 1440 },
    })
    expect(previewed.preview?.list.map(({ day, name, shiftName, before }) => [day, name, shiftName, before])).toEqual(
      daysBetween(from, addDays(from, 2)).map(day => [day, 'P11 Plan', 'Early', null]),
    )
    // The preview changes nothing.
    expect(await read(people[0] ?? '', from, today)).toEqual({})
    const refused = { code: 60019, fields: { preview: 60019 } }
    const other = planOf([[0], [0], []], { from, shift: shifts.early })
    expect(await tryPlan({ plan: other, preview: previewed.task })).toMatchObject(refused)
    const { token } = await http.call('user/login', { email: owner.email, password: 'Rhubarb#42' })
    expect(await tryPlan({ plan: makePlan(), preview: '0000000000000000' }, { token })).toMatchObject(refused)
    expect(
      await tryPlan({ plan: { ...makePlan(), rows: [row([worker], [[0]])] }, preview: previewed.task }, manager),
    ).toMatchObject(refused)

    const end = await runPlan(makePlan(), owner, previewed.task)
    expect(end).toMatchObject({ state: 'done', rowCount: 3, recalculated: { employees: 1, rows: 3, handedOn: 0 } })
    const filters = { from, to: today, employee: people[0] ?? '' }
    const rows = await eventually(
      async () => (await http.call('report/grid', { filters }, owner)).list,
      list => expect(list).toHaveLength(3),
    )
    expect(rows.reduce((sum, { absentMinutes }) => sum + absentMinutes, 0)).toBe(previewed.preview?.after.absentMinutes)
    expect((await runPreview(makePlan())).preview).toMatchObject({ employees: 0, days: 0, list: [] })
  })

  test('appear in a preview with figures, and future days appear with scheduled hours', async () => {
    const shift = shifts.late
    const later = addDays(today, 20)
    const previewed = await runPreview(planOf([[0], [0]], { from: later, shift }, people))
    expect(previewed.preview).toMatchObject({
      days: 0,
      toCome: { days: 6, dutyMinutesBefore: 0, dutyMinutesAfter: 6 * 480 },
    })
    const ownPreview = await runPreview(planOf([[0]], { from: addDays(today, -2), shift }, [worker]), manager)
    expect(ownPreview.preview).toMatchObject({ days: 1, hiddenDays: 0, list: [{ name: 'P14 Plan' }] })
  })
})
