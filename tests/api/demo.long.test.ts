import { afterAll, beforeAll, expect, test } from 'vitest'
import { calculate } from '../../shared/attendance/calculate.ts'
import { defaultParameters } from '../../shared/attendance/input.ts'
import { type Company, companyKey } from '../../shared/company.ts'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import { type Figures, figureNames, figuresOf } from '../../shared/figure.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import { type ScheduleMonth, scheduleKey } from '../../shared/schedule/month.ts'
import { type Shift, shiftKey } from '../../shared/shift.ts'
import { readStored } from '../../shared/table.ts'
import { client, eventually, type Signed } from '../kit/client.ts'
import { loadRows, taskEnd } from '../kit/sheet.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// The demo company of `npm start` has equal figures on screen, in files and from the engine, on each day.

let world: StackWithTable
beforeAll(async () => {
  world = await startStackWithTable({}, { demo: 'plain' })
}, 60_000)
afterAll(() => world.stop())

/** The figures by employee ID, day and shift name. */
type Days = Map<string, Figures>
const placeOf = (workno: string, day: string, shift = '') => `${workno.padStart(3)} ${day} ${shift}`
const inOrder = (days: Days) => [...days].sort(([a], [b]) => (a < b ? -1 : 1))

test('the demo company has the same daily figures on the grid, in XLSX, in CSV and from the engine', {
  timeout: 170_000,
}, async () => {
  const items = (await world.everything()).map(item => readStored(item))
  const of = <T>(pk: string) => items.filter(item => `${item.pk}#`.startsWith(`${pk}#`)).map(({ item }) => item as T)
  const [company] = of<Company>(companyKey().pk)
  if (!company) throw new Error('There is no company.')
  // These days are final: terminals have delivered all their punches, and no night shift reaches past them.
  const today = localDay(company.timezone, Date.now())
  const [from, to] = [addDays(today, -30), addDays(today, -4)]

  const shifts = of<Shift>(shiftKey('').pk)
  const punches = of<Punch>('PUNCH')
  const months = of<ScheduleMonth>(scheduleKey('', '').pk.split('#')[0] ?? '')
  const engine: Days = new Map()
  for (const { id, workno, hireDay } of of<Employee>(employeeKey('').pk)) {
    const own = punches.filter(({ number }) => number === workno)
    const rows = calculate({
      ...{
        zone: company.timezone,
        from,
        to,
        asOf: Date.now(),
        requests: [],
        holidays: [],
        parameters: defaultParameters,
      },
      employee: hireDay === undefined ? {} : { hireDay },
      shifts: Object.fromEntries(shifts.map(shift => [shift.id, { ...shift, version: 1 }])),
      schedule: months
        .filter(({ employee }) => employee === id)
        .flatMap(({ days }) => Object.entries(days).flatMap(([day, held]) => held.map(shift => ({ day, shift })))),
      punches: own.map(punch => ({ at: Date.parse(punch.at), key: punchKey(punch).sk })),
    })
    const nameOf = (shift: string | null) => shifts.find(candidate => candidate.id === shift)?.name
    for (const row of rows) engine.set(placeOf(workno, row.day, nameOf(row.shift)), figuresOf(row))
  }
  expect(engine.size, 'everybody, five days of seven').toBeGreaterThan(24 * 18)

  const http = client(world.stack.address)
  const { token } = await http.call('user/login', { email: 'demo@example.com', password: 'Demo#2026' }, {})
  const signed: Signed = { token, headers: { 'x-timezone': company.timezone } }
  const filters = { from, to }
  const grid = async (): Promise<Days> => {
    const days: Days = new Map()
    for (let page: string | undefined, isFirst = true; isFirst || page; isFirst = false) {
      const { list, next } = await http.call('report/grid', { filters, size: 100, ...(page && { page }) }, signed)
      for (const row of list)
        days.set(
          placeOf(row.workno, row.day, row.shift),
          Object.fromEntries(figureNames.map(name => [name, row[name]])) as unknown as Figures,
        )
      page = next
    }
    return days
  }
  const shown = await eventually(grid, days => expect(inOrder(days)).toEqual(inOrder(engine)), 100)
  expect([...shown.values()].some(({ lateMinutes }) => lateMinutes > 0)).toBe(true)

  const columns = ['workno', 'day', 'shift', 'duty', 'work', 'late', 'early', 'absent', 'leave', 'overtime'] as const
  const named = ['duty', 'work', 'lateM', 'earlyL', 'absent', 'leave', 'overtime'].map(
    name => figureNames.find(figure => figure.startsWith(name)) ?? 'dutyMinutes',
  )
  for (const type of ['xlsx', 'csv'] as const) {
    const begun = await http.call('report/export', { type, view: 'daily', filters, columns: [...columns] }, signed)
    const { file } = await taskEnd(http, signed, begun)
    const [headings = [], ...rows] = await loadRows(file?.url ?? '')
    const isHours = headings.slice(3).map(heading => heading.endsWith('(h)'))
    expect(isHours.includes(true) && isHours.includes(false), 'some are printed in hours and some in minutes').toBe(
      true,
    )
    // The last row is the total.
    const printed = rows
      .slice(0, -1)
      .map(([workno = '', day = '', shift, ...cells]) => [placeOf(workno, day, shift), cells.map(Number)])
    const expected = inOrder(engine).map(([place, figures]) => [
      place,
      named.map((name, i) => (isHours[i] ? Math.round((figures[name] / 60) * 100) / 100 : figures[name])),
    ])
    expect(
      printed.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
      type,
    ).toEqual(expected)
  }
})
