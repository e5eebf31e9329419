import * as z from 'zod'
import type { Absence } from './absence.ts'
import type { Change } from './change.ts'
import { at, type Declarations, day, done, gridInput, gridOutput, id, nothing } from './contract.ts'
import type { Permission } from './permissions.ts'
import { requestId, requestState, requestType } from './personal/request.ts'
import { type Correction, dayOfPunch } from './record/correction.ts'
import { type Request, type RequestStatus, type RequestType, requestStatus } from './request.ts'
import type { Key } from './table.ts'

// Notices to employees, on the site, by mail or both. Employees choose the channels for each kind.

export const noticeKinds = [
  'request.asked',
  'request.entered',
  'request.decided',
  'request.cancelled',
  'request.commented',
  'punch.forgotten',
  'correction.made',
  'correction.answered',
  'day.explained',
  'record.held',
  'mailing.failed',
  'schedule.published',
] as const
export type NoticeKind = (typeof noticeKinds)[number]
/** Only people with the permission get these kinds. */
export const permissionFor: { readonly [kind in NoticeKind]?: Permission } = {
  'request.asked': 10,
  'request.cancelled': 10,
  'correction.answered': 9,
  'day.explained': 9,
  'record.held': 2,
  'mailing.failed': 8,
}

/** An event that several people get a notice about. */
export interface NoticeEvent {
  kind: NoticeKind
  at: string
  /**
   * The subject of the event: the employee of a request or day, the terminal's serial number, or the mailing's task.
   */
  of: string
  /**
   * The acting employee. Without an acting employee, the employee of the subject. Absent for a terminal and a mailing.
   */
  by?: string
  /** The name of the terminal or the scheduled report. */
  name?: string
  /** The first and last work day of the event. */
  day: string
  toDay: string
  request?: string
  type?: RequestType
  leaveType?: number
  /** The decision about a request. */
  status?: RequestStatus
  /** The result of a punch correction. `decided` counts without a right to object. `absent` is a mark of absence. */
  correction?: 'counts' | 'decided' | 'proposed' | 'agreed' | 'objected' | 'absent'
  /** For published shifts: the changed days, oldest first, at most `mostDaysNamed`. */
  days?: string[]
  /** For a forgotten punch: the end of duty as a wall time of the day, if it has an end. */
  time?: string
}

/** A person's notice. The server stores it before mailing it. */
export interface Notice extends NoticeEvent {
  id: string
  employee: string
  isUnread: boolean
  /** The notice goes out only by mail, and the site does not show it. */
  isMailOnly: boolean
  /** A mailing run first claims the notice, so that only one run mails it. A notice whose mail failed is due again. */
  mail?: 'due' | 'sent'
  expiresAt: number
}

/** Days for which the server keeps a notice. */
export const keptDays = 92
/** An event older than this raises no notice, in days. */
export const newsDays = 2
/** The most days that a notice of published shifts names. */
export const mostDaysNamed = 62
/** A clock-out forgotten longer ago comes from a recalculation, so it raises no notice. */
export const forgottenDays = 3

/** An event always has the same id, even if it arrives twice, late or out of order. */
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

/** The notices that an employee has switched off. At first, none. */
export interface NoticeParams {
  notInApp: NoticeKind[]
  notByMail: NoticeKind[]
}

export const noticeParamsKey = (employee: string): Key<NoticeParams> => ({ pk: 'NOTICE_PARAMS', sk: employee })

/** An event of a request, and its recipients: the possible approvers or the requester. */
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
 * The events of a request: its filing while it is pending, or its last decision, and each comment. A decision that a
 * manager reverses before delivery raises no event.
 */
export const toldOf = (request: Request): Told[] => {
  const { employee, enteredBy, status, steps, comments = [] } = request
  const { pending, approved, cancelled } = requestStatus
  // A manager who enters a request also approves it. The person gets one notice for both.
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
 * The notice events of a correction. The employee hears of every correction, and the manager of the answer.
 */
export const toldOfCorrection = (correction: Correction): { event: NoticeEvent; employee: string }[] => {
  const { employee, punch, by, madeAt, state, objectBy, objection, agreedAt } = correction
  const day = dayOfPunch(punch) ?? ''
  const about = { of: employee, day, toDay: day }
  const made: NoticeEvent = {
    kind: 'correction.made',
    at: madeAt,
    by,
    correction: state === 'proposed' ? 'proposed' : objectBy !== undefined ? 'counts' : 'decided',
    ...about,
  }
  const answered = { kind: 'correction.answered' as const, by: employee, ...about }
  return [
    ...(state === 'objected' || agreedAt !== undefined ? [] : [{ event: made, employee }]),
    ...(state === 'objected' && objection
      ? [{ event: { ...answered, at: objection.at, correction: 'objected' as const }, employee: by }]
      : []),
    ...(agreedAt !== undefined
      ? [{ event: { ...answered, at: agreedAt, correction: 'agreed' as const }, employee: by }]
      : []),
  ]
}

/** The notice event of a mark of absence. It uses the person's choice for corrections. */
export const toldOfAbsence = ({ employee, day, by, madeAt }: Absence): NoticeEvent => ({
  ...{ kind: 'correction.made', at: madeAt, by, correction: 'absent' },
  ...{ of: employee, day, toDay: day },
})

/**
 * The page that a notice opens, and its side of the site: the request, the terminal, or a prefilled punch correction.
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
  if (kind === 'correction.made' || kind === 'schedule.published')
    return { side: 'user', address: `/timecard?${new URLSearchParams({ month: day.slice(0, 7), day })}` }
  if (kind === 'correction.answered' || kind === 'day.explained')
    return { side: 'management', address: `/report?${new URLSearchParams({ employee: of, from: day, to: day, day })}` }
  return of === reader
    ? { side: 'user', address: `/request?${new URLSearchParams({ id: request ?? '' })}` }
    : { side: 'management', address: `/approve?${new URLSearchParams({ employee: of, id: request ?? '' })}` }
}

const noticeName = z.string().min(1).max(150).describe('begins with the instant of the event')
const kind = z.enum(noticeKinds)
/** The count of unread notices stops at this number. */
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
        correction: z
          .enum(['counts', 'decided', 'proposed', 'agreed', 'objected', 'absent'])
          .optional()
          .describe(
            'what happened to the correction of a punch; `decided` counts without a right to object, `absent` is a mark of absence',
          ),
        days: z.array(day).optional().describe('the changed days of published shifts, oldest first'),
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
