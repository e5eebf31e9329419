import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { addDays, daysBetween, localDay } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register, type Signed } from '../kit/client.ts'
import { taskEnd } from '../kit/sheet.ts'

// Days of many people, planned at once, and looked at before.

const http = client(inject('address'))
const zone = 'Europe/Athens'
const today = localDay(zone, Date.now())
let mine: Registered
/** Manages the people of Works alone. */
let mona: Signed
let people: string[]
let worker: string
let shifts: { [name in 'early' | 'late' | 'night' | 'week']: string }

type Plan = PathCall<'schedule/plan'>['plan']
type Cells = Plan['rows'][number]['cells']
const row = (employees: string[], cells: Cells) => ({ employees, cells })
const one = (cells: Cells, { from, shift }: { from: string; shift: string }, employees = people.slice(0, 1)): Plan => ({
  ...{ from, shifts: [shift] },
  rows: [row(employees, cells)],
})
const times = (punchStart: string, onDuty: string, offDuty: string, punchEnd: string) => ({
  ...{ punchStart, onDuty, offDuty, punchEnd },
})
const addShift = async (name: string, form: object) =>
  (await http.call('shift/add', { name, ...form } as PathCall<'shift/add'>, mine)).id
/** One of a name nobody has, also where the test is run again. */
const addOther = (name: string, form: object) => addShift(`${name} ${Date.now()}`, form)
const addPerson = async (workno: string, department = mine.department) =>
  (await http.call('employee/add', { first_name: `P${workno}`, last_name: 'Plan', workno, department }, mine)).id

const plan = async (plan: Plan, signed: Signed = mine, preview?: string) =>
  taskEnd(http, signed, await http.call('schedule/plan', { plan, ...(preview && { preview }) }, signed))
const look = async (plan: Plan, signed: Signed = mine) => {
  const begun = await http.call('schedule/preview', { plan }, signed)
  return { ...begun, ...(await taskEnd(http, signed, begun)) }
}
const ask = (input: unknown, signed: Signed = mine, path: 'schedule/plan' | 'schedule/preview' = 'schedule/plan') =>
  http.ask(path, input as PathCall<'schedule/plan'>, signed)

const read = async (employee: string, from: string, to = addDays(from, 30)) => {
  const { list } = await http.call('schedule/grid', { filters: { from, to }, size: 200 }, mine)
  return list.find(row => row.employee === employee)?.days
}

beforeAll(async () => {
  mine = await register(http)
  const { id: works } = await http.call('department/add', { name: 'Works' }, mine)
  people = []
  for (const workno of ['11', '12', '13']) people.push(await addPerson(workno))
  worker = await addPerson('14', works)
  const { id: roleId } = await http.call('role/add', { name: 'Plans', permissions: [7], departments: [works] }, mine)
  mona = await invite(http, mine, {
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
  test('sets, frees and leaves days of people in one task', async () => {
    const [one = '', two = '', three = ''] = people
    const from = '2098-03-03'
    const both = { from, shifts: [shifts.early, shifts.late] }
    const first = await plan({ ...both, rows: [row([one, two], [[0], [0, 1], []]), row([three], [[1]])] })
    expect(first).toMatchObject({ state: 'done', rowCount: 5, problemCount: 0, done: first.total })
    const day = (count: number) => addDays(from, count)
    expect(await read(one, from)).toEqual({ [day(0)]: [shifts.early], [day(1)]: [shifts.early, shifts.late] })
    const next = await plan({ ...both, rows: [row([one], [null, [], [1]]), row([three], [[1]])] })
    expect(next).toMatchObject({ state: 'done', rowCount: 2 })
    expect(await read(one, from)).toEqual({ [day(0)]: [shifts.early], [day(2)]: [shifts.late] })
    expect(await read(two, from)).toEqual({ [day(0)]: [shifts.early], [day(1)]: [shifts.early, shifts.late] })
    expect(await read(three, from)).toEqual({ [day(0)]: [shifts.late] })
  })

  test('with a conflict writes nothing, and names who, when and with what', async () => {
    const [one_ = '', two = '', three = ''] = people
    await plan(one([[0]], { from: '2098-05-01', shift: shifts.early }, [two]))
    const given: Plan = {
      ...{ from: '2098-04-29', shifts: [shifts.night] },
      rows: [row([one_], [[0], [0], [0]]), row([two, three], [[0], [0]])],
    }
    for (const end of [await plan(given), await look(given)]) {
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
    for (const employee of [one_, three]) expect(await read(employee, '2098-04-29')).toEqual({})
  })

  test('is judged by the clock of the night: what meets only where clocks go forward conflicts there alone', async () => {
    const until = await addOther('Until half past three', times('20:00', '22:00', '03:30+1', '03:45+1'))
    const from = await addOther('From four', times('03:50', '04:00', '10:00', '11:00'))
    const rows = [row(people.slice(0, 1), [[0], [1]])]
    // The clocks of Athens jump from three to four on 31 March 2097: half past three is half past four.
    expect(await plan({ from: '2097-03-23', shifts: [until, from], rows })).toMatchObject({
      state: 'done',
      rowCount: 2,
    })
    const end = await plan({ from: '2097-03-30', shifts: [until, from], rows })
    expect(end.problems.map(({ code, about }) => [code, about?.day, about?.withDay])).toEqual([
      [59031, '2097-03-30', '2097-03-31'],
    ])
  })

  test('lets a night end in a day of a weekly shift, which refuses only a second one of its own day', async () => {
    const from = '2098-06-03'
    const both = { from, shifts: [shifts.night, shifts.week] }
    expect(await plan({ ...both, rows: [row(people.slice(0, 1), [[0], [1]])] })).toMatchObject({ rowCount: 2 })
    expect(await plan({ ...both, rows: [row(people.slice(0, 1), [null, [0, 1]])] })).toMatchObject({ code: 59031 })
  })

  test('takes away and adds beside what a changed shift has brought into conflict, but makes no new one', async () => {
    const from = '2098-07-01'
    const noon = await addOther('Noon', times('11:00', '12:00', '16:00', '17:00'))
    const [employee = ''] = people
    const three = { from, shifts: [shifts.early, noon, shifts.late] }
    const short = await addOther('Short', times('05:00', '06:00', '12:00', '13:00'))
    await plan({
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
    const { list } = await http.call('shift/grid', {}, mine)
    const { isUsed: _, ...form } = list.find(({ id }) => id === short) ?? ({} as never)
    await http.call('shift/update', { ...form, offDuty: '14:00', punchEnd: '15:00' } as never, mine)
    const freed = { from, shifts: [short, noon], rows: [row([employee], [[], [1], [0, 1]])] }
    expect(await plan(freed)).toMatchObject({ state: 'done', rowCount: 2 })
    expect(await plan({ ...three, rows: [row([employee], [null, null, null, [0, 1]])] })).toMatchObject({ code: 59031 })
    expect(await read(employee, from)).toEqual({ [addDays(from, 1)]: [noon], [addDays(from, 2)]: [short, noon] })
  })

  test('asked for twice with one key is one task', async () => {
    const headers = { 'idempotency-key': 'one-plan' }
    const input = { plan: one([[0]], { from: '2098-08-01', shift: shifts.early }) }
    const first = await http.call('schedule/plan', input, { ...mine, headers })
    expect(await http.call('schedule/plan', input, { ...mine, headers })).toEqual(first)
    const other = { plan: one([[0], [0]], { from: '2098-08-01', shift: shifts.early }) }
    expect(await ask(other, { ...mine, headers })).toMatchObject({ code: 60007 })
    expect(await taskEnd(http, mine, first)).toMatchObject({ state: 'done', rowCount: 1 })
  })

  test('reaches only the people the caller manages, and lets nobody see whether there are others', async () => {
    const given = one([[0]], { from: '2098-09-01', shift: shifts.late }, [worker, people[0] ?? ''])
    for (const path of ['schedule/plan', 'schedule/preview'] as const)
      expect(await ask({ plan: given }, mona, path)).toMatchObject({
        code: 60004,
        fields: { 'plan.rows.0.employees.1': 60004 },
      })
    expect(await plan({ ...given, rows: [row([worker], [[0]])] }, mona)).toMatchObject({ state: 'done', rowCount: 1 })
  })

  test('is refused at its field where it says what cannot be', async () => {
    const [employee = '', other = ''] = people
    const from = '2098-10-01'
    const sound: Plan = { from, shifts: [shifts.early], rows: [row([employee], [[0]])] }
    const refuse = async (changes: object, field: string, code: number) =>
      expect(await ask({ plan: { ...sound, ...changes } }), field).toMatchObject({
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
    expect(await ask({ plan: sound }, { ...mine, headers: { 'x-timezone': 'Asia/Tokyo' } })).toMatchObject({
      code: 59040,
    })
    expect(await read(employee, from)).toEqual({})
  })
})

describe('two managers at once', () => {
  test('each save whole people; what would conflict is left as it is, and told', async () => {
    const from = '2098-11-03'
    const everybody = [...people, worker]
    const ends = await Promise.all([
      plan(one([[0], null], { from, shift: shifts.night }, everybody)),
      plan(one([null, [0]], { from, shift: shifts.early }, everybody)),
    ])
    const saved = ends.map(({ rowCount = 0 }) => rowCount)
    for (const [i, end] of ends.entries()) {
      if (end.state === 'failed') expect(end).toMatchObject({ code: 59031 })
      else expect((saved[i] ?? 0) + end.problemCount).toBe(everybody.length)
      for (const { code } of end.problems) expect([59031, 60006]).toContain(code)
    }
    const held = await Promise.all(everybody.map(employee => read(employee, from)))
    for (const days of held) expect(Object.keys(days ?? {})).toHaveLength(1)
    expect(held.filter(days => days?.[from])).toHaveLength(saved[0] ?? 0)
    expect(held.filter(days => days?.[addDays(from, 1)])).toHaveLength(saved[1] ?? 0)
  })

  test('a shift that is deleted while it is planned is either gone or planned', async () => {
    for (let round = 0; round < 3; round++) {
      const shift = await addShift(`Fleeting ${round}`, times('05:00', '06:00', '14:00', '15:00'))
      const from = `2098-12-0${round + 1}`
      const begun = await ask({ plan: one([[0]], { from, shift }, people) })
      const [deleted, end] = await Promise.all([
        http.ask('shift/delete', { id: shift }, mine),
        begun.code === 0 ? taskEnd(http, mine, begun.data) : undefined,
      ])
      const held = await Promise.all(people.map(employee => read(employee, from, from)))
      if (deleted.code === 0) {
        expect(end).toMatchObject({ state: 'failed', code: 60004 })
        for (const days of held) expect(days).toEqual({})
      } else {
        expect(deleted).toMatchObject({ code: 60016 })
        expect(end).toMatchObject({ state: 'done', rowCount: people.length })
        for (const days of held) expect(days).toEqual({ [from]: [shift] })
        await plan(one([[]], { from, shift }, people))
        await http.call('shift/delete', { id: shift }, mine)
      }
    }
  })
})

describe('days before today', () => {
  const from = addDays(today, -6)
  const given = () => one([[0], [0], [0]], { from, shift: shifts.early })

  test('are changed only by who has looked at what that very plan would do', async () => {
    expect(await ask({ plan: given() })).toMatchObject({ code: 60019, fields: { 'plan.from': 60019 } })
    const seen = await look(given())
    expect(seen).toMatchObject({ state: 'done', preview: { employees: 1, days: 3, hiddenDays: 0, lockedDays: 0 } })
    expect(seen.preview).toMatchObject({
      before: { absentMinutes: 0 },
      after: { dutyMinutes: 1440, absentMinutes: 1440 },
    })
    expect(seen.preview?.list.map(({ day, name, shiftName, before }) => [day, name, shiftName, before])).toEqual(
      daysBetween(from, addDays(from, 2)).map(day => [day, 'P11 Plan', 'Early', null]),
    )
    // Looking has changed nothing.
    expect(await read(people[0] ?? '', from, today)).toEqual({})
    const refused = { code: 60019, fields: { preview: 60019 } }
    const other = one([[0], [0], []], { from, shift: shifts.early })
    expect(await ask({ plan: other, preview: seen.task })).toMatchObject(refused)
    const { token } = await http.call('user/login', { email: mine.email, password: 'Rhubarb#42' })
    expect(await ask({ plan: given(), preview: '0000000000000000' }, { token })).toMatchObject(refused)
    expect(await ask({ plan: { ...given(), rows: [row([worker], [[0]])] }, preview: seen.task }, mona)).toMatchObject(
      refused,
    )

    const end = await plan(given(), mine, seen.task)
    expect(end).toMatchObject({ state: 'done', rowCount: 3, recalculated: { employees: 1, rows: 3, handedOn: 0 } })
    const filters = { from, to: today, employee: people[0] ?? '' }
    const rows = await eventually(
      async () => (await http.call('report/grid', { filters }, mine)).list,
      list => expect(list).toHaveLength(3),
    )
    expect(rows.reduce((sum, { absentMinutes }) => sum + absentMinutes, 0)).toBe(seen.preview?.after.absentMinutes)
    expect((await look(given())).preview).toMatchObject({ employees: 0, days: 0, list: [] })
  })

  test('are told with what is to come, and no names of people one does not manage', async () => {
    const shift = shifts.late
    const far = addDays(today, 20)
    const seen = await look(one([[0], [0]], { from: far, shift }, people))
    expect(seen.preview).toMatchObject({
      days: 0,
      toCome: { days: 6, dutyMinutesBefore: 0, dutyMinutesAfter: 6 * 480 },
    })
    const own = await look(one([[0]], { from: addDays(today, -2), shift }, [worker]), mona)
    expect(own.preview).toMatchObject({ days: 1, hiddenDays: 0, list: [{ name: 'P14 Plan' }] })
  })
})
