import { setTimeout as wait } from 'node:timers/promises'

const quarter = 15 * 60_000

/**
 * Rate limits count tries in windows that end with a quarter of an hour. Waits until no window ends within the next
 * seconds, so that a test’s tries count together.
 */
export const awaitWindow = async (seconds = 30): Promise<void> => {
  const remaining = quarter - (Date.now() % quarter)
  if (remaining < seconds * 1000) await wait(remaining + 50)
}
