import { useTranslation } from 'react-i18next'
import { Page, Trouble } from '../parts/page.tsx'
import { Link, Navigate, useSearchParams } from '../parts/shell/router.ts'
import { Splash } from '../parts/shell/splash.tsx'
import { useRead } from '../read.ts'
import { ApiKeys } from './application/apikey.tsx'
import { Webhooks } from './application/webhooks.tsx'
import { WebhookLog } from './application/webhooks-log.tsx'
import '../parts/field/settings.css'
import '../parts/list/tabs.css'
import './application.css'

// Developer mode: webhooks and API keys. If the server does not offer developer mode, the page leads to 404.

const tabs = { webhooks: '/system/Application', keys: '/system/Application?tab=keys' } as const

export default function ApplicationPage() {
  const { t } = useTranslation('webhooks')
  const [search] = useSearchParams()
  const endpoint = search.get('endpoint')
  const shown = search.get('tab') === 'keys' ? 'keys' : 'webhooks'
  const { data, error, readAgain } = useRead('webhooks/show', {})
  if (data && !data.is_show) return <Navigate to="/404" replace />
  return (
    <Page title={t('title')} note={!endpoint && t('note')} className="application-page">
      <nav className="tabs" aria-label={t('tab.label')}>
        {(['webhooks', 'keys'] as const).map(name => (
          <Link key={name} to={tabs[name]} aria-current={name === shown ? 'page' : undefined}>
            {t(`tab.${name}`)}
          </Link>
        ))}
      </nav>
      {!data ? (
        error ? (
          <Trouble error={error} onRetry={() => readAgain()} />
        ) : (
          <Splash inside />
        )
      ) : shown === 'keys' ? (
        <ApiKeys />
      ) : endpoint ? (
        <WebhookLog key={endpoint} id={endpoint} />
      ) : (
        <Webhooks />
      )}
    </Page>
  )
}
