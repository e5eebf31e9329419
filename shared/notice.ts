import * as z from 'zod'
import type { Change } from './change.ts'
import { at, type Declarations, day, done, gridInput, gridOutput, id, nothing } from './contract.ts'
import type { Permission } from './permissions.ts'
import { requestId, requestState, requestType } from './personal/request.ts'
import { type Request, type RequestStatus, type RequestType, requestStatus } from './request.ts'
import type { Key } from './table.ts'

// What somebody is told without asking: in the site, by mail, or by both, as they choose for each kind.

export const noticeKinds = [
  'request.asked',
  'request.decided',
  'request.cancelled',
  'request.commented',
  'punch.forgotten',
  'record.held',
  'mailing.failed',
] as const
export type NoticeKind = (typeof noticeKinds)[number]
/** These are told to whoever has the permission, and to nobody else. */
export const permissionFor: { readonly [kind in NoticeKind]?: Permission } = {
  'request.asked': 10,
  'request.cancelled': 10,
  'record.held': 2,
  'mailing.failed': 8,
}

/** What happened, to be told to several people. */
export interface NoticeEvent {
  kind: NoticeKind
  at: string
  /** Whose request it is, or whose day; the serial number of a terminal; the task of a mailing. */
  of: string
  /** Who did it; of what nobody did, whom it is about. A terminal and a mailing are nobody. */
  by?: string
  /** The name of the terminal or the scheduled report. */
  name?: string
  /** First and last work day it is about. */
  day: string
  toDay: string
  request?: string
  type?: RequestType
  leaveType?: number
  /** What was decided. */
  status?: RequestStatus
  /** Of a forgotten punch: when duty ended, as a wall time of the day, where it has an end. */
  time?: string
}

/** One person's, written down before it is mailed. */
export interface Notice extends NoticeEvent {
  id: string
  employee: string
  isUnread: boolean
  /** Mailed only: the site does not show it. */
  isMailOnly: boolean
  /** Who mails it claims it first, so that nothing is mailed twice; what could not be mailed is due again. */
  mail?: 'due' | 'sent'
  expiresAt: number
}

/** A notice is kept for so long. */
export const keptDays = 92
/** What happened longer ago is not told any more, however late it comes to be known. */
export const newsDays = 2
/** A clock-out that was forgotten longer ago was recalculated, not forgotten now. */
export const forgottenDays = 3

/** Told twice, late or out of order, what happened has the same name. */
export const noticeId = ({ at, kind, of, request, day }: NoticeEvent): string => `${at}#${kind}#${of}#${request ?? day}`

export const noticePk = (employee: string) => `NOTICE#${employee}`
export const noticeKey = ({ employee, id }: Pick<Notice, 'employee' | 'id'>): Key<Notice> => ({
  pk: noticePk(employee),
  sk: id,
})

export const noticeFacts = ({ company, old, new: now }: Change<Notice>) => {
  const notice = now ?? old
  return notice ? [{ type: 'notice.changed' as const, company, employee: notice.employee }] : []
}

/** What somebody does not want to be told; everything until they say so. */
export interface NoticeParams {
  notInApp: NoticeKind[]
  notByMail: NoticeKind[]
}

export const noticeParamsKey = (employee: string): Key<NoticeParams> => ({ pk: 'NOTICE_PARAMS', sk: employee })

/** What happened to a request, and whether who may decide about it is told, or who asked. */
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

/** That a request was asked for. */
export const askedOf = (request: Request): NoticeEvent => ({
  ...{ kind: 'request.asked', at: request.createdAt, by: request.employee },
  ...aboutOf(request),
})

/**
 * What there is to tell of a request as it stands: that it waits, or what became of it last, and what was written. What was
 * decided and undone before anybody was told is not told.
 */
export const toldOf = (request: Request): Told[] => {
  const { employee, status, steps, comments = [] } = request
  const { pending, cancelled } = requestStatus
  const last = status === pending ? undefined : steps.at(-1)
  const isTakenBack = last?.by === employee && status === cancelled
  return [
    ...(status === pending ? [{ event: askedOf(request), to: 'approvers' as const }] : []),
    ...(last
      ? [
          {
            event: {
              ...{ kind: isTakenBack ? ('request.cancelled' as const) : ('request.decided' as const) },
              ...{ at: last.at, by: last.by, status },
              ...aboutOf(request),
            },
            to: isTakenBack ? ('approvers' as const) : ('requester' as const),
          },
        ]
      : []),
    ...comments.map(({ at, by }) => ({
      event: { ...{ kind: 'request.commented' as const, at, by }, ...aboutOf(request) },
      to: by === employee ? ('approvers' as const) : ('requester' as const),
    })),
  ]
}

/** Where in the site it leads, and on which side: to the request, to the terminal, or to the correction that would put the day right. */
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

const noticeName = z.string().min(1).max(150).describe('begins with the instant it is about')
const kind = z.enum(noticeKinds)
/** Nobody counts more at a glance. */
export const mostUnread = 100

const switches = z.array(
  z.strictObject({
    kind,
    isInApp: z.boolean().describe('shown in the site'),
    isByMail: z.boolean().describe('mailed, to who has an address'),
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
        employee: id.optional().describe('whose request, or whose day; absent for a terminal or a scheduled report'),
        name: z.string().describe('of the employee who did it, the terminal or the scheduled report'),
        request: requestId.optional(),
        type: requestType.optional(),
        leaveType: z.int().optional(),
        status: requestState.optional().describe('what was decided'),
        date: day.describe('the first work day it is about'),
        toDate: day.describe('the last one'),
        side: z.enum(['management', 'user']).describe('on which side of the site it leads on'),
        address: z.string().describe('where it leads to in the site'),
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
      ids: z.array(noticeName).min(1).max(100).optional().describe('these; all, where it is left out'),
    }),
    output: done,
  },
  'notice/params': {
    does: "Returns the caller's notification settings; only kinds that apply to the caller.",
    who: 'signedIn',
    input: nothing,
    output: z.object({ list: switches, hasAddress: z.boolean().describe('whether there is an address to mail to') }),
  },
  'notice/params/update': {
    does: "Updates the caller's notification settings; omitted kinds stay unchanged.",
    who: 'signedIn',
    writes: true,
    input: z.strictObject({ list: switches.min(1).max(noticeKinds.length) }),
    output: done,
  },
} as const satisfies Declarations
