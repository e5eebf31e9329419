import { alarmNames } from '../../shared/alarm.ts'
import { type Code, Problem } from '../../shared/errors.ts'
import { faultOf, log } from './log.ts'
import { hasCollided } from './table.ts'

/**
 * Runs a function for each item, several at a time, and returns the results in order. After the first failure no
 * further item starts. Throws the failure once the running items have ended.
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
  /** How many items run in parallel. */
  atOnce: number
  /** The log message of a failed item. */
  nameOf(item: T): object
  /** Makes a failure raise an alarm, because no queue retries this work. */
  raisesAlarm?: true
}

/** Runs each item and returns the failed items. Logs a failure and continues with the other items. */
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

/** The results of the saved items, and the error code of each refused item. */
export interface Settled<T, R> {
  done: R[]
  refused: { one: T; code: Code }[]
}

/**
 * Saves a list too long for one transaction and reports each refused item. Continues after a refusal or a fault
 * (60011). Throws the first error if it saved nothing.
 */
export const settleEach = async <T, R>(
  count: number,
  list: readonly T[],
  run: (item: T) => Promise<R>,
): Promise<Settled<T, R>> => {
  const errors: unknown[] = []
  const settled: Settled<T, R> = { done: [], refused: [] }
  await atOnce(count, list, async item => {
    try {
      settled.done.push(await run(item))
    } catch (error) {
      const refusal = hasCollided(error) ? new Problem(60006) : error
      if (!(refusal instanceof Problem)) log({ save: 'failed', fault: String(error) })
      errors.push(refusal)
      settled.refused.push({ one: item, code: refusal instanceof Problem ? refusal.code : 60011 })
    }
  })
  if (errors.length > 0 && settled.done.length === 0) throw errors[0]
  return settled
}
