import type { UsedPunch } from '../../shared/attendance/row.ts'
import { dutyInterval } from '../../shared/attendance/shift.ts'
import type { Company } from '../../shared/company.ts'
import type { Output } from '../../shared/contract.ts'
import type { DayRow } from '../../shared/day.ts'
import { holidayCalendar } from '../../shared/holiday.ts'
import { daysBetween } from '../../shared/local-day.ts'
import type { personalPaths } from '../../shared/personal.ts'
import { scheduleKey } from '../../shared/schedule.ts'
import { readShiftsById } from '../day/explanation.ts'
import { readHolidays } from '../holiday/store.ts'
import type { Caller } from '../kit/caller.ts'

// One's own days: the one that is going on, and those that are to come.

type Presence = Pick<Output<(typeof personalPaths)['personal/dashboard/record']>, 'state' | 'since'>
type Timecard = Output<(typeof personalPaths)['personal/report/timecard']>

const instant = (at: number) => new Date(at).toISOString()

/** Each punch once: rows beside each other may both know it. What it means for its own shift says more than that another passed it over. */
export const eachOnce = (rows: readonly Pick<DayRow, 'punches'>[]): UsedPunch[] => {
  const known = new Map<string, UsedPunch>()
  for (const punch of rows.flatMap(({ punches }) => punches)) {
    const other = known.get(punch.key)
    const isPassedOver = other === undefined || other.use === 'otherShift' || other.use === 'outside'
    if (isPassedOver || punch.use === 'handOver') known.set(punch.key, punch)
  }
  return [...known.values()].sort((one, other) => one.at - other.at)
}

/** Those by which somebody comes or goes: a hand-over is the end of one shift and the beginning of the next. */
const turns = (rows: readonly Pick<DayRow, 'punches'>[]) =>
  eachOnce(rows).filter(({ use }) => !['repeat', 'handOver', 'otherShift', 'outside'].includes(use))

/** Whether a shift of the day before is still going on: its duty lasts, or who worked it has not gone. */
const isGoingOn = (row: DayRow, now: number) =>
  (row.dutyTo !== null && row.dutyTo > now) || (row.closesAt > now && turns([row]).length % 2 === 1)

/** The rows of today, and of the shift that goes on since yesterday. */
export const rowsOfNow = (rows: DayRow[], today: string, now: number): DayRow[] =>
  rows.filter(row => row.day === today || isGoingOn(row, now))

/**
 * Whether somebody is at work: who came last is there until the day is over, who went last is not. What the keys of terminals say
 * is not asked; people press the wrong one.
 */
export const presenceOf = (rows: DayRow[], now: number): Presence => {
  const punches = turns(rows)
  const last = punches.at(-1)
  if (last) {
    const isOver = rows.every(({ closesAt }) => closesAt <= now)
    const came = isOver ? ('forgotten' as const) : ('in' as const)
    // A day that is over knows whether its only punch was an out.
    const hasGone = punches.length % 2 === 0 || (isOver && last.use === 'out')
    return { state: hasGone ? 'out' : came, since: instant(last.at) }
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

/** What the caller is scheduled for in a month, on the days behind those that have rows. */
export const readPlanned = async (
  { table, employee }: Caller,
  { timezone }: Company,
  month: string,
  behind: string,
): Promise<Timecard['planned']> => {
  const held = await table.get(scheduleKey(month, employee.id))
  const days = Object.entries(held?.days ?? {}).filter(([day]) => day > behind)
  const shifts = await readShiftsById(
    table,
    days.flatMap(([, ids]) => ids),
  )
  const { hireDay = '', endDay = '9999-12-31' } = employee
  return days
    .filter(([day]) => day >= hireDay && day <= endDay)
    .flatMap(([day, ids]) =>
      ids.flatMap(id => {
        const shift = shifts.get(id)
        if (!shift) return []
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

/** The holidays of a range in the department the caller was in on the day. */
export const readFreeDays = async (
  { table, employee }: Caller,
  rows: DayRow[],
  from: string,
  to: string,
): Promise<Timecard['holidays']> => {
  const then = new Map(rows.map(({ day, department }) => [day, department]))
  const departmentOn = (day: string) => then.get(day) ?? employee.department
  const holidays = await readHolidays(table, { from, to })
  return holidays.flatMap(holiday => {
    const isFree = holidayCalendar([holiday], from, to)
    return daysBetween(from, to).flatMap(day => (isFree(departmentOn(day), day) ? { day, name: holiday.name } : []))
  })
}
