import type { Row } from './row.ts'

// Step 6: the state of a day, which depends on whether further punches can arrive.

/**
 * A day is pending until its last minute has passed. It is then provisional until every terminal has uploaded past that
 * minute, or until 24 hours have passed. After that it is final. All parameters are minutes since 1970.
 */
export const stateOf = (closes: number, asOf: number, uploadedTo: number): Row['state'] => {
  if (asOf <= closes) return 'pending'
  return uploadedTo > closes || asOf >= closes + 1440 ? 'final' : 'provisional'
}
