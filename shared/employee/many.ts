import * as z from 'zod'
import { type Declarations, day, id } from '../contract.ts'
import { punchModes } from '../terminal/punch-mode.ts'
import { mostChangedTogether } from './many-limit.ts'

// One change for many people. The page sends long selections in parts.

/** The days that a change removes from a person's reports, as in the refusal 60090. */
const removed = z.object({ days: z.int(), from: day, to: day, workMinutes: z.int() })

const change = z
  .strictObject({
    department: id.optional().describe('main department'),
    role: z.int().min(0).max(3).optional(),
    roleId: id.optional().describe('with role 2 only'),
    hireDay: day.nullable().optional().describe('null removes the date'),
    endDay: day.nullable().optional().describe('null removes the date'),
    punchMode: z
      .int()
      .min(0)
      .max(punchModes.length - 1)
      .optional()
      .describe(punchModes.map(({ name }, mode) => `${mode} ${name}`).join(', ')),
  })
  .refine(change => Object.values(change).some(value => value !== undefined), '60001')

export const manyEmployeesPaths = {
  'employee/update/many': {
    does: 'Changes only the given fields of several people, each as `employee/update` does. Reports each person: changed, already so, or refused with a code. A dry run reports the same and saves nothing. A repeated request changes nothing twice.',
    who: [3],
    writes: true,
    input: z.strictObject({
      ids: z.array(id).min(1).max(mostChangedTogether),
      change,
      removesDays: z
        .array(z.strictObject({ id, days: z.int().min(1) }))
        .max(mostChangedTogether)
        .optional()
        .describe('confirms for each person how many days the new dates remove from the reports; see code 60090'),
      dryRun: z.boolean(),
    }),
    output: z.object({
      list: z.array(
        z.object({
          id,
          result: z.enum(['changed', 'same', 'refused']),
          code: z.int().optional().describe('why the person was refused'),
          field: z.string().optional().describe('the field of the code'),
          removed: removed.optional().describe('days that the change removes from the reports'),
          mustJoin: z
            .literal(true)
            .optional()
            .describe('the sign-in is removed: check the e-mail and invite the person'),
        }),
      ),
    }),
  },
} as const satisfies Declarations
