import type { Change } from './change.ts'
import type { Key } from './table.ts'

/**
 * An erasure of a person's identity. The server erases at once, and each terminal when it is online. The item exists
 * until the last terminal has answered, even if its task expires earlier.
 */
export interface Erasure {
  /** The id of the erasure's task. */
  id: string
  /** The employee who requested the erasure. */
  by: string
  employee: string
  startedAt: string
  /**
   * `erasing` until the server has queued all commands. Before that, an empty `waiting` does not mean that the erasure
   * is complete.
   */
  state: 'erasing' | 'waiting'
  /** The commands that terminals have not completed. */
  waiting: ErasureStep[]
  /** The number of all commands. */
  total: number
}

/** Replaces the first name of an erased person. The last name becomes a pseudonym that only distinguishes rows. */
export const erasedFirstName = '–'

export interface ErasureStep {
  serialNumber: string
  command: string
}

export const erasureKey = (id: string): Key<Erasure> => ({ pk: 'ERASURE', sk: id })

/** Limits a person to one erasure. */
export const erasureOfKey = (employee: string): Key<{ erasure: string }> => ({ pk: `ERASURE_OF#${employee}`, sk: '-' })

export const erasureFacts = ({ company, old, new: next }: Change<Erasure>) => [
  { type: 'employee.changed' as const, company, employee: next?.employee ?? old?.employee ?? '' },
]
