import type { Assigned } from './assign.ts'
import { assign } from './assign.ts'
import { dayName, dayNumber, weekStart } from './calendar.ts'
import { judgeDay } from './day.ts'
import { engineVersion } from './engine-version.ts'
import type { Hash } from './hash.ts'
import { continueHash, hashText, mixNumber, mixText, startHash } from './hash.ts'
import { judgeHoliday } from './holiday.ts'
import type { Input, Parameters } from './input.ts'
import { hashShift, instanceOf } from './instance.ts'
import type { Leave } from './leave.ts'
import { bookLeave, leaveOf } from './leave.ts'
import type { Group } from './punch.ts'
import { groupPunches, minuteOf } from './punch.ts'
import type { Reason } from './reason.ts'
import { judgeRestDay, localDayEnd, localDayOf } from './rest-day.ts'
import type { Row, Use, UsedPunch } from './row.ts'
import type { Run } from './run.ts'
import { openRow } from './run.ts'
import type { Shift } from './shift.ts'
import { nothing, spanOf, union } from './span.ts'
import { wallMinutes } from './wall-time.ts'
import type { FlexibleWeek } from './weekly.ts'
import { flexibleWeeks, judgeFlexibleDay, judgeFlexibleRestDay, settleWeek, shareOf } from './weekly.ts'
import { dayStart, isSkipped } from './zone.ts'

// The whole calculation: punches in, day rows out. Pure: the same input gives the same rows, whatever its order.

type VersionedShift = Shift & { version: number }

interface Entry {
  readonly id: string
  readonly day: number
  readonly shift: VersionedShift
}

/** Scheduled shifts of days on which the employee is employed, each once. */
const entriesOf = (input: Input): { all: Entry[]; employed: Entry[] } => {
  const { hireDay, endDay } = input.employee
  const all: Entry[] = []
  const seen = new Set<string>()
  for (const { day, shift: id } of input.schedule) {
    const shift = input.shifts[id]
    if (!shift) throw new RangeError(`scheduled shift is not given: ${id}`)
    const name = `${day} ${id}`
    if (seen.has(name)) continue
    seen.add(name)
    all.push({ id, day: dayNumber(day), shift })
  }
  const from = hireDay === undefined ? Number.NEGATIVE_INFINITY : dayNumber(hireDay)
  const to = endDay === undefined ? Number.POSITIVE_INFINITY : dayNumber(endDay)
  return { all, employed: all.filter(({ day }) => day >= from && day <= to) }
}

/** Approved overtime that touches the punch period extends it. */
const toAssigned = (run: Run, { id, day, shift }: Entry): Assigned | null => {
  const instance = instanceOf(run.zone, day, shift)
  if (!instance) return null
  let { punchStart: opens, punchEnd: closes } = instance
  for (const span of run.overtime) {
    if (span.from > instance.punchEnd || span.to < instance.punchStart) continue
    opens = Math.min(opens, span.from)
    closes = Math.max(closes, span.to)
  }
  return { id, instance, opens, closes, groups: [], handedOver: false, elsewhere: [], outside: [] }
}

const hashParameters = (zone: string, parameters: Parameters): Hash => {
  const hash = startHash()
  mixNumber(hash, engineVersion)
  mixText(
    hash,
    [
      zone,
      parameters.version,
      parameters.bounceSeconds,
      parameters.deductGaps,
      parameters.trustDeviceState,
      parameters.splitTime,
      parameters.restDayWorkIsOvertime,
      parameters.holidayWorkIsOvertime,
      parameters.minimumOvertimeMinutes,
      parameters.maximumOvertimeMinutes,
      parameters.fullDutyFirst,
      parameters.firstWeekday,
    ].join(),
  )
  return hash
}

const startRun = (input: Input, withReasons: boolean): Run => {
  const { zone, parameters, requests } = input
  const holidays = new Set(input.holidays)
  const overtime = requests.flatMap(request =>
    request.kind === 'overtime' ? [{ from: minuteOf(request.from), to: minuteOf(request.to) }] : [],
  )
  return {
    zone,
    parameters,
    splitMinutes: wallMinutes(parameters.splitTime),
    asOf: minuteOf(input.asOf),
    uploadedTo: input.uploadedTo === undefined ? Number.NEGATIVE_INFINITY : minuteOf(input.uploadedTo),
    isHoliday: day => holidays.has(day),
    leaves: bookLeave(requests),
    overtime: union(overtime),
    withReasons,
    hash: hashParameters(zone, parameters),
  }
}

const stateCodes = { pending: 0, provisional: 1, final: 2 } as const

const mixGroups = (hash: Hash, groups: readonly Group[]): void => {
  mixNumber(hash, groups.length)
  for (const group of groups) {
    mixNumber(hash, group.punches.length)
    for (const punch of group.punches) {
      mixNumber(hash, punch.at)
      mixText(hash, punch.key)
      mixNumber(hash, punch.state === undefined ? 0 : punch.state === 'in' ? 1 : 2)
    }
  }
}

const mixLeave = (hash: Hash, leave: Leave): void => {
  mixNumber(hash, leave.full ? 1 : 0)
  if (leave.minutes === 0 && leave.spans.length === 0) return
  for (const span of leave.spans) {
    mixNumber(hash, span.from)
    mixNumber(hash, span.to)
  }
  for (const [type, minutes] of Object.entries(leave.types)) {
    mixText(hash, type)
    mixNumber(hash, minutes)
  }
}

const listPunches = (
  groups: readonly Group[],
  uses: readonly Use[],
  handedOver: boolean,
  elsewhere: readonly Group[],
  outside: readonly Group[],
): UsedPunch[] => {
  const list: UsedPunch[] = []
  const add = (group: Group, use: Use) => {
    // The out is the last punch of its group, every other use its first; the rest of the group repeats it.
    const counted = use === 'out' ? group.punches.length - 1 : 0
    group.punches.forEach(({ at, key }, index) => {
      list.push({ at, key, use: index === counted || use === 'otherShift' || use === 'outside' ? use : 'repeat' })
    })
  }
  groups.forEach((group, index) => {
    add(group, index === 0 && handedOver ? 'handOver' : (uses[index] ?? 'inner'))
  })
  for (const group of elsewhere) add(group, 'otherShift')
  for (const group of outside) add(group, 'outside')
  if (elsewhere.length + outside.length > 0) list.sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1))
  return list
}

/** The row of a fixed shift on a day. */
const fixedRow = (run: Run, assigned: Assigned): Row => {
  const { id, instance, opens, closes, groups, handedOver, elsewhere, outside } = assigned
  const { on, off, shift, dayName: day } = instance
  const isHoliday = run.isHoliday(day)
  const row = openRow(run, day, isHoliday ? 'holiday' : 'work', closes, { id, version: shift.version, on, off })
  const leave = leaveOf(run.leaves, instance.day, on, off, instance.duty)
  const from = Math.min(opens, groups[0]?.first ?? opens)
  const to = Math.max(closes, groups.at(-1)?.last ?? closes)
  const requested =
    run.overtime.length === 0 ? nothing : run.overtime.filter(span => span.to >= from && span.from <= to)

  const hash = continueHash(run.hash)
  mixText(hash, id)
  mixNumber(hash, instance.hash.a)
  mixNumber(hash, instance.hash.b)
  mixNumber(hash, closes)
  mixNumber(hash, stateCodes[row.state] * 4 + (isHoliday ? 2 : 0) + (handedOver ? 1 : 0))
  mixGroups(hash, groups)
  mixGroups(hash, elsewhere)
  mixGroups(hash, outside)
  mixLeave(hash, leave)
  for (const span of requested) {
    mixNumber(hash, span.from)
    mixNumber(hash, span.to)
  }
  row.inputHash = hashText(hash)

  const uses: Use[] = []
  const reasons: Reason[] | undefined = run.withReasons ? row.reasons : undefined
  if (isHoliday) judgeHoliday(run, row, assigned, uses, reasons)
  else judgeDay(run, row, assigned, leave, requested, uses, reasons)
  if (run.withReasons) row.punches = listPunches(groups, uses, handedOver, elsewhere, outside)
  return row
}

/** Work by local date: the groups no punch period took. */
interface LocalDay {
  readonly day: number
  readonly entry: Entry | undefined
  readonly week: FlexibleWeek | undefined
  readonly groups: readonly Group[]
}

/** The row of a weekly-flexible day, or of work on a day without a shift. */
const localRow = (run: Run, { day, entry, week, groups }: LocalDay): Row => {
  const name = dayName(day)
  const closes = localDayEnd(run, day)
  const kind = entry && run.isHoliday(name) ? 'holiday' : week ? 'flexible' : 'rest'
  const row = openRow(run, name, kind, closes, undefined)
  const from = dayStart(run.zone, day, run.splitMinutes)
  const leave = leaveOf(run.leaves, day, from, closes + 1, spanOf(from, closes + 1))
  const hash = continueHash(run.hash)
  if (entry && week) {
    const shiftHash = hashShift(entry.shift)
    row.shift = entry.id
    row.shiftVersion = entry.shift.version
    mixText(hash, entry.id)
    mixNumber(hash, shiftHash.a)
    mixNumber(hash, shiftHash.b)
    mixNumber(hash, shareOf(week, day, entry.shift))
    mixLeave(hash, leave)
  }
  if (week) mixText(hash, `${week.weekly.breakMinutes} ${week.weekly.breakThresholdMinutes}`)
  mixNumber(hash, day)
  mixText(hash, `${row.state} ${kind}`)
  mixGroups(hash, groups)
  row.inputHash = hashText(hash)

  const uses: Use[] = []
  const reasons: Reason[] | undefined = run.withReasons ? row.reasons : undefined
  if (entry?.shift.weekly && week) {
    judgeFlexibleDay(run, row, entry.shift.weekly, shareOf(week, day, entry.shift), leave, groups, uses, reasons)
  } else if (week) judgeFlexibleRestDay(run, row, week.weekly, groups, uses, reasons)
  else judgeRestDay(run, row, groups, uses, reasons)
  if (run.withReasons) row.punches = listPunches(groups, uses, false, [], [])
  return row
}

/** Puts the figures of a week on the row of its last weekly-flexible day. */
const addWeek = (run: Run, week: FlexibleWeek, rows: readonly Row[], entries: readonly Entry[]): void => {
  const days = rows.filter(row => {
    const day = dayNumber(row.day)
    return day >= week.from && day <= week.to && row.dutyFrom === null
  })
  const flexible = days.filter(row => row.shift !== null)
  const carrier = flexible.at(-1)
  if (!carrier) return
  const targets = flexible
    .filter(row => row.kind === 'flexible')
    .map(row => {
      const entry = entries.find(({ id, day }) => id === row.shift && day === dayNumber(row.day))
      return entry?.shift.weekly?.targetMinutes ?? 0
    })
  const end = localDayEnd(run, week.to)
  const settled = run.asOf > end && (run.uploadedTo > end || run.asOf >= end + 1440)
  carrier.week = settleWeek(week, days, targets, settled)
  const hash = startHash()
  mixText(hash, carrier.inputHash)
  mixText(hash, JSON.stringify(carrier.week))
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
 * shifts get their figures where all seven days lie in the range. Throws a RangeError for input that is not well formed.
 */
export const calculate = (input: Input, withReasons = true): Row[] => {
  const run = startRun(input, withReasons)
  const first = dayNumber(input.from)
  const last = dayNumber(input.to)
  const { all, employed } = entriesOf(input)

  const fixed: Assigned[] = []
  const flexible = new Map<number, Entry>()
  for (const entry of employed) {
    if (entry.shift.kind === 'weekly') {
      if (!isSkipped(run.zone, entry.day)) flexible.set(entry.day, entry)
    } else {
      const assigned = toAssigned(run, entry)
      if (assigned) fixed.push(assigned)
    }
  }
  const weeks = flexible.size > 0 ? flexibleWeeks(all, run.parameters.firstWeekday) : new Map<number, FlexibleWeek>()
  const weekOf = (day: number) => (weeks.size > 0 ? weeks.get(weekStart(day, run.parameters.firstWeekday)) : undefined)

  // What no punch period takes belongs to its local date: to a weekly-flexible shift, to nothing beside a fixed one, or
  // to a row of its own.
  const byLocalDay = new Map<number, Group[]>()
  for (const day of flexible.keys()) byLocalDay.set(day, [])
  for (const group of assign(groupPunches(input.punches, run.parameters.bounceSeconds), fixed)) {
    const day = localDayOf(run, group.first)
    const beside = flexible.has(day) ? undefined : fixed.find(({ instance }) => instance.day === day)
    if (beside) beside.outside.push(group)
    else byLocalDay.set(day, [...(byLocalDay.get(day) ?? []), group])
  }

  const rows: Row[] = []
  for (const assigned of fixed) {
    if (assigned.instance.day >= first && assigned.instance.day <= last) rows.push(fixedRow(run, assigned))
  }
  const { hireDay = '', endDay = '9999' } = input.employee
  for (const [day, groups] of byLocalDay) {
    const name = dayName(day)
    if (day < first || day > last || name < hireDay || name > endDay) continue
    rows.push(localRow(run, { day, entry: flexible.get(day), week: weekOf(day), groups }))
  }
  rows.sort(inOrder)
  for (const week of weeks.values()) {
    if (week.from >= first && week.to <= last) addWeek(run, week, rows, employed)
  }
  return rows
}
