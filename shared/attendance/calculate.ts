import type { Assigned } from './assign.ts'
import { assign, byDuty } from './assign.ts'
import { dayName, dayNumber, weekStart } from './calendar.ts'
import { employmentsOf } from './employment.ts'
import { fixedRow, toAssigned } from './fixed-row.ts'
import type { Input } from './input.ts'
import { localDayOf } from './local-day.ts'
import { addCutWeek, addWeek, isCut, localRow } from './local-row.ts'
import { joinNights } from './pairs.ts'
import type { Group } from './punch.ts'
import { groupPunches } from './punch.ts'
import type { Row } from './row.ts'
import type { Entry } from './run.ts'
import { startRun, zoneOn } from './run.ts'
import { flexibleWeeks } from './weekly.ts'
import { isSkipped } from './zone.ts'

// The whole calculation from punches to day rows. Pure: equal input gives equal rows, in any input order.

/**
 * The days of schedule, punches and requests to read before and after the requested days. A punch changes rows at most
 * this far away. A punch period reaches into the adjacent dates, and the previous shift can decide about a punch. The
 * third day covers a date that the zone skipped, and very wide punch periods that overlap in a chain.
 */
export const marginDays = 3

const entriesOf = ({ schedule, shifts }: Input): Entry[] =>
  schedule.map(({ day, shift: id }) => {
    const shift = shifts[id]
    if (!shift) throw new RangeError(`a scheduled shift is not given: ${id}`)
    return { id, day: dayNumber(day), shift }
  })

/** The employments as day numbers, oldest first. */
const employmentsIn = ({ employee }: Input) =>
  employmentsOf(employee).map(({ hireDay, endDay }) => ({
    from: hireDay === undefined ? Number.NEGATIVE_INFINITY : dayNumber(hireDay),
    to: endDay === undefined ? Number.POSITIVE_INFINITY : dayNumber(endDay),
  }))

/** Sorts fixed shifts by duty time and removes repeated schedule entries. */
const inDutyOrder = (shifts: readonly Assigned[]): Assigned[] =>
  shifts.toSorted(byDuty).filter((shift, index, sorted) => {
    const before = sorted[index - 1]
    return before?.instance !== shift.instance || before.id !== shift.id
  })

const inOrder = (a: Row, b: Row): number =>
  a.day < b.day
    ? -1
    : a.day > b.day
      ? 1
      : (a.dutyFrom ?? 0) - (b.dutyFrom ?? 0) || ((a.shift ?? '') < (b.shift ?? '') ? -1 : 1)

/**
 * The rows of one employee's work days `from` to `to`, by day and duty time. Each scheduled shift has a row, and so has
 * each day with work but no shift. Days outside employment and dates that the zone skipped have no rows. A week of a
 * weekly-flexible shift gets its figures if the range contains all seven days (`wholeWeeks`). Without reasons the rows
 * lack punches and reasons, and are otherwise the same. With `minutes` they have reasons, which place the minutes, but
 * lack punches. Throws a RangeError for malformed input.
 */
export const calculate = (input: Input, withReasons: boolean | 'minutes' = true): Row[] => {
  const run = startRun(input, withReasons)
  const employments = employmentsIn(input)
  const isEmployed = (day: number) => employments.some(({ from, to }) => day >= from && day <= to)
  const [from, to] = [dayNumber(input.from), dayNumber(input.to)]
  const isWanted = (day: number) => day >= from && day <= to && isEmployed(day)

  const entries = entriesOf(input)
  const scheduled: Assigned[] = []
  const flexible = new Map<number, Entry>()
  for (const entry of entries) {
    if (!isEmployed(entry.day)) continue
    if (entry.shift.kind === 'weekly') {
      const previous = flexible.get(entry.day)
      if (!isSkipped(zoneOn(run, dayName(entry.day)), entry.day) && (!previous || entry.id < previous.id))
        flexible.set(entry.day, entry)
    } else {
      const assigned = toAssigned(run, entry)
      if (assigned) scheduled.push(assigned)
    }
  }
  const fixed = inDutyOrder(scheduled)
  const fixedOn = (day: number) => fixed.find(({ instance }) => instance.day === day)

  // Step 11: a punch outside every punch period belongs to its local date. If that date has a weekly-flexible shift,
  // the punch counts there. Beside a fixed shift the punch does not count. Otherwise the date gets its own row.
  const local = new Map<number, Group[]>()
  for (const day of flexible.keys()) local.set(day, [])
  for (const group of assign(groupPunches(input.punches, run.parameters.bounceSeconds), fixed)) {
    const day = localDayOf(run, group.first)
    const groupsOfDay = local.get(day)
    const fixedShift = groupsOfDay ? undefined : fixedOn(day)
    if (fixedShift) fixedShift.outside.push(group)
    else if (groupsOfDay) groupsOfDay.push(group)
    else local.set(day, [group])
  }

  const waits = run.choices.pairsWithoutShift
    ? joinNights({
        local,
        hasShift: day => flexible.has(day) || !isEmployed(day),
        outside: day => fixedOn(day)?.outside,
      })
    : undefined

  const { firstWeekday } = run.parameters
  const partDays = new Set(run.choices.partHolidays?.map(({ day }) => day))
  const weeks = flexible.size > 0 ? flexibleWeeks(entries, flexible.keys(), firstWeekday, partDays) : undefined
  const rows: Row[] = []
  for (const assigned of fixed) {
    if (isWanted(assigned.instance.day)) rows.push(fixedRow(run, assigned))
  }
  for (const [day, groups] of local) {
    const week = weeks?.get(weekStart(day, firstWeekday))
    if (isWanted(day)) rows.push(localRow(run, day, groups, flexible.get(day), week, waits?.get(day)))
  }
  rows.sort(inOrder)
  const settlements: Row[] = []
  const ended = employments.at(-1)?.to ?? Number.POSITIVE_INFINITY
  for (const week of weeks?.values() ?? []) {
    if (dayName(week.from) < input.from || dayName(week.to) > input.to) continue
    const rowsOfWeek = rows.filter(row => row.day >= dayName(week.from) && row.day <= dayName(week.to))
    const entriesOfWeek = [...flexible.values()].filter(({ day }) => day >= week.from && day <= week.to)
    const { locked } = input
    if (locked && isCut(week, locked)) {
      const settlement = addCutWeek(run, week, rowsOfWeek, entriesOfWeek, locked, ended)
      if (settlement) settlements.push(settlement)
    } else addWeek(run, week, rowsOfWeek, entriesOfWeek)
  }
  return settlements.length > 0 ? [...rows, ...settlements].sort(inOrder) : rows
}
