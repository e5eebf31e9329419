import { createHash } from 'node:crypto'
import { fold } from '../../shared/fold.ts'
import { type Holiday, holidayKey, holidayOnceKey, partText } from '../../shared/holiday/day.ts'
import { addDays } from '../../shared/local-day.ts'
import type { Item, Table, Write } from '../kit/table.ts'

/** The holidays of a company: all, or only those that touch a range of days. */
export const readHolidays = (table: Table, range?: Pick<Holiday, 'from' | 'to'>): Promise<Item<Holiday>[]> =>
  table.all<Holiday>({
    pk: holidayKey('').pk,
    ...(range && {
      where: [
        ['to', 'not below', range.from],
        ['from', 'below', addDays(range.to, 1)],
      ],
    }),
  })

/**
 * A key for holidays with equal days, part, name and departments in any order. Hashes them, because departments may be too
 * many for a key.
 */
const onceKey = ({ from, to, name, departments, part }: Omit<Holiday, 'id'>) => {
  const days = [from, to, fold(name), departments?.toSorted() ?? null]
  const sameness = JSON.stringify(part === undefined ? days : [...days, partText(part)])
  return holidayOnceKey(createHash('sha256').update(sameness).digest('base64url'))
}

/** Throws 60062 if the company already has an equal holiday. */
const once = (table: Table, holiday: Holiday): Write =>
  table.insert(onceKey(holiday), { holiday: holiday.id }, { code: 60062, fields: { name: 60062 } })

export const addHoliday = (table: Table, holiday: Holiday): Write[] => [
  table.insert(holidayKey(holiday.id), holiday),
  once(table, holiday),
]

export const changeHoliday = (table: Table, before: Holiday, now: Item<Holiday>): Write[] => [
  table.replace(holidayKey(now.id), now),
  ...(onceKey(before).sk === onceKey(now).sk ? [] : [table.remove(onceKey(before)), once(table, now)]),
]

export const removeHoliday = (table: Table, holiday: Item<Holiday>): Write[] => [
  table.remove(holidayKey(holiday.id), holiday.version),
  table.remove(onceKey(holiday)),
]
