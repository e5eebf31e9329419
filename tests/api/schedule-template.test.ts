import { beforeAll, describe, expect, inject, test } from 'vitest'
import { templateLimits } from '../../shared/schedule/limit.ts'
import { client, eventually, invite, type Registered, register, type Signed } from '../kit/client.ts'

// The rotation templates of a company.

const http = client(inject('address'))
let owner: Registered
let planner: Signed
let shift: string

const form = (name: string, days = week()) => ({ name, firstWeekday: 1, days })
/** Five days of the shift, a day off, and a day that stays as it is. */
const week = () => [...Array.from({ length: 5 }, () => ({ shifts: [shift] })), { shifts: [] }, {}]
const listNames = async (caller: Signed) =>
  (await http.call('schedule/template/grid', {}, caller)).list.map(({ name }) => name)

beforeAll(async () => {
  owner = await register(http)
  const { id: roleId } = await http.call(
    'role/add',
    { name: 'Plans', permissions: [7], departments: [owner.department] },
    owner,
  )
  const person = {
    first_name: 'M',
    last_name: 'M',
    workno: '20',
    department: owner.department,
    role: 2 as const,
    roleId,
  }
  planner = await invite(http, owner, person)
  const times = { punchStart: '05:00', onDuty: '06:00', offDuty: '14:00', punchEnd: '15:00' }
  shift = (await http.call('shift/add', { name: 'Early', ...times }, owner)).id
})

describe('a rotation template', () => {
  test('keeps its weeks for all planners of the company, until a planner renames or deletes it', async () => {
    const { id } = await http.call('schedule/template/add', form('Office week'), planner)
    const { list, count } = await http.call('schedule/template/grid', {}, owner)
    expect(count).toBe(1)
    expect(list).toEqual([{ id, version: 1, ...form('Office week') }])
    await http.call('schedule/template/update', { id, version: 1, ...form('Five days') }, owner)
    expect(await listNames(planner)).toEqual(['Five days'])
    const stale = { id, version: 1, ...form('Late answer') }
    expect(await http.ask('schedule/template/update', stale, planner)).toMatchObject({ code: 60006 })
    await eventually(
      () => http.call('audit/grid', { filters: { noun: 'scheduleTemplate', object: id } }, owner),
      ({ list }) => expect(list).toHaveLength(2),
    )
    await http.call('schedule/template/delete', { id }, planner)
    expect(await listNames(owner)).toEqual([])
    const gone = { code: 60004, fields: { id: 60004 } }
    expect(await http.ask('schedule/template/delete', { id }, planner)).toMatchObject(gone)
  })

  test('has a name of its own, regardless of case and accents', async () => {
    const { id } = await http.call('schedule/template/add', form('Früh'), owner)
    const { id: other } = await http.call('schedule/template/add', form('Spät'), owner)
    const taken = { code: 60106, fields: { name: 60106 } }
    expect(await http.ask('schedule/template/add', form('FRUH'), planner)).toMatchObject(taken)
    const rename = { id: other, version: 1, ...form('fruh') }
    expect(await http.ask('schedule/template/update', rename, owner)).toMatchObject(taken)
    for (const one of [id, other]) await http.call('schedule/template/delete', { id: one }, owner)
    await http.call('schedule/template/add', form('Fruh'), owner)
  })

  test('consists of whole weeks with existing shifts, each once a day', async () => {
    const ask = (days: { shifts?: string[] }[]) => http.ask('schedule/template/add', form('Wrong', days), owner)
    expect(await ask(week().slice(1))).toMatchObject({ fields: { days: 60001 } })
    expect(await ask([...week(), {}])).toMatchObject({ fields: { days: 10002 } })
    expect(await ask(Array.from({ length: 9 }, week).flat())).toMatchObject({ fields: { days: 60002 } })
    const twice = [...week().slice(0, 6), { shifts: [shift, shift] }]
    expect(await ask(twice)).toMatchObject({ fields: { 'days.6.shifts': 10002 } })
    const unknown = [...week().slice(0, 6), { shifts: [shift, '0'.repeat(16)] }]
    expect(await ask(unknown)).toMatchObject({ code: 60004, fields: { 'days.6.shifts.1': 60004 } })
  })

  test('keeps its name changeable after the deletion of a shift, but takes no deleted shift in', async () => {
    const times = { punchStart: '12:00', onDuty: '13:00', offDuty: '20:00', punchEnd: '21:00' }
    const { id: late } = await http.call('shift/add', { name: 'Late', ...times }, owner)
    const days = [...week().slice(0, 6), { shifts: [late] }]
    const { id } = await http.call('schedule/template/add', form('With late', days), planner)
    await http.call('shift/delete', { id: late }, owner)
    await http.call('schedule/template/update', { id, version: 1, ...form('Without late', days) }, planner)
    expect(await listNames(planner)).toContain('Without late')
    const refusal = { code: 60004, fields: { 'days.6.shifts.0': 60004 } }
    expect(await http.ask('schedule/template/add', form('Once more', days), planner)).toMatchObject(refusal)
  })

  test('is refused above the limit of a company', async () => {
    const { token } = await register(http)
    const add = (name: string) =>
      http.ask(
        'schedule/template/add',
        { name, firstWeekday: 0, days: Array.from({ length: 7 }, () => ({})) },
        { token },
      )
    for (let i = 0; i < templateLimits.templates; i++) expect(await add(`Rotation ${i}`)).toMatchObject({ code: 0 })
    expect(await add('One more')).toMatchObject({ code: 60072 })
  })
})
