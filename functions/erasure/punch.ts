import { type Notice, noticeKey, noticeParamsKey, noticePk } from '../../shared/notice.ts'
import { lastTapKey } from '../../shared/personal/browser-punch.ts'
import { browserSn, type Punch, punchKey } from '../../shared/punch.ts'
import { type Item, save, type Table } from '../kit/table.ts'

// Removes the places and notices of an erased employee. Idempotent.

/** Removes the place of a punch. Days need its time only. */
const forgetPlace = async (table: Table, punch: Item<Punch>): Promise<void> => {
  if (punch.sn !== browserSn || (!punch.located && punch.place === undefined)) return
  const { located: _, place: __, ...kept } = punch
  await save(table.replace(punchKey(punch), kept))
}

/** Removes the places of browser punches under the employee's IDs. */
export const erasePlaces = async (table: Table, employee: string, numbers: string[]): Promise<void> => {
  for (const number of numbers)
    for await (const punch of table.each<Punch>({ pk: punchKey({ number, localTime: '', sn: '' }).pk }))
      await forgetPlace(table, punch)
  await save(table.remove(lastTapKey(employee)))
}

/** Removes an employee's notices and notice settings. */
export const eraseNotices = async (table: Table, employee: string): Promise<void> => {
  for await (const notice of table.each<Notice>({ pk: noticePk(employee) })) await save(table.remove(noticeKey(notice)))
  await save(table.remove(noticeParamsKey(employee)))
}
