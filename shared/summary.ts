import type { Change } from './change.ts'
import type { DayRow } from './day.ts'
import { type Figures, figuredFields, figuresOf, noFigures } from './figure.ts'
import { kindsOfRow } from './hours/row.ts'
import { addSums, type FigureSum, type KindSum, noSum, sumOfRow, sumWithKinds } from './measure.ts'
import type { Key } from './table.ts'

// The figures of a day, of a company and of each department. A dashboard shows them without reading rows. A changed row
// recalculates its summary from the rows; nothing increments it.

/** The counts of a day. An employee counts once, however many shifts they have. */
export const countNames = ['should', 'active', 'late', 'early', 'exception', 'over', 'absent'] as const
export type CountName = (typeof countNames)[number]
/**
 * Numbers of employees. `should`: scheduled, neither on leave all day nor on a holiday; `active`: those of them who
 * punched.
 */
export type Counts = Record<CountName, number>

/** All employees expected at the same times; null for a duty without clock times. */
export interface DutyCount {
  from: number | null
  to: number | null
  should: number
  /** The employees who punched for this duty. */
  active: number
  /**
   * The employees whose first duty of the day this is and who punched for none. The sum over a day is `should` less
   * `active`.
   */
  missing: number
}

export interface MissingPerson {
  employee: string
  shift: string | null
  /** Start of the first duty; null without clock times. */
  from: number | null
}

export interface Summary extends Counts {
  day: string
  /** The number of punches in the day's rows, by date. A night shift has punches on the next date. */
  records: Record<string, number>
  /**
   * The number of employees whose figures are not final, by date. The date is the day itself or, for weekly-flexible
   * shifts, the last day of the week.
   */
  open: Record<string, number>
  /** The sums of the rows' figures, in minutes and in printed hundredths of hours. */
  figures: Figures
  hundredths: Figures
  /** The same by hour kind; absent without hour sets. */
  kinds?: KindSum
  duties: DutyCount[]
  /** The first missing employees, by the start of their duty. */
  missing: MissingPerson[]
}

/** The scope of a company's summary; other scopes are departments. */
export const wholeCompany = 'company'
/** The most missing employees in a summary. */
export const mostMissing = 50

/** A stored summary. A company's summary made from rows, not from parts, also stores its sources. */
export interface KeptSummary extends Summary {
  scope: string
  /** Every department that ever had a summary. */
  departments?: string[]
  /** The employees whose rows were read from the table itself, and when (epoch seconds), because the index may lag. */
  looked?: Record<string, number>
}

export const summaryKey = (scope: string, day: string): Key<KeptSummary> => ({ pk: `SUMMARY#${scope}`, sk: day })
/** The summary of one part of the day's index, on days with several parts. Their sum is the summary. */
export const summaryPartKey = (scope: string, day: string, part: number): Key<KeptSummary> => ({
  pk: `SUMMARY_PART#${scope}`,
  sk: `${day}#${String(part).padStart(4, '0')}`,
})

export const noSummary = (day: string): Summary => ({
  day,
  ...{ should: 0, active: 0, late: 0, early: 0, exception: 0, over: 0, absent: 0 },
  records: {},
  open: {},
  figures: noSum().minutes,
  hundredths: noSum().hundredths,
  duties: [],
  missing: [],
})

/** A duty without clock times starts at the beginning of the day. */
const startOf = ({ from }: { from: number | null }) => from ?? Number.NEGATIVE_INFINITY
const inOrder = (first: MissingPerson, second: MissingPerson) =>
  startOf(first) === startOf(second) ? (first.employee < second.employee ? -1 : 1) : startOf(first) - startOf(second)
const dutyOrder = (first: DutyCount, second: DutyCount) =>
  startOf(first) === startOf(second) ? (first.to ?? 0) - (second.to ?? 0) : startOf(first) - startOf(second)

const sumOf = (list: readonly number[]) => list.reduce((sum, number) => sum + number, 0)

const sumDuties = (list: DutyCount[]): DutyCount[] =>
  [...Map.groupBy(list, ({ from, to }) => `${from} ${to}`).values()]
    .flatMap(group => {
      const [first] = group
      if (!first) return []
      const sum = (name: 'should' | 'active' | 'missing') => sumOf(group.map(duty => duty[name]))
      return [{ ...first, should: sum('should'), active: sum('active'), missing: sum('missing') }]
    })
    .sort(dutyOrder)

const sumByDate = (list: Record<string, number>[]): Record<string, number> => {
  const byDate = Map.groupBy(list.flatMap(Object.entries<number>), ([date]) => date)
  return Object.fromEntries([...byDate].map(([date, group]) => [date, sumOf(group.map(([, count]) => count))]).sort())
}

const figuresIn = ({ minutes, hundredths, kinds }: FigureSum) => ({
  ...{ figures: minutes, hundredths },
  ...(kinds && { kinds }),
})

/** The sum of a summary. One stored by an earlier version lacks the hundredths until its migration. */
export const sumOfSummary = ({
  figures,
  hundredths,
  kinds,
}: Pick<Summary, 'figures'> & Partial<Summary>): FigureSum => {
  const minutes = { ...noFigures(), ...figures }
  return { minutes, hundredths: hundredths ?? sumOfRow(minutes).hundredths, ...(kinds && { kinds }) }
}

/** Adds the summaries of different employees on one day. */
export const sumSummaries = (day: string, summaries: Summary[]): Summary => {
  const sum = noSummary(day)
  for (const name of countNames) sum[name] = sumOf(summaries.map(summary => summary[name]))
  return {
    ...sum,
    records: sumByDate(summaries.map(({ records }) => records)),
    open: sumByDate(summaries.map(({ open }) => open)),
    ...figuresIn(summaries.map(sumOfSummary).reduce(addSums, noSum())),
    duties: sumDuties(summaries.flatMap(({ duties }) => duties)),
    missing: summaries
      .flatMap(({ missing }) => missing)
      .sort(inOrder)
      .slice(0, mostMissing),
  }
}

/** The attributes of a row that a summary needs. */
export const summedFields = [
  ...figuredFields,
  ...(['employee', 'department', 'day', 'exceptions', 'punches', 'dutyTo', 'firstIn', 'lastOut'] as const),
  ...(['hours'] as const),
] as const
export type SummedRow = Pick<DayRow, (typeof summedFields)[number]>

/** Scheduled, not on leave all day, and not on a holiday. */
const isExpected = ({ kind, shift }: SummedRow) => shift !== null && (kind === 'work' || kind === 'flexible')
const isPresent = ({ firstIn, lastOut }: SummedRow) => firstIn !== null || lastOut !== null

/**
 * Skips a punch that is also the clock-out of the previous shift, because that shift counts it. Skips punches that
 * count for another shift.
 */
const recordsOf = (rows: SummedRow[]): Summary['records'] => {
  const keys = rows.flatMap(({ punches }) =>
    punches.flatMap(({ key, use }) => (use === 'otherShift' || use === 'handOver' ? [] : [key])),
  )
  const dates = [...new Set(keys)].map(key => (key.split('#')[1] ?? '').slice(0, 10))
  return Object.fromEntries([...Map.groupBy(dates, date => date)].map(([date, group]) => [date, group.length]))
}

/** A day is over when its rows are final, a week when it is settled. */
const openOf = (day: string, rows: SummedRow[]): Summary['open'] => {
  const days = rows.some(({ state }) => state !== 'final') ? [day] : []
  const weeks = rows.flatMap(({ week }) => (week && !week.settled ? [week.to] : []))
  return Object.fromEntries([...new Set([...days, ...weeks])].map(last => [last, 1]))
}

/** The summary of one employee's rows of a day. */
const summaryOfPerson = (day: string, rows: SummedRow[]): Summary => {
  const sum = rows.map(row => sumWithKinds(figuresOf(row), kindsOfRow(row))).reduce(addSums, noSum())
  const figures = sum.minutes
  const expected = rows.filter(isExpected).sort((a, b) => startOf({ from: a.dutyFrom }) - startOf({ from: b.dutyFrom }))
  const [first] = expected
  const isActive = expected.some(isPresent)
  const countIf = (condition: boolean) => (condition ? 1 : 0)
  return {
    day,
    should: countIf(first !== undefined),
    active: countIf(isActive),
    late: countIf(figures.lateMinutes > 0),
    early: countIf(figures.earlyLeaveMinutes > 0),
    exception: countIf(rows.some(({ exceptions }) => exceptions.length > 0)),
    over: countIf(figures.overtimeMinutes > 0),
    absent: countIf(figures.absentMinutes > 0),
    records: recordsOf(rows),
    open: openOf(day, rows),
    ...figuresIn(sum),
    duties: sumDuties(
      expected.map(row => ({
        ...{ from: row.dutyFrom, to: row.dutyTo, should: 1, active: countIf(isPresent(row)) },
        missing: countIf(row === first && !isActive),
      })),
    ),
    missing: first && !isActive ? [{ employee: first.employee, shift: first.shift, from: first.dutyFrom }] : [],
  }
}

/** The summary of the rows of one day. */
export const summaryOf = (day: string, rows: SummedRow[]): Summary =>
  sumSummaries(
    day,
    [...Map.groupBy(rows, ({ employee }) => employee).values()].map(rowsOfEmployee =>
      summaryOfPerson(day, rowsOfEmployee),
    ),
  )

/** The table does not keep the key order of a map. */
const isSame = (a: unknown, b: unknown): boolean => {
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return a === b
  const names = Object.keys(a)
  const property = (thing: object, name: string) => (thing as Record<string, unknown>)[name]
  return names.length === Object.keys(b).length && names.every(name => isSame(property(a, name), property(b, name)))
}

const visibleFields = ({ departments: _, looked: __, version: ___, ...summary }: Kept) => summary
type Kept = KeptSummary & { version?: number }

/** Whether two summaries look the same to a reader. */
export const isSameSummary = (first: Kept, second: Kept): boolean => isSame(visibleFields(first), visibleFields(second))

const isVisibleChange = ({ old, new: next }: Change<KeptSummary>) => !old || !next || !isSameSummary(old, next)

export const summaryFacts = (change: Change<KeptSummary>) =>
  isVisibleChange(change) ? [{ type: 'summary.changed' as const, company: change.company }] : []

export const summaryPartFacts = (change: Change<KeptSummary>) => {
  const part = change.new ?? change.old
  if (!part || !isVisibleChange(change)) return []
  return [{ type: 'part.changed' as const, company: change.company, scope: part.scope, day: part.day }]
}
