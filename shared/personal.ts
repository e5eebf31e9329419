import * as z from 'zod'
import { password } from './account.ts'
import { at, type Declarations, day, done, id, nothing, text } from './contract.ts'
import { workno } from './employee.ts'
import { dayOutput, explanation, punchOutput } from './explanation.ts'
import { holidayPart } from './holiday.ts'
import { language } from './language.ts'
import { personalPunchPaths } from './personal/browser-punch.ts'
import { personalCalendarPaths } from './personal/calendar.ts'
import { personalLeavePaths } from './personal/leave.ts'
import { personalRequestPaths } from './personal/request.ts'
import { personalTeamPaths } from './personal/team.ts'
import { figures } from './preview.ts'
import { personalCorrectionPaths } from './record/correction.ts'
import { personalDayNotePaths, shownDayNote } from './record/day-note.ts'
import { personalAccountPaths } from './time-account.ts'
import { redirect, signedIn } from './user.ts'

const count = z.int().min(0)
const seconds = z.int().min(0).describe('seconds')
const percentage = z
  .int()
  .min(0)
  .max(100)
  .describe('percentage of the larger of scheduled time, and worked time with overtime')

/** A range of at most a year. */
const range = z.strictObject({ from: day, to: day })
const ownDays = z.object({
  list: z.array(dayOutput).describe('newest day first'),
  explained: z.array(day).describe('the days of the range that the caller explained'),
})

export const personalPaths = {
  'personal/login': {
    does: 'Signs a person in by company number and employee ID on the employee side.',
    who: 'anyone',
    input: z.strictObject({ code: z.string().trim().min(1).max(20), workno, password, redirect }),
    output: signedIn,
  },
  'personal/login/switch': {
    does: 'Switches from the management side to the employee side. Returns a new token and revokes the old one.',
    who: 'manager',
    isPersonal: true,
    input: nothing,
    output: z.object({ token: z.string() }),
  },
  'personal/company/list': {
    does: 'Lists the companies in which the caller works, for the employee side.',
    who: 'employee',
    input: nothing,
    output: z.object({ list: z.array(z.object({ id, name: z.string(), company_num: z.string() })) }),
  },
  'personal/company/select': {
    does: 'Switches to another company in which the caller works. Returns a new token for its employee side and revokes the old one.',
    who: 'employee',
    input: z.strictObject({ id }),
    output: z.object({ token: z.string() }),
  },
  'personal/dashboard/work': {
    does: "Returns the caller's scheduled hours, worked hours and overtime of this month up to today; leave is already deducted from the scheduled hours.",
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
    does: "Counts the caller's days of this month up to today that were late, left early, with overtime, absent or with an exception.",
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
    does: "Returns the caller's shifts and punches of today, including a running night shift, and whether they are at work.",
    who: 'employee',
    input: nothing,
    output: z.object({
      day,
      state: z
        .enum(['in', 'out', 'forgotten', 'missing', 'expected', 'leave', 'holiday', 'free'])
        .describe(
          '`in`: at work; `out`: left work; `forgotten`: not clocked out, and the day is over; `missing`: no punch although the shift has started; `expected`: the shift has not started, or has no fixed hours; `leave`, `holiday` and `free`: no work is scheduled',
        ),
      since: at.optional().describe('time of the last punch; absent without a punch'),
      list: z.array(dayOutput),
      punches: z.array(punchOutput),
    }),
  },
  'personal/dashboard/history': {
    does: "Returns the caller's scheduled hours, worked hours and overtime of each of the last 30 days.",
    who: 'employee',
    input: nothing,
    output: z.object({
      list: z
        .array(z.object({ day, dutytime: seconds, worktime: seconds, overtime: seconds }))
        .describe('oldest day first, up to today'),
    }),
  },
  'personal/record/all': {
    does: "Lists the caller's days with their figures in minutes.",
    who: 'employee',
    input: range,
    output: ownDays,
  },
  'personal/record/lateearly': {
    does: "Lists the caller's days that were late or left early.",
    who: 'employee',
    input: range,
    output: ownDays,
  },
  'personal/record/absent': {
    does: "Lists the caller's days of absence, and those that end a flexible week below its target.",
    who: 'employee',
    input: range,
    output: ownDays,
  },
  'personal/record/overtime': {
    does: "Lists the caller's days with overtime.",
    who: 'employee',
    input: range,
    output: ownDays,
  },
  'personal/record/exception': {
    does: "Lists the caller's days with an exception, such as a missing punch.",
    who: 'employee',
    input: range,
    output: ownDays,
  },
  'personal/report/timecard': {
    does: "Returns the caller's month: each day with its figures in minutes, the totals, and scheduled and free days.",
    who: 'employee',
    input: z.strictObject({
      month: z
        .string()
        .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
        .describe('YYYY-MM'),
    }),
    output: z.object({
      today: day,
      lockedTo: day.optional().describe('last locked day'),
      list: z.array(dayOutput).describe('oldest day first'),
      total: figures,
      planned: z
        .array(
          z.object({
            day,
            timezone: z.string(),
            shift: z.string(),
            shiftColor: z.string(),
            dutyFrom: at.optional().describe('absent for weekly-flexible shifts, whose days have no hours'),
            dutyTo: at.optional(),
          }),
        )
        .describe('shifts of days without figures yet'),
      holidays: z.array(z.object({ day, name: z.string(), part: holidayPart })),
    }),
  },
  'personal/report/record': {
    does: "Explains one of the caller's days: its punches, the rule behind each minute, and earlier results.",
    who: 'employee',
    input: z.strictObject({ day }),
    output: z.object({ note: shownDayNote.optional(), list: z.array(explanation) }),
  },
  ...personalCalendarPaths,
  ...personalCorrectionPaths,
  ...personalDayNotePaths,
  ...personalLeavePaths,
  ...personalAccountPaths,
  ...personalPunchPaths,
  ...personalRequestPaths,
  ...personalTeamPaths,
  'personal/update': {
    does: "Updates the caller's own profile; omitted fields are removed.",
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
