import { addDays, addMonths, daysBetween } from '../../../shared/local-day.ts'
import type { PathOutput } from '../../api.ts'

export type Timecard = PathOutput<'personal/report/timecard'>

export type Day = Timecard['list'][number]

/** The part of a day that the calendar shows, of the user's own month or of another person's. */
export type ShownDay = Pick<
  Day,
  | (
      | 'day'
      | 'timezone'
      | 'state'
      | 'shift'
      | 'shiftColor'
      | 'dutyFrom'
      | 'dutyTo'
      | 'firstIn'
      | 'lastOut'
      | 'exceptions'
    )
  | ('workMinutes' | 'lateMinutes' | 'earlyLeaveMinutes' | 'absentMinutes' | 'overtimeMinutes' | 'leaveMinutes')
>

/** A month in the calendar. */
export type ShownMonth = Pick<Timecard, 'planned' | 'holidays'> & { list: readonly ShownDay[] }

export const monthAfter = (month: string, count: number) => addMonths(`${month}-01`, count).slice(0, 7)

export const daysOf = (month: string) => daysBetween(`${month}-01`, addDays(`${monthAfter(month, 1)}-01`, -1))

/** The marks of a day. Their names are also CSS classes. */
export const marksOf = (days: readonly ShownDay[]) => {
  const hasDay = (is: (day: ShownDay) => boolean) => days.some(is)
  return [
    hasDay(day => day.exceptions.length > 0) && 'exception',
    hasDay(day => day.absentMinutes > 0) && 'missed',
    hasDay(day => day.lateMinutes + day.earlyLeaveMinutes > 0) && 'late',
    hasDay(day => day.overtimeMinutes > 0) && 'over',
    hasDay(day => day.leaveMinutes > 0) && 'leave',
  ].filter(mark => mark !== false)
}

/** Whether a day is pending and has no punch. */
export const isToCome = ({ state, firstIn, lastOut }: ShownDay) => state === 'pending' && !firstIn && !lastOut

export const sum = (days: readonly ShownDay[], minutesOf: (day: ShownDay) => number) =>
  days.reduce((minutes, day) => minutes + minutesOf(day), 0)

export const shows = ['all', 'lateearly', 'absent', 'overtime', 'exception'] as const

export type Show = (typeof shows)[number]
