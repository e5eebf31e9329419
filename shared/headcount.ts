import type { Key, Tally } from './table.ts'

// The number of employees, updated in the transaction that changes it. No reader has to count ten thousand rows.

export interface Headcount extends Tally {
  /** All employees who belong to the department or company. */
  people: number
  /** Those of them whose main department is another one. */
  guests: number
}

/** The key of the company's headcount; a department's key is its id. */
export const wholeCompany = 'company'

export const headcountKey = (of: string): Key<Headcount> => ({ pk: 'HEADCOUNT', sk: of })
