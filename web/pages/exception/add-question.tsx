import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TextField } from '../../parts/field/field.tsx'
import { Ask } from '../../parts/say/ask.tsx'

/** Asks for the reason of the punches that are added. */
export function AddQuestion(props: { count: number; onYes: (reason: string) => Promise<void>; onNo: () => void }) {
  const { t } = useTranslation(['exception', 'shell'])
  const { count, onYes, onNo } = props
  const [reason, setReason] = useState('')
  const [isMissing, setMissing] = useState(false)
  return (
    <Ask
      title={t('add.title', { count })}
      yes={t('add.yes', { count })}
      no={t('shell:cancel')}
      onYes={async () => {
        if (reason.trim() === '') return setMissing(true)
        await onYes(reason.trim())
      }}
      onNo={onNo}
    >
      <TextField
        label={t('add.reason')}
        hint={t('add.hint')}
        value={reason}
        error={isMissing && reason.trim() === '' ? t('add.missing') : undefined}
        onText={setReason}
        maxLength={200}
      />
    </Ask>
  )
}
