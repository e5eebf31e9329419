import type { Input, Punch } from '../../../shared/attendance/input.ts'
import type { Exception, Row, Use } from '../../../shared/attendance/row.ts'
import type { Break, Shift } from '../../../shared/attendance/shift.ts'

// A second calculation of every kind of day, only for comparison with the engine. The deliberately simple model reads
// the clock at each minute around the day, and classifies and counts the minutes. The model shares only the shapes of
// input and row with the engine.

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
const minuteOf = (at: number) => Math.floor(at / minute)
const midnightOf = (day: string) => Date.parse(`${day}T00:00Z`) / minute
const addDays = (day: string, days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
const range = (from: number, to: number) => {
  const minutes: number[] = []
  for (let at = from; at < to; at++) minutes.push(at)
  return minutes
}

const formats = new Map<string, Intl.DateTimeFormat>()
/** Reads a zone’s clock from the platform. */
const readClock = (zone: string, at: number): number => {
  let format = formats.get(zone)
  if (!format) {
    const options = { timeZone: zone, dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' } as const
    format = new Intl.DateTimeFormat('sv-SE', options)
    formats.set(zone, format)
  }
  return Date.parse(`${format.format(at * minute).replace(' ', 'T')}Z`) / minute
}

/**
 * The difference from UTC in each hour, by zone. It is not a number in an hour in which the clock changes. A long run
 * needs more hours than memory holds, so the cache has a limit.
 */
const hoursByZone = new Map<string, Map<number, number>>()
const mostHours = 2_000_000
let hourCount = 0

/** The platform is slow. No clock changes twice within an hour, so the same difference at both ends holds between them. */
const differenceIn = (zone: string, hour: number): number => {
  const difference = readClock(zone, hour * 60) - hour * 60
  return readClock(zone, hour * 60 + 59) - (hour * 60 + 59) === difference ? difference : Number.NaN
}

/** The reading of the zone's clock at a minute, as the minute with the same reading in UTC. */
const clock = (zone: string, at: number): number => {
  let hours = hoursByZone.get(zone)
  if (!hours) {
    hours = new Map()
    hoursByZone.set(zone, hours)
  }
  const hour = Math.floor(at / 60)
  let difference = hours.get(hour)
  if (difference === undefined) {
    difference = differenceIn(zone, hour)
    hours.set(hour, difference)
    if (++hourCount > mostHours) {
      hoursByZone.clear()
      hourCount = 0
    }
  }
  return Number.isNaN(difference) ? readClock(zone, at) : at + difference
}

/** The minute at which the clock shows a reading. Searches minute by minute until the clock is well past the reading. */
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
  // The clock skips the reading, so move it forward by the length of the jump.
  return find(zone, reading + clock(zone, passed) - clock(zone, passed - 1) - 1)
}

const wallMinute = (day: string, text: string) =>
  midnightOf(day) + Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5)) + Number(text.slice(5) || 0) * 1440

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
  /** The minutes of each break's slot, and the time in which punches belong to the break. */
  breaks: { minutes: Set<number>; opens: number; closes: number; rule: Break }[]
  groups: Group[]
}

const placeBreaks = (zone: string, day: string, shift: Shift) => {
  let free = -Infinity
  return shift.breaks
    .map(rule => ({ rule, start: find(zone, wallMinute(day, rule.start)), end: find(zone, wallMinute(day, rule.end)) }))
    .sort((a, b) => a.start - b.start || wallMinute(day, a.rule.start) - wallMinute(day, b.rule.start))
    .map(({ rule, start, end }) => {
      const from = Math.max(start, free)
      free = from + rule.durationMinutes
      return { rule, minutes: new Set(range(from, free)), opens: start, closes: Math.max(end, free) }
    })
}

const overtimeOf = ({ requests }: Input) =>
  requests.flatMap(request =>
    request.kind === 'overtime' && minuteOf(request.from) < minuteOf(request.to)
      ? [{ from: minuteOf(request.from), to: minuteOf(request.to) }]
      : [],
  )

const isSkipped = (zone: string, day: string) => {
  const start = midnightOf(day)
  for (let at = start - 15 * 60; at < start + 37 * 60; at++) {
    if (clock(zone, at) >= start && clock(zone, at) < start + 1440) return false
  }
  return true
}

const isEmployed = ({ employee: { hireDay, endDay } }: Input, day: string) =>
  (hireDay === undefined || day >= hireDay) && (endDay === undefined || day <= endDay)

/** The first and last minute of the punch period. On and off duty always lie within it. */
const periodOf = (zone: string, day: string, shift: Shift, on: number, off: number): [from: number, to: number] => {
  let from = find(zone, wallMinute(day, shift.punchStart))
  let to = find(zone, wallMinute(day, shift.punchEnd), true)
  if (from > on) {
    // The clock jumped past on duty. So count back from on duty, minute by minute, as if the clock had not jumped.
    from = on
    for (let at = wallMinute(day, shift.punchStart); at < wallMinute(day, shift.onDuty); at++) from--
  }
  if (to < off) {
    to = off
    for (let at = wallMinute(day, shift.offDuty); at < wallMinute(day, shift.punchEnd); at++) to++
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
      const [on, off] = [find(zone, wallMinute(day, shift.onDuty)), find(zone, wallMinute(day, shift.offDuty))]
      const [from, to] = periodOf(zone, day, shift, on, off)
      let [opens, closes] = [from, to]
      const requests = overtimeOf(input)
      // Overtime that touches the punch period extends the period. Further overtime that touches the extension extends
      // the period again.
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
  const distinct = [...new Map(punches.map(punch => [`${punch.at} ${punch.key}`, punch])).values()]
  for (const punch of distinct.sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1))) {
    const open = groups.at(-1)
    const since = punch.at - (open?.punches[0]?.at ?? -Infinity)
    const isSameInstant = open?.punches.some(other => other.at === punch.at)
    if (open && (isSameInstant || since < parameters.bounceSeconds * 1000)) {
      open.punches.push(punch)
      open.last = minuteOf(punch.at)
    } else groups.push({ punches: [punch], first: minuteOf(punch.at), last: minuteOf(punch.at) })
  }
  return groups
}

const isGroupIn = (group: Group, opens: number, closes: number) =>
  group.punches.some(({ at }) => minuteOf(at) >= opens && minuteOf(at) <= closes)

/** Step 4 of the specification, punch by punch. Returns the groups without a shift. */
const assign = (groups: Group[], instances: Instance[]): Group[] => {
  const unassigned: Group[] = []
  for (const group of groups) {
    const candidates = instances.filter(({ opens, closes }) => isGroupIn(group, opens, closes))
    const [first, ...following] = candidates
    if (!first) {
      unassigned.push(group)
      continue
    }
    let owner = first
    for (const b of following) {
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
      const isAlone = !others.some(other => isGroupIn(other, zone.opens, zone.closes))
      const next = others.filter(other => other.first > group.first && isGroupIn(other, b.opens, b.closes))
      if (
        isAlone &&
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
  return unassigned
}

const pairUp = (groups: Group[]): { from: number; to: number }[] =>
  range(0, Math.floor(groups.length / 2)).map(pair => ({
    from: groups[2 * pair]?.last ?? 0,
    to: groups[2 * pair + 1]?.first ?? 0,
  }))

const isWithin = (spans: { from: number; to: number }[], at: number) =>
  spans.some(({ from, to }) => at >= from && at < to)

/** Deducts breaks and gaps from the credited minutes. Returns the remaining minutes and the gaps. */
const deduct = (input: Input, row: ModelRow, credited: number[], groups: Group[], breaks: Instance['breaks']) => {
  const inner = groups.slice(1, -1)
  const breakOf = (group: Group) => breaks.find(breakPlace => isGroupIn(group, breakPlace.opens, breakPlace.closes))
  const gaps = input.parameters.deductGaps ? pairUp(inner.filter(group => !breakOf(group))) : []
  let automatic = 0
  let deducted = 0
  const elsewhere = new Set(credited.filter(at => isWithin(gaps, at)))
  for (const breakPlace of breaks) {
    const slot = credited.filter(at => breakPlace.minutes.has(at)).length
    const auto = Math.min(slot, Math.max(0, credited.length - automatic - breakPlace.rule.thresholdMinutes))
    automatic += auto
    const pairs = pairUp(inner.filter(group => breakOf(group) === breakPlace))
    const taken = credited.filter(at => isWithin(pairs, at) || (breakPlace.minutes.has(at) && isWithin(gaps, at)))
    for (const at of [...taken, ...breakPlace.minutes]) elsewhere.delete(at)
    const deduction = Math.min(Math.max(auto, taken.length), credited.length - deducted)
    deducted += deduction
    row.breakMinutes += deduction
    if (taken.length > breakPlace.rule.durationMinutes) {
      row.longBreakMinutes += taken.length - breakPlace.rule.durationMinutes
      if (!row.exceptions.includes('longBreak')) row.exceptions.push('longBreak')
    }
  }
  deducted += Math.min(elsewhere.size, credited.length - deducted)
  return { left: credited.length - deducted, gaps }
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
  minuteOf(asOf) <= closes
    ? 'pending'
    : minuteOf(uploadedTo) > closes || minuteOf(asOf) >= closes + 1440
      ? 'final'
      : 'provisional'

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
  const { left: remaining } = deduct(input, row, range(first.first, last.last), groups, breaks)
  if (isOvertime) row.overtimeMinutes = remaining
  else row.workMinutes = remaining
}

/**
 * The leave within `duty`, the scheduled minutes of a day. Returns the minutes, their count by type, and whether leave
 * covers the day.
 */
const leaveOn = ({ requests }: Input, day: string, duty: number[]) => {
  const leaves = requests.flatMap(request =>
    request.kind === 'leave'
      ? 'fromDay' in request
        ? [
            {
              whole: true,
              from: midnightOf(request.fromDay),
              to: midnightOf(request.toDay),
              type: String(request.leaveType),
            },
          ]
        : [{ whole: false, from: minuteOf(request.from), to: minuteOf(request.to), type: String(request.leaveType) }]
      : [],
  )
  leaves.sort((a, b) => a.from - b.from || a.to - b.to || (a.type < b.type ? -1 : 1))
  const wholeDay = leaves.find(({ whole, from, to }) => whole && from <= midnightOf(day) && midnightOf(day) <= to)
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
  const isSlot = (at: number) => breaks.some(breakPlace => breakPlace.minutes.has(at))
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
    const { left: remaining, gaps } = deduct(input, row, credited, groups, breaks)
    row.workMinutes = remaining

    const { earlyInOvertime, lateOutOvertime } = shift
    const before = range(start, Math.min(end, on))
    const after = range(Math.max(start, off), end)
    const overtime = new Set<number>()
    if (earlyInOvertime.counts && before.length > earlyInOvertime.afterMinutes)
      for (const at of before) overtime.add(at)
    if (lateOutOvertime.counts && after.length > lateOutOvertime.afterMinutes) for (const at of after) overtime.add(at)
    const requests = overtimeOf(input)
    for (const at of range(start, end)) if ((at < on || at >= off) && isWithin(requests, at)) overtime.add(at)
    const counted = [...overtime].filter(at => !isWithin(gaps, at)).length
    let payable = counted
    if (parameters.fullDutyFirst) {
      payable = Math.min(payable, Math.max(0, row.workMinutes + counted - row.dutyMinutes + row.leaveMinutes))
    }
    if (payable < parameters.minimumOvertimeMinutes) payable = 0
    if (parameters.maximumOvertimeMinutes > 0) payable = Math.min(payable, parameters.maximumOvertimeMinutes)
    row.overtimeMinutes = payable
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

/** The week of a day, with its last weekly-flexible entry if one of its flexible days has a row. */
const weekOf = (input: Input, day: string) => {
  const { schedule, shifts, parameters } = input
  const weekday = new Date(`${day}T00:00Z`).getUTCDay()
  const from = addDays(day, -((weekday - parameters.firstWeekday + 7) % 7))
  const to = addDays(from, 6)
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

/**
 * The row of a local date with a weekly-flexible shift. Also the row of a date with unassigned punches and no fixed
 * shift.
 */
const localRow = (input: Input, day: string, unassigned: Group[], instances: Instance[]): ModelRow | undefined => {
  const { zone, parameters, shifts } = input
  const id = flexibleOn(input, day)
  if (!isEmployed(input, day) || (!id && instances.some(instance => instance.day === day))) return
  const start = find(zone, wallMinute(day, parameters.splitTime))
  const end = find(zone, wallMinute(day, parameters.splitTime) + 1440)
  const groups = unassigned.filter(group => group.first >= start && group.first < end)
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
  const gapMinutes = range(from, to).filter(at => isWithin(gaps, at)).length
  const present = to - from - Math.max(row.breakMinutes, gapMinutes)
  if (isOvertime) row.overtimeMinutes = present
  else row.workMinutes = present
  return row
}

/** Puts the figures of each week that is fully in the range on its last weekly-flexible day. */
const addWeeks = (input: Input, rows: Map<string, ModelRow>) => {
  const { zone, parameters } = input
  for (let to = input.from; to <= input.to; to = addDays(to, 1)) {
    const week = weekOf(input, to)
    if (week.to !== to || week.from < input.from || !week.last) continue
    const days = range(0, 7).map(index => addDays(week.from, index))
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
    const end = find(zone, wallMinute(to, parameters.splitTime) + 1440)
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

/** The rows of the requested days by `day shift`. On a day without a shift, the shift is `null`. */
export const modelRows = (input: Input): Map<string, ModelRow> => {
  const instances = instancesOf(input)
  const unassigned = assign(groupsOf(input), instances)
  const rows = new Map<string, ModelRow>()
  for (const instance of instances) {
    if (instance.day >= input.from && instance.day <= input.to) {
      rows.set(`${instance.day} ${instance.id}`, shiftRow(input, instance))
    }
  }
  for (let day = input.from; day <= input.to; day = addDays(day, 1)) {
    const row = localRow(input, day, unassigned, instances)
    if (row) rows.set(`${day} ${flexibleOn(input, day) ?? null}`, row)
  }
  addWeeks(input, rows)
  return rows
}
