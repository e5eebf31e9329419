import { alarmNames } from '../../shared/alarm.ts'
import { type Code, Problem } from '../../shared/errors.ts'
import { faultOf, log } from './log.ts'
import { hasCollided } from './table.ts'

/**
 * Runs something for each of a list, so many at once, and answers what came of each in the list's order. Where one fails,
 * no further one is begun, and the first failure is thrown when those under way have ended: nothing goes on behind an answer.
 */
export const atOnce = async <T, R>(count: number, list: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = []
  const waiting = list.entries()
  const failures: unknown[] = []
  const work = async () => {
    for (const [i, item] of waiting) {
      if (failures.length > 0) return
      try {
        results[i] = await run(item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(count, list.length) }, work))
  if (failures.length > 0) throw failures[0]
  return results
}

export interface Trying<T> {
  job: string
  /** How many run at the same time. */
  atOnce: number
  /** What the log says of an item that failed. */
  nameOf(item: T): object
  /** No queue repeats this work and keeps it as a dead letter, so its failure raises an alarm by itself. */
  raisesAlarm?: true
}

/** Runs each item of a list. A failure is logged and stops no other item; answers the items that failed. */
export const tryEach = async <T>(
  { job, atOnce: count, nameOf, raisesAlarm }: Trying<T>,
  list: readonly T[],
  run: (item: T) => Promise<unknown>,
): Promise<T[]> => {
  const failed: T[] = []
  await atOnce(count, list, async item => {
    try {
      await run(item)
    } catch (error) {
      failed.push(item)
      log({ job, ...(raisesAlarm && { alarm: alarmNames.failed }), ...nameOf(item), fault: faultOf(error) })
    }
  })
  return failed
}

/** What became of a list: the results of those that were done, and the code of every other. */
export interface Settled<T, R> {
  done: R[]
  refused: { one: T; code: Code }[]
}

/**
 * Saves something for each of a list that is too long for one transaction, and says exactly who was refused. A refusal stops no
 * other. A fault counts as one (60011), so that it hides nothing that was done. Throws the first where nothing was done at all.
 */
export const settleEach = async <T, R>(
  count: number,
  list: readonly T[],
  run: (one: T) => Promise<R>,
): Promise<Settled<T, R>> => {
  const errors: unknown[] = []
  const settled: Settled<T, R> = { done: [], refused: [] }
  await atOnce(count, list, async one => {
    try {
      settled.done.push(await run(one))
    } catch (error) {
      const refusal = hasCollided(error) ? new Problem(60006) : error
      if (!(refusal instanceof Problem)) log({ save: 'failed', fault: String(error) })
      errors.push(refusal)
      settled.refused.push({ one, code: refusal instanceof Problem ? refusal.code : 60011 })
    }
  })
  if (errors.length > 0 && settled.done.length === 0) throw errors[0]
  return settled
}
