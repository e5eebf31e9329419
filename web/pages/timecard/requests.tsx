import { ArrowRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { addDays } from '../../../shared/local-day.ts'
import { useFormats } from '../../format.ts'
import { isOfTime, openTroubleOf } from '../../parts/request/ask.ts'
import { AskLink, AskLinks, DayRequests } from '../../parts/say/ask-links.tsx'
import { Link } from '../../parts/shell/router.ts'
import { useRead } from '../../read.ts'

/** The card shows problems of this many days, but late arrivals and early departures only for `lateDays`. */
const troubleDays = 31
const lateDays = 7
/** The most problems that the card shows. */
const shownTroubles = 4
const shownRequests = 4

const addressOf = (day: string) => `/timecard?month=${day.slice(0, 7)}&day=${day}`

/** The problems of recent days, each with its request form, and the existing requests. */
export function OwnRequests({ today }: { today: string }) {
  const { t } = useTranslation('request')
  const formats = useFormats()
  const own = useRead('personal/record/all', { from: addDays(today, 1 - troubleDays), to: today }).data
  const days = own?.list
  const requests = useRead('personal/request/grid', {
    filters: { from: addDays(today, 1 - troubleDays) },
    size: 200,
  }).data?.list
  const troubles = (requests && days ? days : []).flatMap(day => {
    const openTrouble = openTroubleOf(day, requests)
    const isSettled = day.day <= addDays(today, -lateDays) || own?.explained.includes(day.day)
    return openTrouble && !(isOfTime(openTrouble.trouble) && isSettled) ? [{ day, ...openTrouble }] : []
  })
  // Pending requests come first, the newest at the top, because employees look for their latest request.
  const openRequests = (requests ?? [])
    .filter(({ status, toDate }) => status === 0 || (status === 1 && toDate >= today))
    .toSorted((first, second) => first.status - second.status || (first.createdAt < second.createdAt ? 1 : -1))
  return (
    <section className="card own-requests" aria-busy={!requests || !days}>
      <header>
        <h2>{t('card.title')}</h2>
        <Link to="/request">
          {t('card.all')} <ArrowRight className="icon" aria-hidden="true" />
        </Link>
      </header>
      {troubles.length > 0 && (
        <>
          <h3>{t('card.settle')}</h3>
          <ul className="own-troubles">
            {troubles.slice(0, shownTroubles).map(({ day, trouble, asks }) => (
              <li key={`${day.day} ${day.shift}`}>
                <span className="what">
                  <strong>{t(`day.trouble.${trouble}`)}</strong>
                  <Link to={addressOf(day.day)}>{formats.shortDay(day.day)}</Link>
                </span>
                <span className="asks">
                  {asks[0] && <AskLink ask={asks[0]} trouble={trouble} about={formats.longDay(day.day)} />}
                  {isOfTime(trouble) && (
                    <Link
                      className="button"
                      to={`${addressOf(day.day)}&explain=1`}
                      aria-label={t('day.of', { what: t('day.explain.button'), day: formats.longDay(day.day) })}
                    >
                      {t('day.explain.button')}
                    </Link>
                  )}
                </span>
              </li>
            ))}
          </ul>
          {troubles.length > shownTroubles && (
            <Link className="small" to="/timecard?view=list">
              {t('card.more')}
            </Link>
          )}
        </>
      )}
      {openRequests.length > 0 && (
        <>
          <h3>{t('card.open')}</h3>
          <DayRequests requests={openRequests.slice(0, shownRequests)} />
        </>
      )}
      <AskLinks />
    </section>
  )
}
