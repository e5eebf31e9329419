import type { Change } from '../change.ts'
import type { Key } from '../table.ts'
import { partsOfNumber } from '../terminal/number-owner.ts'

/**
 * A number with punches that belongs to no employee. Managers see it until an employee gets the number. A number of one
 * terminal has its serial number in the name (`storedNumber`).
 */
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

/** The numbers of each terminal have a partition of their own, because each delivery of the terminal reads it. */
export const assignedNumberPk = (serialNumber?: string) =>
  serialNumber === undefined ? 'ASSIGNED_NUMBER' : `TERMINAL_NUMBER#${serialNumber}`

/** Kept after the deletion of a terminal with its own numbers, because its punches keep their names. */
export interface FormerNumbering {
  serialNumber: string
  isOwnNumbering?: boolean
}

export const formerNumberingKey = (serialNumber: string): Key<FormerNumbering> => ({
  pk: 'FORMER_NUMBERING',
  sk: serialNumber,
})

/** A removed entry of a terminal's list: punches that stayed, as on a locked day, still have its name. */
export const formerNumberPk = (serialNumber: string) => `FORMER_NUMBER#${serialNumber}`

export const formerNumberKey = (workno: string): Key<{ workno: string }> => ({
  pk: formerNumberPk(partsOfNumber(workno).serialNumber ?? ''),
  sk: workno,
})

export const assignedNumberKey = (workno: string): Key<AssignedNumber> => ({
  pk: assignedNumberPk(partsOfNumber(workno).serialNumber),
  sk: workno,
})
