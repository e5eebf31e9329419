import { Lock } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../format.ts'
import { useHolidayWords } from '../parts/board/holiday-words.ts'
import { useAmount } from '../parts/day/amount.ts'
import { dayAt, useAddress } from '../parts/field/address.ts'
import { SelectField } from '../parts/field/field.tsx'
import { MonthField } from '../parts/field/month-field.tsx'
import { SegmentField } from '../parts/field/segment-field.tsx'
import { Page, Trouble } from '../parts/page.tsx'
import { useRead } from '../read.ts'
import { Calendar, useDayWords } from './timecard/calendar.tsx'
import { CalendarAddress } from './timecard/calendar-address.tsx'
import { OwnDayPanel } from './timecard/day-panel.tsx'
import { daysOf, shows, type Timecard } from './timecard/days.ts'
import { List } from './timecard/list.tsx'
import './timecard.css'

/** The view is in the address, so that a link or the back button restores it. */
const useView = () => {
  const formats = useFormats()
  const { address: search, set } = useAddress()
  const monthParameter = search.get('month') ?? ''
  return {
    month: /^\d{4}-(0[1-9]|1[0-2])$/.test(monthParameter) ? monthParameter : formats.today().slice(0, 7),
    view: search.get('view') === 'list' ? ('list' as const) : ('calendar' as const),
    show: shows.find(show => show === search.get('show')) ?? ('all' as const),
    /** The day whose explanation is open. */
    day: dayAt(search, 'day'),
    isExplaining: search.get('explain') !== null,
    set,
  }
}

/** The employee's own month. Pressing a day opens its explanation. */
export default function TimecardPage() {
  const { t } = useTranslation('personal')
  const formats = useFormats()
  const { month, view, show, day, isExplaining, set } = useView()
  const today = formats.today()
  const { data, error, isLoading, readAgain } = useRead('personal/report/timecard', { month })
  const days = daysOf(month)
  const requests = useRead('personal/request/grid', {
    filters: { from: days[0] ?? '', to: days.at(-1) ?? '' },
    size: 200,
  }).data?.list
  const open = (day: string) => set({ day }, true)
  // After closing an explanation, the focus returns to its day.
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
          <CalendarAddress />
        </>
      )}
      {day && (
        <OwnDayPanel
          day={day}
          isExplaining={isExplaining}
          toCome={day > today && <ToCome card={data} day={day} />}
          onClose={() => set({ day: undefined, explain: undefined })}
        />
      )}
    </Page>
  )
}

/** The plan of a future day. */
function ToCome({ card, day }: { card: Timecard | undefined; day: string }) {
  const { t } = useTranslation('personal')
  const words = useDayWords()
  const holidayWords = useHolidayWords()
  const plans = card?.planned.filter(plan => plan.day === day) ?? []
  const holiday = card?.holidays.find(holiday => holiday.day === day)
  return (
    <div className="to-come">
      <p className="muted">{t('timecard.toCome')}</p>
      {holiday && <p>{t('timecard.holidayOf', { name: holidayWords.name(holiday.name, holiday.part) })}</p>}
      {plans.map(plan => (
        <p key={`${plan.shift} ${plan.dutyFrom}`} className={`shift-color ${plan.shiftColor}`}>
          <span className="shift-name">{plan.shift}</span> <span className="figure muted">{words.duty(plan)}</span>
        </p>
      ))}
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
  'unresolvedMinutes',
  'unscheduledMinutes',
] as const

/** The totals of the month: always duty, work and overtime, and the other figures unless they are zero. */
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
