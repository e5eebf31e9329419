import type { Row } from './row.ts'

// Step 6: what may be said of a day, depending on whether all its punches can be known.

/**
 * A day is pending until its last minute has passed, provisional until every terminal has uploaded past it or 24 hours
 * have gone, then final. All in minutes since 1970.
 */
export const stateOf = (closes: number, asOf: number, uploadedTo: number): Row['state'] => {
  if (asOf <= closes) return 'pending'
  return uploadedTo > closes || asOf >= closes + 1440 ? 'final' : 'provisional'
}
