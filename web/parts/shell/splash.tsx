import { useTranslation } from 'react-i18next'
import { Button } from '../button.tsx'

function Unreachable({ onRetry }: { onRetry: () => void }) {
  const { t } = useTranslation()
  return (
    <div className="splash" role="alert">
      <h1>{t('unreachable.title')}</h1>
      <p className="muted">{t('unreachable.text')}</p>
      <Button look="primary" onClick={onRetry}>
        {t('again')}
      </Button>
    </div>
  )
}

/** The placeholder of a loading page. Shows a text only with `onRetry`, because the texts may not be loaded yet. */
export function Splash({ inside, onRetry }: { inside?: boolean; onRetry?: (() => void) | undefined }) {
  if (onRetry) return <Unreachable onRetry={onRetry} />
  return (
    <div className={inside ? 'splash inside' : 'splash'} aria-busy="true">
      <span className="spinner" />
    </div>
  )
}
