import type { Key, Tally } from './table.ts'

// How many people there are, kept in the save that makes them more or fewer: nobody counts ten thousand to show a number.

export interface Headcount extends Tally {
  /** Everybody who belongs to it. */
  people: number
  /** Those of them for whom a department is another than their main one. */
  guests: number
}

/** What the headcount of everybody is kept as; of a department it is its id. */
export const wholeCompany = 'company'

export const headcountKey = (of: string): Key<Headcount> => ({ pk: 'HEADCOUNT', sk: of })
