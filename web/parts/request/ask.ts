import { dayNumber } from '../../../shared/attendance/calendar.ts'
import { readWallTime, wallTime } from '../../../shared/attendance/wall-time.ts'
import { instantOf, readingAt } from '../../../shared/attendance/zone.ts'
import { isDay } from '../../../shared/local-day.ts'
import type { PathOutput } from '../../api.ts'

// The requests that an employee can make for a day, and the addresses of prefilled request forms. The timecard, the
// dashboard and the notices link to them.

export const kinds = ['shift', 'leave', 'overtime'] as const
export type Kind = (typeof kinds)[number]
/** The API's number of each request kind. */
export const typeOf = { shift: 1, leave: 2, overtime: 3 } as const
export const kindOf = (type: number): Kind => kinds.find(kind => typeOf[kind] === type) ?? 'shift'

export type ListedRequest = PathOutput<'personal/request/grid'>['list'][number]
type Day = PathOutput<'personal/report/timecard'>['list'][number]

/** The initial values of a request form; times are wall times of `date`. */
export interface Ask {
  kind: Kind
  date?: string
  time?: string
  inout?: '0' | '1'
  from?: string
  to?: string
}

const parameters = ['date', 'time', 'inout', 'from', 'to'] as const

export const askAddress = ({ kind, ...values }: Ask) => `/request?${new URLSearchParams({ new: kind, ...values })}`
export const requestAddress = (id: string) => `/request?${new URLSearchParams({ id })}`

/** Address changes that remove all parameters of a request form. */
export const withoutAsk = Object.fromEntries(['new', ...parameters].map(name => [name, undefined]))

/** The initial values in an address. Omits invalid days, times and directions. Undefined without a valid kind. */
export const askOf = (search: URLSearchParams): Ask | undefined => {
  const kind = kinds.find(name => name === search.get('new'))
  if (!kind) return undefined
  const isValid = (name: (typeof parameters)[number], value: string) =>
    name === 'date' ? isDay(value) : name === 'inout' ? /^[01]$/.test(value) : readWallTime(value) !== undefined
  const values = parameters.flatMap(name => {
    const value = search.get(name)
    return value !== null && isValid(name, value) ? [[name, value]] : []
  })
  return { kind, ...Object.fromEntries(values) }
}

/** The clock reading of a zone at an instant, as a wall time of a day. */
export const wallTimeOf = (at: string, zone: string, day: string) =>
  wallTime(readingAt(zone, Math.floor(Date.parse(at) / 60_000)) - dayNumber(day) * 1440)

/**
 * The instants, in minutes, at which a zone's clock shows a wall time of a day. Empty if the clock skips the time, two
 * instants if it repeats the time.
 */
export const instantsOf = (zone: string, day: string, time: string): number[] => {
  const minutes = readWallTime(time)
  if (minutes === undefined || !day) return []
  const reading = dayNumber(day) * 1440 + minutes
  const [first, second] = [instantOf(zone, reading), instantOf(zone, reading, 'second')]
  if (readingAt(zone, first) !== reading) return []
  return first === second ? [first] : [first, second]
}

/** The problems of a day, the worst first. */
export type Trouble = 'missingIn' | 'missingOut' | 'longBreak' | 'absent' | 'late' | 'early'

/**
 * The worst problem of a day, and the requests that can correct it. A locked day has no problem, because no request can
 * change it.
 */
export const troubleOf = (day: Day): { trouble: Trouble; asks: Ask[] } | undefined => {
  const { exceptions, isLocked, timezone, dutyFrom, dutyTo, firstIn, lastOut } = day
  if (isLocked) return undefined
  const date = day.day
  const at = (instant: string | undefined) => instant && wallTimeOf(instant, timezone, date)
  const [on, off, came, left] = [at(dutyFrom), at(dutyTo), at(firstIn), at(lastOut)]
  const cameIn: Ask = { kind: 'shift', date, inout: '0', ...(on && { time: on }) }
  const wentOut: Ask = { kind: 'shift', date, inout: '1', ...(off && { time: off }) }
  if (exceptions.includes('missingIn')) return { trouble: 'missingIn', asks: [cameIn] }
  if (exceptions.includes('missingOut')) return { trouble: 'missingOut', asks: [wentOut] }
  if (exceptions.includes('longBreak')) return { trouble: 'longBreak', asks: [{ kind: 'shift', date }] }
  if (day.absentMinutes > 0 && !came && !left) return { trouble: 'absent', asks: [{ kind: 'leave', date }, cameIn] }
  const hours = (from: string | undefined, to: string | undefined): Ask => ({
    ...{ kind: 'leave', date },
    ...(from && to && { from, to }),
  })
  if (day.lateMinutes > 0) return { trouble: 'late', asks: [cameIn, hours(on, came)] }
  if (day.earlyLeaveMinutes > 0) return { trouble: 'early', asks: [wentOut, hours(left, off)] }
  return day.absentMinutes > 0 ? { trouble: 'absent', asks: [{ kind: 'leave', date }] } : undefined
}

/** Whether a problem has a clock time that the employee may correct, or explain. */
export const isOfTime = (trouble: Trouble) => trouble === 'late' || trouble === 'early'

/** The pending or approved requests for a day. */
export const requestsOn = (requests: readonly ListedRequest[] | undefined, day: string) =>
  (requests ?? []).filter(({ status, date, toDate }) => status <= 1 && date <= day && day <= toDate)

/** The problem of a day, unless a pending request may correct it. Overtime requests correct no problem. */
export const openTroubleOf = (day: Day, requests: readonly ListedRequest[] | undefined) =>
  requestsOn(requests, day.day).some(({ status, type }) => status === 0 && type !== typeOf.overtime)
    ? undefined
    : troubleOf(day)
