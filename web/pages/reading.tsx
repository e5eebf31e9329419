import { ArrowLeft } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Mark } from '../parts/shell/brand.tsx'
import { Link } from '../parts/shell/router.ts'
import { useSession } from '../session.tsx'
import './reading.css'

interface Part {
  title: string
  text: string
}

/** The help centre, the terms and the privacy policy, which need no sign-in. */
export default function Reading({ page }: { page: 'help' | 'terms' | 'privacy' }) {
  const { t } = useTranslation(['help', 'shell'])
  const { person } = useSession()
  const title = t(`${page}.title`)
  useEffect(() => {
    document.title = `${title} · ${t('shell:product')}`
  }, [title, t])
  const parts: Part[] = t(`${page}.parts`, { returnObjects: true })
  return (
    <div className="reading">
      <header>
        <Link className="door-brand" to="/">
          <Mark size={28} />
          {t('shell:product')}
        </Link>
        <Link to="/">
          <ArrowLeft className="icon" aria-hidden="true" /> {t('shell:missing.home')}
        </Link>
      </header>
      <main id="page">
        <h1>{title}</h1>
        <p className="lead">{t(`${page}.lead`)}</p>
        {page === 'help' && typeof person === 'object' && person.type === 'management' && (
          <p>
            <Link to="/guid">{t('shell:nav.guid')}</Link>
          </p>
        )}
        {parts.map(part => (
          <section key={part.title}>
            <h2>{part.title}</h2>
            <p>{part.text}</p>
          </section>
        ))}
      </main>
    </div>
  )
}
