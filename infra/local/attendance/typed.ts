import { calculate } from '../../../shared/attendance/calculate.ts'
import { dayNumber } from '../../../shared/attendance/calendar.ts'
import { warnAboutPlan } from '../../../shared/attendance/check/board.ts'
import type { Checks } from '../../../shared/attendance/check/checks.ts'
import type { Employments } from '../../../shared/attendance/employment.ts'
import type { Request } from '../../../shared/attendance/input.ts'
import { defaultParameters } from '../../../shared/attendance/input.ts'
import type { HolidayPart } from '../../../shared/attendance/part-holiday.ts'
import { validateShift } from '../../../shared/attendance/shift.ts'
import { type AccountDay, type AccountEntry, accountOf } from '../../../shared/attendance/time-account.ts'
import { wholeWeeks } from '../../../shared/attendance/weekly.ts'
import { dayStart } from '../../../shared/attendance/zone.ts'
import { type FoundHoliday, holidayDays } from '../../../shared/holiday/found.ts'
import { leaveYearBalance, type YearRule } from '../../../shared/leave/entitlement.ts'
import { lastDay } from '../../../shared/local-day.ts'
import { printMinutes } from '../../../shared/report/print-minutes.ts'
import { entryOn, type NumberOwner, numberOn } from '../../../shared/terminal/number-owner.ts'
import { type CaseShift, instant, toShift } from './case.ts'

// Cases about other subjects than a day: accounts, leave years, terminals, plans and forms.

interface AccountCase {
  since: string
  asOf: string
  rows: AccountDay[]
  entries: AccountEntry[]
  most?: number
  least?: number
  locked?: { to: string; balance: number }
}

interface LeaveCase {
  rules: (Pick<YearRule, 'since' | 'days' | 'carriedUntil'> & { carry: number })[]
  year: number
  asOf: string
  taken: { day: string; days: number }[]
  yearStart?: number
  employee?: Employments & { hireDate?: string; endDate?: string }
  own?: Record<number, number>
}

interface PinCase {
  terminals: {
    serial: string
    numbers?: Record<string, string | NumberOwner[]>
    ownNumbering?: boolean
    own?: boolean
  }[]
  worknos: Record<string, string>
  punches: { serial: string; number: string; day?: string; at?: string }[]
}

interface BoardCase {
  zone: string
  planned: { day: string; shift: CaseShift }[]
  checks: Checks
  lastOut?: string
}

interface FlexCase {
  target: number
  scheduled: string[]
  holidays?: { day: string; part?: HolidayPart }[]
  fullLeave?: string[]
  partLeave?: number
}

const runAccount = ({ rows, entries, since, asOf, most, least, locked }: AccountCase) =>
  accountOf(
    rows,
    entries,
    { since, ...(most !== undefined && { most }), ...(least !== undefined && { least }), ...(locked && { locked }) },
    asOf,
  )

const runLeave = ({ rules, year, asOf, taken, yearStart = 1, employee = {}, own = {} }: LeaveCase) => {
  const { hireDay = employee.hireDate, endDay = employee.endDate } = employee
  const person = { ...(hireDay !== undefined && { hireDay }), ...(endDay !== undefined && { endDay }) }
  const context = {
    rules: rules.map(({ carry, ...rule }) => ({ ...rule, mostCarriedDays: carry, proRatesLeavers: true })),
    ...{ yearStart, employee: person, taken },
    grants: Object.fromEntries(Object.entries(own).map(([ofYear, days]) => [ofYear, { days }])),
  }
  return { ...leaveYearBalance(context, year, asOf) }
}

const runPin = ({ terminals, worknos, punches }: PinCase) => {
  const known = terminals.map(({ serial, numbers = {}, ownNumbering, own }) => ({
    serial,
    isOwnNumbering: ownNumbering ?? own ?? false,
    numbers: Object.fromEntries(
      Object.entries(numbers).map(([number, owner]) => [
        number,
        typeof owner === 'string' ? [{ person: owner }] : owner,
      ]),
    ),
  }))
  return {
    owners: punches.map(({ serial, number, day, at = '' }) => {
      const terminal = known.find(other => other.serial === serial)
      const date = day ?? (at.slice(0, 10) || lastDay)
      const list = terminal?.numbers[number] ?? []
      const name = terminal ? numberOn({ ...terminal, serialNumber: serial }, number, date, list) : number
      return (name === number ? worknos[number] : entryOn(list, date)?.person) ?? null
    }),
  }
}

const runBoard = ({ zone, planned, checks, lastOut }: BoardCase) => ({
  warnings: warnAboutPlan(
    zone,
    planned.map(({ day, shift }) => ({ day, shift: toShift(shift) })),
    checks,
    { firstWeekday: defaultParameters.firstWeekday, ...(lastOut !== undefined && { lastOut: instant(lastOut) }) },
  ),
})

/** A week of a shift with a weekly target and without punches. */
const runFlexWeek = ({ target, scheduled, holidays = [], fullLeave = [], partLeave = 0 }: FlexCase) => {
  const [first = ''] = scheduled
  const isFree = (day: string) => fullLeave.includes(day) || holidays.some(holiday => holiday.day === day)
  const leaveDay = dayStart('UTC', dayNumber(scheduled.find(day => !isFree(day)) ?? first)) * 60_000
  const requests: Request[] = fullLeave.map(day => ({ kind: 'leave', leaveType: 1, fromDay: day, toDay: day }))
  if (partLeave > 0) requests.push({ kind: 'leave', leaveType: 1, from: leaveDay, to: leaveDay + partLeave * 60_000 })
  const clock = { onDuty: '00:00', offDuty: '00:00', punchStart: '00:00', punchEnd: '00:00' }
  const weekly = { targetMinutes: target, breakMinutes: 0, breakThresholdMinutes: 0, overtimeCounts: true }
  const rows = calculate({
    zone: 'UTC',
    ...wholeWeeks(first, first, defaultParameters.firstWeekday),
    asOf: Number.POSITIVE_INFINITY,
    employee: {},
    shifts: {
      flexible: {
        ...{ version: 1, kind: 'weekly', weekly, ...clock, allowedLateMinutes: 0, allowedEarlyMinutes: 0 },
        ...{ noClockOut: 0, breaks: [] },
        earlyInOvertime: { counts: false, afterMinutes: 0 },
        lateOutOvertime: { counts: false, afterMinutes: 0 },
      },
    },
    schedule: scheduled.map(day => ({ day, shift: 'flexible' })),
    punches: [],
    requests,
    holidays: holidays.flatMap(({ day, part }) => (part === undefined ? day : [])),
    parameters: defaultParameters,
    choices: { partHolidays: holidays.flatMap(({ day, part }) => (part === undefined ? [] : { day, part })) },
  })
  return { targetMinutes: rows.find(({ week }) => week)?.week?.targetMinutes }
}

/** A runner for the cases of one type. The file's author vouches for the shape of a case. */
const runner =
  <T extends object>(run: (testCase: T) => object) =>
  (testCase: object): object =>
    run(testCase as T)

const runners: Record<string, (testCase: object) => object> = {
  account: runner(runAccount),
  leave: runner(runLeave),
  pin: runner(runPin),
  board: runner(runBoard),
  flexWeek: runner(runFlexWeek),
  print: runner(({ rows, format }: { rows: number[]; format: string }) =>
    printMinutes(rows, format === 'hours' ? 'hours' : 'clock'),
  ),
  shiftForm: runner(({ shift }: { shift: CaseShift }) => ({
    faults: [...new Set(validateShift(toShift(shift)).map(({ field }) => field))],
  })),
  holidayImport: runner(({ found }: { found: FoundHoliday[] }) => ({ holidays: found.flatMap(holidayDays) })),
}

/** The figures of a case that is not about a day. Throws for an unknown type. */
export const runTypedCase = (type: string, testCase: object): object => {
  const run = runners[type]
  if (!run) throw new RangeError(`not a type of a case: ${type}`)
  return run(testCase)
}
