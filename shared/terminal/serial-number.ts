import * as z from 'zod'

/** What a terminal is called by its maker. Letters have no case there. */
export const serialNumber = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9._-]{1,32}$/)
  .toUpperCase()
