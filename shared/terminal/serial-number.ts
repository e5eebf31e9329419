import * as z from 'zod'

/** The maker's serial number. Case does not matter. */
export const serialNumber = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9._-]{1,32}$/)
  .toUpperCase()
