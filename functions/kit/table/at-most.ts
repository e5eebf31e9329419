import type { Key } from '../../../shared/table.ts'
import { save, type Table, type Write } from '../table.ts'
import { again } from './change.ts'

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
