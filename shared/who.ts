import { dayNumber } from './attendance/calendar.ts'
import { instanceOf } from './attendance/instance.ts'
import type { DayRow } from './day.ts'
import { presentTurnsOf, rowsOfNow, turnsOf } from './presence.ts'
import type { Shift } from './shift.ts'

// Who is in: the one state of each person now, from the rows of today and the leave of today.

/** Each scheduled or punched person is in exactly one of these states. */
export const whoStates = ['in', 'missing', 'leave', 'finished'] as const
export type WhoState = (typeof whoStates)[number]
/** The lists of the dashboard. `late` overlaps the states. */
export const whoLists = ['in', 'late', 'missing', 'leave', 'finished'] as const
export type WhoList = (typeof whoLists)[number]

/** The attributes of a row that the state needs. */
export const whoFields = [
  ...(['employee', 'department', 'day', 'shift', 'zone', 'kind', 'closesAt'] as const),
  ...(['dutyFrom', 'dutyTo', 'lateMinutes', 'leaveTypes', 'punches'] as const),
] as const
export type WhoRow = Pick<DayRow, (typeof whoFields)[number]>

/** Approved leave around today: whole days, or the time between two instants. */
export interface LeaveOfNow {
  leaveType: number
  day: string
  toDay: string
  from?: number | undefined
  to?: number | undefined
}

export interface Who {
  employee: string
  department: string
  state: WhoState
  /** The person came late today, or is overdue. */
  isLate: boolean
  lateMinutes: number
  /** Arrival (`in`), last departure (`finished`), or the expected arrival (`missing`). */
  since?: number
  /** The key of the punch at `since`. */
  punch?: string
  /** On a break since this instant; the person counts as in. */
  breakSince?: number
  /** The shift is over without a punch. */
  isAbsent?: true
  /** The work day closed without a clock-out. */
  isForgotten?: true
  leaveType?: number
  /** The work day and the shift that the list shows. */
  row?: WhoRow
}

/** The present day, and the shifts by id with the versions that the schedule uses. */
export interface Moment {
  now: number
  today: string
  shiftOf: (id: string) => (Shift & { version: number }) | undefined
}

const minute = 60_000

type Expected = WhoRow & { due: number | null; end: number | null; allowedMinutes: number }

/** Cuts the leave at both ends of a duty, so that a person with a free morning is due after it. */
const expectedOf = (row: WhoRow, leaves: readonly LeaveOfNow[], { shiftOf }: Moment): Expected => {
  let [due, end] = [row.dutyFrom, row.dutyTo]
  if (due !== null && end !== null) {
    const spans = leaves.flatMap(({ from, to }) => (from === undefined || to === undefined ? [] : [{ from, to }]))
    for (const { from, to } of spans.sort((one, other) => one.from - other.from))
      if (from <= due && to > due) due = Math.min(to, end)
    for (const { from, to } of spans.sort((one, other) => other.to - one.to))
      if (to >= end && from < end) end = Math.max(from, due)
  }
  return { ...row, due, end, allowedMinutes: (row.shift && shiftOf(row.shift)?.allowedLateMinutes) || 0 }
}

const isExpected = ({ kind, shift }: WhoRow) => shift !== null && (kind === 'work' || kind === 'flexible')
const byStart = (one: WhoRow, other: WhoRow) => (one.dutyFrom ?? 0) - (other.dutyFrom ?? 0)
/** The first row that is not over, or the last row. */
const currentOf = <R extends WhoRow>(rows: readonly R[], now: number): R | undefined =>
  rows.find(({ dutyTo, closesAt }) => (dutyTo ?? closesAt) > now) ?? rows.at(-1)

/** The break in which a person left and from which they can still return. */
const breakSinceOf = (row: WhoRow, leftAt: number, { now, shiftOf }: Moment): number | undefined => {
  const shift = row.shift === null ? undefined : shiftOf(row.shift)
  if (!shift || shift.kind === 'weekly') return undefined
  const breaks = instanceOf(row.zone, dayNumber(row.day), shift)?.breaks ?? []
  const isIn = breaks.some(
    ({ time }) => time.from * minute <= leftAt && leftAt < (time.to + 1) * minute && now < (time.to + 1) * minute,
  )
  return isIn ? leftAt : undefined
}

/** A person who punched is in after an odd number of punches or during a break, and finished otherwise. */
const punchedState = (rows: readonly WhoRow[], moment: Moment): Omit<Who, 'employee' | 'department'> | undefined => {
  const turns = presentTurnsOf(rows, moment.now)
  const last = turns.at(-1)
  if (!last) return undefined
  const rowsOfLast = rows.filter(row => turnsOf([row]).some(({ key }) => key === last.key))
  const row = rowsOfLast.find(({ closesAt }) => closesAt > moment.now) ?? rowsOfLast.at(-1)
  if (!row) return undefined
  const lateMinutes = Math.max(...rows.map(each => each.lateMinutes))
  const common = { isLate: lateMinutes > 0, lateMinutes, row }
  const isOdd = turns.length % 2 === 1
  // After the close, the calculation of the day says whether a single punch was a clock-out.
  const isForgotten = isOdd && last.use !== 'out'
  const breakSince = isOdd || row.closesAt <= moment.now ? undefined : breakSinceOf(row, last.at, moment)
  if ((!isOdd || row.closesAt <= moment.now) && breakSince === undefined)
    return { ...common, state: 'finished', since: last.at, punch: last.key, ...(isForgotten && { isForgotten }) }
  // The arrival at the present shift, so that a lunch break does not move it.
  const arrival = turnsOf([row])[0] ?? last
  return {
    ...common,
    state: 'in',
    since: arrival.at,
    punch: arrival.key,
    ...(breakSince !== undefined && { breakSince }),
  }
}

const typeOf = ({ leaveTypes }: WhoRow) => Number(Object.keys(leaveTypes)[0]) || undefined

/** A person without a punch: on leave, or expected. Undefined on a holiday and without a shift. */
const unpunchedState = (
  rows: readonly WhoRow[],
  leaves: readonly LeaveOfNow[],
  moment: Moment,
): Omit<Who, 'employee' | 'department'> | undefined => {
  const { now } = moment
  const current = currentOf(rows.filter(row => row.kind === 'leave' || isExpected(row)).sort(byStart), now)
  if (!current) return undefined
  const notLate = { isLate: false, lateMinutes: 0, row: current }
  const onLeave = (leaveType: number | undefined) => ({
    ...{ ...notLate, state: 'leave' as const },
    ...(leaveType !== undefined && { leaveType }),
  })
  if (current.kind === 'leave') return onLeave(typeOf(current))
  const { due, end, allowedMinutes } = expectedOf(current, leaves, moment)
  const away = leaves.find(({ from, to }) => from !== undefined && to !== undefined && from <= now && now < to)
  if (away && due !== null && due > now) return onLeave(away.leaveType)
  if (due === null) return { ...notLate, state: 'missing' }
  const isAbsent = end !== null && end <= now
  const overdueMinutes = Math.floor((now - due) / minute)
  // A missed shift is an absence, no longer a late arrival.
  const isLate = !isAbsent && overdueMinutes > allowedMinutes
  return {
    ...{ state: 'missing', since: due, isLate, lateMinutes: isLate ? overdueMinutes : 0, row: current },
    ...(isAbsent && { isAbsent }),
  }
}

/**
 * The state of one person now; undefined for a person without a shift, a punch or leave. `rows` are the person's rows of
 * yesterday and today. `planless` says that the person has no shifts at all, so whole days of leave count without one.
 */
export const whoOf = (
  person: { employee: string; department: string; isPlanless?: boolean },
  rows: readonly WhoRow[],
  leaves: readonly LeaveOfNow[],
  moment: Moment,
): Who | undefined => {
  const { employee, department, isPlanless } = person
  const present = rowsOfNow(rows, moment.today, moment.now)
  const state = punchedState(present, moment) ?? unpunchedState(present, leaves, moment)
  if (state) return { employee, department: state.row?.department ?? department, ...state }
  const whole = leaves.find(
    ({ from, day, toDay }) => from === undefined && day <= moment.today && moment.today <= toDay,
  )
  if (!isPlanless || !whole || present.some(({ kind }) => kind === 'holiday')) return undefined
  return { employee, department, state: 'leave', isLate: false, lateMinutes: 0, leaveType: whole.leaveType }
}

export const isIn = ({ state, isLate }: Pick<Who, 'state' | 'isLate'>, list: WhoList) =>
  list === 'late' ? isLate : state === list

/** The order of a list: overdue people first, otherwise by time. The id makes the order definite. */
export const compareIn = (list: WhoList) => (one: Who, other: Who) => {
  const rankOf = ({ lateMinutes, isLate, isAbsent, since = Number.POSITIVE_INFINITY, row }: Who) => {
    if (list === 'late') return -lateMinutes
    if (list === 'finished') return -since
    if (list === 'leave') return row?.dutyFrom ?? Number.POSITIVE_INFINITY
    return (list === 'missing' && !isLate && !isAbsent ? 1e15 : 0) + since
  }
  const [first, second] = [rankOf(one), rankOf(other)]
  return first === second ? (one.employee < other.employee ? -1 : 1) : first - second
}
