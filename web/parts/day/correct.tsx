import { Eye, EyeOff, Pencil, Plus, Undo2 } from 'lucide-react'
import { useContext, useDeferredValue, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { figureNames } from '../../../shared/figure.ts'
import { addDays } from '../../../shared/local-day.ts'
import { type PathOutput, write } from '../../api.ts'
import { dayIn, timeIn, useFormats } from '../../format.ts'
import { refresh, useRead } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import { Button } from '../button.tsx'
import { DayField } from '../field/day-field.tsx'
import { TextField } from '../field/field.tsx'
import { Form, focusUnread, useComplaint, useForm } from '../field/form.tsx'
import { TimeField } from '../field/time-field.tsx'
import { useUnsaved } from '../say/leaving.tsx'
import { say } from '../say/toast.tsx'
import { type Explained, useAmount } from './amount.ts'
import { changedForm } from './held.tsx'
import { keepReason, NextDay, readReason } from './next-day.ts'
import type { Undo } from './undo.tsx'

// Managers correct the punches of a day: they add one, change its time, ignore it, and restore it.

export type Punch = Explained['ignored'][number]
/** The company's rule for corrections of a person's day. */
export type DayRule = PathOutput<'report/day'>['correcting']
/** The action of the open form; `add` needs no punch. */
export type Correcting = { action: 'add' } | { action: 'update' | 'ignore'; punch: Punch }

/** Whether the user manages the punches of this employee, under any company rule. */
export const useIsCorrector = (): ((employee: string) => boolean) => {
  const { type, auth_item, employee: own } = usePerson()
  const isManager = type === 'management' && auth_item.some(({ id }) => id === 9)
  return employee => isManager && employee !== own.id
}

/** Whether the signed-in person may correct the punches of this employee. */
export const useMayCorrect = (): ((employee: string) => boolean) => {
  const { correctionRule } = usePerson()
  const isCorrector = useIsCorrector()
  return employee => correctionRule !== 'request' && isCorrector(employee)
}

export const saved = (text: string) => {
  refresh(['report/', 'record/', 'exception/', 'personal/'])
  say(text)
}

const isIgnoredPunch = ({ correction }: Punch) =>
  correction?.isIgnored === true && (correction.state ?? 'counts') === 'counts'

/** Whether the time of a punch can change. Users correct a request's punch through the request. */
export const mayUpdate = (punch: Punch & { request?: string | undefined }) => !punch.request && !isIgnoredPunch(punch)

/** The buttons beside a punch. Users correct a request's punch through the request. */
export function PunchButtons(props: {
  employee: string
  punch: Punch & { request?: string | undefined }
  time: string
  timezone: string
  made: Undo['made']
  onForm: (form: Correcting) => void
}) {
  const { t } = useTranslation('explain')
  const { employee, punch, time, timezone, made, onForm } = props
  const complain = useComplaint()
  const [busy, setBusy] = useState(false)
  const { correction } = punch
  if (punch.request) return null
  const state = correction?.state ?? 'counts'
  const isIgnored = isIgnoredPunch(punch)
  const mayRestore =
    correction &&
    state !== 'objected' &&
    (state === 'proposed' || isIgnored || (correction.recordedAt && correction.at))
  // Of the punches that do not count, only a recorded punch after an objection can be ignored.
  const mayIgnore = state === 'counts' ? !isIgnored : state === 'objected' && correction?.recordedAt !== undefined
  const restore = async () => {
    setBusy(true)
    try {
      const answer = await write('record/restore', { employee, punch: punch.id, version: correction?.version })
      const text = t(state === 'proposed' ? 'correct.withdrawn' : 'correct.restored')
      made({ action: 'restore', punch: punch.id, earlier: correction, timezone, text }, answer)
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  const name = (action: 'update' | 'ignore' | 'restore') => t(`correct.${action}Name`, { time })
  return (
    <span className="punch-buttons">
      {mayRestore && (
        <Button
          look="quiet"
          square
          busy={busy}
          icon={isIgnored ? <Eye className="icon" /> : <Undo2 className="icon" />}
          aria-label={state === 'proposed' ? t('correct.withdrawName', { time }) : name('restore')}
          title={t(state === 'proposed' ? 'correct.withdraw' : 'correct.restore')}
          onClick={restore}
        />
      )}
      {!isIgnored && (
        <Button
          look="quiet"
          square
          icon={<Pencil className="icon" />}
          aria-label={name('update')}
          title={t('correct.update')}
          onClick={() => onForm({ action: 'update', punch })}
        />
      )}
      {mayIgnore && (
        <Button
          look="quiet"
          square
          icon={<EyeOff className="icon" />}
          aria-label={name('ignore')}
          title={t('correct.ignore')}
          onClick={() => onForm({ action: 'ignore', punch })}
        />
      )}
    </span>
  )
}

export function AddPunch({ onForm }: { onForm: (form: Correcting) => void }) {
  const { t } = useTranslation('explain')
  return (
    <Button icon={<Plus className="icon" aria-hidden="true" />} onClick={() => onForm({ action: 'add' })}>
      {t('correct.add')}
    </Button>
  )
}

/** The day's missing punch: a clock-out at the end of the shift, or a clock-in at its start. */
const proposalOf = ({ exceptions, dutyFrom, dutyTo }: Explained) => {
  if (exceptions.includes('missingOut') && dutyTo) return { at: dutyTo, inout: 1 as const }
  if (exceptions.includes('missingIn') && dutyFrom) return { at: dutyFrom, inout: 0 as const }
  return undefined
}

/** The form of a correction, with a preview of the changed figures. */
export function CorrectionForm(props: {
  employee: string
  day: Explained
  rule: DayRule
  made: Undo['made']
  form: Correcting
  onClose: () => void
}) {
  const { t } = useTranslation(['explain', 'shell'])
  const formats = useFormats()
  const { employee, day, rule, made, form: correcting, onClose } = props
  const { action } = correcting
  const goNext = useContext(NextDay)
  const punch = action === 'add' ? undefined : correcting.punch
  const objection = punch?.correction?.objection
  const proposal = action === 'add' ? proposalOf(day) : punch && { ...punch, at: punch.correction?.at ?? punch.at }
  const dateOf = (at: string) => dayIn(day.timezone, new Date(at))
  const timeOf = (at: string) => timeIn(day.timezone, at)
  const form = useForm({
    date: proposal ? dateOf(proposal.at) : day.day,
    time: proposal ? timeOf(proposal.at) : '',
    reason: goNext ? readReason() : '',
  })
  const { values, set } = form
  useUnsaved(form.isChanged)
  const when = { date: values.date, time: values.time }
  const inout = proposal && 'inout' in proposal && timeOf(proposal.at) === values.time ? proposal.inout : undefined
  const input = {
    ...{ employee, action, ...(punch && { punch: punch.id }) },
    ...(action !== 'ignore' && when),
    ...(inout !== undefined && { inout }),
  }
  const isWhole = action === 'ignore' || (values.date !== '' && values.time !== '')
  const version = punch?.correction?.version
  const save = (isLast = true) =>
    form.submit(
      async () => {
        const { reason } = values
        const named = { employee, punch: punch?.id ?? '', reason, version }
        const answer =
          action === 'add'
            ? await write('record/add', { employee, ...when, reason, ...(inout !== undefined && { inout }) })
            : action === 'update'
              ? await write('record/update', { ...named, ...when })
              : await write('record/ignore', named)
        const text = t(rule.rule === 'agreement' ? 'correct.saved.proposal' : `correct.saved.${action}`)
        const correction = { action, punch: answer.punch, earlier: punch?.correction, timezone: day.timezone, text }
        keepReason(reason.trim())
        made(correction, answer)
        onClose()
        if (!isLast) goNext?.({ ...correction, version: answer.version })
      },
      { required: action === 'ignore' ? ['reason'] : ['date', 'time', 'reason'] },
    )
  useSaveAndNext(goNext && (() => !form.busy && !focusUnread(form.ref.current) && void save(false)))
  return (
    <Form
      form={form}
      className={form.isChanged ? `correction-form ${changedForm}` : 'correction-form'}
      onSubmit={() => void save()}
    >
      <h4>{t(`correct.${action}Title`, { time: punch && formats.time(punch.at, day.timezone) })}</h4>
      {action !== 'ignore' && (
        <div className="pair">
          <DayField
            label={t('correct.date')}
            value={values.date}
            least={addDays(day.day, -1)}
            most={addDays(day.day, 1)}
            error={form.error('date')}
            onText={date => set({ date })}
          />
          <TimeField
            label={t('correct.time')}
            value={values.time}
            error={form.error('time')}
            onText={time => set({ time })}
          />
        </div>
      )}
      {objection && (
        <p className="notice warn">
          {t('correct.objection', { when: formats.dayAndTime(objection.at), reason: objection.reason })}
        </p>
      )}
      <TextField label={t('correct.reason')} maxLength={200} {...form.text('reason')} />
      {(['punch', 'employee', ...(action === 'ignore' ? ['date'] : [])] as const).map(
        field =>
          form.error(field) && (
            <p key={field} className="notice warn">
              {form.error(field)}
            </p>
          ),
      )}
      <Effect input={isWhole ? input : null} />
      <RuleHint rule={rule} />
      <div className="buttons">
        <Button look="primary" type="submit" busy={form.busy}>
          {t(`correct.${action}`)}
        </Button>
        {goNext && (
          <Button busy={form.busy} onClick={() => void save(false)} title={t('correct.nextKey')}>
            {t('correct.next')}
          </Button>
        )}
        <Button onClick={onClose}>{t('shell:cancel')}</Button>
      </div>
    </Form>
  )
}

/** Calls `save` for Ctrl+Enter, after the focused field has taken its text. */
const useSaveAndNext = (save: (() => unknown) | undefined) => {
  const latest = useRef(save)
  latest.current = save
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !latest.current) return
      if (document.querySelector('dialog[open]')) return
      event.preventDefault()
      setTimeout(() => latest.current?.())
    }
    document.addEventListener('keydown', hear)
    return () => document.removeEventListener('keydown', hear)
  }, [])
}

/** How the employee can answer the correction. */
function RuleHint({ rule: { rule, objectionDays, canAnswer } }: { rule: DayRule }) {
  const { t } = useTranslation('explain')
  if (rule === 'objection')
    return <p className="muted small">{t('correct.hint.objection', { count: objectionDays })}</p>
  if (rule !== 'agreement') return null
  return canAnswer ? (
    <p className="muted small">{t('correct.hint.agreement')}</p>
  ) : (
    <p className="notice warn">{t('correct.hint.noSignIn')}</p>
  )
}

type Input = Parameters<typeof useRead<'record/preview'>>[1]

/** The figures that the correction changes, before and after. */
function Effect({ input }: { input: Input }) {
  const { t } = useTranslation('explain')
  const formats = useFormats()
  const amount = useAmount()
  const text = useDeferredValue(JSON.stringify(input))
  const { data } = useRead('record/preview', JSON.parse(text) as Input)
  if (!data) return null
  const lines = data.days.flatMap(({ day, before, after }) =>
    figureNames.flatMap(name => {
      const [from, to] = [before?.[name] ?? 0, after?.[name] ?? 0]
      return from === to ? [] : [{ key: `${day} ${name}`, day, name, from, to }]
    }),
  )
  return (
    <div className="correction-effect" aria-live="polite">
      {lines.length === 0 && <p className="muted">{t('correct.noEffect')}</p>}
      <ul>
        {lines.map(({ key, day, name, from, to }) => (
          <li key={key}>
            <span className="muted">{formats.shortDay(day)}</span> {t(`figure.${name}`)}{' '}
            <span className="figure">
              {amount(from, name)} → <strong>{amount(to, name)}</strong>
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
