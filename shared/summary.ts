import type { Change } from './change.ts'
import type { DayRow } from './day.ts'
import { addFigures, type Figures, figureNames, figuresOf, noFigures } from './figure.ts'
import type { Key } from './table.ts'

// A day of a company, and of each of its departments, in figures: what a dashboard shows without reading anybody's rows. Made
// anew from the rows whenever one of them changes, never added to.

/** What somebody is counted for on a day, once however many shifts it has. */
export const countNames = ['should', 'active', 'late', 'early', 'exception', 'over', 'absent'] as const
export type CountName = (typeof countNames)[number]
/** In employees. `should`: scheduled, neither on leave all day nor on a holiday; `active`: those of them who punched. */
export type Counts = Record<CountName, number>

/** All who are expected at the same times; null for a duty without clock times. */
export interface DutyCount {
  from: number | null
  to: number | null
  should: number
  /** Who punched for this duty. */
  active: number
  /** Whose first duty of the day this is, and who has punched for none of them: summed over a day, `should` less `active`. */
  missing: number
}

export interface MissingPerson {
  employee: string
  shift: string | null
  /** Where the first duty begins; null without clock times. */
  from: number | null
}

export interface Summary extends Counts {
  day: string
  /** How many punches of each date are counted in the day's rows, each in one row: a night shift has some of the next date. */
  records: Record<string, number>
  /** How many people there is more to come of, by the day that is not over for them: this one, or the last of its week. */
  open: Record<string, number>
  /** Sums of what each row counts for. */
  figures: Figures
  duties: DutyCount[]
  /** The first of them, by the beginning of their duty. */
  missing: MissingPerson[]
}

/** What a summary is about: a department, or everybody. */
export const wholeCompany = 'company'
/** More than that nobody reads one by one. */
export const mostMissing = 50

/** As it is kept. What is made from rows, and not from parts, remembers in everybody's summary what it was made from. */
export interface KeptSummary extends Summary {
  scope: string
  /** Each department there has ever been a summary of. */
  departments?: string[]
  /** Whose rows were read from the table itself, and when (epoch seconds): the index may not show them yet. */
  looked?: Record<string, number>
}

export const summaryKey = (scope: string, day: string): Key<KeptSummary> => ({ pk: `SUMMARY#${scope}`, sk: day })
/** Of the people of one part of the day's index, on days that have several; their sum is the summary. */
export const summaryPartKey = (scope: string, day: string, part: number): Key<KeptSummary> => ({
  pk: `SUMMARY_PART#${scope}`,
  sk: `${day}#${String(part).padStart(4, '0')}`,
})

export const noSummary = (day: string): Summary => ({
  day,
  ...{ should: 0, active: 0, late: 0, early: 0, exception: 0, over: 0, absent: 0 },
  records: {},
  open: {},
  figures: noFigures(),
  duties: [],
  missing: [],
})

/** Whatever has no clock times is due from the beginning of the day. */
const startOf = ({ from }: { from: number | null }) => from ?? Number.NEGATIVE_INFINITY
const inOrder = (one: MissingPerson, other: MissingPerson) =>
  startOf(one) === startOf(other) ? (one.employee < other.employee ? -1 : 1) : startOf(one) - startOf(other)
const dutyOrder = (one: DutyCount, other: DutyCount) =>
  startOf(one) === startOf(other) ? (one.to ?? 0) - (other.to ?? 0) : startOf(one) - startOf(other)

const sumOf = (list: readonly number[]) => list.reduce((sum, number) => sum + number, 0)

const sumDuties = (list: DutyCount[]): DutyCount[] =>
  [...Map.groupBy(list, ({ from, to }) => `${from} ${to}`).values()]
    .flatMap(same => {
      const [first] = same
      if (!first) return []
      const sum = (name: 'should' | 'active' | 'missing') => sumOf(same.map(duty => duty[name]))
      return [{ ...first, should: sum('should'), active: sum('active'), missing: sum('missing') }]
    })
    .sort(dutyOrder)

const sumByDate = (list: Record<string, number>[]): Record<string, number> => {
  const byDate = Map.groupBy(list.flatMap(Object.entries<number>), ([date]) => date)
  return Object.fromEntries([...byDate].map(([date, same]) => [date, sumOf(same.map(([, count]) => count))]).sort())
}

/** Of different people on one day, taken together. */
export const sumSummaries = (day: string, list: Summary[]): Summary => {
  const sum = noSummary(day)
  for (const name of countNames) sum[name] = sumOf(list.map(one => one[name]))
  return {
    ...sum,
    records: sumByDate(list.map(({ records }) => records)),
    open: sumByDate(list.map(({ open }) => open)),
    figures: list.map(({ figures }) => figures).reduce(addFigures, noFigures()),
    duties: sumDuties(list.flatMap(({ duties }) => duties)),
    missing: list
      .flatMap(({ missing }) => missing)
      .sort(inOrder)
      .slice(0, mostMissing),
  }
}

/** What of a row it takes to sum it. */
export const summedFields = [
  ...figureNames,
  ...(['employee', 'department', 'day', 'shift', 'kind', 'state', 'week', 'exceptions', 'punches'] as const),
  ...(['dutyFrom', 'dutyTo', 'firstIn', 'lastOut'] as const),
] as const
export type SummedRow = Pick<DayRow, (typeof summedFields)[number]>

/** Scheduled, not on leave all day, not on a holiday. */
const isExpected = ({ kind, shift }: SummedRow) => shift !== null && (kind === 'work' || kind === 'flexible')
const isPresent = ({ firstIn, lastOut }: SummedRow) => firstIn !== null || lastOut !== null

/** A punch that two shifts share is counted where it is the out; what another shift took is counted there. */
const recordsOf = (rows: SummedRow[]): Summary['records'] => {
  const keys = rows.flatMap(({ punches }) =>
    punches.flatMap(({ key, use }) => (use === 'otherShift' || use === 'handOver' ? [] : [key])),
  )
  const dates = [...new Set(keys)].map(key => (key.split('#')[1] ?? '').slice(0, 10))
  return Object.fromEntries([...Map.groupBy(dates, date => date)].map(([date, same]) => [date, same.length]))
}

/** A day is over once its rows are final, a week once it is settled. */
const openOf = (day: string, rows: SummedRow[]): Summary['open'] => {
  const days = rows.some(({ state }) => state !== 'final') ? [day] : []
  const weeks = rows.flatMap(({ week }) => (week && !week.settled ? [week.to] : []))
  return Object.fromEntries([...new Set([...days, ...weeks])].map(last => [last, 1]))
}

/** What one person's rows of a day amount to. */
const summaryOfPerson = (day: string, rows: SummedRow[]): Summary => {
  const figures = rows.map(figuresOf).reduce(addFigures, noFigures())
  const expected = rows
    .filter(isExpected)
    .sort((one, other) => startOf({ from: one.dutyFrom }) - startOf({ from: other.dutyFrom }))
  const [first] = expected
  const isActive = expected.some(isPresent)
  const has = (is: boolean) => (is ? 1 : 0)
  return {
    day,
    should: has(first !== undefined),
    active: has(isActive),
    late: has(figures.lateMinutes > 0),
    early: has(figures.earlyLeaveMinutes > 0),
    exception: has(rows.some(({ exceptions }) => exceptions.length > 0)),
    over: has(figures.overtimeMinutes > 0),
    absent: has(figures.absentMinutes > 0),
    records: recordsOf(rows),
    open: openOf(day, rows),
    figures,
    duties: sumDuties(
      expected.map(row => ({
        ...{ from: row.dutyFrom, to: row.dutyTo, should: 1, active: has(isPresent(row)) },
        missing: has(row === first && !isActive),
      })),
    ),
    missing: first && !isActive ? [{ employee: first.employee, shift: first.shift, from: first.dutyFrom }] : [],
  }
}

/** What rows of one day amount to. */
export const summaryOf = (day: string, rows: SummedRow[]): Summary =>
  sumSummaries(
    day,
    [...Map.groupBy(rows, ({ employee }) => employee).values()].map(own => summaryOfPerson(day, own)),
  )

/** The table gives a map back in an order of its own. */
const isSame = (one: unknown, other: unknown): boolean => {
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return one === other
  const names = Object.keys(one)
  const at = (thing: object, name: string) => (thing as Record<string, unknown>)[name]
  return names.length === Object.keys(other).length && names.every(name => isSame(at(one, name), at(other, name)))
}

const shown = ({ departments: _, looked: __, version: ___, ...summary }: Kept) => summary
type Kept = KeptSummary & { version?: number }

/** Whether two say the same to who reads them. */
export const isSameSummary = (one: Kept, other: Kept): boolean => isSame(shown(one), shown(other))

const saysSomethingElse = ({ old, new: now }: Change<KeptSummary>) => !old || !now || !isSameSummary(old, now)

export const summaryFacts = (change: Change<KeptSummary>) =>
  saysSomethingElse(change) ? [{ type: 'summary.changed' as const, company: change.company }] : []

export const summaryPartFacts = (change: Change<KeptSummary>) => {
  const part = change.new ?? change.old
  if (!part || !saysSomethingElse(change)) return []
  return [{ type: 'part.changed' as const, company: change.company, scope: part.scope, day: part.day }]
}
