import * as z from 'zod'
import { at, day, id } from '../contract.ts'
import { week } from '../explanation.ts'

// The rows of reports, with figures in minutes as printed.

const figure = z.int().min(0)

const printed = {
  dutyMinutes: figure,
  workMinutes: figure,
  lateMinutes: figure,
  earlyLeaveMinutes: figure,
  absentMinutes: figure.describe('with what a week of a weekly-flexible shift that ends here is short of'),
  leaveMinutes: figure,
  overtimeMinutes: figure.describe('with what such a week has beyond its target'),
}
const person = {
  employee: id,
  first_name: z.string(),
  last_name: z.string(),
  name: z.string().describe('both names in the order that the company chose'),
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
  ...printed,
  breakMinutes: figure,
  longBreakMinutes: figure.describe('beyond what the breaks take'),
  requestedOvertimeMinutes: figure.describe('of the overtime, what a request allows and nothing else'),
  leaveTypes: z.record(z.string(), figure).describe('minutes by leave type'),
  exceptions: z.array(z.string()),
  week: week.optional(),
})
export type DailyRow = z.output<typeof dailyRow>

export const summaryRow = z.object({
  ...person,
  days: figure.describe('with a shift, neither a holiday nor on leave all day'),
  daysPresent: figure.describe('with at least one punch'),
  daysLate: figure,
  timesLate: figure.describe('shifts, of which a day may have several'),
  timesEarly: figure,
  daysAbsent: figure,
  leaveDays: z.record(z.string(), z.number()).describe('by leave type; half a day of leave is 0.5'),
  exceptionCount: figure,
  ...printed,
})
export type SummaryRow = z.output<typeof summaryRow>

export const departmentRow = z.object({
  department: id,
  departmentName: z.string(),
  should: figure.describe('employee-days'),
  active: figure,
  late: figure,
  early: figure,
  absent: figure,
  over: figure,
  exception: figure,
  ...printed,
})
export type DepartmentRow = z.output<typeof departmentRow>
