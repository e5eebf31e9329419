import type { Employee } from './form.ts'

export interface TabProps {
  employee: Employee
  /** Whether whoever looks may change this person at all. */
  mayChange: boolean
  /** The version the next change stands on: what one tab saves, the others know of. */
  version: number
  onVersion: (version: number) => void
  onChanged: (isChanged: boolean) => void
  /** Saved or done: the panel closes, unless another tab holds unsaved changes. */
  onDone: () => void
  onCancel: () => void
}
