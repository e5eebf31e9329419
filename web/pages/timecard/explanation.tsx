import { MessageSquareText } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type PathOutput, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field/field.tsx'
import { Form, useForm } from '../../parts/field/form.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh } from '../../read.ts'

type Note = PathOutput<'personal/report/record'>['note']

/** The employee's explanation of a day, such as a late arrival, with the form that writes it. */
export function Explanation(props: { day: string; note: Note; isLocked: boolean; isOpen: boolean }) {
  const { t } = useTranslation('request')
  const formats = useFormats()
  const { day, note, isLocked } = props
  const [isOpen, setOpen] = useState(props.isOpen && !isLocked)
  if (isOpen) return <ExplanationForm day={day} note={note} onClose={() => setOpen(false)} />
  return (
    <div className="own-explanation">
      {note && (
        <p>
          <strong>{t('day.explain.label')}</strong> <span className="muted small">{formats.dayAndTime(note.at)}</span>
          <span className="explanation-text">{note.note}</span>
        </p>
      )}
      {!isLocked && (
        <Button icon={<MessageSquareText className="icon" aria-hidden="true" />} onClick={() => setOpen(true)}>
          {t(note ? 'day.explain.change' : 'day.explain.button')}
        </Button>
      )}
    </div>
  )
}

function ExplanationForm({ day, note, onClose }: { day: string; note: Note; onClose: () => void }) {
  const { t } = useTranslation(['request', 'shell'])
  const form = useForm({ note: note?.note ?? '' })
  const send = () =>
    form.submit(
      async () => {
        await write('personal/record/explain', { day, note: form.values.note })
        refresh(['personal/'])
        say(t('day.explain.sent'))
        onClose()
      },
      { required: ['note'] },
    )
  return (
    <Form form={form} className="correction-form" onSubmit={() => void send()}>
      <TextField
        label={t('day.explain.label')}
        hint={t('day.explain.hint')}
        lines={3}
        maxLength={300}
        {...form.text('note')}
      />
      {form.error('day') && <p className="notice warn">{form.error('day')}</p>}
      <div className="buttons">
        <Button look="primary" type="submit" busy={form.busy}>
          {t('form.send')}
        </Button>
        <Button onClick={onClose}>{t('shell:cancel')}</Button>
      </div>
    </Form>
  )
}
