import type { PathInput } from '../../shared/api.ts'
import { setWarnings } from '../../shared/attendance/hours/fault.ts'
import { type Company, companyKey } from '../../shared/company.ts'
import { Problem } from '../../shared/errors.ts'
import {
  changeHours,
  type HourBook,
  type HourContent,
  type HourPeriod,
  hourBookKey,
  hourContentKey,
  hourPeriodOn,
  hourSetNoteKey,
  latestHourPeriod,
  mostHourPeriods,
  mostHourSets,
  mostNamingDepartments,
} from '../../shared/hours.ts'
import { addDays, addMonths, lastDay, localDay } from '../../shared/local-day.ts'
import { mostRuleMonths } from '../../shared/rule.ts'
import { readCompany } from '../company/store.ts'
import { areThere } from '../department/store.ts'
import { type Caller, manages } from '../kit/caller.ts'
import { newId } from '../kit/id.ts'
import { type Item, save } from '../kit/table.ts'
import { beginTask, owe } from '../kit/task.ts'
import { inOrder } from '../kit/words.ts'
import { readContents, readHourBook, versionsIn } from './store.ts'

// Lists and changes hour sets. The company's version covers them, so that a calculation notices every change.

type Form = PathInput<'attparams/hours/update'>

const warningsOf = (set: Pick<HourContent, 'base' | 'extra'> | null) => (set ? setWarnings(set) : [])

const setIn = (id: string, period: HourPeriod, { setVersion: _, ...content }: HourContent) => ({
  ...content,
  id,
  isCompanySet: period.companySet === id,
  departments: period.sets[id]?.departments ?? [],
})

/** A set of a period as shown: with the departments that the viewer manages. */
const shownSet = (viewer: Pick<Caller, 'departments'>, id: string, { period, content }: Stretch) => {
  const set = setIn(id, period, content)
  return { ...set, departments: set.departments.filter(department => manages(viewer, department)) }
}

/** The content as its author wrote it. */
const formOf = ({ version: _, id: __, setVersion: ___, ...form }: Item<HourContent>) => form

const bareContent = (content: HourContent & { version?: number }): HourContent => {
  const { version: _, ...bare } = content
  return bare
}

/** The same text for the same data, in whatever order a map has its keys. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )

interface Stretch {
  period: HourPeriod
  content: HourContent
  since?: string
  until: string
}

/** The stretches of days on which a set stayed the same, oldest first. */
const stretchesOf = (id: string, book: HourBook, contents: ReadonlyMap<number, HourContent>): Stretch[] => {
  const stretches: Stretch[] = []
  let isOpen = false
  book.periods.forEach((period, at) => {
    const next = book.periods[at + 1]?.from
    const until = next === undefined ? lastDay : addDays(next, -1)
    const content = contents.get(period.sets[id]?.version ?? 0)
    const last = isOpen ? stretches.at(-1) : undefined
    isOpen = content !== undefined
    if (!content) return
    if (last && textOf(setIn(id, last.period, last.content)) === textOf(setIn(id, period, content))) {
      last.until = until
      last.content = content
    } else stretches.push({ period, content, ...(period.from !== undefined && { since: period.from }), until })
  })
  return stretches
}

const readAll = async (caller: Caller) => {
  const company = await readCompany(caller)
  const book = await readHourBook(caller.table, company)
  const stored = (await readContents(caller.table, versionsIn(book))).map(bareContent)
  return { company, book, contents: new Map(stored.map(content => [content.setVersion, content])) }
}

const since = (stretch: Stretch) => (stretch.since === undefined ? {} : { since: stretch.since })

export const listHourSets = async (caller: Caller, { size, page }: { size: number; page?: string | undefined }) => {
  const { book, contents } = await readAll(caller)
  const list = Object.keys(latestHourPeriod(book).sets).flatMap(id => {
    const stretch = stretchesOf(id, book, contents).at(-1)
    if (!stretch) return []
    return { ...shownSet(caller, id, stretch), ...since(stretch), warnings: warningsOf(stretch.content) }
  })
  return caller.table.slice(
    list.sort((one, other) => inOrder(one.name, other.name)),
    { name: 'attparams/hours/grid', size, page },
  )
}

/** Throws 60004 at `id` for a set that has never existed. */
export const readHourSet = async (caller: Caller, id: string) => {
  const { company, book, contents } = await readAll(caller)
  const [current, ...former] = stretchesOf(id, book, contents).reverse()
  if (!current) throw new Problem(60004, { id: 60004 })
  return {
    ...shownSet(caller, id, current),
    ...since(current),
    warnings: warningsOf(current.content),
    former: former.map(stretch => ({
      ...{ ...shownSet(caller, id, stretch), ...since(stretch), until: stretch.until },
    })),
    version: company.version,
  }
}

/** The sets of a period without some departments, which name another set now. */
const withoutNames = (sets: HourPeriod['sets'], moved: ReadonlySet<string>): HourPeriod['sets'] =>
  Object.fromEntries(
    Object.entries(sets).map(([id, { version, departments = [] }]) => {
      const left = departments.filter(department => !moved.has(department))
      return [id, { version, ...(left.length > 0 && { departments: left }) }]
    }),
  )

/** Throws 60004 at a department that does not exist or that the caller does not manage. */
const checkForm = async (caller: Caller, { departments }: Form): Promise<void> => {
  const found = await areThere(caller.table, departments)
  const isMissing = (department: string, at: number) => !found[at] || !manages(caller, department)
  const missing = departments.flatMap((department, at) =>
    isMissing(department, at) ? [[`departments.${at}`, 60004 as const]] : [],
  )
  if (missing.length > 0) throw new Problem(60004, Object.fromEntries(missing))
}

export interface HourChange {
  id: string
  book: HourBook
  /** The content to store; absent if the set keeps its content or goes. */
  content?: HourContent
  /** The first day that changes; absent if nothing changes. */
  changedFrom?: string
}

/** A period without a set. */
const withoutSet = ({ sets, companySet }: HourPeriod, id: string): Omit<HourPeriod, 'from'> => ({
  sets: Object.fromEntries(Object.entries(sets).filter(([other]) => other !== id)),
  ...(companySet !== undefined && companySet !== id && { companySet }),
})

/** A period with a set as its author wants it. Departments that the author does not manage keep naming the set. */
const withSet = (
  author: Pick<Caller, 'departments'>,
  period: HourPeriod,
  {
    id,
    version,
    departments,
    isCompanySet,
  }: Pick<Form, 'departments' | 'isCompanySet'> & { id: string; version: number },
): Omit<HourPeriod, 'from'> => {
  const { sets, companySet } = withoutSet(period, id)
  const unmanaged = period.sets[id]?.departments?.filter(department => !manages(author, department)) ?? []
  const naming = new Set([...departments, ...unmanaged])
  return {
    sets: {
      ...withoutNames(sets, naming),
      [id]: { version, ...(naming.size > 0 && { departments: [...naming].sort() }) },
    },
    ...(isCompanySet ? { companySet: id } : companySet !== undefined && { companySet }),
  }
}

const isTooLarge = ({ periods }: HourBook): boolean =>
  periods.length > mostHourPeriods ||
  periods.some(
    ({ sets }) =>
      Object.keys(sets).length > mostHourSets ||
      Object.values(sets).reduce((sum, each) => sum + (each.departments?.length ?? 0), 0) > mostNamingDepartments,
  )

/**
 * A company's sets with a change from a day on. Other sets keep their later changes, but lose the departments that
 * this set names. Throws 10002 for a day in the future or too long ago, 60004 for a missing set, and 60072 above a
 * limit.
 */
export const withHourSet = async (
  author: Pick<Caller, 'table' | 'departments'>,
  company: Pick<Company, 'timezone' | 'hasHours'>,
  form: Form,
  newSetId: string,
): Promise<HourChange> => {
  const today = localDay(company.timezone, Date.now())
  const { from = today, set, isCompanySet, departments } = form
  if (from > today || from < addMonths(today, -mostRuleMonths)) throw new Problem(10002, { from: 10002 })
  const { version: _, ...book } = await readHourBook(author.table, company)
  const latest = latestHourPeriod(book)
  const { id = newSetId } = form
  const before = latest.sets[id]
  if (form.id !== undefined && !before) throw new Problem(60004, { id: 60004 })
  if (!set) return { id, book: changeHours(book, period => withoutSet(period, id), from), changedFrom: from }
  const [stored] = before ? await readContents(author.table, [before.version]) : []
  const isSameContent = stored !== undefined && textOf(formOf(stored)) === textOf(set)
  const version = isSameContent ? stored.setVersion : book.last + 1
  const next = { id, version, departments, isCompanySet }
  const present = hourPeriodOn(book, from)
  const isSame = textOf({ ...present, from: undefined }) === textOf(withSet(author, present, next))
  if (isSame && present === latest) return { id, book }
  const numbered = { ...book, last: Math.max(book.last, version) }
  const changed = changeHours(numbered, period => withSet(author, period, next), from)
  if (isTooLarge(changed)) throw new Problem(60072)
  return {
    id,
    book: changed,
    ...(!isSameContent && { content: { ...set, id, setVersion: version } }),
    changedFrom: from,
  }
}

export const changeHourSet = async (caller: Caller, form: Form) => {
  const { table } = caller
  const [company] = await Promise.all([readCompany(caller), checkForm(caller, form)])
  const stored = await readHourBook(table, company)
  const { id, book, content, changedFrom } = await withHourSet(caller, company, form, newId())
  const warnings = warningsOf(form.set)
  if (company.version !== form.version) throw new Problem(60006)
  if (changedFrom === undefined) return { id, warnings }
  const { writes, ...started } = owe(caller, 'attparams/hours/update', { ...form, id, from: changedFrom })
  const note = await table.get(hourSetNoteKey(id))
  const { set, isCompanySet, departments } = form
  const next = set && {
    ...{ id, name: set.name, from: changedFrom, isCompanySet },
    ...(departments.length > 0 && { departments }),
    setVersion: latestHourPeriod(book).sets[id]?.version ?? 0,
  }
  const noteKey = hourSetNoteKey(id)
  await save(
    table.replace(companyKey(), { ...company, hasHours: true, version: form.version }),
    stored.version === undefined
      ? table.insert(hourBookKey(), book)
      : table.replace(hourBookKey(), { ...book, version: stored.version }),
    ...(content ? [table.insert(hourContentKey(content.setVersion), content)] : []),
    ...(next
      ? [note ? table.replace(noteKey, { ...next, version: note.version }) : table.insert(noteKey, next)]
      : note
        ? [table.remove(noteKey, note.version)]
        : []),
    ...writes,
  )
  return { id, ...started, warnings }
}

export const beginHourPreview = async (caller: Caller, form: Form) => {
  const [company] = await Promise.all([readCompany(caller), checkForm(caller, form)])
  await withHourSet(caller, company, form, newId())
  if (company.version !== form.version) throw new Problem(60006)
  return { ...(await beginTask(caller, 'attparams/hours/preview', form)), warnings: warningsOf(form.set) }
}
