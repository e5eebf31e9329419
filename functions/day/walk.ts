import { type Absence, absencePk, applyAbsences, canBeAbsent, isMarkedAbsent } from '../../shared/absence.ts'
import { calculate, marginDays } from '../../shared/attendance/calculate.ts'
import type { Punch as EnginePunch } from '../../shared/attendance/input.ts'
import type { Row } from '../../shared/attendance/row.ts'
import { weekSlackDays, wholeWeeks } from '../../shared/attendance/weekly.ts'
import { type Company, companyKey, isLocked } from '../../shared/company.ts'
import { type CalculatedRow, type DayRow, dayRowKey } from '../../shared/day.ts'
import { type ZoneOf, zonesOf } from '../../shared/department.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
import { type Employee, employeeKey, formerEmployeeKey } from '../../shared/employee.ts'
import type { Freed, Holiday } from '../../shared/holiday/day.ts'
import type { StoredHours } from '../../shared/hours/row.ts'
import { addDays, daysBetween, earlierDay, laterDay, localDay } from '../../shared/local-day.ts'
import { applyCorrections, type Correction, correctionPk, mostMovedDays } from '../../shared/record/correction.ts'
import {
  engineRequest,
  mostLeaveDays,
  type Request,
  requestPk,
  requestPunch,
  requestStatus,
  requestTypes,
} from '../../shared/request.ts'
import { choicesOf, rulePeriods } from '../../shared/rule.ts'
import { monthOf, scheduleKey } from '../../shared/schedule/month.ts'
import { type Shift, shiftKey } from '../../shared/shift.ts'
import { readDepartments } from '../department/store.ts'
import { readHolidays } from '../holiday/store.ts'
import { type HourRules, readHourRules } from '../hours/store.ts'
import { isDefined } from '../kit/defined.ts'
import { atOnce } from '../kit/each.ts'
import type { Item, Table } from '../kit/table.ts'
import { areSameChecks, judgeChecks } from './checks.ts'
import { departmentsOf, holidaysOf, zonesBetween } from './department.ts'
import { hourMarginDays, splitRows, splitUnlocked } from './hours.ts'
import { readPunches, uploadedTo } from './punch.ts'

// Reads the inputs of employees' days, calculates the days and compares them with the stored rows. `calculateDays`
// writes the differences, and a preview only shows them. Both use this walk, so that a preview shows exactly the later
// result.

/** Days of one employee, both ends included. */
export interface Span {
  employee: string
  from: string
  to: string
}

/** An assumed holiday has no id. */
type KnownHoliday = Freed & Partial<Pick<Holiday, 'id'>>

/** An assumed change, which a preview puts in place of the stored data. */
export interface Supposed {
  company?: (company: Item<Company>) => Item<Company>
  /** Shifts by id, in place of the stored shifts. */
  shifts?: Record<string, Item<Shift>>
  holidays?: (holidays: KnownHoliday[]) => KnownHoliday[]
  /** The zones of departments. */
  zones?: ZoneOf
  /**
   * The shifts of an employee's day, given the present ones. `shifts` must contain the shifts that are new to the
   * employee.
   */
  schedule?: (employee: string, day: string, held: string[]) => string[]
  /** The approved requests of an employee with the assumed change. `approved` are the stored ones. */
  requests?: (employee: string, approved: Request[]) => Request[]
  corrections?: (corrections: Correction[]) => Correction[]
  /** The hour sets in place of the stored ones. */
  hours?: HourRules
}

/** A stored row of a day and its new result. At least one of them exists, and they differ. */
export interface RowChange {
  day: string
  before?: Item<DayRow>
  after?: CalculatedRow
  /** The manager whose mark of absence newly counts on the row. */
  markedBy?: string | undefined
}

export interface Walked {
  span: Span
  /** The calculated days. If the employee has a weekly shift, these are whole weeks. */
  range: Pick<Span, 'from' | 'to'>
  employee: Item<Employee>
  company: Item<Company>
  /** The days whose marks of absence the calculation read, with their stamp. */
  marks?: Span & { stamp: string }
  /** The differences on unlocked days up to tomorrow. */
  changes: RowChange[]
  /** The differences on locked days, which keep their rows. */
  locked: RowChange[]
  /** Scheduled days after tomorrow that an assumed change alters. */
  toCome: { before: Row[]; after: Row[] }
  shifts: Record<string, Item<Shift>>
}

/** Days that the walk could not read or calculate. A failure does not affect other employees. */
export interface Stuck {
  span: Span
  error: unknown
}

/** Terminals send the date of their own zone. The dates of two zones differ by at most this many days. */
export const zoneSlackDays = 1
const slackDays = marginDays + zoneSlackDays + 2 * weekSlackDays
export const employeesAtOnce = 12

/** The months of a range of days, each once. */
const monthsOf = (from: string, to: string) => [...new Set(daysBetween(from, to).map(monthOf))]

/** The inputs of an employee's days besides punches. People may change these inputs during a calculation. */
interface Basis {
  company: Item<Company>
  employee: Item<Employee>
  schedule: { day: string; shift: string }[]
  shifts: Record<string, Item<Shift>>
  holidays: KnownHoliday[]
  /** The zones of departments; absent in a company without any. */
  zones?: ZoneOf
  requests: Request[]
  corrections: Correction[]
  /** The hour sets; absent without any. A change of them changes the company's version. */
  hours?: HourRules | undefined
  /** A hash that changes with any of these inputs. */
  stamp: string
}

const monthsAround = ({ from, to }: Span) => monthsOf(addDays(from, -slackDays), addDays(to, slackDays))
const stampOf = (items: ({ version: number } | undefined)[]) => items.map(item => item?.version ?? '-').join()

/**
 * The approved requests around a range of days. Keys begin with the last day, so a long leave may have a much later
 * key.
 */
const readRequests = (table: Table, { employee, from, to }: Span): Promise<Item<Request>[]> =>
  table.all<Request>({
    pk: requestPk(employee),
    from: addDays(from, -slackDays),
    to: `${addDays(to, slackDays + mostLeaveDays)}~`,
    where: [
      ['status', '=', requestStatus.approved],
      ['day', 'below', addDays(to, slackDays + 1)],
    ],
  })

/** The corrections around a range of days. Moved punches widen the range. */
const readCorrections = (table: Table, { employee, from, to }: Span): Promise<Item<Correction>[]> =>
  table.all<Correction>({
    pk: correctionPk(employee),
    from: addDays(from, -slackDays - mostMovedDays),
    to: `${addDays(to, slackDays + mostMovedDays)}~`,
  })

/** Reads the inputs of all spans in batches. Returns one basis per span, undefined for an unknown employee. */
export const readBases = async (table: Table, spans: Span[]): Promise<(Basis | undefined)[]> => {
  const company = await table.get(companyKey())
  if (!company || spans.length === 0) return []
  const ids = [...new Set(spans.map(({ employee }) => employee))]
  const keys = spans.flatMap(span => monthsAround(span).map(month => scheduleKey(month, span.employee)))
  const [present, months, holidays, requests, corrections, hours, departments] = await Promise.all([
    table.getMany(ids.map(employeeKey)),
    table.getMany(keys),
    readHolidays(table, {
      from: addDays(spans.map(({ from }) => from).reduce(earlierDay), -slackDays),
      to: addDays(spans.map(({ to }) => to).reduce(laterDay), slackDays),
    }),
    atOnce(employeesAtOnce, spans, span => readRequests(table, span)),
    atOnce(employeesAtOnce, spans, span => readCorrections(table, span)),
    readHourRules(table, company),
    company.hasZones ? readDepartments(table) : [],
  ])
  const absent = ids.filter((_, i) => !present[i])
  const [former, shifts] = await Promise.all([
    table.getMany(absent.map(formerEmployeeKey)),
    table.getMany([...new Set(months.flatMap(month => Object.values(month?.days ?? {}).flat()))].map(shiftKey)),
  ])
  const people = new Map([...present, ...former].filter(isDefined).map(person => [person.id, person]))
  const byId = new Map(shifts.filter(isDefined).map(shift => [shift.id, shift]))
  const byMonth = new Map(months.filter(isDefined).map(month => [`${month.month} ${month.employee}`, month]))
  return spans.map((span, i) => {
    const employee = people.get(span.employee)
    if (!employee) return undefined
    const own = monthsAround(span).map(month => byMonth.get(`${month} ${employee.id}`))
    const held = own.filter(isDefined).flatMap(({ days }) => Object.entries(days))
    const used = [...new Set(held.flatMap(([, shifts]) => shifts))].map(shift => byId.get(shift)).filter(isDefined)
    const approved = requests[i] ?? []
    const corrected = corrections[i] ?? []
    // Use only the span's own inputs, so that its stamp does not depend on other spans of the batch.
    const [first, last] = [addDays(span.from, -slackDays), addDays(span.to, slackDays)]
    const freeing = holidays.filter(({ from, to }) => from <= last && to >= first)
    return {
      ...{ company, employee, holidays: freeing, requests: approved, corrections: corrected, hours },
      ...(company.hasZones && { zones: zonesOf(departments) }),
      schedule: held.flatMap(([day, shifts]) => shifts.map(shift => ({ day, shift }))),
      shifts: Object.fromEntries(used.map(shift => [shift.id, shift])),
      stamp: `${stampOf([company, employee, ...own, ...used, ...departments])} ${freeing.map(({ id, version }) => id + version).join()} ${approved.map(({ id, version }) => id + version).join()} ${corrected.map(({ punch, version }) => punch + version).join()}`,
    }
  })
}

const suppose = (
  { company, schedule, shifts, holidays, requests, corrections, ...basis }: Basis,
  span: Span,
  supposed: Supposed,
): Basis => {
  const { schedule: planned } = supposed
  const held = Map.groupBy(schedule, ({ day }) => day)
  const shiftsOn = (day: string) => (held.get(day) ?? []).map(({ shift }) => shift)
  return {
    ...basis,
    ...(supposed.hours && { hours: supposed.hours }),
    company: supposed.company?.(company) ?? company,
    holidays: supposed.holidays?.(holidays) ?? holidays,
    ...(supposed.zones && { zones: supposed.zones }),
    shifts: { ...shifts, ...supposed.shifts },
    requests: supposed.requests?.(span.employee, requests) ?? requests,
    corrections: supposed.corrections?.(corrections) ?? corrections,
    schedule: planned
      ? daysBetween(addDays(span.from, -slackDays), addDays(span.to, slackDays)).flatMap(day =>
          planned(span.employee, day, shiftsOn(day)).map(shift => ({ day, shift })),
        )
      : schedule,
  }
}

interface Range {
  from: string
  to: string
  /** Whether the engine calculates whole weeks. */
  isWeekly: boolean
}

/** Whether a row belongs to a week that the engine calculates as a whole. */
const isOfWeek = ({ kind, week, shift, dutyFrom }: DayRow) =>
  kind === 'flexible' || week !== undefined || (shift !== null && dutyFrom === null)

/**
 * The days to calculate together with a span. Covers whole weeks if an old or new row belongs to a weekly calculation,
 * or if hour sets count the minutes of the week.
 */
const judgedWith = ({ company, schedule, shifts, hours }: Basis, stored: DayRow[], { from, to }: Span): Range => {
  const [first, last] = [addDays(from, -weekSlackDays), addDays(to, weekSlackDays)]
  const isWeekly =
    stored.some(row => row.day >= first && row.day <= last && isOfWeek(row)) ||
    schedule.some(({ day, shift }) => shifts[shift]?.kind === 'weekly' && day >= first && day <= last)
  if (!isWeekly && !hours) return { from, to, isWeekly }
  const weeks = rulePeriods(company, from, to).map(period =>
    wholeWeeks(period.from, period.to, period.parameters.firstWeekday),
  )
  return {
    from: weeks.map(week => week.from).reduce(earlierDay, from),
    to: weeks.map(week => week.to).reduce(laterDay, to),
    isWeekly,
  }
}

/** The data of an employee's days at one instant. */
interface DayInputs {
  now: number
  span: Span
  range: Range
  stored: Item<DayRow>[]
  punches: EnginePunch[]
  uploadedTo: number
  /** The stored inputs. */
  standing: Basis
  /** The inputs with the assumed change. Without an assumed change, this object is `standing`. */
  basis: Basis
}

/** Reads the rows before their inputs, so that a concurrent run with stale inputs fails to save and retries. */
const readDays = async (table: Table, spans: Span[], supposed: Supposed | undefined): Promise<DayInputs[]> => {
  const now = Date.now()
  const rows = await atOnce(employeesAtOnce, spans, ({ employee, from, to }) =>
    table.all<DayRow>({
      pk: dayRowKey(employee, '', null, 1).pk,
      from: addDays(from, -2 * weekSlackDays),
      to: `${addDays(to, 2 * weekSlackDays)}#~`,
    }),
  )
  const [bases, devices] = await Promise.all([
    readBases(table, spans),
    table.all<Device>({ pk: deviceKey('').pk, only: ['department', 'uploadedAt'] }),
  ])
  const inputs = await atOnce(employeesAtOnce, [...spans.entries()], async ([i, span]) => {
    const standing = bases[i]
    if (!standing) return undefined
    const basis = supposed ? suppose(standing, span, supposed) : standing
    const stored = rows[i] ?? []
    const range = judgedWith(basis, stored, span)
    const margin = marginDays + zoneSlackDays + (range.isWeekly || basis.hours ? weekSlackDays : 0)
    const { employee } = standing
    const punches = await readPunches(table, employee, addDays(range.from, -margin), addDays(range.to, margin))
    return {
      now,
      span,
      range,
      stored,
      punches,
      uploadedTo: uploadedTo(devices, employee.department, now),
      standing,
      basis,
    }
  })
  return inputs.filter(isDefined)
}

/** Calculates each day by the rules in effect on that day. A week follows the rules of its last day. */
const rowsOf = (input: DayInputs, basis: Basis, first: string, last: string) => {
  const {
    now,
    punches,
    uploadedTo,
    stored,
    range: { isWeekly },
  } = input
  const { company, employee, schedule, shifts, holidays, requests, corrections } = basis
  const { lockedTo } = company
  const departmentOn = departmentsOf(input, basis)
  const freed = holidaysOf(holidays, departmentOn, addDays(first, -weekSlackDays), addDays(last, weekSlackDays))
  const common = {
    asOf: now,
    ...{ employee, shifts, uploadedTo },
    punches: applyCorrections(
      [
        ...punches,
        ...requests.flatMap(request => (request.type === requestTypes.shift ? [requestPunch(request)] : [])),
      ],
      corrections,
    ),
    holidays: freed.holidays,
    schedule: schedule.filter(({ shift }) => shift in shifts),
    requests: requests.flatMap(request => (request.type === requestTypes.shift ? [] : [engineRequest(request)])),
    ...(lockedTo !== undefined && { locked: { to: lockedTo, rows: stored } }),
  }
  return rulePeriods(company, first, last).flatMap(({ timezone, parameters, from, to }) => {
    const range = isWeekly ? wholeWeeks(from, to, parameters.firstWeekday) : { from, to }
    const choices = {
      ...choicesOf(parameters),
      ...zonesBetween(
        basis.zones,
        departmentOn,
        timezone,
        addDays(range.from, -slackDays),
        addDays(range.to, slackDays),
      ),
      partHolidays: freed.partHolidays,
    }
    const rows = calculate({ ...common, parameters, choices, ...range, zone: timezone })
    return isWeekly ? rows.filter(({ day }) => day >= from && day <= to) : rows
  })
}

const placeOf = ({ day, shift }: Pick<Row, 'day' | 'shift'>) => `${day}#${shift ?? '-'}`

const isSame = (row: DayRow, other: CalculatedRow) =>
  row.inputHash === other.inputHash &&
  row.state === other.state &&
  row.department === other.department &&
  row.hours?.hash === other.hours?.hash &&
  areSameChecks(row, other)

/** The rows of a list that are missing or different in the other list. */
const without = (list: Row[], others: Row[]) => {
  const hashes = new Map(others.map(row => [placeOf(row), row.inputHash]))
  return list.filter(row => hashes.get(placeOf(row)) !== row.inputHash)
}

/** The marks of absence on days of one employee, and a text that changes with any of them. */
export const readMarks = async (
  table: Table,
  { employee, from, to }: Span,
): Promise<{ absences: Item<Absence>[]; stamp: string }> => {
  const absences = await table.all<Absence>({ pk: absencePk(employee), from, to: `${to}~` })
  return { absences, stamp: absences.map(mark => `${placeOf(mark)} ${mark.version} ${mark.madeAt}`).join() }
}

/** The days whose marks of absence can matter. Undefined if no row lacks a punch, because other rows ignore marks. */
const markedDays = (employee: string, rows: Row[]): Span | undefined => {
  const days = rows.filter(canBeAbsent).map(({ day }) => day)
  const [first] = days
  return first === undefined
    ? undefined
    : { employee, from: days.reduce(earlierDay, first), to: days.reduce(laterDay, first) }
}

/** Gives the hour kinds of a row. A locked day keeps its kinds, except in a preview of other sets, which counts them. */
const splitDays = (
  { range, stored, standing, basis }: DayInputs,
  rows: Row[],
  departmentOn: (day: string) => string,
): ((row: Row, previous: DayRow | undefined) => StoredHours | undefined) => {
  const { company, hours } = basis
  if (!hours) return (row, previous) => (isLocked(company, row.day) ? previous?.hours : undefined)
  const freed = holidaysOf(basis.holidays, departmentOn, addDays(range.from, -2), addDays(range.to, 2))
  const splitting = {
    ...{ rows, stored, company, hours, departmentOn },
    holidays: [...freed.holidays.map(day => ({ day })), ...freed.partHolidays],
  }
  const open = splitRows(splitting)
  const locked = hours === standing.hours ? undefined : splitUnlocked(splitting)
  return (row, previous) => (isLocked(company, row.day) ? (locked ? locked.get(row) : previous?.hours) : open.get(row))
}

const walk = async (table: Table, input: DayInputs): Promise<Walked> => {
  const { now, span, range, stored, standing, basis } = input
  const { company, employee, shifts } = basis
  const today = localDay(company.timezone, now)
  // A shift that begins after midnight may open its punch period today, so tomorrow has a row as well.
  const tomorrow = addDays(today, 1)
  const last = earlierDay(range.to, tomorrow)
  const isSupposed = standing !== basis
  const margin = hourMarginDays(basis.hours)
  const lastNeeded = isSupposed ? range.to : last
  const calculated = rowsOf(input, basis, addDays(range.from, -margin), addDays(lastNeeded, margin))
  const markable = markedDays(employee.id, calculated)
  const marks = markable && (await readMarks(table, markable))
  const around = applyAbsences(calculated, marks?.absences ?? [])
  const markers = new Map(marks?.absences.map(mark => [placeOf(mark), mark.by]))
  const rows = margin === 0 ? around : around.filter(({ day }) => day >= range.from && day <= lastNeeded)
  const before = new Map(stored.flatMap(row => (row.day < range.from || row.day > last ? [] : [[placeOf(row), row]])))
  const calculatedAt = new Date(now).toISOString()
  const departmentOn = departmentsOf(input, basis)
  const hoursOf = splitDays(input, around, departmentOn)
  const unjudged = rows.flatMap((row): CalculatedRow[] => {
    if (row.day > last) return []
    const hours = hoursOf(row, before.get(placeOf(row)))
    const department = departmentOn(row.day)
    return [{ ...row, employee: employee.id, department, calculatedAt, ...(hours && { hours }) }]
  })
  const { judged, beyond } = await judgeChecks(table, { ...input, ...basis, rows: unjudged, calculatedAt })
  const differences: RowChange[] = judged.flatMap(after => {
    const previous = before.get(placeOf(after))
    before.delete(placeOf(after))
    if (previous && isSame(previous, after)) return []
    const isNewlyMarked = isMarkedAbsent(after) && !(previous && isMarkedAbsent(previous))
    const markedBy = isNewlyMarked ? markers.get(placeOf(after)) : undefined
    return [{ day: after.day, ...(previous && { before: previous }), after, markedBy }]
  })
  differences.push(...beyond)
  for (const previous of before.values()) differences.push({ day: previous.day, before: previous })
  const isLockedChange = ({ day }: RowChange) => isLocked(company, day)
  // Future days have no rows, so compare them with a second calculation on the stored inputs.
  const next = laterDay(addDays(tomorrow, 1), range.from)
  const planned = isSupposed && range.to >= next ? rowsOf(input, standing, next, range.to) : []
  const future = rows.filter(({ day }) => day > tomorrow)
  return {
    ...{ span, range, employee, company, shifts },
    ...(markable && marks && { marks: { ...markable, stamp: marks.stamp } }),
    changes: differences.filter(change => !isLockedChange(change)),
    locked: differences.filter(isLockedChange),
    toCome: { before: without(planned, future), after: without(future, planned) },
  }
}

/**
 * Reads and calculates days, and compares them with the stored rows. After a failed batch, reads each span separately,
 * so that one failing span does not block the others.
 */
export const lookAt = async (
  table: Table,
  spans: Span[],
  supposed?: Supposed,
): Promise<{ walked: (Walked & { stamp: string })[]; stuck: Stuck[] }> => {
  let inputs: DayInputs[]
  try {
    inputs = await readDays(table, spans, supposed)
  } catch (error) {
    const [span, ...others] = spans
    if (!span || others.length === 0) return { walked: [], stuck: span ? [{ span, error }] : [] }
    const each = await atOnce(employeesAtOnce, spans, single => lookAt(table, [single], supposed))
    return { walked: each.flatMap(({ walked }) => walked), stuck: each.flatMap(({ stuck }) => stuck) }
  }
  const stuck: Stuck[] = []
  const walked = await atOnce(employeesAtOnce, inputs, async input => {
    try {
      return [{ ...(await walk(table, input)), stamp: input.basis.stamp }]
    } catch (error) {
      stuck.push({ span: input.span, error })
      return []
    }
  })
  return { walked: walked.flat(), stuck }
}

/** The effect of an assumed change. Writes nothing. */
export const walkDays: (
  table: Table,
  spans: Span[],
  supposed: Supposed,
) => Promise<{ walked: Walked[]; stuck: Stuck[] }> = lookAt
