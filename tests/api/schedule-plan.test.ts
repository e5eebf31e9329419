import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, invite, type Registered, register, type Signed } from '../client.ts'
import { taskEnd } from '../sheet.ts'

// Days of many people, planned at once.

const http = client(inject('address'))
let mine: Registered
let people: string[]
let [early, late, night, week]: string[] = []

const addPerson = async (workno: string, department = mine.department) =>
  (await http.call('employee/add', { first_name: `P${workno}`, last_name: 'Plan', workno, department }, mine)).id
const addShift = async (name: string, times: object) =>
  (await http.call('shift/add', { name, ...times } as PathCall<'shift/add'>, mine)).id

type Plan = PathCall<'schedule/plan'>['plan']
const row = (employees: string[], cells: Plan['rows'][number]['cells']) => ({ employees, cells })
const begin = (plan: Plan, signed: Signed = mine) => http.call('schedule/plan', { plan }, signed)
const carryOut = async (plan: Plan, signed: Signed = mine) => taskEnd(http, signed, await begin(plan, signed))

const read = async (employee: string, from: string, to = addDays(from, 30)) => {
  const { list } = await http.call('schedule/grid', { filters: { from, to }, size: 200 }, mine)
  return list.find(row => row.employee === employee)?.days
}

beforeAll(async () => {
  mine = await register(http)
  people = []
  for (const workno of ['11', '12', '13', '14']) people.push(await addPerson(workno))
  early = await addShift('Early', { punchStart: '05:00', onDuty: '06:00', offDuty: '14:00', punchEnd: '15:00' })
  late = await addShift('Late', { punchStart: '13:00', onDuty: '14:00', offDuty: '22:00', punchEnd: '23:00' })
  night = await addShift('Night', { punchStart: '21:00', onDuty: '22:00', offDuty: '06:30+1', punchEnd: '08:00+1' })
})

describe('a plan', () => {
  test('sets, frees and leaves days of people in one task', async () => {
    const [one = '', two = '', three = ''] = people
    const from = '2098-03-03'
    const shifts = [early ?? '', late ?? '']
    const first = await carryOut({ from, shifts, rows: [row([one, two], [[0], [0, 1], []]), row([three], [[1]])] })
    expect(first).toMatchObject({ state: 'done', rowCount: 5, problemCount: 0, done: first.total })
    expect(await read(one, from)).toEqual({ [from]: [early], [addDays(from, 1)]: [early, late] })
    const next = await carryOut({ from, shifts, rows: [row([one], [null, [], [1]]), row([three], [[1]])] })
    expect(next).toMatchObject({ state: 'done', rowCount: 2 })
    expect(await read(one, from)).toEqual({ [from]: [early], [addDays(from, 2)]: [late] })
    expect(await read(two, from)).toEqual({ [from]: [early], [addDays(from, 1)]: [early, late] })
    expect(await read(three, from)).toEqual({ [from]: [late] })
  })

  test('with a conflict writes nothing, and names who, when and with what', async () => {
    const [one = '', two = '', three = ''] = people
    const from = '2098-04-29'
    expect(await carryOut({ from: '2098-05-01', shifts: [early ?? ''], rows: [row([two], [[0]])] })).toMatchObject({
      rowCount: 1,
    })
    const rows = [row([one], [[0], [0], [0]]), row([two, three], [[0], [0]])]
    const end = await carryOut({ from, shifts: [night ?? ''], rows })
    expect(end).toMatchObject({ state: 'failed', code: 59031, problemCount: 1 })
    expect(end.problems).toEqual([
      {
        ...{ row: 2, field: 'employee', code: 59031, value: 'P12 Plan' },
        about: {
          ...{ employee: two, name: 'P12 Plan', day: '2098-04-30', shift: 'Night' },
          ...{ withDay: '2098-05-01', withShift: 'Early' },
        },
      },
    ])
    expect(await read(one, from)).toEqual({})
    expect(await read(three, from)).toEqual({})
  })
})
