import type { Key } from '../table.ts'

/** How far an ADMS terminal has delivered one of its tables. Only the terminal knows the meaning of a stamp. */
export interface Stamp {
  /** The time of the claim. After another claim the terminal delivers everything again. */
  claimedAt: string
  stamp: string
  /** The time of the delivery and its local date. */
  at: string
  day: string
  /** The last stamp of an earlier date. */
  before: string
}

export const stampedTables = ['ATTLOG', 'OPERLOG'] as const
export type StampedTable = (typeof stampedTables)[number]

export const stampKey = (serialNumber: string, table: StampedTable): Key<Stamp> => ({
  pk: `STAMP#${serialNumber}`,
  sk: table,
})

/** The stamp that requests everything again. */
export const everything = '0'

/**
 * The stamp from which a starting terminal delivers. A record from the time of a backlog delivery has a later stamp but
 * may arrive first. So delivery restarts a whole day earlier, and the server ignores duplicates.
 */
export const beginningOf = (stamp: Stamp | undefined, claimedAt: string, dayBefore: string): string =>
  stamp?.claimedAt !== claimedAt ? everything : stamp.day < dayBefore ? stamp.stamp : stamp.before

/** The stamp to store once the server has stored everything up to it. */
export const noteStamp = (previous: Stamp | undefined, latest: Omit<Stamp, 'before'>): Stamp => ({
  ...latest,
  before:
    previous?.claimedAt !== latest.claimedAt
      ? everything
      : previous.day === latest.day
        ? previous.before
        : previous.stamp,
})
