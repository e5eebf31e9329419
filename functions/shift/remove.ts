import { type Shift, shiftClaimKey, shiftKey, shiftNameKey, shiftUseKey } from '../../shared/shift.ts'
import { type Item, save, type Table } from '../kit/table.ts'

/** Whether a schedule contains the shift, or a running call is about to schedule it. */
export const isUsed = async (table: Table, shift: string): Promise<boolean> => {
  const pages = await Promise.all(
    [shiftUseKey(shift, '', ''), shiftClaimKey(shift, '')].map(({ pk }) => table.page({ pk, size: 1 })),
  )
  return pages.some(({ list }) => list.length > 0)
}

/** Removes a shift, and returns whether it was unused. */
export const removeShift = async (table: Table, shift: Item<Shift>): Promise<boolean> => {
  const { id, name, version } = shift
  if (await isUsed(table, id)) return false
  // Mark as leaving, then re-check: a scheduling call claims the shift, then reads the mark.
  await save(table.replace(shiftKey(id), { ...shift, leavingAt: new Date().toISOString() }))
  if (await isUsed(table, id)) {
    await save(table.replace(shiftKey(id), { ...shift, version: version + 1 }))
    return false
  }
  await save(table.remove(shiftKey(id), version + 1), table.remove(shiftNameKey(name)))
  return true
}
