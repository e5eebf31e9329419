import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { client, invite, type Registered, register, type Signed } from '../kit/client.ts'
import { taskEnd } from '../kit/sheet.ts'

// What the board and its search read.

const http = client(inject('address'))
let mine: Registered
let mona: Signed
let [office, works]: string[] = []
let [early, late]: string[] = []
const people = new Map<string, string>()

const from = '2098-03-30'
const to = '2098-04-03'
const range = { from, to }

const addShift = async (name: string, times: object) =>
  (await http.call('shift/add', { name, ...times } as PathCall<'shift/add'>, mine)).id

beforeAll(async () => {
  mine = await register(http)
  office = mine.department
  works = (await http.call('department/add', { name: 'Works' }, mine)).id
  const add = async (first_name: string, workno: string, department: string) =>
    people.set(
      first_name,
      (await http.call('employee/add', { first_name, last_name: 'X', workno, department }, mine)).id,
    )
  await add('Anna', '11', office)
  await add('Berta', '12', works)
  await add('Carla', '13', works)
  await add('Dora', '14', office)
  const { id: roleId } = await http.call('role/add', { name: 'Plans', permissions: [7], departments: [works] }, mine)
  mona = await invite(http, mine, {
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
  const begun = await http.call('schedule/plan', { plan: { from, shifts: [early, late], rows } }, mine)
  expect(await taskEnd(http, mine, begun)).toMatchObject({ state: 'done', rowCount: 7 })
  // Outside the range, but in its months.
  const plan = { from: '2098-04-20', shifts: [late], rows: [row(['Dora'], [[0]])] }
  await taskEnd(http, mine, await http.call('schedule/plan', { plan }, mine))
})

describe('schedule/grid', () => {
  const names = async (filters: object, signed: Signed = mine) => {
    const { list, count } = await http.call('schedule/grid', { filters: { ...range, ...filters } }, signed)
    expect(count).toBe(list.length)
    return list.map(({ first_name }) => first_name)
  }

  test('shows those who have a shift on a day of the range', async () => {
    expect(await names({})).toEqual(['Anna', 'Berta', 'Carla', 'Dora', 'Mona', 'Olga'])
    expect(await names({ shift: early })).toEqual(['Anna', 'Berta'])
    expect(await names({ shift: late })).toEqual(['Anna', 'Berta', 'Carla'])
    expect(await names({ shift: late, department: works })).toEqual(['Berta', 'Carla'])
    expect(await names({ shift: late, search: 'carl' })).toEqual(['Carla'])
    expect(await names({ shift: '0000000000000000' })).toEqual([])
    expect(await names({ shift: late }, mona)).toEqual(['Berta', 'Carla'])
    expect(await names({ shift: early, department: office }, mona)).toEqual([])
    expect(await names({ shift: early, from: '2098-04-02', to: '2098-04-02' })).toEqual(['Anna', 'Berta'])
    expect(await names({ shift: late, from: '2098-04-02', to: '2098-04-02' })).toEqual([])
  })

  test('goes on page after page with a shift as well', async () => {
    const found: string[] = []
    let page: string | undefined
    do {
      const part = await http.call('schedule/grid', { filters: { ...range, shift: late ?? '' }, size: 1, page }, mine)
      found.push(...part.list.map(({ first_name }) => first_name))
      page = part.next
    } while (page)
    expect(found).toEqual(['Anna', 'Berta', 'Carla'])
  })
})

describe('schedule/search', () => {
  const entries = async (filters: object, signed: Signed = mine, size = 50) => {
    const found: string[] = []
    let page: string | undefined
    do {
      const part: Awaited<ReturnType<typeof http.call<'schedule/search'>>> = await http.call(
        'schedule/search',
        { filters: { ...range, ...filters }, size, ...(page && { page }) },
        signed,
      )
      expect(part.list.length).toBeLessThanOrEqual(size)
      found.push(...part.list.map(({ name, day, shiftName }) => `${name} ${day.slice(5)} ${shiftName}`))
      page = part.next
    } while (page)
    return found
  }
  const ofBerta = ['Berta X 03-30 Early', 'Berta X 03-31 Early', 'Berta X 03-31 Late', 'Berta X 04-02 Early']

  test('lists each shift of each day, by people and days, on pages of any size', async () => {
    const all = [...ofBerta.map(line => line.replace('Berta', 'Anna')), ...ofBerta, 'Carla X 03-31 Late']
    for (const size of [50, 1, 2, 4]) expect(await entries({}, mine, size)).toEqual(all)
  })

  test('is narrowed by shift, words and department, and to whom one manages', async () => {
    expect(await entries({ shift: late })).toEqual(['Anna X 03-31 Late', 'Berta X 03-31 Late', 'Carla X 03-31 Late'])
    expect(await entries({ search: '12' })).toEqual(ofBerta)
    expect(await entries({ department: office, shift: early })).toHaveLength(3)
    expect(await entries({}, mona)).toEqual([...ofBerta, 'Carla X 03-31 Late'])
    const { list } = await http.call('schedule/search', { filters: { ...range, search: 'Carla' } }, mine)
    const [employee, shift] = [people.get('Carla'), late]
    expect(list).toEqual([{ employee, name: 'Carla X', workno: '13', day: '2098-03-31', shift, shiftName: 'Late' }])
  })
})

describe('schedule/summary', () => {
  test('counts the people of each day and shift, of those one manages', async () => {
    const { employees, list } = await http.call('schedule/summary', range, mine)
    expect(employees).toBe(6)
    expect(list.map(({ day, shift, employees }) => [day.slice(5), shift, employees])).toEqual([
      ['03-30', early, 2],
      ['03-31', early, 2],
      ['03-31', late, 3],
      ['04-02', early, 2],
    ])
    const own = await http.call('schedule/summary', { ...range, search: 'a' }, mona)
    expect(own).toMatchObject({
      employees: 2,
      list: [{ employees: 1 }, { employees: 1 }, { employees: 2 }, { employees: 1 }],
    })
    const refused = { code: 60004, fields: { department: 60004 } }
    expect(await http.ask('schedule/summary', { ...range, department: office ?? '' }, mona)).toMatchObject(refused)
    expect(await http.ask('schedule/summary', { ...range, department: '0'.repeat(16) }, mine)).toMatchObject(refused)
  })

  test.each(['schedule/grid', 'schedule/search'] as const)('and %s take no more than 62 days', async path => {
    const wide = { from, to: '2098-06-30' }
    const refused = { code: 10002, fields: { 'filters.to': 10002 } }
    expect(await http.ask(path, { filters: wide }, mine)).toMatchObject(refused)
    expect(await http.ask(path, { filters: { from: to, to: from } }, mine)).toMatchObject(refused)
    expect(await http.ask('schedule/summary', wide, mine)).toMatchObject({ code: 10002, fields: { to: 10002 } })
  })
})
