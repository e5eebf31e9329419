import type { Change } from '../change.ts'
import type { Key } from '../table.ts'

/** A number with punches that belongs to no employee. Managers see it until an employee gets the number. */
export interface Orphan {
  workno: string
  /** The terminal of the last punch, and further recent terminals. */
  serialNumber: string
  alsoAt?: string[] | undefined
  lastAt: string
}

export const orphanKey = (workno: string): Key<Orphan> => ({ pk: 'ORPHAN', sk: workno })

export const orphanFacts = ({ company }: Change<Orphan>) => [{ type: 'orphan.changed' as const, company }]

/**
 * An orphan number that a manager assigned to an employee, beside the employee ID. A manager can remove the assignment.
 */
export interface AssignedNumber {
  workno: string
  employee: string
  by: string
  at: string
}

export const assignedNumberKey = (workno: string): Key<AssignedNumber> => ({ pk: 'ASSIGNED_NUMBER', sk: workno })
