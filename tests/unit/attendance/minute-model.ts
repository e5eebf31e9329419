import type { Input, Punch } from '../../../shared/attendance/input.ts'
import type { Exception, Row, Use } from '../../../shared/attendance/row.ts'
import type { Break, Shift } from '../../../shared/attendance/shift.ts'

// A second calculation of every kind of day, written only to be compared with the engine. It is deliberately simple: it
// lists the minutes around the day, asks of each one what the clock shows and what it is, and counts. Nothing is shared with
// the engine but the shapes of input and row.

export type ModelRow = Pick<
  Row,
  | 'kind'
  | 'firstIn'
  | 'lastOut'
  | 'dutyMinutes'
  | 'workMinutes'
  | 'lateMinutes'
  | 'earlyLeaveMinutes'
  | 'absentMinutes'
  | 'leaveMinutes'
  | 'overtimeMinutes'
  | 'breakMinutes'
  | 'longBreakMinutes'
  | 'leaveTypes'
  | 'state'
  | 'week'
> & { exceptions: Exception[]; punches: { at: number; use: Use }[] }

const minute = 60_000
const cut = (at: number) => Math.floor(at / minute)
const dayOf = (day: string) => Date.parse(`${day}T00:00Z`) / minute
const later = (day: string, days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
const range = (from: number, to: number) => {
  const minutes: number[] = []
  for (let at = from; at < to; at++) minutes.push(at)
  return minutes
}

const formats = new Map<string, Intl.DateTimeFormat>()
/** Readings by zone and minute. A long run asks for more of them than memory holds. */
const asked = new Map<string, Map<number, number>>()
const mostReadings = 2_000_000
let readingCount = 0

/** What the clock of the zone shows at a minute, as the minute at which a clock in UTC shows it. */
const clock = (zone: string, at: number): number => {
  let readings = asked.get(zone)
  if (!readings) {
    readings = new Map()
    asked.set(zone, readings)
    const options = { timeZone: zone, dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' } as const
    formats.set(zone, new Intl.DateTimeFormat('sv-SE', options))
  }
  let reading = readings.get(at)
  if (reading === undefined) {
    reading =
      Date.parse(
        `${formats
          .get(zone)
          ?.format(at * minute)
          .replace(' ', 'T')}Z`,
      ) / minute
    readings.set(at, reading)
    if (++readingCount > mostReadings) {
      asked.clear()
      readingCount = 0
    }
  }
  return reading
}

/** The minute at which the clock shows a reading: every minute is asked until the clock is well past it. */
const find = (zone: string, reading: number, last = false): number => {
  const showing: number[] = []
  let passed = Number.NaN
  for (let at = reading - 15 * 60; at < reading + 13 * 60; at++) {
    const shown = clock(zone, at)
    if (shown === reading) showing.push(at)
    if (Number.isNaN(passed) && shown > reading) passed = at
    if (shown > reading + 4 * 60) break
  }
  const shown = last ? showing.at(-1) : showing[0]
  if (shown !== undefined) return shown
  // The clock jumps over it: as far behind the jump as it would have been.
  return find(zone, reading + clock(zone, passed) - clock(zone, passed - 1) - 1)
}

const wall = (day: string, text: string) =>
  dayOf(day) + Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5)) + Number(text.slice(5) || 0) * 1440

interface Group {
  punches: Punch[]
  first: number
  last: number
}

interface Instance {
  id: string
  day: string
  shift: Shift
  on: number
  off: number
  opens: number
  closes: number
  /** The minutes that belong to the slot of each break, and where its punches are looked for. */
  breaks: { minutes: Set<number>; opens: number; closes: number; rule: Break }[]
  groups: Group[]
}

const placeBreaks = (zone: string, day: string, shift: Shift) => {
  let free = -Infinity
  return shift.breaks
    .map(rule => ({ rule, start: find(zone, wall(day, rule.start)), end: find(zone, wall(day, rule.end)) }))
    .sort((a, b) => a.start - b.start || wall(day, a.rule.start) - wall(day, b.rule.start))
    .map(({ rule, start, end }) => {
      const from = Math.max(start, free)
      free = from + rule.durationMinutes
      return { rule, minutes: new Set(range(from, free)), opens: start, closes: Math.max(end, free) }
    })
}

const overtimeOf = ({ requests }: Input) =>
  requests.flatMap(request =>
    request.kind === 'overtime' && cut(request.from) < cut(request.to)
      ? [{ from: cut(request.from), to: cut(request.to) }]
      : [],
  )

const isSkipped = (zone: string, day: string) => {
  const start = dayOf(day)
  for (let at = start - 15 * 60; at < start + 37 * 60; at++) {
    if (clock(zone, at) >= start && clock(zone, at) < start + 1440) return false
  }
  return true
}

const isEmployed = ({ employee: { hireDay, endDay } }: Input, day: string) =>
  (hireDay === undefined || day >= hireDay) && (endDay === undefined || day <= endDay)

/** The first and the last minute of the punch period, in which on and off duty always lie. */
const periodOf = (zone: string, day: string, shift: Shift, on: number, off: number): [from: number, to: number] => {
  let from = find(zone, wall(day, shift.punchStart))
  let to = find(zone, wall(day, shift.punchEnd), true)
  if (from > on) {
    // A clock that jumps behind on duty is read back from there, minute by minute, as if it had not jumped.
    from = on
    for (let at = wall(day, shift.punchStart); at < wall(day, shift.onDuty); at++) from--
  }
  if (to < off) {
    to = off
    for (let at = wall(day, shift.offDuty); at < wall(day, shift.punchEnd); at++) to++
  }
  return [Math.min(from, on, off), Math.max(to, on, off)]
}

const instancesOf = (input: Input): Instance[] => {
  const { zone, schedule, shifts } = input
  const names = new Set(schedule.map(({ day, shift }) => `${day} ${shift}`))
  return [...names]
    .flatMap(name => {
      const [day = '', id = ''] = [name.slice(0, 10), name.slice(11)]
      const shift = shifts[id]
      if (!shift || shift.kind === 'weekly' || !isEmployed(input, day) || isSkipped(zone, day)) return []
      const [on, off] = [find(zone, wall(day, shift.onDuty)), find(zone, wall(day, shift.offDuty))]
      const [from, to] = periodOf(zone, day, shift, on, off)
      let [opens, closes] = [from, to]
      const requests = overtimeOf(input)
      // Overtime that touches the punch period extends it, and so does overtime that touches that overtime.
      const touched = new Set<{ from: number; to: number }>()
      for (let grown = true; grown; ) {
        grown = false
        for (const request of requests) {
          const touches = [{ from, to }, ...touched].some(span => request.from <= span.to && request.to >= span.from)
          if (!touches || touched.has(request)) continue
          touched.add(request)
          grown = true
          opens = Math.min(opens, request.from)
          closes = Math.max(closes, request.to)
        }
      }
      return [{ id, day, shift, on, off, opens, closes, breaks: placeBreaks(zone, day, shift), groups: [] }]
    })
    .sort((a, b) => a.on - b.on || a.off - b.off || (`${a.day} ${a.id}` < `${b.day} ${b.id}` ? -1 : 1))
}

const groupsOf = ({ punches, parameters }: Input): Group[] => {
  const groups: Group[] = []
  const once = [...new Map(punches.map(punch => [`${punch.at} ${punch.key}`, punch])).values()]
  for (const punch of once.sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1))) {
    const open = groups.at(-1)
    const since = punch.at - (open?.punches[0]?.at ?? -Infinity)
    const again = open?.punches.some(other => other.at === punch.at)
    if (open && (again || since < parameters.bounceSeconds * 1000)) {
      open.punches.push(punch)
      open.last = cut(punch.at)
    } else groups.push({ punches: [punch], first: cut(punch.at), last: cut(punch.at) })
  }
  return groups
}

const isIn = (group: Group, opens: number, closes: number) =>
  group.punches.some(({ at }) => cut(at) >= opens && cut(at) <= closes)

/** Step 4 as it is written, punch after punch. Answers the groups of no shift. */
const assign = (groups: Group[], instances: Instance[]): Group[] => {
  const left: Group[] = []
  for (const group of groups) {
    const candidates = instances.filter(({ opens, closes }) => isIn(group, opens, closes))
    const [first, ...rest] = candidates
    if (!first) {
      left.push(group)
      continue
    }
    let owner = first
    for (const b of rest) {
      const a = owner
      const zone = { opens: Math.max(a.opens, b.opens), closes: Math.min(a.closes, b.closes) }
      const before = a.groups.filter(other => other.last < zone.opens)
      if (b.groups.length > 0) owner = b
      else if (before.length > 0 && before.length === a.groups.length) owner = a
      else owner = Math.abs(group.last - a.off) < Math.abs(group.first - b.on) ? a : b
    }
    const [a, b] = candidates
    if (a && b && candidates.length === 2 && owner === a && a.groups.length > 0) {
      const zone = { opens: Math.max(a.opens, b.opens), closes: Math.min(a.closes, b.closes) }
      const others = groups.filter(other => other !== group)
      const alone = !others.some(other => isIn(other, zone.opens, zone.closes))
      const next = others.filter(other => other.first > group.first && isIn(other, b.opens, b.closes))
      if (
        alone &&
        group.last >= a.off - a.shift.allowedEarlyMinutes &&
        b.on >= zone.opens &&
        b.on <= zone.closes &&
        next.length > 0 &&
        next.every(other => other.first > (b.on + b.off) / 2)
      ) {
        b.groups.push(group)
      }
    }
    owner.groups.push(group)
  }
  return left
}

const pairUp = (groups: Group[]): { from: number; to: number }[] =>
  range(0, Math.floor(groups.length / 2)).map(pair => ({
    from: groups[2 * pair]?.last ?? 0,
    to: groups[2 * pair + 1]?.first ?? 0,
  }))

const lies = (spans: { from: number; to: number }[], at: number) => spans.some(({ from, to }) => at >= from && at < to)

/** Breaks off the credited minutes, and what is time away. */
const deduct = (input: Input, row: ModelRow, credited: number[], groups: Group[], breaks: Instance['breaks']) => {
  const inner = groups.slice(1, -1)
  const home = (group: Group) => breaks.find(rest => isIn(group, rest.opens, rest.closes))
  const gaps = input.parameters.deductGaps ? pairUp(inner.filter(group => !home(group))) : []
  let automatic = 0
  let off = 0
  const elsewhere = new Set(credited.filter(at => lies(gaps, at)))
  for (const rest of breaks) {
    const slot = credited.filter(at => rest.minutes.has(at)).length
    const auto = Math.min(slot, Math.max(0, credited.length - automatic - rest.rule.thresholdMinutes))
    automatic += auto
    const pairs = pairUp(inner.filter(group => home(group) === rest))
    const taken = credited.filter(at => lies(pairs, at) || (rest.minutes.has(at) && lies(gaps, at)))
    for (const at of [...taken, ...rest.minutes]) elsewhere.delete(at)
    const deduction = Math.min(Math.max(auto, taken.length), credited.length - off)
    off += deduction
    row.breakMinutes += deduction
    if (taken.length > rest.rule.durationMinutes) {
      row.longBreakMinutes += taken.length - rest.rule.durationMinutes
      if (!row.exceptions.includes('longBreak')) row.exceptions.push('longBreak')
    }
  }
  off += Math.min(elsewhere.size, credited.length - off)
  return { left: credited.length - off, gaps }
}

const emptyRow = (kind: Row['kind'], state: Row['state']): ModelRow => ({
  kind,
  firstIn: null,
  lastOut: null,
  dutyMinutes: 0,
  workMinutes: 0,
  lateMinutes: 0,
  earlyLeaveMinutes: 0,
  absentMinutes: 0,
  leaveMinutes: 0,
  overtimeMinutes: 0,
  breakMinutes: 0,
  longBreakMinutes: 0,
  leaveTypes: {},
  state,
  exceptions: [],
  punches: [],
})

const stateOf = ({ asOf, uploadedTo = -Infinity }: Input, closes: number): Row['state'] =>
  cut(asOf) <= closes ? 'pending' : cut(uploadedTo) > closes || cut(asOf) >= closes + 1440 ? 'final' : 'provisional'

const placePunches = (row: ModelRow, groups: Group[], loneIsIn: () => boolean) => {
  row.punches = groups.flatMap(({ punches }) => punches.map(({ at }) => ({ at, use: 'inner' as const })))
  const [first, last] = [groups[0], groups.at(-1)]
  if (first && (groups.length > 1 || loneIsIn())) row.firstIn = first.punches[0]?.at ?? null
  if (last && (groups.length > 1 || !loneIsIn())) row.lastOut = last.punches.at(-1)?.at ?? null
}

const holidayOrRest = (
  input: Input,
  row: ModelRow,
  groups: Group[],
  breaks: Instance['breaks'],
  isOvertime: boolean,
) => {
  const [first, last] = [groups[0], groups.at(-1)]
  if (!first || !last || groups.length < 2) return
  const { left } = deduct(input, row, range(first.first, last.last), groups, breaks)
  if (isOvertime) row.overtimeMinutes = left
  else row.workMinutes = left
}

/** Leave of a day, minute by minute of its `duty`: which minutes, of which type, and whether nothing is left of the day. */
const leaveOn = ({ requests }: Input, day: string, duty: number[]) => {
  const leaves = requests.flatMap(request =>
    request.kind === 'leave'
      ? 'fromDay' in request
        ? [{ whole: true, from: dayOf(request.fromDay), to: dayOf(request.toDay), type: String(request.leaveType) }]
        : [{ whole: false, from: cut(request.from), to: cut(request.to), type: String(request.leaveType) }]
      : [],
  )
  leaves.sort((a, b) => a.from - b.from || a.to - b.to || (a.type < b.type ? -1 : 1))
  const wholeDay = leaves.find(({ whole, from, to }) => whole && from <= dayOf(day) && dayOf(day) <= to)
  const partAt = (at: number) => leaves.find(({ whole, from, to }) => !whole && at >= from && at < to)
  const minutes = wholeDay ? duty : duty.filter(partAt)
  const types = new Map<string, number>()
  for (const at of minutes) {
    const { type } = wholeDay ?? partAt(at) ?? { type: '' }
    types.set(type, (types.get(type) ?? 0) + 1)
  }
  const isFull = wholeDay !== undefined || (minutes.length > 0 && minutes.length === duty.length)
  return { isFull, minutes, types, onLeave: (at: number) => partAt(at) !== undefined }
}

const shiftRow = (input: Input, instance: Instance): ModelRow => {
  const { day, shift, on, off, closes, breaks, groups } = instance
  const { parameters } = input
  const row = emptyRow('work', stateOf(input, closes))
  const isPending = row.state === 'pending'
  const raise = (exception: Exception) => {
    if (!row.exceptions.includes(exception)) row.exceptions.push(exception)
  }
  const raisesMissing = shift.raisesException !== false
  const isHoliday = input.holidays.includes(day)
  const [first, last] = [groups[0], groups.at(-1)]

  const minutes = range(on, off)
  const isSlot = (at: number) => breaks.some(rest => rest.minutes.has(at))
  const duty = minutes.filter(at => !isSlot(at))
  const { isFull, minutes: leave, types, onLeave } = leaveOn(input, day, duty)
  const expected = isFull || isHoliday ? [] : duty.filter(at => !onLeave(at))

  placePunches(row, groups, () => {
    if (isPending) return true
    const state = groups[0]?.punches.find(punch => punch.state)?.state
    if (parameters.trustDeviceState && state) return state === 'in'
    const [from, to] = [expected[0] ?? on, (expected.at(-1) ?? off - 1) + 1]
    return (first?.first ?? 0) <= (from + to) / 2
  })

  if (isHoliday) {
    row.kind = 'holiday'
    if (groups.length === 1 && raisesMissing) raise(row.firstIn === null ? 'missingIn' : 'missingOut')
    holidayOrRest(input, row, groups, breaks, parameters.holidayWorkIsOvertime)
    if (isPending) row.exceptions = []
    return row
  }

  row.dutyMinutes = duty.length
  row.leaveMinutes = leave.length
  row.leaveTypes = Object.fromEntries(types)
  if (isFull) row.kind = 'leave'
  if (isFull && first) raise('punchedOnLeave')

  if (!first || !last) {
    if (!isPending) row.absentMinutes = expected.length
  } else if (groups.length === 1) {
    if (!isFull && row.firstIn !== null) {
      const missed = expected.filter(at => at < first.first)
      const isLate = missed.length > shift.allowedLateMinutes
      if (isLate) row.lateMinutes = missed.length
      if (!isPending && shift.noClockOut === 0 && raisesMissing) raise('missingOut')
      if (!isPending && shift.noClockOut === 1) {
        row.earlyLeaveMinutes = expected.filter(at => !isLate || at >= first.first).length
      }
      if (!isPending && shift.noClockOut === 2) {
        row.lateMinutes = 0
        row.absentMinutes = expected.length
      }
    } else if (!isFull && raisesMissing) raise('missingIn')
  } else {
    const [start, end] = [first.first, last.last]
    const late = expected.filter(at => at < start)
    const early = expected.filter(at => at >= end)
    const isLate = late.length > shift.allowedLateMinutes
    const isEarly = early.length > shift.allowedEarlyMinutes
    if (isLate) row.lateMinutes = late.length
    if (isEarly && !isPending) row.earlyLeaveMinutes = early.length
    const credited = minutes.filter(
      at =>
        (at >= start && at < end && (isFull || !onLeave(at))) ||
        (at < start && !isLate && late.includes(at)) ||
        (at >= end && !isEarly && early.includes(at)),
    )
    const { left, gaps } = deduct(input, row, credited, groups, breaks)
    row.workMinutes = left

    const { earlyInOvertime, lateOutOvertime } = shift
    const before = range(start, Math.min(end, on))
    const after = range(Math.max(start, off), end)
    const overtime = new Set<number>()
    if (earlyInOvertime.counts && before.length > earlyInOvertime.afterMinutes)
      for (const at of before) overtime.add(at)
    if (lateOutOvertime.counts && after.length > lateOutOvertime.afterMinutes) for (const at of after) overtime.add(at)
    const requests = overtimeOf(input)
    for (const at of range(start, end)) if ((at < on || at >= off) && lies(requests, at)) overtime.add(at)
    const counted = [...overtime].filter(at => !lies(gaps, at)).length
    let most = counted
    if (parameters.fullDutyFirst) {
      most = Math.min(most, Math.max(0, row.workMinutes + counted - row.dutyMinutes + row.leaveMinutes))
    }
    if (most < parameters.minimumOvertimeMinutes) most = 0
    if (parameters.maximumOvertimeMinutes > 0) most = Math.min(most, parameters.maximumOvertimeMinutes)
    row.overtimeMinutes = most
  }
  if (isPending) row.exceptions = []
  return row
}

/** The weekly-flexible shift of a day. */
const flexibleOn = (input: Input, day: string): string | undefined => {
  const { zone, schedule, shifts } = input
  const entries = schedule.filter(entry => entry.day === day && shifts[entry.shift]?.kind === 'weekly')
  const [id] = entries.map(({ shift }) => shift).sort()
  return id && isEmployed(input, day) && !isSkipped(zone, day) ? id : undefined
}

/** The week a day lies in, and its last weekly-flexible entry where at least one of its flexible days has a row. */
const weekOf = (input: Input, day: string) => {
  const { schedule, shifts, parameters } = input
  const weekday = new Date(`${day}T00:00Z`).getUTCDay()
  const from = later(day, -((weekday - parameters.firstWeekday + 7) % 7))
  const to = later(from, 6)
  const entries = schedule.filter(entry => entry.day >= from && entry.day <= to)
  const hasRow = entries.some(entry => flexibleOn(input, entry.day))
  const flexible = entries.filter(({ shift }) => hasRow && shifts[shift]?.kind === 'weekly')
  const [last] = flexible.sort((a, b) => (a.day > b.day || (a.day === b.day && a.shift < b.shift) ? -1 : 1))
  return { from, to, scheduledDays: new Set(entries.map(entry => entry.day)).size, last }
}

const targetOf = ({ shifts }: Input, id: string | undefined) => {
  const weekly = shifts[id ?? '']?.weekly
  if (!weekly) throw new Error(`no weekly-flexible shift: ${id}`)
  return weekly
}

/** A local date: of a weekly-flexible shift, or with punches that are in no punch period and beside no fixed shift. */
const localRow = (input: Input, day: string, left: Group[], instances: Instance[]): ModelRow | undefined => {
  const { zone, parameters, shifts } = input
  const id = flexibleOn(input, day)
  if (!isEmployed(input, day) || (!id && instances.some(instance => instance.day === day))) return
  const start = find(zone, wall(day, parameters.splitTime))
  const end = find(zone, wall(day, parameters.splitTime) + 1440)
  const groups = left.filter(group => group.first >= start && group.first < end)
  if (groups.length === 0 && !id) return
  const { last: lastFlexible, scheduledDays } = weekOf(input, day)
  const isHoliday = input.holidays.includes(day)
  const row = emptyRow(isHoliday ? 'holiday' : lastFlexible ? 'flexible' : 'rest', stateOf(input, end - 1))
  const isPending = row.state === 'pending'
  placePunches(row, groups, () => true)
  const isOvertime = isHoliday ? parameters.holidayWorkIsOvertime : !lastFlexible && parameters.restDayWorkIsOvertime

  if (id && !isHoliday) {
    const share = Math.floor(targetOf(input, id).targetMinutes / scheduledDays)
    const isLast = lastFlexible?.day === day
    row.dutyMinutes = isLast ? targetOf(input, id).targetMinutes - share * (scheduledDays - 1) : share
    const { isFull, minutes, types } = leaveOn(input, day, range(start, end))
    if (isFull) row.kind = 'leave'
    row.leaveMinutes = isFull ? row.dutyMinutes : Math.min(row.dutyMinutes, minutes.length)
    let open = row.leaveMinutes
    for (const [type, taken] of types) {
      const counted = Math.min(open, isFull ? open : taken)
      if (counted > 0) row.leaveTypes[type] = counted
      open -= counted
    }
  }
  if (row.kind === 'leave') {
    if (groups.length > 0 && !isPending) row.exceptions.push('punchedOnLeave')
  } else if (groups.length === 1 && !isPending) {
    if (!lastFlexible || shifts[id ?? lastFlexible.shift]?.raisesException !== false) row.exceptions.push('missingOut')
  }
  if (!lastFlexible) {
    holidayOrRest(input, row, groups, [], isOvertime)
    return row
  }
  const [from, to] = [groups[0]?.first ?? 0, groups.at(-1)?.last ?? 0]
  if (groups.length < 2) return row
  const { breakMinutes, breakThresholdMinutes } = targetOf(input, id ?? lastFlexible.shift)
  row.breakMinutes = range(from, to).slice(breakThresholdMinutes).slice(0, breakMinutes).length
  const gaps = parameters.deductGaps ? pairUp(groups.slice(1, -1)) : []
  const away = range(from, to).filter(at => lies(gaps, at)).length
  const present = to - from - Math.max(row.breakMinutes, away)
  if (isOvertime) row.overtimeMinutes = present
  else row.workMinutes = present
  return row
}

/** Puts the figures of each week that lies wholly in the range on its last weekly-flexible day. */
const addWeeks = (input: Input, rows: Map<string, ModelRow>) => {
  const { zone, parameters } = input
  for (let to = input.from; to <= input.to; to = later(to, 1)) {
    const week = weekOf(input, to)
    if (week.to !== to || week.from < input.from || !week.last) continue
    const days = range(0, 7).map(index => later(week.from, index))
    const flexible = days.flatMap(day => {
      const id = flexibleOn(input, day)
      const row = rows.get(`${day} ${id}`)
      return id && row ? [{ row, targetMinutes: targetOf(input, id).targetMinutes }] : []
    })
    const carrier = flexible.at(-1)?.row
    if (!carrier) continue
    let [targets, leave] = [0, 0]
    for (const { row, targetMinutes } of flexible) {
      if (row.kind !== 'flexible') continue
      targets += targetMinutes
      leave += row.leaveMinutes
    }
    let workMinutes = 0
    for (const { row } of flexible) workMinutes += row.workMinutes
    for (const day of days) workMinutes += rows.get(`${day} null`)?.workMinutes ?? 0
    const targetMinutes = Math.max(0, Math.floor(targets / week.scheduledDays) - leave)
    const end = find(zone, wall(to, parameters.splitTime) + 1440)
    const settled = stateOf(input, end - 1) === 'final'
    const counts = targetOf(input, week.last.shift).overtimeCounts
    carrier.week = {
      from: week.from,
      to,
      settled,
      targetMinutes,
      workMinutes,
      shortfallMinutes: settled ? Math.max(0, targetMinutes - workMinutes) : 0,
      overtimeMinutes: settled && counts ? Math.max(0, workMinutes - targetMinutes) : 0,
    }
  }
}

/** The rows of the days asked for, by `day shift`; that of a day without one is `null`. */
export const modelRows = (input: Input): Map<string, ModelRow> => {
  const instances = instancesOf(input)
  const left = assign(groupsOf(input), instances)
  const rows = new Map<string, ModelRow>()
  for (const instance of instances) {
    if (instance.day >= input.from && instance.day <= input.to) {
      rows.set(`${instance.day} ${instance.id}`, shiftRow(input, instance))
    }
  }
  for (let day = input.from; day <= input.to; day = later(day, 1)) {
    const row = localRow(input, day, left, instances)
    if (row) rows.set(`${day} ${flexibleOn(input, day) ?? null}`, row)
  }
  addWeeks(input, rows)
  return rows
}
