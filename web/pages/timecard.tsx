import { CalendarClock, ChevronLeft, ChevronRight, Lock } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays, addMonths, daysBetween } from '../../shared/local-day.ts'
import type { PathOutput } from '../api.ts'
import { type Formats, useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { DayState, useAmount } from '../parts/day/explain.tsx'
import { dayAt, useAddress } from '../parts/field/address.ts'
import { SelectField } from '../parts/field/field.tsx'
import { SegmentField } from '../parts/field/segment-field.tsx'
import { Empty, Page, Trouble } from '../parts/page.tsx'
import { type ListedRequest, openTroubleOf, requestsOn } from '../parts/request/ask.ts'
import { useRequestWords } from '../parts/request/words.tsx'
import { AskLink } from '../parts/say/ask-links.tsx'
import { useRead } from '../read.ts'
import { OwnDayPanel } from './timecard/day-panel.tsx'
import './timecard.css'

type Timecard = PathOutput<'personal/report/timecard'>
type Day = Timecard['list'][number]

const shows = ['all', 'lateearly', 'absent', 'overtime', 'exception'] as const
type Show = (typeof shows)[number]

const monthAfter = (month: string, count: number) => addMonths(`${month}-01`, count).slice(0, 7)
const daysOf = (month: string) => daysBetween(`${month}-01`, addDays(`${monthAfter(month, 1)}-01`, -1))

/** What is looked at stands in the address, so that a link or the back button brings it again. */
const useView = () => {
  const formats = useFormats()
  const { address: search, set } = useAddress()
  const asked = search.get('month') ?? ''
  return {
    month: /^\d{4}-(0[1-9]|1[0-2])$/.test(asked) ? asked : formats.today().slice(0, 7),
    view: search.get('view') === 'list' ? ('list' as const) : ('calendar' as const),
    show: shows.find(show => show === search.get('show')) ?? ('all' as const),
    /** The day whose explanation is open. */
    day: dayAt(search, 'day'),
    set,
  }
}

/** One's own month: what each day came to, and on pressing a day, why. */
export default function TimecardPage() {
  const { t } = useTranslation('personal')
  const formats = useFormats()
  const { month, view, show, day, set } = useView()
  const today = formats.today()
  const { data, error, isLoading, readAgain } = useRead('personal/report/timecard', { month })
  const days = daysOf(month)
  const requests = useRead('personal/request/grid', {
    filters: { from: days[0] ?? '', to: days.at(-1) ?? '' },
    size: 200,
  }).data?.list
  const open = (day: string) => set({ day }, true)
  // Who closes an explanation is back at its day, whichever way it was closed.
  const opened = useRef<string>(undefined)
  useEffect(() => {
    if (day === undefined && opened.current !== undefined)
      document.querySelector<HTMLElement>(`[data-day="${opened.current}"]`)?.focus({ preventScroll: true })
    opened.current = day
  }, [day])
  return (
    <Page title={t('timecard.title')} className="timecard">
      <div className="timecard-tools">
        <MonthField month={month} onPick={next => set({ month: next === today.slice(0, 7) ? undefined : next })} />
        <SegmentField
          label={t('timecard.view')}
          value={view}
          onText={next => set({ view: next === 'list' ? 'list' : undefined, show: undefined })}
          options={[
            ['calendar', t('timecard.calendar')],
            ['list', t('timecard.list')],
          ]}
        />
        {view === 'list' && (
          <SelectField
            className="show"
            label={t('timecard.show')}
            value={show}
            onText={next => set({ show: next === 'all' ? undefined : next })}
            options={shows.map(show => [show, show === 'all' ? t('timecard.all') : t(`count.${show}`)] as const)}
          />
        )}
      </div>
      {error && !data ? (
        <Trouble error={error} onRetry={() => void readAgain()} />
      ) : (
        <>
          <Total card={data} month={month} />
          {view === 'calendar' ? (
            <Calendar card={isLoading ? undefined : data} month={month} requests={requests} onOpen={open} />
          ) : (
            <List
              month={month}
              show={show}
              planned={show === 'all' ? (data?.planned ?? []) : []}
              requests={requests}
              onOpen={open}
            />
          )}
          {data?.lockedTo && data.lockedTo >= `${month}-01` && (
            <p className="muted small locked-line">
              <Lock className="icon" aria-hidden="true" /> {t('timecard.locked', { day: formats.day(data.lockedTo) })}
            </p>
          )}
        </>
      )}
      {day && (
        <OwnDayPanel
          day={day}
          toCome={day > today && <ToCome card={data} day={day} />}
          onClose={() => set({ day: undefined })}
        />
      )}
    </Page>
  )
}

/** What is planned for a day that is still to come. */
function ToCome({ card, day }: { card: Timecard | undefined; day: string }) {
  const { t } = useTranslation('personal')
  const words = useDayWords()
  const plans = card?.planned.filter(plan => plan.day === day) ?? []
  const holiday = card?.holidays.find(holiday => holiday.day === day)
  return (
    <div className="to-come">
      <p className="muted">{t('timecard.toCome')}</p>
      {holiday && <p>{t('timecard.holidayOf', { name: holiday.name })}</p>}
      {plans.map(plan => (
        <p key={`${plan.shift} ${plan.dutyFrom}`} className={`shift-color ${plan.shiftColor}`}>
          <span className="shift-name">{plan.shift}</span> <span className="figure muted">{words.duty(plan)}</span>
        </p>
      ))}
    </div>
  )
}

function MonthField({ month, onPick }: { month: string; onPick: (month: string) => void }) {
  const { t } = useTranslation('personal')
  const formats = useFormats()
  return (
    <div className="month-field">
      <Button
        square
        aria-label={t('timecard.previous')}
        icon={<ChevronLeft className="icon" />}
        onClick={() => onPick(monthAfter(month, -1))}
      />
      <h2 aria-live="polite">{formats.month(month)}</h2>
      <Button
        square
        aria-label={t('timecard.next')}
        icon={<ChevronRight className="icon" />}
        onClick={() => onPick(monthAfter(month, 1))}
      />
    </div>
  )
}

const totals = [
  'dutyMinutes',
  'workMinutes',
  'overtimeMinutes',
  'lateMinutes',
  'earlyLeaveMinutes',
  'absentMinutes',
  'leaveMinutes',
] as const

/** The sums of the month: duty, work and overtime always, the others where there are any. */
function Total({ card, month }: { card: Timecard | undefined; month: string }) {
  const { t } = useTranslation(['personal', 'explain'])
  const formats = useFormats()
  const amount = useAmount()
  const isNow = card?.today.startsWith(month)
  const shown = totals.filter((name, at) => at < 3 || (card && card.total[name] > 0))
  return (
    <dl
      className="card timecard-total"
      aria-busy={!card}
      aria-label={isNow ? t('timecard.total') : t('timecard.totalOf', { month: formats.month(month) })}
    >
      {shown.map(name => (
        <div key={name} className={name}>
          <dt>{t(`explain:figure.${name}`)}</dt>
          <dd className="figure">{card ? amount(card.total[name], name) : '–'}</dd>
        </div>
      ))}
    </dl>
  )
}

/** What somebody should know of a day, each with its look. */
const marksOf = (days: readonly Day[]) => {
  const some = (is: (day: Day) => boolean) => days.some(is)
  return [
    some(day => day.exceptions.length > 0) && 'exception',
    some(day => day.absentMinutes > 0) && 'missed',
    some(day => day.lateMinutes + day.earlyLeaveMinutes > 0) && 'late',
    some(day => day.overtimeMinutes > 0) && 'over',
    some(day => day.leaveMinutes > 0) && 'leave',
  ].filter(mark => mark !== false)
}

/** Nothing of it has been worked yet. */
const isToCome = ({ state, firstIn, lastOut }: Day) => state === 'pending' && !firstIn && !lastOut

const sum = (days: readonly Day[], minutesOf: (day: Day) => number) =>
  days.reduce((minutes, day) => minutes + minutesOf(day), 0)

/** The month as a calendar. Arrow keys go from day to day; Enter or a tap opens why a day is what it is. */
function Calendar(props: {
  card: Timecard | undefined
  month: string
  requests: readonly ListedRequest[] | undefined
  onOpen: (day: string) => void
}) {
  const { t } = useTranslation('personal')
  const formats = useFormats()
  const { card, month, requests, onOpen } = props
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
  const holidays = new Map(card?.holidays.map(({ day, name }) => [day, name]))

  const hearKey = (event: KeyboardEvent) => {
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
    // Beyond the month there is nothing to go to.
    const day = days[to]
    table.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus()
  }
  /** One day is reached by the Tab key: the one that had it last, or today. */
  const hold = (element: HTMLElement) => {
    for (const other of table.current?.querySelectorAll<HTMLElement>('[data-day]') ?? [])
      other.tabIndex = other === element ? 0 : -1
  }
  return (
    <div className="card month-card">
      <table
        ref={table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the days of the table are gone through by arrow keys.
        role="grid"
        aria-label={formats.month(month)}
        aria-busy={!card}
        onKeyDown={hearKey}
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
                  // biome-ignore lint/suspicious/noArrayIndexKey: an empty place has nothing else to be known by.
                  return <td key={column} className="beside" />
                return (
                  <td key={day} className={day === today ? 'is-today' : undefined}>
                    <CalendarDay
                      day={day}
                      rows={worked.get(day) ?? []}
                      planned={planned.get(day) ?? []}
                      holiday={holidays.get(day)}
                      requests={requestsOn(requests, day)}
                      isEntry={day === entry}
                      onFocus={hold}
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

interface CalendarDayProps {
  day: string
  rows: readonly Day[]
  planned: Timecard['planned']
  holiday: string | undefined
  requests: readonly ListedRequest[]
  isEntry: boolean
  onFocus: (element: HTMLElement) => void
  onOpen: (day: string) => void
}

function CalendarDay({ day, rows, planned, holiday, requests, isEntry, onFocus, onOpen }: CalendarDayProps) {
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
      className={`calendar-day ${first?.shiftColor ?? plans[0]?.shiftColor ?? ''} shift-color ${shown ? 'is-worked' : plans.length > 0 ? 'is-planned' : ''} ${holiday ? 'is-holiday' : ''}`}
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

/** A day in words. */
const useDayWords = () => {
  const { t } = useTranslation(['personal', 'explain', 'approve'])
  const formats = useFormats()
  const amount = useAmount()
  const requestWords = useRequestWords()
  /** What was asked for, and whether it waits. */
  const request = (one: ListedRequest) =>
    t('timecard.request', { what: requestWords.what(one), status: t(`approve:status.${one.status}`) })
  const clock = (at: string | undefined, zone: string) => (at ? formats.time(at, zone) : '…')
  const times = (day: Day) =>
    day.firstIn || day.lastOut ? `${clock(day.firstIn, day.timezone)}–${clock(day.lastOut, day.timezone)}` : ''
  const figures = (day: Day) => [
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
  const duty = ({ timezone, dutyFrom, dutyTo }: Pick<Day, 'timezone' | 'dutyFrom' | 'dutyTo'>) =>
    dutyFrom && dutyTo ? `${clock(dutyFrom, timezone)}–${clock(dutyTo, timezone)}` : ''
  return {
    free: t('timecard.free'),
    request,
    times,
    duty,
    figures,
    /** All that the calendar shows of a day, for who does not see it. */
    label: (
      day: string,
      rows: readonly Day[],
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

/** The days of the month one below the other, all of them or those of a kind. */
function List(props: {
  month: string
  show: Show
  /** What is to come of the month, where that is asked for. */
  planned: Timecard['planned']
  requests: readonly ListedRequest[] | undefined
  onOpen: (day: string) => void
}) {
  const { month, show, planned, requests, onOpen } = props
  const { t } = useTranslation('personal')
  const formats = useFormats()
  const days = daysOf(month)
  const range = { from: days[0] ?? '', to: days.at(-1) ?? '' }
  const { data, error, readAgain } = useRead(`personal/record/${show}`, range)
  if (error && !data) return <Trouble error={error} onRetry={() => void readAgain()} />
  if (data?.list.length === 0 && planned.length === 0)
    return (
      <div className="card">
        <Empty icon={<CalendarClock />} title={t('timecard.empty.title')}>
          {t(show === 'all' ? 'timecard.empty.text' : 'timecard.empty.filtered', { month: formats.month(month) })}
        </Empty>
      </div>
    )
  return (
    <ul className="card day-list" aria-busy={!data}>
      {data &&
        planned.toReversed().map(plan => (
          <li key={`${plan.day} ${plan.shift} ${plan.dutyFrom}`}>
            <PlannedDay plan={plan} formats={formats} requests={requestsOn(requests, plan.day)} onOpen={onOpen} />
          </li>
        ))}
      {data
        ? data.list.map(day => (
            <li key={`${day.day} ${day.shift} ${day.dutyFrom}`}>
              <ListedDay day={day} formats={formats} requests={requests} onOpen={onOpen} />
            </li>
          ))
        : [1, 2, 3, 4, 5, 6].map(line => (
            <li key={line} className="waiting">
              <span className="skeleton" style={{ width: `${90 - line * 6}%`, height: 14 }} />
            </li>
          ))}
    </ul>
  )
}

interface ListedProps {
  formats: Formats
  requests: readonly ListedRequest[] | undefined
  onOpen: (day: string) => void
}

function PlannedDay({ plan, formats, requests, onOpen }: ListedProps & { plan: Timecard['planned'][number] }) {
  const { t } = useTranslation('personal')
  const words = useDayWords()
  return (
    <button
      type="button"
      data-day={plan.day}
      className={`listed-day is-plan shift-color ${plan.shiftColor}`}
      onClick={() => onOpen(plan.day)}
    >
      <b className="figure">{formats.shortDay(plan.day)}</b>
      <span className="what">
        <span className="shift-name">{plan.shift}</span>
        <span className="figure muted">{words.duty(plan)}</span>
      </span>
      <span className="worked figure">–</span>
      <span className="marks">
        <span className="tag">{t('timecard.planned')}</span>
        <RequestTags requests={requests} />
      </span>
    </button>
  )
}

/** What was asked for about a day. */
function RequestTags({ requests }: { requests: readonly ListedRequest[] | undefined }) {
  const words = useDayWords()
  return requests?.map(request => (
    <span key={request.id} className={request.status === 0 ? 'tag warn' : 'tag info'}>
      {words.request(request)}
    </span>
  ))
}

/** A day, and beside it the form that puts right what is wrong with it. */
function ListedDay({ day, formats, requests, onOpen }: ListedProps & { day: Day }) {
  const { t } = useTranslation(['personal', 'explain'])
  const words = useDayWords()
  const amount = useAmount()
  const isPlan = isToCome(day)
  const [ask] = (requests && openTroubleOf(day, requests)?.asks) ?? []
  return (
    <div className="listed">
      <button
        type="button"
        data-day={day.day}
        className={`listed-day shift-color ${day.shiftColor ?? ''}`}
        onClick={() => onOpen(day.day)}
      >
        <b className="figure">{formats.shortDay(day.day)}</b>
        <span className="what">
          <span className="shift-name">{day.shift ?? words.free}</span>
          <span className="figure muted">{isPlan ? words.duty(day) : words.times(day)}</span>
        </span>
        <span className="worked figure">{day.workMinutes > 0 ? amount(day.workMinutes, 'workMinutes') : '–'}</span>
        <span className="marks">
          {words.figures(day).map(([tone, text]) => (
            <span key={text} className={`mark ${tone}`}>
              {text}
            </span>
          ))}
          {day.exceptions.map(name => (
            <span key={name} className="tag danger">
              {t(`explain:exception.${name}`)}
            </span>
          ))}
          {isPlan ? (
            <span className="tag">{t('timecard.planned')}</span>
          ) : (
            day.state !== 'final' && <DayState day={day} />
          )}
          <RequestTags requests={requests && requestsOn(requests, day.day)} />
        </span>
      </button>
      {ask && <AskLink ask={ask} about={formats.longDay(day.day)} />}
    </div>
  )
}
