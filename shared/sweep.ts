import type { Key } from './table.ts'

/**
 * How far the sweep has checked a company. Everything that arrived before `at` is in its days, even if its facts were
 * lost.
 */
export interface Sweep {
  at: string
  /** For a check in progress: when it began, and the last checked employee. */
  began?: string
  after?: string
}

export const sweepKey = (): Key<Sweep> => ({ pk: 'SWEEP', sk: '-' })
export interface SweepPlace {
  zone: string
  company: string
}
/** Global: the company after which the next run continues, if the last run could not finish all. */
export const sweepPlaceKey: Key<SweepPlace & { inHand?: SweepPlace[] }> = { pk: 'SWEEP', sk: '-' }
