import type { Exception } from './attendance/row.ts'

// The minutes of exceptions and the limits of one call, for the server and the site.

const missingTime: readonly Exception[] = ['missingIn', 'missingOut', 'longBreak']

/** The minutes that an exception holds back from pay. Work during leave and beyond a limit is counted already. */
export const heldMinutes = ({ type, minutes }: { type: Exception; minutes: number }): number =>
  missingTime.includes(type) ? minutes : 0

/** The count of open exceptions stops here. */
export const mostCounted = 100

/**
 * The most exceptions in one transaction. Each exception takes at most three writes, or two and one for each punch that
 * the fix ignores. The company and the audit take one more each.
 */
export const mostAtOnce = 30
/** The most writes of the exceptions in one call of `exception/fix`. */
export const mostFixWrites = 98
/** The writes of an exception besides its ignored punches. */
export const writesPerFix = 2
