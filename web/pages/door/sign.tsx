import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, isFault } from '../../api.ts'
import { Trouble } from '../../parts/page.tsx'
import { Door } from '../../parts/shell/door.tsx'
import { Link } from '../../parts/shell/router.ts'
import { useSession } from '../../session.tsx'

/**
 * Where a mailed link, or another address of the product, sends a browser with a one-time code: it is swapped for a token.
 * The code leaves the address bar before anything else, so that it stays in no history.
 */
export default function Sign() {
  const { t } = useTranslation('login')
  const { moveTo } = useSession()
  const [code] = useState(() => {
    // A mailed link brings it in the fragment, which no server sees; another address of the product in the query.
    const given = new URLSearchParams(location.hash.slice(1) || location.search)
    return { token: given.get('token') ?? '', company_id: given.get('company_id') ?? '' }
  })
  const [error, setError] = useState<unknown>(() => (code.token ? undefined : 'none'))
  const swapped = useRef(false)

  const swap = () => {
    setError(undefined)
    call('user/login/sign', code).then(({ token }) => moveTo(token), setError)
  }
  // A code is good for once, so it is not swapped again when the effect runs again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each code.
  useEffect(() => {
    if (swapped.current) return
    swapped.current = true
    history.replaceState(null, '', '/login/sign')
    if (code.token) swap()
  }, [code])

  // Whatever is not about the code itself, a line that broke above all, may be tried again with it.
  const isRetryable = isFault(error) && error.code !== 60012 && error.code !== 10002
  return (
    <Door title={t('title')}>
      {error === undefined ? (
        <div role="status" aria-busy="true">
          <h1>{t('sign.title')}</h1>
          <p>{t('sign.text')}</p>
          <p className="after">
            <span className="spinner" />
          </p>
        </div>
      ) : isRetryable ? (
        <>
          <h1>{t('title')}</h1>
          <Trouble error={error} onRetry={swap} />
        </>
      ) : (
        <>
          <h1>{t('sign.failed')}</h1>
          <p>{t('sign.failedText')}</p>
          <p className="after">
            <Link className="button primary wide" to="/login">
              {t('sign.again')}
            </Link>
          </p>
        </>
      )}
    </Door>
  )
}
