import { type KeyboardEvent, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays, daysBetween } from '../../../shared/local-day.ts'
import { useFormats } from '../../format.ts'
import { useHolidayWords } from '../../parts/board/holiday-words.ts'
import { useAmount } from '../../parts/day/amount.ts'
import { type ListedRequest, requestsOn } from '../../parts/request/ask.ts'
import { useRequestWords } from '../../parts/request/words.tsx'
import { daysOf, isToCome, marksOf, type ShownDay, type ShownMonth, sum, type Timecard } from './days.ts'

interface CalendarDayProps {
  day: string
  rows: readonly ShownDay[]
  planned: Timecard['planned']
  holiday: string | undefined
  isWholeHoliday: boolean
  requests: readonly ListedRequest[]
  isEntry: boolean
  onFocus: (element: HTMLElement) => void
  onOpen: (day: string) => void
}

/** The spoken label and status texts of a day in the calendar. */
export const useDayWords = () => {
  const { t } = useTranslation(['personal', 'explain', 'approve'])
  const formats = useFormats()
  const amount = useAmount()
  const requestWords = useRequestWords()
  /** A request with its status. */
  const request = (listed: ListedRequest) =>
    t('timecard.request', { what: requestWords.what(listed), status: t(`approve:status.${listed.status}`) })
  const clock = (at: string | undefined, zone: string) => (at ? formats.time(at, zone) : '…')
  const times = (day: ShownDay) =>
    day.firstIn || day.lastOut ? `${clock(day.firstIn, day.timezone)}–${clock(day.lastOut, day.timezone)}` : ''
  const figures = (day: ShownDay) => [
    ...(day.lateMinutes > 0 ? [['late', `${amount(day.lateMinutes, 'lateMinutes')} ${t('timecard.late')}`]] : []),
    ...(day.earlyLeaveMinutes > 0
      ? [['late', `${amount(day.earlyLeaveMinutes, 'earlyLeaveMinutes')} ${t('timecard.early')}`]]
      : []),
    ...(day.absentMinutes > 0
      ? [['missed', `${amount(day.absentMinutes, 'absentMinutes')} ${t('timecard.absent')}`]]
      : []),
    ...(day.overtimeMinutes > 0
      ? [['over', `${amount(day.overtimeMinutes, 'overtimeMinutes')} ${t('timecard.over')}`]]
      : []),
    ...(day.leaveMinutes > 0 ? [['leave', `${amount(day.leaveMinutes, 'leaveMinutes')} ${t('timecard.leave')}`]] : []),
  ]
  const duty = ({ timezone, dutyFrom, dutyTo }: Pick<ShownDay, 'timezone' | 'dutyFrom' | 'dutyTo'>) =>
    dutyFrom && dutyTo ? `${clock(dutyFrom, timezone)}–${clock(dutyTo, timezone)}` : ''
  return {
    free: t('timecard.free'),
    request,
    times,
    duty,
    figures,
    /** The text that screen readers read for a day. */
    label: (
      day: string,
      rows: readonly ShownDay[],
      planned: Timecard['planned'],
      holiday: string | undefined,
      requests: readonly ListedRequest[],
    ) =>
      [
        formats.longDay(day),
        ...rows.flatMap(row => [
          row.shift ?? t('timecard.free'),
          isToCome(row) ? `${t('timecard.planned')} ${duty(row)}` : times(row),
          row.workMinutes > 0 ? amount(row.workMinutes, 'workMinutes') : '',
          ...figures(row).map(([, text]) => text),
          ...row.exceptions.map(name => t(`explain:exception.${name}`)),
        ]),
        ...planned.map(plan => `${t('timecard.planned')} ${plan.shift} ${duty(plan)}`),
        holiday ? t('timecard.holidayOf', { name: holiday }) : '',
        ...requests.map(request),
      ]
        .filter(Boolean)
        .join(', '),
  }
}

function CalendarDay(props: CalendarDayProps) {
  const { day, rows, planned, holiday, isWholeHoliday, requests, isEntry, onFocus, onOpen } = props
  const formats = useFormats()
  const words = useDayWords()
  const [first] = rows
  const isOpen = first !== undefined && isToCome(first)
  const minutes = sum(rows, ({ workMinutes, overtimeMinutes }) => workMinutes + overtimeMinutes)
  const shown = rows.length > 0 && !isOpen
  const plans = [...planned, ...(isOpen ? rows : [])]
  return (
    <button
      type="button"
      data-day={day}
      className={`calendar-day ${first?.shiftColor ?? plans[0]?.shiftColor ?? ''} shift-color ${shown ? 'is-worked' : plans.length > 0 ? 'is-planned' : ''} ${holiday ? (isWholeHoliday ? 'is-holiday' : 'is-half-holiday') : ''}`}
      tabIndex={isEntry ? 0 : -1}
      onFocus={event => onFocus(event.currentTarget)}
      onClick={() => onOpen(day)}
    >
      <span className="unseen">{words.label(day, rows, planned, holiday, requests)}</span>
      <span className="calendar-look" aria-hidden="true">
        <span className="date figure">{Number(day.slice(8))}</span>
        <span className="marks">
          {marksOf(rows).map(mark => (
            <i key={mark} className={mark} />
          ))}
          {requests.length > 0 && <i className={requests.some(({ status }) => status === 0) ? 'asked' : 'granted'} />}
        </span>
        {shown && <strong className="figure">{minutes > 0 ? formats.duration(minutes, 'work') : '–'}</strong>}
        {shown && <span className="wide">{rows.map(row => row.shift ?? words.free).join(', ')}</span>}
        {shown && (
          <span className="wide figure muted">
            {rows
              .map(row => words.times(row))
              .filter(Boolean)
              .join(', ')}
          </span>
        )}
        {plans.map(plan => (
          <span key={`${plan.shift} ${plan.dutyFrom}`} className="plan">
            <span className="wide">{plan.shift}</span>
            {plan.dutyFrom && <span className="figure">{formats.time(plan.dutyFrom, plan.timezone)}</span>}
          </span>
        ))}
        {holiday && <span className="wide holiday">{holiday}</span>}
        {requests.map(request => (
          <span key={request.id} className={`wide request status-${request.status}`}>
            {words.request(request)}
          </span>
        ))}
      </span>
    </button>
  )
}

/** The month as a calendar. Arrow keys move between days. Enter or a tap opens the explanation of a day. */
export function Calendar(props: {
  card: ShownMonth | undefined
  month: string
  requests: readonly ListedRequest[] | undefined
  onOpen: (day: string) => void
}) {
  const { t } = useTranslation('personal')
  const formats = useFormats()
  const { card, month, requests, onOpen } = props
  const holidayWords = useHolidayWords()
  const table = useRef<HTMLTableElement>(null)
  const days = daysOf(month)
  const today = formats.today()
  const entry = days.includes(today) ? today : days[0]
  const weekdayOf = (day: string) => new Date(`${day}T12:00:00Z`).getUTCDay()
  const lead = days[0] ? (weekdayOf(days[0]) - formats.firstWeekday + 7) % 7 : 0
  const cells = [...Array.from({ length: lead }, () => undefined), ...days]
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) => cells.slice(week * 7, week * 7 + 7))
  const worked = Map.groupBy(card?.list ?? [], ({ day }) => day)
  const planned = Map.groupBy(card?.planned ?? [], ({ day }) => day)
  const holidays = new Map(card?.holidays.map(({ day, name, part }) => [day, holidayWords.name(name, part)]))
  const wholeDays = new Set(card?.holidays.flatMap(({ day, part }) => (part ? [] : [day])))

  const moveFocus = (event: KeyboardEvent) => {
    const { target } = event
    const at = target instanceof HTMLElement ? days.indexOf(target.dataset.day ?? '') : -1
    if (at < 0) return
    const weekday = (lead + at) % 7
    const last = days.length - 1
    const moves: Record<string, number> = {
      ...{ ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - 7, ArrowDown: at + 7 },
      ...{ Home: Math.max(0, at - weekday), End: Math.min(last, at + 6 - weekday), PageUp: 0, PageDown: last },
    }
    const to = moves[event.key]
    if (to === undefined) return
    event.preventDefault()
    // The arrow keys stop at the edge of the month.
    const day = days[to]
    table.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus()
  }
  /** The Tab key reaches only one day: the last focused day, or today. */
  const keepTabStop = (element: HTMLElement) => {
    for (const other of table.current?.querySelectorAll<HTMLElement>('[data-day]') ?? [])
      other.tabIndex = other === element ? 0 : -1
  }
  return (
    <div className="card month-card">
      <table
        ref={table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrow keys move between the days of the table.
        role="grid"
        aria-label={formats.month(month)}
        aria-busy={!card}
        onKeyDown={moveFocus}
      >
        <thead>
          <tr>
            {daysBetween(addDays('2026-02-01', formats.firstWeekday), addDays('2026-02-07', formats.firstWeekday)).map(
              day => (
                <th key={day} scope="col">
                  <abbr title={formats.longDay(day).split(',')[0]}>{formats.weekday(day)}</abbr>
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {weeks.map(week => (
            <tr key={week.find(day => day) ?? ''}>
              {Array.from({ length: 7 }, (_, column) => {
                const day = week[column]
                if (!day)
                  // biome-ignore lint/suspicious/noArrayIndexKey: an empty cell has no other identity.
                  return <td key={column} className="beside" />
                return (
                  <td key={day} className={day === today ? 'is-today' : undefined}>
                    <CalendarDay
                      day={day}
                      rows={worked.get(day) ?? []}
                      planned={planned.get(day) ?? []}
                      holiday={holidays.get(day)}
                      isWholeHoliday={wholeDays.has(day)}
                      requests={requestsOn(requests, day)}
                      isEntry={day === entry}
                      onFocus={keepTabStop}
                      onOpen={onOpen}
                    />
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="muted small">{t('timecard.hint')}</p>
    </div>
  )
}
