import { RotateCcw } from 'lucide-react'
import type { ReactNode } from 'react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { isFault } from '../api.ts'
import { Button } from './button.tsx'
import { useSentence } from './field/form.tsx'
import './page.css'

/** A page: its heading, its actions and its content. Also sets the document's title. */
export function Page(props: {
  title: string
  note?: ReactNode
  actions?: ReactNode
  children: ReactNode
  className?: string
}) {
  const { t } = useTranslation()
  useEffect(() => {
    document.title = `${props.title} · ${t('product')}`
  }, [props.title, t])
  return (
    <div className={props.className ? `page ${props.className}` : 'page'}>
      <header className="page-head">
        <h1>{props.title}</h1>
        {props.note && <div className="note">{props.note}</div>}
        <div className="actions">{props.actions}</div>
      </header>
      {props.children}
    </div>
  )
}

/** The empty state of a list: the missing thing, the reason, and the next step. */
export function Empty(props: { icon: ReactNode; title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <span className="empty-icon" aria-hidden="true">
        {props.icon}
      </span>
      <h2>{props.title}</h2>
      <p className="muted">{props.children}</p>
      {props.action}
    </div>
  )
}

/** Replaces content after a failed load. Shows the error and a retry button. */
export function Trouble({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation()
  const sentence = useSentence()
  return (
    <div className="empty" role="alert">
      <h2>{t('trouble')}</h2>
      <p className="muted">{isFault(error) ? sentence(error.code, error.about) : String(error)}</p>
      <Button icon={<RotateCcw className="icon" />} onClick={onRetry}>
        {t('again')}
      </Button>
    </div>
  )
}
