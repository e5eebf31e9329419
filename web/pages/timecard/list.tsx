import { CalendarClock } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { type Formats, useFormats } from '../../format.ts'
import { useAmount } from '../../parts/day/amount.ts'
import { DayState } from '../../parts/day/explain.tsx'
import { Empty, Trouble } from '../../parts/page.tsx'
import { type ListedRequest, openTroubleOf, requestsOn } from '../../parts/request/ask.ts'
import { AskLink } from '../../parts/say/ask-links.tsx'
import { useRead } from '../../read.ts'
import { useDayWords } from './calendar.tsx'
import type { Show } from './days.ts'
import { type Day, daysOf, isToCome, type Timecard } from './days.ts'

interface ListedProps {
  formats: Formats
  requests: readonly ListedRequest[] | undefined
  onOpen: (day: string) => void
}

/** The requests of a day. */
function RequestTags({ requests }: { requests: readonly ListedRequest[] | undefined }) {
  const words = useDayWords()
  return requests?.map(request => (
    <span key={request.id} className={request.status === 0 ? 'tag warn' : 'tag info'}>
      {words.request(request)}
    </span>
  ))
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

/** A day, with a link to the request form that corrects its problem. */
function ListedDay({ day, formats, requests, onOpen }: ListedProps & { day: Day }) {
  const { t } = useTranslation(['personal', 'explain'])
  const words = useDayWords()
  const amount = useAmount()
  const isPlan = isToCome(day)
  const open = requests && openTroubleOf(day, requests)
  const [ask] = open?.asks ?? []
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
      {ask && <AskLink ask={ask} trouble={open?.trouble} about={formats.longDay(day.day)} />}
    </div>
  )
}

/** The days of the month as a list, optionally only days of one kind. */
export function List(props: {
  month: string
  show: Show
  /** The planned days of the month. Empty if the page shows only days of one kind. */
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
