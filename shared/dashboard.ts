import * as z from 'zod'
import { at, type Declarations, day, gridInput, gridOutput, id, nothing } from './contract.ts'
import { whoLists, whoStates } from './who.ts'

const number = z.int().min(0)
const minutes = z.int().min(0)
const expected = z.object({ day, active_num: number, should_num: number })
const yesterday = z.object({ day, early: number, late: number, exception: number, over: number, absent: number })

/** The number of days in the history. Today does not count, because today is not over. */
export const historyDays = 30

/** The matters that may wait for a manager, in the order of the page. */
export const attentionKinds = ['requests', 'exceptions', 'devices', 'orphans', 'waiting'] as const
export type AttentionKind = (typeof attentionKinds)[number]
/** The count of each matter stops here. */
export const mostAttention = 500

/** One person now, as the lists of the dashboard and the person's page show them. */
export const personNow = z.object({
  employee: id,
  first_name: z.string(),
  last_name: z.string(),
  workno: z.string(),
  photo: z.url().optional().describe('Address of the photo, valid for half an hour.'),
  department: id,
  state: z.enum(whoStates),
  isLate: z.boolean().describe('came late today, or is overdue'),
  lateMinutes: minutes,
  day: day.describe('work day, which may be yesterday for a night shift'),
  timezone: z.string(),
  since: at.optional().describe('arrival, last departure, or expected arrival'),
  device: z.string().optional().describe('serial number of the terminal; `browser` for a punch in the browser'),
  deviceName: z.string().optional(),
  place: z.string().optional().describe('name of the company’s location of a browser punch'),
  breakSince: at.optional().describe('on a break since then'),
  isAbsent: z.literal(true).optional().describe('the shift ended without a punch'),
  isForgotten: z.literal(true).optional().describe('the work day closed without a clock-out'),
  leaveType: z.int().optional().describe('only for callers who may see reports or requests'),
  shift: z.string().optional(),
  shiftColor: z.string().optional(),
  dutyFrom: at.optional(),
  dutyTo: at.optional(),
})

export const dashboardPaths = {
  'dashboard/today': {
    does: "Returns how many of today's scheduled people have punched, and the same for yesterday's shifts still running.",
    who: 'manager',
    input: nothing,
    output: expected.extend({
      percentage: number,
      running: expected.optional().describe('Absent unless a shift of yesterday is still running.'),
    }),
  },
  'dashboard/today/absent': {
    does: 'Counts the people who have not punched although their shift has started, and names the first of them.',
    who: 'manager',
    input: nothing,
    output: z.object({
      count: number,
      day: day.describe('today in the company’s time zone'),
      list: z.array(
        z.object({
          ...{ employee: id, first_name: z.string(), last_name: z.string(), workno: z.string(), shift: z.string() },
        }),
      ),
    }),
  },
  'dashboard/yesterday': {
    does: 'Returns how many employees left early, were late or absent, worked overtime or had an exception yesterday.',
    who: 'manager',
    input: nothing,
    output: yesterday,
  },
  'dashboard/info': {
    does: "Returns the numbers of employees, of today's records, and of terminals in total and online.",
    who: 'manager',
    input: nothing,
    output: z.object({ employee_num: number, record_num: number, device_online_num: number, device_num: number }),
  },
  'dashboard/history': {
    does: `Returns for each of the last ${historyDays} days, oldest first, how many employees were scheduled, present, late, absent, left early, worked overtime or had an exception, and the total hours worked.`,
    who: 'manager',
    input: nothing,
    output: z.object({
      list: z.array(
        yesterday.extend({ should_num: number, active_num: number, workMinutes: minutes, overtimeMinutes: minutes }),
      ),
    }),
  },
  'dashboard/now': {
    does: 'Counts who is in, late, not in yet, on leave or finished now, and lists the people of one count.',
    who: 'manager',
    input: gridInput(
      z.strictObject({
        list: z.enum(whoLists).default('in'),
        department: id.optional().describe('includes sub-departments'),
      }),
    ),
    output: gridOutput(personNow).extend({
      counts: z
        .object({ in: number, late: number, missing: number, leave: number, finished: number })
        .describe('each person is in exactly one count; `late` overlaps the others'),
      absent: number.describe('those of `missing` whose shift is over'),
    }),
  },
  'dashboard/attention': {
    does: 'Lists the matters that wait for the caller: requests, open exceptions, offline terminals, unknown employee IDs, and members without a role.',
    who: 'manager',
    input: nothing,
    output: z.object({
      list: z.array(
        z.object({
          kind: z.enum(attentionKinds),
          count: z.int().min(1).max(mostAttention),
          isMore: z.literal(true).optional().describe('more wait than were counted'),
          since: at.optional().describe('when the oldest request was made, or a single terminal was last seen'),
          from: day.optional().describe('the day of the oldest exception'),
          minutes: minutes.optional().describe('minutes of the exceptions'),
          name: z.string().optional().describe('the terminal or the employee ID, if there is only one'),
          sn: z.string().optional().describe('serial number of a single terminal'),
        }),
      ),
    }),
  },
} as const satisfies Declarations
