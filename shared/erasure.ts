import type { Change } from './change.ts'
import type { Key } from './table.ts'

/**
 * Who a person was is being erased: at once here, and on each terminal as soon as it is there. It stands until the last of them
 * has answered, however long its task is remembered.
 */
export interface Erasure {
  /** Its task's. */
  id: string
  /** Who asked for it. */
  by: string
  employee: string
  startedAt: string
  /** `erasing` until all commands are queued: until then nobody may find that none is left. */
  state: 'erasing' | 'waiting'
  /** What terminals have not done yet. */
  waiting: ErasureStep[]
  /** How many there were. */
  total: number
}

/** In place of the first name of whoever was erased; the last name is a pseudonym, which only tells rows apart. */
export const erasedFirstName = '–'

export interface ErasureStep {
  serialNumber: string
  command: string
}

export const erasureKey = (id: string): Key<Erasure> => ({ pk: 'ERASURE', sk: id })

/** The one erasure of a person there is. */
export const erasureOfKey = (employee: string): Key<{ erasure: string }> => ({ pk: `ERASURE_OF#${employee}`, sk: '-' })

export const erasureFacts = ({ company, old, new: now }: Change<Erasure>) => [
  { type: 'employee.changed' as const, company, employee: now?.employee ?? old?.employee ?? '' },
]
