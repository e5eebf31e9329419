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

// Summarises days from their rows: each part of a day's index, and the whole day if it has several parts.

const summedAtOnce = 6
const employeesAtOnce = 16
/** Much longer than the index lags behind the table. */
const lagSeconds = 60

export interface Part {
  day: string
  part: number
  /** The employees whose rows changed. */
  employees: ReadonlySet<string>
}

/**
 * The rows of one part of a day. The index lags behind the table, so recently changed employees' rows come from the
 * table.
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

const write = async (table: Table, key: Key<KeptSummary>, before: Item<KeptSummary> | undefined, next: KeptSummary) =>
  save(before ? table.replace(key, { ...next, version: before.version }) : table.insert(key, next))

/**
 * Recalculates the summaries of one part of a day and writes those that differ. Reads the summaries before the rows, so
 * a stale concurrent run fails its version check and retries. The company's summary lists a department before that
 * department's summary exists, so that none is lost.
 */
export const sumPart = (table: Table, company: Company, changed: Part): Promise<void> =>
  again(async () => {
    const { day, part, employees } = changed
    const keyOf = (scope: string) =>
      partsOn(company, day) === 1 ? summaryKey(scope, day) : summaryPartKey(scope, day, part)
    const whole = await table.get(keyOf(wholeCompany))
    const previous = whole?.departments ?? []
    const summaries = await table.getMany(previous.map(keyOf))
    const before = new Map(previous.map((department, i) => [department, summaries[i]]))

    const now = Math.floor(Date.now() / 1000)
    const recent = Object.entries(whole?.looked ?? {}).filter(([, at]) => at > now - lagSeconds)
    const looked = Object.fromEntries([
      ...recent,
      ...[...employees].map((employee): [string, number] => [employee, now]),
    ])
    const rows = await readRows(table, changed, Object.keys(looked))

    if (!whole && rows.length === 0) return
    const byDepartment = Map.groupBy(rows, ({ department }) => department)
    const departments = [...new Set([...previous, ...byDepartment.keys()])].sort()
    const next = { ...summaryOf(day, rows), scope: wholeCompany, departments, looked }
    const isNoted = (employee: string) => recent.some(([id]) => id === employee)
    if (!whole || !isSameSummary(whole, next) || departments.length > previous.length || ![...employees].every(isNoted))
      await write(table, keyOf(wholeCompany), whole, next)
    await atOnce(summedAtOnce, departments, async scope => {
      const old = before.get(scope)
      const summary = { ...summaryOf(day, byDepartment.get(scope) ?? []), scope }
      if (!old || !isSameSummary(old, summary)) await write(table, keyOf(scope), old, summary)
    })
  }, wasSlower)

/** Summarises a day that has several parts from the summaries of the parts. */
export const sumParts = (table: Table, scope: string, day: string): Promise<void> =>
  again(async () => {
    const key = summaryKey(scope, day)
    const before = await table.get(key)
    const parts = await table.all<KeptSummary>({ pk: summaryPartKey(scope, day, 0).pk, from: day, to: `${day}#~` })
    const summary = { ...sumSummaries(day, parts), scope }
    if (!before || !isSameSummary(before, summary)) await write(table, key, before, summary)
  }, wasSlower)

/** Recalculates the summaries of a whole day. Writes nothing if the stored summaries are right. */
export const sumDay = async (table: Table, company: Company, day: string): Promise<void> => {
  const parts = partsOn(company, day)
  for (let part = 0; part < parts; part++) await sumPart(table, company, { day, part, employees: new Set() })
  if (parts === 1) return
  const summaries = await table.all<KeptSummary>({
    pk: summaryPartKey(wholeCompany, day, 0).pk,
    from: day,
    to: `${day}#~`,
  })
  const departments = new Set(summaries.flatMap(({ departments = [] }) => departments))
  await atOnce(summedAtOnce, [wholeCompany, ...departments], scope => sumParts(table, scope, day))
}
