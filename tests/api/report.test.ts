import { inflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { readSheet } from '../../functions/sheet/read.ts'
import { calculate } from '../../shared/attendance/calculate.ts'
import { defaultParameters } from '../../shared/attendance/input.ts'
import { roundMinutes } from '../../shared/attendance/rounding.ts'
import { companyKey } from '../../shared/company.ts'
import { departmentKey } from '../../shared/department.ts'
import { departmentMembers, type Employee, employeeKey, formerEmployeeKey } from '../../shared/employee.ts'
import { addFigures, type Figures, figureNames, figuresOf, noFigures } from '../../shared/figure.ts'
import { addDays, daysBetween } from '../../shared/local-day.ts'
import type { Shift } from '../../shared/shift.ts'
import { client, invite, register } from '../kit/client.ts'
import { dayAt, departments, fixedShift, idOf, openWorked, type Worked, zone } from '../kit/worked.ts'

// What a report shows is what the engine says, printed by the company's rule: on the grid, in totals, and in every file.

let worked: Awaited<ReturnType<typeof openWorked>>
let mine: Worked
let report: typeof import('../../functions/report/read.ts')
let sheets: typeof import('../../functions/report/sheet.ts')
beforeAll(async () => {
  worked = await openWorked()
  report = await import('../../functions/report/read.ts')
  sheets = await import('../../functions/report/sheet.ts')
  mine = await worked.found(people.length)
  const { table, keep } = mine
  for (const [at, name] of ['Day', 'Night'].entries())
    await worked.save(table.insert(departmentKey(departments[at] ?? ''), { id: departments[at] ?? '', name }))
  await keep(shift)
  for (const n of people) {
    const person = await table.get(employeeKey(idOf(n)))
    if (person) await worked.save(...membersOf(person))
  }
  for (const n of people) {
    await mine.schedule(idOf(n), Object.fromEntries(days.map(day => [day, [shift.id]])))
    for (const [at, day] of days.entries()) await mine.punch(n, day, ...timesOf(n, at))
  }
  await mine.recalculate(people.map(n => ({ employee: idOf(n), from, to })))
})
afterAll(() => worked.world.close())

const people = [0, 1, 2]
/** Long enough ago that no clock is put forward or back in between, and no day is still open. */
const [from, to] = ['2026-02-02', '2026-02-13']
const days = daysBetween(from, to)
const shift: Shift = fixedShift('s'.repeat(16), {
  lateOutOvertime: { counts: true, afterMinutes: 0 },
  noClockOut: 1,
})
/** Late by as many minutes as the person and the day say; every fifth day nobody comes, every seventh nobody leaves. */
const timesOf = (n: number, at: number): string[] => {
  const two = (number: number) => String(number).padStart(2, '0')
  if (at % 5 === 4) return []
  if (at % 7 === 6) return [`09:${two(10 + n)}`]
  return [`09:${two((at * 7 + n) % 60)}`, `18:${two((at * 11 + n * 3) % 60)}`]
}

/** Where somebody stands in the lists of departments. */
const membersOf = (person: Employee) => departmentMembers(person).map(([key, member]) => mine.table.put(key, member))
const noMembersOf = (person: Employee) => departmentMembers(person).map(([key]) => mine.table.remove(key))

const filters = { from, to }
const viewer = (only?: string) => ({ table: mine.table, departments: only === undefined ? undefined : new Set([only]) })
const open = (more: object = {}, only?: string) => report.openReport(viewer(only), { ...filters, ...more })

/** All pages of a list. */
const all = async <Row>(
  page: (next: string | undefined) => Promise<{ list: Row[]; next?: string }>,
): Promise<Row[]> => {
  const found: Row[] = []
  let next: string | undefined
  do {
    const part = await page(next)
    found.push(...part.list)
    next = part.next
  } while (next !== undefined)
  return found
}
const grid = async (more: object = {}, only?: string) => {
  const opened = await open(more, only)
  return report.rowPrinter(opened)(await all(page => report.pageOfReport(opened, { size: 5, page })))
}
const summary = async (more: object = {}, only?: string) => {
  const opened = await open(more, only)
  const sort = { by: 'name' as const, descending: false }
  return all(page => report.pageOfSummary(opened, { size: 2, page, sort }))
}

const pick = (row: Figures): Figures => ({
  ...noFigures(),
  ...Object.fromEntries(figureNames.map(name => [name, row[name]])),
})
const sum = (rows: Figures[]) => rows.map(pick).reduce(addFigures, noFigures())

/** The engine's own answer, from the punches as they were typed. */
const calculated = (n: number) =>
  calculate({
    ...{ zone, from, to, asOf: Date.now(), employee: {}, requests: [], holidays: [] },
    shifts: { [shift.id]: { ...shift, version: 1 } },
    schedule: days.map(day => ({ day, shift: shift.id })),
    punches: days.flatMap((day, at) =>
      timesOf(n, at).map(time => ({ at: Date.parse(`${day}T${time}:00+02:00`), key: `${day} ${time}` })),
    ),
    parameters: defaultParameters,
  })

/** How the company prints: of work the nearest quarter of an hour, of lateness every one that was begun. */
const rounding = { timeUnit: [1, 0, 0, 0, 1], rounding: [2, 0, 1, 0, 2], minimumUnit: [15, 10, 5, 0, 30] }
const round = async (changes: object) => {
  const company = await mine.table.get(companyKey())
  if (!company) throw new Error('No company')
  await worked.save(mine.table.replace(companyKey(), { ...company, ...changes }))
}
const printed = (figures: Figures): Figures => ({
  dutyMinutes: figures.dutyMinutes,
  workMinutes: roundMinutes(figures.workMinutes, { mode: 2, unit: 15 }),
  overtimeMinutes: roundMinutes(figures.overtimeMinutes, { mode: 0, unit: 10 }),
  lateMinutes: roundMinutes(figures.lateMinutes, { mode: 1, unit: 5 }),
  earlyLeaveMinutes: figures.earlyLeaveMinutes,
  absentMinutes: roundMinutes(figures.absentMinutes, { mode: 2, unit: 30 }),
  leaveMinutes: roundMinutes(figures.leaveMinutes, { mode: 2, unit: 30 }),
})

/** A file as a task makes it. */
const file = (type: 'xlsx' | 'csv' | 'pdf', more: object = {}, language = 'en') =>
  sheets.makeReport(
    {
      ...mine.work(),
      table: mine.table,
      language,
      asker: { departments: undefined, permissions: new Set(), employee: {} },
    } as never,
    { type, view: 'daily', filters, ...more },
  )
const linesOf = async (...made: Parameters<typeof file>): Promise<string[][]> =>
  (await readSheet((await file(...made)).file.bytes)).rows
/** A table of a sheet as its headings name it, without its total. */
const tableOf = ([headings = [], ...lines]: string[][]) =>
  lines.map(line => Object.fromEntries(headings.map((heading, at) => [heading, line[at] ?? ''])))

/** The words a PDF shows, as whoever copies them gets them. */
const textOf = (pdf: Uint8Array): string => {
  const source = Buffer.from(pdf).toString('latin1')
  const streams = [...source.matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)].flatMap(([, raw = '']) => {
    try {
      return [inflateSync(Buffer.from(raw, 'latin1')).toString('latin1')]
    } catch {
      return []
    }
  })
  // The fonts follow each other in the file as their names F1, F2 do.
  const maps = streams
    .filter(stream => stream.includes('beginbfrange'))
    .map(stream => {
      const letters = new Map<string, string>()
      for (const [, start = '', list = ''] of stream.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/g))
        for (const [at, [, code = '']] of [...list.matchAll(/<([0-9a-f ]+)>/g)].entries())
          letters.set(
            (Number.parseInt(start, 16) + at).toString(16).padStart(4, '0'),
            Buffer.from(code.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'),
          )
      return letters
    })
  return streams
    .filter(stream => stream.includes('BT'))
    .flatMap(stream => [...stream.matchAll(/BT([\s\S]*?)ET/g)])
    .map(([, text = '']) => {
      const map = maps[Number(/\/F(\d+) /.exec(text)?.[1]) - 1]
      return [...text.matchAll(/<([0-9a-f]+)>/g)]
        .flatMap(([, glyphs = '']) => glyphs.match(/.{4}/g) ?? [])
        .map(glyph => map?.get(glyph) ?? '?')
        .join('')
    })
    .join('\n')
}

describe('figures agree day by day', () => {
  test('between the engine and the grid, and with them people, departments and totals', async () => {
    const rows = await grid()
    expect(rows).toHaveLength(people.length * days.length)
    for (const n of people) {
      const own = rows.filter(({ employee }) => employee === idOf(n))
      for (const row of calculated(n)) expect(own.find(({ day }) => day === row.day)).toMatchObject(figuresOf(row))
      const [person] = (await summary()).filter(({ employee }) => employee === idOf(n))
      expect(person).toMatchObject(sum(calculated(n).map(figuresOf)))
      expect(person).toMatchObject({ days: days.length, daysPresent: 10, daysAbsent: 2, workno: String(100 + n) })
    }
    const total = sum(people.flatMap(n => calculated(n).map(figuresOf)))
    expect(sum(rows)).toEqual(total)
    expect(await report.totalOf(await open({ search: 'E' }))).toEqual(total)
  })

  test('rounded, also in XLSX, CSV and PDF: each day, then the sum of what is printed', async () => {
    await round(rounding)
    const rows = await grid()
    const engine = people.flatMap(n => calculated(n).map(row => ({ n, day: row.day, ...printed(figuresOf(row)) })))
    for (const { n, day, ...figures } of engine)
      expect(rows.find(row => row.employee === idOf(n) && row.day === day)).toMatchObject(figures)
    const total = sum(engine)
    expect(await report.totalOf(await open())).toEqual(total)
    expect(sum(await summary())).toEqual(total)
    const opened = await open()
    const byDepartment = await report.rowsOfDepartments(opened, report.departmentsOf(opened))
    expect(sum(byDepartment)).toEqual(total)
    expect(byDepartment.map(({ departmentName, should }) => [departmentName, should])).toEqual([
      ['Day', 24],
      ['Night', 12],
    ])

    const hours = (minutes: number) => (minutes / 60).toFixed(2)
    for (const type of ['xlsx', 'csv'] as const) {
      const lines = tableOf(
        await linesOf(type, { columns: ['name', 'workno', 'day', 'work', 'late', 'absent', 'overtime'] }),
      )
      const last = lines.pop()
      expect(last).toMatchObject({ Employee: 'Total', 'Late (min)': String(total.lateMinutes) })
      expect(Number(last?.['Worked (h)'])).toBeCloseTo(total.workMinutes / 60, 2)
      expect(lines).toHaveLength(engine.length)
      for (const { n, day, ...figures } of engine) {
        const line = lines.find(line => line['Employee ID'] === String(100 + n) && line.Day === day)
        expect(Number(line?.['Worked (h)']).toFixed(2)).toBe(hours(figures.workMinutes))
        expect(Number(line?.['Absent (h)']).toFixed(2)).toBe(hours(figures.absentMinutes))
        expect([line?.['Late (min)'], line?.['Overtime (min)']]).toEqual([
          String(figures.lateMinutes),
          String(figures.overtimeMinutes),
        ])
      }
    }
    const columns = ['name', 'workno', 'day', 'work', 'late']
    const text = textOf((await file('pdf', { columns })).file.bytes).split('\n')
    for (const { n, day, workMinutes, lateMinutes } of engine) {
      const at = text.findIndex((word, at) => word === String(100 + n) && text[at + 1] === day)
      expect(text.slice(at, at + 4)).toEqual([String(100 + n), day, hours(workMinutes), String(lateMinutes)])
    }
    expect(text).toContain(hours(total.workMinutes))
    await round({ timeUnit: [0, 0, 0, 0, 0], rounding: undefined, minimumUnit: undefined })
  })

  test('a PDF shows Greek and Chinese', async () => {
    const greek = textOf((await file('pdf', {}, 'el')).file.bytes)
    expect(greek).toContain('Εργαζόμενος')
    const chinese = textOf((await file('pdf', {}, 'zh')).file.bytes)
    expect(chinese).toContain('员工')
    expect(chinese).not.toContain('?')
    expect((await linesOf('xlsx', {}, 'zh'))[0]).toContain('员工')
  })
})

describe('a report holds', () => {
  test('the days of a manager’s departments alone, wherever their person is now, and of who was deleted', async () => {
    const [day = '', night = ''] = departments
    expect(new Set((await grid({}, night)).map(({ employee }) => employee))).toEqual(new Set([idOf(1)]))
    expect((await summary({}, night)).map(({ employee }) => employee)).toEqual([idOf(1)])
    expect(await grid({ employee: idOf(0) }, night)).toEqual([])
    expect(await grid({ department: day }, night)).toEqual([])
    const one = await mine.table.get(employeeKey(idOf(1)))
    if (!one) throw new Error('Nobody')
    const before = await summary({ department: night })
    // Who moves away takes no day along.
    const moved = { ...one, department: day }
    await worked.save(mine.table.replace(employeeKey(one.id), moved), ...noMembersOf(one), ...membersOf(moved))
    expect(await summary({ department: night })).toMatchObject(before.map(pick))
    expect((await summary({}, night)).map(({ employee }) => employee)).toEqual([idOf(1)])
    const { version: _, ...gone } = one
    await worked.save(
      mine.table.remove(employeeKey(one.id)),
      ...noMembersOf(moved),
      mine.table.insert(formerEmployeeKey(one.id), { ...gone, endDay: to }),
    )
    expect((await summary()).map(({ employee }) => employee).sort()).toEqual(people.map(idOf))
    expect((await summary({ search: 'e 1' })).map(({ employee }) => employee)).toEqual([idOf(1)])
    await worked.save(
      mine.table.remove(formerEmployeeKey(one.id)),
      mine.table.insert(employeeKey(one.id), gone),
      ...membersOf(gone),
    )
  })

  test('who is searched for, and the days with an exception', async () => {
    expect(new Set((await grid({ search: '102' })).map(({ employee }) => employee))).toEqual(new Set([idOf(2)]))
    const odd = (await grid()).filter(({ exceptions }) => exceptions.length > 0)
    expect(await grid({ exceptions: ['missingIn', 'missingOut', 'longBreak', 'punchedOnLeave'] })).toEqual(odd)
  })
})

describe('over the line', () => {
  const http = client(inject('address'))
  const signed = { token: '' }
  let owner: Awaited<ReturnType<typeof register>>
  beforeAll(async () => {
    owner = await register(http, { timezone: zone })
    signed.token = owner.token
  })
  const range = { from: dayAt(-7), to: dayAt(-1) }

  test('how figures are printed is the company’s, and wrong values are named', async () => {
    const { version, ...params } = await http.call('report/params', {}, signed)
    expect(params).toEqual({ timeUnit: [0, 0, 0, 0, 0], rounding: [0, 0, 0, 0, 0], minimumUnit: [0, 0, 0, 0, 0] })
    const wrong = { version, timeUnit: [0, 0, 0, 0, 2], rounding: [0, 3, 0, 0, 0], minimumUnit: [0, 0, 721, 0, 0] }
    expect(await http.ask('report/params/update', wrong as never, signed)).toMatchObject({
      code: 10002,
      fields: { 'timeUnit.4': 10002, 'rounding.1': 10002, 'minimumUnit.2': 60002 },
    })
    await http.call('report/params/update', { version, ...rounding } as never, signed)
    expect(await http.call('report/params', {}, signed)).toMatchObject(rounding)
    expect((await http.call('auth/get', {}, signed)).timeUnit).toEqual(rounding.timeUnit)
    expect(await http.ask('report/params/update', { version, ...rounding } as never, signed)).toMatchObject({
      code: 60006,
    })
  })

  test('ranges, views and columns that make no sense are refused with their field', async () => {
    for (const path of ['report/grid', 'report/summary', 'report/department'] as const)
      for (const to of [addDays(range.from, -1), addDays(range.from, 366)])
        expect(await http.ask(path, { filters: { ...range, to } }, signed)).toMatchObject({
          code: 10002,
          fields: { 'filters.to': 10002 },
        })
    const file = { type: 'csv' as const, view: 'daily' as const, filters: range }
    expect(await http.ask('report/export', { ...file, columns: ['name', 'daysLate'] }, signed)).toMatchObject({
      code: 10002,
      fields: { 'columns.1': 10002 },
    })
    expect(await http.ask('report/export', { ...file, type: 'doc' as never }, signed)).toMatchObject({
      code: 10002,
      fields: { type: 10002 },
    })
    const filters = { ...range, exceptions: ['late'] as never }
    expect(await http.ask('report/grid', { filters }, signed)).toMatchObject({
      fields: { 'filters.exceptions.0': 10002 },
    })
  })

  test('a mailed report goes to people of one’s own with an address, by a time of day', async () => {
    const mail = { name: 'Weekly', type: 'csv', view: 'summary', every: 'weekly', time: '06:00' } as const
    const plain = await http.call(
      'employee/add',
      { first_name: 'P', last_name: 'P', workno: '7', department: owner.department },
      signed,
    )
    const stranger = '0'.repeat(16)
    expect(await http.ask('report/mail/add', { ...mail, employees: [plain.id, stranger] }, signed)).toMatchObject({
      code: 60004,
      fields: { 'employees.0': 10002, 'employees.1': 60004 },
    })
    expect(await http.ask('report/mail/add', { ...mail, time: '6', employees: [] }, signed)).toMatchObject({
      code: 10002,
      fields: { time: 10002, employees: 60001 },
    })
    const { id } = await http.call('report/mail/add', { ...mail, employees: [owner.owner] }, signed)
    const [row] = (await http.call('report/mail/grid', {}, signed)).list
    expect(row).toMatchObject({ id, ...mail, employees: [owner.owner] })
    const role = await http.call(
      'role/add',
      { name: 'Reports', permissions: [8], departments: [owner.department] },
      signed,
    )
    const manager = await invite(http, signed, {
      ...{ first_name: 'M', last_name: 'M', workno: '8', department: owner.department },
      ...{ email: `m-${Date.now()}@example.com`, role: 2, roleId: role.id },
    })
    expect((await http.call('report/mail/grid', {}, manager)).list).toEqual([])
    expect(await http.ask('report/mail/delete', { id }, manager)).toMatchObject({ code: 60004, fields: { id: 60004 } })
    const { people: _, by: __, nextAt: ___, ...form } = row as NonNullable<typeof row>
    await http.call('report/mail/update', { ...form, every: 'daily' }, signed)
    await http.call('report/mail/delete', { id }, signed)
    expect((await http.call('report/mail/grid', {}, signed)).list).toEqual([])

    const { list: told } = await http.call('audit/grid', { filters: { noun: 'reportMail', object: id } }, signed)
    expect(told.map(({ changes, employee }) => [changes[0]?.change, changes[0]?.name, employee])).toEqual(
      ['removed', 'changed', 'added'].map(change => [change, 'Weekly', owner.owner]),
    )
    expect(told[1]?.changes[0]?.fields).toEqual({ every: { before: 'weekly', after: 'daily' } })
    expect(told[2]?.names).toHaveProperty(owner.owner)
  })
})
