import * as z from 'zod'
import { day, id } from '../contract.ts'
import { personNow } from '../dashboard.ts'
import { amounts } from '../report/row.ts'

// The page of one person: the head with the state now, and the figures of the present month.

export const personGetInput = z.strictObject({ id })

export const personOutput = z.object({
  id,
  first_name: z.string(),
  last_name: z.string(),
  workno: z.string(),
  photo: z.url().optional().describe('Address of the photo, valid for half an hour.'),
  department: id,
  position: z.string().optional(),
  hireDay: day.optional(),
  endDay: day.optional(),
  isFormer: z.literal(true).optional().describe('the last day is over, or the person was deleted'),
  isDeleted: z.literal(true).optional(),
  hasPunched: z.boolean().describe('whether a punch with the person’s employee ID was ever stored'),
  now: personNow.optional().describe('absent without a shift, a punch or leave today'),
  month: z
    .object({
      from: day,
      to: day.describe('yesterday, because today is not over'),
      amounts,
      balance: z
        .number()
        .describe('worked, unscheduled, overtime and leave minus scheduled time, in the unit of worked time'),
    })
    .optional()
    .describe('totals of the present month; only with permission 8, and absent on the first of a month'),
})
