import { useTranslation } from 'react-i18next'
import { isFault, type PathCall, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { useAmount } from '../../parts/day/amount.ts'
import { AttachmentField, useAttachments } from '../../parts/field/attachment-field.tsx'
import { TextField } from '../../parts/field/field.tsx'
import { useForm, useSentence } from '../../parts/field/form.tsx'
import { FormPanel } from '../../parts/list/panel.tsx'
import type { Ask } from '../../parts/request/ask.ts'
import {
  isLeaveComplete,
  LeaveFields,
  leaveInput,
  OvertimeFields,
  overtimeInput,
  requiredOf,
  ShiftFields,
  shiftInput,
  useSettled,
  valuesOf,
} from '../../parts/request/fields.tsx'
import { useRequestWords } from '../../parts/request/words.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh, useRead } from '../../read.ts'
import { withoutEmpty } from '../../without-empty.ts'

// The request forms for a missing punch, leave or overtime. The address can prefill them.

interface AskFormProps {
  ask: Ask
  onClose: () => void
}

export function RequestForm(props: AskFormProps) {
  const { kind } = props.ask
  return kind === 'leave' ? (
    <LeaveForm {...props} />
  ) : kind === 'overtime' ? (
    <OvertimeForm {...props} />
  ) : (
    <ShiftForm {...props} />
  )
}

/** The code that the three forms share: notes, files and sending. */
const useRequestForm = <V extends object>(initial: V, onClose: () => void) => {
  const { t } = useTranslation('request')
  const form = useForm({ ...initial, notes: '' })
  const attachments = useAttachments()
  const fileFault = attachments.files.map((_, i) => form.error(`attachments.${i}.upload`)).find(Boolean)
  const send = async (
    ask: (common: Pick<PathCall<'personal/request/shift/add'>, 'notes' | 'attachments'>) => unknown,
  ) => {
    const { notes } = form.values
    await ask({ ...withoutEmpty({ notes: notes.trim() }), ...(await attachments.send()) })
    refresh(['personal/'])
    say(t('form.sent'))
    onClose()
  }
  return { form: { ...form, isChanged: form.isChanged || attachments.isChanged }, attachments, fileFault, send }
}

type SharedForm = ReturnType<typeof useRequestForm<object>>

/** The end of each form: notes and files. */
function NotesAndFiles(props: {
  notes: Omit<ReturnType<SharedForm['form']['text']>, 'name'>
  attachments: SharedForm['attachments']
  fault?: string | undefined
}) {
  const { t } = useTranslation('request')
  return (
    <>
      <TextField
        label={t('form.notes')}
        hint={t('form.notesHint')}
        optional
        lines={3}
        maxLength={500}
        {...props.notes}
      />
      <AttachmentField attachments={props.attachments} error={props.fault} />
    </>
  )
}

function ShiftForm({ ask, onClose }: AskFormProps) {
  const { t } = useTranslation('request')
  const formats = useFormats()
  const { form, attachments, fileFault, send } = useRequestForm(valuesOf(ask, formats.today()), onClose)
  const save = () =>
    form.submit(
      () =>
        send(common =>
          write('personal/request/shift/add', { ...shiftInput(formats.timezone, form.values), ...common }),
        ),
      { required: [...requiredOf.shift] },
    )
  return (
    <FormPanel title={t('form.shift')} form={form} save={t('form.send')} onSave={() => void save()} onClose={onClose}>
      <ShiftFields form={form} />
      <NotesAndFiles notes={form.text('notes')} attachments={attachments} fault={fileFault} />
    </FormPanel>
  )
}

function OvertimeForm({ ask, onClose }: AskFormProps) {
  const { t } = useTranslation('request')
  const formats = useFormats()
  const { form, attachments, fileFault, send } = useRequestForm(valuesOf(ask, formats.today()), onClose)
  const save = () =>
    form.submit(
      () =>
        send(common =>
          write('personal/request/overtime/add', { ...overtimeInput(formats.timezone, form.values), ...common }),
        ),
      { required: [...requiredOf.overtime] },
    )
  return (
    <FormPanel
      title={t('form.overtime')}
      form={form}
      save={t('form.send')}
      onSave={() => void save()}
      onClose={onClose}
    >
      <OvertimeFields form={form} />
      <NotesAndFiles notes={form.text('notes')} attachments={attachments} fault={fileFault} />
    </FormPanel>
  )
}

function LeaveForm({ ask, onClose }: AskFormProps) {
  const { t } = useTranslation('request')
  const formats = useFormats()
  const words = useRequestWords()
  const sentence = useSentence()
  const { form, attachments, fileFault, send } = useRequestForm(valuesOf(ask, formats.today()), onClose)
  const year = formats.leaveYearOf(form.values.date || formats.today())
  const balances = useRead('personal/report/leave', { year }).data?.balances ?? []
  // Preselects a type with a limit, because most requests are for one.
  const leaveType =
    form.values.leaveType || String((balances.find(({ limit }) => limit) ?? balances[0])?.leaveType ?? '')
  const values = { ...form.values, leaveType }
  const input = leaveInput(formats.timezone, values)
  const settledInput = useSettled(isLeaveComplete(formats.timezone, values) ? input : null)
  const preview = useRead('personal/request/leave/preview', settledInput)
  /** The form shows the preview's errors before sending, except for the initial day. */
  const isChosen = form.isChanged || ask.date !== undefined
  const previewErrors = isFault(preview.error) && settledInput && isChosen ? preview.error.fields : {}
  const isRefused = preview.data?.exceeds === 'refuse' && !preview.error && settledInput !== null
  const error = (field: string) => {
    const code = previewErrors[field] ?? (field === 'leaveType' && isRefused ? 60084 : undefined)
    return form.error(field) ?? (code === undefined ? undefined : sentence(code))
  }
  const save = () =>
    form.submit(() => send(common => write('personal/request/leave/add', { ...input, ...common })), {
      required: [...requiredOf[values.isAllDay ? 'leave' : 'partLeave']],
    })
  return (
    <FormPanel title={t('form.leave')} form={form} save={t('form.send')} onSave={() => void save()} onClose={onClose}>
      <LeaveFields
        form={{ values, set: form.set, error }}
        types={balances.map(({ leaveType, limit }) => {
          const type = words.leaveType(leaveType)
          const left = limit && t('left.option', { type, days: words.days(limit.leftDays) })
          return [String(leaveType), left ?? type] as const
        })}
      />
      {settledInput && !preview.error && <LeavePreview preview={preview.data} isLoading={preview.isLoading} />}
      <NotesAndFiles notes={form.text('notes')} attachments={attachments} fault={fileFault} />
    </FormPanel>
  )
}

/** The scheduled time that a leave covers, and the balance that remains. */
function LeavePreview(props: {
  preview: ReturnType<typeof useRead<'personal/request/leave/preview'>>['data']
  isLoading: boolean
}) {
  const { t } = useTranslation('request')
  const words = useRequestWords()
  const amount = useAmount()
  const { preview, isLoading } = props
  if (!preview) return <span className="skeleton" style={{ height: 56 }} />
  const { total, balances, exceeds } = preview
  return (
    <div className="leave-preview" role="status" aria-busy={isLoading}>
      <p>
        <strong>{t('form.takes', { days: words.days(total.days) })}</strong>{' '}
        <span className="muted figure">{amount(total.minutes, 'leaveMinutes')}</span>
      </p>
      {words.balances(balances).map(line => (
        <p key={line} className="figure">
          {line}
        </p>
      ))}
      {exceeds === 'warn' && <p className="notice warn">{t('form.exceeds')}</p>}
      {total.isEstimated && <p className="muted small">{t('estimated')}</p>}
    </div>
  )
}
