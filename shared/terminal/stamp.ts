import type { Key } from '../table.ts'

/** How far a terminal of the PUSH family has delivered a table of its own: only the terminal knows what the stamp means. */
export interface Stamp {
  /** Of which claim of the terminal: another one has everything delivered anew. */
  claimedAt: string
  stamp: string
  /** When it came, and its local date. */
  at: string
  day: string
  /** The last one of an earlier date. */
  before: string
}

export const stampedTables = ['ATTLOG', 'OPERLOG'] as const
export type StampedTable = (typeof stampedTables)[number]

export const stampKey = (serialNumber: string, table: StampedTable): Key<Stamp> => ({
  pk: `STAMP#${serialNumber}`,
  sk: table,
})

/** What is to be delivered anew when a terminal begins. */
export const everything = '0'

/**
 * From where on a terminal that begins is to deliver. A record that was made while older ones were on their way has the later stamp and
 * may have come first, so it goes back by a whole day: what is known is known.
 */
export const beginningOf = (stamp: Stamp | undefined, claimedAt: string, dayBefore: string): string =>
  stamp?.claimedAt !== claimedAt ? everything : stamp.day < dayBefore ? stamp.stamp : stamp.before

/** What is noted once all that came up to a stamp is kept. */
export const noteStamp = (known: Stamp | undefined, now: Omit<Stamp, 'before'>): Stamp => ({
  ...now,
  before: known?.claimedAt !== now.claimedAt ? everything : known.day === now.day ? known.before : known.stamp,
})
