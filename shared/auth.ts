import * as z from 'zod'
import { payPeriod, preventionUnit } from './company.ts'
import { type Declarations, id, nothing } from './contract.ts'
import { correctionRules } from './record/rule.ts'

export const authPaths = {
  'auth/get': {
    does: "Returns the signed-in person, the side, their permissions, and the company's formats of dates, times and temperatures.",
    who: 'signedIn',
    input: nothing,
    output: z.object({
      uuid: z.string(),
      type: z.enum(['management', 'user']),
      role: z.int(),
      managesAll: z.boolean().describe('whether the caller manages all departments'),
      auth_item: z.array(z.object({ id: z.int(), name: z.string() })),
      employee: z.object({ id, first_name: z.string(), last_name: z.string(), role: z.int() }),
      company: z.object({ id, name: z.string(), company_num: z.string(), timezone: z.string() }),
      timeUnit: z.array(z.int()),
      minutesAs: z.enum(['clock', 'minutes']).describe('how to show figures in minutes: as `7:30`, or as 450'),
      dateformat: z.string(),
      timeformat: z.string(),
      isFamilyFirst: z.boolean().describe('whether the company writes the family name first'),
      firstWeekday: z.int().describe('0 Sunday … 6 Saturday'),
      leaveYearMonth: z.int().describe('first month of the leave year, 1 January … 12 December'),
      payPeriod,
      temp_unit: preventionUnit.temp_unit,
      correctionRule: z.enum(correctionRules).describe('the company’s rule for corrections by managers'),
    }),
  },
} as const satisfies Declarations
