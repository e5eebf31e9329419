import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Mark } from '../parts/shell/brand.tsx'
import { Link } from '../parts/shell/router.ts'
import './missing.css'

export default function Missing() {
  const { t } = useTranslation()
  useEffect(() => {
    document.title = `404 · ${t('product')}`
  }, [t])
  return (
    <main className="missing" id="page">
      <p className="missing-number" aria-hidden="true">
        4<Mark size={132} />4
      </p>
      <h1>{t('missing.title')}</h1>
      <p className="muted">{t('missing.text')}</p>
      <Link className="button primary" to="/">
        {t('missing.home')}
      </Link>
    </main>
  )
}
