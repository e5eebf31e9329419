import { ChevronRight, Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Ago } from '../../parts/day/ago.tsx'
import { Trouble } from '../../parts/page.tsx'
import { Link } from '../../parts/shell/router.ts'
import { useRead } from '../../read.ts'
import { ApplicationList } from './list.tsx'
import { WebhookForm } from './webhooks-form.tsx'
import type { Endpoint } from './webhooks-words.tsx'

// The webhook endpoints of the company, each with a link to its deliveries.

/** The most endpoints of a company, as on the server. */
const most = 4

export function Webhooks() {
  const { t } = useTranslation(['webhooks', 'shell'])
  const { data, error, readAgain } = useRead('webhooks/endpoint/grid', {})
  const [isAdding, setAdding] = useState(false)
  if (error && !data) return <Trouble error={error} onRetry={() => readAgain()} />
  if (!data) return <Waiting label={t('shell:loading')} />
  const { list } = data
  return (
    <>
      <ApplicationList
        list={list}
        most={most}
        label={t('endpoint.list')}
        count={t('count', { count: list.length, most })}
        docs={{ part: 'webhooks', text: t('docs') }}
        add={t('endpoint.add')}
        onAdd={() => setAdding(true)}
        empty={{ icon: <WebhookIcon />, title: t('empty.title'), text: t('empty.text') }}
        row={endpoint => (
          <Link to={`/system/Application?endpoint=${endpoint.id}`}>
            <span className="endpoint-what">
              <Address url={endpoint.url} />
              <Groups endpoint={endpoint} />
            </span>
            <EndpointState endpoint={endpoint} />
            <ChevronRight className="icon" aria-hidden="true" />
          </Link>
        )}
      />
      {isAdding && <WebhookForm onClose={() => setAdding(false)} />}
    </>
  )
}

/** A URL with its host highlighted, because readers look for the host. */
export function Address({ url }: { url: string }) {
  const { protocol, host } = new URL(url)
  const start = `${protocol}//`
  return (
    <span className="address">
      <span className="muted">{start}</span>
      <strong>{host}</strong>
      <span className="muted">{url.slice(start.length + host.length)}</span>
    </span>
  )
}

export function Groups({ endpoint }: { endpoint: Pick<Endpoint, 'events'> }) {
  const { t } = useTranslation('webhooks')
  const { events } = endpoint
  return (
    <span className="groups">
      {events.length === 0 && <span className="tag">{t('events.none')}</span>}
      {events.map(group => (
        <span key={group} className="tag">
          {t(`group.${group}.name`)}
        </span>
      ))}
    </span>
  )
}

export function EndpointState({ endpoint }: { endpoint: Pick<Endpoint, 'isOn' | 'disabled' | 'failing'> }) {
  const { t } = useTranslation('webhooks')
  const { isOn, disabled, failing } = endpoint
  const since = disabled?.at ?? failing?.since
  const [tone, state] = disabled
    ? ['danger', 'disabled' as const]
    : failing
      ? ['warn', 'failing' as const]
      : isOn
        ? ['ok', 'on' as const]
        : ['', 'off' as const]
  return (
    <span className="endpoint-state">
      <span className={`tag ${tone}`}>
        <span className="dot" /> {t(`state.${state}`)}
      </span>
      {since && (
        <span className="muted small">
          <Ago at={since} />
        </span>
      )}
    </span>
  )
}

function Waiting({ label }: { label: string }) {
  return (
    <div className="card endpoints" role="status" aria-busy="true" aria-label={label}>
      {[56, 44].map(width => (
        <div key={width} className="endpoint-waiting">
          <span className="skeleton" style={{ width: `${width}%`, height: 14 }} />
          <span className="skeleton" style={{ width: `${width / 2}%`, height: 12 }} />
        </div>
      ))}
    </div>
  )
}
