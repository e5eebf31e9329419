import { type Holiday, holidayKey } from '../../shared/holiday.ts'
import type { Item, Table } from './table.ts'

/** All holidays of a company: there are few, and calculating a day needs to know them all. */
export const readHolidays = (table: Table): Promise<Item<Holiday>[]> => table.all<Holiday>({ pk: holidayKey('').pk })
