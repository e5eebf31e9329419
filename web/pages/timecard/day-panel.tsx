import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { ExplainedDays } from '../../parts/day/explain.tsx'
import { Panel } from '../../parts/list/panel.tsx'
import { type ListedRequest, openTroubleOf, requestsOn } from '../../parts/request/ask.ts'
import { AskLink, AskLinks, DayRequests } from '../../parts/say/ask-links.tsx'
import { useRead } from '../../read.ts'
import { Explanation } from './explanation.tsx'

/** The employee's own day: its problems with the request forms that correct them, its requests, and its explanation. */
export function OwnDayPanel(props: {
  day: string
  /** The content of a future day. */
  toCome?: ReactNode
  /** Opens the form of an explanation at once. */
  isExplaining?: boolean
  onClose: () => void
}) {
  const { t } = useTranslation('request')
  const formats = useFormats()
  const { day, toCome, isExplaining = false, onClose } = props
  const { data, error, readAgain } = useRead('personal/report/record', { day })
  const requests = useRead('personal/request/grid', { filters: { from: day, to: day } }).data?.list
  const requestsOfDay = requestsOn(requests, day)
  const isLocked = data?.list.some(({ isLocked }) => isLocked) ?? false
  return (
    <Panel title={formats.longDay(day)} onClose={onClose}>
      <div className="panel-body explained" aria-busy={!data && !error}>
        {requests &&
          data?.list.map(row => <DayTrouble key={`${row.shift} ${row.dutyFrom}`} day={row} requests={requests} />)}
        {data && (data.note || (!isLocked && data.list.some(isLate))) && (
          <Explanation day={day} note={data.note} isLocked={isLocked} isOpen={isExplaining} />
        )}
        {data?.list.some(({ punches }) => punches.some(({ use }) => use === 'outside')) && (
          <p className="notice">
            <TriangleAlert className="icon" aria-hidden="true" /> {t('day.outside')}
          </p>
        )}
        {requestsOfDay.length > 0 && (
          <section className="request-part">
            <h3>{t('day.title')}</h3>
            <DayRequests requests={requestsOfDay} />
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

const isLate = ({ lateMinutes, earlyLeaveMinutes }: Day) => lateMinutes + earlyLeaveMinutes > 0

/** The problem of a day, with the request forms that correct it. */
function DayTrouble({ day, requests }: { day: Day; requests: readonly ListedRequest[] }) {
  const { t } = useTranslation('request')
  const openTrouble = openTroubleOf(day, requests)
  if (!openTrouble) return null
  return (
    <div className="notice warn day-trouble">
      <TriangleAlert className="icon" aria-hidden="true" />
      <strong>{t(`day.trouble.${openTrouble.trouble}`)}</strong>
      <span className="asks">
        {openTrouble.asks.map(ask => (
          <AskLink key={ask.kind} ask={ask} trouble={openTrouble.trouble} />
        ))}
      </span>
    </div>
  )
}
