import { setTimeout as wait } from 'node:timers/promises'
import { Problem } from '../../shared/errors.ts'
import type { Key } from '../../shared/table.ts'
import { type Item, save, type Table, type Write } from './table.ts'

/**
 * Reads, changes and saves an item, and again where somebody else was quicker; for items several hands write, where a
 * change holds whatever the others did. `alter` answers undefined to leave the item as it is; `write` says what is written
 * where a change of the item is more than the item.
 * Answers the item as it was saved or left, undefined where there is none.
 */
export const change = async <T extends object>(
  table: Table,
  key: Key<T>,
  alter: (item: Item<T>) => T | undefined,
  write = (_before: Item<T>, now: Item<T>): Write[] => [table.replace(key, now)],
): Promise<Item<T> | undefined> => {
  for (let tries = 1; ; tries++) {
    const item = await table.get(key)
    if (!item) return undefined
    const changed = alter(item)
    if (!changed) return item
    try {
      await save(...write(item, { ...changed, version: item.version }))
      return { ...changed, version: item.version + 1 }
    } catch (error) {
      // Only where the item is no longer the one that was read is there something to read again.
      if (!(error instanceof Problem) || error.code !== 60006 || tries === 8) throw error
      await wait(10 * 2 ** tries * Math.random())
    }
  }
}
