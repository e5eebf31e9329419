import * as z from 'zod'
import { at, type Declarations, day, gridInput, gridOutput, id } from './contract.ts'

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
      }),
    ),
  },
} as const satisfies Declarations
