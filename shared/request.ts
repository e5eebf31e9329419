import { dayNumber } from './attendance/calendar.ts'
import type { Request as EngineRequest, Punch } from './attendance/input.ts'
import { wallMinutes } from './attendance/wall-time.ts'
import { instantOf, readingAt } from './attendance/zone.ts'
import type { Audited, Change } from './change.ts'
import { type Company, isLocked } from './company.ts'
import type { Code } from './errors.ts'
import type { Key } from './table.ts'

// Requests of employees and their states. A manager may enter a request for an employee. Nobody edits a request: the
// employee cancels it and files another. The calculation reads approved requests each time, so a cancelled request
// leaves no trace.

export const requestTypes = { shift: 1, leave: 2, overtime: 3 } as const
export type RequestType = (typeof requestTypes)[keyof typeof requestTypes]

export const requestStatus = { pending: 0, approved: 1, declined: 2, cancelled: 3 } as const
export type RequestStatus = (typeof requestStatus)[keyof typeof requestStatus]

/** One step of a request. With two approvals, the first one leaves the request pending. */
export interface RequestStep {
  status: RequestStatus
  by: string
  /** The absent approver for whom the person acted. */
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
  /** The id of the attachment's file. */
  id: string
  name: string
  type: string
  bytes: number
}

/** The part of the schedule that a leave takes. */
export interface RequestTotal {
  /** Days, in which a part of a day counts by the day's duty, to a thousandth. */
  days: number
  minutes: number
  /** Some days of the request have no schedule yet, so they count as working days of a usual week. */
  isEstimated?: true
}

interface RequestBase {
  /** The id begins with the last day. So the requests around a day are one range of the employee's partition. */
  id: string
  employee: string
  status: RequestStatus
  /** The first and last work day of the request. */
  day: string
  toDay: string
  /** The company's zone when the employee filed the request, for the wall times. */
  zone: string
  notes?: string
  attachments?: RequestAttachment[]
  comments?: RequestComment[]
  createdAt: string
  /** The manager who entered it for the employee. */
  enteredBy?: string
  steps: RequestStep[]
}

/** A missing punch. `at` is an instant. `inout` is the key that the terminal would have sent. */
export interface ShiftRequest extends RequestBase {
  type: typeof requestTypes.shift
  at: string
  inout?: 0 | 1
}

/** Leave for whole work days, or for the time between two instants. */
export interface LeaveRequest extends RequestBase {
  type: typeof requestTypes.leave
  leaveType: number
  from?: string
  to?: string
  total: RequestTotal
}

export interface OvertimeRequest extends RequestBase {
  type: typeof requestTypes.overtime
  from: string
  to: string
}

export type Request = ShiftRequest | LeaveRequest | OvertimeRequest

/**
 * The audit identifies a request by its employee and its first day, and records the request and its decisions. The
 * audit omits comments and attachments, which the request stores.
 */
const audited: Audited<Request> = {
  noun: 'request',
  id: ({ employee }) => employee,
  name: ({ day }) => day,
}

export const requestPk = (employee: string) => `REQUEST#${employee}`
/** The partition of a company's requests in one state, in the day index by last day. */
export const requestListPk = (status: RequestStatus) => `REQUEST#${status}`

export const requestKey = ({ employee, id }: Pick<Request, 'employee' | 'id'>): Key<Request> => ({
  pk: requestPk(employee),
  sk: id,
  places: ({ status }) => ({ byDay: { pk: requestListPk(status), sk: id } }),
  audited,
})

/** Counts an employee's requests. Of two concurrent requests, the second retries and sees the first. */
export const askedKey = (employee: string): Key<{ count: number }> => ({ pk: 'ASKED', sk: employee })

/** The longest leave in days. The requests around a day end at most this many days after it. */
export const mostLeaveDays = 366
export const mostOvertimeMinutes = 1440
export const mostComments = 100
/** The most requests in one transaction. */
export const mostRequestsAtOnce = 30
export const mostAttachments = 5
export const mostAttachmentBytes = 2 * 1024 * 1024
/** The most pixels, width by height. A small file can hold more pixels than a browser has memory for. */
export const mostAttachmentPixels = 64_000_000

/** The file of an attachment. Deleting the employee deletes it. */
export const attachmentKey = (employee: string, id: string) => `request/${employee}/${id}`
export const attachmentUploadKey = (employee: string, upload: string) => `upload/request/${employee}/${upload}`

/**
 * The instant, in ms, at which the clock of a zone shows a wall time of a work day. Undefined if the clock skips the
 * reading. If the reading occurs twice, `isLater` selects the second instant.
 */
export const momentOf = (zone: string, day: string, time: string, isLater = false): number | undefined => {
  const reading = dayNumber(day) * 1440 + wallMinutes(time)
  const instant = instantOf(zone, reading, isLater ? 'second' : 'first')
  return readingAt(zone, instant) === reading ? instant * 60_000 : undefined
}

export const isAllDay = ({ from }: Pick<LeaveRequest, 'from'>) => from === undefined

/** Whether two requests claim the same time of an employee. Whole days compare by date. */
const claims = (first: Request, second: Request): boolean => {
  if (first.type === requestTypes.shift || second.type === requestTypes.shift)
    return (
      'at' in first &&
      'at' in second &&
      Math.floor(Date.parse(first.at) / 60_000) === Math.floor(Date.parse(second.at) / 60_000)
    )
  if (first.from === undefined || second.from === undefined || first.to === undefined || second.to === undefined)
    return first.day <= second.toDay && second.day <= first.toDay
  return first.from < second.to && second.from < first.to
}

/** Whether two requests for the same time conflict. Only pending and approved requests count. */
export const overlaps = (first: Request, second: Request): boolean =>
  first.id !== second.id &&
  first.type === second.type &&
  [first, second].every(({ status }) => status === requestStatus.pending || status === requestStatus.approved) &&
  claims(first, second)

/** The person who changes a request's state: the requester, or an approver. */
export type Mover = 'requester' | 'approver'

/**
 * The transition table: the code that refuses a change of state. Undefined if the change is allowed. `today` is the
 * company's local date. A request never changes a locked day. Declined and cancelled are final states.
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

/** An approved request in the format of the engine. */
export const engineRequest = (request: LeaveRequest | OvertimeRequest): EngineRequest => {
  if (request.type === requestTypes.overtime)
    return { kind: 'overtime', from: Date.parse(request.from), to: Date.parse(request.to) }
  const { leaveType, day, toDay, from, to } = request
  return from === undefined || to === undefined
    ? { kind: 'leave', leaveType, fromDay: day, toDay }
    : { kind: 'leave', leaveType, from: Date.parse(from), to: Date.parse(to) }
}

/** The prefix of the request's id in the key of a punch that a request added. */
const requestPunchPrefix = 'REQUEST#'
/** The request that added a punch. Undefined for a punch from a terminal. */
export const requestOfPunch = (key: string): string | undefined =>
  key.startsWith(requestPunchPrefix) ? key.slice(requestPunchPrefix.length) : undefined

/** The punch that an approved punch correction adds. */
export const requestPunch = ({ id, at, inout }: ShiftRequest): Punch => ({
  at: Date.parse(at),
  key: requestPunchPrefix + id,
  ...(inout !== undefined && { state: inout === 0 ? 'in' : 'out' }),
})

/**
 * Every change refreshes the pages. If the approval of a request changes, a job recalculates its days with the deciding
 * person as the cause.
 */
export const requestFacts = ({ company, old, new: next }: Change<Request>) => {
  const request = next ?? old
  if (!request) return []
  const { employee, id, day, toDay, status } = request
  const isApproved = (state: Request | undefined) => state?.status === requestStatus.approved
  const by = next?.steps.at(-1)?.by
  return [
    { type: 'request.changed' as const, company, employee, id, status },
    ...(isApproved(old) === isApproved(next)
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
