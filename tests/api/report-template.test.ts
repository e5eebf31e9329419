import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { readSheet } from '../../functions/sheet/read.ts'
import { companyKey, leaveTypes } from '../../shared/company.ts'
import { csvFormatOf, plainCsv } from '../../shared/csv-format.ts'
import { dayRowKey } from '../../shared/day.ts'
import { departmentKey } from '../../shared/department.ts'
import { departmentMembers, employeeKey } from '../../shared/employee.ts'
import type { FigureName } from '../../shared/figure.ts'
import { addDays, daysBetween } from '../../shared/local-day.ts'
import { gapsOf } from '../../shared/report/left-out.ts'
import { reportTemplateKey } from '../../shared/report/template.ts'
import {
  leaveMeasures,
  mostTemplates,
  type TemplateColumn,
  type TemplateForm,
  type TemplateMeasure,
} from '../../shared/report/template-column.ts'
import { starterFor, starterNames, starters } from '../../shared/report/template-starter.ts'
import { client, invite, type Registered, register } from '../kit/client.ts'
import { load, loadRows, taskEnd } from '../kit/sheet.ts'
import { dayAt, departments, fixedShift, idOf, openWorked, type Worked } from '../kit/worked.ts'

// A payroll template decides rows, columns and formats of a file. The figures stay those of the report.

const form: TemplateForm = {
  ...{ name: 'Payroll', layout: 'summary', type: 'csv', unit: 'decimal', decimalSign: '.', separator: ',' },
  ...{ dateFormat: 'YYYY-MM-DD', hasHeadings: true, measures: [] },
  columns: [{ column: 'workno' }, { column: 'work' }],
}
const columnsOf = (...columns: TemplateColumn['column'][]) => columns.map(column => ({ column }))
const perMeasure = (...measures: TemplateMeasure[]): Partial<TemplateForm> => ({
  ...{ layout: 'measure', columns: columnsOf('workno', 'code', 'amount') },
  measures: measures.map(measure => ({ measure, code: `C-${measure}` })),
})

describe('the file of a template', () => {
  let worked: Awaited<ReturnType<typeof openWorked>>
  let company: Worked
  let report: typeof import('../../functions/report/read.ts')
  let files: typeof import('../../functions/report/template-file.ts')
  const people = [0, 1, 2]
  const [from, to] = ['2026-02-02', '2026-02-13']
  const filters = { from, to }
  const days = daysBetween(from, to)
  const shift = fixedShift('s'.repeat(16))

  beforeAll(async () => {
    worked = await openWorked()
    report = await import('../../functions/report/read.ts')
    files = await import('../../functions/report/template-file.ts')
    company = await worked.found(people.length)
    const { table } = company
    const [department = ''] = departments
    await worked.save(table.insert(departmentKey(department), { id: department, name: 'Day; "early", late' }))
    await company.keep(shift)
    for (const n of people) {
      const person = await table.get(employeeKey(idOf(n)))
      if (!person) throw new Error('Nobody')
      const named = { ...person, department, last_name: n === 0 ? '=SUM(A1)' : `Name; "${n}",` }
      await worked.save(
        table.replace(employeeKey(person.id), named),
        ...departmentMembers(named).map(([key, member]) => table.put(key, member)),
      )
      await company.schedule(idOf(n), Object.fromEntries(days.map(day => [day, [shift.id]])))
    }
    await company.recalculate(people.map(n => ({ employee: idOf(n), from, to })))
  })
  afterAll(() => worked.world.close())

  const minutes = fc.integer({ min: 0, max: 160 })
  const figures = fc.record({
    ...{ workMinutes: minutes, lateMinutes: minutes, overtimeMinutes: minutes },
    leaveTypes: fc.dictionary(fc.constantFrom('1', '2', '3'), fc.integer({ min: 1, max: 50 })),
  })
  /** Gives every day random figures, and the company random rounding. */
  const shuffle = async (seed: number) => {
    const { table } = company
    const settings = await table.get(companyKey())
    if (!settings) throw new Error('No company')
    const [rounding = [], minimumUnit = []] = fc.sample(
      fc.array(fc.constantFrom(0, 1, 2), { minLength: 5, maxLength: 5 }),
      {
        seed,
        numRuns: 2,
      },
    )
    const units = minimumUnit.map(unit => unit * 7)
    await worked.save(
      table.replace(companyKey(), { ...settings, rounding, minimumUnit: units, timeUnit: [seed % 2, 0, 1, 0, 1] }),
    )
    for (const n of people) {
      const rows = await company.rows(n)
      const random = fc.sample(figures, { seed: seed * 10 + n, numRuns: rows.length })
      for (const [at, row] of rows.entries()) {
        const own = random[at]
        const leaveMinutes = Object.values(own?.leaveTypes ?? {}).reduce((sum, part) => sum + part, 0)
        const { version: _, ...stored } = row
        await worked.save(
          table.put(dayRowKey(row.employee, row.day, row.shift, 1), {
            ...stored,
            ...own,
            leaveMinutes,
            absentMinutes: 0,
          }),
        )
      }
    }
  }
  const make = async (changes: Partial<TemplateForm> = {}, more: object = {}) => {
    const id = 't'.repeat(16)
    const template = { ...form, ...changes }
    await worked.save(company.table.put(reportTemplateKey(id), { id, ...template }))
    const work = { ...company.work(), table: company.table, language: 'en', asker: { departments: undefined } }
    const { file, rowCount } = await files.makeTemplateFile(work as never, {
      ...{ type: 'csv', view: 'summary', filters, template: id },
      ...more,
    })
    return { bytes: file?.bytes ?? new Uint8Array(), name: file?.name, rowCount }
  }
  const linesOf = async (changes: Partial<TemplateForm> = {}) => (await readSheet((await make(changes)).bytes)).rows
  const textOf = async (changes: Partial<TemplateForm> = {}) => Buffer.from((await make(changes)).bytes).toString()
  /** The rows of the report in minutes or in hours, or in the units of the company. */
  const summaryIn = async (unit?: 0 | 1) => {
    const opened = await report.openReport({ table: company.table, departments: undefined }, filters)
    const params =
      unit === undefined
        ? opened.params
        : Object.fromEntries(Object.entries(opened.params).map(([name, own]) => [name, { ...own, unit }]))
    const sort = { by: 'name' as const, descending: false }
    return (await report.pageOfSummary({ ...opened, params: params as never }, { size: 200, sort })).list
  }
  /** Whether the company reports the measure of a column in minutes. */
  const readUnits = async () => {
    const { params } = await report.openReport({ table: company.table, departments: undefined }, filters)
    const measures = { work: 'work', overtime: 'overtime', late: 'late' } as const
    return (name: string) => params[measures[name as keyof typeof measures] ?? 'absence'].unit === 0
  }

  test.each([1, 2, 3])(
    'has the figures of the report in each unit, also by measure and by day, for random days %i',
    async seed => {
      await shuffle(seed)
      const measured = {
        work: 'workMinutes',
        overtime: 'overtimeMinutes',
        late: 'lateMinutes',
        unresolved: 'unresolvedMinutes',
      } as const
      const names = Object.keys(measured) as (keyof typeof measured)[]
      const isInMinutes = await readUnits()
      for (const unit of ['decimal', 'minutes', 'clock'] as const) {
        const people = await summaryIn(unit === 'decimal' ? undefined : 0)
        const show = (value: number, name: string) =>
          unit === 'decimal'
            ? (Math.round(isInMinutes(name) ? value / 0.6 : value * 100) / 100).toFixed(2)
            : unit === 'minutes'
              ? String(value)
              : `${Math.floor(value / 60)}:${String(value % 60).padStart(2, '0')}`
        const bySummary = await linesOf({ unit, hasHeadings: false, columns: columnsOf('workno', ...names) })
        expect(bySummary).toEqual(
          people.map(({ workno, amounts }) => [workno, ...names.map(name => show(amounts[measured[name]], name))]),
        )
        const leaves = ['leave1', 'leave2', 'leave3'] as const
        const byMeasure = await linesOf({ unit, hasHeadings: false, ...perMeasure(...names, ...leaves) })
        expect(byMeasure).toEqual(
          people.flatMap(({ workno, amounts, leaveAmounts }) =>
            [
              ...names.map(name => [workno, `C-${name}`, amounts[measured[name]]] as const),
              ...leaves.map(name => [workno, `C-${name}`, leaveAmounts[name.slice(5)] ?? 0] as const),
            ]
              .filter(([, , amount]) => amount > 0)
              .map(([workno, code, amount]) => [workno, code, show(amount, code.slice(2))]),
          ),
        )
      }
      // The printed days of a measure in hours add up to the printed person, for each figure and each leave type.
      const columns = ['workno', ...names, 'leave1', 'leave2', 'leave3'] as const
      const byDay = await linesOf({ layout: 'daily', hasHeadings: false, columns: columnsOf(...columns) })
      for (const { workno, amounts, leaveAmounts } of await summaryIn()) {
        const own = byDay.filter(([number]) => number === workno)
        expect(own).toHaveLength(days.length)
        const sumOf = (at: number) => Math.round(own.reduce((sum, line) => sum + Number(line[at]) * 100, 0)) / 100
        for (const [at, name] of names.entries())
          if (!isInMinutes(name)) expect(sumOf(at + 1)).toBe(amounts[measured[name] as FigureName])
        for (const type of [1, 2, 3]) expect(sumOf(names.length + type)).toBe(leaveAmounts[type] ?? 0)
      }
    },
  )

  test('names the hours of the period that it leaves out, for random days', async () => {
    await shuffle(4)
    const { readLeftOut } = await import('../../functions/report/left-out.ts')
    const { readManagedSummaries } = await import('../../functions/day/summary.ts')
    const { sumDay } = await import('../../functions/day/summary-write.ts')
    const settings = await company.table.get(companyKey())
    if (!settings) throw new Error('No company')
    for (const day of days) await sumDay(company.table, settings, day)
    const viewer = { table: company.table, departments: undefined }
    const leftOut = async (changes: Partial<TemplateForm>) => {
      const summaries = await readManagedSummaries(viewer, from, to)
      const list = await readLeftOut(viewer, { ...form, ...changes }, filters, summaries)
      return Object.fromEntries((list ?? []).map(({ measure, minutes }) => [measure, minutes]))
    }
    const rows = (await Promise.all(people.map(n => company.rows(n)))).flat()
    const leave = (type: string) => rows.reduce((sum, { leaveTypes }) => sum + (leaveTypes[type] ?? 0), 0)
    const overtime = rows.reduce((sum, row) => sum + row.overtimeMinutes, 0)
    expect(overtime).toBeGreaterThan(0)
    expect(await leftOut({ columns: columnsOf('workno', 'work', 'unscheduled', 'leave1', 'leave2') })).toEqual({
      overtime,
      leave3: leave('3'),
    })
    expect(await leftOut({ columns: columnsOf('workno', 'work', 'unscheduled', 'overtime', 'leave') })).toEqual({})
    const byMeasure = perMeasure('work', 'unscheduled', 'leave')
    expect(await leftOut(byMeasure)).toEqual({ overtime })
    for (const name of starterNames) expect(await leftOut(starters[name])).toEqual({})
  })

  test('has its headings, its order and no total row', async () => {
    const columns: TemplateColumn[] = [
      ...[
        { column: 'text', heading: 'Client', text: '0815' } as const,
        { column: 'work', heading: 'Regular' } as const,
      ],
      ...columnsOf('workno', 'from', 'to', 'leave2'),
    ]
    const lines = await linesOf({ columns, dateFormat: 'DD.MM.YYYY', separator: ';', decimalSign: ',' })
    expect(lines[0]).toEqual(['Client', 'Regular', 'Employee ID', 'Period from', 'Period to', 'Sick leave'])
    expect(lines).toHaveLength(1 + people.length)
    expect(lines[1]?.slice(2, 5)).toEqual(['100', '02.02.2026', '13.02.2026'])
    expect(lines.slice(1).map(([client]) => client)).toEqual(people.map(() => '0815'))
    expect(lines[1]?.[1]).toMatch(/^\d+,\d\d$/)
    const { name, rowCount } = await make({ name: 'DATEV / Lohn' }, { isDraft: true })
    expect(name).toBe('Draft DATEV Lohn 2026-02-02 2026-02-13 Worked.csv')
    expect(rowCount).toBe(people.length)
    expect((await make({ hasHeadings: false })).rowCount).toBe(people.length)
  })

  test.each([',', ';', '\t', '|'] as const)(
    'keeps texts with the separator %j and quotes in one cell',
    async separator => {
      const columns = [...columnsOf('workno', 'name', 'department'), { column: 'text' as const, text: 'a,b;c|"d"' }]
      const text = await textOf({ separator, columns })
      const { default: Papa } = await import('papaparse')
      const { data } = Papa.parse<string[]>(text.slice(1).trimEnd(), { delimiter: separator })
      expect(data.map(line => line.length)).toEqual([4, 4, 4, 4])
      expect(data.at(-1)?.slice(1)).toEqual(['E Name; "2",', 'Day; "early", late', 'a,b;c|"d"'])
    },
  )

  test('lets no text of a CSV begin a formula, and keeps the text of a workbook', async () => {
    const columns = [...columnsOf('workno', 'name'), { column: 'text' as const, text: '+30 1', heading: '@x' }]
    const company2 = await company.table.get(employeeKey(idOf(0)))
    await worked.save(company.table.put(employeeKey(idOf(0)), { ...company2, first_name: '=1+1' } as never))
    const text = await textOf({ columns })
    expect(text).toContain("'@x")
    expect(text).toContain("'+30 1")
    expect(text).toContain("'=1+1 =SUM(A1)")
    const { bytes } = await make({ columns, type: 'xlsx' })
    const { unzipSync } = await import('fflate')
    const sheet = Buffer.from(unzipSync(bytes)['xl/worksheets/sheet1.xml'] ?? []).toString()
    expect(sheet).toContain('>+30 1<')
    expect(sheet).toContain('>=1+1 =SUM(A1)<')
    expect(sheet).not.toMatch(/<f[ >]/)
  })

  test('shows the same first rows before it is saved', async () => {
    const viewer = { table: company.table, departments: undefined }
    for (const layout of ['summary', 'daily'] as const)
      expect(await files.previewTemplate(viewer, { ...form, layout }, filters, 'en')).toEqual(
        (await linesOf({ layout })).slice(0, 4),
      )
  })
})

test('each leave type of the catalogue is a measure', () => {
  expect(leaveMeasures).toEqual(Object.keys(leaveTypes).map(id => `leave${id}`))
})

test('every starter contains all hours that people are paid for', () => {
  for (const name of starterNames) {
    const { figures, lacksLeave } = gapsOf(starters[name])
    expect({ name, figures, leave: Object.keys(leaveTypes).filter(lacksLeave) }).toEqual({
      name,
      figures: [],
      leave: [],
    })
  }
})

test('the general starter has the CSV format of the company, and the others that of their program', () => {
  const german = csvFormatOf({ country: 'DE' }, 'en')
  expect(starterFor('generic', german)).toMatchObject({ separator: ';', decimalSign: ',' })
  expect(starterFor('generic', plainCsv)).toMatchObject({ separator: ',', decimalSign: '.' })
  expect(starterFor('adp', german)).toMatchObject({ separator: ',', decimalSign: '.' })
})

describe('templates over HTTP', () => {
  const http = client(inject('address'))
  let owner: Registered
  let manager: { token: string }
  beforeAll(async () => {
    owner = await register(http)
    const { id: roleId } = await http.call(
      'role/add',
      { name: 'Reports', permissions: [8], departments: [owner.department] },
      owner,
    )
    const mona = { first_name: 'Mona', last_name: 'M', workno: '300', department: owner.department, role: 2, roleId }
    manager = await invite(http, owner, mona)
  })
  const add = (changes: object = {}, by: { token: string } = owner) =>
    http.ask('report/template/add', { ...form, ...changes } as never, by)
  const list = async (by: { token: string } = owner) => (await http.call('report/template/grid', {}, by)).list

  test('every starter is a valid template, and its file has its headings', async () => {
    for (const [name, starter] of Object.entries(starters)) {
      const { id } = await http.call('report/template/add', { name: `${name}-like`, ...starter }, owner)
      const range = { from: dayAt(-7), to: dayAt(-1) }
      const started = await http.call('report/export', { template: id, filters: range } as never, owner)
      const { file } = await taskEnd(http, owner, started)
      expect(file?.name).toContain(`${name}-like ${range.from} ${range.to}`)
      const [headings] = await loadRows(file?.url ?? '')
      expect(headings).toHaveLength(starter.columns.length)
    }
    expect((await list(manager)).map(({ name }) => name)).toEqual([
      'adp-like',
      'datev-like',
      'generic-like',
      'gusto-like',
    ])
  })

  test('only administrators change templates, and everyone with reports exports with them', async () => {
    const [template] = await list()
    if (!template) throw new Error('No template')
    for (const [path, input] of [
      ['report/template/add', form],
      ['report/template/update', template],
      ['report/template/delete', { id: template.id }],
      ['report/template/preview', { ...form, from: dayAt(-1), to: dayAt(-1) }],
    ] as const)
      expect((await http.ask(path, input as never, manager)).code).toBe(60005)
    const file = { template: template.id, isDraft: true, filters: { from: dayAt(-1), to: dayAt(-1) } }
    const { file: made } = await taskEnd(http, manager, await http.call('report/export', file as never, manager))
    expect(made?.name).toMatch(/^Draft /)
    expect((await load(made?.url ?? '')).bytes.length).toBeGreaterThan(0)
  })

  test('a preview of more than a year names the last day', async () => {
    const answer = await http.ask('report/template/preview', { ...form, from: dayAt(-400), to: dayAt(-1) }, owner)
    expect(answer).toMatchObject({ code: 10002, fields: { to: 10002 } })
  })

  test('names the wrong field of a template', async () => {
    const wrong: [changes: object, fields: object][] = [
      [{ columns: columnsOf('name') }, { columns: 10002 }],
      [{ columns: [] }, { columns: 60001 }],
      [{ columns: columnsOf('workno', 'in') }, { 'columns.1.column': 10002 }],
      [{ columns: columnsOf('workno', 'work', 'work') }, { 'columns.2.column': 10002 }],
      [{ columns: columnsOf('workno', 'text') }, { 'columns.1.text': 60001 }],
      [{ ...perMeasure('work'), measures: [] }, { measures: 60001 }],
      [{ ...perMeasure('work'), columns: columnsOf('workno') }, { columns: 10002 }],
      [perMeasure('leave', 'leave1'), { 'measures.1.measure': 10002 }],
      [perMeasure('work', 'work'), { 'measures.1.measure': 10002 }],
      [{ separator: '-' }, { separator: 10002 }],
      [{ unit: 'days' }, { unit: 10002 }],
      [{ name: ' ' }, { name: 60001 }],
      [{ surprise: 1 }, { surprise: 60003 }],
    ]
    for (const [changes, fields] of wrong)
      expect(await add(changes), JSON.stringify(changes)).toMatchObject({ code: 10002, fields })
  })

  test('refuses a name that exists, an outdated version, and more templates than the limit', async () => {
    const { id } = await http.call('report/template/add', form, owner)
    expect(await add({ name: 'PAYROLL' })).toMatchObject({ code: 60106, fields: { name: 60106 } })
    const change = { ...form, id, version: 1 }
    expect(await http.ask('report/template/update', { ...change, name: 'adp-like' }, owner)).toMatchObject({
      code: 60106,
      fields: { name: 60106 },
    })
    await http.call('report/template/update', { ...change, name: 'Wages', unit: 'minutes' }, owner)
    expect((await http.ask('report/template/update', change, owner)).code).toBe(60006)
    // The old name is free again.
    const { id: again } = await http.call('report/template/add', form, owner)
    await http.call('report/template/delete', { id: again }, owner)
    expect((await http.ask('report/template/delete', { id: again }, owner)).fields).toEqual({ id: 60004 })
    const { list: audit } = await http.call('audit/grid', { filters: { noun: 'reportTemplate', object: id } }, owner)
    expect(audit[0]?.changes[0]?.fields).toMatchObject({
      name: { before: 'Payroll', after: 'Wages' },
      unit: { before: 'decimal', after: 'minutes' },
    })
    for (let count = (await list()).length; count < mostTemplates; count++)
      await http.call('report/template/add', { ...form, name: `More ${count}` }, owner)
    expect((await add({ name: 'One more' })).code).toBe(60072)
  })

  test('an export and a close refuse a missing template', async () => {
    const template = '0'.repeat(16)
    const filters = { from: dayAt(-1), to: dayAt(-1) }
    expect(await http.ask('report/export', { template, filters } as never, owner)).toMatchObject({
      code: 60004,
      fields: { template: 60004 },
    })
    const old = addDays(dayAt(0), -40)
    expect(await http.ask('report/close/add', { from: old, to: old, type: 'csv', template }, owner)).toMatchObject({
      code: 60004,
      fields: { template: 60004 },
    })
  })

  test('a period closes with the file of a template, and keeps it', async () => {
    const [{ id: template = '', name = '' } = {}] = await list()
    const old = addDays(dayAt(0), -40)
    const { task } = await http.call('report/close/add', { from: old, to: old, type: 'csv', template }, owner)
    expect((await taskEnd(http, owner, { task })).file?.name).toContain(name)
    expect((await http.call('report/close/grid', {}, owner)).list[0]).toMatchObject({ template })
    const check = await http.call('report/close/check', { from: old, to: old, template }, owner)
    expect(check.leftOut).toEqual([])
    await http.call('report/template/delete', { id: template }, owner)
    expect((await http.call('report/close/grid', {}, owner)).list[0]).not.toHaveProperty('template')
  })
})
