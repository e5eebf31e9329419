import * as z from 'zod'
import { at, type Declarations, day, done, gridInput, gridOutput, id, nothing, version } from './contract.ts'
import { explanation, week } from './explanation.ts'

const figure = z.int().min(0)

export const reportPaths = {
  'report/grid': {
    does: 'Lists employee-days with their figures in minutes, the newest day first.',
    who: [8],
    input: gridInput(z.strictObject({ from: day, to: day, department: id.optional(), employee: id.optional() })),
    output: gridOutput(
      z.object({
        employee: id,
        first_name: z.string(),
        last_name: z.string(),
        workno: z.string(),
        department: id,
        day,
        timezone: z.string(),
        shift: z.string().optional(),
        shiftColor: z.string().optional(),
        state: z.enum(['pending', 'provisional', 'final']),
        firstIn: at.optional(),
        lastOut: at.optional(),
        dutyMinutes: figure,
        workMinutes: figure,
        breakMinutes: figure,
        lateMinutes: figure,
        earlyLeaveMinutes: figure,
        absentMinutes: figure,
        leaveMinutes: figure,
        overtimeMinutes: figure,
        exceptions: z.array(z.string()),
        week: week.optional(),
      }),
    ),
  },
  'report/lock': {
    does: 'Tells up to which day rows are locked: nothing that is changed changes them.',
    who: [8],
    input: nothing,
    output: z.object({
      lockedTo: day.optional().describe('this day counts; absent where no day is locked'),
      by: z.string().optional().describe('the name of who locked or opened them last'),
      at: at.optional(),
      version,
    }),
  },
  'report/lock/update': {
    does: 'Locks all days up to one, yesterday at the latest, or opens them.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({
      version: version.optional().describe('the one that was read; without it whatever is there is replaced'),
      lockedTo: day.nullable().describe('this day counts; null: none is locked'),
    }),
    output: done,
  },
  'report/day': {
    does: "Explains an employee's day: its punches, the rule behind each minute, and what it said before.",
    who: [8],
    input: z.strictObject({ employee: id, day }),
    output: z.object({
      first_name: z.string(),
      last_name: z.string(),
      workno: z.string(),
      list: z.array(explanation),
    }),
  },
} as const satisfies Declarations
