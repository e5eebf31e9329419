import * as z from 'zod'
import { type Declarations, day, nothing } from '../contract.ts'

// The colleagues on leave, for employees of a company that shares absences.

/** The days in the list, including today. */
export const teamDays = 14

export const personalTeamPaths = {
  'personal/team': {
    does: `Lists the approved leave of colleagues in the caller's departments, today and in the next ${teamDays - 1} days, without its type. Empty unless the company allows it.`,
    who: 'employee',
    input: nothing,
    output: z.object({
      isAllowed: z.boolean().describe('whether the company shows employees who is away'),
      from: day.describe("today in the company's time zone"),
      to: day,
      list: z
        .array(
          z.object({
            first_name: z.string(),
            last_name: z.string(),
            date: day.describe('first day; may lie before `from`'),
            toDate: day.describe('last day; may lie after `to`'),
            isPartDay: z.boolean().describe('away for part of the day only'),
          }),
        )
        .describe('by first day'),
    }),
  },
} as const satisfies Declarations
