import { setTimeout as wait } from 'node:timers/promises'
import { Problem } from '../../../shared/errors.ts'
import type { Key } from '../../../shared/table.ts'
import { hasCollided, type Item, save, type Table, type Write } from '../table.ts'

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

/**
 * Reads, changes and saves an item, and again where somebody else was quicker; for items several hands write, where a
 * change holds whatever the others did. `alter` answers undefined to leave the item as it is; `write` says what is written
 * where a change of the item is more than the item. What the caller has `read` already is believed, and read again where saving it is refused.
 * Answers the item as it was saved or left, undefined where there is none.
 */
export const change = <T extends object>(
  table: Table,
  key: Key<T>,
  alter: (item: Item<T>) => T | undefined,
  write = (_before: Item<T>, now: Item<T>): Write[] => [table.replace(key, now)],
  read?: Item<T>,
): Promise<Item<T> | undefined> =>
  again(async tries => {
    const item = tries === 1 && read ? read : await table.get(key)
    const changed = item && alter(item)
    if (!changed) return item
    await save(...write(item, { ...changed, version: item.version }))
    return { ...changed, version: item.version + 1 }
  })

/** Written with everything that is added to a list which may hold only so many. */
const guardKey = (list: string): Key<object> => ({ pk: 'AT_MOST', sk: list })

/**
 * Adds to such a list: `run` looks whether there is room, and answers what is to be written. Of several at the same moment each looks
 * again after the others.
 */
export const addAtMost = (table: Table, list: string, run: () => Promise<Write[]>): Promise<void> =>
  again(async () => {
    const key = guardKey(list)
    const guard = await table.get(key)
    const writes = await run()
    await save(...writes, guard ? table.replace(key, guard) : table.insert(key, {}))
  })
