import { WifiOff } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import './offline.css'

// Without a connection: what of the site is kept so that it opens at all, and that it says so.

/** A worker keeps the files of the site as they are loaded; what of this page came before it, or past it, is named to it. */
const keepSite = async () => {
  const isKept = navigator.serviceWorker.controller !== null
  await navigator.serviceWorker.register('/worker.js')
  const { active } = await navigator.serviceWorker.ready
  if (isKept) return
  const tell = (list: PerformanceObserverEntryList) => active?.postMessage(list.getEntries().map(({ name }) => name))
  new PerformanceObserver(tell).observe({ type: 'resource', buffered: true })
}

const subscribe = (tell: () => void) => {
  addEventListener('online', tell)
  addEventListener('offline', tell)
  return () => {
    removeEventListener('online', tell)
    removeEventListener('offline', tell)
  }
}

/** Stands over every page for as long as the browser has no connection. */
export default function Offline() {
  const { t } = useTranslation('offline')
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine)
  useEffect(() => {
    // A browser that keeps nothing, or is told not to, shows the site all the same.
    if (import.meta.env.PROD && 'serviceWorker' in navigator) keepSite().catch(() => {})
  }, [])
  if (isOnline) return null
  return (
    <div className="no-line" role="status">
      <WifiOff className="icon" aria-hidden="true" />
      {t('text')}
    </div>
  )
}
