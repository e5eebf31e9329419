import { type Company, partsOn } from '../../shared/company.ts'
import { type DayRow, dayIndexPk, dayRowKey } from '../../shared/day.ts'
import {
  isSameSummary,
  type KeptSummary,
  type SummedRow,
  summaryKey,
  summaryOf,
  summaryPartKey,
  summedFields,
  sumSummaries,
  wholeCompany,
} from '../../shared/summary.ts'
import type { Key } from '../../shared/table.ts'
import { atOnce } from '../kit/each.ts'
import { again, wasSlower } from '../kit/table/change.ts'
import { type Item, save, type Table } from '../kit/table.ts'

// What days amount to, made anew from their rows: of one part of a day's index, and of the whole day where it has several.

const summedAtOnce = 6
const employeesAtOnce = 16
/** Far longer than an index takes to show what was written. */
const lagSeconds = 60

export interface Part {
  day: string
  part: number
  /** Whose rows changed. */
  employees: ReadonlySet<string>
}

/**
 * The rows of one part of a day. The index shows what was written a moment later, and not everywhere at once, so of whoever
 * may just have changed the table itself is asked.
 */
const readRows = async (table: Table, { day, part }: Part, looked: Iterable<string>): Promise<SummedRow[]> => {
  const employees = new Set(looked)
  const own = (employee: string) =>
    table.all<DayRow>({
      ...{ pk: dayRowKey(employee, '', null, 1).pk, from: day, to: `${day}#~`, only: [...summedFields] },
    })
  const [indexed, current] = await Promise.all([
    table.all<DayRow>({ index: 'byDay', pk: dayIndexPk(day, part), only: [...summedFields] }),
    atOnce(employeesAtOnce, [...employees], own),
  ])
  return [...indexed.filter(({ employee }) => !employees.has(employee)), ...current.flat()]
}

const write = async (table: Table, key: Key<KeptSummary>, before: Item<KeptSummary> | undefined, now: KeptSummary) =>
  save(before ? table.replace(key, { ...now, version: before.version }) : table.insert(key, now))

/**
 * Sums one part of a day anew, for everybody and for each department, and writes what differs. What stands there is read before
 * the rows, and replaced only as it was read: of two at once, the one that knew less looks again. A department is named in
 * everybody's summary before it has one of its own, so that none is forgotten.
 */
export const sumPart = (table: Table, company: Company, found: Part): Promise<void> =>
  again(async () => {
    const { day, part, employees } = found
    const keyOf = (scope: string) =>
      partsOn(company, day) === 1 ? summaryKey(scope, day) : summaryPartKey(scope, day, part)
    const whole = await table.get(keyOf(wholeCompany))
    const known = whole?.departments ?? []
    const kept = await table.getMany(known.map(keyOf))
    const before = new Map(known.map((department, i) => [department, kept[i]]))

    const now = Math.floor(Date.now() / 1000)
    const recent = Object.entries(whole?.looked ?? {}).filter(([, at]) => at > now - lagSeconds)
    const looked = Object.fromEntries([
      ...recent,
      ...[...employees].map((employee): [string, number] => [employee, now]),
    ])
    const rows = await readRows(table, found, Object.keys(looked))

    if (!whole && rows.length === 0) return
    const byDepartment = Map.groupBy(rows, ({ department }) => department)
    const departments = [...new Set([...known, ...byDepartment.keys()])].sort()
    const next = { ...summaryOf(day, rows), scope: wholeCompany, departments, looked }
    const isKnown = (employee: string) => recent.some(([one]) => one === employee)
    if (!whole || !isSameSummary(whole, next) || departments.length > known.length || ![...employees].every(isKnown))
      await write(table, keyOf(wholeCompany), whole, next)
    await atOnce(summedAtOnce, departments, async scope => {
      const old = before.get(scope)
      const summary = { ...summaryOf(day, byDepartment.get(scope) ?? []), scope }
      if (!old || !isSameSummary(old, summary)) await write(table, keyOf(scope), old, summary)
    })
  }, wasSlower)

/** A day of many people is the sum of its parts. */
export const sumParts = (table: Table, scope: string, day: string): Promise<void> =>
  again(async () => {
    const key = summaryKey(scope, day)
    const before = await table.get(key)
    const parts = await table.all<KeptSummary>({ pk: summaryPartKey(scope, day, 0).pk, from: day, to: `${day}#~` })
    const summary = { ...sumSummaries(day, parts), scope }
    if (!before || !isSameSummary(before, summary)) await write(table, key, before, summary)
  }, wasSlower)

/** A whole day, whoever's rows have changed; where it stands as it should nothing is written. */
export const sumDay = async (table: Table, company: Company, day: string): Promise<void> => {
  const parts = partsOn(company, day)
  for (let part = 0; part < parts; part++) await sumPart(table, company, { day, part, employees: new Set() })
  if (parts === 1) return
  const kept = await table.all<KeptSummary>({ pk: summaryPartKey(wholeCompany, day, 0).pk, from: day, to: `${day}#~` })
  const departments = new Set(kept.flatMap(({ departments = [] }) => departments))
  await atOnce(summedAtOnce, [wholeCompany, ...departments], scope => sumParts(table, scope, day))
}
