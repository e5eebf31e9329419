import { type Fields, Problem } from '../../shared/errors.ts'
import type { Key } from '../../shared/table.ts'
import { directory } from './table.ts'

export interface Rate {
  /** What is counted. */
  scope: string
  /** Whom it is counted for: an address, a hash, an account and address. */
  key: string
  times: number
  minutes: number
  /** How many tries this is, where it is not one. */
  count?: number
}

const rateKey = ({ scope, key, minutes }: Rate, now: number): Key => ({
  pk: `RATE#${scope}#${key}`,
  sk: String(Math.floor(now / (minutes * 60_000))),
})

/** Counts one try in the window of `now`, or takes one back; answers how many there are. */
const add = (rate: Rate, now: number, by: number) =>
  directory().add(rateKey(rate, now), by, Math.floor(now / 1000) + rate.minutes * 120)

/** Too often; `about` says after how many seconds it is worth trying again. */
export const tooOften = (seconds: number, fields?: Fields) =>
  new Problem(60008, fields, { seconds: Math.max(1, Math.ceil(seconds)) })

/** After how many seconds it is worth trying again, where an error says that it was too often. */
export const secondsToWait = (error: unknown): number | undefined =>
  error instanceof Problem && error.code === 60008 ? (error.about as { seconds: number }).seconds : undefined

/**
 * Counts one try for each rate and throws 60008 at the first that has had too many, which says how long its window still lasts.
 * A counter that fails refuses too. Answers how to take the count back, for a try that turned out to be a rightful one.
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

/** Takes one back in the present window, for what turned out later to have been rightful. */
export const forgive = async (rate: Rate): Promise<void> => {
  await add(rate, Date.now(), -1)
}

/** As `limit`, but answers whether there were too many: for those who must be slowed down and cannot be locked out. */
export const isTooOften = async (rate: Rate): Promise<boolean> => (await add(rate, Date.now(), 1)) > rate.times
