import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { Button } from '../button.tsx'
import { TextField } from '../field/field.tsx'
import { Form, useComplaint, useForm } from '../field/form.tsx'
import { type Punch, saved } from './correct.tsx'

// Employees answer corrections of their own punches: they agree to a proposal, decline it, or object in time.

const isOpen = ({ correction }: Punch): boolean =>
  correction?.state === 'proposed' ||
  (correction?.state === 'counts' && correction.objectBy !== undefined && Date.parse(correction.objectBy) > Date.now())

/** The buttons beside a corrected punch, and the form for an objection. */
export function Answer({ punch, time }: { punch: Punch; time: string }) {
  const { t } = useTranslation('explain')
  const complain = useComplaint()
  const [busy, setBusy] = useState(false)
  const [isObjecting, setObjecting] = useState(false)
  const { correction } = punch
  if (!correction || !isOpen(punch)) return null
  const named = { punch: punch.id, version: correction.version }
  const isProposed = correction.state === 'proposed'
  const agree = async () => {
    setBusy(true)
    try {
      await write('personal/record/agree', named)
      saved(t('answer.agreed'))
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  if (isObjecting) return <ObjectionForm {...{ named, isProposed, time }} onClose={() => setObjecting(false)} />
  return (
    <span className="answer-buttons">
      {isProposed && (
        <Button look="primary" busy={busy} aria-label={t('answer.agreeName', { time })} onClick={agree}>
          {t('answer.agree')}
        </Button>
      )}
      <Button
        aria-label={t(isProposed ? 'answer.declineName' : 'answer.objectName', { time })}
        onClick={() => setObjecting(true)}
      >
        {t(isProposed ? 'answer.decline' : 'answer.object')}
      </Button>
    </span>
  )
}

function ObjectionForm(props: {
  named: { punch: string; version: number }
  isProposed: boolean
  time: string
  onClose: () => void
}) {
  const { t } = useTranslation(['explain', 'shell'])
  const { named, isProposed, time, onClose } = props
  const form = useForm({ reason: '' })
  const send = () =>
    form.submit(
      async () => {
        await write('personal/record/object', { ...named, reason: form.values.reason })
        saved(t(isProposed ? 'answer.declined' : 'answer.objected'))
        onClose()
      },
      { required: ['reason'] },
    )
  return (
    <Form form={form} className="correction-form" onSubmit={() => void send()}>
      <h4>{t(isProposed ? 'answer.declineName' : 'answer.objectName', { time })}</h4>
      <p className="muted small">{t(isProposed ? 'answer.declineText' : 'answer.objectText')}</p>
      <TextField label={t('correct.reason')} maxLength={200} {...form.text('reason')} />
      {(['punch', 'date', 'time'] as const).map(
        field =>
          form.error(field) && (
            <p key={field} className="notice warn">
              {form.error(field)}
            </p>
          ),
      )}
      <div className="buttons">
        <Button look="primary" type="submit" busy={form.busy}>
          {t(isProposed ? 'answer.decline' : 'answer.object')}
        </Button>
        <Button onClick={onClose}>{t('shell:cancel')}</Button>
      </div>
    </Form>
  )
}
