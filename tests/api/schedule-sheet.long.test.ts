import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { addDays, daysBetween, localDay } from '../../shared/local-day.ts'
import { client, invite, type Registered, register, type Signed } from '../kit/client.ts'
import { load, loadRows, sendSheet, taskEnd } from '../kit/sheet.ts'

// The schedule as a sheet: exported, edited and imported again.

const http = client(inject('address'))
const today = localDay('Europe/Athens', Date.now())
let owner: Registered
let manager: Signed
let works: string
const people = new Map<string, string>()
const shifts = new Map<string, string>()

const from = '2098-02-27'
const to = '2098-03-02'
const days = daysBetween(from, to)

const addShift = async (name: string, punchStart: string, onDuty: string, offDuty: string, punchEnd: string) =>
  shifts.set(name, (await http.call('shift/add', { name, punchStart, onDuty, offDuty, punchEnd }, owner)).id)
const plan = async (workno: string, from: string, names: string[][]) => {
  const used = [...new Set(names.flat())]
  const cells = names.map(cell => cell.map(name => used.indexOf(name)))
  const rows = [{ employees: [people.get(workno) ?? ''], cells }]
  const input = { plan: { from, shifts: used.map(name => shifts.get(name) ?? ''), rows } }
  expect(await taskEnd(http, owner, await http.call('schedule/plan', input, owner))).toMatchObject({ state: 'done' })
}
const readDays = async (workno: string, first = from, last = to) => {
  const { list } = await http.call('schedule/grid', { filters: { from: first, to: last }, size: 200 }, owner)
  const schedule = list.find(row => row.workno === workno)?.days ?? {}
  const names = new Map([...shifts].map(([name, id]) => [id, name]))
  return daysBetween(first, last).map(day => (schedule[day] ?? []).map(id => names.get(id)))
}

type Export = PathCall<'schedule/export'>
const exportSheet = async (changes: Partial<Export> = {}, caller: Signed = owner) => {
  const input: Export = { type: 'csv', filters: { from, to }, ...changes }
  const end = await taskEnd(http, caller, await http.call('schedule/export', input, caller))
  expect(end).toMatchObject({ state: 'done' })
  return { ...end, rows: await loadRows(end.file?.url ?? '') }
}
const importText = async (sheet: string | Uint8Array, { dryRun = false, signed: caller = owner as Signed } = {}) => {
  const upload = await sendSheet(http, caller, sheet, typeof sheet === 'string' ? 'csv' : 'xlsx')
  return taskEnd(http, caller, await http.call('schedule/import', { upload, dryRun }, caller))
}
const head = ['workno', ...days].join(',')

beforeAll(async () => {
  owner = await register(http)
  works = (await http.call('department/add', { name: 'Works' }, owner)).id
  const add = async (workno: string, department: string) => {
    const form = { first_name: `P${workno}`, last_name: 'Sheet', workno, department }
    people.set(workno, (await http.call('employee/add', form, owner)).id)
  }
  await add('11', owner.department)
  await add('12', works)
  await add('13', works)
  const { id: roleId } = await http.call('role/add', { name: 'Plans', permissions: [7], departments: [works] }, owner)
  manager = await invite(http, owner, {
    first_name: 'Mona',
    last_name: 'M',
    workno: '20',
    department: works,
    role: 2,
    roleId,
  })
  await addShift('Early', '05:00', '06:00', '14:00', '15:00')
  await addShift('Late', '13:00', '14:00', '22:00', '23:00')
  await addShift('=1+1; "so"', '21:00', '22:00', '05:00+1', '05:30+1')
  await plan('11', from, [['Early'], ['Early', 'Late'], [], ['=1+1; "so"']])
  await plan('12', from, [[], ['Late']])
})

describe('the schedule as a sheet', () => {
  test('has a row per employee and a column per day, and its import changes nothing', async () => {
    const { rows, rowCount, file } = await exportSheet()
    expect(file?.name).toMatch(/^Schedule \d{4}-\d\d-\d\d\.csv$/)
    expect(rowCount).toBe(5)
    expect(rows[0]).toEqual(['Employee ID', 'First name', 'Last name', 'Department', ...days])
    const rowOf = (workno: string) => rows.find(([number]) => number === workno)
    expect(rowOf('11')?.slice(1)).toEqual([
      ...['P11', 'Sheet', 'Olive & Sons'],
      ...['Early', 'Early + Late', '', '"=1+1; ""so"""'],
    ])
    expect(rowOf('12')?.slice(3)).toEqual(['Works', '', 'Late', '', ''])
    for (const type of ['csv', 'xlsx'] as const) {
      const { file } = await exportSheet({ type })
      const { bytes } = await load(file?.url ?? '')
      const end = await importText(type === 'csv' ? Buffer.from(bytes).toString() : bytes)
      expect(end, JSON.stringify(end.problems)).toMatchObject({ state: 'done', rowCount: 0, problemCount: 0 })
    }
  })

  test('contains the manager’s employees, filtered by department or shift', async () => {
    const numbers = async (filters: object, caller = owner as Signed) =>
      (await exportSheet({ filters: { from, to, ...filters } }, caller)).rows.slice(1).map(([number]) => number)
    expect(await numbers({ department: works })).toEqual(['20', '12', '13'])
    expect(await numbers({ shift: shifts.get('Late') })).toEqual(['11', '12'])
    expect(await numbers({ search: 'P13' })).toEqual(['13'])
    expect(await numbers({}, manager)).toEqual(['20', '12', '13'])
    const wide = { type: 'csv' as const, filters: { from, to: addDays(from, 62) } }
    expect(await http.ask('schedule/export', wide, owner)).toMatchObject({
      code: 10002,
      fields: { 'filters.to': 10002 },
    })
  })

  test('has an empty template whose example row plans no employee', async () => {
    const { rows, file } = await exportSheet({ isTemplate: true })
    expect(file?.name).toBe('Schedule - Template.csv')
    expect(rows).toHaveLength(2)
    const end = await importText(
      rows.map(row => row.map(cell => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\n'),
    )
    expect(end).toMatchObject({ state: 'failed', problems: [{ row: 2, field: 'workno', code: 60001 }] })
  })
})

describe('an imported sheet', () => {
  test('sets the days of its cells: an empty cell clears its day, and missing employees stay unchanged', async () => {
    const sheet = `${head}\n013,Early,LATE + early,,\n`
    const checked = { state: 'done', rowCount: 1, problemCount: 0 }
    expect(await importText(sheet, { dryRun: true })).toMatchObject({ ...checked, dayCount: 2 })
    expect(await readDays('13')).toEqual([[], [], [], []])
    expect(await importText(sheet)).toMatchObject({ state: 'done', rowCount: 2 })
    expect(await importText(sheet, { dryRun: true })).toMatchObject({ ...checked, dayCount: 0 })
    expect(await readDays('13')).toEqual([['Early'], ['Late', 'Early'], [], []])
    expect(await importText(`workno,${days[1]},${days[0]}\n13,,Early\n`)).toMatchObject({ state: 'done', rowCount: 1 })
    expect(await readDays('13')).toEqual([['Early'], [], [], []])
    expect(await readDays('12')).toEqual([[], ['Late'], [], []])
  })

  test('with errors is rejected as a whole, and returns with its errors', async () => {
    const sheet = `${head}\n11,Early,Early,Nobody knows,\n999,Early,,,\n13,Early,,Early,\n13,,,,Late\n,Early,,,`
    for (const dryRun of [true, false]) {
      const end = await importText(sheet, { dryRun })
      expect(end, JSON.stringify(end)).toMatchObject(dryRun ? { state: 'done' } : { state: 'failed', code: 60041 })
      expect(end.problems.map(({ row, field, code, value }) => [row, field, code, value])).toEqual([
        [2, days[2], 60043, 'Nobody knows'],
        [3, 'workno', 60043, '999'],
        [5, 'workno', 59014, '13'],
        [6, 'workno', 60001, undefined],
      ])
      const rows = await loadRows(end.file?.url ?? '')
      expect(rows.map(([problem]) => problem)).toEqual([
        'Problems',
        `${days[2]}: No shift has this name; write two shifts of a day as Early + Late`,
        'Employee ID: No employee you manage has this employee ID',
        '',
        'Employee ID: This employee is in more than one row',
        'Employee ID: Cannot be empty here',
      ])
      expect(end).not.toHaveProperty('dayCount')
      expect(rows[2]?.slice(1)).toEqual(['999', 'Early', '', '', ''])
    }
    expect(await readDays('13')).toEqual([['Early'], [], [], []])
    const invalid = await importText(`workno,Name of it,${days[0]},${days[0]}\n13,x,Early,Early\n`)
    expect(invalid.problems.map(({ row, field, code }) => [row, field, code])).toEqual([
      [1, 'Name of it', 60042],
      [1, days[0], 60003],
    ])
    const beyond = await importText('workno,1969-12-31,2100-12-31,9999-12-31\n13,,Early,Early\n', { dryRun: true })
    expect(beyond.problems.map(({ row, field, code }) => [row, field, code])).toEqual([
      [1, '1969-12-31', 10002],
      [1, '9999-12-31', 10002],
    ])
    expect((await importText('workno,first_name\n13,P13\n')).problems).toMatchObject([
      { row: 1, field: 'day', code: 60001 },
    ])
  })

  test('names conflicts in the cells of their days', async () => {
    await plan('12', addDays(to, 1), [['Early']])
    const noon = 'Noon'
    await addShift(noon, '10:00', '11:00', '15:00', '16:00')
    const end = await importText(`${head}\n12,Early + ${noon},,,"""=1+1; """"so"""""""\n`)
    expect(end).toMatchObject({ state: 'failed', code: 60041, problemCount: 1 })
    expect(end.problems).toMatchObject([
      {
        ...{ row: 2, field: days[0], code: 59031, value: `Early + ${noon}` },
        about: { name: 'P12 Sheet', day: days[0], shift: 'Early', withDay: days[0], withShift: noon },
      },
    ])
    expect((await loadRows(end.file?.url ?? ''))[1]?.[0]).toBe(
      `${days[0]}: Early on ${days[0]} overlaps ${noon} on ${days[0]}`,
    )
    expect(await readDays('12')).toEqual([[], ['Late'], [], []])
  })

  test('reads two names joined by a plus as two shifts, even when a shift has the joined name', async () => {
    await addShift('Early + Late', '00:00', '01:00', '04:00', '05:00')
    await addShift('B+', '00:00', '01:00', '04:00', '05:00')
    await plan('13', from, [['Early', 'Late'], ['Early + Late'], ['B+', 'Late'], []])
    const { file } = await exportSheet({ filters: { from, to, search: 'P13' } })
    const { bytes } = await load(file?.url ?? '')
    expect(await importText(Buffer.from(bytes).toString())).toMatchObject({ state: 'done', rowCount: 0 })
    expect(await importText(`${head}\n13,B+,Early + Late,early+late,\n`)).toMatchObject({ state: 'done', rowCount: 3 })
    expect(await readDays('13')).toEqual([['B+'], ['Early', 'Late'], ['Early', 'Late'], []])
  })

  test('reaches only the manager’s employees', async () => {
    const end = await importText(`${head}\n12,Early,,,\n11,Nobody knows,,,\n`, { signed: manager })
    expect(end.problems).toEqual([{ row: 3, field: 'workno', code: 60043, value: '11' }])
    expect(await readDays('12')).toEqual([[], ['Late'], [], []])
  })

  test('may repeat past days, but cannot change them', async () => {
    const [before, yesterday] = [addDays(today, -2), addDays(today, -1)]
    const past = `workno,${before},${yesterday},${today}`
    expect(await importText(`${past}\n13,,,Late\n`)).toMatchObject({ state: 'done', rowCount: 1 })
    const end = await importText(`${past}\n13,Early,,Late\n`)
    expect(end.problems).toEqual([{ row: 2, field: before, code: 60019, value: 'Early' }])
    expect(await readDays('13', before, today)).toEqual([[], [], ['Late']])
  })
})
