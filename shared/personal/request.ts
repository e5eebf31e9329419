import * as z from 'zod'
import { leaveTypes } from '../company.ts'
import { at, type Declarations, day, done, gridInput, gridOutput, id, planDay, text, wallTime } from '../contract.ts'
import { imageTypes } from '../image.ts'
import { mostAttachments, mostLeaveDays, mostOvertimeMinutes } from '../request.ts'

// The employee's own requests; `shared/approve.ts` has their approval.

export const requestId = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}-[a-z0-9]{16}$/)
  .describe('begins with the last day it is about')
export const requestType = z.literal([1, 2, 3]).describe('1 correction: a missing punch, 2 leave, 3 overtime')
export const requestState = z.literal([0, 1, 2, 3]).describe('0 pending, 1 approved, 2 declined, 3 cancelled')

const leaveType = z.int().min(1).max(Object.keys(leaveTypes).length)
const days = z.number().min(0).describe('parts of days, each by the duty of its day, to a thousandth')
const total = {
  days,
  minutes: z.int().min(0),
  isEstimated: z.boolean().optional().describe('some of its days are not planned yet'),
}

export const leaveBalances = {
  balances: z
    .array(z.object({ year: z.int(), before: z.number(), after: z.number() }))
    .describe('days left without and with it, of the years in which a rule limits this leave'),
  exceeds: z
    .enum(['refuse', 'warn'])
    .optional()
    .describe('it is more than what is left: whether it is refused (60084), or may be asked for all the same'),
}

/** A request as shown to its readers, with only the fields of its type. */
export const requestOutput = z.object({
  id: requestId,
  employee: id,
  first_name: z.string(),
  last_name: z.string(),
  workno: z.string(),
  type: requestType,
  status: requestState,
  date: day.describe('the first work day it is about'),
  toDate: day.describe('the last one'),
  timezone: z.string().describe('what its times were read in'),
  at: at.optional().describe('of a correction: the punch'),
  inout: z.literal([0, 1]).optional().describe('of a correction: 0 in, 1 out'),
  leaveType: leaveType.optional(),
  isAllDay: z.boolean().optional().describe('of a leave'),
  from: at.optional().describe('of overtime, and of leave that takes no whole days'),
  to: at.optional(),
  total: z.object(total).optional().describe('of a leave: how much of the schedule it takes'),
  notes: z.string().optional(),
  createdAt: at,
  steps: z
    .array(
      z.object({
        status: requestState,
        by: z.string().describe('name'),
        onBehalfOf: z.string().optional().describe('the name of whom they stood in for'),
        at,
        reason: z.string().optional(),
      }),
    )
    .describe('who decided when; after the first of two steps it is still pending'),
  commentCount: z.int().min(0),
  attachmentCount: z.int().min(0),
})
export type ShownRequest = z.output<typeof requestOutput>

export const requestDetails = requestOutput.extend({
  comments: z.array(z.object({ id, by: z.string().describe('name'), isOwn: z.boolean(), at, text: z.string() })),
  attachments: z.array(
    z.object({
      id,
      name: z.string(),
      type: z.string(),
      bytes: z.int(),
      url: z.url().describe('Shows a picture and loads anything else, for half an hour at most.'),
    }),
  ),
})
export type RequestDetails = z.output<typeof requestDetails>

const own = { mayCancel: z.boolean().describe('whether who asked may take it back now') }

const time = wallTime.describe('HH:MM of `date`, with +1 or -1 for the date after or before')
const later = z.boolean().optional().describe('the second of an hour that a clock change repeats')
const commonFields = {
  notes: text(500).optional(),
  attachments: z
    .array(z.strictObject({ upload: id, name: text(100) }))
    .max(mostAttachments)
    .optional()
    .describe('what was sent by the forms of personal/request/upload'),
}
const added = z.object({ id: requestId })

export const leaveForm = z.strictObject({
  leaveType: leaveType.describe('one that is switched on'),
  date: planDay,
  toDate: planDay.optional().describe(`the last day, \`date\` where it is left out; ${mostLeaveDays} days at most`),
  isAllDay: z.boolean(),
  from: time.optional().describe('with `isAllDay: false`: HH:MM of `date`, with +1 or -1 for the date after or before'),
  isFromLater: later,
  to: time.optional().describe('with `isAllDay: false`: HH:MM of `toDate`, with +1 or -1'),
  isToLater: later,
  ...commonFields,
})
export type LeaveForm = z.output<typeof leaveForm>

export const shiftForm = z.strictObject({
  date: planDay.describe('the work day the punch is missing on'),
  time,
  isLater: later,
  inout: z.literal([0, 1]).optional().describe('0 in, 1 out; read only where the company trusts the keys of terminals'),
  ...commonFields,
})
export type ShiftForm = z.output<typeof shiftForm>

export const overtimeForm = z.strictObject({
  date: planDay,
  from: time,
  isFromLater: later,
  to: time.describe(`HH:MM of \`date\`, with +1 or -1; ${mostOvertimeMinutes / 60} hours at most`),
  isToLater: later,
  ...commonFields,
})
export type OvertimeForm = z.output<typeof overtimeForm>

export const attachmentTypes = [...imageTypes, 'application/pdf'] as const

export const personalRequestPaths = {
  'personal/request/grid': {
    does: "Lists the caller's requests, latest day first.",
    who: 'employee',
    input: gridInput(
      z.strictObject({
        type: requestType.optional(),
        status: requestState.optional(),
        from: day.optional().describe('those that touch this day or one behind it'),
        to: day.optional(),
      }),
    ),
    output: gridOutput(requestOutput.extend(own)),
  },
  'personal/request/get': {
    does: "Returns one of the caller's requests with its comments and attachments.",
    who: 'employee',
    input: z.strictObject({ id: requestId }),
    output: requestDetails.extend(own),
  },
  'personal/request/shift/add': {
    does: 'Requests a missing punch; rejects times in the future (10002), locked days (60061) and repeated requests (60080).',
    who: 'employee',
    writes: true,
    input: shiftForm,
    output: added,
  },
  'personal/request/leave/add': {
    does: 'Requests leave; rejects locked days (60061), time already requested (60080), time without scheduled work (60085) and more than the balance (60084).',
    who: 'employee',
    writes: true,
    input: leaveForm,
    output: added,
  },
  'personal/request/leave/preview': {
    does: 'Previews a leave request: the scheduled time it takes and the resulting balance; rejects what the request would reject.',
    who: 'employee',
    input: leaveForm,
    output: z.object({
      total: z.object(total),
      ...leaveBalances,
    }),
  },
  'personal/request/overtime/add': {
    does: 'Requests overtime; rejects locked days (60061) and time already requested (60080).',
    who: 'employee',
    writes: true,
    input: overtimeForm,
    output: added,
  },
  'personal/request/cancel': {
    does: 'Withdraws a request: a pending one, or an approved one before its first day. Its days are recalculated without it.',
    who: 'employee',
    writes: true,
    input: z.strictObject({ id: requestId }),
    output: done,
  },
  'personal/request/comment/add': {
    does: "Adds a comment to one of the caller's requests.",
    who: 'employee',
    writes: true,
    input: z.strictObject({ id: requestId, text: text(500) }),
    output: z.object({ comment: id }),
  },
  'personal/request/upload': {
    does: 'Returns a form for uploading an attachment within five minutes: POST its fields in order, then the `file`, of up to 2 MB. Files without a request are deleted after a day.',
    who: 'employee',
    input: z.strictObject({ type: z.enum(attachmentTypes) }),
    output: z.object({ upload: id, url: z.url(), fields: z.record(z.string(), z.string()) }),
  },
} as const satisfies Declarations
