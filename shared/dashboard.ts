import * as z from 'zod'
import { type Declarations, day, nothing } from './contract.ts'

const number = z.int().min(0)
const minutes = z.int().min(0)
const expected = z.object({ day, active_num: number, should_num: number })
const yesterday = z.object({ day, early: number, late: number, exception: number, over: number, absent: number })

/** How far the history goes back; today, which is not over, is not in it. */
export const historyDays = 30

export const dashboardPaths = {
  'dashboard/today': {
    does: 'Tells how many of those who should be at work today have punched, and the same of the shifts of yesterday that are still being worked.',
    who: 'manager',
    input: nothing,
    output: expected.extend({
      percentage: number,
      running: expected.optional().describe('Absent where no shift of yesterday goes on.'),
    }),
  },
  'dashboard/today/absent': {
    does: 'Tells how many of those whose duty of today has begun have not punched, and names the first of them.',
    who: 'manager',
    input: nothing,
    output: z.object({
      count: number,
      list: z.array(z.object({ first_name: z.string(), last_name: z.string(), workno: z.string(), shift: z.string() })),
    }),
  },
  'dashboard/yesterday': {
    does: 'Tells how many employees were early, late, absent, worked overtime or left an exception yesterday.',
    who: 'manager',
    input: nothing,
    output: yesterday,
  },
  'dashboard/info': {
    does: "Tells the numbers of employees, of today's records, and of terminals in all and online.",
    who: 'manager',
    input: nothing,
    output: z.object({ employee_num: number, record_num: number, device_online_num: number, device_num: number }),
  },
  'dashboard/history': {
    does: `Tells of each of the last ${historyDays} days, the oldest first, how many employees should have been at work and were, how many were early, late, absent, worked overtime or left an exception, and what all worked together.`,
    who: 'manager',
    input: nothing,
    output: z.object({
      list: z.array(
        yesterday.extend({ should_num: number, active_num: number, workMinutes: minutes, overtimeMinutes: minutes }),
      ),
    }),
  },
} as const satisfies Declarations
