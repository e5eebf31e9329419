import * as z from 'zod'
import type { Shift as ShiftRules } from './attendance/shift.ts'
import type { Audited, Change } from './change.ts'
import {
  at,
  type Declarations,
  done,
  gridInput,
  gridOutput,
  id,
  minutes,
  nothing,
  text,
  version,
  wallTime,
} from './contract.ts'
import { fold } from './fold.ts'
import type { Key } from './table.ts'
import { begun } from './task.ts'

/** A stored shift: the engine's rules with a name and a colour. */
export interface Shift extends ShiftRules {
  id: string
  name: string
  color: (typeof shiftColors)[number]
  notes?: string
  /** The time of the addition, which decides the place and the key on the schedule board. Absent for old shifts. */
  addedAt?: string
  /** Set during deletion. Scheduling requires an unmarked shift. */
  leavingAt?: string
}

const audited: Audited<Shift> = { noun: 'shift', id: ({ id }) => id, name: ({ name }) => name }

export const shiftKey = (id: string): Key<Shift> => ({ pk: 'SHIFT', sk: id, audited })
/** A name is unique within a company, regardless of case and accents. */
export const shiftNameKey = (name: string): Key<{ shift: string }> => ({ pk: 'SHIFT_NAME', sk: fold(name) })

/** A version of a shift with its date and author. The rows of locked days refer to former versions permanently. */
export interface ShiftVersion extends Shift {
  /** The version number. Rows refer to it as `shiftVersion`. */
  number: number
  by: string
  at: string
}
export const shiftVersionKey = (id: string, number: number): Key<ShiftVersion> => ({
  pk: `SHIFT_VERSION#${id}`,
  sk: String(number).padStart(6, '0'),
})

/**
 * The months in which each employee has the shift. The months show whether a shift is used, and which days a change
 * affects.
 */
export const shiftUseKey = (
  shift: string,
  month: string,
  employee: string,
): Key<{ month: string; employee: string }> => ({
  pk: `SHIFT_USE#${shift}`,
  sk: `${month}#${employee}`,
})

/** A plan claims a shift before scheduling it. Deleting a shift checks for claims. */
export const shiftClaimKey = (shift: string, claim: string): Key<{ expiresAt: number }> => ({
  pk: `SHIFT_CLAIM#${shift}`,
  sk: claim,
})

export const shiftFacts = ({ company, old, new: next }: Change<Shift>) => [
  { type: 'shift.changed' as const, company, shift: next?.id ?? old?.id ?? '' },
]

/** Shifts with clock times, or with a target for the week. */
export const shiftKinds = ['fixed', 'weekly'] as const

export const shiftColors = ['teal', 'blue', 'violet', 'rose', 'amber', 'green', 'slate', 'orange'] as const

const overtime = z.strictObject({ counts: z.boolean(), afterMinutes: minutes() })

/**
 * A fixed shift requires clock times; a weekly-flexible shift requires `weekly`. The server ignores the fields of the
 * other kind.
 */
const form = {
  kind: z.enum(shiftKinds).default('fixed').describe('by clock times, or by a target for the week'),
  name: text(60),
  color: z.enum(shiftColors).default('teal'),
  notes: text(500).optional(),
  onDuty: wallTime.optional(),
  offDuty: wallTime.optional().describe('at most 24 hours after `onDuty`'),
  punchStart: wallTime.optional(),
  punchEnd: wallTime.optional().describe('at most 36 hours after `punchStart`'),
  allowedLateMinutes: minutes().default(0),
  allowedEarlyMinutes: minutes().default(0),
  /** How a missing out counts: 0 exception, 1 early leave, 2 absent. */
  noClockOut: z.literal([0, 1, 2]).default(0),
  earlyInOvertime: overtime.default({ counts: false, afterMinutes: 0 }),
  lateOutOvertime: overtime.default({ counts: false, afterMinutes: 0 }),
  /** The specification's `exception`: whether a missing punch raises an exception. */
  raisesException: z.boolean().default(true),
  breaks: z
    .array(
      z.strictObject({
        start: wallTime,
        end: wallTime,
        durationMinutes: minutes(),
        thresholdMinutes: minutes().default(0),
      }),
    )
    .max(8)
    .default([]),
  weekly: z
    .strictObject({
      targetMinutes: minutes(7 * 1440),
      breakMinutes: minutes(),
      breakThresholdMinutes: minutes().describe('presence that the day must exceed before the break is deducted'),
      overtimeCounts: z.boolean().describe('whether minutes beyond the target count as overtime'),
    })
    .optional(),
}
export type ShiftForm = z.output<z.ZodObject<typeof form>>

const requiredFields = { fixed: ['onDuty', 'offDuty', 'punchStart', 'punchEnd'], weekly: ['weekly'] } as const

/** Reports missing fields together with all other faults. So this check runs even if other checks fail. */
const isComplete = [
  (fields: Partial<ShiftForm>, { addIssue }: z.RefinementCtx) => {
    // The field's own check reports an unknown kind. An array must not count as a kind.
    const kind = shiftKinds.find(kind => kind === (fields.kind ?? 'fixed'))
    for (const name of kind ? requiredFields[kind] : [])
      if (fields[name] === undefined) addIssue({ code: 'custom', path: [name], message: '60001' })
  },
  { when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null },
] as const

const clock = {
  onDuty: wallTime,
  offDuty: wallTime,
  punchStart: wallTime,
  punchEnd: wallTime,
}
const completeShift = { id, ...form, ...clock, version }

export const shiftPaths = {
  'shift/grid': {
    does: 'Lists shifts and whether each is used by a schedule.',
    who: [6],
    input: gridInput(z.strictObject({ search: z.string().trim().max(100).optional() }), ['name', 'onDuty']),
    output: gridOutput(z.object({ ...completeShift, isUsed: z.boolean() })),
  },
  'shift/all': {
    does: 'Lists all shifts for a selection field: new shifts last, shifts without a known age first by start time.',
    who: 'manager',
    input: nothing,
    output: z.object({
      list: z.array(
        z.object({
          ...{ id, name: z.string(), color: z.enum(shiftColors), kind: z.enum(shiftKinds), ...clock },
          targetMinutes: z.int().optional().describe('weekly target, for weekly-flexible shifts'),
        }),
      ),
    }),
  },
  'shift/add': {
    does: 'Adds a shift.',
    who: [6],
    writes: true,
    input: z.strictObject(form).superRefine(...isComplete),
    output: z.object({ id }),
  },
  'shift/update': {
    does: 'Creates a new version of a shift. If it changes days, a task recalculates all days that use the shift, except locked ones.',
    who: [6],
    writes: true,
    input: z.strictObject({ id, version, ...form }).superRefine(...isComplete),
    output: z.object({ task: id.optional() }),
  },
  'shift/preview': {
    does: 'Starts a task that previews a change of a shift for the days that use it, without saving. Its problems name the conflicts (59031) the change would cause from today on; conflicts of people the caller does not manage are only counted. The change can still be saved.',
    who: [6],
    writes: true,
    input: z.strictObject({ id, version, ...form }).superRefine(...isComplete),
    output: begun,
  },
  'shift/version/grid': {
    does: 'Lists the versions of a shift, newest first, with their dates and authors.',
    who: [6],
    input: gridInput(z.strictObject({ id })),
    output: gridOutput(
      z.object({
        ...completeShift,
        at,
        by: z.string().optional().describe('name of the author; absent if the caller may not see the person'),
      }),
    ),
  },
  'shift/use': {
    does: 'Returns the first month in which a shift is scheduled, and the number of people for each of its newest 12 months.',
    who: [6],
    input: z.strictObject({ id }),
    output: z.object({
      since: z.string().optional().describe('YYYY-MM; absent for an unscheduled shift'),
      list: z.array(z.object({ month: z.string(), employees: z.int() })).describe('newest month first'),
    }),
  },
  'shift/delete': {
    does: 'Deletes a shift that no schedule uses.',
    who: [6],
    writes: true,
    input: z.strictObject({ id }),
    output: done,
  },
} as const satisfies Declarations
