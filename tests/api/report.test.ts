import { inflateSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { readSheet } from '../../functions/sheet/read.ts'
import { calculate } from '../../shared/attendance/calculate.ts'
import { defaultParameters } from '../../shared/attendance/input.ts'
import { roundMinutes } from '../../shared/attendance/rounding.ts'
import { companyKey } from '../../shared/company.ts'
import { departmentKey } from '../../shared/department.ts'
import { departmentMembers, type Employee, employeeKey, formerEmployeeKey } from '../../shared/employee.ts'
import { addFigures, type Figures, figureNames, figuresOf, mapFigures, noFigures } from '../../shared/figure.ts'
import { addDays, daysBetween } from '../../shared/local-day.ts'
import type { Shift } from '../../shared/shift.ts'
import { client, invite, register } from '../kit/client.ts'
import { dayAt, departments, fixedShift, idOf, openWorked, type Worked, zone } from '../kit/worked.ts'

// A report shows the engine’s figures, rounded by the company’s rule: in the grid, in totals and in every file.

let worked: Awaited<ReturnType<typeof openWorked>>
let company: Worked
let report: typeof import('../../functions/report/read.ts')
let sheets: typeof import('../../functions/report/sheet.ts')
beforeAll(async () => {
  worked = await openWorked()
  report = await import('../../functions/report/read.ts')
  sheets = await import('../../functions/report/sheet.ts')
  company = await worked.found(people.length)
  const { table, keep } = company
  for (const [index, name] of ['Day', 'Night'].entries())
    await worked.save(table.insert(departmentKey(departments[index] ?? ''), { id: departments[index] ?? '', name }))
  await keep(shift)
  for (const n of people) {
    const person = await table.get(employeeKey(idOf(n)))
    if (person) await worked.save(...membersOf(person))
  }
  for (const n of people) {
    await company.schedule(idOf(n), Object.fromEntries(days.map(day => [day, [shift.id]])))
    for (const [index, day] of days.entries()) await company.punch(n, day, ...timesOf(n, index))
  }
  await company.recalculate(people.map(n => ({ employee: idOf(n), from, to })))
})
afterAll(() => worked.world.close())

const people = [0, 1, 2]
/** Past days without a clock change, so that no day is still open. */
const [from, to] = ['2026-02-02', '2026-02-13']
const days = daysBetween(from, to)
const shift: Shift = fixedShift('s'.repeat(16), {
  lateOutOvertime: { counts: true, afterMinutes: 0 },
  noClockOut: 1,
})
/** The lateness depends on employee and day. Every fifth day has no punch, and every seventh day no clock-out. */
const timesOf = (n: number, index: number): string[] => {
  const pad = (number: number) => String(number).padStart(2, '0')
  if (index % 5 === 4) return []
  if (index % 7 === 6) return [`09:${pad(10 + n)}`]
  return [`09:${pad((index * 7 + n) % 60)}`, `18:${pad((index * 11 + n * 3) % 60)}`]
}

/** The employee’s entries in the member lists of departments. */
const membersOf = (person: Employee) => departmentMembers(person).map(([key, member]) => company.table.put(key, member))
const removeMembersOf = (person: Employee) => departmentMembers(person).map(([key]) => company.table.remove(key))

const filters = { from, to }
const viewer = (department?: string) => ({
  table: company.table,
  departments: department === undefined ? undefined : new Set([department]),
})
const openReport = (more: object = {}, department?: string) =>
  report.openReport(viewer(department), { ...filters, ...more })

/** Reads all pages of a list. */
const all = async <Row>(
  page: (next: string | undefined) => Promise<{ list: Row[]; next?: string }>,
): Promise<Row[]> => {
  const rows: Row[] = []
  let next: string | undefined
  do {
    const part = await page(next)
    rows.push(...part.list)
    next = part.next
  } while (next !== undefined)
  return rows
}
const readGrid = async (more: object = {}, department?: string) => {
  const openedReport = await openReport(more, department)
  return report.rowPrinter(openedReport)(await all(page => report.pageOfReport(openedReport, { size: 5, page })))
}
const readSummary = async (more: object = {}, department?: string) => {
  const openedReport = await openReport(more, department)
  const sort = { by: 'name' as const, descending: false }
  return all(page => report.pageOfSummary(openedReport, { size: 2, page, sort }))
}

const figuresIn = (row: Figures): Figures => ({
  ...noFigures(),
  ...Object.fromEntries(figureNames.map(name => [name, row[name]])),
})
const sum = (rows: Figures[]) => rows.map(figuresIn).reduce(addFigures, noFigures())

/** The engine’s own result, from the typed punches. */
const calculateRows = (n: number) =>
  calculate({
    ...{ zone, from, to, asOf: Date.now(), employee: {}, requests: [], holidays: [] },
    shifts: { [shift.id]: { ...shift, version: 1 } },
    schedule: days.map(day => ({ day, shift: shift.id })),
    punches: days.flatMap((day, at) =>
      timesOf(n, at).map(time => ({ at: Date.parse(`${day}T${time}:00+02:00`), key: `${day} ${time}` })),
    ),
    parameters: defaultParameters,
  })

/** The company’s rounding: work to the nearest 15 minutes, lateness up to 5 minutes. */
const rounding = { timeUnit: [1, 0, 0, 0, 1], rounding: [2, 0, 1, 0, 2], minimumUnit: [15, 10, 5, 0, 30] }
const saveSettings = async (changes: object) => {
  const settings = await company.table.get(companyKey())
  if (!settings) throw new Error('No company')
  await worked.save(company.table.replace(companyKey(), { ...settings, ...changes }))
}
const roundFigures = (figures: Figures): Figures => ({
  dutyMinutes: figures.dutyMinutes,
  workMinutes: roundMinutes(figures.workMinutes, { mode: 2, unit: 15 }),
  overtimeMinutes: roundMinutes(figures.overtimeMinutes, { mode: 0, unit: 10 }),
  lateMinutes: roundMinutes(figures.lateMinutes, { mode: 1, unit: 5 }),
  earlyLeaveMinutes: figures.earlyLeaveMinutes,
  absentMinutes: roundMinutes(figures.absentMinutes, { mode: 2, unit: 30 }),
  leaveMinutes: roundMinutes(figures.leaveMinutes, { mode: 2, unit: 30 }),
  unresolvedMinutes: roundMinutes(figures.unresolvedMinutes, { mode: 2, unit: 30 }),
  unscheduledMinutes: roundMinutes(figures.unscheduledMinutes, { mode: 2, unit: 15 }),
})

/** A file as the task makes it. */
const makeFile = (type: 'xlsx' | 'csv' | 'pdf', more: object = {}, language = 'en') =>
  sheets.makeReport(
    {
      ...company.work(),
      table: company.table,
      language,
      asker: { departments: undefined, permissions: new Set(), employee: {} },
    } as never,
    { type, view: 'daily', filters, ...more },
  )
const linesOf = async (...options: Parameters<typeof makeFile>): Promise<string[][]> =>
  (await readSheet((await makeFile(...options)).file.bytes)).rows
/** A sheet’s lines by heading, without the heading line. */
const tableOf = ([headings = [], ...lines]: string[][]) =>
  lines.map(line => Object.fromEntries(headings.map((heading, at) => [heading, line[at] ?? ''])))

/** The first sheet of a workbook, as XML. */
const sheetOf = async (workbook: Uint8Array) => {
  const { 'xl/worksheets/sheet1.xml': sheet = new Uint8Array() } = unzipSync(workbook)
  return { sheet: Buffer.from(sheet).toString() }
}

/** The text of a PDF, as copied from a viewer. */
const textOf = (pdf: Uint8Array): string => {
  const source = Buffer.from(pdf).toString('latin1')
  const streams = [...source.matchAll(/stream\n([\s\S]*?)\nendstream/g)].flatMap(([, raw = '']) => {
    try {
      return [inflateSync(Buffer.from(raw, 'latin1')).toString('latin1')]
    } catch {
      return []
    }
  })
  // The fonts follow each other in the file in the order of their names F1, F2.
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
  test('between the engine, the grid, people, departments and totals', async () => {
    const rows = await readGrid()
    expect(rows).toHaveLength(people.length * days.length)
    for (const n of people) {
      const ownRows = rows.filter(({ employee }) => employee === idOf(n))
      for (const row of calculateRows(n))
        expect(ownRows.find(({ day }) => day === row.day)).toMatchObject(figuresOf(row))
      const [person] = (await readSummary()).filter(({ employee }) => employee === idOf(n))
      expect(person).toMatchObject(sum(calculateRows(n).map(figuresOf)))
      expect(person).toMatchObject({ days: days.length, daysPresent: 10, daysAbsent: 2, workno: String(100 + n) })
    }
    const total = sum(people.flatMap(n => calculateRows(n).map(figuresOf)))
    expect(sum(rows)).toEqual(total)
    expect((await report.totalOf(await openReport({ search: 'E' })))?.figures).toEqual(total)
  })

  test('after rounding, also in XLSX, CSV and PDF: each day is rounded, then the rounded days are added', async () => {
    await saveSettings(rounding)
    const rows = await readGrid()
    const engine = people.flatMap(n =>
      calculateRows(n).map(row => ({ n, day: row.day, ...roundFigures(figuresOf(row)) })),
    )
    for (const { n, day, ...figures } of engine)
      expect(rows.find(row => row.employee === idOf(n) && row.day === day)).toMatchObject(figures)
    const total = sum(engine)
    expect((await report.totalOf(await openReport()))?.figures).toEqual(total)
    expect(sum(await readSummary())).toEqual(total)
    const openedReport = await openReport()
    const byDepartment = await report.rowsOfDepartments(openedReport, report.departmentsOf(openedReport))
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
    const text = textOf((await makeFile('pdf', { columns })).file.bytes).split('\n')
    for (const { n, day, workMinutes, lateMinutes } of engine) {
      const at = text.findIndex((word, at) => word === String(100 + n) && text[at + 1] === day)
      expect(text.slice(at, at + 4)).toEqual([String(100 + n), day, hours(workMinutes), String(lateMinutes)])
    }
    expect(text).toContain(hours(total.workMinutes))
    await saveSettings({ timeUnit: [0, 0, 0, 0, 0], rounding: undefined, minimumUnit: undefined })
  })

  test('in hours, printed days add up to the printed totals of people, departments and files', async () => {
    await saveSettings({ timeUnit: [1, 1, 1, 1, 1], rounding: undefined, minimumUnit: undefined })
    const hundredths = (minutes: number) => Math.round(minutes / 0.6)
    const { sumDay } = await import('../../functions/day/summary-write.ts')
    const { company: settings } = await openReport()
    for (const day of days) await sumDay(company.table, settings, day)
    const rows = await readGrid()
    const printedDays = mapFigures(name => rows.reduce((sum, row) => sum + hundredths(row[name]), 0) / 100)
    // Otherwise the test would not tell sums of printed days from printed sums.
    expect(printedDays).not.toEqual(mapFigures(name => hundredths(sum(rows)[name]) / 100))
    const addAmounts = (list: { amounts: Figures }[]) =>
      mapFigures(name => Math.round(list.reduce((sum, { amounts }) => sum + amounts[name] * 100, 0)) / 100)
    expect(addAmounts(await readSummary())).toEqual(printedDays)
    const openedReport = await openReport()
    const byDepartment = await report.rowsOfDepartments(openedReport, report.departmentsOf(openedReport))
    expect(addAmounts(byDepartment)).toEqual(printedDays)
    expect((await report.totalOf(openedReport))?.amounts).toEqual(printedDays)
    expect((await report.totalOf(await openReport({ search: 'E' })))?.amounts).toEqual(printedDays)
    for (const view of ['daily', 'summary', 'department'] as const) {
      const lines = tableOf(await linesOf('csv', { view, columns: ['name', 'department', 'work', 'late'] }))
      const last = lines.pop()
      expect(last?.['Late (h)']).toBe(printedDays.lateMinutes.toFixed(2))
      const late = lines.reduce((sum, line) => sum + Math.round(Number(line['Late (h)']) * 100), 0)
      expect(late).toBe(Math.round(printedDays.lateMinutes * 100))
    }
    await saveSettings({ timeUnit: [0, 0, 0, 0, 0] })
  })

  test('as hours and minutes, the printed days of each file add up to its exact total', async () => {
    await saveSettings({ timeUnit: [0, 0, 0, 0, 0], minutesAs: 'clock', rounding: undefined, minimumUnit: undefined })
    const rows = await readGrid()
    const total = sum(rows).workMinutes
    const clock = (minutes: number) => `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
    const minutesOf = (text = '') => Number(text.split(':')[0]) * 60 + Number(text.split(':')[1])
    const lines = tableOf(await linesOf('csv', { columns: ['name', 'work'] }))
    const last = lines.pop()
    expect(last?.['Worked (h)']).toBe(clock(total))
    expect(lines.reduce((sum, line) => sum + minutesOf(line['Worked (h)']), 0)).toBe(total)
    expect(textOf((await makeFile('pdf', { columns: ['name', 'work'] })).file.bytes)).toContain(clock(total))
    const { sheet } = await sheetOf((await makeFile('xlsx', { columns: ['name', 'work'] })).file.bytes)
    const cells = [...sheet.matchAll(/<c r="B\d+"[^>]*><v>([^<]*)/g)].map(([, value]) =>
      Math.round(Number(value) * 1440),
    )
    expect(cells.pop()).toBe(total)
    expect(cells.reduce((sum, minutes) => sum + minutes, 0)).toBe(total)
    await saveSettings({ minutesAs: undefined })
  })

  test('a PDF contains Greek and Chinese', async () => {
    const greek = textOf((await makeFile('pdf', {}, 'el')).file.bytes)
    expect(greek).toContain('Εργαζόμενος')
    const chinese = textOf((await makeFile('pdf', {}, 'zh')).file.bytes)
    expect(chinese).toContain('员工')
    expect(chinese).not.toContain('?')
    expect((await linesOf('xlsx', {}, 'zh'))[0]).toContain('员工')
  })
})

describe('a report contains', () => {
  test('the days of a manager’s departments, also of employees who moved away or were deleted', async () => {
    const [day = '', night = ''] = departments
    expect(new Set((await readGrid({}, night)).map(({ employee }) => employee))).toEqual(new Set([idOf(1)]))
    expect((await readSummary({}, night)).map(({ employee }) => employee)).toEqual([idOf(1)])
    expect(await readGrid({ employee: idOf(0) }, night)).toEqual([])
    expect(await readGrid({ department: day }, night)).toEqual([])
    const employee = await company.table.get(employeeKey(idOf(1)))
    if (!employee) throw new Error('Nobody')
    const before = await readSummary({ department: night })
    // An employee who moves leaves their days in the old department.
    const moved = { ...employee, department: day }
    await worked.save(
      company.table.replace(employeeKey(employee.id), moved),
      ...removeMembersOf(employee),
      ...membersOf(moved),
    )
    expect(await readSummary({ department: night })).toMatchObject(before.map(figuresIn))
    expect((await readSummary({}, night)).map(({ employee }) => employee)).toEqual([idOf(1)])
    const { version: _, ...former } = employee
    await worked.save(
      company.table.remove(employeeKey(employee.id)),
      ...removeMembersOf(moved),
      company.table.insert(formerEmployeeKey(employee.id), { ...former, endDay: to }),
    )
    expect((await readSummary()).map(({ employee }) => employee).sort()).toEqual(people.map(idOf))
    expect((await readSummary({ search: 'e 1' })).map(({ employee }) => employee)).toEqual([idOf(1)])
    await worked.save(
      company.table.remove(formerEmployeeKey(employee.id)),
      company.table.insert(employeeKey(employee.id), former),
      ...membersOf(former),
    )
  })

  test('the employees of a search, and the days with an exception', async () => {
    expect(new Set((await readGrid({ search: '102' })).map(({ employee }) => employee))).toEqual(new Set([idOf(2)]))
    const withExceptions = (await readGrid()).filter(({ exceptions }) => exceptions.length > 0)
    expect(await readGrid({ exceptions: ['missingIn', 'missingOut', 'longBreak', 'punchedOnLeave'] })).toEqual(
      withExceptions,
    )
  })
})

describe('over HTTP', () => {
  const http = client(inject('address'))
  const caller = { token: '' }
  let owner: Awaited<ReturnType<typeof register>>
  beforeAll(async () => {
    owner = await register(http, { timezone: zone })
    caller.token = owner.token
  })
  const range = { from: dayAt(-7), to: dayAt(-1) }

  test('the company sets the rounding, and a rejected form names its wrong values', async () => {
    const { version, ...params } = await http.call('report/params', {}, caller)
    const nothing = [0, 0, 0, 0, 0]
    expect(params).toEqual({ timeUnit: nothing, rounding: nothing, minimumUnit: nothing, minutesAs: 'minutes' })
    const invalid = { version, timeUnit: [0, 0, 0, 0, 2], rounding: [0, 3, 0, 0, 0], minimumUnit: [0, 0, 721, 0, 0] }
    expect(await http.ask('report/params/update', invalid as never, caller)).toMatchObject({
      code: 10002,
      fields: { 'timeUnit.4': 10002, 'rounding.1': 10002, 'minimumUnit.2': 60002 },
    })
    await http.call('report/params/update', { version, ...rounding } as never, caller)
    expect(await http.call('report/params', {}, caller)).toMatchObject(rounding)
    expect((await http.call('auth/get', {}, caller)).timeUnit).toEqual(rounding.timeUnit)
    const current = (await http.call('report/params', {}, caller)).version
    await http.call('report/params/update', { version: current, ...rounding, minutesAs: 'clock' } as never, caller)
    expect(await http.call('auth/get', {}, caller)).toMatchObject({ timeUnit: rounding.timeUnit, minutesAs: 'clock' })
    await http.call('report/params/update', { version: current + 1, ...rounding } as never, caller)
    expect((await http.call('report/params', {}, caller)).minutesAs).toBe('clock')
    expect(await http.ask('report/params/update', { version, ...rounding } as never, caller)).toMatchObject({
      code: 60006,
    })
  })

  test('a report with an invalid range, type or column is rejected with the field', async () => {
    for (const path of ['report/grid', 'report/summary', 'report/department'] as const)
      for (const to of [addDays(range.from, -1), addDays(range.from, 366)])
        expect(await http.ask(path, { filters: { ...range, to } }, caller)).toMatchObject({
          code: 10002,
          fields: { 'filters.to': 10002 },
        })
    const file = { type: 'csv' as const, view: 'daily' as const, filters: range }
    expect(await http.ask('report/export', { ...file, columns: ['name', 'daysLate'] }, caller)).toMatchObject({
      code: 10002,
      fields: { 'columns.1': 10002 },
    })
    expect(await http.ask('report/export', { ...file, type: 'doc' as never }, caller)).toMatchObject({
      code: 10002,
      fields: { type: 10002 },
    })
    const filters = { ...range, exceptions: ['late'] as never }
    expect(await http.ask('report/grid', { filters }, caller)).toMatchObject({
      fields: { 'filters.exceptions.0': 10002 },
    })
  })

  test('a scheduled report accepts only the caller’s employees with an address, and a valid time', async () => {
    const mail = { name: 'Weekly', type: 'csv', view: 'summary', every: 'weekly', time: '06:00' } as const
    const withoutAddress = await http.call(
      'employee/add',
      { first_name: 'P', last_name: 'P', workno: '7', department: owner.department },
      caller,
    )
    const stranger = '0'.repeat(16)
    expect(
      await http.ask('report/mail/add', { ...mail, employees: [withoutAddress.id, stranger] }, caller),
    ).toMatchObject({
      code: 60004,
      fields: { 'employees.0': 10002, 'employees.1': 60004 },
    })
    expect(await http.ask('report/mail/add', { ...mail, time: '6', employees: [] }, caller)).toMatchObject({
      code: 10002,
      fields: { time: 10002, employees: 60001 },
    })
    const { id } = await http.call('report/mail/add', { ...mail, employees: [owner.owner] }, caller)
    const [row] = (await http.call('report/mail/grid', {}, caller)).list
    expect(row).toMatchObject({ id, ...mail, employees: [owner.owner] })
    const role = await http.call(
      'role/add',
      { name: 'Reports', permissions: [8], departments: [owner.department] },
      caller,
    )
    const manager = await invite(http, caller, {
      ...{ first_name: 'M', last_name: 'M', workno: '8', department: owner.department },
      ...{ email: `m-${Date.now()}@example.com`, role: 2, roleId: role.id },
    })
    expect((await http.call('report/mail/grid', {}, manager)).list).toEqual([])
    expect(await http.ask('report/mail/delete', { id }, manager)).toMatchObject({ code: 60004, fields: { id: 60004 } })
    const { people: _, by: __, nextAt: ___, ...form } = row as NonNullable<typeof row>
    await http.call('report/mail/update', { ...form, every: 'daily' }, caller)
    await http.call('report/mail/delete', { id }, caller)
    expect((await http.call('report/mail/grid', {}, caller)).list).toEqual([])

    const { list: auditEntries } = await http.call(
      'audit/grid',
      { filters: { noun: 'reportMail', object: id } },
      caller,
    )
    expect(auditEntries.map(({ changes, employee }) => [changes[0]?.change, changes[0]?.name, employee])).toEqual(
      ['removed', 'changed', 'added'].map(change => [change, 'Weekly', owner.owner]),
    )
    expect(auditEntries[1]?.changes[0]?.fields).toEqual({ every: { before: 'weekly', after: 'daily' } })
    expect(auditEntries[2]?.names).toHaveProperty(owner.owner)
  })
})
