import type { Key } from './table.ts'

/** How far a company was looked over: what reached it before `at` is in its days, whatever became of the facts that told it. */
export interface Sweep {
  at: string
  /** Of a look that goes on: when it began, and behind whom. */
  began?: string
  after?: string
}

export const sweepKey = (): Key<Sweep> => ({ pk: 'SWEEP', sk: '-' })
export interface SweepPlace {
  zone: string
  company: string
}
/** Global: the company behind which the next run continues, where the last one had no time for all. */
export const sweepPlaceKey: Key<SweepPlace & { inHand?: SweepPlace[] }> = { pk: 'SWEEP', sk: '-' }
