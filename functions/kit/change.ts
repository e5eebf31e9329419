import type { Key } from '../../shared/table.ts'
import { again } from './table/change.ts'
import { type Item, save, type Table, type Write } from './table.ts'

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
