import type { Change } from '../change.ts'
import type { Key } from '../table.ts'

/**
 * A number with punches that belongs to no employee. It is held until an employee gets it, and shown to managers until
 * then.
 */
export interface Orphan {
  workno: string
  /** The terminal of its last punch, and other recent ones. */
  serialNumber: string
  alsoAt?: string[] | undefined
  lastAt: string
}

export const orphanKey = (workno: string): Key<Orphan> => ({ pk: 'ORPHAN', sk: workno })

export const orphanFacts = ({ company }: Change<Orphan>) => [{ type: 'orphan.changed' as const, company }]

/** Such a number assigned to an employee in addition to their own. It can be unassigned. */
export interface AssignedNumber {
  workno: string
  employee: string
  by: string
  at: string
}

export const assignedNumberKey = (workno: string): Key<AssignedNumber> => ({ pk: 'ASSIGNED_NUMBER', sk: workno })
