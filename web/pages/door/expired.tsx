import { Link2Off } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Door } from '../../parts/shell/door.tsx'
import { Link } from '../../parts/shell/router.ts'

/** The page for an expired, used or revoked invitation or link. */
export default function Expired() {
  const { t } = useTranslation('join')
  return (
    <Door title={t('expired')}>
      <p aria-hidden="true" className="door-sign">
        <Link2Off size={28} />
      </p>
      <h1>{t('expired')}</h1>
      <p>{t('expiredText')}</p>
      <p className="after">
        <Link className="button wide" to="/login/employee">
          {t('toSignIn')}
        </Link>
      </p>
    </Door>
  )
}
