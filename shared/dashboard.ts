import * as z from 'zod'
import { type Declarations, day, id, nothing } from './contract.ts'

const number = z.int().min(0)
const minutes = z.int().min(0)
const expected = z.object({ day, active_num: number, should_num: number })
const yesterday = z.object({ day, early: number, late: number, exception: number, over: number, absent: number })

/** The number of days in the history. Today does not count, because today is not over. */
export const historyDays = 30

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
} as const satisfies Declarations
