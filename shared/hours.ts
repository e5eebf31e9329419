import type { HourSet } from './attendance/hours/set.ts'
import type { Audited } from './change.ts'
import type { Department } from './department.ts'
import type { HourKind, HourSetForm } from './hours/form.ts'
import { mostRuleMonths } from './rule.ts'
import type { Key } from './table.ts'

// The hour sets of a company. Which set counts on a day depends on the day and the department of the row. The content
// of a set never changes: a change stores new content under a new version, so that old rows stay explainable.

/** The most sets of a company, departments that name a set, and changes with an effective date. */
export const mostHourSets = 10
export const mostNamingDepartments = 200
export const mostHourPeriods = mostRuleMonths / 2

/** A set in a period: the version of its content, and the departments that name it. */
export interface NamedSet {
  version: number
  departments?: string[]
}

/** The sets from a day on, up to the next period. The first period has no `from`. */
export interface HourPeriod {
  from?: string
  sets: Record<string, NamedSet>
  /** The set of everybody whose departments name none. */
  companySet?: string
}

/** All periods, oldest first. `last` is the last version given to the content of any set. */
export interface HourBook {
  periods: HourPeriod[]
  last: number
}

/** The content of a set. It never changes. `setVersion` is unique within the company. */
export interface HourContent extends HourSetForm {
  id: string
  setVersion: number
}

/** The audit compares these notes of a set. They say which version applies to whom, and from which day on. */
export interface HourSetNote {
  id: string
  name: string
  setVersion: number
  from: string
  departments?: string[]
  isCompanySet?: boolean
}

const audited: Audited<HourSetNote> = { noun: 'hourSet', id: ({ id }) => id, name: ({ name }) => name }

export const hourBookKey = (): Key<HourBook> => ({ pk: 'HOUR_BOOK', sk: '-' })
export const hourContentKey = (version: number): Key<HourContent> => ({
  pk: 'HOUR_CONTENT',
  sk: String(version).padStart(8, '0'),
})
export const hourSetNoteKey = (id: string): Key<HourSetNote> => ({ pk: 'HOUR_SET', sk: id, audited })

export const noHourBook = (): HourBook => ({ periods: [], last: 0 })
const noPeriod: HourPeriod = { sets: {} }

/** The sets in effect on a day. */
export const hourPeriodOn = ({ periods }: HourBook, day: string): HourPeriod =>
  periods.findLast(({ from }) => from === undefined || from <= day) ?? noPeriod

/** The sets in effect after all stored changes. */
export const latestHourPeriod = ({ periods }: HourBook): HourPeriod => periods.at(-1) ?? noPeriod

/** Applies a change to each period from a day on. Earlier days keep their sets. */
export const changeHours = (
  book: HourBook,
  change: (period: HourPeriod) => Omit<HourPeriod, 'from'>,
  from: string,
): HourBook => {
  const later = book.periods.flatMap(period => {
    const { from: start } = period
    return start !== undefined && start > from ? [{ ...period, from: start }] : []
  })
  const changed = [{ ...hourPeriodOn(book, from), from }, ...later]
  return {
    ...book,
    periods: [
      ...book.periods.filter(({ from: start }) => start === undefined || start < from),
      ...changed.map(period => ({ ...change(period), from: period.from })),
    ],
  }
}

/** The version of the content for a department on a day: its own set, else its parent's, else the company's. */
export const setVersionFor = (
  { sets, companySet }: HourPeriod,
  department: string,
  parents: ReadonlyMap<string, Pick<Department, 'parent'>>,
): number | undefined => {
  const named = Object.values(sets)
  for (let id: string | undefined = department; id !== undefined; id = parents.get(id)?.parent) {
    const at = id
    const own = named.find(({ departments }) => departments?.includes(at))
    if (own) return own.version
  }
  return companySet === undefined ? undefined : sets[companySet]?.version
}

/** The engine's set. Forms omit what they do not use, which means the same. */
export const engineSet = ({ base, extra, dayOf, setVersion }: HourContent): HourSet => ({
  base,
  extra,
  version: setVersion,
  ...(dayOf && { dayOf }),
})

/** Kinds by code. The latest content gives name and colour. */
export const kindsOf = (contents: readonly HourContent[]): (HourKind & { isExtra: boolean })[] => {
  const kinds = new Map<string, HourKind & { isExtra: boolean }>()
  for (const { kinds: own, base } of contents.toSorted((a, b) => b.setVersion - a.setVersion))
    for (const kind of own)
      if (!kinds.has(kind.code)) kinds.set(kind.code, { ...kind, isExtra: !base.some(rule => rule.kind === kind.code) })
  return [...kinds.values()]
}
