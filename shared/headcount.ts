import type { Key, Tally } from './table.ts'

// The number of employees. The transaction that changes the number also updates this item, so no reader has to count
// ten thousand rows.

export interface Headcount extends Tally {
  /** The employees of the department or company. */
  people: number
  /** The employees among them with another main department. */
  guests: number
}

/** The key of the company's headcount. A department's key is its id. */
export const wholeCompany = 'company'

export const headcountKey = (of: string): Key<Headcount> => ({ pk: 'HEADCOUNT', sk: of })
