import { alarmNames } from '../../shared/alarm.ts'
import { atOnce } from './each.ts'
import { faultOf, log } from './log.ts'

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
