import type { Change } from './change.ts'
import type { DayRow } from './day.ts'
import { addFigures, type Figures, figuresOf, noFigures } from './figure.ts'
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

/** One part of the day's index, as it is kept. */
export interface KeptSummary extends Summary {
  scope: string
  part: number
  /** Of everybody's alone: each department this part has ever had a summary of. */
  departments?: string[]
  /** Of everybody's alone: whose rows were read from the table itself, and when (epoch seconds). The index may not show them yet. */
  looked?: Record<string, number>
}

export const summaryKey = (scope: string, day: string, part: number): Key<KeptSummary> => ({
  pk: `SUMMARY#${scope}`,
  sk: `${day}#${String(part).padStart(4, '0')}`,
})

export const noSummary = (day: string): Summary => ({
  day,
  ...{ should: 0, active: 0, late: 0, early: 0, exception: 0, over: 0, absent: 0 },
  records: {},
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

/** Of different people on one day, taken together. */
export const sumSummaries = (day: string, list: Summary[]): Summary => {
  const sum = noSummary(day)
  for (const name of countNames) sum[name] = sumOf(list.map(one => one[name]))
  const records = Map.groupBy(
    list.flatMap(one => Object.entries(one.records)),
    ([date]) => date,
  )
  return {
    ...sum,
    records: Object.fromEntries(
      [...records].map(([date, same]) => [date, sumOf(same.map(([, count]) => count))]).sort(),
    ),
    figures: list.map(({ figures }) => figures).reduce(addFigures, noFigures()),
    duties: sumDuties(list.flatMap(({ duties }) => duties)),
    missing: list
      .flatMap(({ missing }) => missing)
      .sort(inOrder)
      .slice(0, mostMissing),
  }
}

/** Scheduled, not on leave all day, not on a holiday. */
const isExpected = ({ kind, shift }: DayRow) => shift !== null && (kind === 'work' || kind === 'flexible')
const isPresent = ({ firstIn, lastOut }: DayRow) => firstIn !== null || lastOut !== null

/** A punch that two shifts share is counted where it is the out; what another shift took is counted there. */
const recordsOf = (rows: DayRow[]): Summary['records'] => {
  const keys = rows.flatMap(({ punches }) =>
    punches.flatMap(({ key, use }) => (use === 'otherShift' || use === 'handOver' ? [] : [key])),
  )
  const dates = [...new Set(keys)].map(key => (key.split('#')[1] ?? '').slice(0, 10))
  return Object.fromEntries([...Map.groupBy(dates, date => date)].map(([date, same]) => [date, same.length]))
}

/** What one person's rows of a day amount to. */
const summaryOfPerson = (day: string, rows: DayRow[]): Summary => {
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
export const summaryOf = (day: string, rows: DayRow[]): Summary =>
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

const shown = ({ scope: _, part: __, departments: ___, looked: ____, version: _____, ...summary }: Kept) => summary
type Kept = KeptSummary & { version?: number }

/** Whether two say the same to who reads them. */
export const isSameSummary = (one: Kept, other: Kept): boolean => isSame(shown(one), shown(other))

export const summaryFacts = ({ company, old, new: now }: Change<KeptSummary>) =>
  old && now && isSameSummary(old, now) ? [] : [{ type: 'summary.changed' as const, company }]
