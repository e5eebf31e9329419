import * as z from 'zod'
import { setFaults } from '../attendance/hours/fault.ts'
import { clockTime, minutes, text } from '../contract.ts'

// The declaration of an hour set, as a form sends it and the company stores it.

const weekday = z.int().min(0).max(6)
const only = z.literal(true).optional()

export const hourKind = z.strictObject({
  code: text(20).describe('names the kind in rules, files and payroll'),
  name: text(60),
  color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/)
    .describe('#rrggbb'),
  payrollCode: text(40).optional().describe('if payroll names the kind differently'),
  account: only.describe('its minutes count for the time account, as a base kind'),
})
export type HourKind = z.output<typeof hourKind>

const conditions = {
  kind: text(20).describe('the code of a kind'),
  overtime: only.describe('the minute is overtime of its row'),
  holiday: z
    .enum(['clock', 'day'])
    .optional()
    .describe('clock: the date of the minute is a holiday; day: the work day'),
  rest: only.describe('the row has no shift'),
  weekdays: z
    .array(weekday)
    .min(1)
    .max(7)
    .refine(days => new Set(days).size === days.length)
    .optional()
    .describe('0 Sunday … 6 Saturday'),
  by: z.enum(['clock', 'day']).optional().describe('of `weekdays`: the date of the minute (default) or the work day'),
  window: z
    .strictObject({
      from: clockTime.describe('HH:MM'),
      to: clockTime.describe('HH:MM, not included; on the next date unless later than `from`'),
      least: minutes().min(1).optional().describe('holds only if so many paid minutes of the row lie in it'),
    })
    .optional(),
  begunDayBefore: only.describe('the row’s first paid minute lies on an earlier date'),
  dayOver: minutes().min(1).optional().describe('from the next paid minute of the day on'),
  consecutiveDay: z.int().min(2).max(7).optional().describe('this day in a row with paid minutes in the week'),
}

const checks = z.strictObject({
  dailyMaximum: minutes().min(1).optional(),
  restBetween: minutes().min(1).optional().describe('least minutes between two work days'),
  breakOwed: z
    .array(z.strictObject({ afterMinutes: minutes(), breakMinutes: minutes().min(1) }))
    .max(5)
    .optional(),
  weeklyAverage: z.strictObject({ minutes: minutes(10_080).min(1), weeks: z.int().min(1).max(52) }).optional(),
})

export const hourSetForm = z
  .strictObject({
    name: text(100),
    kinds: z.array(hourKind).min(1).max(40),
    base: z.array(
      z.strictObject({
        ...conditions,
        weekOver: minutes(10_080).min(1).optional().describe('once the week has so many minutes that fill it'),
        fillsWeek: z.boolean().optional().describe('replaces the usual answer: yes, unless a rule is about the day'),
      }),
    ),
    extra: z.array(
      z.strictObject({
        ...conditions,
        unless: z.array(text(20)).min(1).max(20).optional().describe('not where an extra rule above gave such a kind'),
      }),
    ),
    dayOf: z.enum(['workDay', 'clock']).optional().describe('whose day a minute is of; the work day if omitted'),
    checks: checks.optional(),
  })
  .superRefine((set, { addIssue }) => {
    for (const { field, code } of setFaults(set, set.kinds))
      addIssue({ code: 'custom', path: field.split('.'), message: String(code) })
  })
export type HourSetForm = z.output<typeof hourSetForm>
