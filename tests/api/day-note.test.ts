import { beforeAll, describe, expect, inject, test } from 'vitest'
import { addDays, localDay } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register, type Signed, strongPassword } from '../kit/client.ts'

// An employee explains a day to the managers, such as a late arrival.

const http = client(inject('address'))
const zone = 'Europe/Athens'
const today = localDay(zone, Date.now())
const yesterday = addDays(today, -1)
const note = 'The bridge was closed'

let company: Registered
let boss: Signed
let number = 10

const addEmployee = async (more: object = {}) => {
  const workno = String(++number)
  const person = { first_name: 'Ann', last_name: workno, workno, department: company.department, ...more }
  const { id } = await http.call('employee/add', { ...person, password: strongPassword }, boss)
  const signed = await http.call('personal/login', { code: company.company_num, workno, password: strongPassword }, {})
  return { id, token: signed.token }
}
const addManager = async (permissions: (8 | 9 | 10)[], department: string) => {
  const { id: roleId } = await http.call(
    'role/add',
    { name: `Role ${++number}`, permissions, departments: [department] },
    boss,
  )
  const person = { first_name: 'Mona', last_name: 'M', workno: String(++number), department, role: 2 as const, roleId }
  return invite(http, boss, person)
}

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  boss = { token: company.token, headers: { 'x-timezone': zone } }
})

describe('an explanation of a day', () => {
  test('is shown to the employee and to each manager of the day, and changes no hours', async () => {
    const ann = await addEmployee()
    await http.call('personal/record/explain', { day: yesterday, note }, ann)
    const own = await http.call('personal/report/record', { day: yesterday }, ann)
    expect(own).toMatchObject({ note: { note }, list: [] })
    for (const permission of [8, 9, 10] as const) {
      const manager = await addManager([permission], company.department)
      const shown = await http.call('report/day', { employee: ann.id, day: yesterday }, manager)
      expect(shown.note).toEqual(own.note)
    }
    const { explained } = await http.call('personal/record/all', { from: yesterday, to: today }, ann)
    expect(explained).toEqual([yesterday])
  })

  test('notifies the managers of the department who may correct the day, and opens it', async () => {
    const ann = await addEmployee()
    const { id: other } = await http.call('department/add', { name: 'Far', parent: company.department }, boss)
    const [mona, viewer, stranger] = [
      await addManager([8, 9], company.department),
      await addManager([8], company.department),
      await addManager([8, 9], other),
    ]
    await http.call('personal/record/explain', { day: yesterday, note }, ann)
    const ofAnn = async (by: Signed) =>
      (await http.call('notice/grid', { filters: {} }, by)).list.filter(
        ({ kind, employee }) => kind === 'day.explained' && employee === ann.id,
      )
    for (const manager of [mona, boss]) {
      const [notice, ...more] = await eventually(
        () => ofAnn(manager),
        found => expect(found).toHaveLength(1),
      )
      expect(more).toEqual([])
      expect(notice).toMatchObject({ side: 'management', date: yesterday, toDate: yesterday })
      const { searchParams } = new URL(notice?.address ?? '', 'https://site.example')
      expect(Object.fromEntries(searchParams)).toMatchObject({ employee: ann.id, day: yesterday })
    }
    for (const manager of [viewer, stranger, ann]) expect(await ofAnn(manager)).toEqual([])
  })

  test('is replaced by a later one, and the audit keeps both', async () => {
    const ann = await addEmployee()
    await http.call('personal/record/explain', { day: yesterday, note }, ann)
    await http.call('personal/record/explain', { day: yesterday, note: 'The bus broke down' }, ann)
    expect((await http.call('personal/report/record', { day: yesterday }, ann)).note?.note).toBe('The bus broke down')
    const { list } = await http.call('audit/grid', { filters: { noun: 'dayNote', employee: ann.id } }, boss)
    expect(list.map(({ path }) => path)).toEqual(['personal/record/explain', 'personal/record/explain'])
    expect(JSON.stringify(list)).toContain(note)
  })

  test('is hidden from managers of another department', async () => {
    const ann = await addEmployee()
    await http.call('personal/record/explain', { day: yesterday, note }, ann)
    const { id: other } = await http.call('department/add', { name: 'Other', parent: company.department }, boss)
    const stranger = await addManager([8, 9, 10], other)
    expect(await http.ask('report/day', { employee: ann.id, day: yesterday }, stranger)).toMatchObject({ code: 60004 })
  })

  test('is refused without text, for a future day, before the hire date and on a locked day', async () => {
    const ann = await addEmployee({ hireDay: yesterday })
    const explain = (day: string, text = note) => http.ask('personal/record/explain', { day, note: text }, ann)
    expect(await explain(yesterday, ' ')).toMatchObject({ code: 10002, fields: { note: 60001 } })
    expect(await explain(addDays(today, 1))).toMatchObject({ code: 10002, fields: { day: 10002 } })
    expect(await explain(addDays(yesterday, -1))).toMatchObject({ code: 10002, fields: { day: 10002 } })
    const old = await addEmployee()
    const { settledTo: lockedTo, version } = await http.call('report/lock', {}, boss)
    await http.call('report/lock/update', { lockedTo, version }, boss)
    const locked = await http.ask('personal/record/explain', { day: lockedTo, note }, old)
    expect(locked).toMatchObject({ code: 60061, fields: { day: 60061 } })
  })

  test('disappears when the person is erased', async () => {
    const ann = await addEmployee()
    await http.call('personal/record/explain', { day: today, note }, ann)
    await http.call('employee/erase', { id: ann.id }, boss)
    await eventually(
      () => http.call('report/day', { employee: ann.id, day: today }, boss),
      shown => expect(shown.note).toBeUndefined(),
    )
  })
})
