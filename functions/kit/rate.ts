import { type Fields, Problem } from '../../shared/errors.ts'
import type { Key } from '../../shared/table.ts'
import { directory } from './table.ts'

export interface Rate {
  /** The counted action. */
  scope: string
  /** The counted party: an address, a hash, or an account with an address. */
  key: string
  times: number
  minutes: number
  /** The number of attempts to add, by default 1. */
  count?: number
}

const rateKey = ({ scope, key, minutes }: Rate, now: number): Key => ({
  pk: `RATE#${scope}#${key}`,
  sk: String(Math.floor(now / (minutes * 60_000))),
})

/** Adds an attempt to the window of `now`, or removes one; returns the count. */
const add = (rate: Rate, now: number, by: number) =>
  directory().add(rateKey(rate, now), by, Math.floor(now / 1000) + rate.minutes * 120)

/** The error of too many attempts. `about` holds the seconds until the next allowed attempt. */
export const tooOften = (seconds: number, fields?: Fields) =>
  new Problem(60008, fields, { seconds: Math.max(1, Math.ceil(seconds)) })

/** The seconds until the next allowed attempt; undefined for any other error. */
export const secondsToWait = (error: unknown): number | undefined =>
  error instanceof Problem && error.code === 60008 ? (error.about as { seconds: number }).seconds : undefined

/**
 * Counts an attempt for each rate. Throws 60008 at the first exceeded rate, with the rest of its window. A failing
 * counter also refuses. Returns a function that removes a legitimate attempt again.
 */
export const limit = async (...rates: Rate[]): Promise<() => Promise<void>> => {
  const now = Date.now()
  for (const rate of rates) {
    const window = rate.minutes * 60_000
    if ((await add(rate, now, rate.count ?? 1)) > rate.times) throw tooOften((window - (now % window)) / 1000)
  }
  return async () => {
    for (const rate of rates) await add(rate, now, -(rate.count ?? 1))
  }
}

/** Removes a legitimate attempt from the current window. */
export const forgive = async (rate: Rate): Promise<void> => {
  await add(rate, Date.now(), -1)
}

/**
 * Like `limit`, but returns whether there were too many attempts. For callers that the server may slow down but not
 * lock out.
 */
export const isTooOften = async (rate: Rate): Promise<boolean> => (await add(rate, Date.now(), 1)) > rate.times
