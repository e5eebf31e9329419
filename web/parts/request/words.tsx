import { CalendarOff, type LucideIcon, Timer, UserRoundCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { PathOutput } from '../../api.ts'
import { dayIn, useFormats } from '../../format.ts'
import { useRead } from '../../read.ts'
import './request.css'

// The kind, time and status of a request in words, for the employee and for the approver.

export type Request = PathOutput<'personal/request/grid'>['list'][number]
type LeaveBalance = PathOutput<'personal/request/leave/preview'>['balances'][number]
type ShownRequest = Omit<Request, 'mayCancel'>

const icons: Record<ShownRequest['type'], LucideIcon> = { 1: UserRoundCheck, 2: CalendarOff, 3: Timer }
const tones: Record<ShownRequest['status'], string> = { 0: 'tag warn', 1: 'tag ok', 2: 'tag danger', 3: 'tag' }

/** The icon of a kind of request. */
export function RequestIcon({ type }: { type: ShownRequest['type'] }) {
  const Icon = icons[type]
  return (
    <span className={`request-icon type-${type}`} aria-hidden="true">
      <Icon className="icon" />
    </span>
  )
}

export function RequestStatus({ status }: Pick<ShownRequest, 'status'>) {
  const { t } = useTranslation('approve')
  return <span className={tones[status]}>{t(`status.${status}`)}</span>
}

type RequestTimes = Pick<ShownRequest, 'date' | 'toDate' | 'timezone' | 'at' | 'inout' | 'from' | 'to' | 'isAllDay'>

/** Formatters that describe a request in words. */
export const useRequestWords = () => {
  const { t } = useTranslation(['request', 'approve', 'leave'])
  const formats = useFormats()
  const leaveType = (id: number) => t(`leave:type.${id as 1}`)
  /** A clock time in the request's zone, with the weekday if its date differs from `day`. */
  const clock = (at: string, zone: string, day: string) => {
    const date = dayIn(zone, new Date(at))
    const time = formats.time(at, zone)
    return date === day ? time : `${time} ${formats.weekday(date)}`
  }
  const days = (count: number) => t('days', { count })
  const change = ({ before, after }: { before: number; after: number }) => ({
    before: days(before),
    after: days(after),
  })
  return {
    /** The days that remain without and with a leave, for each year, and again once unused carried days are gone. */
    balances: (balances: readonly LeaveBalance[]): string[] =>
      balances.flatMap(({ year, later, ...today }) => [
        t('form.balance', { year: formats.leaveYear(year), ...change(today) }),
        ...(later ? [t('form.balanceFrom', { day: formats.day(later.from), ...change(later) })] : []),
      ]),
    leaveType,
    days,
    what: ({ type, leaveType: leave }: Pick<ShownRequest, 'type' | 'leaveType'>) =>
      leave === undefined ? t(`approve:type.${type}`) : leaveType(leave),
    /** The days of a request, and its times if it has any. */
    when: ({ date, toDate, timezone, at, inout, from, to, isAllDay }: RequestTimes): string => {
      const first = formats.shortDay(date)
      if (at !== undefined)
        return [`${first}, ${clock(at, timezone, date)}`, inout === undefined ? '' : t(`approve:inout.${inout}`)]
          .filter(Boolean)
          .join(' · ')
      if (from !== undefined && to !== undefined)
        return date === toDate
          ? `${first}, ${clock(from, timezone, date)}–${clock(to, timezone, date)}`
          : `${first}, ${clock(from, timezone, date)} – ${formats.shortDay(toDate)}, ${clock(to, timezone, toDate)}`
      const both = date === toDate ? first : `${first} – ${formats.shortDay(toDate)}`
      return isAllDay && date === toDate ? `${both}, ${t('allDay')}` : both
    },
  }
}

/** The ids and names of the leave types in use. */
export const useLeaveTypes = () => {
  const words = useRequestWords()
  const { data } = useRead('leave/params', {})
  return (data?.types ?? []).flatMap(({ id, isOn }) => (isOn ? [[String(id), words.leaveType(id)] as const] : []))
}
