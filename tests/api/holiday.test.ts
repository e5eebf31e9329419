import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register } from '../kit/client.ts'
import { importSheet, taskEnd } from '../kit/sheet.ts'

const http = client(inject('address'))
let olga: Registered
let signed: { token: string }
let kitchen: string

beforeAll(async () => {
  olga = await register(http)
  signed = { token: olga.token }
  kitchen = (await http.call('department/add', { name: 'Kitchen' }, signed)).id
})

const read = async (id: string) => {
  const { list } = await http.call('holiday/grid', { size: 200 }, signed)
  return list.find(holiday => holiday.id === id)
}

test('a holiday keeps its name, days and departments, and lists by day', async () => {
  const easter = { name: 'Easter', from: '2031-04-13', to: '2031-04-14' }
  const { id } = await http.call('holiday/add', { ...easter, departments: [kitchen] }, signed)
  const { id: earlier } = await http.call(
    'holiday/add',
    { name: 'Labour', from: '2031-05-01', to: '2031-05-01' },
    signed,
  )
  expect(await read(id)).toEqual({ id, version: 1, ...easter, departments: [kitchen] })
  await http.call('holiday/update', { id, version: 1, ...easter, to: '2031-04-15' }, signed)
  expect(await read(id)).toEqual({ id, version: 2, ...easter, to: '2031-04-15' })
  const listed = async (sort: { by: 'from' | 'name'; descending?: boolean }) =>
    (await http.call('holiday/grid', { filters: { year: 2031 }, sort }, signed)).list.map(({ name }) => name)
  expect(await listed({ by: 'from' })).toEqual(['Easter', 'Labour'])
  expect(await listed({ by: 'name', descending: true })).toEqual(['Labour', 'Easter'])
  expect((await http.call('holiday/grid', { filters: { search: 'LAB' } }, signed)).list.map(({ id }) => id)).toEqual([
    earlier,
  ])
  await http.call('holiday/delete', { id }, signed)
  expect(await read(id)).toBeUndefined()
  expect(await http.ask('holiday/delete', { id }, signed)).toMatchObject({ code: 60004, fields: { id: 60004 } })
})

test('a year filter finds every holiday that touches the year', async () => {
  await http.call('holiday/add', { name: 'Over the year', from: '2033-12-31', to: '2034-01-02' }, signed)
  for (const [year, count] of [
    [2032, 0],
    [2033, 1],
    [2034, 1],
    [2035, 0],
  ] as const)
    expect((await http.call('holiday/grid', { filters: { year } }, signed)).count).toBe(count)
  const all = await http.call('holiday/all', { from: '2034-01-02', to: '2034-03-01' }, signed)
  expect(all.list.map(({ name }) => name)).toEqual(['Over the year'])
})

test('a manager sees the holidays of managed employees, and each holiday lists only managed departments', async () => {
  const { id: bar } = await http.call('department/add', { name: 'Cellar' }, signed)
  const { id: roleId } = await http.call('role/add', { name: 'Cellar', permissions: [7], departments: [bar] }, signed)
  const barkeeper = { first_name: 'B', last_name: 'K', workno: '990', department: bar, role: 2 as const, roleId }
  const manager = await invite(http, olga, barkeeper)
  const day = { from: '2038-02-02', to: '2038-02-02' }
  for (const [name, departments] of [
    ['Both', [bar, kitchen]],
    ['Kitchen', [kitchen]],
    ['Everybody', undefined],
  ] as const)
    await http.call('holiday/add', { name, ...day, ...(departments && { departments: [...departments] }) }, signed)
  const { list } = await http.call('holiday/all', day, manager)
  expect(list.map(({ name, departments }) => [name, departments]).sort()).toEqual([
    ['Both', [bar]],
    ['Everybody', undefined],
  ])
  expect((await http.call('holiday/all', day, signed)).list).toHaveLength(3)
})

describe('a holiday form', () => {
  const form = { name: 'Wrong', from: '2031-07-01', to: '2031-07-01' }

  test.each([
    ['ends before it begins', { to: '2031-06-30' }, { to: 10002 }],
    ['lasts more than two months', { to: '2031-09-01' }, { to: 10002 }],
    ['has no name', { name: ' ' }, { name: 60001 }],
    ['is on a nonexistent date', { from: '2031-02-29' }, { from: 10002 }],
    ['names an unknown department', { departments: ['0'.repeat(16)] }, { 'departments.0': 60004 }],
    ['names no department', { departments: [] }, { departments: 60001 }],
    ['is before the earliest allowed date', { from: '0001-01-01' }, { from: 10002 }],
  ])('is refused if it %s', async (_, change, fields) => {
    expect(await http.ask('holiday/add', { ...form, ...change }, signed)).toMatchObject({ fields })
    expect((await http.call('holiday/grid', { filters: { search: 'Wrong' } }, signed)).count).toBe(0)
  })

  test('is refused if the same departments already have the holiday', async () => {
    const twice = { name: 'Twice', from: '2031-08-01', to: '2031-08-01' }
    const { id } = await http.call('holiday/add', { ...twice, departments: [kitchen, kitchen] }, signed)
    expect((await read(id))?.departments).toEqual([kitchen])
    expect(await http.ask('holiday/add', { ...twice, name: 'TWICE', departments: [kitchen] }, signed)).toMatchObject({
      code: 60062,
      fields: { name: 60062 },
    })
    const { id: other } = await http.call('holiday/add', twice, signed)
    expect(
      await http.ask('holiday/update', { id: other, version: 1, ...twice, departments: [kitchen] }, signed),
    ).toMatchObject({ code: 60062 })
  })

  test('is accepted once among concurrent duplicates', { tags: 'long' }, async () => {
    const twice = { name: 'At once', from: '2031-09-01', to: '2031-09-01' }
    const add = (form: object) => http.ask('holiday/add', { ...twice, ...form }, signed)
    const answers = await Promise.all(Array.from({ length: 6 }, () => add({})))
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 60062, 60062, 60062, 60062, 60062])
    // The combination is free again after a change or a deletion.
    const [id = ''] = answers.flatMap(({ code, data }) => (code === 0 ? [(data as { id: string }).id] : []))
    await http.call('holiday/update', { id, version: 1, ...twice, to: '2031-09-02' }, signed)
    const again = await http.call('holiday/add', twice, signed)
    expect(await http.ask('holiday/update', { id, version: 2, ...twice }, signed)).toMatchObject({ code: 60062 })
    await http.call('holiday/delete', { id: again.id }, signed)
    await http.call('holiday/update', { id, version: 2, ...twice }, signed)
  })

  test('is refused if its version is stale', async () => {
    const { id } = await http.call('holiday/add', form, signed)
    await http.call('holiday/update', { id, version: 1, ...form, name: 'First' }, signed)
    expect(await http.ask('holiday/update', { id, version: 1, ...form, name: 'Second' }, signed)).toMatchObject({
      code: 60006,
    })
    expect(await read(id)).toMatchObject({ name: 'First' })
  })
})

describe('public holidays', () => {
  const of = { country: 'DE', state: 'BY', year: 2032 }

  test('are imported all at once, and never twice', async () => {
    const { list } = await http.call('holiday/public', of, signed)
    expect(list.every(({ isKnown }) => !isKnown)).toBe(true)
    const days = list.map(({ from }) => from)
    expect(await http.call('holiday/import', { ...of, days: days.slice(0, 3) }, signed)).toMatchObject({ added: 3 })
    const afterImport = await http.call('holiday/public', of, signed)
    expect(afterImport.list.map(({ isKnown }) => isKnown)).toEqual(list.map((_, i) => i < 3))
    expect(await http.call('holiday/import', { ...of, days }, signed)).toMatchObject({ added: list.length - 3 })
    expect(await http.call('holiday/grid', { filters: { year: 2032 } }, signed)).toMatchObject({ count: list.length })
  })

  test('show as imported only if every chosen department has them', async () => {
    const { id: bar } = await http.call('department/add', { name: 'Bar' }, signed)
    const there = { ...of, year: 2036 }
    const { list } = await http.call('holiday/public', there, signed)
    const days = list.slice(0, 2).map(({ from }) => from)
    const departments = [kitchen]
    expect(await http.call('holiday/import', { ...there, days, departments }, signed)).toMatchObject({ added: 2 })
    const knownTo = async (departments?: string[]) =>
      (await http.call('holiday/public', { ...there, ...(departments && { departments }) }, signed)).list
        .slice(0, 2)
        .map(({ isKnown }) => isKnown)
    expect([await knownTo([kitchen]), await knownTo([bar]), await knownTo([bar, kitchen]), await knownTo()]).toEqual([
      [true, true],
      [false, false],
      [false, false],
      [false, false],
    ])
    const inGreek = { ...signed, headers: { 'x-language': 'el' } }
    expect(await http.call('holiday/import', { ...there, days, departments }, inGreek)).toMatchObject({ added: 0 })
    expect(await http.call('holiday/import', { ...there, days }, signed)).toMatchObject({ added: 2 })
    expect(await knownTo([bar])).toEqual([true, true])
  })

  test('are imported once by concurrent requests', { tags: 'long' }, async () => {
    const there = { ...of, year: 2037 }
    const { list } = await http.call('holiday/public', there, signed)
    const days = list.map(({ from }) => from)
    const added = await Promise.all([1, 2, 3].map(() => http.call('holiday/import', { ...there, days }, signed)))
    expect(added.map(({ added }) => added).sort((a, b) => a - b)).toEqual([0, 0, list.length])
    expect(await http.call('holiday/grid', { filters: { year: 2037 } }, signed)).toMatchObject({ count: list.length })
  })

  test('of a past year are recalculated for hundreds of departments', { tags: 'long', timeout: 60_000 }, async () => {
    const big = await register(http)
    const names = Array.from({ length: 900 }, (_, i) => `D${i}`)
    await importSheet(http, big, `name\n${names.join('\n')}\n`, { path: 'department/import' })
    const departments: string[] = []
    let page: string | undefined
    do {
      const part = await http.call('department/grid', { size: 200, ...(page && { page }) }, big)
      departments.push(...part.list.map(({ id }) => id))
      page = part.next
    } while (page)
    const there = { ...of, year: new Date().getFullYear() - 1 }
    const { list } = await http.call('holiday/public', there, big)
    const input = { ...there, days: list.map(({ from }) => from), departments: departments.slice(0, 900) }
    const { task = '', added } = await http.call('holiday/import', input, big)
    expect(added).toBe(list.length)
    expect(await taskEnd(http, big, { task })).toMatchObject({ state: 'done' })
  })

  test('are refused as a whole if one day is not a holiday', async () => {
    const refused = await http.ask('holiday/import', { ...of, year: 2035, days: ['2035-01-01', '2035-01-02'] }, signed)
    expect(refused).toMatchObject({ code: 60004, fields: { 'days.1': 60004 } })
    expect(await http.call('holiday/grid', { filters: { year: 2035 } }, signed)).toMatchObject({ count: 0 })
  })

  test.each([
    [{ country: 'XX' }, 'country'],
    [{ state: 'XX' }, 'state'],
  ] as [object, string][])('of an unknown place (%j) are not found', async (change, field) => {
    expect(await http.ask('holiday/public', { country: of.country, year: of.year, ...change }, signed)).toMatchObject({
      fields: { [field]: 60004 },
    })
  })

  test('list their countries in the language of the caller', async () => {
    const { list } = await http.call('holiday/country', {}, { ...signed, headers: { 'x-language': 'el' } })
    expect(list.find(({ id }) => id === 'DE')).toMatchObject({ name: 'Γερμανία' })
  })
})

describe('the days of a holiday', () => {
  const shift = { name: 'All day', onDuty: '00:01', offDuty: '23:00', punchStart: '00:00', punchEnd: '23:59' }
  let today: string
  let cook: string
  let clerk: string
  const hire = async (workno: string, department: string) =>
    (await http.call('employee/add', { first_name: 'Work', last_name: workno, workno, department }, signed)).id
  const duties = async () => {
    const { list } = await http.call('report/grid', { filters: { from: today, to: today } }, signed)
    return Object.fromEntries(list.map(({ employee, dutyMinutes }) => [employee, dutyMinutes]))
  }
  const settled = async (answer: { task?: string | undefined }) => {
    expect(answer.task).toBeDefined()
    const { state, recalculated } = await taskEnd(http, signed, { task: answer.task ?? '' })
    expect(state).toBe('done')
    return recalculated
  }
  const previewed = async (input: PathCall<'holiday/preview'>) => {
    const { preview } = await taskEnd(http, signed, await http.call('holiday/preview', input, signed))
    return preview
  }

  beforeAll(async () => {
    today = localDay('Europe/Athens', Date.now())
    const { id } = await http.call('shift/add', shift, signed)
    cook = await hire('301', kitchen)
    clerk = await hire('302', olga.department)
    await http.call('schedule/add', { employees: [cook, clerk], days: [today], shift: id }, signed)
    await eventually(duties, found => expect(found).toEqual({ [cook]: 1379, [clerk]: 1379 }))
  })

  test('change as previewed, for the chosen departments only', async () => {
    const holiday = { name: 'Patron saint', from: today, to: today, departments: [kitchen] }
    const preview = await previewed({ holidays: [holiday] })
    expect(preview).toMatchObject({ employees: 1, days: 1, hiddenDays: 0, before: { dutyMinutes: 1379 } })
    expect(preview).toMatchObject({ after: { dutyMinutes: 0 }, list: [{ employee: cook, day: today }] })
    expect(await duties()).toEqual({ [cook]: 1379, [clerk]: 1379 })

    const { id, ...owed } = await http.call('holiday/add', holiday, signed)
    expect(await settled(owed)).toMatchObject({ rows: 1, handedOn: 0 })
    expect(await duties()).toEqual({ [cook]: 0, [clerk]: 1379 })

    const everybody = { name: holiday.name, from: today, to: today }
    expect(await previewed({ id, holidays: [everybody] })).toMatchObject({ days: 1, list: [{ employee: clerk }] })
    await settled(await http.call('holiday/update', { id, version: 1, ...everybody }, signed))
    expect(await duties()).toEqual({ [cook]: 0, [clerk]: 0 })

    expect(await previewed({ id })).toMatchObject({ employees: 2, days: 2, after: { dutyMinutes: 2 * 1379 } })
    await settled(await http.call('holiday/delete', { id }, signed))
    expect(await duties()).toEqual({ [cook]: 1379, [clerk]: 1379 })
  })

  test('in the future are not calculated yet', async () => {
    const later = addDays(today, 30)
    const holiday = { name: 'Later', from: later, to: later }
    expect(await previewed({ holidays: [holiday] })).toMatchObject({ days: 0 })
    expect(await http.call('holiday/add', holiday, signed)).not.toHaveProperty('task')
  })

  test('follow an employee who changes departments on the day of the holiday', { tags: 'long' }, async () => {
    const { id, ...owed } = await http.call(
      'holiday/add',
      { name: 'Stocktaking', from: today, to: today, departments: [kitchen] },
      signed,
    )
    await settled(owed)
    const { list } = await http.call('employee/grid', { filters: { search: '301' } }, signed)
    const version = list[0]?.version ?? 1
    const person = { first_name: 'Work', last_name: '301', workno: '301' }
    await http.call('employee/update', { id: cook, version, ...person, department: olga.department }, signed)
    await eventually(duties, found => expect(found).toEqual({ [cook]: 1379, [clerk]: 1379 }))
    await http.call('employee/update', { id: cook, version: version + 1, ...person, department: kitchen }, signed)
    await eventually(duties, found => expect(found).toEqual({ [cook]: 0, [clerk]: 1379 }))
    await settled(await http.call('holiday/delete', { id }, signed))
  })

  test('stay unchanged while they are locked', async () => {
    const yesterday = addDays(today, -1)
    // The server refuses to lock days until it has calculated the earlier moves.
    const lock = (lockedTo: string | null) =>
      eventually(
        async () => {
          const { version } = await http.call('report/lock', {}, signed)
          const { code } = await http.ask('report/lock/update', { version, lockedTo }, signed)
          expect([0, 60065]).toContain(code)
          return code
        },
        code => expect(code).toBe(0),
      )
    await lock(yesterday)
    const holiday = { name: 'Too late', from: yesterday, to: yesterday }
    const locked = { code: 60061, fields: { from: 60061, to: 60061 } }
    expect(await http.ask('holiday/add', holiday, signed)).toMatchObject(locked)
    expect(await http.ask('holiday/preview', { holidays: [holiday] }, signed)).toMatchObject({
      code: 60061,
      fields: { 'holidays.0.from': 60061, 'holidays.0.to': 60061 },
    })
    expect(await previewed({ holidays: [{ ...holiday, to: today }] })).toMatchObject({ lockedTo: yesterday, days: 2 })

    // Only the name of a locked holiday may change.
    await lock(null)
    const { id, ...owed } = await http.call('holiday/add', { ...holiday, departments: [kitchen] }, signed)
    await settled(owed)
    await lock(yesterday)
    const renamed = { ...holiday, name: 'In time', departments: [kitchen] }
    expect(await previewed({ id, holidays: [renamed] })).toMatchObject({ days: 0, lockedDays: 0 })
    expect(await http.call('holiday/update', { id, version: 1, ...renamed }, signed)).toEqual({})
    expect(await read(id)).toMatchObject({ name: 'In time', version: 2 })
    const widened = { name: 'In time', from: addDays(yesterday, -1), to: yesterday }
    expect(await http.ask('holiday/update', { id, version: 2, ...widened }, signed)).toMatchObject(locked)
    for (const path of ['holiday/preview', 'holiday/delete'] as const)
      expect(await http.ask(path, { id }, signed)).toMatchObject({ code: 60061, fields: { id: 60061 } })
  })
})
