import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, isFault } from '../../api.ts'
import { Trouble } from '../../parts/page.tsx'
import { Door } from '../../parts/shell/door.tsx'
import { Link, useLocation } from '../../parts/shell/router.ts'
import { useSession } from '../../session.tsx'
import SignLink from './sign-link.tsx'

interface OneTimeCode {
  token: string
  company_id: string
}

/** The sign-in by e-mail: exchanges the code of the address, or without one mails a link. */
export default function Sign() {
  const { hash, search } = useLocation()
  // A mailed link has the code in the fragment, which no server sees. Another address of the product has the code in
  // the query.
  const parameters = new URLSearchParams(hash.slice(1) || search)
  const [token, company_id] = [parameters.get('token') ?? '', parameters.get('company_id') ?? '']
  // The key starts again for a second link in the same tab.
  return token ? <Exchange key={token} code={{ token, company_id }} /> : <SignLink />
}

/**
 * Exchanges a one-time code for a token. The code comes from a mailed link or from another address of the product. The
 * page first removes the code from the address bar, so that no history keeps it.
 */
function Exchange({ code }: { code: OneTimeCode }) {
  const { t } = useTranslation('login')
  const { moveTo } = useSession()
  const [error, setError] = useState<unknown>()
  const hasExchanged = useRef(false)

  const exchangeCode = () => {
    setError(undefined)
    call('user/login/sign', code).then(({ token }) => moveTo(token), setError)
  }
  // A code works only once, so a repeated effect must not exchange it again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each code.
  useEffect(() => {
    if (hasExchanged.current) return
    hasExchanged.current = true
    history.replaceState(null, '', '/login/sign')
    exchangeCode()
  }, [])

  // An error that does not concern the code, such as a lost connection, allows a retry.
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
          <Trouble error={error} onRetry={exchangeCode} />
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
