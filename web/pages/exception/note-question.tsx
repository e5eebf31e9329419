import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TextField } from '../../parts/field/field.tsx'
import { Ask } from '../../parts/say/ask.tsx'

export function NoteQuestion(props: { onYes: (note: string) => Promise<void>; onNo: () => void }) {
  const { t } = useTranslation(['exception', 'shell'])
  const [note, setNote] = useState('')
  return (
    <Ask
      title={t('ask.title')}
      yes={t('accept')}
      no={t('shell:cancel')}
      onYes={() => props.onYes(note.trim())}
      onNo={props.onNo}
    >
      <TextField label={t('ask.label')} hint={t('ask.hint')} value={note} onText={setNote} maxLength={500} lines={3} />
    </Ask>
  )
}
