import { companyKey, dateFormatOf } from '../../shared/company.ts'
import { type SheetType, sheetMedia, taskFileKey } from '../../shared/task.ts'
import type { Caller } from './caller.ts'
import { openFiles } from './files.ts'
import { newId } from './id.ts'
import { type Cell, writeSheet } from './sheet.ts'
import { type Column, wordsIn } from './sheet-words.ts'
import type { Table } from './table.ts'
import type { Outcome } from './task.ts'

// Sheets of a company's things, with headings its people read and the import understands.

const readDateFormat = async (table: Table) => dateFormatOf((await table.get(companyKey()))?.dateformat_id ?? 0)

export interface ExportedSheet {
  type: SheetType
  columns: readonly Column[]
  rows: Cell[][]
  /** Which of the words for files it is called by. */
  name: keyof ReturnType<typeof wordsIn>['files']
}

const write = async (
  { type, columns, rows }: ExportedSheet,
  { table, language }: Pick<Caller, 'table' | 'language'>,
) => {
  const words = wordsIn(language)
  const headings = columns.map(column => words.columns[column])
  return writeSheet(type, { headings, rows, dateFormat: await readDateFormat(table) })
}

/** The end of a task that exports. */
export const exported = async (sheet: ExportedSheet, work: Pick<Caller, 'table' | 'language'>): Promise<Outcome> => {
  const { type, rows } = sheet
  const day = new Date().toISOString().slice(0, 10)
  const name = `${wordsIn(work.language).files[sheet.name]} ${day}.${type}`
  return { rowCount: rows.length, file: { name, type: sheetMedia[type], bytes: await write(sheet, work) } }
}

/** Where to load a sheet from that was made for this one moment. */
export const offerSheet = async (sheet: ExportedSheet, caller: Caller): Promise<{ url: string }> => {
  const words = wordsIn(caller.language)
  const key = taskFileKey(newId())
  const files = openFiles(caller.company)
  const { type } = sheet
  await files.write(key, { type: sheetMedia[type], bytes: await write(sheet, caller), isPassing: true })
  const name = `${words.files[sheet.name]} - ${words.files.template}.${type}`
  return { url: await files.address(key, name, { isDownload: true }) }
}
