import { setTimeout as wait } from 'node:timers/promises'
import type { Faults } from './fault.ts'
import type { LogEntry } from './memory.ts'
import type { Profile } from './profile.ts'

// What all terminals have in common, whatever they speak: what is heard of one, how it behaves, and that it never gives up.

export type LinkEvent =
  | { kind: 'registered' }
  /** The server answered and does not want this terminal; another try follows. */
  | { kind: 'refused'; reason: string }
  /** No connection, in a sentence; another try follows. */
  | { kind: 'lost'; why: string }
  /** How long the server took for it. */
  | { kind: 'acknowledged'; entries: LogEntry[]; milliseconds: number }
  | { kind: 'commanded'; command: string }

export interface Link {
  readonly isRegistered: boolean
  /** There is something new to deliver. */
  wake(): void
  /** The connection is lost, and comes again. */
  cut(): void
  close(): Promise<void>
}

/** How a terminal behaves: as its firmware does, with what goes wrong on its way to the server. */
export interface Manner {
  profile?: Profile
  faults?: Faults
  /** What it draws by lot, from 0 to 1. */
  lot?: () => number
  longestPauseMilliseconds?: number
  /** How many entries it sends at once. */
  entriesPerFrame?: number
  /** Whoever has to ask what there is to do asks so often, whatever the server says. */
  delaySeconds?: number
}

export const answerMilliseconds = 20_000
export const retryMilliseconds = 2_000
export const usualLongestPauseMilliseconds = 10_000
export const usualEntriesPerFrame = 50

/** Talks to the server again and again, until it is aborted: `talk` answers whether it was accepted, and the pauses grow where not. */
export const keepTalking = async (
  talk: () => Promise<boolean>,
  signal: AbortSignal,
  { lot, longestPauseMilliseconds }: Required<Pick<Manner, 'lot' | 'longestPauseMilliseconds'>>,
): Promise<void> => {
  let failures = 0
  while (!signal.aborted) {
    failures = (await talk()) ? 0 : failures + 1
    const pause = Math.min(longestPauseMilliseconds, 250 * 2 ** failures) * (0.75 + lot() / 2)
    await wait(pause, undefined, { signal }).catch(() => {})
  }
}
