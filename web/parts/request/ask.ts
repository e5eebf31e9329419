import { dayNumber } from '../../../shared/attendance/calendar.ts'
import { readWallTime, wallTime } from '../../../shared/attendance/wall-time.ts'
import { instantOf, readingAt } from '../../../shared/attendance/zone.ts'
import { isDay } from '../../../shared/local-day.ts'
import type { PathOutput } from '../../api.ts'

// What one may ask for about a day, and the addresses that lead to a form which is filled in already: from a day of the timecard,
// from the dashboard, and from a notice.

export const kinds = ['shift', 'leave', 'overtime'] as const
export type Kind = (typeof kinds)[number]
/** The number of a kind on the wire. */
export const typeOf = { shift: 1, leave: 2, overtime: 3 } as const
export const kindOf = (type: number): Kind => kinds.find(kind => typeOf[kind] === type) ?? 'shift'

export type ListedRequest = PathOutput<'personal/request/grid'>['list'][number]
type Day = PathOutput<'personal/report/timecard'>['list'][number]

/** What a form begins with; times are wall times of `date`. */
export interface Ask {
  kind: Kind
  date?: string
  time?: string
  inout?: '0' | '1'
  from?: string
  to?: string
}

const asked = ['date', 'time', 'inout', 'from', 'to'] as const

export const askAddress = ({ kind, ...rest }: Ask) => `/request?${new URLSearchParams({ new: kind, ...rest })}`
export const requestAddress = (id: string) => `/request?${new URLSearchParams({ id })}`

/** An address that asks for nothing any more. */
export const withoutAsk = Object.fromEntries(['new', ...asked].map(name => [name, undefined]))

/** What an address asks for, but for what is no day and no time. */
export const askOf = (search: URLSearchParams): Ask | undefined => {
  const kind = kinds.find(name => name === search.get('new'))
  if (!kind) return undefined
  const isRight = (name: (typeof asked)[number], value: string) =>
    name === 'date' ? isDay(value) : name === 'inout' ? /^[01]$/.test(value) : readWallTime(value) !== undefined
  const given = asked.flatMap(name => {
    const value = search.get(name)
    return value !== null && isRight(name, value) ? [[name, value]] : []
  })
  return { kind, ...Object.fromEntries(given) }
}

/** The reading of a zone's clock at an instant, as a wall time of a day. */
export const wallTimeOf = (at: string, zone: string, day: string) =>
  wallTime(readingAt(zone, Math.floor(Date.parse(at) / 60_000)) - dayNumber(day) * 1440)

/** The instants, in minutes, at which a clock shows a wall time of a day: none where it skips it, two where it repeats it. */
export const instantsOf = (zone: string, day: string, time: string): number[] => {
  const minutes = readWallTime(time)
  if (minutes === undefined || !day) return []
  const reading = dayNumber(day) * 1440 + minutes
  const [first, second] = [instantOf(zone, reading), instantOf(zone, reading, 'second')]
  if (readingAt(zone, first) !== reading) return []
  return first === second ? [first] : [first, second]
}

/** What is wrong with a day, worst first. */
export type Trouble = 'missingIn' | 'missingOut' | 'longBreak' | 'absent' | 'late' | 'early'

/** What is wrong with a day, and what one may ask for to put it right. Nothing changes a locked day. */
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

/** Of somebody's requests, those of a day that are pending or approved. */
export const requestsOn = (requests: readonly ListedRequest[] | undefined, day: string) =>
  (requests ?? []).filter(({ status, date, toDate }) => status <= 1 && date <= day && day <= toDate)

/** What is wrong with a day that nothing pending is to put right. */
export const openTroubleOf = (day: Day, requests: readonly ListedRequest[] | undefined) =>
  requestsOn(requests, day.day).some(({ status, type }) => status === 0 && type !== typeOf.overtime)
    ? undefined
    : troubleOf(day)
