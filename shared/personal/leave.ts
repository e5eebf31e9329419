import * as z from 'zod'
import { at, type Declarations, day } from '../contract.ts'
import { dayOutput } from '../explanation.ts'
import { leaveYear } from '../leave/rule.ts'
import { balance, takenLeave } from '../leave.ts'

// The employee's own leave and overtime.

const requestedMinutes = z.int().min(0).describe('overtime that only a request allows')

export const personalLeavePaths = {
  'personal/report/leave': {
    does: "Returns the caller's allowance, taken, planned and remaining leave of each type in a year, with the leaves counted.",
    who: 'employee',
    input: z.strictObject({ year: leaveYear }),
    output: z.object({
      balances: z.array(balance),
      list: z.array(takenLeave).describe('earliest first'),
    }),
  },
  'personal/report/overtime': {
    does: "Lists the caller's days with overtime, the approved part of it, and the requests in a range of up to 366 days.",
    who: 'employee',
    input: z.strictObject({ from: day, to: day }),
    output: z.object({
      list: z.array(dayOutput.extend({ requestedOvertimeMinutes: requestedMinutes })).describe('newest day first'),
      total: z.object({ overtimeMinutes: z.int().min(0), requestedOvertimeMinutes: requestedMinutes }),
      requests: z.array(
        z.object({
          id: z.string(),
          status: z.literal([0, 1, 2, 3]).describe('0 pending, 1 approved, 2 declined, 3 cancelled'),
          date: day,
          timezone: z.string(),
          from: at,
          to: at,
        }),
      ),
    }),
  },
} as const satisfies Declarations
