import * as z from 'zod'

/** A number as a terminal may send it, perhaps longer than an employee ID. */
export const punchedNumber = z
  .string({ error: '59013' })
  .trim()
  .regex(/^\d{1,18}$/, '59013')
  .transform(number => number.replace(/^0+(?=\d)/, ''))

/** The name of a stored number: `29`, or `29@B2` or `29@B2@2026-11-18` for a number of one terminal. */
export const heldNumber = z
  .string({ error: '59013' })
  .trim()
  .regex(/^\d{1,18}(?:@[A-Z0-9._-]{1,32}(?:@\d{4}-\d{2}-\d{2})?)?$/, '59013')
  .transform(number => number.replace(/^0+(?=\d)/, ''))
