import { ArrowRight, Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import {
  type Ask,
  askAddress,
  isOfTime,
  kinds,
  type ListedRequest,
  requestAddress,
  type Trouble,
  typeOf,
} from '../request/ask.ts'
import { RequestIcon, RequestStatus, useRequestWords } from '../request/words.tsx'
import { Link, useLocation } from '../shell/router.ts'

// Links from any page to prefilled request forms, and to existing requests.

/** Links to a new request of each kind. Omits the punch correction for a future day, which has no punch to correct. */
export function AskLinks({ date }: { date?: string }) {
  const { t } = useTranslation(['request', 'approve'])
  const formats = useFormats()
  const isHere = useLocation().pathname === '/request'
  const shownKinds = kinds.filter(kind => kind !== 'shift' || !date || date <= formats.today())
  return (
    <nav className="ask-links" aria-label={t('ask')}>
      {shownKinds.map(kind => (
        <Link key={kind} className="card" replace={isHere} to={askAddress({ kind, ...(date && { date }) })}>
          <RequestIcon type={typeOf[kind]} />
          <span>{t(`approve:type.${typeOf[kind]}`)}</span>
          <Plus className="icon" aria-hidden="true" />
        </Link>
      ))}
    </nav>
  )
}

const wordOf = ({ kind, inout }: Ask, trouble: Trouble | undefined) => {
  if (kind !== 'shift') return kind
  if (trouble && isOfTime(trouble)) return 'time'
  return inout === '0' ? 'in' : inout === '1' ? 'out' : 'shift'
}

/** A link to a prefilled request form. `trouble` is the problem that the request corrects. */
export function AskLink({ ask, about, trouble }: { ask: Ask; about?: string; trouble?: Trouble | undefined }) {
  const { t } = useTranslation('request')
  const what = t(`day.ask.${wordOf(ask, trouble)}`)
  return (
    <Link className="button" to={askAddress(ask)} aria-label={about && t('day.of', { what, day: about })}>
      {what}
    </Link>
  )
}

/** One line for each request, with a link to the request's details. */
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
