import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathOutput } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, invite, type Registered, register, strongPassword } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { importSheet, taskEnd } from '../kit/sheet.ts'

// The audit log: each change by a person, with values before and after, for administrators only.

const http = client(inject('address'))
const zone = eveningZone()
const day = dayIn(zone)
const headers = { 'x-timezone': zone }

type Row = PathOutput<'audit/grid'>['list'][number]
type Filters = {
  from?: string
  to?: string
  noun?: Row['changes'][number]['noun']
  employee?: string
  object?: string
  task?: string
  search?: string
}

let olga: Registered
let boss: { token: string; headers: Record<string, string> }

beforeAll(async () => {
  olga = await register(http, { timezone: zone })
  boss = { token: olga.token, headers }
})

const list = async (filters: Filters = {}, signed: { token: string } = boss, size = 200): Promise<Row[]> => {
  const rows: Row[] = []
  let page: string | undefined
  do {
    const part = await http.call('audit/grid', { filters, size, ...(page && { page }) }, signed)
    expect(part.list.length).toBeLessThanOrEqual(size)
    rows.push(...part.list)
    page = part.next
  } while (page)
  return rows
}
/** The entries of one object, oldest first. */
const entriesOf = async (object: string) => (await list({ object })).reverse()
const changesOf = async (object: string) => (await entriesOf(object)).flatMap(({ changes }) => changes)

const addDepartment = async (name = `D ${randomUUID()}`) => ({
  name,
  id: (await http.call('department/add', { name }, boss)).id,
})
const addPerson = async (more: object = {}) => {
  const workno = String(1000 + Math.floor(Math.random() * 1e9))
  const form = { first_name: 'Ada', last_name: 'Lark', workno, department: olga.department, ...more }
  return { form, id: (await http.call('employee/add', form, boss)).id }
}
const shift = { name: 'Day', onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00' }

describe('an audit entry', () => {
  test('names the owner as the author of a new company, its department and its owner', async () => {
    const rows = (await list()).filter(({ path }) => path === 'user/register')
    expect(rows).toMatchObject([{ employee: olga.owner, name: 'Olga Owner', ip: expect.any(String) }])
    expect(rows[0]?.changes.map(({ noun, change }) => [noun, change]).sort()).toEqual([
      ['company', 'added'],
      ['department', 'added'],
      ['employee', 'added'],
    ])
  })

  test('covers each change of a department', async () => {
    const { id, name } = await addDepartment()
    await http.call('department/update', { id, version: 1, name: `${name} 2`, tel: '1' }, boss)
    await http.call('department/delete', { id }, boss)
    const rows = await entriesOf(id)
    expect(rows.map(({ path }) => path)).toEqual(['department/add', 'department/update', 'department/delete'])
    expect(rows.map(({ changes }) => changes)).toMatchObject([
      [{ noun: 'department', id, name, change: 'added', fields: { name: { after: name } } }],
      [{ change: 'changed', fields: { name: { before: name, after: `${name} 2` }, tel: { after: '1' } } }],
      [{ change: 'removed', name: `${name} 2`, fields: { tel: { before: '1' } } }],
    ])
  })

  test('shows department names instead of ids, and keeps the name of an employee who has left', async () => {
    const { id: to, name } = await addDepartment()
    const { id, form } = await addPerson()
    await http.call('employee/update', { ...form, id, version: 1, department: to, last_name: 'Finch' }, boss)
    await http.call('employee/delete', { id }, boss)
    const rows = await entriesOf(id)
    const people = rows.flatMap(({ changes }) => changes.filter(({ noun }) => noun === 'employee'))
    expect(people).toMatchObject([
      { change: 'added', name: 'Ada Lark' },
      {
        change: 'changed',
        name: 'Ada Finch',
        fields: { last_name: { before: 'Lark', after: 'Finch' }, department: { before: olga.department, after: to } },
      },
      { change: 'removed', name: 'Ada Finch' },
    ])
    expect(Object.keys(people[1]?.fields ?? {}).sort()).toEqual(['department', 'last_name'])
    expect(rows[1]?.names).toMatchObject({ [to]: name, [id]: 'Ada Finch', [olga.department]: 'Olive & Sons' })
  })

  test('covers roles, shifts, terminals and schedules', async () => {
    const { id: roleId } = await http.call('role/add', { name: 'Looks', permissions: [1], departments: [] }, boss)
    const { id: shiftId } = await http.call('shift/add', shift, boss)
    await http.call('shift/update', { ...shift, id: shiftId, version: 1, allowedLateMinutes: 5 }, boss)
    const serialNumber = `AUDIT${Math.floor(Math.random() * 1e9)}`
    await http.call('device/add', { serialNumber, name: 'Door', department: olga.department }, boss)
    await http.call('device/secret', { serialNumber }, boss)
    const { id } = await addPerson()
    await http.call('schedule/add', { employees: [id], days: [day, addDays(day, 1)], shift: shiftId }, boss)
    await http.call('schedule/delete', { employee: id, day, shift: shiftId }, boss)

    expect(await changesOf(roleId)).toMatchObject([{ noun: 'role', change: 'added', name: 'Looks' }])
    expect(await changesOf(shiftId)).toMatchObject([
      { noun: 'shift', change: 'added' },
      { change: 'changed', fields: { allowedLateMinutes: { before: 0, after: 5 } } },
    ])
    expect(await changesOf(serialNumber)).toMatchObject([
      { noun: 'device', change: 'added', fields: { pathSecretHash: { after: '•••' } } },
      { change: 'changed', fields: { pathSecretHash: { before: '•••', after: '•••' } } },
    ])
    const days = (await entriesOf(id)).filter(({ changes }) => changes.some(({ noun }) => noun === 'schedule'))
    const fields = days.flatMap(({ changes }) => changes.map(({ fields }) => fields))
    expect(Object.assign({}, ...fields.slice(0, -1))).toEqual({
      [day]: { after: [shiftId] },
      [addDays(day, 1)]: { after: [shiftId] },
    })
    expect(fields.at(-1)).toEqual({ [day]: { before: [shiftId] } })
    expect(days[0]?.names).toMatchObject({ [shiftId]: 'Day', [id]: 'Ada Lark' })
  })

  test('shows that a secret changed, but never the secret', async () => {
    const secret = '74915263'
    await http.call('company/password', { comm_pwd: secret }, boss)
    const { id } = await addPerson({ password: strongPassword })
    const company = (await entriesOf(olga.company)).at(-1)
    expect(company).toMatchObject({ path: 'company/password', changes: [{ fields: { comm_pwd: { after: '•••' } } }] })
    expect(await changesOf(id)).toMatchObject([{ fields: { account: { after: '•••' }, passwordSetAt: {} } }])
    const everything = JSON.stringify(await list())
    expect(everything).not.toContain(secret)
    expect(everything).not.toContain(strongPassword)
    expect(everything).not.toContain('argon2')
    expect(everything).not.toContain(olga.token)
  })
})

describe('the audit log', () => {
  test('omits refused, repeated and read-only calls', async () => {
    const { name, id } = await addDepartment()
    const key = randomUUID()
    const again = { ...boss, headers: { ...headers, 'idempotency-key': key } }
    const form = { id, version: 1, name, tel: '5' }
    await http.call('department/update', form, again)
    await http.call('department/update', form, again)
    expect(await http.ask('department/update', form, boss)).toMatchObject({ code: 60006 })
    expect(await http.ask('department/add', { name }, boss)).toMatchObject({ code: 59002 })
    await http.call('department/grid', {}, boss)
    await http.call('employee/grid', {}, boss)
    expect(await changesOf(id)).toHaveLength(2)
    expect((await list()).filter(({ changes }) => changes.some(change => change.name === name))).toHaveLength(2)
  })

  test('omits updates that change nothing', async () => {
    const { name, id } = await addDepartment()
    await http.call('department/update', { id, version: 1, name }, boss)
    expect(await changesOf(id)).toHaveLength(1)
  })

  test('is hidden from other companies', async () => {
    const rival = await register(http, { company_name: 'Others' })
    const rows = await list({}, rival)
    expect(rows.map(({ path }) => path)).toEqual(['user/register'])
    expect(JSON.stringify(rows)).not.toContain(olga.company)
    const { id } = await addDepartment()
    expect(await list({ object: id }, rival)).toEqual([])
    const { next } = await http.call('audit/grid', { size: 1 }, boss)
    expect(await http.ask('audit/grid', { size: 1, page: next ?? '' }, rival)).toMatchObject({
      code: 10002,
      fields: { page: 10002 },
    })
  })
})

describe('the audit list', () => {
  test('returns every entry once, newest first, in pages of any size', async () => {
    for (let i = 0; i < 5; i++) await addDepartment()
    const whole = await list()
    expect(whole.map(({ at }) => at)).toEqual(
      whole
        .map(({ at }) => at)
        .sort()
        .reverse(),
    )
    expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length)
    for (const size of [1, 3, 7]) expect(await list({}, boss, size)).toEqual(whole)
  })

  test('filters by day, noun, object and author', async () => {
    const { id } = await addDepartment()
    const today = dayIn(zone)
    const whole = await list()
    expect(await list({ from: addDays(today, -1), to: addDays(today, 1) })).toEqual(whole)
    expect(await list({ to: addDays(today, -1) })).toEqual([])
    expect(await list({ from: addDays(today, 1) })).toEqual([])
    expect(await list({ from: '0001-01-01', to: '9999-12-31' }, boss, 2)).toEqual(whole)
    expect(await http.ask('audit/grid', { filters: { from: today, to: addDays(today, -1) } }, boss)).toMatchObject({
      code: 10002,
      fields: { 'filters.to': 10002 },
    })
    expect(await list({ employee: olga.owner })).toEqual(whole)
    expect(await list({ employee: 'a'.repeat(16) })).toEqual([])
    expect(await list({ object: id, noun: 'department' })).toHaveLength(1)
    expect(await list({ object: id, noun: 'shift' })).toEqual([])
    const departments = await list({ noun: 'department' }, boss, 2)
    expect(departments.length).toBeGreaterThan(1)
    for (const { changes } of departments) for (const { noun } of changes) expect(noun).toBe('department')
  })

  test('searches the names and new values of changes, ignoring case', async () => {
    const { id, name } = await addDepartment(`Ágora ${randomUUID()}`)
    const tel = `+30 ${randomUUID()}`
    await http.call('department/update', { id, version: 1, name, tel }, boss)
    expect((await list({ search: name.toUpperCase() })).map(({ path }) => path)).toEqual([
      'department/update',
      'department/add',
    ])
    expect((await list({ search: name.replace('Á', 'a') }, boss, 1)).length).toBe(2)
    expect((await list({ search: tel })).map(({ path }) => path)).toEqual(['department/update'])
    expect(await list({ search: name, noun: 'shift' })).toEqual([])
    // A search by the displayed name finds changes that belong to the employee.
    const last_name = `Raise ${randomUUID()}`
    const { id: una } = await addPerson({ first_name: 'Una', last_name })
    await http.call('employee/login_link', { id: una }, boss)
    const invitations = await list({ search: `UNA ${last_name}`, noun: 'invitation' })
    expect(invitations.map(({ changes }) => changes.map(({ id, change }) => [id, change]))).toEqual([[[una, 'added']]])
    expect(await list({ search: randomUUID() })).toEqual([])
  })
})

describe('an import in the audit log', () => {
  const count = 150
  let owner: Registered
  let id: string
  const rowsOf = (filters: Filters = {}, size?: number) => list(filters, owner, size)
  const people = (rows: Row[]) => rows.flatMap(({ changes }) => changes.map(change => change.name))

  beforeAll(async () => {
    owner = await register(http)
    const lines = Array.from({ length: count }, (_, i) => `Quentin ${i},Vole,${1000 + i},Olive & Sons`).join('\n')
    ;({ id } = await importSheet(http, owner, `first_name,last_name,workno,department\n${lines}\n`))
  })

  test('is a single entry with the number of employees', async () => {
    const answer = await http.call('audit/grid', {}, owner)
    expect(answer.list.map(({ path }) => path)).toEqual(['employee/import', 'user/register'])
    expect(answer.next).toBeUndefined()
    expect(answer.list[0]).toMatchObject({ employee: owner.owner, name: 'Olga Owner', ip: expect.any(String) })
    expect(answer.list[0]?.changes).toEqual([{ noun: 'employee', id, name: '', change: 'added', fields: {}, count }])
    for (const filters of [{ noun: 'employee' as const }, { employee: owner.owner }])
      expect((await rowsOf(filters)).map(({ path }) => path)).toEqual(['employee/import', 'user/register'])
  })

  test('lists its rows under the task, in pages of any size', { tags: 'long' }, async () => {
    const whole = await rowsOf({ task: id })
    const expected = Array.from({ length: count }, (_, i) => `Quentin ${i} Vole`)
    expect(people(whole).toSorted()).toEqual(expected.toSorted())
    for (const { path, employee, changes } of whole) {
      expect([path, employee]).toEqual(['employee/import', owner.owner])
      for (const { noun, change } of changes) expect([noun, change]).toEqual(['employee', 'added'])
    }
    for (const size of [1, 3]) expect(await rowsOf({ task: id }, size)).toEqual(whole)
    const today = dayIn('UTC')
    expect(await rowsOf({ task: id, to: addDays(today, -9) })).toEqual(whole)
    expect(people(await rowsOf({ task: id, search: 'quentin 77' }))).toEqual(['Quentin 77 Vole'])
    expect(await rowsOf({ task: 'a'.repeat(16) })).toEqual([])
    expect(await list({ task: id })).toEqual([])
  })

  test('is found by the id and name of an added employee, together with later changes', async () => {
    const { list: found } = await http.call('employee/grid', { filters: { search: 'Quentin 77' } }, owner)
    const { canSignIn: _, photo: __, passwordSetAt: ___, ...form } = found[0] ?? ({} as never)
    await http.call('employee/update', { ...form, last_name: 'Shrew' } as never, owner)
    for (const size of [1, 200]) {
      expect((await rowsOf({ object: form.id }, size)).map(({ path }) => path)).toEqual([
        'employee/update',
        'employee/import',
      ])
      expect((await rowsOf({ search: 'quentin 77' }, size)).map(({ path }) => path)).toEqual([
        'employee/update',
        'employee/import',
      ])
    }
    for (const { changes } of await rowsOf({ object: form.id })) expect(changes.map(({ id }) => id)).toEqual([form.id])
  })
  test('is found by the id of each added employee, and by no other employee id', { tags: 'long' }, async () => {
    const ids = (await rowsOf({ task: id })).flatMap(({ changes }) => changes.map(({ id }) => id))
    for (const employee of ids.filter((_, i) => i % 10 === 0 || i === ids.length - 1))
      expect(
        (await rowsOf({ object: employee })).flatMap(({ path, changes }) =>
          path === 'employee/import' ? changes.map(({ id, change }) => [id, change]) : [],
        ),
      ).toEqual([[employee, 'added']])
    for (const other of [id, `${id.slice(0, 12)}zzzz`, `${id.slice(0, 12)}0000`])
      expect((await rowsOf({ object: other })).flatMap(({ changes }) => changes.map(({ count }) => count))).toEqual(
        other === id ? [count] : [],
      )
    const today = dayIn('UTC')
    expect(await rowsOf({ object: ids[0] ?? '', to: addDays(today, -2) })).toEqual([])
  })

  test('of a department tree keeps the row order and is found by each department', { tags: 'long' }, async () => {
    const names = (of: Row[]) => of.flatMap(({ changes }) => changes.map(({ name }) => name))
    // Areas contain teams, and teams contain squads. The import writes areas first, then teams, then squads.
    const lines = Array.from({ length: 10 }, (_, a) => [
      `Area ${a},Olive & Sons`,
      ...Array.from({ length: 8 }, (_, t) => [
        `Team ${a}.${t},Area ${a}`,
        ...[1, 2].map(s => `Squad ${a}.${t}.${s},Team ${a}.${t}`),
      ]).flat(),
    ]).flat()
    const end = await importSheet(http, owner, `name,parent\n${lines.join('\n')}`, { path: 'department/import' })
    expect(end).toMatchObject({ state: 'done', rowCount: 250 })
    const whole = await rowsOf({ task: end.id })
    expect(names(whole)).toEqual(lines.map(line => line.split(',')[0]))
    // Checks one whole area and every eighth other department.
    for (const { id, name } of whole.flatMap(({ changes }) => changes).filter((_, i) => i < 25 || i % 8 === 0))
      expect(names(await rowsOf({ object: id })), name).toEqual([name])
  })

  test('lists changes to existing objects as ordinary entries with their own ids', async () => {
    const { id: department } = await http.call('department/add', { name: 'Top' }, owner)
    const role = await http.call('role/add', { name: 'Trees', permissions: [1], departments: [department] }, owner)
    const person = { first_name: 'Max', last_name: 'M', workno: '2', department, role: 2, roleId: role.id }
    const manager = await invite(http, owner, person)
    const sheet = `name,parent\n${Array.from({ length: 5 }, (_, i) => `Branch ${i},Top`).join('\n')}\n`
    const end = await importSheet(http, manager, sheet, { path: 'department/import' })
    expect(end).toMatchObject({ state: 'done', rowCount: 5 })
    for (const filters of [{ object: role.id }, { noun: 'role' as const }])
      expect((await rowsOf(filters)).map(({ path }) => path)).toEqual(['department/import', 'role/add'])
    const entries = (await rowsOf({ task: end.id })).flatMap(({ changes }) =>
      changes.map(({ noun, name }) => [noun, name]),
    )
    expect(entries.toSorted()).toEqual(Array.from({ length: 5 }, (_, i) => ['department', `Branch ${i}`]))
    const [imported] = (await rowsOf({ noun: 'department' })).filter(({ path }) => path === 'department/import')
    expect(imported?.changes).toEqual([
      { noun: 'department', id: end.id, name: '', change: 'added', fields: {}, count: 5 },
    ])
  })
})

test('a schedule plan has one entry per employee, found by that employee', async () => {
  const planner = await register(http)
  const { id: shiftId } = await http.call('shift/add', shift, planner)
  const add = async (workno: string) => {
    const form = { first_name: 'Ann', last_name: workno, workno, department: planner.department }
    return (await http.call('employee/add', form, planner)).id
  }
  const people = [await add('11'), await add('12'), await add('13')]
  const from = addDays(dayIn('UTC'), 30)
  const plan = { from, shifts: [shiftId], rows: [{ employees: people, cells: [[0]] }] }
  const begun = await http.call('schedule/plan', { plan }, planner)
  expect(await taskEnd(http, planner, begun)).toMatchObject({ state: 'done' })
  const planned = (rows: Row[]) => rows.filter(({ path }) => path === 'schedule/plan').map(({ changes }) => changes)
  const fields = { [from]: { after: [shiftId] } }
  const each = (object: string) => [expect.objectContaining({ noun: 'schedule', id: object, fields })]
  const entries = planned(await list({}, planner))
  expect(entries).toHaveLength(people.length)
  expect(entries).toEqual(expect.arrayContaining(people.map(each)))
  for (const object of people) {
    expect(planned(await list({ object }, planner, 1))).toEqual([each(object)])
    expect(planned(await list({ object, noun: 'employee' }, planner))).toEqual([])
  }
})
