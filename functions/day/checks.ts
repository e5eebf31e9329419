import { checkRows } from '../../shared/attendance/check/check-rows.ts'
import type { WeekContext } from '../../shared/attendance/check/weekly-average.ts'
import { defaultParameters } from '../../shared/attendance/input.ts'
import { type CheckName, checkNames, isCheck, type Row } from '../../shared/attendance/row.ts'
import { type Company, isLocked } from '../../shared/company.ts'
import type { CalculatedRow, DayRow } from '../../shared/day.ts'
import type { Employee } from '../../shared/employee.ts'
import { addDays, daysBetween, laterDay } from '../../shared/local-day.ts'
import {
  isAllDay,
  type LeaveRequest,
  mostLeaveDays,
  requestPk,
  requestStatus,
  requestTypes,
} from '../../shared/request.ts'
import type { HourRules } from '../hours/store.ts'
import type { Item, Table } from '../kit/table.ts'
import { rowsBetween } from './rows.ts'

// Judges calculated rows by the working-time checks of their hour sets. The rest and the average also depend on rows
// that the calculation did not touch, and a calculated row changes the judgement of later ones.

type CheckMinutes = NonNullable<CalculatedRow['checkMinutes']>

/** A rest between two days can be short on so many days after a calculated one. */
const restReachDays = 2

interface Calculated {
  rows: CalculatedRow[]
  /** The stored rows around the range. */
  stored: Item<DayRow>[]
  range: { from: string; to: string }
  company: Company
  employee: Employee
  hours?: HourRules | undefined
  now: number
  uploadedTo: number
  calculatedAt: string
}

export interface Judged {
  judged: CalculatedRow[]
  /** Stored rows outside the range whose judgement changes. */
  beyond: { day: string; before: Item<DayRow>; after: CalculatedRow }[]
}

export const areSameChecks = (
  { checkMinutes: one = {} }: Pick<CalculatedRow, 'checkMinutes'>,
  { checkMinutes: other = {} }: Pick<CalculatedRow, 'checkMinutes'>,
): boolean => checkNames.every(name => one[name] === other[name])

/** The row with the findings in place of earlier ones. */
const withChecks = <R extends CalculatedRow>(row: R, found: CheckMinutes | undefined): R => {
  const { checkMinutes: _, ...bare } = row
  const checks = checkNames.filter(name => found?.[name] !== undefined)
  const exceptions = [...row.exceptions.filter(exception => !isCheck(exception)), ...checks]
  return { ...bare, exceptions, ...(found && { checkMinutes: found }) } as unknown as R
}

/** Days of full leave, with or without a row. */
const readLeaveDays = async (table: Table, employee: string, from: string, to: string): Promise<Set<string>> => {
  const leaves = await table.all<LeaveRequest>({
    ...{ pk: requestPk(employee), from, to: `${addDays(to, mostLeaveDays)}~` },
    where: [
      ['status', '=', requestStatus.approved],
      ['type', '=', requestTypes.leave],
      ['day', 'below', addDays(to, 1)],
    ],
  })
  return new Set(leaves.filter(isAllDay).flatMap(({ day, toDay }) => daysBetween(laterDay(day, from), toDay)))
}

/** Judges rows by their own sets, among all rows that matter for them. */
const findChecks = (
  all: readonly CalculatedRow[],
  own: readonly CalculatedRow[],
  hours: HourRules,
  context: WeekContext,
): Map<Row, CheckMinutes> => {
  const found = new Map<Row, CheckMinutes>()
  for (const [checks, rows] of Map.groupBy(own, ({ department, day }) => hours.setOn(department, day)?.checks)) {
    if (!checks) continue
    const judged = new Set<Row>(rows)
    for (const { row, check, minutes } of checkRows(all, checks as Parameters<typeof checkRows>[1], context))
      if (judged.has(row)) found.set(row, { ...found.get(row), [check satisfies CheckName]: minutes })
  }
  return found
}

/** Adds the findings to calculated rows. Locked days keep theirs. Without a check in any set, nothing is read. */
export const judgeChecks = async (
  table: Table,
  { rows, stored, range, company, employee, hours, now, uploadedTo, calculatedAt }: Calculated,
): Promise<Judged> => {
  if (!hours?.contents.some(({ checks }) => checks)) return { judged: rows, beyond: [] }
  const weeks = Math.max(0, ...hours.contents.map(({ checks }) => checks?.weeklyAverage?.weeks ?? 0))
  const judgedFrom = weeks > 0 ? addDays(range.from, -7) : range.from
  const judgedTo = addDays(range.to, Math.max(restReachDays, 7 * (weeks - 1)))
  const [from, to] = [addDays(range.from, -7 * weeks), addDays(range.to, 7 * Math.max(1, weeks))]
  const [known, leaveDays] =
    weeks > 0
      ? await Promise.all([rowsBetween(table, employee.id, from, to), readLeaveDays(table, employee.id, from, to)])
      : [stored, new Set<string>()]
  const isKept = ({ day }: Row) => day < range.from || day > range.to || isLocked(company, day)
  const kept = known.filter(isKept)
  const all = [...kept, ...rows.filter(row => !isLocked(company, row.day))]
  const own = all.filter(({ day }) => day >= judgedFrom && day <= judgedTo && !isLocked(company, day))
  const { timezone: zone, parameters: { firstWeekday } = defaultParameters } = company
  const found = findChecks(all, own, hours, { zone, firstWeekday, employee, leaveDays, asOf: now, uploadedTo })
  const locked = new Map(kept.map(row => [`${row.day} ${row.shift}`, row]))
  return {
    judged: rows.map(row =>
      withChecks(
        row,
        isLocked(company, row.day) ? locked.get(`${row.day} ${row.shift}`)?.checkMinutes : found.get(row),
      ),
    ),
    beyond: kept.flatMap(row => {
      if (row.day < judgedFrom || row.day > judgedTo || isLocked(company, row.day)) return []
      const { version: _, cause: __, history: ___, ...calculated } = row
      const after = withChecks({ ...calculated, calculatedAt }, found.get(row))
      return areSameChecks(row, after) ? [] : [{ day: row.day, before: row, after }]
    }),
  }
}
