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

// What one asks for: a punch that is missing, leave, or overtime. An address may have filled the form in already.

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

/** What all three have: a note, files, and what becomes of them when they are sent. */
const useAsked = <V extends object>(initial: V, onClose: () => void) => {
  const { t } = useTranslation('request')
  const form = useForm({ ...initial, notes: '' })
  const attachments = useAttachments()
  const fileFault = attachments.files.map((_, i) => form.error(`attachments.${i}.upload`)).find(Boolean)
  const send = async (
    ask: (also: Pick<PathCall<'personal/request/shift/add'>, 'notes' | 'attachments'>) => unknown,
  ) => {
    const { notes } = form.values
    await ask({ ...withoutEmpty({ notes: notes.trim() }), ...(await attachments.send()) })
    refresh(['personal/'])
    say(t('form.sent'))
    onClose()
  }
  return { form: { ...form, isChanged: form.isChanged || attachments.isChanged }, attachments, fileFault, send }
}

type Asked = ReturnType<typeof useAsked<object>>

/** The end of each form. */
function More(props: {
  notes: Omit<ReturnType<Asked['form']['text']>, 'name'>
  attachments: Asked['attachments']
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

/** A wall time of a day as the company's clock shows it: one it skips is called wrong, of one it repeats either may be meant. */
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
          onText={which => onChange({ isLater: which === 'second' })}
          options={[
            ['first', t('form.first')],
            ['second', t('form.second')],
          ]}
        />
      )}
    </div>
  )
}

/** The instant, in minutes, that is meant; undefined while the clock tells none. */
const meant = (zone: string, day: string, time: string, isLater: boolean) => {
  const [first, second] = instantsOf(zone, day, time)
  return isLater && second !== undefined ? second : first
}
/** Said only where an hour comes twice. */
const later = (zone: string, day: string, time: string, isLater: boolean) =>
  isLater && instantsOf(zone, day, time).length > 1

const timeOf = (value: string | undefined) => (value && readTime(value.slice(0, 5)) ? value : '')

function ShiftForm({ ask, onClose }: AskFormProps) {
  const { t } = useTranslation(['request', 'approve'])
  const formats = useFormats()
  const { form, attachments, fileFault, send } = useAsked(
    {
      date: ask.date ?? formats.today(),
      time: timeOf(ask.time),
      isLater: false,
      inout: ask.inout ?? '0',
    },
    onClose,
  )
  const { date, time, isLater, inout } = form.values
  const at = meant(formats.timezone, date, time, isLater)
  const isToCome = at !== undefined && at * 60_000 > Date.now()
  const save = () =>
    form.submit(
      () =>
        send(also =>
          write('personal/request/shift/add', {
            ...{ date, time, ...also },
            inout: inout === '0' ? 0 : 1,
            ...(later(formats.timezone, date, time, isLater) && { isLater: true }),
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
      <More notes={form.text('notes')} attachments={attachments} fault={fileFault} />
    </FormPanel>
  )
}

function OvertimeForm({ ask, onClose }: AskFormProps) {
  const { t } = useTranslation('request')
  const formats = useFormats()
  const amount = useAmount()
  const { form, attachments, fileFault, send } = useAsked(
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
  const [begin, end] = [meant(zone, date, from, isFromLater), meant(zone, date, to, isToLater)]
  const minutes = begin !== undefined && end !== undefined ? end - begin : undefined
  const save = () =>
    form.submit(
      () =>
        send(also =>
          write('personal/request/overtime/add', {
            ...{ date, from, to, ...also },
            ...(later(zone, date, from, isFromLater) && { isFromLater: true }),
            ...(later(zone, date, to, isToLater) && { isToLater: true }),
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
      <More notes={form.text('notes')} attachments={attachments} fault={fileFault} />
    </FormPanel>
  )
}

/** As long as somebody types on, nothing is asked. */
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
  const { form, attachments, fileFault, send } = useAsked(
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
    meant(formats.timezone, date, from, isFromLater),
    meant(formats.timezone, toDate, to, isToLater),
  ]
  const isTurned = !isAllDay && begin !== undefined && end !== undefined && end <= begin
  const balances = useRead('personal/report/leave', { year }).data?.balances ?? []
  // What is limited is what most ask for.
  const leaveType =
    form.values.leaveType || String((balances.find(({ limit }) => limit) ?? balances[0])?.leaveType ?? '')
  const zone = formats.timezone
  const input = {
    ...{ leaveType: Number(leaveType), date, toDate, isAllDay },
    ...(!isAllDay && {
      ...{ from, to },
      ...(later(zone, date, from, isFromLater) && { isFromLater: true }),
      ...(later(zone, toDate, to, isToLater) && { isToLater: true }),
    }),
  }
  const isWhole =
    leaveType !== '' && date !== '' && toDate >= date && (isAllDay || (from !== '' && to !== '' && !isTurned))
  const asked = useSettled(isWhole ? input : null)
  const preview = useRead('personal/request/leave/preview', asked)
  /** What would be refused is said before it is sent, at its field; not of the day that stands there before anybody chose one. */
  const isChosen = form.isChanged || ask.date !== undefined
  const told = isFault(preview.error) && asked && isChosen ? preview.error.fields : {}
  const error = (field: string) => {
    const code = told[field]
    return form.error(field) ?? (code === undefined ? undefined : sentence(code))
  }
  const isRefused = preview.data?.exceeds === 'refuse' && !preview.error && asked !== null
  const save = () =>
    form.submit(() => send(also => write('personal/request/leave/add', { ...input, ...also })), {
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
          // The last day is never before the first.
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
            error={isTurned ? t('form.order') : error('to')}
            otherDay="+1"
            onChange={change => form.set('time' in change ? { to: change.time } : { isToLater: change.isLater })}
          />
        </div>
      )}
      {asked && !preview.error && <LeavePreview preview={preview.data} isLoading={preview.isLoading} />}
      <More notes={form.text('notes')} attachments={attachments} fault={fileFault} />
    </FormPanel>
  )
}

/** What a leave takes of the schedule, and what it leaves of its type. */
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
