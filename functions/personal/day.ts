import { isEmployedOn } from '../../shared/attendance/employment.ts'
import { dutyInterval } from '../../shared/attendance/shift.ts'
import type { Company } from '../../shared/company.ts'
import type { Output } from '../../shared/contract.ts'
import type { DayRow } from '../../shared/day.ts'
import { holidayCalendar } from '../../shared/holiday/day.ts'
import { daysBetween } from '../../shared/local-day.ts'
import type { personalPaths } from '../../shared/personal.ts'
import { presentTurnsOf } from '../../shared/presence.ts'
import { scheduleKey } from '../../shared/schedule/month.ts'
import { readShiftsById } from '../day/explanation.ts'
import { readZones } from '../department/zone.ts'
import { readHolidays } from '../holiday/store.ts'
import type { Caller } from '../kit/caller.ts'

// The caller's own days: the current day and the planned days.

type Presence = Pick<Output<(typeof personalPaths)['personal/dashboard/record']>, 'state' | 'since'>
type Timecard = Output<(typeof personalPaths)['personal/report/timecard']>

const instant = (at: number) => new Date(at).toISOString()

/**
 * Whether an employee is at work: from an arrival until a departure or the close of the day. Ignores the in and out
 * keys of terminals, because people often press the wrong key.
 */
export const presenceOf = (rows: DayRow[], now: number): Presence => {
  const punches = presentTurnsOf(rows, now)
  const last = punches.at(-1)
  if (last) {
    const isOver = rows.every(row => row.closesAt <= now || !row.punches.some(({ key }) => key === last.key))
    const presentState = isOver ? ('forgotten' as const) : ('in' as const)
    // After the close, the calculation of the day says whether a single punch was a clock-out.
    const hasGone = punches.length % 2 === 0 || (isOver && last.use === 'out')
    return { state: hasGone ? 'out' : presentState, since: instant(last.at) }
  }
  const [expected] = rows.filter(({ kind, shift }) => shift !== null && (kind === 'work' || kind === 'flexible'))
  if (expected) return { state: expected.dutyFrom !== null && expected.dutyFrom <= now ? 'missing' : 'expected' }
  const kinds = rows.map(({ kind }) => kind)
  return { state: kinds.includes('leave') ? 'leave' : kinds.includes('holiday') ? 'holiday' : 'free' }
}

/** The last day of a month, `YYYY-MM`. */
export const lastDayOf = (month: string): string => {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10)
}

/** The caller's scheduled shifts of a month on the days after `behind`, the last day that has a row. */
export const readPlanned = async (
  { table, employee }: Caller,
  company: Company,
  month: string,
  behind: string,
): Promise<Timecard['planned']> => {
  const [schedule, zoneOf] = await Promise.all([table.get(scheduleKey(month, employee.id)), readZones(table, company)])
  const days = Object.entries(schedule?.days ?? {}).filter(([day]) => day > behind)
  const shifts = await readShiftsById(
    table,
    days.flatMap(([, ids]) => ids),
  )
  return days
    .filter(([day]) => isEmployedOn(employee, day))
    .flatMap(([day, ids]) =>
      ids.flatMap(id => {
        const shift = shifts.get(id)
        if (!shift) return []
        const timezone = zoneOf?.(employee.department, day) ?? company.timezone
        const [from, to] = dutyInterval(timezone, day, shift)
        return {
          day,
          timezone,
          shift: shift.name,
          shiftColor: shift.color,
          ...(shift.kind !== 'weekly' && { dutyFrom: instant(from), dutyTo: instant(to) }),
        }
      }),
    )
    .sort((one, other) =>
      one.day === other.day ? ((one.dutyFrom ?? '') < (other.dutyFrom ?? '') ? -1 : 1) : one.day < other.day ? -1 : 1,
    )
}

/** The holidays of a range for the caller's department of each day. */
export const readFreeDays = async (
  { table, employee }: Caller,
  rows: DayRow[],
  from: string,
  to: string,
): Promise<Timecard['holidays']> => {
  const departmentByDay = new Map(rows.map(({ day, department }) => [day, department]))
  const departmentOn = (day: string) => departmentByDay.get(day) ?? employee.department
  const holidays = await readHolidays(table, { from, to })
  return holidays.flatMap(holiday => {
    const { name, part, ...days } = holiday
    const isFree = holidayCalendar([days], from, to)
    return daysBetween(from, to).flatMap(day =>
      isFree(departmentOn(day), day) ? { day, name, ...(part && { part }) } : [],
    )
  })
}
