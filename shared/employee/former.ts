import * as z from 'zod'
import { at, type Declarations, day, done, gridInput, gridOutput, id, nothing } from '../contract.ts'

// Former employees. An administrator can rehire them, or export or erase their data.

export const formerEmployeePaths = {
  'employee/rehire': {
    does: 'Rehires a person who left, also a deleted one, under the same employee ID. Earlier days stay. Rejects a person who has not left (60091).',
    who: [3],
    writes: true,
    input: z.strictObject({
      id,
      hireDay: day.describe('must be after the last day of the previous employment'),
      department: id.optional().describe('main department from now on; the last one if omitted'),
    }),
    output: done,
  },
  'employee/former/grid': {
    does: 'Lists deleted and erased employees with stored days, newest first.',
    who: 'administrator',
    input: gridInput(z.strictObject({ search: z.string().trim().max(100).optional() })),
    output: gridOutput(
      z.object({
        id,
        first_name: z.string(),
        last_name: z.string(),
        workno: z.string(),
        department: id,
        endDay: day.optional(),
        erasedAt: at.optional().describe('when the person was erased; the names are then a pseudonym'),
      }),
    ),
  },
  'employee/erase': {
    does: "Permanently erases a person, also a former one. Returns a task that waits until every terminal has deleted them; a repeated call returns the same task. Past days stay under a pseudonym for the company's retention period.",
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id }),
    output: z.object({ task: id }),
  },
  'employee/erase/grid': {
    does: 'Lists erasures that still wait for terminals.',
    who: 'administrator',
    input: nothing,
    output: z.object({
      list: z.array(
        z.object({
          task: id,
          employee: id,
          startedAt: at,
          terminals: z.array(z.object({ serialNumber: z.string(), name: z.string().optional() })),
        }),
      ),
    }),
  },
  'employee/erase/confirm': {
    does: 'Marks a terminal as permanently gone, so that an erasure stops waiting for it.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ task: id, serialNumber: z.string().trim().min(1).max(32) }),
    output: done,
  },
  'employee/data': {
    does: 'Exports all data stored about a person, also a former one. Returns a task; its file can be downloaded for 24 hours. Card, password and templates are not included.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id }),
    output: z.object({ task: id }),
  },
} as const satisfies Declarations
