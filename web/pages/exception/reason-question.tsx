import { type ReactNode, useLayoutEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { keepReason, readReason } from '../../parts/day/next-day.ts'
import { TextField } from '../../parts/field/field.tsx'
import { Ask } from '../../parts/say/ask.tsx'

/** Asks for the reason of an action on exceptions. */
export function ReasonQuestion(props: {
  title: string
  yes: string
  hint: string
  most: number
  onYes: (reason: string) => Promise<void>
  onNo: () => void
  children?: ReactNode
}) {
  const { t } = useTranslation(['exception', 'shell'])
  const { title, yes, hint, most, onYes, onNo, children } = props
  const [reason, setReason] = useState(readReason)
  const [isMissing, setMissing] = useState(false)
  // The question has just focused the field. Typing replaces the offered reason.
  useLayoutEffect(() => {
    const { activeElement } = document
    if (activeElement instanceof HTMLInputElement || activeElement instanceof HTMLTextAreaElement)
      activeElement.select()
  }, [])
  return (
    <Ask
      title={title}
      yes={yes}
      no={t('shell:cancel')}
      onYes={async () => {
        const text = reason.trim()
        if (text === '') return setMissing(true)
        keepReason(text)
        await onYes(text)
      }}
      onNo={onNo}
    >
      <TextField
        label={t('reason.label')}
        hint={hint}
        value={reason}
        error={isMissing && reason.trim() === '' ? t('reason.missing') : undefined}
        onText={setReason}
        maxLength={most}
        {...(most > 200 && { lines: 3 })}
      />
      {children}
    </Ask>
  )
}
