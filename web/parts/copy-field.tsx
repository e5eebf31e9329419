import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import './copy-field.css'

const shownMilliseconds = 2000

/** Something to take along as it stands, such as a link: to be read, selected, and copied by its button. */
export function CopyField({ label, value, hint }: { label: string; value: string; hint?: string }) {
  const { t } = useTranslation()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), shownMilliseconds)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <Field label={label} hint={hint}>
      {ids => (
        <div className="copy-field">
          <div className="input">
            <input {...ids} readOnly value={value} onFocus={event => event.target.select()} />
          </div>
          <Button
            icon={
              isCopied ? <Check className="icon" aria-hidden="true" /> : <Copy className="icon" aria-hidden="true" />
            }
            onClick={() => navigator.clipboard.writeText(value).then(() => setCopied(true))}
          >
            {t('copy')}
          </Button>
          <span className="unseen" role="status">
            {isCopied && t('copied')}
          </span>
        </div>
      )}
    </Field>
  )
}
