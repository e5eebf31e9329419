import { CalendarRange } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { addDays } from '../../../shared/local-day.ts'
import { useFormats } from '../../format.ts'
import { useHolidays } from '../../parts/board/holidays.ts'
import { MonthField, useMonth } from '../../parts/field/month-field.tsx'
import { Empty, Trouble } from '../../parts/page.tsx'
import { Link } from '../../parts/shell/router.ts'
import { daysOf, monthAfter } from '../timecard/days.ts'
import { useUpcoming } from './shifts.ts'
import type { Got } from './tabs.ts'

// The shifts of a person in three months. The board changes them.

const months = [0, 1, 2] as const

export function PersonSchedule({ person }: { person: Got }) {
  const { t } = useTranslation('person')
  const { month, pick } = useMonth()
  const shown = months.map(count => monthAfter(month, count))
  return (
    <div className="person-schedule">
      <div className="person-tools">
        <MonthField month={month} onPick={pick} />
        <Link className="button" to={`/schedule?month=${month}`}>
          {t('openBoard')}
        </Link>
      </div>
      <div className="person-months">
        {shown.map(each => (
          <PlannedMonth key={each} person={person} month={each} />
        ))}
      </div>
    </div>
  )
}

/** One month of shifts, a week in a row. */
function PlannedMonth({ person, month }: { person: Got; month: string }) {
  const { t } = useTranslation('person')
  const formats = useFormats()
  const days = daysOf(month)
  const [first, last] = [days[0] ?? '', days.at(-1) ?? '']
  const { list, error, readAgain } = useUpcoming(person, first, last)
  const { holidays } = useHolidays(first, last)
  const byDay = Map.groupBy(list ?? [], ({ day }) => day)
  const lead = (new Date(`${first}T12:00:00Z`).getUTCDay() - formats.firstWeekday + 7) % 7
  const today = formats.today()
  const week = Array.from({ length: 7 }, (_, i) => addDays(first, i - lead))
  if (error && !list) return <Trouble error={error} onRetry={readAgain} />
  return (
    <section className="card planned-month" aria-label={formats.month(month)} aria-busy={!list}>
      <h3>{formats.month(month)}</h3>
      {list?.length === 0 ? (
        <Empty icon={<CalendarRange />} title={t('noSchedule')}>
          {t('noScheduleText')}
        </Empty>
      ) : (
        <ol style={{ '--lead': lead } as React.CSSProperties}>
          {week.map(day => (
            <li key={`head ${day}`} className="planned-head" aria-hidden="true">
              {formats.weekday(day)}
            </li>
          ))}
          {days.map((day, index) => {
            const shifts = byDay.get(day) ?? []
            const holiday = holidays.get(day)
            return (
              <li
                key={day}
                className={['planned-day', day === today && 'is-today', holiday && `is-${holiday.look}`]
                  .filter(Boolean)
                  .join(' ')}
                style={index === 0 ? { gridColumnStart: lead + 1 } : undefined}
                title={holiday?.name}
              >
                <span className="figure muted" aria-hidden="true">
                  {Number(day.slice(8))}
                </span>
                <span className="unseen">{formats.longDay(day)}: </span>
                {shifts.length === 0 && <span className="unseen">{holiday?.name ?? t('free')}</span>}
                {shifts.map(({ shift }) => (
                  <span key={shift.id} className={`planned-shift shift-color ${shift.color}`} title={shift.words}>
                    <span aria-hidden="true">{shift.letters}</span>
                    <span className="unseen">{shift.words}</span>
                  </span>
                ))}
              </li>
            )
          })}
        </ol>
      )}
    </section>
  )
}
