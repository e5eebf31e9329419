import type { Checks } from '../../../shared/attendance/check/checks.ts'
import type { KindMinutes } from '../../../shared/attendance/hours/round.ts'
import type { HourSet } from '../../../shared/attendance/hours/set.ts'
import type { HeldDay } from '../../../shared/attendance/hours/tally.ts'
import type { Input, Parameters, Request } from '../../../shared/attendance/input.ts'
import { defaultParameters } from '../../../shared/attendance/input.ts'
import type { HolidayPart } from '../../../shared/attendance/part-holiday.ts'
import { minuteOf } from '../../../shared/attendance/punch.ts'
import type { Rounding, RoundingMode } from '../../../shared/attendance/rounding.ts'
import { roundMinutes } from '../../../shared/attendance/rounding.ts'
import type { Row, UsedPunch } from '../../../shared/attendance/row.ts'
import type { Shift } from '../../../shared/attendance/shift.ts'
import { wallMinutes } from '../../../shared/attendance/wall-time.ts'
import { readingAt } from '../../../shared/attendance/zone.ts'
import { isDay, iso } from '../../../shared/local-day.ts'

// The format of a case, its input for the engine, and its figures.

/** A shift in the format of a case. */
export interface CaseShift {
  onDuty: string
  offDuty: string
  punchStart: string
  punchEnd: string
  allowedLate: number
  allowedEarly: number
  noClockOut: 0 | 1 | 2
  earlyInAsOt: { enabled: boolean; afterMinutes: number }
  lateOutAsOt: { enabled: boolean; afterMinutes: number }
  breaks: { start: string; end: string; duration: number; threshold: number }[]
}

type RoundedFigure = 'worked' | 'late' | 'earlyLeave' | 'overtime'

export interface Case {
  id: string
  zone: string
  shift: CaseShift | null
  day: string
  punches: string[]
  leave?: { type: string; status: string; allDay: boolean; from?: string; to?: string; day?: string }[]
  holiday?: true
  overtimeRequests?: { from: string; to: string; status: string }[]
  otherShifts?: { day: string; shift: CaseShift }[]
  employee?: { hireDate?: string; endDate?: string }
  asOf?: string
  params?: {
    rounding?: Partial<Record<RoundedFigure, { mode: 'down' | 'up' | 'off'; unit: number }>>
    holidayBy?: 'day' | 'clock'
  } & Partial<Parameters>
  holidays?: { day: string; part?: HolidayPart }[]
  hours?: HourSet
  checks?: Checks
  /** The zone of the employee's department. */
  departmentZone?: string
  /** The zones of an employee who moves. */
  zones?: { from: string; zone: string }[]
  /** The days of `rangeKinds`. */
  range?: { from: string; to: string }
  locked?: { to: string; rows: HeldDay[] }
}

export interface Figures {
  dayPunches: string[]
  firstIn: string | null
  lastOut: string | null
  elapsedMinutes: number
  workedMinutes: number
  lateMinutes: number
  earlyLeaveMinutes: number
  late: boolean
  earlyLeave: boolean
  overtimeMinutes: number
  breakMinutes: number
  dutyMinutes: number
  leaveMinutes: number
  absentMinutes: number
  absent: boolean
  exception: boolean
  exceptions: string[]
  exceptionMinutes: Record<string, number>
  /** Only with `hours`. */
  base?: KindMinutes
  extra?: KindMinutes
  spans?: [kind: string, from: string, to: string][]
  rangeKinds?: KindMinutes
}

export const instant = (text: string | undefined): number => {
  const at = Date.parse(text ?? '')
  const [, day = ''] = /^(\d{4}-\d\d-\d\d)T.*(?:Z|[+-]\d\d:?\d\d)$/.exec(text ?? '') ?? []
  if (Number.isNaN(at) || !day || !isDay(day)) throw new RangeError(`not an instant: ${text}`)
  return at
}

/** Minutes; 0 if the case omits them. */
const count = (value: number | undefined, name: string): number => {
  if (value === undefined || value === null) return 0
  if (!Number.isInteger(value) || value < 0) throw new RangeError(`not a number of minutes: ${name} ${value}`)
  return value
}

const wallTime = (text: string): string => {
  wallMinutes(text)
  return text
}

const noClockOut = (value: 0 | 1 | 2 | undefined): 0 | 1 | 2 => {
  if (![0, 1, 2].includes(value ?? 0)) throw new RangeError(`not a rule for a missing clock-out: ${value}`)
  return value ?? 0
}

const toOvertime = (rule: CaseShift['earlyInAsOt'] | undefined, name: string) => ({
  counts: rule?.enabled ?? false,
  afterMinutes: count(rule?.afterMinutes, `${name}.afterMinutes`),
})

export const toShift = (shift: CaseShift): Shift & { version: number } => ({
  version: 1,
  onDuty: wallTime(shift.onDuty),
  offDuty: wallTime(shift.offDuty),
  punchStart: wallTime(shift.punchStart),
  punchEnd: wallTime(shift.punchEnd),
  allowedLateMinutes: count(shift.allowedLate, 'allowedLate'),
  allowedEarlyMinutes: count(shift.allowedEarly, 'allowedEarly'),
  noClockOut: noClockOut(shift.noClockOut),
  earlyInOvertime: toOvertime(shift.earlyInAsOt, 'earlyInAsOt'),
  lateOutOvertime: toOvertime(shift.lateOutAsOt, 'lateOutAsOt'),
  breaks: (shift.breaks ?? []).map(({ start, end, duration, threshold }) => ({
    start: wallTime(start),
    end: wallTime(end),
    durationMinutes: count(duration, 'duration'),
    thresholdMinutes: count(threshold, 'threshold'),
  })),
})

const toRequests = ({ day, leave = [], overtimeRequests = [] }: Case): Request[] => [
  ...leave
    .filter(({ status }) => status === 'approved')
    .map(
      ({ type, allDay, from, to, day: ofDay = day }): Request =>
        allDay
          ? { kind: 'leave', leaveType: type, fromDay: ofDay, toDay: ofDay }
          : { kind: 'leave', leaveType: type, from: instant(from), to: instant(to) },
    ),
  ...overtimeRequests
    .filter(({ status }) => status === 'approved')
    .map(({ from, to }): Request => ({ kind: 'overtime', from: instant(from), to: instant(to) })),
]

const modes: Record<string, RoundingMode> = { down: 0, up: 1, off: 2 }

export const roundingOf = ({ params }: Case, figure: RoundedFigure): Rounding => {
  const rule = params?.rounding?.[figure]
  if (!rule) return { mode: 0, unit: 0 }
  const mode = modes[rule.mode]
  if (mode === undefined) throw new RangeError(`not a rounding mode: ${rule.mode}`)
  return { mode, unit: count(rule.unit, 'unit') }
}

/** The row attributes that the figures of a case need. */
export type CaseRow = Pick<
  Row,
  | 'firstIn'
  | 'lastOut'
  | 'workMinutes'
  | 'lateMinutes'
  | 'earlyLeaveMinutes'
  | 'overtimeMinutes'
  | 'breakMinutes'
  | 'dutyMinutes'
  | 'leaveMinutes'
  | 'absentMinutes'
  | 'exceptions'
> & { punches: Pick<UsedPunch, 'at' | 'use'>[] }

/**
 * The figures of a day without a row. The day is before the hire, after the end date, or skipped by the zone. A day
 * without schedule and punches has no row either.
 */
const noRow: CaseRow = {
  firstIn: null,
  lastOut: null,
  workMinutes: 0,
  lateMinutes: 0,
  earlyLeaveMinutes: 0,
  overtimeMinutes: 0,
  breakMinutes: 0,
  dutyMinutes: 0,
  leaveMinutes: 0,
  absentMinutes: 0,
  exceptions: [],
  punches: [],
}

/** The figures of a case, with its rounding. */
export const figuresOf = (testCase: Case, row: CaseRow = noRow): Figures => {
  const round = (minutes: number, figure: RoundedFigure) => roundMinutes(minutes, roundingOf(testCase, figure))
  const used = row.punches.filter(({ use }) => use !== 'outside' && use !== 'otherShift')
  const { firstIn, lastOut } = row
  return {
    dayPunches: [...new Set(used.map(({ at }) => at))].map(iso),
    firstIn: firstIn === null ? null : iso(firstIn),
    lastOut: lastOut === null ? null : iso(lastOut),
    elapsedMinutes: firstIn === null || lastOut === null ? 0 : minuteOf(lastOut) - minuteOf(firstIn),
    workedMinutes: round(row.workMinutes, 'worked'),
    lateMinutes: round(row.lateMinutes, 'late'),
    earlyLeaveMinutes: round(row.earlyLeaveMinutes, 'earlyLeave'),
    late: row.lateMinutes > 0,
    earlyLeave: row.earlyLeaveMinutes > 0,
    overtimeMinutes: round(row.overtimeMinutes, 'overtime'),
    breakMinutes: row.breakMinutes,
    dutyMinutes: row.dutyMinutes,
    leaveMinutes: row.leaveMinutes,
    absentMinutes: row.absentMinutes,
    absent: row.absentMinutes > 0,
    exception: row.exceptions.length > 0,
    exceptions: row.exceptions.toSorted(),
    exceptionMinutes: {},
  }
}

/** Drops attributes that are null. Only a shift may be null. */
export const withoutNulls = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null)) as T

/**
 * The engine input of a case. The case's shift has the id `shift`; further shifts are `other 0`, `other 1` and so on.
 * Throws for an invalid case.
 */
export const readCase = (written: Case): Input => {
  const testCase = withoutNulls(written)
  const { shift, day, punches, holiday, otherShifts = [], asOf, holidays = [], params = {}, zones } = testCase
  const zone = testCase.departmentZone ?? testCase.zone
  const { rounding: _, holidayBy, ...parameters } = params
  const employee = withoutNulls(testCase.employee ?? {})
  const others = otherShifts.map((other, index) => ({ id: `other ${index}`, ...other }))
  // Validate the zones even without a shift that uses them.
  for (const name of [testCase.zone, zone, ...(zones ?? []).map(moved => moved.zone)]) readingAt(name, 0)
  for (const date of [day, employee.hireDate, employee.endDate, ...[...others, ...holidays].map(other => other.day)]) {
    if (date !== undefined && !isDay(date)) throw new RangeError(`not a day: ${date}`)
  }
  return {
    zone,
    from: day,
    to: day,
    asOf: asOf === undefined ? Number.POSITIVE_INFINITY : instant(asOf),
    employee: { hireDay: employee.hireDate, endDay: employee.endDate },
    shifts: Object.fromEntries([
      ...(shift ? [['shift', toShift(shift)] as const] : []),
      ...others.map(other => [other.id, toShift(other.shift)] as const),
    ]),
    schedule: [
      ...(shift ? [{ day, shift: 'shift' }] : []),
      ...others.map(other => ({ day: other.day, shift: other.id })),
    ],
    punches: punches.map(text => ({ at: instant(text), key: iso(instant(text)) })),
    requests: toRequests(testCase),
    holidays: [...(holiday ? [day] : []), ...holidays.flatMap(other => (other.part === undefined ? other.day : []))],
    parameters: { ...defaultParameters, ...parameters },
    choices: {
      ...(holidayBy === 'clock' && { holidayBy }),
      partHolidays: holidays.flatMap(({ day: ofPart, part }) => (part === undefined ? [] : { day: ofPart, part })),
      pairsWithoutShift: true,
      ...(zones && { zones }),
    },
  }
}
