import { type Notice, noticeKey, noticeParamsKey, noticePk } from '../../shared/notice.ts'
import { lastTapKey } from '../../shared/personal/browser-punch.ts'
import { browserSn, type Punch, punchKey } from '../../shared/punch.ts'
import { type Item, save, type Table } from '../kit/table.ts'

// What is taken away of somebody who is erased, besides the days worked and the punches they follow from. Each is safe twice.

/** Days are calculated by when somebody punched; where they were then is forgotten. */
const forgetPlace = async (table: Table, punch: Item<Punch>): Promise<void> => {
  if (punch.sn !== browserSn || (!punch.located && punch.place === undefined)) return
  const { located: _, place: __, ...kept } = punch
  await save(table.replace(punchKey(punch), kept))
}

/** Where somebody punched in the browser, by their numbers. */
export const erasePlaces = async (table: Table, employee: string, numbers: string[]): Promise<void> => {
  for (const number of numbers)
    for await (const punch of table.each<Punch>({ pk: punchKey({ number, localTime: '', sn: '' }).pk }))
      await forgetPlace(table, punch)
  await save(table.remove(lastTapKey(employee)))
}

/** What somebody was told, and wanted to be told. */
export const eraseNotices = async (table: Table, employee: string): Promise<void> => {
  for await (const notice of table.each<Notice>({ pk: noticePk(employee) })) await save(table.remove(noticeKey(notice)))
  await save(table.remove(noticeParamsKey(employee)))
}
