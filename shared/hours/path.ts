import * as z from 'zod'
import { readyNames } from '../attendance/hours/ready.ts'
import { type Declarations, day, gridInput, gridOutput, id, nothing, version } from '../contract.ts'
import { mostNamingDepartments } from '../hours.ts'
import { begun } from '../task.ts'
import { hourKind, hourSetForm } from './form.ts'

// The paths of hour sets.

const warnings = z
  .array(z.object({ field: z.string(), code: z.literal(60114) }))
  .describe('rules that never apply, because a rule above them always comes first')

const naming = {
  isCompanySet: z.boolean().describe('the set of everybody whose departments name none; one set at a time'),
  departments: z.array(id).max(mostNamingDepartments).describe('departments that name the set, with those below them'),
}

const stored = z.object({ id, ...hourSetForm.shape, ...naming })

const change = z.strictObject({
  version,
  id: id.optional().describe('the set to change; a new set if omitted'),
  set: hourSetForm.nullable().describe('null deletes the set from that day on; earlier days keep it'),
  isCompanySet: naming.isCompanySet.default(false),
  departments: naming.departments.default([]),
  from: day.optional().describe('effective date of the change: today if omitted, at most ten years back'),
})

const dated = {
  since: day.optional().describe('effective date; absent from the beginning on'),
}

export const hourPaths = {
  'attparams/hours/grid': {
    does: 'Lists the hour sets in effect after all changes, by name. `version` of `attparams/index` is also that of the sets.',
    who: [5, 6],
    input: gridInput(nothing),
    output: gridOutput(stored.extend({ ...dated, warnings })),
  },
  'attparams/hours/index': {
    does: 'Returns an hour set with its effective date and earlier contents, newest first.',
    who: [5, 6],
    input: z.strictObject({ id }),
    output: stored.extend({
      ...dated,
      warnings,
      former: z.array(stored.extend({ ...dated, until: day.describe('last effective day') })),
      version,
    }),
  },
  'attparams/hours/ready': {
    does: 'Returns ready-made hour sets to begin with.',
    who: [5, 6],
    input: nothing,
    output: z.object({ list: z.array(z.object({ name: z.enum(readyNames), set: hourSetForm })) }),
  },
  'attparams/hours/update': {
    does: 'Adds, changes or deletes an hour set from a day on; a task splits the hours of the days it applies to, except locked ones. Rejects an eleventh set (60072).',
    who: [5, 6],
    writes: true,
    input: change,
    output: z.object({ id, task: id.optional().describe('absent if no day changes'), warnings }),
  },
  'attparams/hours/preview': {
    does: 'Starts a task that previews a change of an hour set, without saving.',
    who: [5, 6],
    writes: true,
    input: change,
    output: begun.extend({ warnings }),
  },
} as const satisfies Declarations

/** A kind that reports may show. */
export const shownKind = hourKind.extend({ isExtra: z.boolean().describe('comes in addition to a base kind') })

export const kindPaths = {
  'report/kind': {
    does: 'Returns the kinds of hours that reports may show, of present and former sets.',
    who: [8],
    input: nothing,
    output: z.object({ list: z.array(shownKind) }),
  },
} as const satisfies Declarations
