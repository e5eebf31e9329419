import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { readySets } from '../../shared/attendance/hours/ready.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, invite, type Registered, register } from '../kit/client.ts'
import { dayIn } from '../kit/evening.ts'
import { taskEnd } from '../kit/sheet.ts'

// Hour sets as administrators keep them: added, changed from a day on, named by departments, and deleted.

const http = client(inject('address'))
const zone = 'Etc/UTC'
const today = dayIn(zone)

type Form = PathCall<'attparams/hours/update'>
type Set = NonNullable<Form['set']>

const named = (name: string, changes: Partial<Set> = {}): Set => ({
  ...structuredClone(readySets.plain),
  name,
  ...changes,
})

const found = async () => {
  const company = await register(http, { timezone: zone })
  const readVersion = async () => (await http.call('attparams/index', {}, company)).version
  const update = async (form: Omit<Form, 'version'>) =>
    http.call('attparams/hours/update', { version: await readVersion(), ...form }, company)
  const ask = async (form: object) =>
    http.ask('attparams/hours/update', { version: await readVersion(), ...form } as Form, company)
  const list = async () => (await http.call('attparams/hours/grid', {}, company)).list
  return { company, readVersion, update, ask, list }
}

let own: Awaited<ReturnType<typeof found>>
let company: Registered
beforeAll(async () => {
  own = await found()
  company = own.company
})

describe('an hour set', () => {
  test('is kept by date, so that earlier days keep the earlier set', async () => {
    const since = addDays(today, -40)
    const { id, warnings } = await own.update({ set: named('First'), isCompanySet: true, from: since })
    expect(warnings).toEqual([])
    await own.update({ id, set: named('Second'), isCompanySet: true, from: addDays(today, -10) })
    const read = await http.call('attparams/hours/index', { id }, company)
    expect(read).toMatchObject({ name: 'Second', since: addDays(today, -10), isCompanySet: true })
    expect(read.former).toMatchObject([{ name: 'First', since, until: addDays(today, -11) }])
    expect(await own.list()).toMatchObject([{ id, name: 'Second' }])
    // A change of an earlier day replaces all later ones of the set.
    await own.update({ id, set: named('Third'), isCompanySet: true, from: addDays(today, -20) })
    const { former } = await http.call('attparams/hours/index', { id }, company)
    expect(former).toMatchObject([{ name: 'First', until: addDays(today, -21) }])
  })

  test('leaves the later changes of other sets as they are', async () => {
    const { company, update } = await found()
    const [since, middle, later] = [addDays(today, -40), addDays(today, -20), addDays(today, -10)]
    const one = await update({ set: named('One'), isCompanySet: true, from: since })
    const other = await update({ set: named('Other'), from: since })
    await update({ id: other.id, set: named('Other later'), from: later })
    const unchanged = {
      ...{ name: 'Other later', since: later, isCompanySet: false },
      former: [{ name: 'Other', since, until: addDays(later, -1) }],
    }
    await update({ id: one.id, set: named('One changed'), isCompanySet: true, from: middle })
    expect(await http.call('attparams/hours/index', { id: other.id }, company)).toMatchObject(unchanged)
    const changed = await http.call('attparams/hours/index', { id: one.id }, company)
    expect(changed).toMatchObject({ name: 'One changed', since: middle, former: [{ name: 'One' }] })
    await update({ id: one.id, set: null, from: middle })
    expect(await http.call('attparams/hours/index', { id: other.id }, company)).toMatchObject(unchanged)
  })

  test('that stays as it is starts no task', async () => {
    const { list, update } = await found()
    const { id } = await update({ set: named('Same'), isCompanySet: true, from: today })
    expect(await update({ id, set: named('Same'), isCompanySet: true })).toEqual({ id, warnings: [] })
    expect(await list()).toHaveLength(1)
  })

  test('ends on the day before its deletion', async () => {
    const { update, list, company } = await found()
    const { id } = await update({ set: named('Gone'), from: addDays(today, -5) })
    await update({ id, set: null, from: today })
    expect(await list()).toEqual([])
    expect(await http.call('attparams/hours/index', { id }, company)).toMatchObject({
      name: 'Gone',
      since: addDays(today, -5),
      former: [],
    })
  })

  test('that a department names is no longer named by another set', async () => {
    const { update, list, company } = await found()
    const { id: department } = await http.call('department/add', { name: 'Night' }, company)
    await update({ set: named('One'), departments: [department] })
    await update({ set: named('Two'), departments: [department] })
    expect(await list()).toMatchObject([
      { name: 'One', departments: [] },
      { name: 'Two', departments: [department] },
    ])
  })

  test('is one of at most ten', async () => {
    const { update, ask } = await found()
    for (let n = 0; n < 10; n++) await update({ set: named(`Set ${n}`) })
    expect(await ask({ set: named('Eleventh') })).toMatchObject({ code: 60072 })
  })

  test('keeps departments that its author does not manage, and does not show them', async () => {
    const { update, company, readVersion } = await found()
    const add = async (name: string) => (await http.call('department/add', { name }, company)).id
    const [mine, other] = [await add('Mine'), await add('Other')]
    const { id } = await update({ set: named('Shared'), departments: [other] })
    const role = { name: 'Rules', permissions: [5 as const], departments: [mine] }
    const { id: roleId } = await http.call('role/add', role, company)
    const person = { first_name: 'R', last_name: 'M', workno: '31', department: mine, role: 2 as const, roleId }
    const manager = await invite(http, company, person)
    const change = { id, set: named('Changed'), isCompanySet: false }
    const refused = { version: await readVersion(), ...change, departments: [other] }
    expect(await http.ask('attparams/hours/update', refused, manager)).toMatchObject({
      code: 60004,
      fields: { 'departments.0': 60004 },
    })
    await http.call('attparams/hours/update', { ...refused, departments: [mine] }, manager)
    expect(await http.call('attparams/hours/index', { id }, manager)).toMatchObject({ departments: [mine] })
    expect(await http.call('attparams/hours/index', { id }, company)).toMatchObject({
      name: 'Changed',
      departments: [mine, other].sort(),
    })
  })

  test('of another company does not exist', async () => {
    const { update } = await found()
    const { id } = await update({ set: named('Foreign') })
    expect(await http.ask('attparams/hours/index', { id }, company)).toMatchObject({
      code: 60004,
      fields: { id: 60004 },
    })
    expect(await own.ask({ id, set: null })).toMatchObject({ code: 60004, fields: { id: 60004 } })
  })

  test('appears among the ready-made sets without a fault', async () => {
    const { list } = await http.call('attparams/hours/ready', {}, company)
    expect(list.map(({ name }) => name)).toEqual(Object.keys(readySets))
    const { update } = await found()
    for (const { set } of list) expect((await update({ set })).warnings).toEqual([])
  })

  test('gives its kinds to reports, with those of former sets', async () => {
    const { update, company } = await found()
    const { id } = await update({ set: named('Plain'), isCompanySet: true, from: addDays(today, -5) })
    await update({ id, set: readySets.china, isCompanySet: true })
    const { list } = await http.call('report/kind', {}, company)
    expect(list.map(({ code, isExtra }) => [code, isExtra])).toEqual(
      expect.arrayContaining([
        ['N', false],
        ['H300', false],
        ['NIGHT', true],
      ]),
    )
    expect(new Set(list.map(({ code }) => code)).size).toBe(list.length)
  })
})

describe('bad input', () => {
  const last = { kind: 'N' }
  test.each<[string, Partial<Set>, object]>([
    ['a last rule with conditions', { base: [{ kind: 'N', overtime: true }] }, { 'set.base.0': 60110 }],
    ['no base rule', { base: [] }, { 'set.base.0': 60110 }],
    [
      'two kinds with one code',
      { kinds: [...readySets.plain.kinds, { code: 'N', name: 'Again', color: '#000000' }] },
      { 'set.kinds.5.code': 60111 },
    ],
    [
      'an empty window',
      { extra: [{ kind: 'NIGHT', window: { from: '22:00', to: '22:00' } }] },
      { 'set.extra.0.window.to': 60112 },
    ],
    ['an unknown kind', { base: [{ kind: 'X', overtime: true }, last] }, { 'set.base.0.kind': 60004 }],
    [
      '21 rules',
      { base: [...Array.from({ length: 20 }, (_, n) => ({ kind: 'OT', dayOver: 600 - n })), last] },
      { 'set.base': 60113 },
    ],
  ])('names the field of %s', async (_, changes, fields) => {
    expect(await own.ask({ set: named('Bad', changes) })).toMatchObject({ fields })
  })

  test('names the field of a future day, a missing department and a missing set', async () => {
    const id = '0'.repeat(16)
    const set = named('Bad')
    expect(await own.ask({ set, from: addDays(today, 3) })).toMatchObject({ code: 10002, fields: { from: 10002 } })
    expect(await own.ask({ set, departments: [id] })).toMatchObject({ code: 60004, fields: { 'departments.0': 60004 } })
    expect(await own.ask({ id, set })).toMatchObject({ code: 60004, fields: { id: 60004 } })
    expect(await http.ask('attparams/hours/update', { version: 1, set }, company)).toMatchObject({ code: 60006 })
    expect(await http.ask('attparams/hours/preview', { version: 1, set }, company)).toMatchObject({ code: 60006 })
  })

  test('warns of a rule that never applies, and keeps the set', async () => {
    const base = [{ kind: 'OT', dayOver: 480 }, { kind: 'OT', dayOver: 600 }, last]
    expect(await own.update({ set: named('Warned', { base }) })).toMatchObject({
      warnings: [{ field: 'base.1', code: 60114 }],
    })
  })
})

test('a preview of a set without worked days changes nothing', async () => {
  const { readVersion, company } = await found()
  const form = { version: await readVersion(), set: named('Previewed'), isCompanySet: true }
  const { task, warnings } = await http.call('attparams/hours/preview', form, company)
  expect(warnings).toEqual([])
  const end = await taskEnd(http, company, { task })
  expect(end).toMatchObject({ state: 'done', preview: { days: 0, list: [] } })
})
