import { dayNumber } from './attendance/calendar.ts'
import type { Request as EngineRequest, Punch } from './attendance/input.ts'
import { wallMinutes } from './attendance/wall-time.ts'
import { instantOf, readingAt } from './attendance/zone.ts'
import type { Audited, Change } from './change.ts'
import { type Company, isLocked } from './company.ts'
import type { Code } from './errors.ts'
import type { Key } from './table.ts'

// What employees ask for, and what may become of it. A request is never edited: what was meant otherwise is cancelled and asked
// for anew. Days follow from the approved ones, read whenever a day is calculated, so that one cancelled leaves nothing behind.

export const requestTypes = { shift: 1, leave: 2, overtime: 3 } as const
export type RequestType = (typeof requestTypes)[keyof typeof requestTypes]

export const requestStatus = { pending: 0, approved: 1, declined: 2, cancelled: 3 } as const
export type RequestStatus = (typeof requestStatus)[keyof typeof requestStatus]

/** One step on the way of a request; a first approval of two leaves it pending. */
export interface RequestStep {
  status: RequestStatus
  by: string
  /** Whom they stood in for. */
  onBehalfOf?: string
  at: string
  reason?: string
}

export interface RequestComment {
  id: string
  by: string
  at: string
  text: string
}

export interface RequestAttachment {
  /** What its file is called by. */
  id: string
  name: string
  type: string
  bytes: number
}

/** How much of the schedule a leave takes. */
export interface RequestTotal {
  /** Parts of days, each by the duty of its day, to a thousandth. */
  days: number
  minutes: number
  /** Some of its days are not planned yet: those were counted as the working days of a usual week. */
  isEstimated?: true
}

interface Asked {
  /** Begins with the last day, so that the requests around a day are one range of their person's. */
  id: string
  employee: string
  status: RequestStatus
  /** First and last work day it is about. */
  day: string
  toDay: string
  /** The company's zone when it was asked: what its wall times were read in. */
  zone: string
  notes?: string
  attachments?: RequestAttachment[]
  comments?: RequestComment[]
  createdAt: string
  steps: RequestStep[]
}

/** A punch that is missing, `at` being an instant; `inout` is what its terminal would have said. */
export interface ShiftRequest extends Asked {
  type: typeof requestTypes.shift
  at: string
  inout?: 0 | 1
}

/** For whole work days, or from one instant to another. */
export interface LeaveRequest extends Asked {
  type: typeof requestTypes.leave
  leaveType: number
  from?: string
  to?: string
  total: RequestTotal
}

export interface OvertimeRequest extends Asked {
  type: typeof requestTypes.overtime
  from: string
  to: string
}

export type Request = ShiftRequest | LeaveRequest | OvertimeRequest

/** Called by its person and its first day. Told is what was asked for and what was decided; what people wrote to each other, and what they attached, is read with it. */
const audited: Audited<Request> = {
  noun: 'request',
  id: ({ employee }) => employee,
  name: ({ day }) => day,
}

export const requestPk = (employee: string) => `REQUEST#${employee}`
/** In the day index the requests of a company in one state, in the order of their last day. */
export const requestListPk = (status: RequestStatus) => `REQUEST#${status}`

export const requestKey = ({ employee, id }: Pick<Request, 'employee' | 'id'>): Key<Request> => ({
  pk: requestPk(employee),
  sk: id,
  places: ({ status }) => ({ byDay: { pk: requestListPk(status), sk: id } }),
  audited,
})

/** Counts what somebody asked for: of two requests at once the second looks again, and sees the first. */
export const askedKey = (employee: string): Key<{ count: number }> => ({ pk: 'ASKED', sk: employee })

/** The longest leave, which also says how far behind a day the requests around it may end. */
export const mostLeaveDays = 366
export const mostOvertimeMinutes = 1440
export const mostComments = 100
/** As many are moved together, in one save. */
export const mostRequestsAtOnce = 30
export const mostAttachments = 5
export const mostAttachmentBytes = 2 * 1024 * 1024
/** Width by height. A small file can hold more pixels than a browser has memory for. */
export const mostAttachmentPixels = 64_000_000

/** Where what was sent with a request is kept; with its person it goes. */
export const attachmentKey = (employee: string, id: string) => `request/${employee}/${id}`
export const attachmentUploadKey = (employee: string, upload: string) => `upload/request/${employee}/${upload}`

/**
 * The instant, in ms, at which the clock of a zone shows a wall time of a work day; undefined where it skips the reading. Of one
 * it shows twice it is the first, or the second where that is asked for.
 */
export const momentOf = (zone: string, day: string, time: string, isLater = false): number | undefined => {
  const reading = dayNumber(day) * 1440 + wallMinutes(time)
  const instant = instantOf(zone, reading, isLater ? 'second' : 'first')
  return readingAt(zone, instant) === reading ? instant * 60_000 : undefined
}

export const isAllDay = ({ from }: Pick<LeaveRequest, 'from'>) => from === undefined

/** From when to when a request claims its person's time, in ms; whole days by their dates alone. */
const claims = (one: Request, other: Request): boolean => {
  if (one.type === requestTypes.shift || other.type === requestTypes.shift)
    return (
      'at' in one &&
      'at' in other &&
      Math.floor(Date.parse(one.at) / 60_000) === Math.floor(Date.parse(other.at) / 60_000)
    )
  if (one.from === undefined || other.from === undefined || one.to === undefined || other.to === undefined)
    return one.day <= other.toDay && other.day <= one.toDay
  return one.from < other.to && other.from < one.to
}

/** Whether somebody asks for the same time twice; only what is pending or approved stands in the way. */
export const overlaps = (one: Request, other: Request): boolean =>
  one.id !== other.id &&
  one.type === other.type &&
  [one, other].every(({ status }) => status === requestStatus.pending || status === requestStatus.approved) &&
  claims(one, other)

/** Who moves a request: the one who asked, or somebody who may approve it. */
export type Mover = 'requester' | 'approver'

/**
 * Why a request may not come into another state, or undefined where it may: the transition table. `today` is the company's
 * local date. What a locked day holds is never changed by a request, and nothing follows a decline or a cancellation.
 */
export const refusedMove = (
  { status, day }: Pick<Request, 'status' | 'day'>,
  to: RequestStatus,
  { mover, today, company }: { mover: Mover; today: string; company: Pick<Company, 'lockedTo'> },
): Code | undefined => {
  const { pending, approved, declined, cancelled } = requestStatus
  if (status === pending && to === cancelled && mover === 'requester') return undefined
  if (status === pending && to === declined && mover === 'approver') return undefined
  if (status === pending && to === approved && mover === 'approver') return isLocked(company, day) ? 60061 : undefined
  if (status === approved && to === cancelled) {
    if (isLocked(company, day)) return 60061
    return mover === 'approver' || today < day ? undefined : 60081
  }
  return mover === 'requester' && to !== cancelled ? 60005 : 60081
}

/** An approved request as the calculation takes it. */
export const engineRequest = (request: LeaveRequest | OvertimeRequest): EngineRequest => {
  if (request.type === requestTypes.overtime)
    return { kind: 'overtime', from: Date.parse(request.from), to: Date.parse(request.to) }
  const { leaveType, day, toDay, from, to } = request
  return from === undefined || to === undefined
    ? { kind: 'leave', leaveType, fromDay: day, toDay }
    : { kind: 'leave', leaveType, from: Date.parse(from), to: Date.parse(to) }
}

/** A used punch that a request added is told by this in front of the request's id. */
const requestPunchPrefix = 'REQUEST#'
/** The request a used punch came from; undefined where it came from a terminal. */
export const requestOfPunch = (key: string): string | undefined =>
  key.startsWith(requestPunchPrefix) ? key.slice(requestPunchPrefix.length) : undefined

/** The punch an approved correction adds. */
export const requestPunch = ({ id, at, inout }: ShiftRequest): Punch => ({
  at: Date.parse(at),
  key: requestPunchPrefix + id,
  ...(inout !== undefined && { state: inout === 0 ? 'in' : 'out' }),
})

/**
 * That a request changed is seen; where it became or ceased to be approved, its days are calculated again, which says so because
 * of whom.
 */
export const requestFacts = ({ company, old, new: now }: Change<Request>) => {
  const request = now ?? old
  if (!request) return []
  const { employee, id, day, toDay, status } = request
  const isApproved = (one: Request | undefined) => one?.status === requestStatus.approved
  const by = now?.steps.at(-1)?.by
  return [
    { type: 'request.changed' as const, company, employee, id, status },
    ...(isApproved(old) === isApproved(now)
      ? []
      : [
          {
            type: 'request.decided' as const,
            company,
            employee,
            from: day,
            to: toDay,
            ...(by !== undefined && { by }),
          },
        ]),
  ]
}
