import * as z from 'zod'
import type { Shift as ShiftRules } from './attendance/shift.ts'
import type { Audited, Change } from './change.ts'
import {
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
import type { Key } from './table.ts'

/** A shift as it is kept: what the engine calculates by, with a name and a colour. */
export interface Shift extends ShiftRules {
  id: string
  name: string
  color: (typeof shiftColors)[number]
  notes?: string
  /** Set while it is being deleted: nobody may schedule it any more. */
  leavingAt?: string
}

const audited: Audited<Shift> = { noun: 'shift', id: ({ id }) => id, name: ({ name }) => name }

export const shiftKey = (id: string): Key<Shift> => ({ pk: 'SHIFT', sk: id, audited })
/** Which employee-months a shift is scheduled in: it tells whether a shift is used, and whose days a change of it touches. */
export const shiftUseKey = (
  shift: string,
  month: string,
  employee: string,
): Key<{ month: string; employee: string }> => ({
  pk: `SHIFT_USE#${shift}`,
  sk: `${month}#${employee}`,
})

/** Who is about to schedule a shift says so first: whoever deletes the shift looks here too. */
export const shiftClaimKey = (shift: string, claim: string): Key<{ expiresAt: number }> => ({
  pk: `SHIFT_CLAIM#${shift}`,
  sk: claim,
})

export const shiftFacts = ({ company, old, new: now }: Change<Shift>) => [
  { type: 'shift.changed' as const, company, shift: now?.id ?? old?.id ?? '' },
]

export const shiftColors = ['teal', 'blue', 'violet', 'rose', 'amber', 'green', 'slate', 'orange'] as const

const overtime = z.strictObject({ counts: z.boolean(), afterMinutes: minutes() })

const form = {
  name: text(60),
  color: z.enum(shiftColors).default('teal'),
  notes: text(500).optional(),
  onDuty: wallTime,
  offDuty: wallTime,
  punchStart: wallTime,
  punchEnd: wallTime,
  allowedLateMinutes: minutes().default(0),
  allowedEarlyMinutes: minutes().default(0),
  /** 0 exception, 1 early leave, 2 absent. */
  noClockOut: z.literal([0, 1, 2]).default(0),
  earlyInOvertime: overtime.default({ counts: false, afterMinutes: 0 }),
  lateOutOvertime: overtime.default({ counts: false, afterMinutes: 0 }),
  /** The specification's `exception`: whether a missing punch is raised as an exception. */
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
}

const stored = z.object({ id, ...form, isUsed: z.boolean(), version })

export const shiftPaths = {
  'shift/grid': {
    does: 'Lists shifts and whether each is used by a schedule.',
    who: [6],
    input: gridInput(z.strictObject({ search: z.string().trim().max(100).optional() }), ['name', 'onDuty']),
    output: gridOutput(stored),
  },
  'shift/all': {
    does: 'Lists every shift, for choosing one.',
    who: 'manager',
    input: nothing,
    output: z.object({
      list: z.array(z.object({ id, name: z.string(), color: z.string(), onDuty: wallTime, offDuty: wallTime })),
    }),
  },
  'shift/add': {
    does: 'Adds a shift.',
    who: [6],
    writes: true,
    input: z.strictObject(form),
    output: z.object({ id }),
  },
  'shift/update': {
    does: 'Changes a shift; the days that use it are calculated again.',
    who: [6],
    writes: true,
    input: z.strictObject({ id, version, ...form }),
    output: done,
  },
  'shift/delete': {
    does: 'Deletes a shift no schedule uses.',
    who: [6],
    writes: true,
    input: z.strictObject({ id }),
    output: done,
  },
} as const satisfies Declarations
