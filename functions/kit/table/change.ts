import { setTimeout as wait } from 'node:timers/promises'
import { Problem } from '../../../shared/errors.ts'
import type { Key } from '../../../shared/table.ts'
import { hasCollided, type Item, save, type Table, type Write } from '../table.ts'

const mostTries = 10
/** The first retry delay. The delay doubles up to 320 ms, and each caller waits a random part of it. */
const firstMilliseconds = 20
const mostMilliseconds = 320

/** Whether the table refused a save because the item changed since the caller read it. */
export const wasSlower = (error: unknown): error is Problem => error instanceof Problem && error.code === 60006

/** Whether a save failed only because of parallel saves of the same items. */
export const isContended = (error: unknown): boolean => wasSlower(error) || hasCollided(error)

/** Saves unless another writer was faster. Returns false in that case, and the other version stays. */
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
 * Reads, decides and saves, and retries on a conflict. `run` gets the attempt's number and must read again in each
 * attempt. `isWorthIt` says whether another attempt can end differently. `until` (by `performance.now()`) replaces the
 * limit of attempts.
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
 * Reads, changes and saves an item, and retries on a conflict. Use it for changes that stay right after parallel
 * changes. `alter` returns undefined to leave the item unchanged; `write` returns further writes. The first attempt
 * uses `read`, if given; later attempts read again. Returns the saved or unchanged item; undefined if there is none.
 */
export const change = <T extends object>(
  table: Table,
  key: Key<T>,
  alter: (item: Item<T>) => T | undefined,
  write = (_before: Item<T>, after: Item<T>): Write[] => [table.replace(key, after)],
  read?: Item<T>,
): Promise<Item<T> | undefined> =>
  again(async tries => {
    const item = tries === 1 && read ? read : await table.get(key)
    const changed = item && alter(item)
    if (!changed) return item
    await save(...write(item, { ...changed, version: item.version }))
    return { ...changed, version: item.version + 1 }
  })

/** The item that every addition to a list of limited length also replaces. */
const guardKey = (list: string): Key<object> => ({ pk: 'AT_MOST', sk: list })

/**
 * Adds to a list of limited length: `run` checks for room and returns the writes. The guard item makes parallel
 * additions check one after the other.
 */
export const addAtMost = (table: Table, list: string, run: () => Promise<Write[]>): Promise<void> =>
  again(async () => {
    const key = guardKey(list)
    const guard = await table.get(key)
    const writes = await run()
    await save(...writes, guard ? table.replace(key, guard) : table.insert(key, {}))
  })
