import type { Row } from './row.ts'

// Step 6: the state of a day, which depends on whether more punches can come.

/**
 * A day is pending until its last minute has passed. It is provisional until every terminal has uploaded past that
 * minute or 24 hours have passed. Then it is final. All parameters are minutes since 1970.
 */
export const stateOf = (closes: number, asOf: number, uploadedTo: number): Row['state'] => {
  if (asOf <= closes) return 'pending'
  return uploadedTo > closes || asOf >= closes + 1440 ? 'final' : 'provisional'
}
