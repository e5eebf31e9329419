import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { client, invite, type Registered, register, type Signed } from '../kit/client.ts'
import { taskEnd } from '../kit/sheet.ts'

// The data of the schedule board and its search.

const http = client(inject('address'))
let owner: Registered
let manager: Signed
let [office, works]: string[] = []
let [early, late]: string[] = []
const people = new Map<string, string>()

const from = '2098-03-30'
const to = '2098-04-03'
const range = { from, to }

const addShift = async (name: string, times: object) =>
  (await http.call('shift/add', { name, ...times } as PathCall<'shift/add'>, owner)).id

beforeAll(async () => {
  owner = await register(http)
  office = owner.department
  works = (await http.call('department/add', { name: 'Works' }, owner)).id
  const add = async (first_name: string, workno: string, department: string) =>
    people.set(
      first_name,
      (await http.call('employee/add', { first_name, last_name: 'X', workno, department }, owner)).id,
    )
  await add('Anna', '11', office)
  await add('Berta', '12', works)
  await add('Carla', '13', works)
  await add('Dora', '14', office)
  const { id: roleId } = await http.call('role/add', { name: 'Plans', permissions: [7], departments: [works] }, owner)
  manager = await invite(http, owner, {
    first_name: 'Mona',
    last_name: 'M',
    workno: '20',
    department: office,
    role: 2,
    roleId,
  })
  early = await addShift('Early', { punchStart: '05:00', onDuty: '06:00', offDuty: '14:00', punchEnd: '15:00' })
  late = await addShift('Late', { punchStart: '13:00', onDuty: '14:00', offDuty: '22:00', punchEnd: '23:00' })
  const row = (names: string[], cells: (number[] | null)[]) => ({
    employees: names.map(name => people.get(name) ?? ''),
    cells,
  })
  const rows = [row(['Anna', 'Berta'], [[0], [0, 1], null, [0]]), row(['Carla'], [null, [1]])]
  const planTask = await http.call('schedule/plan', { plan: { from, shifts: [early, late], rows } }, owner)
  expect(await taskEnd(http, owner, planTask)).toMatchObject({ state: 'done', rowCount: 7 })
  // A day outside the range, but in the same months.
  const plan = { from: '2098-04-20', shifts: [late], rows: [row(['Dora'], [[0]])] }
  await taskEnd(http, owner, await http.call('schedule/plan', { plan }, owner))
})

describe('schedule/grid', () => {
  const listNames = async (filters: object, caller: Signed = owner) => {
    const { list, count } = await http.call('schedule/grid', { filters: { ...range, ...filters } }, caller)
    expect(count).toBe(list.length)
    return list.map(({ first_name }) => first_name)
  }

  test('lists employees with the shift on a day of the range', async () => {
    expect(await listNames({})).toEqual(['Anna', 'Berta', 'Carla', 'Dora', 'Mona', 'Olga'])
    expect(await listNames({ shift: early })).toEqual(['Anna', 'Berta'])
    expect(await listNames({ shift: late })).toEqual(['Anna', 'Berta', 'Carla'])
    expect(await listNames({ shift: late, department: works })).toEqual(['Berta', 'Carla'])
    expect(await listNames({ shift: late, search: 'carl' })).toEqual(['Carla'])
    expect(await listNames({ shift: '0000000000000000' })).toEqual([])
    expect(await listNames({ shift: late }, manager)).toEqual(['Berta', 'Carla'])
    expect(await listNames({ shift: early, department: office }, manager)).toEqual([])
    expect(await listNames({ shift: early, from: '2098-04-02', to: '2098-04-02' })).toEqual(['Anna', 'Berta'])
    expect(await listNames({ shift: late, from: '2098-04-02', to: '2098-04-02' })).toEqual([])
  })

  test('pages through a list filtered by shift', async () => {
    const names: string[] = []
    let page: string | undefined
    do {
      const part = await http.call('schedule/grid', { filters: { ...range, shift: late ?? '' }, size: 1, page }, owner)
      names.push(...part.list.map(({ first_name }) => first_name))
      page = part.next
    } while (page)
    expect(names).toEqual(['Anna', 'Berta', 'Carla'])
  })
})

describe('schedule/search', () => {
  const listEntries = async (filters: object, caller: Signed = owner, size = 50) => {
    const names: string[] = []
    let page: string | undefined
    do {
      const part: Awaited<ReturnType<typeof http.call<'schedule/search'>>> = await http.call(
        'schedule/search',
        { filters: { ...range, ...filters }, size, ...(page && { page }) },
        caller,
      )
      expect(part.list.length).toBeLessThanOrEqual(size)
      names.push(...part.list.map(({ name, day, shiftName }) => `${name} ${day.slice(5)} ${shiftName}`))
      page = part.next
    } while (page)
    return names
  }
  const entriesOfBerta = ['Berta X 03-30 Early', 'Berta X 03-31 Early', 'Berta X 03-31 Late', 'Berta X 04-02 Early']

  test('lists each shift of each day, by employee and day, on pages of any size', async () => {
    const all = [...entriesOfBerta.map(line => line.replace('Berta', 'Anna')), ...entriesOfBerta, 'Carla X 03-31 Late']
    for (const size of [50, 1, 2, 4]) expect(await listEntries({}, owner, size)).toEqual(all)
  })

  test('filters by shift, search and department, and shows only the manager’s employees', async () => {
    expect(await listEntries({ shift: late })).toEqual([
      'Anna X 03-31 Late',
      'Berta X 03-31 Late',
      'Carla X 03-31 Late',
    ])
    expect(await listEntries({ search: '12' })).toEqual(entriesOfBerta)
    expect(await listEntries({ department: office, shift: early })).toHaveLength(3)
    expect(await listEntries({}, manager)).toEqual([...entriesOfBerta, 'Carla X 03-31 Late'])
    const { list } = await http.call('schedule/search', { filters: { ...range, search: 'Carla' } }, owner)
    const [employee, shift] = [people.get('Carla'), late]
    expect(list).toEqual([{ employee, name: 'Carla X', workno: '13', day: '2098-03-31', shift, shiftName: 'Late' }])
  })
})

describe('schedule/summary', () => {
  test('counts the employees of each day and shift, only for the manager’s departments', async () => {
    const { employees, list } = await http.call('schedule/summary', range, owner)
    expect(employees).toBe(6)
    expect(list.map(({ day, shift, employees }) => [day.slice(5), shift, employees])).toEqual([
      ['03-30', early, 2],
      ['03-31', early, 2],
      ['03-31', late, 3],
      ['04-02', early, 2],
    ])
    const ownSummary = await http.call('schedule/summary', { ...range, search: 'a' }, manager)
    expect(ownSummary).toMatchObject({
      employees: 2,
      list: [{ employees: 1 }, { employees: 1 }, { employees: 2 }, { employees: 1 }],
    })
    const refused = { code: 60004, fields: { department: 60004 } }
    expect(await http.ask('schedule/summary', { ...range, department: office ?? '' }, manager)).toMatchObject(refused)
    expect(await http.ask('schedule/summary', { ...range, department: '0'.repeat(16) }, owner)).toMatchObject(refused)
  })

  test.each(['schedule/grid', 'schedule/search'] as const)('and %s accept at most 62 days', async path => {
    const wide = { from, to: '2098-06-30' }
    const refused = { code: 10002, fields: { 'filters.to': 10002 } }
    expect(await http.ask(path, { filters: wide }, owner)).toMatchObject(refused)
    expect(await http.ask(path, { filters: { from: to, to: from } }, owner)).toMatchObject(refused)
    expect(await http.ask('schedule/summary', wide, owner)).toMatchObject({ code: 10002, fields: { to: 10002 } })
  })
})
