import { ArrowRight, TriangleAlert } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { exceptionTypes } from '../../../shared/attendance/row.ts'
import type { FigureName } from '../../../shared/figure.ts'
import { usableDays } from '../../../shared/leave/total.ts'
import { addDays, addMonths, earlierDay } from '../../../shared/local-day.ts'
import { measureOf } from '../../../shared/measure.ts'
import { useFormats } from '../../format.ts'
import { type DayRow, OpenDay } from '../../parts/day/open-day.tsx'
import { MonthField, useMonth } from '../../parts/field/month-field.tsx'
import { Trouble } from '../../parts/page.tsx'
import { CarriedEnd } from '../../parts/request/carried-end.tsx'
import { useRequestWords } from '../../parts/request/words.tsx'
import { Link } from '../../parts/shell/router.ts'
import { type RowOf, useRead } from '../../read.ts'
import { isWorthShowing } from '../leave/panel.tsx'
import { Calendar } from '../timecard/calendar.tsx'
import { daysOf, type ShownDay, type ShownMonth } from '../timecard/days.ts'
import { KindTotals } from './kinds.tsx'
import { useUpcoming } from './shifts.ts'
import { type Got, type Tab, useRights } from './tabs.ts'
import '../timecard.css'

// The month of a person at a glance, and beside it what is open, left and planned.

interface CardProps {
  person: Got
  onTab: (tab: Tab) => void
}

export function Overview({ person, onTab, tabs }: CardProps & { tabs: readonly Tab[] }) {
  const { mayReport, mayRecord } = useRights()
  const has = (tab: Tab) => tabs.includes(tab)
  return (
    <div className={mayReport ? 'person-overview' : 'person-overview is-narrow'}>
      {mayReport && <Month person={person} hasPlan={has('schedule')} />}
      <div className="person-aside">
        {mayReport && <Totals person={person} onTab={onTab} />}
        {has('leave') && <LeaveLeft person={person} onTab={onTab} />}
        {has('schedule') && !person.isFormer && <NextShifts person={person} onTab={onTab} />}
        {mayRecord && <Records person={person} />}
      </div>
    </div>
  )
}

/** A day of the report as the calendar shows it. */
const shownDay = ({ exceptions, ...row }: RowOf<'report/grid'>): ShownDay => ({
  ...row,
  exceptions: exceptionTypes.filter(type => exceptions.includes(type)),
})

const none: never[] = []

function Month({ person, hasPlan }: { person: Got; hasPlan: boolean }) {
  const { t } = useTranslation('person')
  const { month, pick } = useMonth()
  const today = useFormats().today()
  const days = useMemo(() => daysOf(month), [month])
  const [from, to] = [days[0] ?? '', days.at(-1) ?? '']
  // A month has at most 31 days, and a day at most a few shifts.
  const report = useRead('report/grid', { filters: { from, to, employee: person.id }, size: 200 })
  const { data: holidays } = useRead('holiday/all', { from, to })
  const [shown, setShown] = useState<DayRow>()
  const rowOf = (day: string): DayRow => ({ key: day, employee: person.id, day })
  const { data, isLoading } = report
  // The report has rows only for the next days. Later shifts are in the schedule.
  const { list: upcoming = none } = useUpcoming(person, from, to, hasPlan)
  const card = useMemo((): ShownMonth | undefined => {
    if (!data || isLoading) return undefined
    const own = (holidays?.list ?? []).filter(
      ({ departments }) => !departments || departments.includes(person.department),
    )
    const rowDays = new Set(data.list.map(({ day }) => day))
    return {
      list: data.list.map(shownDay).toReversed(),
      planned: upcoming
        .filter(({ day }) => day > today && !rowDays.has(day))
        .map(({ day, shift: { name, color, onDuty, kind } }) => ({
          // Wall times of a shift, so that no zone moves them.
          ...{ day, shift: name, shiftColor: color, timezone: 'UTC' },
          ...(kind !== 'weekly' && { dutyFrom: `${day}T${onDuty.slice(0, 5)}:00Z` }),
        })),
      holidays: own.flatMap(({ name, part, from: first, to: last }) =>
        days.filter(day => first <= day && day <= last).map(day => ({ day, name, part })),
      ),
    }
  }, [data, isLoading, holidays, person.department, days, upcoming, today])
  return (
    <section className="person-month" aria-label={t('tabs.overview')}>
      <MonthField month={month} onPick={pick} />
      <p className="person-legend small muted" aria-hidden="true">
        {(['late', 'over', 'exception'] as const).map(mark => (
          <span key={mark} className="marks">
            <i className={mark} /> {t(`legend.${mark}`)}
          </span>
        ))}
      </p>
      {report.error && !data ? (
        <Trouble error={report.error} onRetry={() => void report.readAgain()} />
      ) : (
        <Calendar card={card} month={month} requests={undefined} onOpen={day => setShown(rowOf(day))} />
      )}
      <OpenDay shown={shown} days={days.map(rowOf)} onShow={setShown} />
    </section>
  )
}

/** A card of the page, with a button for the tab that shows more. */
function Card(props: { title: string; tab: Tab; onTab: (tab: Tab) => void; children: ReactNode }) {
  const { t } = useTranslation('person')
  const { title, tab, onTab, children } = props
  return (
    <section className="card person-card">
      <header>
        <h2>{title}</h2>
        <button type="button" className="link" onClick={() => onTab(tab)}>
          {t(`tabs.${tab}`)}
        </button>
      </header>
      {children}
    </section>
  )
}

const figures = [
  ...(['dutyMinutes', 'workMinutes', 'lateMinutes', 'earlyLeaveMinutes', 'absentMinutes', 'leaveMinutes'] as const),
  ...(['unresolvedMinutes', 'unscheduledMinutes', 'overtimeMinutes'] as const),
] as const
const always: readonly FigureName[] = ['dutyMinutes', 'workMinutes', 'overtimeMinutes']

/** The totals of the present month up to yesterday, and the oldest open exception. */
function Totals({ person, onTab }: CardProps) {
  const { t } = useTranslation(['person', 'explain', 'exception', 'shell'])
  const formats = useFormats()
  const { month } = person
  const today = formats.today()
  const { data } = useRead('exception/grid', {
    filters: { from: addMonths(today, -3), to: today, employee: person.id, state: 'open' },
    size: 100,
  })
  const open = data?.list.at(-1)
  const amount = (value: number, name: FigureName) =>
    `${formats.amount(value, measureOf[name])}\u00a0${t(`shell:unit.${formats.unit(measureOf[name])}`)}`
  const shown = figures.filter(name => always.includes(name) || (month?.amounts[name] ?? 0) > 0)
  return (
    <Card title={formats.month(today.slice(0, 7))} tab="days" onTab={onTab}>
      {month ? (
        <dl className="person-totals">
          {shown.map(name => (
            <div key={name} className={name}>
              <dt>{name === 'dutyMinutes' ? t('soFar') : t(`explain:figure.${name}`)}</dt>
              <dd className="figure">{amount(month.amounts[name] ?? 0, name)}</dd>
            </div>
          ))}
          <div className="balance">
            <dt>{t('balance')}</dt>
            <dd className="figure">{amount(month.balance, 'workMinutes')}</dd>
          </div>
        </dl>
      ) : (
        <p className="muted">{t('noDays')}</p>
      )}
      {month && <KindTotals employee={person.id} />}
      {!person.hasPunched && <p className="muted small">{t('neverPunched')}</p>}
      {open && (
        <Link
          className="notice danger person-open"
          to={`/exception?employee=${person.id}&from=${open.day}&to=${open.day}`}
        >
          <TriangleAlert className="icon" aria-hidden="true" />
          <span>
            {formats.shortDay(open.day)}, {t(`exception:type.${open.type}`)}
          </span>
          <strong>{t('fix')}</strong>
        </Link>
      )}
    </Card>
  )
}

/** The remaining days of each limited type, the taken days of other types, and the oldest pending request. */
function LeaveLeft({ person, onTab }: CardProps) {
  const { t } = useTranslation(['person', 'leave', 'approve'])
  const formats = useFormats()
  const words = useRequestWords()
  const year = formats.leaveYearOf(formats.today())
  const { data, error, readAgain } = useRead('leave/balance/get', { employee: person.id, year })
  const { data: pending } = useRead('approve/grid', { filters: { employee: person.id, status: 0 }, size: 1 })
  const [request] = pending?.list ?? []
  const shown = data?.balances.filter(isWorthShowing)
  return (
    <Card title={t('leaveLeft')} tab="leave" onTab={onTab}>
      {error && !data ? (
        <Trouble error={error} onRetry={() => void readAgain()} />
      ) : !shown ? (
        <span className="skeleton" style={{ height: 40 }} />
      ) : shown.length === 0 ? (
        <p className="muted">{t('noAllowance')}</p>
      ) : (
        <ul className="person-balances">
          {shown.map(({ leaveType, limit, usedDays, plannedDays }) => {
            const whole = limit ? usableDays(limit) : 0
            return (
              <li key={leaveType}>
                <span>{t(`leave:type.${leaveType as 1}`)}</span>
                <span className="figure">
                  <strong>{formats.number(limit ? limit.leftDays : usedDays + plannedDays)}</strong>{' '}
                  <span className="muted">{limit ? t('ofDays', { days: formats.number(whole) }) : t('takenDays')}</span>
                </span>
                {limit && whole > 0 && (
                  <progress aria-hidden="true" max={whole} value={Math.max(0, Math.min(whole, limit.leftDays))} />
                )}
                <CarriedEnd limit={limit} />
              </li>
            )
          })}
        </ul>
      )}
      {request && (
        <button type="button" className="person-pending" onClick={() => onTab('leave')}>
          <span className="tag warn">{t('approve:status.0')}</span>
          <span className="small">
            {words.what(request)}, {words.when(request)}
          </span>
        </button>
      )}
    </Card>
  )
}

/** The next four shifts within a month. */
function NextShifts({ person, onTab }: CardProps) {
  const { t } = useTranslation('person')
  const formats = useFormats()
  const today = formats.today()
  const {
    list: planned,
    error,
    readAgain,
  } = useUpcoming(person, addDays(today, 1), earlierDay(addMonths(today, 1), addDays(today, 31)))
  const list = planned?.filter(({ isOnLeave }) => !isOnLeave)
  return (
    <Card title={t('nextShifts')} tab="schedule" onTab={onTab}>
      {error && !list ? (
        <Trouble error={error} onRetry={readAgain} />
      ) : !list ? (
        <span className="skeleton" style={{ height: 40 }} />
      ) : list.length === 0 ? (
        <p className="muted">{t('noShifts')}</p>
      ) : (
        <ul className="person-shifts">
          {list.slice(0, 4).map(({ day, shift }) => (
            <li key={`${day} ${shift.id}`}>
              <span>{formats.shortDay(day)}</span>
              <span className={`shift-name shift-color ${shift.color}`}>{shift.name}</span>
              <span className="figure muted">{shift.hours}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function Records({ person }: { person: Got }) {
  const { t } = useTranslation('person')
  return (
    <Link className="card person-card person-records" to={`/record?employee=${person.id}`}>
      <span>{t(person.hasPunched ? 'records' : 'neverPunched')}</span>
      <ArrowRight className="icon" aria-hidden="true" />
    </Link>
  )
}
