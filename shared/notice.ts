import * as z from 'zod'
import type { Change } from './change.ts'
import { at, type Declarations, day, done, gridInput, gridOutput, id, nothing } from './contract.ts'
import type { Permission } from './permissions.ts'
import { requestId, requestState, requestType } from './personal/request.ts'
import { type Request, type RequestStatus, type RequestType, requestStatus } from './request.ts'
import type { Key } from './table.ts'

// Notices to employees, on the site, by mail or both, as they choose for each kind.

export const noticeKinds = [
  'request.asked',
  'request.entered',
  'request.decided',
  'request.cancelled',
  'request.commented',
  'punch.forgotten',
  'record.held',
  'mailing.failed',
] as const
export type NoticeKind = (typeof noticeKinds)[number]
/** These kinds go only to people with the permission. */
export const permissionFor: { readonly [kind in NoticeKind]?: Permission } = {
  'request.asked': 10,
  'request.cancelled': 10,
  'record.held': 2,
  'mailing.failed': 8,
}

/** An event that several people are notified of. */
export interface NoticeEvent {
  kind: NoticeKind
  at: string
  /** The employee of the request or day, the serial number of a terminal, or the task of a mailing. */
  of: string
  /** The employee who did it; without such a person, the employee concerned. Absent for a terminal and a mailing. */
  by?: string
  /** The name of the terminal or the scheduled report. */
  name?: string
  /** The first and last work day of the event. */
  day: string
  toDay: string
  request?: string
  type?: RequestType
  leaveType?: number
  /** The decision. */
  status?: RequestStatus
  /** For a forgotten punch: the end of duty as a wall time of the day, if it has an end. */
  time?: string
}

/** A person's notice, stored before it is mailed. */
export interface Notice extends NoticeEvent {
  id: string
  employee: string
  isUnread: boolean
  /** By mail only; the site does not show it. */
  isMailOnly: boolean
  /** A mailing run claims the notice first, so that it is mailed only once. A notice whose mail failed is due again. */
  mail?: 'due' | 'sent'
  expiresAt: number
}

/** Days for which a notice is kept. */
export const keptDays = 92
/** Older events raise no notice, however late they arrive; in days. */
export const newsDays = 2
/** A clock-out forgotten more days ago comes from a recalculation and is no news. */
export const forgottenDays = 3

/** The same event has the same id, even if it arrives twice, late or out of order. */
export const noticeId = ({ at, kind, of, request, day }: NoticeEvent): string => `${at}#${kind}#${of}#${request ?? day}`

export const noticePk = (employee: string) => `NOTICE#${employee}`
export const noticeKey = ({ employee, id }: Pick<Notice, 'employee' | 'id'>): Key<Notice> => ({
  pk: noticePk(employee),
  sk: id,
})

export const noticeFacts = ({ company, old, new: next }: Change<Notice>) => {
  const notice = next ?? old
  return notice ? [{ type: 'notice.changed' as const, company, employee: notice.employee }] : []
}

/** The notices an employee has switched off; initially none. */
export interface NoticeParams {
  notInApp: NoticeKind[]
  notByMail: NoticeKind[]
}

export const noticeParamsKey = (employee: string): Key<NoticeParams> => ({ pk: 'NOTICE_PARAMS', sk: employee })

/** An event of a request, and its receivers: the possible approvers or the requester. */
export interface Told {
  event: NoticeEvent
  to: 'approvers' | 'requester'
}

const aboutOf = (request: Request) => {
  const { employee, id, type, day, toDay } = request
  return {
    ...{ of: employee, request: id, type, day, toDay },
    ...('leaveType' in request && { leaveType: request.leaveType }),
  }
}

/** The event of a new request. */
export const askedOf = (request: Request): NoticeEvent => ({
  ...{ kind: 'request.asked', at: request.createdAt, by: request.employee },
  ...aboutOf(request),
})

/** The event of a request that a manager entered for the employee. */
const enteredOf = (request: Request, by: string): NoticeEvent => ({
  ...{ kind: 'request.entered', at: request.createdAt, by },
  ...aboutOf(request),
})

/**
 * The events of a request in its current state: its filing while it is pending, or its last decision; and each comment.
 * A decision reversed before delivery raises no event.
 */
export const toldOf = (request: Request): Told[] => {
  const { employee, enteredBy, status, steps, comments = [] } = request
  const { pending, approved, cancelled } = requestStatus
  // Whoever enters a request approves it with it; the person hears of both as one.
  const isApprovedAtOnce = enteredBy !== undefined && status === approved && steps.length === 1
  const lastStep = status === pending || isApprovedAtOnce ? undefined : steps.at(-1)
  const isWithdrawn = lastStep?.by === employee && status === cancelled
  return [
    ...(status === pending ? [{ event: askedOf(request), to: 'approvers' as const }] : []),
    ...(enteredBy !== undefined ? [{ event: enteredOf(request, enteredBy), to: 'requester' as const }] : []),
    ...(lastStep
      ? [
          {
            event: {
              ...{ kind: isWithdrawn ? ('request.cancelled' as const) : ('request.decided' as const) },
              ...{ at: lastStep.at, by: lastStep.by, status },
              ...aboutOf(request),
            },
            to: isWithdrawn ? ('approvers' as const) : ('requester' as const),
          },
        ]
      : []),
    ...comments.map(({ at, by }) => ({
      event: { ...{ kind: 'request.commented' as const, at, by }, ...aboutOf(request) },
      to: by === employee ? ('approvers' as const) : ('requester' as const),
    })),
  ]
}

/**
 * The page of the site that a notice opens, and its side: the request, the terminal, or a prepared correction of the
 * day.
 */
export const placeOfNotice = (
  { kind, of, request, day, time }: NoticeEvent,
  reader: string,
): { side: 'management' | 'user'; address: string } => {
  if (kind === 'record.held') return { side: 'management', address: `/device?${new URLSearchParams({ sn: of })}` }
  if (kind === 'mailing.failed') return { side: 'management', address: '/report' }
  if (kind === 'punch.forgotten') {
    const form = new URLSearchParams({ new: 'shift', date: day, inout: '1', ...(time !== undefined && { time }) })
    return { side: 'user', address: `/request?${form}` }
  }
  return of === reader
    ? { side: 'user', address: `/request?${new URLSearchParams({ id: request ?? '' })}` }
    : { side: 'management', address: `/approve?${new URLSearchParams({ employee: of, id: request ?? '' })}` }
}

const noticeName = z.string().min(1).max(150).describe('begins with the instant of the event')
const kind = z.enum(noticeKinds)
/** The count of unread notices stops here. */
export const mostUnread = 100

const switches = z.array(
  z.strictObject({
    kind,
    isInApp: z.boolean().describe('shown on the site'),
    isByMail: z.boolean().describe('mailed, if the person has an address'),
  }),
)

export const noticePaths = {
  'notice/grid': {
    does: "Lists the caller's notifications of the last 92 days, newest first.",
    who: 'signedIn',
    input: gridInput(z.strictObject({ isUnread: z.boolean().optional() })),
    output: gridOutput(
      z.object({
        id: noticeName,
        kind,
        at,
        isUnread: z.boolean(),
        employee: id
          .optional()
          .describe('the person of the request or day; absent for a terminal or a scheduled report'),
        name: z.string().describe('name of the acting employee, the terminal or the scheduled report'),
        request: requestId.optional(),
        type: requestType.optional(),
        leaveType: z.int().optional(),
        status: requestState.optional().describe('the decision'),
        date: day.describe('first work day'),
        toDate: day.describe('last work day'),
        side: z.enum(['management', 'user']).describe('the side of the site that the notification opens'),
        address: z.string().describe('the page that the notification opens'),
      }),
    ),
  },
  'notice/count': {
    does: "Counts the caller's unread notifications, up to 100.",
    who: 'signedIn',
    input: nothing,
    output: z.object({ count: z.int().min(0).max(mostUnread) }),
  },
  'notice/read': {
    does: "Marks the caller's notifications as read.",
    who: 'signedIn',
    writes: true,
    input: z.strictObject({
      ids: z.array(noticeName).min(1).max(100).optional().describe('ids to mark; all if omitted'),
    }),
    output: done,
  },
  'notice/params': {
    does: "Returns the caller's notification settings, for the kinds that apply to the caller.",
    who: 'signedIn',
    input: nothing,
    output: z.object({ list: switches, hasAddress: z.boolean().describe('whether the person has an e-mail address') }),
  },
  'notice/params/update': {
    does: "Updates the caller's notification settings; omitted kinds stay unchanged.",
    who: 'signedIn',
    writes: true,
    input: z.strictObject({ list: switches.min(1).max(noticeKinds.length) }),
    output: done,
  },
} as const satisfies Declarations
