import { ArrowRight, Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { type Ask, askAddress, kinds, type ListedRequest, requestAddress, typeOf } from '../request/ask.ts'
import { RequestIcon, RequestStatus, useRequestWords } from '../request/words.tsx'
import { Link, useLocation } from '../shell/router.ts'

// Ways from any page to a form that is filled in already, and to what one asked for.

/** What one may ask for, to begin with; no punch is missing on a day that is still to come. */
export function AskLinks({ date }: { date?: string }) {
  const { t } = useTranslation(['request', 'approve'])
  const formats = useFormats()
  const isHere = useLocation().pathname === '/request'
  const some = kinds.filter(kind => kind !== 'shift' || !date || date <= formats.today())
  return (
    <nav className="ask-links" aria-label={t('ask')}>
      {some.map(kind => (
        <Link key={kind} className="card" replace={isHere} to={askAddress({ kind, ...(date && { date }) })}>
          <RequestIcon type={typeOf[kind]} />
          <span>{t(`approve:type.${typeOf[kind]}`)}</span>
          <Plus className="icon" aria-hidden="true" />
        </Link>
      ))}
    </nav>
  )
}

/** Leads to a form that is filled in already. */
export function AskLink({ ask, about }: { ask: Ask; about?: string }) {
  const { t } = useTranslation('request')
  const what = t(
    `day.ask.${ask.kind === 'shift' ? (ask.inout === '0' ? 'in' : ask.inout === '1' ? 'out' : 'shift') : ask.kind}`,
  )
  return (
    <Link className="button" to={askAddress(ask)} aria-label={about && t('day.of', { what, day: about })}>
      {what}
    </Link>
  )
}

/** Requests in one line each, which lead to all of them. */
export function DayRequests({ requests }: { requests: readonly ListedRequest[] }) {
  const words = useRequestWords()
  return (
    <ul className="day-requests">
      {requests.map(request => (
        <li key={request.id}>
          <Link to={requestAddress(request.id)}>
            <RequestIcon type={request.type} />
            <span className="what">
              <strong>{words.what(request)}</strong>
              <span className="muted">{words.when(request)}</span>
            </span>
            <RequestStatus status={request.status} />
            <ArrowRight className="icon" aria-hidden="true" />
          </Link>
        </li>
      ))}
    </ul>
  )
}
