import * as z from 'zod'
import { dayNumber, weekday as weekdayOf } from '../attendance/calendar.ts'
import { wallMinutes } from '../attendance/wall-time.ts'
import { instantOf } from '../attendance/zone.ts'
import type { Audited } from '../change.ts'
import {
  at,
  clockTime,
  type Declarations,
  done,
  gridInput,
  gridOutput,
  id,
  nothing,
  text,
  version,
} from '../contract.ts'
import { addDays, addMonths, localDay } from '../local-day.ts'
import type { Key } from '../table.ts'
import { begun } from '../task.ts'
import { type FileColumnName, mostFileColumns, reportTypes, reportViews } from './column.ts'
import { fileColumn } from './file-column.ts'

// Scheduled reports by mail, about the most recent days, to employees of the company. Each recipient gets only data
// that they may see.

export const mailIntervals = ['daily', 'weekly', 'monthly'] as const

/** When the server mails a report, in the company's zone. */
export interface MailTime {
  every: (typeof mailIntervals)[number]
  /** Only for weekly reports: 0 is Sunday, 6 is Saturday. */
  weekday: number
  /** Only for monthly reports: 1 to 28, because every month has these days. */
  monthday: number
  time: string
}

export interface ReportMail extends MailTime {
  id: string
  name: string
  /** The employee who created the report. */
  by: string
  view: (typeof reportViews)[number]
  type: (typeof reportTypes)[number]
  columns?: FileColumnName[]
  department?: string
  employees: string[]
  /** The times of the next and the last mail. */
  nextAt: string
  lastAt?: string
}

const audited: Audited<ReportMail> = {
  noun: 'reportMail',
  id: ({ id }) => id,
  name: ({ name }) => name,
}

export const reportMailKey = (id: string): Key<ReportMail> => ({ pk: 'REPORT_MAIL', sk: id, audited })

/**
 * Global: the next mails of all companies in the order of time. The transaction that changes a mailed report also
 * changes this item.
 */
export interface DueMail {
  at: string
  company: string
  mail: string
}
export const dueMailKey = ({ at, company, mail }: DueMail): Key<DueMail> => ({
  pk: 'REPORT_MAIL_DUE',
  sk: `${at}#${company}#${mail}`,
})

/** Global, after all due mails: the mail at which the next run continues, if the last run did not finish. */
export const mailStopKey: Key<DueMail & { inHand?: DueMail[] }> = { pk: 'REPORT_MAIL_DUE', sk: '~stop' }

/** Whether the server mails a report on a day. */
const isMailedOn = ({ every, weekday, monthday }: MailTime, day: string): boolean =>
  every === 'weekly'
    ? weekdayOf(dayNumber(day)) === weekday
    : every === 'monthly'
      ? Number(day.slice(8)) === monthday
      : true

/**
 * The days that a mail at an instant (ms) covers: the preceding days, or the previous month. The mail need not be due
 * then.
 */
export const periodOf = ({ every }: MailTime, zone: string, at: number): { from: string; to: string } => {
  const day = localDay(zone, at)
  const firstOfMonth = `${day.slice(0, 7)}-01`
  if (every === 'monthly') return { from: addMonths(firstOfMonth, -1), to: addDays(firstOfMonth, -1) }
  return { from: addDays(day, every === 'weekly' ? -7 : -1), to: addDays(day, -1) }
}

/** The next due time after an instant (ms), by the company's clock, even across a clock change. */
export const nextMailAt = (mail: MailTime, zone: string, after: number): number => {
  for (let day = localDay(zone, after); ; day = addDays(day, 1)) {
    if (!isMailedOn(mail, day)) continue
    const due = instantOf(zone, dayNumber(day) * 1440 + wallMinutes(mail.time)) * 60_000
    if (due > after) return due
  }
}

/** The most recipients of a report, and the most scheduled reports of a company. */
export const mostMailed = 20
export const mostReportMails = 50

/** The contents of a report's file. */
export const reportFileForm = {
  type: z.enum(reportTypes),
  view: z.enum(reportViews),
  columns: z
    .array(fileColumn)
    .min(1)
    .max(mostFileColumns)
    .optional()
    .describe('columns of the view, in its order; the default ones if omitted'),
}

const form = {
  name: text(100),
  ...reportFileForm,
  department: id
    .optional()
    .describe('includes sub-departments; if omitted, every department that the recipient may see'),
  every: z.enum(mailIntervals),
  weekday: z.int().min(0).max(6).default(1).describe('weekday of a weekly report: 0 Sunday … 6 Saturday'),
  monthday: z.int().min(1).max(28).default(1).describe('day of a monthly report'),
  time: clockTime.describe('HH:MM by the company’s clock; the mail goes out within five minutes'),
  employees: z
    .array(id)
    .min(1)
    .max(mostMailed)
    .describe('recipients; each needs an e-mail address, and the permission for reports at the time of mailing'),
}

const stored = z.object({
  id,
  ...form,
  people: z.array(z.object({ employee: id, name: z.string() })),
  by: z.string().describe('name of the author'),
  nextAt: at,
  lastAt: at.optional(),
  version,
})

export const reportMailPaths = {
  'report/mail/grid': {
    does: "Lists scheduled reports: the caller's own; for administrators, all.",
    who: [8],
    isPersonal: true,
    input: gridInput(nothing),
    output: gridOutput(stored),
  },
  'report/mail/people': {
    does: 'Lists possible recipients of a scheduled report: people the caller manages, with an e-mail address and a management role.',
    who: [8],
    isPersonal: true,
    input: nothing,
    output: z.object({ list: z.array(z.object({ employee: id, name: z.string() })) }),
  },
  'report/mail/add': {
    does: "Adds a scheduled report; each recipient's file holds only data they have access to.",
    who: [8],
    isPersonal: true,
    writes: true,
    input: z.strictObject(form),
    output: z.object({ id }),
  },
  'report/mail/update': {
    does: 'Updates a scheduled report.',
    who: [8],
    isPersonal: true,
    writes: true,
    input: z.strictObject({ id, version, ...form }),
    output: done,
  },
  'report/mail/delete': {
    does: 'Deletes a scheduled report.',
    who: [8],
    isPersonal: true,
    writes: true,
    input: z.strictObject({ id }),
    output: done,
  },
  'report/mail/send': {
    does: 'Starts a task that e-mails a scheduled report to the caller alone, for the current period.',
    who: [8],
    isPersonal: true,
    writes: true,
    input: z.strictObject({ id }),
    output: begun,
  },
} as const satisfies Declarations
