import { calculate, marginDays } from '../../shared/attendance/calculate.ts'
import type { Punch as EnginePunch } from '../../shared/attendance/input.ts'
import type { Row } from '../../shared/attendance/row.ts'
import { weekSlackDays, wholeWeeks } from '../../shared/attendance/weekly.ts'
import { type Company, companyKey, isLocked } from '../../shared/company.ts'
import { type CalculatedRow, type DayRow, dayRowKey } from '../../shared/day.ts'
import { type Device, deviceKey } from '../../shared/device.ts'
import { type Employee, employeeKey, formerEmployeeKey } from '../../shared/employee.ts'
import { type Freed, type Holiday, holidayCalendar } from '../../shared/holiday.ts'
import { addDays, daysBetween, earlierDay, laterDay, localDay } from '../../shared/local-day.ts'
import { type Punch, punchKey, punchName } from '../../shared/punch.ts'
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
import { rulePeriods } from '../../shared/rule.ts'
import { monthOf, scheduleKey } from '../../shared/schedule.ts'
import { type Shift, shiftKey } from '../../shared/shift.ts'
import { readHolidays } from '../holiday/store.ts'
import { atOnce } from '../kit/each.ts'
import type { Item, Table } from '../kit/table.ts'

// Days of employees, read anew, calculated, and compared with what stands there: `walkDays`. What differs is written by
// `calculateDays`, or only told, by a preview. There is no other way to either, so that what a preview tells is what comes.

/** Days of one employee, both ends included. */
export interface Span {
  employee: string
  from: string
  to: string
}

/** One that is only supposed has no id. */
type KnownHoliday = Freed & Partial<Pick<Holiday, 'id'>>

/** What is taken for true in place of what stands in the table; a preview supposes a change that nobody has saved. */
export interface Supposed {
  company?: (company: Item<Company>) => Item<Company>
  /** By id, in place of the shift as it is. */
  shifts?: Record<string, Item<Shift>>
  holidays?: (holidays: KnownHoliday[]) => KnownHoliday[]
  /** The shifts of an employee's day, given the present ones. `shifts` must bring those that are new to the employee. */
  schedule?: (employee: string, day: string, held: string[]) => string[]
  /** The approved requests of somebody, given those that are. */
  requests?: (employee: string, approved: Request[]) => Request[]
  corrections?: (corrections: Correction[]) => Correction[]
}

/** One row of a day as it stands and as it would be; at least one of the two is there, and they differ. */
export interface RowChange {
  day: string
  before?: Item<DayRow>
  after?: CalculatedRow
}

/** What was found of somebody's days. */
export interface Walked {
  span: Span
  /** The days that were judged: whole weeks where a week is. */
  range: Pick<Span, 'from' | 'to'>
  employee: Item<Employee>
  company: Item<Company>
  /** What differs of the days up to tomorrow, but for locked ones. */
  changes: RowChange[]
  /** What would change, were it not locked. */
  locked: RowChange[]
  /** Scheduled days after tomorrow that come out otherwise than as everything stands; only where something is supposed. */
  toCome: { before: Row[]; after: Row[] }
  shifts: Record<string, Item<Shift>>
}

/** Somebody whose days could not be read or calculated; the others are none the worse for it. */
export interface Stuck {
  span: Span
  error: unknown
}

/** Terminals tell the date of their own zone; no zone's date is further than this from another's. */
export const zoneSlackDays = 1
const slackDays = marginDays + zoneSlackDays + 2 * weekSlackDays
export const employeesAtOnce = 12

const isDefined = <T>(value: T | undefined): value is T => value !== undefined

/** The months a range of days lies in, each once. */
const monthsOf = (from: string, to: string) => [...new Set(daysBetween(from, to).map(monthOf))]

/** The recorded punches of an employee's numbers, as the engine takes them, between two local days. */
export const readPunches = async (
  table: Table,
  employee: Employee,
  from: string,
  to: string,
): Promise<EnginePunch[]> => {
  const numbers = [employee.workno, ...(employee.formerWorknos ?? [])]
  const lists = await Promise.all(
    numbers.map(number =>
      table.all<Punch>({
        pk: punchKey({ number, localTime: '', sn: '' }).pk,
        from,
        to: `${to}T99`,
        only: ['at', 'number', 'localTime', 'sn', 'inout'],
      }),
    ),
  )
  return lists.flat().map(punch => ({
    at: Date.parse(punch.at),
    key: punchName(punch),
    ...((punch.inout === 0 || punch.inout === 1) && { state: punch.inout === 0 ? ('in' as const) : ('out' as const) }),
  }))
}

/** Up to where every terminal of the department has delivered; without terminals there is nothing to wait for. */
const uploadedTo = (devices: Device[], department: string, now: number): number => {
  const mine = devices.filter(device => device.department === department)
  return Math.min(now, ...mine.map(({ uploadedAt }) => (uploadedAt ? Date.parse(uploadedAt) : 0)))
}

/** All that somebody's days follow from, besides punches: what people change, and may change while it is calculated by. */
interface Basis {
  company: Item<Company>
  employee: Item<Employee>
  schedule: { day: string; shift: string }[]
  shifts: Record<string, Item<Shift>>
  holidays: KnownHoliday[]
  /** Approved ones. */
  requests: Request[]
  corrections: Correction[]
  /** Another one once anything of it has changed. */
  stamp: string
}

const monthsAround = ({ from, to }: Span) => monthsOf(addDays(from, -slackDays), addDays(to, slackDays))
const stampOf = (items: ({ version: number } | undefined)[]) => items.map(item => item?.version ?? '-').join()

/** The approved requests around a range of days. Their keys begin with their last day, so leave may stand far behind. */
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

/** The corrections around a range of days. */
const readCorrections = (table: Table, { employee, from, to }: Span): Promise<Item<Correction>[]> =>
  table.all<Correction>({
    pk: correctionPk(employee),
    from: addDays(from, -slackDays - mostMovedDays),
    to: `${addDays(to, slackDays + mostMovedDays)}~`,
  })

/** Reads in batches what the days of all these follow from; one answer for each, undefined for who never was. */
export const readBases = async (table: Table, spans: Span[]): Promise<(Basis | undefined)[]> => {
  const company = await table.get(companyKey())
  if (!company || spans.length === 0) return []
  const ids = [...new Set(spans.map(({ employee }) => employee))]
  const keys = spans.flatMap(span => monthsAround(span).map(month => scheduleKey(month, span.employee)))
  const [present, months, holidays, requests, corrections] = await Promise.all([
    table.getMany(ids.map(employeeKey)),
    table.getMany(keys),
    readHolidays(table, {
      from: addDays(spans.map(({ from }) => from).reduce(earlierDay), -slackDays),
      to: addDays(spans.map(({ to }) => to).reduce(laterDay), slackDays),
    }),
    atOnce(employeesAtOnce, spans, span => readRequests(table, span)),
    atOnce(employeesAtOnce, spans, span => readCorrections(table, span)),
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
    // Its own alone, so that the stamp is the same whoever else is read with it.
    const [first, last] = [addDays(span.from, -slackDays), addDays(span.to, slackDays)]
    const freeing = holidays.filter(({ from, to }) => from <= last && to >= first)
    return {
      ...{ company, employee, holidays: freeing, requests: approved, corrections: corrected },
      schedule: held.flatMap(([day, shifts]) => shifts.map(shift => ({ day, shift }))),
      shifts: Object.fromEntries(used.map(shift => [shift.id, shift])),
      stamp: `${stampOf([company, employee, ...own, ...used])} ${freeing.map(({ id, version }) => id + version).join()} ${approved.map(({ id, version }) => id + version).join()} ${corrected.map(({ punch, version }) => punch + version).join()}`,
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
    company: supposed.company?.(company) ?? company,
    holidays: supposed.holidays?.(holidays) ?? holidays,
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
  /** Whether whole weeks are judged. */
  isWeekly: boolean
}

/** Whether a row belongs to a week that is judged as a whole. */
const isOfWeek = ({ kind, week, shift, dutyFrom }: DayRow) =>
  kind === 'flexible' || week !== undefined || (shift !== null && dutyFrom === null)

/** The days that are judged together with these: whole weeks where a week is, or was, judged as one. */
const judgedWith = ({ company, schedule, shifts }: Basis, stored: DayRow[], { from, to }: Span): Range => {
  const [first, last] = [addDays(from, -weekSlackDays), addDays(to, weekSlackDays)]
  const isWeekly =
    stored.some(row => row.day >= first && row.day <= last && isOfWeek(row)) ||
    schedule.some(({ day, shift }) => shifts[shift]?.kind === 'weekly' && day >= first && day <= last)
  if (!isWeekly) return { from, to, isWeekly }
  const weeks = rulePeriods(company, from, to).map(period =>
    wholeWeeks(period.from, period.to, period.parameters.firstWeekday),
  )
  return {
    from: weeks.map(week => week.from).reduce(earlierDay, from),
    to: weeks.map(week => week.to).reduce(laterDay, to),
    isWeekly,
  }
}

/** What is known of somebody's days at one moment. */
interface Known {
  now: number
  span: Span
  range: Range
  stored: Item<DayRow>[]
  punches: EnginePunch[]
  uploadedTo: number
  /** As everything stands, and as it is supposed to be: the same where nothing is supposed. */
  standing: Basis
  basis: Basis
}

/** What stands there is read before what it is compared with, so that of two at once the one that read less looks again. */
const readDays = async (table: Table, spans: Span[], supposed: Supposed | undefined): Promise<Known[]> => {
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
  const known = await atOnce(employeesAtOnce, [...spans.entries()], async ([i, span]) => {
    const standing = bases[i]
    if (!standing) return undefined
    const basis = supposed ? suppose(standing, span, supposed) : standing
    const stored = rows[i] ?? []
    const range = judgedWith(basis, stored, span)
    const margin = marginDays + zoneSlackDays + (range.isWeekly ? weekSlackDays : 0)
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
  return known.filter(isDefined)
}

/** The days on which the department somebody was in on that day has a holiday; a later move does not carry past days along. */
const holidaysOf = ({ now, stored }: Known, basis: Basis, from: string, to: string): string[] => {
  const { company, employee, holidays } = basis
  if (holidays.length === 0) return []
  const isHoliday = holidayCalendar(holidays, from, to)
  const today = localDay(company.timezone, now)
  const then = new Map(stored.map(({ day, department }) => [day, department]))
  const departmentOn = (day: string) => (day < today && then.get(day)) || employee.department
  return daysBetween(from, to).filter(day => isHoliday(departmentOn(day), day))
}

/** Each day by the rules that count on it, whatever counted before or has counted since; a week by those of its last day. */
const rowsOf = (known: Known, basis: Basis, first: string, last: string) => {
  const {
    now,
    punches,
    uploadedTo,
    stored,
    range: { isWeekly },
  } = known
  const { company, employee, schedule, shifts, requests, corrections } = basis
  const { lockedTo } = company
  const { hireDay, endDay } = employee
  const given = {
    asOf: now,
    employee: { ...(hireDay && { hireDay }), ...(endDay && { endDay }) },
    ...{ shifts, uploadedTo },
    punches: applyCorrections(
      [
        ...punches,
        ...requests.flatMap(request => (request.type === requestTypes.shift ? [requestPunch(request)] : [])),
      ],
      corrections,
    ),
    holidays: holidaysOf(known, basis, addDays(first, -weekSlackDays), addDays(last, weekSlackDays)),
    schedule: schedule.filter(({ shift }) => shift in shifts),
    requests: requests.flatMap(request => (request.type === requestTypes.shift ? [] : [engineRequest(request)])),
    ...(lockedTo !== undefined && { locked: { to: lockedTo, rows: stored } }),
  }
  return rulePeriods(company, first, last).flatMap(({ timezone, parameters, from, to }) => {
    const range = isWeekly ? wholeWeeks(from, to, parameters.firstWeekday) : { from, to }
    const rows = calculate({ ...given, parameters, ...range, zone: timezone })
    return isWeekly ? rows.filter(({ day }) => day >= from && day <= to) : rows
  })
}

const placeOf = ({ day, shift }: Pick<Row, 'day' | 'shift'>) => `${day}#${shift ?? '-'}`

const isSame = (row: DayRow, other: CalculatedRow) =>
  row.inputHash === other.inputHash && row.state === other.state && row.department === other.department

/** Those of a list that are not in the other, or not as they are there. */
const without = (list: Row[], others: Row[]) => {
  const hashes = new Map(others.map(row => [placeOf(row), row.inputHash]))
  return list.filter(row => hashes.get(placeOf(row)) !== row.inputHash)
}

const walk = (known: Known): Walked => {
  const { now, span, range, stored, standing, basis } = known
  const { company, employee, shifts } = basis
  const today = localDay(company.timezone, now)
  // A shift that begins after midnight may open its punch period today, so tomorrow has a row as well.
  const tomorrow = addDays(today, 1)
  const last = earlierDay(range.to, tomorrow)
  const isSupposed = standing !== basis
  const rows = rowsOf(known, basis, range.from, isSupposed ? range.to : last)
  const before = new Map(stored.flatMap(row => (row.day < range.from || row.day > last ? [] : [[placeOf(row), row]])))
  const calculatedAt = new Date(now).toISOString()
  // Whoever moves takes no past day along, also where another shift has taken its place.
  const then = new Map(stored.map(({ day, department }) => [day, department]))
  const found: RowChange[] = rows.flatMap(row => {
    if (row.day > last) return []
    const old = before.get(placeOf(row))
    before.delete(placeOf(row))
    const department = (row.day < today && then.get(row.day)) || employee.department
    const after = { ...row, employee: employee.id, department, calculatedAt }
    return old && isSame(old, after) ? [] : [{ day: row.day, ...(old && { before: old }), after }]
  })
  for (const old of before.values()) found.push({ day: old.day, before: old })
  const stays = ({ day }: RowChange) => isLocked(company, day)
  // What is supposed of days further ahead says nothing of those before them.
  const next = laterDay(addDays(tomorrow, 1), range.from)
  const stands = isSupposed && range.to >= next ? rowsOf(known, standing, next, range.to) : []
  const comes = rows.filter(({ day }) => day > tomorrow)
  return {
    ...{ span, range, employee, company, shifts },
    changes: found.filter(change => !stays(change)),
    locked: found.filter(stays),
    toCome: { before: without(stands, comes), after: without(comes, stands) },
  }
}

/** Looks at the days of some people and lets others have a turn between them; who cannot be looked at holds up nobody. */
export const lookAt = async (
  table: Table,
  spans: Span[],
  supposed?: Supposed,
): Promise<{ walked: (Walked & { stamp: string })[]; stuck: Stuck[] }> => {
  let known: Known[]
  try {
    known = await readDays(table, spans, supposed)
  } catch (error) {
    const [span, ...others] = spans
    if (!span || others.length === 0) return { walked: [], stuck: span ? [{ span, error }] : [] }
    const each = await atOnce(employeesAtOnce, spans, one => lookAt(table, [one], supposed))
    return { walked: each.flatMap(({ walked }) => walked), stuck: each.flatMap(({ stuck }) => stuck) }
  }
  const stuck: Stuck[] = []
  const walked = known.flatMap(one => {
    try {
      return [{ ...walk(one), stamp: one.basis.stamp }]
    } catch (error) {
      stuck.push({ span: one.span, error })
      return []
    }
  })
  return { walked, stuck }
}

/** What would change, were something else so than it is. Nothing is written. */
export const walkDays: (
  table: Table,
  spans: Span[],
  supposed: Supposed,
) => Promise<{ walked: Walked[]; stuck: Stuck[] }> = lookAt
