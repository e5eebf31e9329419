import type { Row } from './row.ts'

// Step 6: the state of a day, which depends on whether further punches can arrive.

/**
 * A day is pending until its last minute has passed. Then the day is provisional until every terminal has uploaded past
 * that minute, but at most for 24 hours. After that the day is final. All parameters are minutes since 1970.
 */
export const stateOf = (closes: number, asOf: number, uploadedTo: number): Row['state'] => {
  if (asOf <= closes) return 'pending'
  return uploadedTo > closes || asOf >= closes + 1440 ? 'final' : 'provisional'
}
