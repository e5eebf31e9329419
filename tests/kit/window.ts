import { setTimeout as wait } from 'node:timers/promises'

const quarter = 15 * 60_000

/**
 * Tries are counted in windows by the clock, all of which end with a quarter of an hour: waits until none ends within the next
 * seconds, so that what a test counts is counted together.
 */
export const awaitWindow = async (seconds = 30): Promise<void> => {
  const left = quarter - (Date.now() % quarter)
  if (left < seconds * 1000) await wait(left + 50)
}
