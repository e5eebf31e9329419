import * as z from 'zod'
import { at, type Declarations, day, done, id, version } from '../contract.ts'
import { punchedNumber } from '../record/punched-number.ts'
import { begun } from '../task.ts'
import { serialNumber } from '../terminal/serial-number.ts'

// The numbers of one terminal: whose punches they are, if not those of the employee ID.

const named = { first_name: z.string(), last_name: z.string() }

const change = z.strictObject({
  serialNumber,
  number: punchedNumber.describe('as the terminal shows it'),
  from: day.optional().describe('first day of the entry; always if omitted'),
  employee: id.optional().describe('removes the entry if omitted'),
  version: version.optional().describe('the version of the entry, if it exists'),
})

export const deviceNumberPaths = {
  'device/number/list': {
    does: 'Lists the numbers of a terminal that belong to a person there, and the numbers whose punches are held.',
    who: [2],
    input: z.strictObject({ serialNumber }),
    output: z.object({
      isOwnNumbering: z
        .boolean()
        .optional()
        .describe('whether numbers outside the list belong to nobody; absent until a manager decides'),
      list: z.array(
        z.object({
          number: z.string(),
          from: day.optional(),
          employee: id.optional().describe('absent for a person whom the caller may not see'),
          ...{ first_name: z.string().optional(), last_name: z.string().optional(), workno: z.string().optional() },
          at: at.describe('when a manager made the entry'),
          version,
        }),
      ),
      held: z
        .array(z.object({ number: z.string(), lastAt: at, timezone: z.string() }))
        .describe('numbers with punches that belong to nobody, because the terminal has its own numbering'),
    }),
  },
  'device/number/update': {
    does: "Gives a terminal's number to a person from a day on, or removes the entry. Held punches are taken up, and other punches of the number at this terminal move; those of locked days and corrected ones stay. Returns a task that recalculates the days.",
    who: [2],
    writes: true,
    input: change,
    output: begun,
  },
  'device/number/preview': {
    does: 'Returns which punches `device/number/update` would take up or move, and which would stay.',
    who: [2],
    input: change,
    output: z.object({
      taken: z.int().describe('held punches that the person gets'),
      held: z.int().describe('punches that would belong to nobody'),
      moved: z
        .array(z.object({ employee: id, ...named, workno: z.string(), punches: z.int(), from: day, to: day }))
        .describe('punches that other people would lose'),
      locked: z.int().describe('punches of locked days, which stay'),
      corrected: z.int().describe('corrected punches, which stay'),
    }),
  },
  'device/numbering/update': {
    does: 'Sets whether a terminal has its own numbering. From then on, punches of numbers outside its list are held, and the server no longer sends people to the terminal or takes their enrolments.',
    who: [2],
    writes: true,
    input: z.strictObject({ serialNumber, version, isOwnNumbering: z.boolean() }),
    output: done,
  },
} as const satisfies Declarations
