import { useTranslation } from 'react-i18next'
import { addDays } from '../../../shared/local-day.ts'
import { useFormats } from '../../format.ts'
import { type Explained, useMeasureText } from './amount.ts'
import { useHourWords } from './hour-words.ts'
import { KindDot } from './kinds.tsx'

// The hour kinds of a day, and the rule behind each minute.

type Pieces = NonNullable<Explained['hours']>['pieces']

const groupsOf = (pieces: Pieces) => {
  const groups = [...Map.groupBy(pieces, ({ kind }) => kind)]
  // Kinds on top come after those that split the time once.
  return groups.toSorted(([, [a]], [, [b]]) => Number(a?.isExtra ?? false) - Number(b?.isExtra ?? false))
}

/** Formats `06:00+1` with the weekday of its date, as all sentences of the day do. */
const useDayClock = (day: string) => {
  const formats = useFormats()
  return (text: string) => {
    const [time, offset] = [formats.wallTime(text.slice(0, 5)), Number(text.slice(5))]
    return offset === 0 ? time : `${time} ${formats.weekday(addDays(day, offset))}`
  }
}

export function HourKinds({ day: { day, hours, kinds = {} } }: { day: Pick<Explained, 'day' | 'hours' | 'kinds'> }) {
  const { t } = useTranslation(['hour-rule', 'shell'])
  const clock = useDayClock(day)
  const words = useHourWords()
  const text = useMeasureText()
  if (!hours || hours.pieces.length === 0) return null
  return (
    <section>
      <h4>
        {t('title')} <span className="muted">· {hours.set}</span>
      </h4>
      <dl className="reasons">
        {groupsOf(hours.pieces).map(([code, pieces]) => (
          <div key={code}>
            <dt className="kind-name">
              <KindDot color={pieces[0]?.color} /> {pieces[0]?.name}
            </dt>
            <dd className="figure">
              {pieces[0]?.isExtra && '+ '}
              {text(kinds[code] ?? 0, 'work')}
            </dd>
            <dd className="why">
              {pieces.map(({ from, to, isExtra, reasons }) => (
                <span key={`${from} ${isExtra}`}>
                  {t('piece', {
                    from: clock(from),
                    to: clock(to),
                    why: words.reasons(reasons, isExtra),
                  })}
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
