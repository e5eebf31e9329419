import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../button.tsx'

const shownMilliseconds = 2000

/** A button that copies a text exactly and confirms it for a moment. With `label`, it is a small icon button. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), shownMilliseconds)
    return () => clearTimeout(timer)
  }, [isCopied])
  const Icon = isCopied ? Check : Copy
  const icon = <Icon className="icon" aria-hidden="true" />
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true))
  return (
    <>
      {label === undefined ? (
        <Button icon={icon} onClick={copy}>
          {t('copy')}
        </Button>
      ) : (
        <Button look="quiet" square title={label} aria-label={label} icon={icon} onClick={copy} />
      )}
      <span className="unseen" role="status">
        {isCopied && t('copied')}
      </span>
    </>
  )
}
