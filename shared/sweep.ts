import type { Key } from './table.ts'

/**
 * How far the sweep has checked a company. A company's days include everything that arrived before `at`, even if facts
 * were lost.
 */
export interface Sweep {
  at: string
  /** Only during a check: when the check began, and the last checked employee. */
  began?: string
  after?: string
}

export const sweepKey = (): Key<Sweep> => ({ pk: 'SWEEP', sk: '-' })
export interface SweepPlace {
  zone: string
  company: string
}
/** Global: the company at which the next run continues, if the last run did not finish. */
export const sweepPlaceKey: Key<SweepPlace & { inHand?: SweepPlace[] }> = { pk: 'SWEEP', sk: '-' }
