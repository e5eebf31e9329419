import type { Company } from '../../shared/company.ts'
import type { Department } from '../../shared/department.ts'
import {
  type HourBook,
  type HourContent,
  hourBookKey,
  hourContentKey,
  hourPeriodOn,
  kindsOf,
  noHourBook,
  setVersionFor,
} from '../../shared/hours.ts'
import { readCompany } from '../company/store.ts'
import { readDepartments } from '../department/store.ts'
import { isDefined } from '../kit/defined.ts'
import type { Item, Table } from '../kit/table.ts'

// Reads hour sets. Companies without a set cost no read.

/** The hour sets of each day and department. */
export interface HourRules {
  setOn(department: string, day: string): HourContent | undefined
  /** All sets of these rules, on whichever day. */
  contents: readonly HourContent[]
}

export const readHourBook = async (
  table: Table,
  { hasHours }: Pick<Company, 'hasHours'>,
): Promise<HourBook & { version?: number }> => (hasHours && (await table.get(hourBookKey()))) || noHourBook()

export const readContents = async (table: Table, versions: Iterable<number>): Promise<Item<HourContent>[]> =>
  (await table.getMany([...new Set(versions)].map(hourContentKey))).filter(isDefined)

export const versionsIn = ({ periods }: HourBook): number[] =>
  periods.flatMap(({ sets }) => Object.values(sets).map(({ version }) => version))

/** The rules of a book. `added` is content that is not stored yet. */
export const rulesOfBook = async (table: Table, book: HourBook, added: HourContent[] = []): Promise<HourRules> => {
  const isNamed = book.periods.some(({ sets }) => Object.values(sets).some(({ departments }) => departments?.length))
  const [stored, departments] = await Promise.all([
    readContents(table, versionsIn(book)),
    isNamed ? readDepartments(table) : [],
  ])
  const contents = [...stored, ...added]
  const byVersion = new Map(contents.map(content => [content.setVersion, content]))
  const parents = new Map<string, Pick<Department, 'parent'>>(departments.map(each => [each.id, each]))
  return {
    contents,
    setOn(department, day) {
      const version = setVersionFor(hourPeriodOn(book, day), department, parents)
      return version === undefined ? undefined : byVersion.get(version)
    },
  }
}

/** The hour sets of a company; undefined without any. */
export const readHourRules = async (
  table: Table,
  company: Pick<Company, 'hasHours'>,
): Promise<HourRules | undefined> =>
  company.hasHours ? rulesOfBook(table, await readHourBook(table, company)) : undefined

/** The kinds of all present and former sets. */
export const listKinds = async (table: Table, settings?: Pick<Company, 'hasHours'>) => {
  const company = settings ?? (await readCompany({ table }))
  return kindsOf(company.hasHours ? await table.all<HourContent>({ pk: hourContentKey(0).pk }) : [])
}
