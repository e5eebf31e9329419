import { setTimeout as wait } from 'node:timers/promises'
import type { Faults } from './fault.ts'
import type { LogEntry } from './memory.ts'
import type { Profile } from './profile.ts'

// Code for terminals of all protocols: their events, their behaviour, and endless reconnecting.

export type LinkEvent =
  | { kind: 'registered' }
  /** The server refused this terminal. The terminal retries. */
  | { kind: 'refused'; reason: string }
  /** The connection broke; `why` is a sentence. The terminal retries. */
  | { kind: 'lost'; why: string }
  /** The server acknowledged entries after this many milliseconds. */
  | { kind: 'acknowledged'; entries: LogEntry[]; milliseconds: number }
  | { kind: 'commanded'; command: string }

export interface Link {
  readonly isRegistered: boolean
  /** Tells the link that new entries are pending. */
  wake(): void
  /** Cuts the connection. The terminal reconnects. */
  cut(): void
  close(): Promise<void>
}

/** The behaviour of a terminal: its firmware and the faults of its connection. */
export interface Manner {
  profile?: Profile
  faults?: Faults
  /** Random numbers from 0 to 1. */
  lot?: () => number
  longestPauseMilliseconds?: number
  entriesPerFrame?: number
  /** The poll interval of an ADMS terminal, which overrides the server's value. */
  delaySeconds?: number
}

export const answerMilliseconds = 20_000
export const retryMilliseconds = 2_000
export const usualLongestPauseMilliseconds = 10_000
export const usualEntriesPerFrame = 50

/**
 * Reconnects until the caller aborts. `talk` returns whether the server accepted the terminal. After a refusal the
 * pauses grow.
 */
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
