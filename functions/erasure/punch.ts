import { type Notice, noticeKey, noticeParamsKey, noticePk } from '../../shared/notice.ts'
import { lastTapKey } from '../../shared/personal/browser-punch.ts'
import { browserSn, type Punch, punchKey } from '../../shared/punch.ts'
import { listChoicesKey } from '../../shared/saved-view.ts'
import { change } from '../kit/table/change.ts'
import { type Item, save, type Table } from '../kit/table.ts'

// Removes the places and notices of an erased employee. Idempotent.

/** Removes the place of a punch. Days need its time only. A list of records may move the punch at the same time. */
const forgetPlace = (table: Table, punch: Item<Punch>) =>
  change(
    table,
    punchKey(punch),
    ({ located, place, ...kept }) => (kept.sn === browserSn && (located || place !== undefined) ? kept : undefined),
    undefined,
    punch,
  )

/** Removes the places of browser punches under the employee's IDs. */
export const erasePlaces = async (table: Table, employee: string, numbers: string[]): Promise<void> => {
  for (const number of numbers)
    for await (const punch of table.each<Punch>({ pk: punchKey({ number, localTime: '', sn: '' }).pk }))
      await forgetPlace(table, punch)
  await save(table.remove(lastTapKey(employee)))
}

/** Removes an employee's notices, notice settings, and choices for lists. */
export const eraseNotices = async (table: Table, employee: string): Promise<void> => {
  for await (const notice of table.each<Notice>({ pk: noticePk(employee) })) await save(table.remove(noticeKey(notice)))
  await save(table.remove(noticeParamsKey(employee)), table.remove(listChoicesKey(employee)))
}
