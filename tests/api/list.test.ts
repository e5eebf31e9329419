import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { client, invite, type Registered, register, type Signed } from '../kit/client.ts'

// Lists over HTTP: sort orders, filters, pages and the view of a manager. In tests/unit/employee-list.test.ts, the
// pages equal the whole list.

const http = client(inject('address'))

let olga: Registered
let boss: Signed
let mona: Signed
let [sales, works, office]: string[] = []

const people = [
  { first_name: 'Ánna', last_name: 'Berg', workno: '20', at: () => [sales] },
  { first_name: 'anna', last_name: 'Arno', workno: '3', at: () => [works], position: 'Driver' },
  { first_name: 'Zoe', last_name: 'Zorn', workno: '100', at: () => [works, sales], endDay: '2020-01-31' },
  { first_name: 'Σωτήρης', last_name: 'Παππάς', workno: '4', at: () => [office], email: 'sot@example.com' },
  { first_name: 'Kim', last_name: 'Kern', workno: '5', at: () => [office, works], role: 0 },
]

beforeAll(async () => {
  olga = await register(http)
  boss = { token: olga.token }
  const add = async (name: string) => (await http.call('department/add', { name }, boss)).id
  ;[sales, works, office] = [await add('Sales'), await add('Works'), await add('Office 10')]
  for (const { at, ...person } of people) {
    const [department = '', ...departments] = at().map(id => id ?? '')
    await http.call('employee/add', { ...person, department, ...(departments.length > 0 && { departments }) }, boss)
  }
  const role = { name: 'Both', permissions: [1, 3], departments: [sales ?? '', works ?? ''] }
  const { id: roleId } = await http.call('role/add', role, boss)
  const manager = { first_name: 'Mona', last_name: 'M', workno: '9', department: office ?? '', role: 2, roleId }
  mona = await invite(http, boss, manager)
})

type Ask = Omit<PathCall<'employee/grid'>, 'page' | 'size'>
const numbers = async (ask: Ask = {}, by = boss, size = 2) => {
  const worknos: string[] = []
  let page: string | undefined
  do {
    const part = await http.call('employee/grid', { ...ask, size, ...(page && { page }) }, by)
    expect(part.list.length).toBeLessThanOrEqual(size)
    worknos.push(...part.list.map(({ workno }) => workno))
    page = part.next
  } while (page)
  return worknos
}

describe('employee/grid', () => {
  test('sorts by name or number in both directions', async () => {
    const byName = ['3', '20', '5', '9', '1', '100', '4']
    const byNumber = ['1', '3', '4', '5', '9', '20', '100']
    expect(await numbers()).toEqual(byName)
    expect(await numbers({ sort: { by: 'name', descending: true } })).toEqual(byName.toReversed())
    expect(await numbers({ sort: { by: 'workno' } })).toEqual(byNumber)
    expect(await numbers({ sort: { by: 'workno', descending: true } })).toEqual(byNumber.toReversed())
    const refused = await http.ask('employee/grid', { sort: { by: 'email' } } as never, boss)
    expect(refused).toMatchObject({ code: 10002, fields: { 'sort.by': 10002 } })
  })

  test('filters by words, department, role and state', async () => {
    const search = (search: string) => numbers({ filters: { search }, sort: { by: 'workno' } })
    expect(await search('ANNA')).toEqual(['3', '20'])
    expect(await search('berg ánna')).toEqual(['20'])
    expect(await search('σωτηρης')).toEqual(['4'])
    expect(await search('SOT@')).toEqual(['4'])
    expect(await search('driv')).toEqual(['3'])
    expect(await numbers({ filters: { search: '10', department: works ?? '' } })).toEqual(['100'])
    expect(await search('nobody')).toEqual([])
    expect(await numbers({ filters: { department: works ?? '' } })).toEqual(['3', '5', '100'])
    expect(await numbers({ filters: { role: 1 } })).toEqual(['1'])
    expect(await numbers({ filters: { state: 'left' } })).toEqual(['100'])
    expect(await numbers({ filters: { state: 'waiting' } })).toEqual(['5'])
    expect(await numbers({ filters: { state: 'active', department: works ?? '' } })).toEqual(['3'])
  })

  test('shows a manager each employee of their departments once', async () => {
    expect(await numbers({}, mona)).toEqual(['3', '20', '5', '100'])
    expect(await numbers({ sort: { by: 'workno', descending: true } }, mona, 1)).toEqual(['100', '20', '5', '3'])
    expect(await numbers({ filters: { department: office ?? '' } }, mona)).toEqual([])
    expect(await numbers({ filters: { search: 'σωτ' } }, mona)).toEqual([])
    expect(await numbers({ filters: { state: 'waiting' } }, mona)).toEqual(['5'])
  })

  test('follows renamed, renumbered, moved and deleted employees', async () => {
    const find = async () =>
      (await http.call('employee/grid', { filters: { search: 'Arno' } }, boss)).list.find(Boolean) ?? {
        id: '',
        version: 0,
      }
    const { id, version } = await find()
    const form = { id, version, first_name: 'Yan', last_name: 'Arno', workno: '300', department: office ?? '' }
    await http.call('employee/update', form, boss)
    expect(await numbers()).toEqual(['20', '5', '9', '1', '300', '100', '4'])
    expect(await numbers({ sort: { by: 'workno' } }, mona)).toEqual(['5', '20', '100'])
    await http.call('employee/delete', { id }, boss)
    expect(await numbers()).toEqual(['20', '5', '9', '1', '100', '4'])
  })
})

describe('department/grid', () => {
  const names = async (sort: PathCall<'department/grid'>['sort'], by = boss) => {
    const rows: [string, number][] = []
    let page: string | undefined
    do {
      const part = await http.call('department/grid', { sort, size: 2, ...(page && { page }) }, by)
      rows.push(...part.list.map(({ name, employeeCount }) => [name, employeeCount] satisfies [string, number]))
      page = part.next
    } while (page)
    return rows
  }

  test('counts main and additional employees, and sorts by name or count', async () => {
    // An earlier test deleted the only employee of Works alone.
    const all = [
      ['Office 10', 3],
      ['Olive & Sons', 1],
      ['Sales', 2],
      ['Works', 2],
    ]
    expect(await names({ by: 'name' })).toEqual(all)
    expect(await names({ by: 'name', descending: true })).toEqual(all.toReversed())
    expect((await names({ by: 'employeeCount', descending: true }))[0]).toEqual(['Office 10', 3])
    expect((await names({ by: 'employeeCount' })).map(([, count]) => count)).toEqual([1, 2, 2, 3])
    expect(await names({ by: 'name' }, mona)).toEqual([
      ['Sales', 2],
      ['Works', 2],
    ])
  })
})
