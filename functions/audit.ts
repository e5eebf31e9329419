import { dayNumber } from '../shared/attendance/calendar.ts'
import { dayStart } from '../shared/attendance/zone.ts'
import type { ReferenceKind } from '../shared/audit/field.ts'
import {
  type AuditEntry,
  type AuditedChange,
  auditLines,
  auditLinesPk,
  auditPaths,
  auditPk,
  referredBy,
  tellsOfPerson,
} from '../shared/audit.ts'
import type { AuditedNoun } from '../shared/change.ts'
import { departmentKey } from '../shared/department.ts'
import { employeeKey, formerEmployeeKey } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { earlierDay, laterDay } from '../shared/local-day.ts'
import { fullName } from '../shared/person-name.ts'
import { roleKey } from '../shared/role.ts'
import { searchQuery, searchText } from '../shared/search.ts'
import { shiftKey } from '../shared/shift.ts'
import type { Key } from '../shared/table.ts'
import { readCompany } from './company/store.ts'
import { lambda } from './kit/lambda.ts'
import { readList } from './kit/table/list.ts'
import type { Range, Table, Where } from './kit/table.ts'

/**
 * The most text of a page, because one save may change hundreds of objects. The entry that reaches this length ends the
 * page.
 */
const mostCharacters = 100_000

/**
 * The most entries that a search reads for one page, because entries are large. The caller then requests the next page.
 */
const mostRead = 300

/** An import logs a save in a few entries, and a rollback in a few more. */
const mostLinesOfObject = 32
const isId = (text: string) => /^[a-z0-9]{16}$/.test(text)

/**
 * The range of an import's entries about an object that the import made; empty if there are none. Each entry contains
 * consecutive objects and has its first object as key. So the entries with this object come last before the object's
 * own key.
 */
const linesOf = async (
  table: Table,
  object: string,
  { from = '', to = '~' }: Pick<Range<AuditEntry>, 'from' | 'to'>,
): Promise<Pick<Range<AuditEntry>, 'from' | 'to'>[]> => {
  const start = isId(object) ? auditLines(object) : ''
  if (start === '' || start < from || start > to) return []
  const end = `${start}${object}~`
  const where: Where[] = [['objects', 'contains', object]]
  const range = { pk: auditLinesPk, reverse: true, from: start, to: end, size: mostLinesOfObject, where }
  const { rows } = await table.part<AuditEntry>(range)
  const first = rows.at(-1)
  return first ? [{ from: first.at, to: end }] : []
}

type Reference = { id: string; noun: ReferenceKind }

const idsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? isId(value)
      ? [value]
      : []
    : value instanceof Object
      ? Object.values(value).flatMap(idsIn)
      : []

const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : value instanceof Object ? Object.values(value).flatMap(textsIn) : []

/**
 * Whether the folded words occur in a change. Searches the object's name at that time, its owner's name, and the old
 * and new values.
 */
const mentions = ({ name, fields }: AuditedChange, words: string, ownerName = '') =>
  [name, ownerName, ...textsIn(fields)].some(text => searchText(text).includes(words))

const belongsToPerson = (noun: AuditedNoun) => noun === 'schedule' || (noun !== 'employee' && tellsOfPerson.has(noun))

/** The objects that an entry mentions by id. */
const referencesOf = ({ employee, changes }: AuditEntry): Reference[] => [
  ...(employee ? [{ id: employee, noun: 'employee' as const }] : []),
  ...changes.flatMap(({ noun, id, fields }) => [
    ...(noun === 'schedule' || tellsOfPerson.has(noun) ? [{ id, noun: 'employee' as const }] : []),
    ...Object.entries(fields).flatMap(([name, { before, after }]) => {
      const referred = referredBy(noun, name)
      return referred ? [before, after].flatMap(idsIn).map(id => ({ id, noun: referred })) : []
    }),
  ]),
]

/** The current names of objects by id, including former employees. */
const namesOf = async (table: Table, references: Reference[]): Promise<Map<string, string>> => {
  const idsOf = (noun: Reference['noun']) => [
    ...new Set(references.flatMap(reference => (reference.noun === noun ? [reference.id] : []))),
  ]
  const read = async <T>(noun: Reference['noun'], key: (id: string) => Key<T>, name: (item: T) => string) => {
    const ids = idsOf(noun)
    const items = await table.getMany(ids.map(key))
    return items.flatMap((item, i) => (item ? [[ids[i] ?? '', name(item)] as const] : []))
  }
  return new Map(
    (
      await Promise.all([
        read('department', departmentKey, ({ name }) => name),
        read('role', roleKey, ({ name }) => name),
        read('shift', shiftKey, ({ name }) => name),
        read('employee', formerEmployeeKey, fullName),
        read('employee', employeeKey, fullName),
      ])
    ).flat(),
  )
}

export const handler = lambda(auditPaths, {
  'audit/grid': async ({ filters, size, page }, caller) => {
    const { from, to, noun, employee, object, task } = filters
    const words = searchQuery(filters.search ?? '')
    const { table } = caller
    if (from && to && to < from) throw new Problem(10002, { 'filters.to': 10002 })
    const { timezone } = from || to ? await readCompany(caller) : { timezone: 'UTC' }
    /** Instants sort as text only while their years have four digits. */
    const instant = (day: string, later = 0) => {
      const sortable = laterDay('2000-01-01', earlierDay('2999-12-31', day))
      return new Date(dayStart(timezone, dayNumber(sortable) + later) * 60_000).toISOString()
    }
    /** The current names of the people to whom objects belong. A search finds an object by its owner's name, too. */
    const ownerNames = new Map<string, string>()
    const learn = async (entries: AuditEntry[]) => {
      const people = entries.flatMap(({ changes }) =>
        changes.flatMap(({ noun, id }) =>
          belongsToPerson(noun) && !ownerNames.has(id) ? [{ id, noun: 'employee' as const }] : [],
        ),
      )
      for (const [id, name] of await namesOf(table, people)) ownerNames.set(id, name)
    }
    /** The changes that match the filters. One change must match noun, object and words together. */
    const matchingChanges = ({ changes }: AuditEntry) =>
      changes.filter(
        change =>
          (!noun || change.noun === noun) &&
          (!object || change.id === object) &&
          (!words || mentions(change, words, ownerNames.get(change.id))),
      )
    const where: Where[] = []
    if (noun) where.push(['nouns', 'contains', noun])
    if (object) where.push(['objects', 'contains', object])
    if (employee) where.push(['employee', '=', employee])
    const common: Omit<Range<AuditEntry>, 'pk'> = {
      reverse: true,
      where,
      ...(from && { from: instant(from) }),
      // The key of an entry continues after its instant, so this end excludes the first moment of the next day.
      ...(to && { to: instant(to, 1) }),
    }
    const main = { ...common, pk: auditPk }
    const lines = { ...common, pk: auditLinesPk }
    const { list, next } = await readList<AuditEntry>(table, {
      ranges: task
        ? // In the order of the sheet's rows.
          [
            {
              ...{ ...lines, from: auditLines(task), to: `${auditLines(task)}~`, reverse: false },
              where: [...where, ['task', '=', task]],
            },
          ]
        : object
          ? [main, ...(await linesOf(table, object, common)).map(range => ({ ...lines, ...range }))]
          : words
            ? [main, lines]
            : [main],
      name: `audit ${JSON.stringify(filters)}`,
      size,
      page,
      ...(words && { learn }),
      keep: entry => matchingChanges(entry).length > 0,
      mostRead,
      mostCharacters,
    })
    const shown = list.map(entry => ({ ...entry, changes: matchingChanges(entry) }))
    const references = shown.map(referencesOf)
    const names = await namesOf(table, references.flat())
    return {
      list: shown.map(({ id, at, employee, apiKey, device, job, ip, path, changes }, i) => {
        const named = (references[i] ?? []).flatMap(({ id }) => (names.has(id) ? [[id, names.get(id) ?? '']] : []))
        const name = employee ? names.get(employee) : apiKey?.name
        return {
          ...{ id, at, employee, apiKey: apiKey?.id, device, job, ip, path, changes },
          ...(name && { name }),
          names: Object.fromEntries(named) as Record<string, string>,
        }
      }),
      ...(next && { next }),
    }
  },
})
