import { Problem } from '../../shared/errors.ts'
import type { Key } from '../../shared/table.ts'
import { directory, save } from './table.ts'

export interface Rate {
  /** What is counted. */
  scope: string
  /** Whom it is counted for: an address, a hash, an account and address. */
  key: string
  times: number
  minutes: number
}

const rateKey = ({ scope, key, minutes }: Rate, now: number): Key => ({
  pk: `RATE#${scope}#${key}`,
  sk: String(Math.floor(now / (minutes * 60_000))),
})

/** Counts one try in the current window and throws 60008 where it is one too many. A counter that fails refuses too. */
export const limit = async (...rates: Rate[]): Promise<void> => {
  const now = Date.now()
  for (const rate of rates) {
    const expiresAt = Math.floor(now / 1000) + rate.minutes * 120
    if ((await directory().count1(rateKey(rate, now), expiresAt)) > rate.times) throw new Problem(60008)
  }
}

/** Takes back what was counted, when the try turned out to be a rightful one. */
export const forgive = async (...rates: Rate[]): Promise<void> => {
  const now = Date.now()
  for (const rate of rates) await save(directory().remove(rateKey(rate, now)))
}
