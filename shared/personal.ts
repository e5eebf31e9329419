import * as z from 'zod'
import { password } from './account.ts'
import { at, type Declarations, day, done, nothing, text } from './contract.ts'
import { workno } from './employee.ts'
import { dayOutput, explanation, punchOutput } from './explanation.ts'
import { language } from './language.ts'
import { personalPunchPaths } from './personal/browser-punch.ts'
import { personalLeavePaths } from './personal/leave.ts'
import { personalRequestPaths } from './personal/request.ts'
import { figures } from './preview.ts'
import { redirect, signedIn } from './user.ts'

const count = z.int().min(0)
const seconds = z.int().min(0).describe('seconds')
const percentage = z.int().min(0).max(100).describe('of the larger of duty time, and work time with overtime')

/** At most a year. */
const range = z.strictObject({ from: day, to: day })
const ownDays = z.object({ list: z.array(dayOutput).describe('the newest day first') })

export const personalPaths = {
  'personal/login': {
    does: 'Signs a person in by company number and employee number on the employee side.',
    who: 'anyone',
    input: z.strictObject({ code: z.string().trim().min(1).max(20), workno, password, redirect }),
    output: signedIn,
  },
  'personal/login/switch': {
    does: 'Moves from the management side to the employee side: a new token, the old one ends.',
    who: 'manager',
    isPersonal: true,
    input: nothing,
    output: z.object({ token: z.string() }),
  },
  'personal/dashboard/work': {
    does: "Tells the signed-in person's duty, work and overtime of this month up to today; duty is what leave has left of it.",
    who: 'employee',
    input: nothing,
    output: z.object({
      from: day,
      to: day,
      dutytime: seconds,
      worktime: seconds,
      overtime: seconds,
      duty_percentage: percentage,
      work_percentage: percentage,
      overtime_percentage: percentage,
    }),
  },
  'personal/dashboard/info': {
    does: 'Counts the days of this month up to today on which the signed-in person was late or left early, worked overtime, was absent, or on which something is to be looked at.',
    who: 'employee',
    input: nothing,
    output: z.object({
      from: day,
      to: day,
      month_early_late: count,
      month_over: count,
      month_absent: count,
      month_exception: count,
    }),
  },
  'personal/dashboard/record': {
    does: "Tells the signed-in person's shifts and punches of today, a running night shift included, and whether they are at work.",
    who: 'employee',
    input: nothing,
    output: z.object({
      day,
      state: z
        .enum(['in', 'out', 'forgotten', 'missing', 'expected', 'leave', 'holiday', 'free'])
        .describe(
          'at work; gone again; not clocked out, and the day is over; duty has begun without a punch; duty is to come; nothing is expected',
        ),
      since: at.optional().describe('of the last punch, for who came'),
      list: z.array(dayOutput),
      punches: z.array(punchOutput),
    }),
  },
  'personal/dashboard/history': {
    does: "Tells the signed-in person's duty, work and overtime of each of the last 30 days.",
    who: 'employee',
    input: nothing,
    output: z.object({
      list: z
        .array(z.object({ day, dutytime: seconds, worktime: seconds, overtime: seconds }))
        .describe('the oldest day first; today is the last'),
    }),
  },
  'personal/record/all': {
    does: 'Lists the days of the signed-in person with their figures in minutes.',
    who: 'employee',
    input: range,
    output: ownDays,
  },
  'personal/record/lateearly': {
    does: 'Lists the days on which the signed-in person was late or left early.',
    who: 'employee',
    input: range,
    output: ownDays,
  },
  'personal/record/absent': {
    does: 'Lists the days on which the signed-in person was absent, and those that end a flexible week that is short.',
    who: 'employee',
    input: range,
    output: ownDays,
  },
  'personal/record/overtime': {
    does: 'Lists the days on which the signed-in person worked overtime.',
    who: 'employee',
    input: range,
    output: ownDays,
  },
  'personal/record/exception': {
    does: 'Lists the days of the signed-in person on which something is to be looked at, such as a punch that is missing.',
    who: 'employee',
    input: range,
    output: ownDays,
  },
  'personal/report/timecard': {
    does: "Tells the signed-in person's month: each day with its figures in minutes, their sums, and what is planned and free in it.",
    who: 'employee',
    input: z.strictObject({
      month: z
        .string()
        .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
        .describe('YYYY-MM'),
    }),
    output: z.object({
      today: day,
      lockedTo: day.optional().describe('up to this day, which counts, nothing changes'),
      list: z.array(dayOutput).describe('the oldest day first'),
      total: figures,
      planned: z
        .array(
          z.object({
            day,
            timezone: z.string(),
            shift: z.string(),
            shiftColor: z.string(),
            dutyFrom: at.optional().describe('absent where a week has a target and its days have no hours'),
            dutyTo: at.optional(),
          }),
        )
        .describe('the shifts of days that have no figures yet'),
      holidays: z.array(z.object({ day, name: z.string() })),
    }),
  },
  'personal/report/record': {
    does: 'Explains a day of the signed-in person: its punches, the rule behind each minute, and what it said before.',
    who: 'employee',
    input: z.strictObject({ day }),
    output: z.object({ list: z.array(explanation) }),
  },
  ...personalLeavePaths,
  ...personalPunchPaths,
  ...personalRequestPaths,
  'personal/update': {
    does: 'Changes what the signed-in person may say of themselves; what is left out of the form is removed.',
    who: 'signedIn',
    writes: true,
    input: z.strictObject({
      first_name: text(60),
      last_name: text(60),
      language: language.optional().describe('of mails'),
      tel: text(40).optional(),
    }),
    output: done,
  },
} as const satisfies Declarations
