import type { Key } from './table.ts'

/** How far a company was looked over: what reached it before `at` is in its days, whatever became of the facts that told it. */
export interface Sweep {
  at: string
  /** Of a look that goes on: when it began, and behind whom. */
  began?: string
  after?: string
}

export const sweepKey = (): Key<Sweep> => ({ pk: 'SWEEP', sk: '-' })
/** Global: the company behind which the next run goes on, where the last had no time for all. */
export const sweepPlaceKey: Key<{ zone: string; company: string }> = { pk: 'SWEEP', sk: '-' }
