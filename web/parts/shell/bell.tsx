import { Bell as BellIcon } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../read.ts'
import './bell.css'

const BellList = lazy(() => import('./bell-list.tsx'))

/** The badge shows a larger count as `99+`. */
const mostShown = 99

/** The button with the number of unread notices, which opens the list of notices. */
export default function Bell() {
  const { t } = useTranslation('notice')
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const count = useRead('notice/count', {}).data?.count ?? 0
  return (
    <>
      <button
        ref={button}
        type="button"
        className="bell"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={t('label', { count })}
        onClick={() => setOpen(!isOpen)}
      >
        <BellIcon className="icon" aria-hidden="true" />
        {count > 0 && (
          <span className="bell-count figure" aria-hidden="true">
            {count > mostShown ? `${mostShown}+` : count}
          </span>
        )}
      </button>
      {isOpen && (
        <Suspense>
          <BellList target={button} count={count} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
