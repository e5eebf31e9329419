import * as z from 'zod'
import { type Declarations, day, nothing } from './contract.ts'

const number = z.int().min(0)

export const dashboardPaths = {
  'dashboard/today': {
    does: 'Tells how many of those who should be at work today, a running night shift included, have punched.',
    who: 'manager',
    input: nothing,
    output: z.object({ day, active_num: number, should_num: number, percentage: number }),
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
    output: z.object({ day, early: number, late: number, exception: number, over: number, absent: number }),
  },
  'dashboard/info': {
    does: "Tells the numbers of employees, of today's records, and of terminals in all and online.",
    who: 'manager',
    input: nothing,
    output: z.object({ employee_num: number, record_num: number, device_online_num: number, device_num: number }),
  },
} as const satisfies Declarations
