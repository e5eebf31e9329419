/** Since when an ADMS terminal polls without delivering, and its last poll. */
export interface Quiet {
  since: string
  askedAt: string
}

/** A terminal that polls this long without a delivery has delivered everything requested. */
const quietMilliseconds = 120_000
/** A terminal polls every half minute. A longer pause means that it was offline. */
export const mostPauseMilliseconds = 60_000

/**
 * Continues a quiet period only during uninterrupted polling, because a returning terminal may poll before it delivers.
 */
export const goesOn = (quiet: Quiet | undefined, now: number): Quiet => {
  const at = new Date(now).toISOString()
  const isBroken = !quiet || now - Date.parse(quiet.askedAt) > mostPauseMilliseconds
  return { since: isBroken ? at : quiet.since, askedAt: at }
}
export const isOver = ({ since }: Quiet, now: number): boolean => now - Date.parse(since) >= quietMilliseconds
