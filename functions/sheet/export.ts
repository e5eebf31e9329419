import { type Company, companyKey, dateFormatOf } from '../../shared/company.ts'
import { csvFormatOf } from '../../shared/csv-format.ts'
import { type SheetType, sheetMedia } from '../../shared/task.ts'
import type { Caller } from '../kit/caller.ts'
import type { Table } from '../kit/table.ts'
import type { TaskOutcome } from '../kit/task.ts'
import { type Column, type DayColumn, wordsIn } from './words.ts'
import { type Cell, writeSheet } from './write.ts'

// Exported sheets, with headings in the reader's language. The import understands these headings.

/** The formats of a company's sheets in a language. */
export const formatsOf = (company: Pick<Company, 'dateformat_id' | 'country'> | undefined, language: string) => ({
  dateFormat: dateFormatOf(company?.dateformat_id ?? 0),
  csv: csvFormatOf({ country: company?.country }, language),
})

/** Joins the parts of a file's name without the characters that file systems forbid. */
export const fileName = (parts: string[]): string =>
  parts
    .join(' ')
    .replace(/[\\/:*?"<>|\p{Cc}\s]+/gu, ' ')
    .trim()

export const readDateFormat = async (table: Table) => dateFormatOf((await table.get(companyKey()))?.dateformat_id ?? 0)

export interface ExportedSheet {
  type: SheetType
  columns: readonly (Column | DayColumn)[]
  rows: Cell[][]
  /** The key of the sheet's file name among the sheet words. */
  name: keyof ReturnType<typeof wordsIn>['files']
  /** Whether the sheet contains only an example row, which the import skips. */
  isTemplate?: boolean
}

/** The outcome of an export task. */
export const exported = async (
  { type, columns, rows, ...sheet }: ExportedSheet,
  { table, language }: Pick<Caller, 'table' | 'language'>,
): Promise<TaskOutcome> => {
  const words = wordsIn(language)
  const headings = columns.map((column): Cell => words.columns[column as Column] ?? { day: column })
  const formats = formatsOf(await table.get(companyKey()), language)
  const bytes = await writeSheet(type, { name: words.files[sheet.name], headings, rows, ...formats })
  const suffix = sheet.isTemplate ? `- ${words.files.template}` : new Date().toISOString().slice(0, 10)
  const name = `${words.files[sheet.name]} ${suffix}.${type}`
  return { rowCount: rows.length, file: { name, type: sheetMedia[type], bytes } }
}
