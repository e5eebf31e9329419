import { setTimeout as wait } from 'node:timers/promises'
import { Problem } from '../../../shared/errors.ts'
import { hasCollided, save, type Write } from '../table.ts'

const mostTries = 10
/** Before the second try; the wait doubles up to 320 ms, and who waits is spread over all of it. */
const firstMilliseconds = 20
const mostMilliseconds = 320

/** Whether a save was refused because somebody else changed what it was made from. */
export const wasSlower = (error: unknown): error is Problem => error instanceof Problem && error.code === 60006

/** Whether a save failed only because others saved the same at the same time. */
export const isContended = (error: unknown): boolean => wasSlower(error) || hasCollided(error)

/** Carries writes out unless somebody else was quicker; false where that is so, and what they wrote stands. */
export const saves = async (...writes: Write[]): Promise<boolean> => {
  try {
    await save(...writes)
    return true
  } catch (error) {
    if (wasSlower(error)) return false
    throw error
  }
}

/**
 * Reads, judges and saves, and again where somebody else was quicker. `run` is told which try it is, and reads anew in each;
 * `isWorthIt` says of a refusal whether it may end otherwise next time; `until` is when to stop, by `performance.now()`, in place
 * of a number of tries.
 */
export const again = async <T>(
  run: (tries: number) => Promise<T>,
  isWorthIt: (error: unknown) => boolean | Promise<boolean> = isContended,
  until?: number,
): Promise<T> => {
  for (let tries = 1; ; tries++)
    try {
      return await run(tries)
    } catch (error) {
      const isOver = until === undefined ? tries === mostTries : performance.now() > until
      if (isOver || !(await isWorthIt(error))) throw error
      await wait(Math.min(firstMilliseconds * 2 ** (tries - 1), mostMilliseconds) * Math.random())
    }
}
