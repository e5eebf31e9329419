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

/** One save may change hundreds of objects: a page ends with the one that makes it so long. */
const mostCharacters = 100_000

/** Entries are large: who looks for words gets what was found in so many, and asks for the next page. */
const mostRead = 300

/** A save of an import is told in one entry or a few, and taken back in some more. */
const mostLinesOfObject = 32
const isId = (text: string) => /^[a-z0-9]{16}$/.test(text)

/**
 * Where an import tells of an object it made, at most one range: each entry has rows that follow each other, so that those with
 * this object begin nearest before it.
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

type Named = { id: string; noun: ReferenceKind }

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

/** Whether a change tells of these folded words: in the object's name then, or whose it is, or in what was there or came in its place. */
const holds = ({ name, fields }: AuditedChange, words: string, whose = '') =>
  [name, whose, ...textsIn(fields)].some(text => searchText(text).includes(words))

const isSomebodys = (noun: AuditedNoun) => noun === 'schedule' || (noun !== 'employee' && tellsOfPerson.has(noun))

/** Whose ids an entry holds. */
const referencesOf = ({ employee, changes }: AuditEntry): Named[] => [
  ...(employee ? [{ id: employee, noun: 'employee' as const }] : []),
  ...changes.flatMap(({ noun, id, fields }) => [
    ...(noun === 'schedule' || tellsOfPerson.has(noun) ? [{ id, noun: 'employee' as const }] : []),
    ...Object.entries(fields).flatMap(([name, { before, after }]) => {
      const referred = referredBy(noun, name)
      return referred ? [before, after].flatMap(idsIn).map(id => ({ id, noun: referred })) : []
    }),
  ]),
]

/** How things are called now, by their ids; people also when they have left. */
const namesOf = async (table: Table, references: Named[]): Promise<Map<string, string>> => {
  const idsOf = (noun: Named['noun']) => [...new Set(references.flatMap(one => (one.noun === noun ? [one.id] : [])))]
  const read = async <T>(noun: Named['noun'], key: (id: string) => Key<T>, name: (item: T) => string) => {
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
    /** As text, instants stand in their order only while their years have four digits. */
    const instant = (day: string, later = 0) => {
      const known = laterDay('2000-01-01', earlierDay('2999-12-31', day))
      return new Date(dayStart(timezone, dayNumber(known) + later) * 60_000).toISOString()
    }
    /** What is somebody's is called by who that is, as they are called now. */
    const whose = new Map<string, string>()
    const learn = async (entries: AuditEntry[]) => {
      const people = entries.flatMap(({ changes }) =>
        changes.flatMap(({ noun, id }) =>
          isSomebodys(noun) && !whose.has(id) ? [{ id, noun: 'employee' as const }] : [],
        ),
      )
      for (const [id, name] of await namesOf(table, people)) whose.set(id, name)
    }
    /** The changes a row is about; a filter by noun, object and words means one change that is all of it. */
    const meant = ({ changes }: AuditEntry) =>
      changes.filter(
        change =>
          (!noun || change.noun === noun) &&
          (!object || change.id === object) &&
          (!words || holds(change, words, whose.get(change.id))),
      )
    const where: Where[] = []
    if (noun) where.push(['nouns', 'contains', noun])
    if (object) where.push(['objects', 'contains', object])
    if (employee) where.push(['employee', '=', employee])
    const common: Omit<Range<AuditEntry>, 'pk'> = {
      reverse: true,
      where,
      ...(from && { from: instant(from) }),
      // An entry stands behind the instant it bears, so one of the next day's first moment stays out.
      ...(to && { to: instant(to, 1) }),
    }
    const main = { ...common, pk: auditPk }
    const lines = { ...common, pk: auditLinesPk }
    const { list, next } = await readList<AuditEntry>(table, {
      ranges: task
        ? // As the rows of its sheet stand.
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
      keep: entry => meant(entry).length > 0,
      mostRead,
      mostCharacters,
    })
    const shown = list.map(entry => ({ ...entry, changes: meant(entry) }))
    const references = shown.map(referencesOf)
    const names = await namesOf(table, references.flat())
    return {
      list: shown.map(({ id, at, employee, apiKey, device, job, ip, path, changes }, i) => {
        const known = (references[i] ?? []).flatMap(({ id }) => (names.has(id) ? [[id, names.get(id) ?? '']] : []))
        const name = employee ? names.get(employee) : apiKey?.name
        return {
          ...{ id, at, employee, apiKey: apiKey?.id, device, job, ip, path, changes },
          ...(name && { name }),
          names: Object.fromEntries(known) as Record<string, string>,
        }
      }),
      ...(next && { next }),
    }
  },
})
