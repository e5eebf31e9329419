import * as z from 'zod'
import { id } from '../contract.ts'
import { mostRequestsAtOnce } from '../request.ts'
import { leaveBalances, leaveForm, leaveTotal, overtimeForm, requestId, requestOutput, shiftForm } from './request.ts'

// Requests that a manager enters for other people: the employee's own forms, with the people they are for.

const behalf = {
  employees: z
    .array(id)
    .min(1)
    .max(mostRequestsAtOnce)
    .describe('the people it is entered for; never the caller (60082)'),
}

// Attachments belong to the person who uploaded them, so a manager sends none.
export const shiftBehalf = shiftForm.omit({ attachments: true }).extend(behalf)
export const overtimeBehalf = overtimeForm.omit({ attachments: true }).extend(behalf)
export const leaveBehalf = leaveForm.omit({ attachments: true }).extend(behalf)

export const entered = z.object({
  requests: z.array(z.object({ employee: id, id: requestId })),
  status: z.literal([0, 1]).describe('1 approved; 0 waits for a second approval'),
})

/** The effect of a leave on one person. */
const previewed = z.object({
  employee: id,
  first_name: z.string(),
  last_name: z.string(),
  workno: z.string(),
  total: leaveTotal.optional().describe('the scheduled time it takes; absent outside the employment'),
  balances: leaveBalances.balances.optional(),
  exceeds: leaveBalances.exceeds,
  problem: z
    .int()
    .optional()
    .describe(
      'error code if it cannot be entered: 10002 outside the employment, 60080 overlap, 60085 no scheduled work, 60084 balance',
    ),
  conflicts: z.array(requestOutput).describe('leave of the person at the same time, requested or approved'),
})
export const leaveBehalfPreview = z.object({
  list: z.array(previewed),
  needsSecond: z.boolean().describe('whether it would wait for a second approval'),
})
