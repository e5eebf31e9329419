import type { Employee } from './form.ts'

export interface TabProps {
  employee: Employee
  /** The user may change this employee. */
  mayChange: boolean
  /** The version for the next save. All tabs share it, so that no save makes another tab stale. */
  version: number
  onVersion: (version: number) => void
  onChanged: (isChanged: boolean) => void
  /** Called after a save. */
  onDone: () => void
  /** Discards the changes, or closes the panel. */
  onCancel: () => void
}
