import * as z from 'zod'
import { at, day, id } from '../contract.ts'
import { week } from '../explanation.ts'
import { figureNames } from '../figure.ts'
import { figures, kinds } from '../preview.ts'

// The rows of reports, with figures in printed minutes.

const figure = z.int().min(0)

export const amounts = z
  .record(z.enum(figureNames), z.number().min(0))
  .describe('the sums of the days as printed, in the company’s unit: hours with two decimals, or minutes')
const kindAmounts = z
  .record(z.string(), z.number().min(0))
  .describe('the sums of `kinds` as printed, in the unit of worked time')
export const summedKinds = { kinds: kinds.optional(), kindAmounts: kindAmounts.optional() }
const person = {
  employee: id,
  first_name: z.string(),
  last_name: z.string(),
  name: z.string().describe('full name in the company’s name order'),
  workno: z.string(),
  department: id,
  departmentName: z.string().optional(),
}

export const dailyRow = z.object({
  ...person,
  day,
  timezone: z.string(),
  kind: z.enum(['work', 'leave', 'holiday', 'rest', 'flexible']),
  shift: z.string().optional(),
  shiftColor: z.string().optional(),
  state: z.enum(['pending', 'provisional', 'final']),
  dutyFrom: at.optional(),
  dutyTo: at.optional(),
  firstIn: at.optional(),
  lastOut: at.optional(),
  ...figures.shape,
  breakMinutes: figure,
  longBreakMinutes: figure.describe('minutes beyond the breaks’ duration'),
  requestedOvertimeMinutes: figure.describe('overtime that only a request allows'),
  leaveTypes: z.record(z.string(), figure).describe('minutes by leave type'),
  exceptions: z.array(z.string()),
  kinds: kinds.optional(),
  week: week.optional(),
})
export type DailyRow = z.output<typeof dailyRow>

export const summaryRow = z.object({
  ...person,
  days: figure.describe('days with a shift, without holidays and full leave'),
  daysPresent: figure.describe('days with at least one punch'),
  daysLate: figure,
  timesLate: figure.describe('number of shifts; a day may have several'),
  timesEarly: figure,
  daysAbsent: figure,
  leaveDays: z.record(z.string(), z.number()).describe('by leave type; half a day of leave is 0.5'),
  exceptionCount: figure,
  accountMinutes: z.int().optional().describe('balance of the time account at the end; absent without an account'),
  ...figures.shape,
  amounts,
  leaveAmounts: z
    .record(z.string(), z.number().min(0))
    .describe('leave by type: the sums of the days as printed, in the company’s unit'),
  ...summedKinds,
})
export type SummaryRow = z.output<typeof summaryRow>

/** The employee-days of departments. */
export const dayCounts = z.object({
  should: figure.describe('employee-days'),
  active: figure,
  late: figure,
  early: figure,
  absent: figure,
  over: figure,
  exception: figure,
})

export const departmentRow = z.object({
  department: id,
  departmentName: z.string(),
  ...dayCounts.shape,
  ...figures.shape,
  amounts,
  ...summedKinds,
})
export type DepartmentRow = z.output<typeof departmentRow>
