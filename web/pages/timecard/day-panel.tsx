import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { ExplainedDays } from '../../parts/day/explain.tsx'
import { Panel } from '../../parts/list/panel.tsx'
import { type ListedRequest, openTroubleOf, requestsOn } from '../../parts/request/ask.ts'
import { AskLink, AskLinks, DayRequests } from '../../parts/say/ask-links.tsx'
import { useRead } from '../../read.ts'

/** A day of one's own: what is wrong with it and what one may ask for, what one asked for already, and why it is what it is. */
export function OwnDayPanel(props: {
  day: string
  /** What there is to say of a day that is still to come. */
  toCome?: ReactNode
  onClose: () => void
}) {
  const { t } = useTranslation('request')
  const formats = useFormats()
  const { day, toCome, onClose } = props
  const { data, error, readAgain } = useRead('personal/report/record', { day })
  const requests = useRead('personal/request/grid', { filters: { from: day, to: day } }).data?.list
  const asked = requestsOn(requests, day)
  const isLocked = data?.list.some(({ isLocked }) => isLocked) ?? false
  return (
    <Panel title={formats.longDay(day)} onClose={onClose}>
      <div className="panel-body explained" aria-busy={!data && !error}>
        {requests &&
          data?.list.map(one => <DayTrouble key={`${one.shift} ${one.dutyFrom}`} day={one} requests={requests} />)}
        {asked.length > 0 && (
          <section className="request-part">
            <h3>{t('day.title')}</h3>
            <DayRequests requests={asked} />
          </section>
        )}
        {data?.list.length === 0 && toCome ? (
          toCome
        ) : (
          <ExplainedDays days={data?.list} error={error} onRetry={() => void readAgain()} />
        )}
        {data && !isLocked && (
          <section className="request-part">
            <h3>{t('ask')}</h3>
            <AskLinks date={day} />
          </section>
        )}
      </div>
    </Panel>
  )
}

type Day = Parameters<typeof openTroubleOf>[0]

/** What is wrong with a day, with what puts it right. */
function DayTrouble({ day, requests }: { day: Day; requests: readonly ListedRequest[] }) {
  const { t } = useTranslation('request')
  const found = openTroubleOf(day, requests)
  if (!found) return null
  return (
    <div className="notice warn day-trouble">
      <TriangleAlert className="icon" aria-hidden="true" />
      <strong>{t(`day.trouble.${found.trouble}`)}</strong>
      <span className="asks">
        {found.asks.map(ask => (
          <AskLink key={ask.kind} ask={ask} />
        ))}
      </span>
    </div>
  )
}
