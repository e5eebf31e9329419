import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays } from '../../../shared/local-day.ts'
import { isFault, type PathCall, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { useAmount } from '../../parts/day/amount.ts'
import { AttachmentField, useAttachments } from '../../parts/field/attachment-field.tsx'
import { DayField } from '../../parts/field/day-field.tsx'
import { SelectField, SwitchField, TextField } from '../../parts/field/field.tsx'
import { useForm, useSentence } from '../../parts/field/form.tsx'
import { readTime } from '../../parts/field/read-time.ts'
import { SegmentField } from '../../parts/field/segment-field.tsx'
import { TimeField } from '../../parts/field/time-field.tsx'
import { FormPanel } from '../../parts/list/panel.tsx'
import { type Ask, instantsOf } from '../../parts/request/ask.ts'
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

/**
 * A wall time in the company's time zone. If the clock skips the time, the field shows an error. If the clock repeats
 * it, the field offers a choice between the two hours.
 */
function ClockField(props: {
  label: string
  day: string
  value: string
  isLater: boolean
  error: string | undefined
  otherDay?: '-1' | '+1'
  onChange: (change: { time: string } | { isLater: boolean }) => void
}) {
  const { t } = useTranslation('request')
  const { timezone } = useFormats()
  const { label, day, value, onChange } = props
  const instants = day && value ? instantsOf(timezone, day, value) : [0]
  return (
    <div className="clock-field">
      <TimeField
        label={label}
        value={value}
        onText={time => onChange({ time })}
        error={instants.length === 0 ? t('form.skipped') : props.error}
        {...(props.otherDay && { otherDay: props.otherDay })}
      />
      {instants.length > 1 && (
        <SegmentField
          label={t('form.later', { field: label })}
          value={props.isLater ? 'second' : 'first'}
          onText={occurrence => onChange({ isLater: occurrence === 'second' })}
          options={[
            ['first', t('form.first')],
            ['second', t('form.second')],
          ]}
        />
      )}
    </div>
  )
}

/** The instant of a wall time, in minutes. Undefined if the time does not exist. */
const instantOf = (zone: string, day: string, time: string, isLater: boolean) => {
  const [first, second] = instantsOf(zone, day, time)
  return isLater && second !== undefined ? second : first
}
/** Whether the user chose the second of two equal wall times. Only the repeated hour of a clock change has two. */
const isLaterOfTwo = (zone: string, day: string, time: string, isLater: boolean) =>
  isLater && instantsOf(zone, day, time).length > 1

const timeOf = (value: string | undefined) => (value && readTime(value.slice(0, 5)) ? value : '')

function ShiftForm({ ask, onClose }: AskFormProps) {
  const { t } = useTranslation(['request', 'approve'])
  const formats = useFormats()
  const { form, attachments, fileFault, send } = useRequestForm(
    {
      date: ask.date ?? formats.today(),
      time: timeOf(ask.time),
      isLater: false,
      inout: ask.inout ?? '0',
    },
    onClose,
  )
  const { date, time, isLater, inout } = form.values
  const at = instantOf(formats.timezone, date, time, isLater)
  const isToCome = at !== undefined && at * 60_000 > Date.now()
  const save = () =>
    form.submit(
      () =>
        send(common =>
          write('personal/request/shift/add', {
            ...{ date, time, ...common },
            inout: inout === '0' ? 0 : 1,
            ...(isLaterOfTwo(formats.timezone, date, time, isLater) && { isLater: true }),
          }),
        ),
      { required: ['date', 'time'] },
    )
  return (
    <FormPanel title={t('form.shift')} form={form} save={t('form.send')} onSave={() => void save()} onClose={onClose}>
      <DayField
        label={t('form.date')}
        value={date}
        most={formats.today()}
        onText={date => form.set({ date })}
        error={form.error('date')}
      />
      <div className="clock-field">
        <SegmentField
          label={t('form.inout')}
          value={inout}
          onText={inout => form.set({ inout: inout === '0' ? '0' : '1' })}
          options={[
            ['0', t('approve:inout.0')],
            ['1', t('approve:inout.1')],
          ]}
        />
      </div>
      <ClockField
        label={t('form.time')}
        day={date}
        value={time}
        isLater={isLater}
        error={isToCome ? t('form.toCome') : form.error('time')}
        otherDay="+1"
        onChange={change => form.set(change)}
      />
      <NotesAndFiles notes={form.text('notes')} attachments={attachments} fault={fileFault} />
    </FormPanel>
  )
}

function OvertimeForm({ ask, onClose }: AskFormProps) {
  const { t } = useTranslation('request')
  const formats = useFormats()
  const amount = useAmount()
  const { form, attachments, fileFault, send } = useRequestForm(
    {
      date: ask.date ?? formats.today(),
      from: timeOf(ask.from),
      to: timeOf(ask.to),
      isFromLater: false,
      isToLater: false,
    },
    onClose,
  )
  const { date, from, to, isFromLater, isToLater } = form.values
  const zone = formats.timezone
  const [begin, end] = [instantOf(zone, date, from, isFromLater), instantOf(zone, date, to, isToLater)]
  const minutes = begin !== undefined && end !== undefined ? end - begin : undefined
  const save = () =>
    form.submit(
      () =>
        send(common =>
          write('personal/request/overtime/add', {
            ...{ date, from, to, ...common },
            ...(isLaterOfTwo(zone, date, from, isFromLater) && { isFromLater: true }),
            ...(isLaterOfTwo(zone, date, to, isToLater) && { isToLater: true }),
          }),
        ),
      { required: ['date', 'from', 'to'] },
    )
  return (
    <FormPanel
      title={t('form.overtime')}
      form={form}
      save={t('form.send')}
      onSave={() => void save()}
      onClose={onClose}
    >
      <DayField label={t('form.date')} value={date} onText={date => form.set({ date })} error={form.error('date')} />
      <div className="pair">
        <ClockField
          label={t('form.from')}
          day={date}
          value={from}
          isLater={isFromLater}
          error={form.error('from')}
          otherDay="+1"
          onChange={change => form.set('time' in change ? { from: change.time } : { isFromLater: change.isLater })}
        />
        <ClockField
          label={t('form.to')}
          day={date}
          value={to}
          isLater={isToLater}
          error={minutes !== undefined && minutes <= 0 ? t('form.order') : form.error('to')}
          otherDay="+1"
          onChange={change => form.set('time' in change ? { to: change.time } : { isToLater: change.isLater })}
        />
      </div>
      {minutes !== undefined && minutes > 0 && (
        <p className="muted" role="status">
          {t('form.length', { length: amount(minutes, 'overtimeMinutes') })}
        </p>
      )}
      <NotesAndFiles notes={form.text('notes')} attachments={attachments} fault={fileFault} />
    </FormPanel>
  )
}

/** The preview waits for this pause in typing. */
const pauseMilliseconds = 300
const useSettled = <V,>(value: V): V => {
  const [settled, setSettled] = useState(value)
  const text = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text)), pauseMilliseconds)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

/** The longest leave, in days. */
const mostDays = 366

function LeaveForm({ ask, onClose }: AskFormProps) {
  const { t } = useTranslation('request')
  const formats = useFormats()
  const words = useRequestWords()
  const sentence = useSentence()
  const { form, attachments, fileFault, send } = useRequestForm(
    {
      leaveType: '',
      date: ask.date ?? formats.today(),
      toDate: ask.date ?? formats.today(),
      isAllDay: !(ask.from && ask.to),
      from: timeOf(ask.from),
      to: timeOf(ask.to),
      isFromLater: false,
      isToLater: false,
    },
    onClose,
  )
  const { date, toDate, isAllDay, from, to, isFromLater, isToLater } = form.values
  const year = Number((date || formats.today()).slice(0, 4))
  const [begin, end] = [
    instantOf(formats.timezone, date, from, isFromLater),
    instantOf(formats.timezone, toDate, to, isToLater),
  ]
  const isReversed = !isAllDay && begin !== undefined && end !== undefined && end <= begin
  const balances = useRead('personal/report/leave', { year }).data?.balances ?? []
  // Preselects a type with a limit, because most requests are for one.
  const leaveType =
    form.values.leaveType || String((balances.find(({ limit }) => limit) ?? balances[0])?.leaveType ?? '')
  const zone = formats.timezone
  const input = {
    ...{ leaveType: Number(leaveType), date, toDate, isAllDay },
    ...(!isAllDay && {
      ...{ from, to },
      ...(isLaterOfTwo(zone, date, from, isFromLater) && { isFromLater: true }),
      ...(isLaterOfTwo(zone, toDate, to, isToLater) && { isToLater: true }),
    }),
  }
  const isComplete =
    leaveType !== '' && date !== '' && toDate >= date && (isAllDay || (from !== '' && to !== '' && !isReversed))
  const settledInput = useSettled(isComplete ? input : null)
  const preview = useRead('personal/request/leave/preview', settledInput)
  /** The form shows the preview's errors before sending, except for the initial day. */
  const isChosen = form.isChanged || ask.date !== undefined
  const previewErrors = isFault(preview.error) && settledInput && isChosen ? preview.error.fields : {}
  const error = (field: string) => {
    const code = previewErrors[field]
    return form.error(field) ?? (code === undefined ? undefined : sentence(code))
  }
  const isRefused = preview.data?.exceeds === 'refuse' && !preview.error && settledInput !== null
  const save = () =>
    form.submit(() => send(common => write('personal/request/leave/add', { ...input, ...common })), {
      required: isAllDay ? ['date', 'toDate'] : ['date', 'toDate', 'from', 'to'],
    })
  return (
    <FormPanel title={t('form.leave')} form={form} save={t('form.send')} onSave={() => void save()} onClose={onClose}>
      <SelectField
        label={t('form.leaveType')}
        name="leaveType"
        value={leaveType}
        onText={leaveType => form.set({ leaveType })}
        error={error('leaveType') ?? (isRefused ? sentence(60084) : undefined)}
        options={balances.map(({ leaveType, limit }) => {
          const type = words.leaveType(leaveType)
          return [
            String(leaveType),
            limit ? t('left.option', { type, days: words.days(limit.leftDays) }) : type,
          ] as const
        })}
      />
      <div className="pair">
        <DayField
          label={t('form.firstDay')}
          value={date}
          // The last day is never before the first day.
          onText={date => form.set({ date, ...((toDate < date || toDate === form.values.date) && { toDate: date }) })}
          error={error('date')}
        />
        <DayField
          label={t('form.lastDay')}
          value={toDate}
          {...(date && { least: date, most: addDays(date, mostDays - 1) })}
          onText={toDate => form.set({ toDate })}
          error={error('toDate')}
        />
      </div>
      <SwitchField label={t('form.allDay')} checked={isAllDay} onCheck={isAllDay => form.set({ isAllDay })} />
      {!isAllDay && (
        <div className="pair">
          <ClockField
            label={t('form.from')}
            day={date}
            value={from}
            isLater={isFromLater}
            error={error('from')}
            otherDay="+1"
            onChange={change => form.set('time' in change ? { from: change.time } : { isFromLater: change.isLater })}
          />
          <ClockField
            label={t('form.to')}
            day={toDate}
            value={to}
            isLater={isToLater}
            error={isReversed ? t('form.order') : error('to')}
            otherDay="+1"
            onChange={change => form.set('time' in change ? { to: change.time } : { isToLater: change.isLater })}
          />
        </div>
      )}
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
      {balances.map(({ year, before, after }) => (
        <p key={year} className="figure">
          {t('form.balance', { year, before: words.days(before), after: words.days(after) })}
        </p>
      ))}
      {exceeds === 'warn' && <p className="notice warn">{t('form.exceeds')}</p>}
      {total.isEstimated && <p className="muted small">{t('estimated')}</p>}
    </div>
  )
}
