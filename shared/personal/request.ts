import * as z from 'zod'
import { leaveTypes } from '../company.ts'
import { at, type Declarations, day, done, gridInput, gridOutput, id, planDay, text, wallTime } from '../contract.ts'
import { imageTypes } from '../image.ts'
import { mostAttachments, mostLeaveDays, mostOvertimeMinutes } from '../request.ts'

// The employee's own requests; `shared/approve.ts` has their approval.

export const requestId = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}-[a-z0-9]{16}$/)
  .describe('begins with the last day')
export const requestType = z.literal([1, 2, 3]).describe('1 correction: a missing punch, 2 leave, 3 overtime')
export const requestState = z.literal([0, 1, 2, 3]).describe('0 pending, 1 approved, 2 declined, 3 cancelled')

const leaveType = z.int().min(1).max(Object.keys(leaveTypes).length)
const days = z.number().min(0).describe('fractions of each day’s scheduled minutes, to a thousandth')
export const leaveTotal = z.object({
  days,
  minutes: z.int().min(0),
  isEstimated: z.boolean().optional().describe('some days have no schedule yet'),
})

export const leaveBalances = {
  balances: z
    .array(
      z.object({
        ...{ year: z.int(), before: z.number(), after: z.number() },
        later: z
          .object({ from: day, before: z.number(), after: z.number() })
          .optional()
          .describe('the same from the day on which unused carried days are gone; absent if none will go'),
      }),
    )
    .describe('remaining days without and with this leave, for each limited year'),
  exceeds: z
    .enum(['refuse', 'warn'])
    .optional()
    .describe(
      'present if the leave exceeds the balance: `refuse` rejects the request (60084), `warn` allows it with a warning',
    ),
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
  date: day.describe('first work day'),
  toDate: day.describe('last work day'),
  timezone: z.string().describe('time zone of its times'),
  at: at.optional().describe('for a correction: the time of the punch'),
  inout: z.literal([0, 1]).optional().describe('for a correction: 0 in, 1 out'),
  leaveType: leaveType.optional(),
  isAllDay: z.boolean().optional().describe('for leave: whether it takes whole days'),
  from: at.optional().describe('for overtime and part-day leave'),
  to: at.optional(),
  total: leaveTotal.optional().describe('for leave: the scheduled time it takes'),
  notes: z.string().optional(),
  enteredBy: z.string().optional().describe('name of the manager who entered it for the person'),
  createdAt: at,
  steps: z
    .array(
      z.object({
        status: requestState,
        by: z.string().describe('name'),
        onBehalfOf: z.string().optional().describe('name of the delegating person'),
        at,
        reason: z.string().optional(),
      }),
    )
    .describe('decisions so far; after the first of two steps it is still pending'),
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
      url: z.url().describe('Address of the file, valid for half an hour; pictures open, others download.'),
    }),
  ),
})
export type RequestDetails = z.output<typeof requestDetails>

const own = { mayCancel: z.boolean().describe('whether the requester may withdraw it now') }

const time = wallTime.describe('HH:MM of `date`, with +1 or -1 for the date after or before')
const later = z.boolean().optional().describe('the second of two times, if a clock change repeats the hour')
const commonFields = {
  notes: text(500).optional(),
  attachments: z
    .array(z.strictObject({ upload: id, name: text(100) }))
    .max(mostAttachments)
    .optional()
    .describe('files uploaded with the forms of personal/request/upload'),
}
const added = z.object({ id: requestId })

export const leaveForm = z.strictObject({
  leaveType: leaveType.describe('a leave type in use'),
  date: planDay,
  toDate: planDay.optional().describe(`last day; \`date\` if omitted; at most ${mostLeaveDays} days`),
  isAllDay: z.boolean(),
  from: time.optional().describe('with `isAllDay: false`: HH:MM of `date`, with +1 or -1 for the date after or before'),
  isFromLater: later,
  to: time.optional().describe('with `isAllDay: false`: HH:MM of `toDate`, with +1 or -1'),
  isToLater: later,
  ...commonFields,
})
export type LeaveForm = z.output<typeof leaveForm>

export const shiftForm = z.strictObject({
  date: planDay.describe('work day of the missing punch'),
  time,
  isLater: later,
  inout: z
    .literal([0, 1])
    .optional()
    .describe('0 in, 1 out; used only if the company trusts the in/out keys of terminals'),
  ...commonFields,
})
export type ShiftForm = z.output<typeof shiftForm>

export const overtimeForm = z.strictObject({
  date: planDay,
  from: time,
  isFromLater: later,
  to: time.describe(`HH:MM of \`date\`, with +1 or -1; at most ${mostOvertimeMinutes / 60} hours`),
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
        from: day.optional().describe('requests that touch this day or a later one'),
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
    does: 'Previews a leave request: the scheduled time it takes and the resulting balance. Rejects the same input as `personal/request/leave/add`.',
    who: 'employee',
    input: leaveForm,
    output: z.object({
      total: leaveTotal,
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
    does: 'Withdraws a pending request, or an approved one before its first day; its days are recalculated without it.',
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
