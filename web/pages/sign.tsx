import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, isFault } from '../api.ts'
import { Button } from '../parts/button.tsx'
import { Door } from '../parts/door.tsx'
import { useComplaint } from '../parts/form.tsx'
import { Link } from '../parts/router.ts'
import { useSession } from '../session.tsx'

/**
 * Where a mailed link, or another address of the product, sends a browser with a one-time code: it is swapped for a token.
 * The code leaves the address bar before anything else, so that it stays in no history.
 */
export default function Sign() {
  const { t } = useTranslation('login')
  const { moveTo } = useSession()
  const complain = useComplaint()
  const [code] = useState(() => {
    // A mailed link brings it in the fragment, which no server sees; another address of the product in the query.
    const given = new URLSearchParams(location.hash.slice(1) || location.search)
    return { token: given.get('token') ?? '', company_id: given.get('company_id') ?? '' }
  })
  const [failed, setFailed] = useState(false)
  const swapped = useRef(false)

  const swap = () => {
    call('user/login/sign', code).then(
      ({ token }) => moveTo(token),
      error => {
        setFailed(true)
        if (isFault(error) && error.code !== 60012) complain(error)
      },
    )
  }
  // A code is good for once, so it is not swapped again when the effect runs again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each code.
  useEffect(() => {
    if (swapped.current) return
    swapped.current = true
    history.replaceState(null, '', '/login/sign')
    if (code.token) swap()
    else setFailed(true)
  }, [code])

  return (
    <Door title={t('title')}>
      {failed ? (
        <>
          <h1>{t('sign.failed')}</h1>
          <p>{t('sign.failedText')}</p>
          <p className="after">
            <Link className="button primary wide" to="/login">
              {t('sign.again')}
            </Link>
          </p>
        </>
      ) : (
        <>
          <h1>{t('sign.title')}</h1>
          <p role="status">{t('sign.text')}</p>
          <p className="after">
            <Button look="primary" wide busy onClick={() => {}}>
              {t('signIn')}
            </Button>
          </p>
        </>
      )}
    </Door>
  )
}
