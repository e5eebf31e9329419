import type { Assigned } from './assign.ts'
import { assign, byDuty } from './assign.ts'
import { dayName, dayNumber, weekStart } from './calendar.ts'
import { judgeDay } from './day.ts'
import { continueHash, hashText, mixNumber, mixText } from './hash.ts'
import { judgeHoliday } from './holiday.ts'
import type { Input } from './input.ts'
import { hashShift, mixGroups, mixHash, mixLeave, mixSpans } from './input-hash.ts'
import { instanceOf } from './instance.ts'
import { leaveOf } from './leave.ts'
import { localDayEnd, localDayOf, localDayStart } from './local-day.ts'
import { openDay } from './open-day.ts'
import type { Group } from './punch.ts'
import { groupPunches } from './punch.ts'
import { judgeRestDay } from './rest-day.ts'
import type { Row } from './row.ts'
import type { Run } from './run.ts'
import { startRun } from './run.ts'
import type { Shift } from './shift.ts'
import { nothing, spanOf } from './span.ts'
import { stateOf } from './state.ts'
import { listPunches } from './used-punch.ts'
import type { FlexibleWeek } from './weekly.ts'
import { countPresence, flexibleWeeks, judgeFlexibleDay, judgeWeek, shareOf } from './weekly.ts'
import { isSkipped } from './zone.ts'

// The whole calculation: punches in, day rows out. Pure: the same input gives the same rows, whatever its order.

interface Entry {
  readonly id: string
  readonly day: number
  readonly shift: Shift & { version: number }
}

/**
 * How many days of schedule, punches and requests are read before and after the days asked for. A punch period reaches
 * into the dates beside it, and whose a punch is can follow from the shift before that.
 */
export const marginDays = 2

const stateCodes = { pending: 0, provisional: 1, final: 2 } as const

/** Scheduled shifts, each once. */
const entriesOf = ({ schedule, shifts }: Input): Entry[] => {
  const entries = new Map<string, Entry>()
  for (const { day, shift: id } of schedule) {
    const shift = shifts[id]
    if (!shift) throw new RangeError(`a scheduled shift is not given: ${id}`)
    entries.set(`${day} ${id}`, { id, day: dayNumber(day), shift })
  }
  return [...entries.values()]
}

/** A fixed shift on its day, its punch period extended by the approved overtime that touches it. */
const toAssigned = (run: Run, { id, day, shift }: Entry): Assigned | null => {
  const instance = instanceOf(run.zone, day, shift)
  if (!instance) return null
  let { punchStart: opens, punchEnd: closes } = instance
  for (const { from, to } of run.overtime) {
    if (from > instance.punchEnd || to < instance.punchStart) continue
    opens = Math.min(opens, from)
    closes = Math.max(closes, to)
  }
  return { id, instance, opens, closes, groups: [], handedOver: false, elsewhere: [], outside: [] }
}

/** The row of a fixed shift on a day. */
const fixedRow = (run: Run, assigned: Assigned): Row => {
  const { id, instance, opens, closes, groups, handedOver, elsewhere, outside } = assigned
  const { on, off, shift, dayName: name } = instance
  const kind = run.holidays.has(name) ? 'holiday' : 'work'
  const day = openDay(run, name, kind, closes, groups, { id, version: shift.version, on, off })
  const { row, uses } = day
  const leave = leaveOf(run.leaves, instance.day, on, off, instance.duty)
  const from = Math.min(opens, groups[0]?.first ?? opens)
  const to = Math.max(closes, groups.at(-1)?.last ?? closes)
  const requested =
    run.overtime.length === 0 ? nothing : run.overtime.filter(span => span.to >= from && span.from <= to)

  const hash = continueHash(run.hash)
  mixText(hash, id)
  mixHash(hash, instance.hash)
  mixNumber(hash, stateCodes[row.state] * 4 + (kind === 'holiday' ? 2 : 0) + (handedOver ? 1 : 0))
  mixGroups(hash, groups)
  mixGroups(hash, elsewhere)
  mixGroups(hash, outside)
  mixLeave(hash, leave)
  mixSpans(hash, requested)
  row.inputHash = hashText(hash)

  if (kind === 'holiday') judgeHoliday(day, instance)
  else judgeDay(day, instance, leave, requested)
  if (run.withReasons) row.punches = listPunches(groups, uses, assigned)
  return row
}

/** The row of a day without a fixed shift: of a weekly-flexible one, or of work on a day without any. */
const localRow = (
  run: Run,
  number: number,
  groups: readonly Group[],
  entry: Entry | undefined,
  week: FlexibleWeek | undefined,
): Row => {
  const name = dayName(number)
  const from = localDayStart(run, number)
  const closes = localDayEnd(run, number)
  const kind = entry && run.holidays.has(name) ? 'holiday' : week ? 'flexible' : 'rest'
  const day = openDay(run, name, kind, closes, groups)
  const { row, uses } = day
  const hash = continueHash(run.hash)
  mixNumber(hash, number)
  mixNumber(hash, from)
  mixNumber(hash, closes)
  mixText(hash, `${row.state} ${kind}`)
  mixGroups(hash, groups)
  if (entry && week) {
    row.shift = entry.id
    row.shiftVersion = entry.shift.version
    const share = shareOf(week, entry)
    const leave = leaveOf(run.leaves, number, from, closes + 1, spanOf(from, closes + 1))
    mixText(hash, entry.id)
    mixHash(hash, hashShift(entry.shift))
    mixNumber(hash, share)
    mixLeave(hash, leave)
    judgeFlexibleDay(day, entry.shift, share, leave)
  } else if (week) {
    mixHash(hash, hashShift(week.last.shift))
    countPresence(day, week.last.shift)
  } else judgeRestDay(day)
  row.inputHash = hashText(hash)
  if (run.withReasons) row.punches = listPunches(groups, uses)
  return row
}

/** Puts a week's figures on the row of its last weekly-flexible day. `rows` and `entries` are those of the week. */
const addWeek = (run: Run, week: FlexibleWeek, rows: readonly Row[], entries: readonly Entry[]): void => {
  const local = rows.filter(row => row.dutyFrom === null)
  const carrier = local.findLast(row => row.shift !== null)
  if (!carrier) return
  const isSettled = stateOf(localDayEnd(run, week.to), run.asOf, run.uploadedTo) === 'final'
  carrier.week = judgeWeek(week, local, entries, isSettled)
  const hash = continueHash(run.hash)
  mixText(hash, carrier.inputHash)
  mixText(hash, Object.values(carrier.week).join())
  carrier.inputHash = hashText(hash)
}

const inOrder = (a: Row, b: Row): number =>
  a.day < b.day
    ? -1
    : a.day > b.day
      ? 1
      : (a.dutyFrom ?? 0) - (b.dutyFrom ?? 0) || ((a.shift ?? '') < (b.shift ?? '') ? -1 : 1)

/**
 * The rows of one employee's work days `from` to `to`: one for each scheduled shift and one for each day with work but no
 * shift, by day and duty time. None before hire, after the end date and on dates the zone skipped. Weeks of weekly-flexible
 * shifts get their figures where all seven days lie in the range (`wholeWeeks`). Without reasons the rows carry no punches
 * and no reasons, and are otherwise the same. Throws a RangeError for input that is not well formed.
 */
export const calculate = (input: Input, withReasons = true): Row[] => {
  const run = startRun(input, withReasons)
  const { hireDay, endDay } = input.employee
  const hired = hireDay === undefined ? Number.NEGATIVE_INFINITY : dayNumber(hireDay)
  const ended = endDay === undefined ? Number.POSITIVE_INFINITY : dayNumber(endDay)
  const from = Math.max(hired, dayNumber(input.from))
  const to = Math.min(ended, dayNumber(input.to))

  const entries = entriesOf(input)
  const fixed: Assigned[] = []
  const flexible = new Map<number, Entry>()
  for (const entry of entries) {
    if (entry.day < hired || entry.day > ended) continue
    if (entry.shift.kind === 'weekly') {
      const known = flexible.get(entry.day)
      if (!isSkipped(run.zone, entry.day) && (!known || entry.id < known.id)) flexible.set(entry.day, entry)
    } else {
      const assigned = toAssigned(run, entry)
      if (assigned) fixed.push(assigned)
    }
  }

  fixed.sort(byDuty)

  // Step 11: what no punch period takes belongs to its local date: to that of a weekly-flexible shift, to nothing where
  // there is a fixed one, else to a row of its own.
  const local = new Map<number, Group[]>()
  for (const day of flexible.keys()) local.set(day, [])
  for (const group of assign(groupPunches(input.punches, run.parameters.bounceSeconds), fixed)) {
    const day = localDayOf(run, group.first)
    const known = local.get(day)
    const beside = known ? undefined : fixed.find(({ instance }) => instance.day === day)
    if (beside) beside.outside.push(group)
    else if (known) known.push(group)
    else local.set(day, [group])
  }

  const { firstWeekday } = run.parameters
  const weeks = flexible.size > 0 ? flexibleWeeks(entries, firstWeekday) : undefined
  const rows: Row[] = []
  for (const assigned of fixed) {
    if (assigned.instance.day >= from && assigned.instance.day <= to) rows.push(fixedRow(run, assigned))
  }
  for (const [day, groups] of local) {
    const week = weeks?.get(weekStart(day, firstWeekday))
    if (day >= from && day <= to) rows.push(localRow(run, day, groups, flexible.get(day), week))
  }
  rows.sort(inOrder)
  for (const week of weeks?.values() ?? []) {
    if (dayName(week.from) < input.from || dayName(week.to) > input.to) continue
    addWeek(
      run,
      week,
      rows.filter(row => row.day >= dayName(week.from) && row.day <= dayName(week.to)),
      [...flexible.values()].filter(({ day }) => day >= week.from && day <= week.to),
    )
  }
  return rows
}
