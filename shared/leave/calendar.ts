import * as z from 'zod'
import { at, type Declarations, day, gridInput, gridOutput, id } from '../contract.ts'
import { employeeSorts } from '../employee.ts'
import { countDays } from '../local-day.ts'
import { leaveTypeId } from './rule.ts'

// The absence calendar: who is away when, by approved leave and by leave that waits for a decision.

export const mostCalendarDays = 62

const span = {
  from: day,
  to: day.describe(`at most ${mostCalendarDays} days from \`from\``),
  department: id.optional(),
  leaveType: leaveTypeId.optional(),
}
const inSpan = ({ from, to }: { from: string; to: string }) => from <= to && countDays(from, to) <= mostCalendarDays
const wrongSpan = { path: ['to'], message: '10002' }

/** A leave that touches the days of the calendar, whole: it may begin earlier and end later. */
export const calendarLeave = z.object({
  id: z.string(),
  status: z.literal([0, 1]).describe('0 pending, 1 approved'),
  leaveType: leaveTypeId,
  date: day,
  toDate: day,
  timezone: z.string(),
  from: at.optional().describe('absent for whole days'),
  to: at.optional(),
})

export const leaveCalendarPaths = {
  'leave/calendar': {
    does: "Lists the caller's employees with their approved and pending leave on some days.",
    who: [10],
    input: gridInput(
      z.strictObject({ ...span, search: z.string().trim().max(100).optional() }).refine(inSpan, wrongSpan),
      employeeSorts,
    ),
    output: gridOutput(
      z.object({
        ...{ employee: id, first_name: z.string(), last_name: z.string(), workno: z.string(), department: id },
        leaves: z.array(calendarLeave).describe('earliest first'),
      }),
    ),
  },
  'leave/calendar/total': {
    does: "Counts on each day how many of the caller's employees are on leave, and for how many others a request waits.",
    who: [10],
    input: z.strictObject(span).refine(inSpan, wrongSpan),
    output: z.object({
      list: z.array(
        z.object({
          day,
          awayCount: z.int().min(0).describe('people with approved leave, also for a part of the day'),
          pendingCount: z.int().min(0).describe('other people with pending leave'),
        }),
      ),
    }),
  },
} as const satisfies Declarations
