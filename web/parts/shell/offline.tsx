import { WifiOff } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import './offline.css'

// Offline support: the service worker stores the site's files, so that the site opens without a connection. A banner
// then says so.

/**
 * Registers the service worker, which stores the site's files as the browser loads them. A new worker gets the names of
 * the files that the page has already loaded.
 */
const storeSite = async () => {
  const isControlled = navigator.serviceWorker.controller !== null
  await navigator.serviceWorker.register('/worker.js')
  const { active } = await navigator.serviceWorker.ready
  if (isControlled) return
  const post = (list: PerformanceObserverEntryList) => active?.postMessage(list.getEntries().map(({ name }) => name))
  new PerformanceObserver(post).observe({ type: 'resource', buffered: true })
}

const subscribe = (notify: () => void) => {
  addEventListener('online', notify)
  addEventListener('offline', notify)
  return () => {
    removeEventListener('online', notify)
    removeEventListener('offline', notify)
  }
}

/** The banner over every page while the browser has no connection. */
export default function Offline() {
  const { t } = useTranslation('offline')
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine)
  useEffect(() => {
    // The site also works without the service worker, if the browser does not support or allow it.
    if (import.meta.env.PROD && 'serviceWorker' in navigator) storeSite().catch(() => {})
  }, [])
  if (isOnline) return null
  return (
    <div className="no-line" role="status">
      <WifiOff className="icon" aria-hidden="true" />
      {t('text')}
    </div>
  )
}
