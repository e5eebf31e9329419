/** Since when a terminal that comes by HTTP went on asking and delivered nothing, and when it asked last. */
export interface Quiet {
  since: string
  askedAt: string
}

/** A terminal that polled all the time and delivered nothing for so long has delivered everything it was told to. */
const quietMilliseconds = 120_000
/** It polls every half a minute; a longer pause means that it was off the line. */
export const mostPauseMilliseconds = 60_000

/** A terminal that was off the line may poll before it delivers, so only minutes without a pause count. */
export const goesOn = (quiet: Quiet | undefined, now: number): Quiet => {
  const at = new Date(now).toISOString()
  const isBroken = !quiet || now - Date.parse(quiet.askedAt) > mostPauseMilliseconds
  return { since: isBroken ? at : quiet.since, askedAt: at }
}
export const isOver = ({ since }: Quiet, now: number): boolean => now - Date.parse(since) >= quietMilliseconds
