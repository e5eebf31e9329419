import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { expectDays, type FieldCase, playCase, readCase } from '../given/field/play.ts'
import { client, eventually, type Registered, register, type Signed } from '../kit/client.ts'
import { load, loadRows, taskEnd } from '../kit/sheet.ts'

// Hour kinds wherever hours appear: lists, totals, files, payroll templates, and the explanation of a day. The nights
// are those of a field case: 19:00 to 07:00, with a supplement from 22:00 to 06:00 and on Sundays.

const http = client(inject('address'))
type Hours = NonNullable<PathCall<'attparams/hours/update'>['set']>
const given = readCase('19-night-hours') as FieldCase & { hours: Hours }
const { from, to } = given.rows
const range = { from, to }
const [sunday = '', monday = ''] = given.expect.map(({ day }) => day)

let company: Registered
let boss: Signed
let employee = ''

const readVersion = async () => (await http.call('attparams/index', {}, boss)).version
const readRows = async () =>
  (await http.call('report/grid', { filters: { ...range, employee } }, boss)).list.sort((a, b) =>
    a.day < b.day ? -1 : 1,
  )
const setUnit = async (unit: 0 | 1, minimumUnit: number[] = [0, 0, 0, 0, 0]) => {
  const { version } = await http.call('report/params', {}, boss)
  const timeUnit = [unit, unit, unit, unit, unit] as (0 | 1)[]
  await http.call('report/params/update', { version, timeUnit, rounding: [0, 0, 0, 0, 0], minimumUnit }, boss)
}
const fileOf = async (changes: Partial<PathCall<'report/export'>>) => {
  const { task } = await http.call('report/export', { filters: { ...range, employee }, ...changes }, boss)
  const { state, file } = await taskEnd(http, boss, { task })
  expect(state).toBe('done')
  return file?.url ?? ''
}

beforeAll(async () => {
  const played = await playCase(http, given)
  ;({ company, boss } = played)
  employee = played.people.ann ?? ''
  await expectDays(
    played,
    given.expect.map(({ day, workMinutes = 0 }) => ({ day, workMinutes })),
  )
})

describe('a set for past days', () => {
  test('shows its minutes in a preview, which changes nothing', async () => {
    const form = { version: await readVersion(), set: given.hours, isCompanySet: true, from }
    const { preview } = await taskEnd(http, boss, await http.call('attparams/hours/preview', form, boss))
    expect(preview).toMatchObject({ days: 2, employees: 1, kindsAfter: { DAY: 480, NIGHT: 960, SUN: 300 } })
    expect(preview?.list.map(({ day, after }) => [day, after?.kinds])).toEqual(
      given.expect.map(({ day, kinds }) => [day, kinds]),
    )
    expect((await readRows()).every(row => row.kinds === undefined)).toBe(true)
  })

  test('splits the hours of days as the field case expects', async () => {
    const form = { version: await readVersion(), set: given.hours, isCompanySet: true, from }
    const { task = '' } = await http.call('attparams/hours/update', form, boss)
    expect(await taskEnd(http, boss, { task })).toMatchObject({ state: 'done', recalculated: { rows: 2 } })
    expect(await readRows()).toMatchObject(given.expect)
  })

  test('appears in the totals of people, departments and the whole report', async () => {
    const kinds = { DAY: 480, NIGHT: 960, SUN: 300 }
    const filters = { ...range, employee }
    const { list: people } = await http.call('report/summary', { filters }, boss)
    expect(people).toMatchObject([{ kinds, kindAmounts: kinds }])
    expect(await http.call('report/total', { filters }, boss)).toMatchObject({ kinds, kindAmounts: kinds })
    await eventually(
      () => http.call('report/department', { filters: range }, boss),
      ({ list }) => expect(list.find(({ department }) => department === company.department)).toMatchObject({ kinds }),
    )
    await eventually(
      () => http.call('report/total', { filters: range }, boss),
      total => expect(total).toMatchObject({ kinds, kindAmounts: kinds }),
    )
  })

  test('explains each minute of a day', async () => {
    const { list } = await http.call('report/day', { employee, day: sunday }, boss)
    expect(list[0]?.kinds).toEqual(given.expect[0]?.kinds)
    const { set, pieces = [] } = list[0]?.hours ?? {}
    expect(set).toBe(given.hours.name)
    expect(pieces.map(({ from, to, kind, isExtra }) => [from, to, kind, isExtra])).toEqual([
      ['19:00', '22:00', 'DAY', false],
      ['19:00', '00:00+1', 'SUN', true],
      ['22:00', '06:00+1', 'NIGHT', false],
      ['06:00+1', '07:00+1', 'DAY', false],
    ])
    expect(pieces[2]).toMatchObject({
      name: 'Night',
      color: '#4b3f8f',
      reasons: [{ condition: 'window', values: { from: '22:00', to: '06:00', least: 0 } }],
    })
    expect(pieces[0]?.reasons).toEqual([{ condition: 'otherwise', values: {} }])
  })
})

describe('a file', () => {
  test('has the kinds as columns, and totals that are the sum of the written rows', async () => {
    await setUnit(1)
    const columns = ['name', 'day', 'work', 'kind.DAY', 'kind.NIGHT', 'kind.SUN'] as const
    for (const type of ['csv', 'xlsx'] as const) {
      const [headings, ...rows] = await loadRows(await fileOf({ type, view: 'daily', columns: [...columns] }))
      expect(headings?.slice(3)).toEqual(['Day (h)', 'Night (h)', 'Sunday/holiday (h)'])
      const numbers = rows.map(row => row.slice(3).map(Number))
      expect(numbers).toEqual([
        [4, 8, 0],
        [4, 8, 5],
        [8, 16, 5],
      ])
    }
    const { bytes } = await load(await fileOf({ type: 'pdf', view: 'summary' }))
    expect(Buffer.from(bytes.slice(0, 5)).toString()).toBe('%PDF-')
    await setUnit(0)
  })

  test('has all kinds where no columns are chosen', async () => {
    const [headings] = await loadRows(await fileOf({ type: 'csv', view: 'summary' }))
    expect(headings).toEqual(expect.arrayContaining(['Day (min)', 'Night (min)', 'Sunday/holiday (min)']))
  })

  test('names the field of a kind that no set has', async () => {
    const file = { filters: range, columns: ['name', 'kind.X'] as ['name', 'kind.X'] }
    expect(await http.ask('report/export', file, boss)).toMatchObject({ code: 60004, fields: { 'columns.1': 60004 } })
  })

  test('of a payroll template has kinds as columns and as wage types', async () => {
    const form = {
      ...{ name: 'Wages', layout: 'measure', type: 'csv', unit: 'decimal', decimalSign: '.', separator: ',' },
      ...{ dateFormat: 'YYYY-MM-DD', hasHeadings: false },
      columns: [{ column: 'workno' }, { column: 'code' }, { column: 'measure' }, { column: 'amount' }],
      measures: [
        { measure: 'kind.NIGHT', code: '1310' },
        { measure: 'kind.SUN', code: '1320' },
      ],
    } as const satisfies object
    const wages = form as unknown as PathCall<'report/template/add'>
    const preview = await http.call('report/template/preview', { ...wages, ...range }, boss)
    expect(preview.lines).toEqual([
      ['101', '1310', 'Night', '16.00'],
      ['101', '1320', 'Sunday/holiday', '5.00'],
    ])
    // Night and day add up to work, and the file lacks the day.
    expect(preview.leftOut).toEqual([{ measure: 'kind.DAY', minutes: 480 }])
    const { id } = await http.call('report/template/add', wages, boss)
    expect(await loadRows(await fileOf({ template: id }))).toEqual(preview.lines)
    const daily = {
      ...{ ...wages, name: 'Days', layout: 'daily' as const, measures: [] },
      columns: [{ column: 'workno' as const }, { column: 'kind.NIGHT' as const, heading: 'N' }],
    }
    expect((await http.call('report/template/preview', { ...daily, ...range }, boss)).lines).toEqual([
      ['101', '8.00'],
      ['101', '8.00'],
    ])
    const unknown = { ...wages, name: 'Unknown', measures: [{ measure: 'kind.X' as const, code: '1' }] }
    expect(await http.ask('report/template/add', unknown, boss)).toMatchObject({
      code: 60004,
      fields: { 'measures.0.measure': 60004 },
    })
  })
})

test('base kinds add up to the rounded work of each day', async () => {
  await setUnit(0, [7, 7, 7, 7, 7])
  const rows = await readRows()
  // The last minutes of the day go.
  expect(rows.map(({ workMinutes, kinds }) => [workMinutes, kinds?.DAY, kinds?.NIGHT])).toEqual([
    [714, 234, 480],
    [714, 234, 480],
  ])
  const { list } = await http.call('report/summary', { filters: { ...range, employee } }, boss)
  expect(list).toMatchObject([{ workMinutes: 1428, kinds: { DAY: 468, NIGHT: 960, SUN: 300 } }])
  await setUnit(0)
})

test('the history of a day tells the kinds of its former results', async () => {
  const set = { ...given.hours, base: [{ kind: 'DAY' }], extra: [] }
  const { list: sets } = await http.call('attparams/hours/grid', {}, boss)
  const form = { version: await readVersion(), id: sets[0]?.id ?? '', set, isCompanySet: true, from }
  const { task = '' } = await http.call('attparams/hours/update', form, boss)
  await taskEnd(http, boss, { task })
  const { list } = await http.call('report/day', { employee, day: monday }, boss)
  expect(list[0]).toMatchObject({ kinds: { DAY: 720 }, cause: { kind: 'attparams/hours/update' } })
  expect(list[0]?.history.slice(0, 2).map(({ kinds }) => kinds)).toEqual([given.expect[1]?.kinds, undefined])
})

describe('a program that asks for changes', () => {
  /** All changes since a cursor, page by page. */
  const changesSince = async (start: string, signed: Signed = boss) => {
    const list = []
    for (let cursor = start; ; ) {
      const answer = await http.call('report/since', { cursor, size: 1 }, signed)
      list.push(...answer.list)
      cursor = answer.cursor
      if (!answer.hasMore) return { list, cursor }
    }
  }
  const begin = async (signed: Signed = boss) => (await http.call('report/since/start', {}, signed)).cursor
  const change = async (base: { kind: string; overtime?: true }[]) => {
    const { list: sets } = await http.call('attparams/hours/grid', {}, boss)
    const set = { ...given.hours, base, extra: [] }
    const form = { version: await readVersion(), id: sets[0]?.id ?? '', set, isCompanySet: true, from: monday }
    const { task = '' } = await http.call('attparams/hours/update', form, boss)
    await taskEnd(http, boss, { task })
  }

  test('gets each changed row as it is now, and no other row', async () => {
    expect(await http.ask('report/since', {}, boss)).toMatchObject({ code: 60073 })
    const start = await begin()
    expect(await http.call('report/since', {}, boss)).toMatchObject({ list: [], hasMore: false })
    expect((await changesSince(start)).list).toEqual([])
    await change([{ kind: 'NIGHT' }])
    const first = await changesSince(start)
    expect(first.list).toMatchObject([{ employee, day: monday, row: { day: monday, kinds: { NIGHT: 720 } } }])
    await change([{ kind: 'DAY' }])
    const { list } = await changesSince(first.cursor)
    expect(list.at(-1)).toMatchObject({ day: monday, row: { kinds: { DAY: 720 } } })
    // The first cursor still leads to the row, as it is now.
    expect((await changesSince(start)).list.every(({ row }) => row?.kinds?.DAY === 720)).toBe(true)
  })

  test('gets nothing of other companies, and cannot use their cursors', async () => {
    const other = await register(http, { timezone: given.zone })
    const [own, foreign] = [await begin(), await begin(other)]
    await change([{ kind: 'NIGHT' }])
    expect((await changesSince(foreign, other)).list).toEqual([])
    for (const cursor of [own, 'x'])
      expect(await http.ask('report/since', { cursor }, other)).toMatchObject({
        code: 10002,
        fields: { cursor: 10002 },
      })
  })
})
