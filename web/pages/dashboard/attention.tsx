import { BadgeQuestionMark, CircleCheck, ClipboardCheck, TriangleAlert, UserRoundPlus, WifiOff } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { AttentionKind } from '../../../shared/dashboard.ts'
import type { PathOutput } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Link } from '../../parts/shell/router.ts'
import { useRead } from '../../read.ts'
import './attention.css'

type Matter = PathOutput<'dashboard/attention'>['list'][number]

const icons = {
  requests: [ClipboardCheck, 'info'],
  exceptions: [TriangleAlert, 'warn'],
  devices: [WifiOff, 'danger'],
  orphans: [BadgeQuestionMark, 'warn'],
  waiting: [UserRoundPlus, 'info'],
} as const satisfies Record<AttentionKind, unknown>

/** The page that settles a matter, with the matter open if there is only one. */
const addressOf = ({ kind, from, sn, name }: Matter, today: string): string => {
  if (kind === 'requests') return '/approve'
  if (kind === 'exceptions') return from ? `/exception?from=${from}&to=${today}` : '/exception'
  if (kind === 'devices') return sn ? `/device?sn=${encodeURIComponent(sn)}` : '/device?state=offline'
  if (kind === 'orphans') return `/record?orphans=${name ?? 'look'}`
  return '/employee?state=waiting'
}

/** The matters that wait for the user, each with its action. */
export function Attention() {
  const { t } = useTranslation('dashboard')
  const { data } = useRead('dashboard/attention', {})
  if (!data) return <section className="card attention" aria-busy="true" aria-label={t('attention.title')} />
  if (data.list.length === 0)
    return (
      <section className="card attention is-empty" aria-label={t('attention.title')}>
        <CircleCheck className="icon" aria-hidden="true" /> {t('attention.none')}
      </section>
    )
  return (
    <section className="card attention" aria-label={t('attention.title')}>
      <h2>{t('attention.title')}</h2>
      <ul>
        {data.list.map(matter => (
          <AttentionItem key={matter.kind} matter={matter} />
        ))}
      </ul>
    </section>
  )
}

function AttentionItem({ matter }: { matter: Matter }) {
  const { t } = useTranslation('dashboard')
  const formats = useFormats()
  const { kind, count, isMore, since, minutes, name } = matter
  const [Icon, tone] = icons[kind]
  const shown = `${formats.number(count)}${isMore ? '+' : ''}`
  const detail =
    kind === 'requests'
      ? since && t('attention.oldest', { time: formats.ago(since) })
      : kind === 'exceptions'
        ? minutes !== undefined && t('attention.unresolved', { hours: formats.hours(minutes * 60) })
        : kind === 'devices'
          ? name && (since ? t('attention.offlineSince', { name, time: formats.ago(since) }) : name)
          : kind === 'orphans'
            ? name && t('attention.number', { name })
            : undefined
  return (
    <li>
      <span className={`attention-icon ${tone}`} aria-hidden="true">
        <Icon className="icon" />
      </span>
      <span className="attention-text">
        <strong>{t(`attention.${kind}`, { count, shown })}</strong>
        <small className="muted">{detail || t(`attention.hint.${kind}`)}</small>
      </span>
      <Link className="button" to={addressOf(matter, formats.today())}>
        {t(`attention.act.${kind}`)}
        <span className="unseen"> {t(`attention.${kind}`, { count, shown })}</span>
      </Link>
    </li>
  )
}
