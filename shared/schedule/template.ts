import * as z from 'zod'
import type { Audited } from '../change.ts'
import { type Declarations, done, gridInput, gridOutput, id, nothing, text, version } from '../contract.ts'
import { fold } from '../fold.ts'
import type { Key } from '../table.ts'
import { planLimits, templateLimits } from './limit.ts'

// The templates of a company's rotations. A planner applies a template with `schedule/plan`.

export interface ScheduleTemplate {
  id: string
  name: string
  /** The weekday of the first day: 0 is Sunday. */
  firstWeekday: number
  /** The days of whole weeks. Without `shifts`, a day stays as it is; with an empty list, it is a day off. */
  days: { shifts?: string[] | undefined }[]
}

const audited: Audited<ScheduleTemplate> = { noun: 'scheduleTemplate', id: ({ id }) => id, name: ({ name }) => name }

export const scheduleTemplateKey = (id: string): Key<ScheduleTemplate> => ({ pk: 'SCHEDULE_TEMPLATE', sk: id, audited })
/** A name is unique within a company, regardless of case and accents. */
export const scheduleTemplateNameKey = (name: string): Key<{ template: string }> => ({
  pk: 'SCHEDULE_TEMPLATE_NAME',
  sk: `#${fold(name)}`,
})

const day = z.strictObject({
  shifts: z
    .array(id)
    .max(planLimits.shiftsOfDay)
    .refine(shifts => new Set(shifts).size === shifts.length, '10002')
    .optional()
    .describe('absent: the day stays as it is; empty: a day off'),
})

const form = {
  name: text(60),
  firstWeekday: z.int().min(0).max(6).describe('the weekday of the first day; 0 is Sunday'),
  days: z
    .array(day)
    .min(7)
    .max(7 * templateLimits.weeks)
    .refine(days => days.length % 7 === 0, '10002')
    .describe('the days of whole weeks, which repeat'),
}

export const scheduleTemplatePaths = {
  'schedule/template/grid': {
    does: 'Lists the rotation templates of the company by name. A template may name shifts that no longer exist.',
    who: [7],
    input: gridInput(nothing),
    output: gridOutput(z.object({ id, ...form, version })),
  },
  'schedule/template/add': {
    does: 'Adds a rotation template. Rejects a name that exists (60106).',
    who: [7],
    writes: true,
    input: z.strictObject(form),
    output: z.object({ id }),
  },
  'schedule/template/update': {
    does: 'Updates a rotation template. Rejects a name that exists (60106). Schedules made from it stay.',
    who: [7],
    writes: true,
    input: z.strictObject({ id, version, ...form }),
    output: done,
  },
  'schedule/template/delete': {
    does: 'Deletes a rotation template. Schedules made from it stay.',
    who: [7],
    writes: true,
    input: z.strictObject({ id }),
    output: done,
  },
} as const satisfies Declarations
