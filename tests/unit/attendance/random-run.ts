import fc from 'fast-check'
import { marginDays } from '../../../shared/attendance/calculate.ts'
import { dayName, dayNumber } from '../../../shared/attendance/calendar.ts'
import type { Input, Parameters, Punch, Request } from '../../../shared/attendance/input.ts'
import { defaultParameters } from '../../../shared/attendance/input.ts'
import type { Figure } from '../../../shared/attendance/reason.ts'
import type { Row } from '../../../shared/attendance/row.ts'
import type { Break, Shift } from '../../../shared/attendance/shift.ts'
import { wallTime } from '../../../shared/attendance/wall-time.ts'
import { instantOf } from '../../../shared/attendance/zone.ts'

// Random runs of the engine. A run has some days of an employee in a zone, often around a clock change. Its punches are
// near the times of shifts.

const minute = 60_000
export type VersionedShift = Shift & { version: number }

/** Zones and days with unusual clocks, dates or calendars. A run begins up to three days before such a day. */
export const unusual: readonly (readonly [zone: string, day: string])[] = [
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Europe/Athens', '2025-03-30'],
  ['Europe/Athens', '2025-10-26'],
  ['Europe/Dublin', '2024-03-31'],
  ['Australia/Lord_Howe', '2025-04-06'],
  ['Australia/Lord_Howe', '2025-10-05'],
  ['Pacific/Chatham', '2024-09-29'],
  ['Asia/Beirut', '2024-10-27'],
  ['Africa/Cairo', '2024-04-26'],
  ['America/Santiago', '2024-04-07'],
  ['America/St_Johns', '2024-11-03'],
  ['Africa/Casablanca', '2024-03-10'],
  ['America/Caracas', '2016-05-01'],
  ['Asia/Pyongyang', '2018-05-04'],
  ['Pacific/Apia', '2011-12-30'],
  ['Asia/Kathmandu', '2024-02-29'],
  ['Pacific/Kiritimati', '2025-01-01'],
  ['UTC', '2024-12-31'],
]

/** Zones with the same offset since 1970, in which a move by whole days changes no figure. */
export const steadyZones = ['UTC', 'Asia/Kolkata', 'America/Phoenix', 'Asia/Tokyo', 'Africa/Lagos', 'Pacific/Gambier']

const everyZone = Intl.supportedValuesOf('timeZone')

interface Place {
  zone: string
  /** The first requested day of the run. */
  day: number
}

export const unusualPlace: fc.Arbitrary<Place> = fc
  .tuple(fc.constantFrom(...unusual), fc.integer({ min: -3, max: 0 }))
  .map(([[zone, day], before]) => ({ zone, day: dayNumber(day) + before }))

const anyPlace: fc.Arbitrary<Place> = fc.record({
  zone: fc.constantFrom(...everyZone),
  day: fc.integer({ min: dayNumber('1995-01-01'), max: dayNumber('2037-12-01') }),
})

export const place: fc.Arbitrary<Place> = fc.oneof({ weight: 2, arbitrary: unusualPlace }, anyPlace)

export const steadyPlace: fc.Arbitrary<Place> = fc.record({
  zone: fc.constantFrom(...steadyZones),
  day: fc.integer({ min: dayNumber('1995-01-01'), max: dayNumber('2037-12-01') }),
})

const overtimeRule = fc.record({ counts: fc.boolean(), afterMinutes: fc.constantFrom(0, 0, 10, 30) })

interface BreakPlan {
  after: number
  lasts: number
  durationMinutes: number
  thresholdMinutes: number
}

const breakPlan: fc.Arbitrary<BreakPlan> = fc.record({
  after: fc.integer({ min: 0, max: 300 }),
  lasts: fc.constantFrom(15, 30, 60, 120),
  durationMinutes: fc.integer({ min: 1, max: 120 }),
  thresholdMinutes: fc.constantFrom(0, 0, 0, 120, 240, 360),
})

const placeBreaks = (on: number, off: number, plans: readonly BreakPlan[]): Break[] => {
  const breaks: Break[] = []
  let free = on
  for (const { after, lasts, durationMinutes, thresholdMinutes } of plans) {
    const start = free + after
    const end = Math.min(off, start + lasts)
    if (end <= start) break
    const duration = Math.min(durationMinutes, end - start)
    breaks.push({ start: wallTime(start), end: wallTime(end), durationMinutes: duration, thresholdMinutes })
    free = end
  }
  return breaks
}

/** A shift that the form accepts. */
export const shift: fc.Arbitrary<VersionedShift> = fc
  .record({
    on: fc.oneof(fc.constantFrom(0, 60, 120, 360, 540, 840, 1320), fc.integer({ min: 0, max: 1439 })),
    lasts: fc.oneof(fc.constantFrom(240, 480, 540), fc.integer({ min: 30, max: 900 })),
    before: fc.integer({ min: 5, max: 240 }),
    after: fc.integer({ min: 5, max: 300 }),
    allowedLateMinutes: fc.constantFrom(0, 0, 5, 15),
    allowedEarlyMinutes: fc.constantFrom(0, 0, 5, 15),
    noClockOut: fc.constantFrom(0 as const, 1 as const, 2 as const),
    earlyInOvertime: overtimeRule,
    lateOutOvertime: overtimeRule,
    breaks: fc.array(breakPlan, { maxLength: 2 }),
    raisesException: fc.constantFrom(true, true, true, false),
    version: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ on, lasts, before, after, breaks, ...rest }) => {
    const off = Math.min(on + lasts, 2879 - after)
    return {
      ...rest,
      onDuty: wallTime(on),
      offDuty: wallTime(off),
      punchStart: wallTime(on - before),
      punchEnd: wallTime(Math.min(off + after, on - before + 1440)),
      breaks: placeBreaks(on, off, breaks),
    }
  })

const anyWallTime = fc.integer({ min: -1440, max: 2879 }).map(wallTime)

/** A shift that the form may refuse. The engine must accept it. */
export const oddShift: fc.Arbitrary<VersionedShift> = fc
  .record({
    sound: shift,
    times: fc.record({ onDuty: anyWallTime, offDuty: anyWallTime, punchStart: anyWallTime, punchEnd: anyWallTime }),
    breaks: fc.array(
      fc.record({
        start: anyWallTime,
        end: anyWallTime,
        durationMinutes: fc.integer({ min: 0, max: 200 }),
        thresholdMinutes: fc.constantFrom(0, 60),
      }),
      { maxLength: 3 },
    ),
  })
  .map(({ sound, times, breaks }) => ({ ...sound, ...times, breaks }))

/** A weekly-flexible shift. The test uses its clock times only to choose times of punches. */
export const weeklyShift: fc.Arbitrary<VersionedShift> = fc
  .record({
    sound: shift,
    weekly: fc.record({
      targetMinutes: fc.constantFrom(600, 1000, 2000, 2400),
      breakMinutes: fc.constantFrom(0, 30, 60),
      breakThresholdMinutes: fc.constantFrom(0, 240, 360),
      overtimeCounts: fc.boolean(),
    }),
  })
  .map(({ sound, weekly }) => ({ ...sound, kind: 'weekly', weekly }))

/** A point in time near a time of a shift, with seconds. */
interface Moment {
  near: number
  minutes: number
  seconds: number
}

const moment: fc.Arbitrary<Moment> = fc.record({
  near: fc.nat({ max: 9 }),
  minutes: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: -8, max: 8 }) },
    fc.integer({ min: -200, max: 200 }),
    fc.constant(0),
  ),
  seconds: fc.constantFrom(0, 0, 0, 20, 40, 59),
})

const momentNear = (near: number, most: number): fc.Arbitrary<Moment> =>
  fc.record({
    near: fc.constant(near),
    minutes: fc.integer({ min: -most, max: most }),
    seconds: fc.constantFrom(0, 0, 30),
  })

/** Four punches: in, the start of the first break, its end, and out. `near` is an index into `readingsOf`. */
const dayWithBreak: fc.Arbitrary<Moment[]> = fc
  .tuple(momentNear(0, 20), momentNear(4, 15), momentNear(5, 15), momentNear(1, 90))
  .map(moments => [...moments])

interface Span {
  start: Moment
  minutes: number
}

const span: fc.Arbitrary<Span> = fc.record({
  start: moment,
  minutes: fc.oneof(fc.constantFrom(30, 60, 240, 600), fc.integer({ min: 0, max: 700 })),
})

export interface DayPlan {
  shifts: number[]
  punches: Moment[]
  isHoliday: boolean
  fullLeave: boolean
  leave: Span[]
  overtime: Span[]
}

const rarely = fc.nat({ max: 15 }).map(number => number === 0)
const sometimes = fc.array(span, { maxLength: 2 }).map(spans => (spans.length === 2 ? spans.slice(1) : []))

export const dayPlan: fc.Arbitrary<DayPlan> = fc.record({
  shifts: fc.oneof(
    { weight: 4, arbitrary: fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(fc.nat(), { maxLength: 0 }) },
    { weight: 1, arbitrary: fc.uniqueArray(fc.nat({ max: 2 }), { minLength: 2, maxLength: 2 }) },
  ),
  punches: fc.oneof(
    { weight: 3, arbitrary: fc.array(moment, { minLength: 2, maxLength: 6 }) },
    { weight: 3, arbitrary: dayWithBreak },
    { weight: 1, arbitrary: fc.array(moment, { maxLength: 1 }) },
  ),
  isHoliday: rarely,
  fullLeave: rarely,
  leave: sometimes,
  overtime: sometimes,
})

export const parameters: fc.Arbitrary<Parameters> = fc.oneof(
  fc.constant(defaultParameters),
  fc.record({
    version: fc.integer({ min: 1, max: 3 }),
    bounceSeconds: fc.constantFrom(0, 30, 60, 300, 3600),
    deductGaps: fc.boolean(),
    trustDeviceState: fc.boolean(),
    splitTime: fc.constantFrom('00:00', '00:00', '04:00', '02:30', '23:00'),
    restDayWorkIsOvertime: fc.boolean(),
    holidayWorkIsOvertime: fc.boolean(),
    minimumOvertimeMinutes: fc.constantFrom(0, 0, 30),
    maximumOvertimeMinutes: fc.constantFrom(0, 0, 120),
    fullDutyFirst: fc.boolean(),
    firstWeekday: fc.nat({ max: 6 }),
  }),
)

export interface RunPlan {
  place: Place
  shifts: VersionedShift[]
  /** The requested days, and `marginDays` more on each side. */
  days: DayPlan[]
  parameters: Parameters
  asOfDay: number | undefined
  uploadedDay: number | undefined
  hiredOn: number | undefined
  endsOn: number | undefined
}

/** The number of requested days of a run. */
export const daysPerRun = 10
const plannedDays = daysPerRun + 2 * marginDays

/** A fraction between 0 and 1. */
export const part = fc.integer({ min: 1, max: 99 }).map(percent => percent / 100)

export const runPlan = (options: {
  place?: fc.Arbitrary<Place>
  shift?: fc.Arbitrary<VersionedShift>
  day?: fc.Arbitrary<DayPlan>
  parameters?: fc.Arbitrary<Parameters>
  /** Puts every day far in the past, so that every row is final. */
  isOver?: boolean
}): fc.Arbitrary<RunPlan> => {
  const late = fc.option(
    fc.integer({ min: -96, max: (daysPerRun + 1) * 96 }).map(quarters => quarters / 96),
    { freq: 3, nil: undefined },
  )
  const dayLimit = fc.option(fc.nat({ max: daysPerRun - 1 }), { freq: 3, nil: undefined })
  return fc.record({
    place: options.place ?? place,
    shifts: fc.array(options.shift ?? shift, { minLength: 3, maxLength: 3 }),
    days: fc.array(options.day ?? dayPlan, { minLength: plannedDays, maxLength: plannedDays }),
    parameters: options.parameters ?? parameters,
    asOfDay: options.isOver ? fc.constant(undefined) : late.map(day => (day === undefined ? undefined : -day)),
    uploadedDay: options.isOver ? fc.constant(undefined) : late,
    hiredOn: dayLimit.map(day => (day !== undefined && day > 2 ? undefined : day)),
    endsOn: dayLimit.map(day => (day !== undefined && day < daysPerRun - 3 ? undefined : day)),
  })
}

const readingsOf = ({ onDuty, offDuty, punchStart, punchEnd, breaks }: Shift): number[] =>
  [onDuty, offDuty, punchStart, punchEnd, ...breaks.flatMap(({ start, end }) => [start, end]), onDuty, offDuty].map(
    text => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5)) + Number(text.slice(5) || 0) * 1440,
  )

/** The engine's input for a plan. */
export const toInput = (plan: RunPlan): Input => {
  const { zone, day: first } = plan.place
  const at = (day: number, moment: Moment, dayShift: VersionedShift | undefined) => {
    const readings = dayShift ? readingsOf(dayShift) : [540, 1080]
    const reading = readings[moment.near % readings.length] ?? 0
    return (instantOf(zone, day * 1440 + reading) + moment.minutes) * minute + moment.seconds * 1000
  }
  const schedule: Input['schedule'] = []
  const punches: Punch[] = []
  const requests: Request[] = []
  const holidays: string[] = []
  plan.days.forEach((dayPlan, index) => {
    const day = first - marginDays + index
    const name = dayName(day)
    for (const place of dayPlan.shifts) schedule.push({ day: name, shift: `s${place}` })
    const shiftOf = (number: number) => plan.shifts[dayPlan.shifts[number % dayPlan.shifts.length] ?? -1]
    dayPlan.punches.forEach((moment, number) => {
      const state = [undefined, undefined, 'in' as const, 'out' as const][(moment.near + number) % 4]
      punches.push({ at: at(day, moment, shiftOf(number)), key: `${name} ${number}`, ...(state && { state }) })
    })
    if (dayPlan.isHoliday) holidays.push(name)
    if (dayPlan.fullLeave) requests.push({ kind: 'leave', leaveType: 1, fromDay: name, toDay: name })
    for (const { start, minutes } of dayPlan.leave) {
      const from = at(day, start, shiftOf(0))
      requests.push({ kind: 'leave', leaveType: 1 + (minutes % 3), from, to: from + minutes * minute })
    }
    for (const { start, minutes } of dayPlan.overtime) {
      const from = at(day, start, shiftOf(0))
      requests.push({ kind: 'overtime', from, to: from + minutes * minute })
    }
  })
  const moment = (day: number) => Math.round((first + day) * 1440) * minute
  return {
    zone,
    from: dayName(first),
    to: dayName(first + daysPerRun - 1),
    asOf: plan.asOfDay === undefined ? moment(daysPerRun + 400) : moment(daysPerRun + plan.asOfDay),
    employee: {
      ...(plan.hiredOn !== undefined && { hireDay: dayName(first + plan.hiredOn) }),
      ...(plan.endsOn !== undefined && { endDay: dayName(first + plan.endsOn) }),
    },
    shifts: Object.fromEntries(plan.shifts.map((dayShift, index) => [`s${index}`, dayShift])),
    schedule,
    punches,
    requests,
    holidays,
    parameters: plan.parameters,
    ...(plan.uploadedDay !== undefined && { uploadedTo: moment(plan.uploadedDay) }),
  }
}

const usualDays = 4_000
/** The factor by which the long tier raises the number of random days. */
const scale = Number(process.env.DAYS ?? usualDays) / usualDays

/**
 * Checks a promise for at least `days` random days and returns their number. Every run uses the same days, unless
 * `SEED=new`. `DAYS=200000` checks each promise for 50 times as many. Prints the seed.
 */
export const forRandomDays = <T>(
  name: string,
  plans: fc.Arbitrary<T>,
  promise: (plan: T) => void,
  days = usualDays,
): number => {
  const seed = process.env.SEED === 'new' ? Math.floor(Math.random() * 2 ** 31) : Number(process.env.SEED ?? 1)
  const runs = Math.ceil((days * scale) / daysPerRun)
  console.log(`${name}: seed ${seed}, ${runs * daysPerRun} days`)
  fc.assert(fc.property(plans, promise), { seed, numRuns: runs })
  return runs * daysPerRun
}

export const figures: Figure[] = [
  'dutyMinutes',
  'workMinutes',
  'lateMinutes',
  'earlyLeaveMinutes',
  'absentMinutes',
  'leaveMinutes',
  'overtimeMinutes',
  'breakMinutes',
  'longBreakMinutes',
]

export const fixedShift = fc.oneof({ weight: 5, arbitrary: shift }, oddShift)
export const anyShift = fc.oneof({ weight: 3, arbitrary: fixedShift }, weeklyShift)
export const nameOf = (row: Row) => `${row.day} ${row.shift}`
export const byName = (rows: Row[]) => new Map(rows.map(row => [nameOf(row), row]))
