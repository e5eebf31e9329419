import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { calculate, marginDays } from '../../shared/attendance/calculate.ts'
import { dayName, dayNumber } from '../../shared/attendance/calendar.ts'
import type { HourSet } from '../../shared/attendance/hours/set.ts'
import { splitHours } from '../../shared/attendance/hours/split.ts'
import type { Input, Punch } from '../../shared/attendance/input.ts'
import { defaultParameters } from '../../shared/attendance/input.ts'
import type { Shift } from '../../shared/attendance/shift.ts'
import { instantOf } from '../../shared/attendance/zone.ts'
import { modelRows } from '../unit/attendance/minute-model.ts'

// The speed of the engine on one core: 1,000 employees, 31 days across a clock change, 4 punches a day.

const zone = 'Europe/Athens'
const firstDay = dayNumber('2025-03-10')

const shift: Shift & { version: number } = {
  version: 1,
  onDuty: '09:00',
  offDuty: '18:00',
  punchStart: '07:00',
  punchEnd: '23:00',
  allowedLateMinutes: 5,
  allowedEarlyMinutes: 5,
  noClockOut: 0,
  earlyInOvertime: { counts: false, afterMinutes: 0 },
  lateOutOvertime: { counts: true, afterMinutes: 30 },
  breaks: [{ start: '12:00', end: '13:30', durationMinutes: 60, thresholdMinutes: 240 }],
}

/** A month of one employee: mostly on time, sometimes late, and sometimes long. */
const monthOf = (employee: number, days: number): Input => {
  const punches: Punch[] = []
  const schedule: Input['schedule'] = []
  for (let day = firstDay - marginDays; day < firstDay + days + marginDays; day++) {
    schedule.push({ day: dayName(day), shift: 'day' })
    const spread = (employee * 31 + day * 17) % 29
    for (const minutes of [530 + spread, 720 + (spread % 5), 770 + spread, 1070 + 3 * spread]) {
      const at = instantOf(zone, day * 1440 + minutes) * 60_000 + spread * 1000
      punches.push({ at, key: `${employee}#${dayName(day)}T${minutes}#TERMINAL-1` })
    }
  }
  return {
    zone,
    from: dayName(firstDay),
    to: dayName(firstDay + days - 1),
    asOf: (firstDay + days + 30) * 86_400_000,
    employee: {},
    shifts: { day: shift },
    schedule,
    punches,
    requests: [],
    holidays: ['2025-03-25'],
    parameters: defaultParameters,
  }
}

/** Five base and three extra rules, with thresholds of the day and the week, a window, holidays and weekdays. */
const hourSet: HourSet = {
  base: [
    { kind: 'OT2', dayOver: 720 },
    { kind: 'OT1', overtime: true },
    { kind: 'OT1', dayOver: 480 },
    { kind: 'OT1', weekOver: 2400 },
    { kind: 'N' },
  ],
  extra: [
    { kind: 'NIGHT', window: { from: '18:00', to: '06:00', least: 15 } },
    { kind: 'HOL', holiday: 'clock' },
    { kind: 'SUN', weekdays: [0], unless: ['HOL'] },
  ],
}

const withKinds = (input: Input): { length: number } => {
  const rows = calculate(input)
  const holidays = input.holidays.map(day => ({ day }))
  const { firstWeekday, splitTime } = input.parameters
  splitHours(rows, hourSet, { firstWeekday, splitTime, holidays })
  return rows
}

/** Employee-days per second of processor time. Processor time does not include other work on the machine. */
const rateOf = (inputs: readonly Input[], calculateOne: (input: Input) => { length: number }): number => {
  const started = process.cpuUsage()
  let days = 0
  for (const input of inputs) days += calculateOne(input).length
  const { user, system } = process.cpuUsage(started)
  return (days / (user + system)) * 1_000_000
}

const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

export const bench = async (
  report: (figure: string, value: number, unit: string, goal?: { atLeast?: number; atMost?: number }) => void,
): Promise<void> => {
  const employees = Array.from({ length: 1000 }, (_, employee) => monthOf(employee, 31))
  const withoutReasons = (input: Input) => calculate(input, false)
  const withReasons = (input: Input) => calculate(input)
  // Ten times as many days for a tenth of the employees.
  const years = Array.from({ length: 100 }, (_, employee) => monthOf(employee, 310))

  // Keeps the best of several alternating turns, so that all variants run under the same conditions.
  const withModel = (input: Input) => [...modelRows(input).keys()]
  let [bare, full, kinds, long, model] = [0, 0, 0, 0, 0]
  for (let turn = 0; turn < 12; turn++) {
    bare = Math.max(bare, rateOf(employees, withoutReasons))
    full = Math.max(full, rateOf(employees, withReasons))
    kinds = Math.max(kinds, rateOf(employees, withKinds))
    long = Math.max(long, rateOf(years, withoutReasons))
    model = Math.max(model, rateOf(employees.slice(0, 5), withModel))
  }
  report('reasons off', Math.round(bare), 'employee-days/s', { atLeast: 100_000 })
  report('reasons on', Math.round(full), 'employee-days/s')
  report('cost of reasons', Math.round((bare / full - 1) * 1000) / 10, '% of the time without', { atMost: 25 })
  report('with hour kinds', Math.round(kinds), 'employee-days/s', { atLeast: 150_000 })
  report('time with five base and three extra rules', Math.round((full / kinds) * 100) / 100, 'times', { atMost: 1.6 })
  report('time per day, 310 days to 31', Math.round((bare / long) * 100) / 100, 'times', { atMost: 1.25 })

  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let round = 0; round < 10; round++) for (const input of employees) calculate(input)
  collectGarbage()
  const grown = (process.memoryUsage().heapUsed - before) / 1024 / 1024
  report('memory kept after 310,000 days', Math.round(grown * 100) / 100, 'MB', { atMost: 1 })

  report('minute-by-minute model', Math.round(model), 'employee-days/s')
  report('engine to model', Math.round(bare / model), 'times', { atLeast: 100 })
}
