import { isEmployedBetween } from '../../shared/attendance/employment.ts'
import { measures } from '../../shared/attendance/rounding.ts'
import { type Company, partsOn } from '../../shared/company.ts'
import { type DayRow, dayIndexPk } from '../../shared/day.ts'
import { type Department, withAllBelow } from '../../shared/department.ts'
import {
  type Employee,
  employeeKey,
  employeeSearchText,
  type FormerEmployee,
  formerEmployeeKey,
  nameToSort,
} from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { type Figures, figuredFields, figuresOf } from '../../shared/figure.ts'
import { fold } from '../../shared/fold.ts'
import { addDays, countDays, daysBetween } from '../../shared/local-day.ts'
import {
  addSums,
  amountsOf,
  type FigureSum,
  noSum,
  printedFigures,
  printedKinds,
  printedRequested,
  type ReportParams,
  reportParamsOf,
  roundsAnything,
} from '../../shared/measure.ts'
import { fullName } from '../../shared/person-name.ts'
import type { DailyRow, DepartmentRow, SummaryRow } from '../../shared/report/row.ts'
import type { ReportFilters } from '../../shared/report.ts'
import { searchQuery } from '../../shared/search.ts'
import { noSummary, type Summary, summaryOf, summedFields, sumOfSummary, sumSummaries } from '../../shared/summary.ts'
import { readCompany } from '../company/store.ts'
import { checkRange, type NamedEmployee, readNames, rowsBetween } from '../day/rows.ts'
import { readManagedSummaries, readSummaries } from '../day/summary.ts'
import { knownHeadcount } from '../department/headcount.ts'
import { readDepartments } from '../department/store.ts'
import { eachEmployee, listEmployees } from '../employee/list.ts'
import { findEmployee } from '../employee/store.ts'
import { type Caller, manages, managesEmployee } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import { type Item, openCursor, sealCursor } from '../kit/table.ts'
import { readBalances } from '../leave/account-store.ts'
import { leaveAmountsOf, minutesByType } from './leave.ts'
import { shownKinds, shownSum, sumPrinted } from './sum.ts'

// Employee-days as reports show them. The viewer's rights decide the rows, and the company's settings decide how to
// print them. Lists, totals and files use the same rows and the same code, so that they agree to the minute.

/** The table and the departments that a viewer may see. */
export type Viewer = Pick<Caller, 'table' | 'departments'>

export interface Report {
  viewer: Viewer
  company: Item<Company>
  params: ReportParams
  filters: ReportFilters
  /** The departments whose rows the report may show. Undefined means all departments, also deleted departments. */
  departments: ReadonlySet<string> | undefined
  departmentName: (id: string) => string | undefined
  /** The departments in tree order: each department precedes its descendants. */
  tree: Item<Department>[]
  /** The people that a search matches; undefined without a search. */
  people: ReadonlySet<string> | undefined
}

/**
 * The limits of parallel reads of days. Rows limit them too, so that a large company needs no more memory at a time.
 */
const daysAtOnce = 8
const rowsAtOnce = 1000
const peopleAtOnce = 16
/** The most rows to read for one answer. A larger report needs a shorter range. */
export const mostRows = 60_000

const inTree = (all: Item<Department>[]): Item<Department>[] => {
  const ids = new Set(all.map(({ id }) => id))
  const children = Map.groupBy(all, ({ parent }) => (parent !== undefined && ids.has(parent) ? parent : ''))
  const below = (id: string): Item<Department>[] =>
    (children.get(id) ?? [])
      .sort((one, other) => (fold(one.name) < fold(other.name) ? -1 : 1))
      .flatMap(department => [department, ...below(department.id)])
  return below('')
}

/** The ids of current and former employees that match a search. */
export const findPeople = async (viewer: Viewer, search: string): Promise<Set<string>> => {
  const ids = new Set<string>()
  const sort = { by: 'name' as const, descending: false }
  // A row belongs to the department of its day, not to the current department. So the search covers the whole company.
  for await (const { id } of eachEmployee(
    { table: viewer.table, departments: undefined },
    { filters: { search }, sort },
  ))
    ids.add(id)
  const words = searchQuery(search)
  for await (const former of viewer.table.each<FormerEmployee>({
    pk: formerEmployeeKey('').pk,
    only: ['id', 'first_name', 'last_name', 'reading', 'workno'],
  }))
    if (employeeSearchText(former).includes(words)) ids.add(former.id)
  return ids
}

/** Throws 10002 at `filters.to` for a range that ends before it begins or is longer than a year. */
export const openReport = async (viewer: Viewer, filters: ReportFilters): Promise<Report> => {
  checkRange(filters.from, filters.to)
  const { department, search } = filters
  const [company, all, people] = await Promise.all([
    readCompany(viewer),
    readDepartments(viewer.table),
    search ? findPeople(viewer, search) : undefined,
  ])
  const mine = all.filter(({ id }) => manages(viewer, id))
  const wanted = department === undefined ? viewer.departments : withAllBelow(all, [department])
  const names = new Map(mine.map(({ id, name }) => [id, name]))
  return {
    viewer,
    company,
    params: reportParamsOf(company),
    filters,
    departments: wanted && new Set([...wanted].filter(id => manages(viewer, id))),
    departmentName: id => names.get(id),
    tree: inTree(mine),
    people,
  }
}

/** Whether a row belongs to a report. All lists, totals and files use this function. */
const keeps = ({ departments, people, filters: { employee, exceptions } }: Report, row: DayRow): boolean =>
  (departments === undefined || departments.has(row.department)) &&
  (employee === undefined || row.employee === employee) &&
  (people === undefined || people.has(row.employee)) &&
  (exceptions === undefined || exceptions.some(type => row.exceptions.includes(type)))

const partsOf = ({ company }: Report, day: string) => Array.from({ length: partsOn(company, day) }, (_, part) => part)

/** The attributes that a printed row needs. The missing punches, rules and history are most of its size. */
export const printedFields = [
  ...figuredFields,
  ...(['employee', 'department', 'day', 'zone', 'exceptions', 'reasons', 'dutyTo', 'firstIn', 'lastOut'] as const),
  ...(['breakMinutes', 'longBreakMinutes', 'leaveTypes', 'hours'] as const),
] as const
type PrintedRow = Pick<DayRow, (typeof printedFields)[number]>

/** All rows of a report with only these attributes, the newest day first. */
export async function* eachDayOf<Field extends keyof DayRow & string>(
  report: Report,
  only: readonly Field[],
): AsyncGenerator<{ day: string; rows: Pick<DayRow, Field>[] }> {
  const { viewer, filters } = report
  const { from, to, employee } = filters
  if (employee !== undefined) {
    const rows = (await rowsBetween(viewer.table, employee, from, to)).filter(row => keeps(report, row))
    for (const [day, dayRows] of Map.groupBy(rows.reverse(), ({ day }) => day)) yield { day, rows: dayRows }
    return
  }
  const readDay = async (day: string) => {
    const parts = await Promise.all(
      partsOf(report, day).map(part =>
        viewer.table.all<DayRow>({ index: 'byDay', pk: dayIndexPk(day, part), only: [...only] }),
      ),
    )
    return { day, rows: parts.flat().filter(row => keeps(report, row)) }
  }
  const days = daysBetween(from, to).reverse()
  for (let at = 0, together = 1; at < days.length; ) {
    const batch = await Promise.all(days.slice(at, at + together).map(readDay))
    at += batch.length
    const most = Math.max(1, ...batch.map(({ rows }) => rows.length))
    together = Math.max(1, Math.min(daysAtOnce, together * 4, Math.floor(rowsAtOnce / most)))
    yield* batch
  }
}

/** Throws 60070 if the report needs more rows than one answer has time for. */
export const checkSize = async ({ viewer, filters }: Pick<Report, 'viewer' | 'filters'>): Promise<void> => {
  if (filters.employee !== undefined) return
  const people = await knownHeadcount({ table: viewer.table, departments: undefined })
  if ((people ?? 0) * countDays(filters.from, filters.to) > mostRows) throw new Problem(60070)
}

interface Position {
  day: string
  part: number
  after?: string
}

/** Rows per query of a partition when the filters drop most of them. */
const portion = 500
const mostRead = 12_000
/** The most queries for one page, full or not, so that an empty year does not delay the caller. */
const mostQuestions = 100

const pageOfEmployee = async (report: Report, { size, page }: { size: number; page?: string | undefined }) => {
  const { from, to, employee = '' } = report.filters
  const rows = (await rowsBetween(report.viewer.table, employee, from, to)).filter(row => keeps(report, row)).reverse()
  const ids = rows.map(row => ({ ...row, id: `${row.day}#${row.shift}` }))
  return report.viewer.table.slice(ids, { name: `rows ${JSON.stringify(report.filters)}`, size, page })
}

/** One page of rows, the newest day first, by employee within a day. */
export const pageOfReport = async (
  report: Report,
  { size, page }: { size: number; page?: string | undefined },
): Promise<{ list: DayRow[]; next?: string }> => {
  const { viewer, filters } = report
  if (filters.employee !== undefined) return pageOfEmployee(report, { size, page })
  const binding = `${viewer.table.prefix}rows ${JSON.stringify(filters)}`
  const start = page === undefined ? undefined : ((await openCursor(page, binding)) as unknown as Position)
  let position: Position = start ?? { day: filters.to, part: 0 }
  const isNarrow = report.departments !== undefined || report.people !== undefined || filters.exceptions !== undefined
  const list: DayRow[] = []
  for (let read = 0, queries = 0; position.day >= filters.from; ) {
    if (list.length >= size || read >= mostRead || queries === mostQuestions)
      return { list, next: await sealCursor({ ...position }, binding) }
    const { day, part, after } = position
    const slice = await viewer.table.part<DayRow>({
      ...{ index: 'byDay', pk: dayIndexPk(day, part), after },
      size: isNarrow ? portion : size - list.length,
    })
    queries++
    read += slice.read
    const wanted = slice.rows.filter(({ item }) => keeps(report, item))
    const taken = wanted.slice(0, size - list.length)
    list.push(...taken.map(({ item }) => item))
    const reached = taken.length < wanted.length ? taken.at(-1)?.at : slice.reached
    position =
      reached !== undefined
        ? { day, part, after: reached }
        : part + 1 < partsOn(report.company, day)
          ? { day, part: part + 1 }
          : { day: addDays(day, -1), part: 0 }
  }
  return { list }
}

const instant = (at: number | null) => (at === null ? undefined : new Date(at).toISOString())

/** Sorts rows by the names of their employees, and namesakes by employee ID. */
const sortByName = (rows: PrintedRow[], personOf: (row: PrintedRow) => NamedEmployee): PrintedRow[] =>
  rows
    .map(row => ({ row, name: nameToSort(personOf(row)), workno: personOf(row).workno }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.workno.localeCompare(b.workno)))
    .map(({ row }) => row)

/** Turns stored rows into shown rows. Keeps the names that it has read for later calls. */
export const rowPrinter = (report: Report, { isSortedByName = false } = {}) => {
  const { viewer, params, departmentName } = report
  const people = new Map<string, NamedEmployee>()
  const shifts = new Map<string, { name: string; color: string } | undefined>()
  return async (rows: PrintedRow[]): Promise<DailyRow[]> => {
    const unknown = rows.filter(({ employee, shift }) => !people.has(employee) || (shift && !shifts.has(shift)))
    const names = await readNames(viewer.table, unknown)
    for (const { employee, shift } of unknown) {
      people.set(employee, people.get(employee) ?? names.employee(employee))
      if (shift) shifts.set(shift, names.shift(shift))
    }
    const personOf = ({ employee }: PrintedRow) => people.get(employee) ?? names.employee(employee)
    const ordered = isSortedByName ? sortByName(rows, personOf) : rows
    return ordered.map(row => {
      const person = personOf(row)
      const { first_name, last_name, workno } = person
      const shift = shifts.get(row.shift ?? '')
      const figures = printedFigures(figuresOf(row), params)
      const kinds = printedKinds(row, params)
      return {
        ...{ employee: row.employee, first_name, last_name, name: fullName(person), workno },
        ...{ department: row.department, departmentName: departmentName(row.department) },
        ...{ day: row.day, timezone: row.zone, kind: row.kind, state: row.state },
        ...(shift && { shift: shift.name, shiftColor: shift.color }),
        ...{ dutyFrom: instant(row.dutyFrom), dutyTo: instant(row.dutyTo) },
        ...{ firstIn: instant(row.firstIn), lastOut: instant(row.lastOut) },
        ...figures,
        breakMinutes: row.breakMinutes,
        longBreakMinutes: row.longBreakMinutes,
        requestedOvertimeMinutes: printedRequested(row, params),
        leaveTypes: minutesByType(row, params),
        exceptions: row.exceptions,
        ...(kinds && { kinds }),
        ...(row.week && { week: row.week }),
      }
    })
  }
}

/** Whether day summaries suffice. They count every employee of a department and contain unrounded figures. */
const isSummed = ({ params, people, filters }: Report) =>
  !roundsAnything(params) && people === undefined && filters.employee === undefined && filters.exceptions === undefined

type Counts = ReturnType<typeof countsOf>
/** The employee-days that the report by department counts. */
const countsOf = (days: Summary[]) => {
  const { should, active, late, early, absent, over, exception } = sumSummaries('', days)
  return { should, active, late, early, absent, over, exception }
}

/** The sum of all rows of a report; undefined for too many rows. */
export const totalOf = async (
  report: Report,
): Promise<
  | ({ figures: Figures; amounts: Figures; counts: Counts } & Partial<Pick<SummaryRow, 'kinds' | 'kindAmounts'>>)
  | undefined
> => {
  const { viewer, departments, params, filters } = report
  const toldSum = (sum: FigureSum, days: Summary[]) => ({
    ...{ figures: sum.minutes, amounts: amountsOf(sum, params), counts: countsOf(days) },
    ...shownKinds(sum, params),
  })
  if (isSummed(report)) {
    const days = await readManagedSummaries({ table: viewer.table, departments }, filters.from, filters.to)
    return toldSum(days.map(sumOfSummary).reduce(addSums, noSum()), days)
  }
  try {
    await checkSize(report)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
  let sum = noSum()
  const days: Summary[] = [noSummary('')]
  for await (const { day, rows } of eachDayOf(report, summedFields)) {
    sum = addSums(sum, sumPrinted(rows, params))
    days.push(summaryOf(day, rows))
  }
  return toldSum(sum, days)
}

const distinctDays = (rows: DayRow[]) => new Set(rows.map(({ day }) => day)).size
const hundredths = (number: number) => Math.round(number * 100) / 100

/** The totals of one person's rows. A week's shortfall counts as absence minutes, not as a day of absence. */
const amountOf = (rows: DayRow[], params: ReportParams) => {
  const rowsWith = (has: (row: DayRow) => boolean) => rows.filter(has)
  const leaveDays: Record<string, number> = {}
  for (const { leaveTypes, dutyMinutes } of rows)
    for (const [type, minutes] of Object.entries(leaveTypes))
      if (dutyMinutes > 0) leaveDays[type] = (leaveDays[type] ?? 0) + minutes / dutyMinutes
  return {
    days: distinctDays(rowsWith(({ shift, kind }) => shift !== null && (kind === 'work' || kind === 'flexible'))),
    daysPresent: distinctDays(rowsWith(({ firstIn, lastOut }) => firstIn !== null || lastOut !== null)),
    daysLate: distinctDays(rowsWith(({ lateMinutes }) => lateMinutes > 0)),
    timesLate: rowsWith(({ lateMinutes }) => lateMinutes > 0).length,
    timesEarly: rowsWith(({ earlyLeaveMinutes }) => earlyLeaveMinutes > 0).length,
    daysAbsent: distinctDays(rowsWith(({ absentMinutes }) => absentMinutes > 0)),
    leaveDays: Object.fromEntries(Object.entries(leaveDays).map(([type, days]) => [type, hundredths(days)])),
    exceptionCount: rows.reduce((sum, { exceptions }) => sum + exceptions.length, 0),
    ...shownSum(sumPrinted(rows, params), params),
    leaveAmounts: leaveAmountsOf(rows, params),
  }
}

/** Ids of deleted or moved people who have rows in a report but are missing from its list. */
const readStrangers = async (report: Report): Promise<string[]> => {
  const { viewer, departments, filters, people } = report
  const strangers = new Set<string>()
  if (departments === undefined) {
    for await (const { id, endDay } of viewer.table.each<FormerEmployee>({
      pk: formerEmployeeKey('').pk,
      only: ['id', 'endDay'],
    }))
      if (endDay === undefined || endDay >= filters.from) strangers.add(id)
  } else {
    await checkSize(report)
    for await (const { rows } of eachDayOf(report, ['employee', 'department', 'exceptions']))
      for (const { employee } of rows) strangers.add(employee)
    const ids = [...strangers]
    const current = await viewer.table.getMany(ids.map(employeeKey))
    ids.forEach((id, at) => {
      const employee = current[at]
      if (employee && managesEmployee({ departments }, employee)) strangers.delete(id)
    })
  }
  return [...strangers].filter(id => people === undefined || people.has(id)).sort()
}

type Person = Pick<Employee, 'id' | 'first_name' | 'last_name' | 'workno' | 'department'> & Partial<Employee>

const summarise = async (report: Report, list: (Person | undefined)[]): Promise<SummaryRow[]> => {
  const { viewer, company, params, departments, departmentName, filters } = report
  const isOfReport = ({ department }: Person) => departments === undefined || departments.has(department)
  const members = list.flatMap(person => (person && isOfReport(person) ? [person.id] : []))
  const balances = await readBalances(viewer.table, company, members, filters.to)
  const rows = await atOnce(peopleAtOnce, list, async person => {
    if (!person) return []
    const all = await rowsBetween(viewer.table, person.id, filters.from, filters.to)
    const kept = all.filter(row => keeps(report, row))
    // A member of these departments who could have worked appears even without rows. Other people need rows.
    const { department } = person
    const isThere = isOfReport(person)
    const isEmployed = isEmployedBetween(person, filters.from, filters.to)
    if (kept.length === 0 && (!isThere || !isEmployed || filters.exceptions)) return []
    const { id, first_name, last_name, workno } = person
    return [
      {
        ...{ employee: id, first_name, last_name, name: fullName(person), workno },
        // The last department of the person among the report's rows.
        department: kept.at(-1)?.department ?? department,
        departmentName: departmentName(kept.at(-1)?.department ?? department),
        ...amountOf(kept, params),
        accountMinutes: balances.get(id),
      },
    ]
  })
  return rows.flat()
}

/**
 * One page of people with the totals of their days: current members first, in order. Then come people who have rows but
 * were deleted or moved away since.
 */
export const pageOfSummary = async (
  report: Report,
  {
    size,
    page,
    sort,
  }: { size: number; page?: string | undefined; sort: { by: 'name' | 'workno'; descending: boolean } },
): Promise<{ list: SummaryRow[]; next?: string }> => {
  const { viewer, departments, filters, people } = report
  const binding = `${viewer.table.prefix}summary ${JSON.stringify([filters, sort])}`
  const start = page === undefined ? {} : await openCursor(page, binding)
  if (filters.employee !== undefined) {
    const person = await findEmployee(viewer.table, filters.employee)
    const list = await summarise(report, [person])
    return { list: list.filter(({ department }) => manages(viewer, department)) }
  }
  const position = start as { inner?: string; after?: string }
  if (position.after === undefined) {
    const members = await listEmployees(
      { table: viewer.table, departments },
      {
        ...{ name: 'report', filters: { search: filters.search }, sort, size, page: position.inner },
        ...(people && { among: people }),
      },
    )
    const list = await summarise(report, members.list)
    const next = members.next === undefined ? { after: '' } : { inner: members.next }
    return { list, next: await sealCursor(next, binding) }
  }
  const strangers = (await readStrangers(report)).filter(id => id > (position.after ?? ''))
  const batch = strangers.slice(0, size)
  const employees = await atOnce(peopleAtOnce, batch, id => findEmployee(viewer.table, id))
  const withRows = (await summarise(report, employees)).filter(
    ({ days, daysPresent, ...row }) =>
      days + daysPresent + row.dutyMinutes + row.workMinutes + row.unscheduledMinutes + row.overtimeMinutes > 0,
  )
  const last = batch.at(-1)
  return {
    list: withRows,
    ...(last !== undefined && batch.length < strangers.length && { next: await sealCursor({ after: last }, binding) }),
  }
}

const departmentRowOf = (
  { id, name }: Pick<Department, 'id' | 'name'>,
  days: Summary[],
  sum: FigureSum,
  params: ReportParams,
): DepartmentRow => {
  return { department: id, departmentName: name, ...countsOf(days), ...shownSum(sum, params) }
}

/** The departments with the totals of their days. */
export const rowsOfDepartments = async (report: Report, wanted: Item<Department>[]): Promise<DepartmentRow[]> => {
  const { viewer, params, filters } = report
  if (isSummed(report))
    return atOnce(peopleAtOnce, wanted, async department => {
      const days = await readSummaries(viewer.table, department.id, filters.from, filters.to)
      return departmentRowOf(department, days, days.map(sumOfSummary).reduce(addSums, noSum()), params)
    })
  // Read the rows, because rounding applies to each day of each person.
  await checkSize(report)
  const entries = new Map(wanted.map(({ id }) => [id, { days: [noSummary('')], sum: noSum() }]))
  for await (const { day, rows } of eachDayOf(report, summedFields))
    for (const [id, departmentRows] of Map.groupBy(rows, ({ department }) => department)) {
      const entry = entries.get(id)
      if (!entry) continue
      entry.days.push(summaryOf(day, departmentRows))
      entry.sum = addSums(entry.sum, sumPrinted(departmentRows, params))
    }
  return wanted.map(department => {
    const { days = [], sum = noSum() } = entries.get(department.id) ?? {}
    return departmentRowOf(department, days, sum, params)
  })
}

/** The departments that a report covers. */
export const departmentsOf = ({ tree, departments }: Report): Item<Department>[] =>
  tree.filter(({ id }) => departments === undefined || departments.has(id))

/** The company's print settings in the shape of the API. */
export const paramsOnWire = (params: ReportParams) => ({
  timeUnit: measures.map(measure => params[measure].unit as 0 | 1),
  rounding: measures.map(measure => params[measure].rounding),
  minimumUnit: measures.map(measure => params[measure].minimumUnit),
})
