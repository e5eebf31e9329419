import { Plus, Trash2 } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { DrawnShift, useLength } from '../../parts/day/day-bar.tsx'
import { PreviewAsk } from '../../parts/day/preview.tsx'
import { SelectField, SwitchField, TextField } from '../../parts/field/field.tsx'
import { Form, useForm, useSentence } from '../../parts/field/form.tsx'
import { readHours } from '../../parts/field/read-hours.ts'
import { SegmentField } from '../../parts/field/segment-field.tsx'
import { TimeField } from '../../parts/field/time-field.tsx'
import { useUnsaved } from '../../parts/say/leaving.tsx'
import { useTaskOwner } from '../../parts/say/task-notice.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh } from '../../read.ts'
import { followTask } from '../../tasks.ts'
import {
  anotherBreak,
  type Break,
  type Color,
  colors,
  drawnOf,
  faultsOf,
  isMinutes,
  isNextDay,
  noClockOuts,
  otherDaysOf,
  rulesOf,
  type Shift,
  shiftOf,
  type Values,
  valuesOf,
  withDuty,
} from './values.ts'

const mostBreaks = 8

/** The texts for violated bounds that have no sentence in the error catalogue. */
const wrongs = [
  [/^breaks\.\d+\.(start|end)$/, 'wrong.breakTime'],
  [/^breaks\.\d+\.durationMinutes$/, 'wrong.breakDuration'],
  [/^offDuty$/, 'wrong.offDuty'],
  [/^punchEnd$/, 'wrong.punchEnd'],
  [/^allowed(Late|Early)Minutes$/, 'wrong.allowed'],
  [/^weekly\.targetMinutes$/, 'wrong.weekHours'],
  [/minutes$/i, 'wrong.minutes'],
] as const

/** Creates or changes a shift. Before saving a change, shows its effect on worked days. */
export function ShiftForm(props: {
  shift: Shift | undefined
  /** The template of a new shift. */
  like?: Shift | undefined
  color: Color
  onChanged: (isChanged: boolean) => void
  onDone: () => void
  onCancel: () => void
}) {
  const { t } = useTranslation(['shift', 'shell'])
  const { shift, like, onChanged } = props
  const id = useId()
  const sentence = useSentence()
  const owner = useTaskOwner()
  const [initial] = useState(() => {
    if (!like) return valuesOf(shift, props.color)
    return { ...valuesOf(like, props.color), name: t('copyOf', { name: like.name }), color: props.color }
  })
  const form = useForm(initial, shift)
  const { values, set, isChanged } = form
  const [asking, setAsking] = useState<{ task: string }>()
  useEffect(() => onChanged(isChanged), [onChanged, isChanged])
  useUnsaved(isChanged)
  // A copy usually needs a new name first.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once, on mount.
  useEffect(() => {
    if (like) form.ref.current?.querySelector<HTMLInputElement>('input[name="name"]')?.select()
  }, [])

  const faults = faultsOf(values)
  const error = (field: string) => {
    const fault = faults.find(fault => fault.field === field)
    // Only a valid number of minutes can exceed a bound.
    const isTooLong = !(field === 'allowedLateMinutes' || field === 'allowedEarlyMinutes') || isMinutes(values[field])
    const wrong = isTooLong ? wrongs.find(([pattern]) => pattern.test(field))?.[1] : 'wrong.minutes'
    if (fault?.code === 10002 && wrong) return t(wrong)
    return fault ? sentence(fault.code) : form.error(field)
  }
  const sending = {
    required: ['name' as const],
    fieldOf: { 59021: 'punchEnd', 59022: 'offDuty', 59023: 'punchStart' },
  }
  const store = (isAsked: boolean) =>
    form.submit(
      async () => {
        if (form.from) {
          const { id, version } = form.from
          const { task } = await write('shift/update', { id, version, ...shiftOf(values) })
          if (task) followTask(owner, { id: task })
        } else await write('shift/add', shiftOf(values))
        form.restart(values)
        say(t('shell:saved'))
        refresh(['task/', 'shift/', 'schedule/'])
        props.onDone()
      },
      { ...sending, isAsked },
    )
  const save = () => {
    // The `faults` are current on every render. A fault from `blame` would stay even after another field fixes it.
    if (faults.length > 0) return form.blame(values.name.trim() ? {} : { name: 60001 })
    const isSame = JSON.stringify(rulesOf(values)) === JSON.stringify(rulesOf(initial))
    if (!form.from || !shift?.isUsed || isSame) return store(false)
    const { id, version } = form.from
    return form.submit(
      async () => setAsking(await write('shift/preview', { id, version, ...shiftOf(values) })),
      sending,
    )
  }

  return (
    <>
      <Form form={form} id={id} className="panel-body shift-form" onSubmit={save}>
        {shift?.isUsed && <p className="notice">{t('usedNotice')}</p>}
        <TextField label={t('name')} maxLength={60} placeholder={t('nameHint')} {...form.text('name', t('nameHint'))} />
        <fieldset className="colors">
          <legend className="unseen">{t('color.label')}</legend>
          {colors.map(color => (
            <label key={color} className={`shift-color ${color}`} title={t(`color.${color}`)}>
              <input
                type="radio"
                name={`${id}-color`}
                checked={values.color === color}
                onChange={() => set({ color })}
                aria-label={t(`color.${color}`)}
              />
            </label>
          ))}
        </fieldset>
        <div className="kind">
          <SegmentField
            label={t('kind.label')}
            value={values.kind}
            onText={kind => set({ kind: kind === 'weekly' ? 'weekly' : 'fixed' })}
            options={[
              ['fixed', t('kind.fixed')],
              ['weekly', t('kind.weekly')],
            ]}
          />
          <p className="muted small">{t(`kind.${values.kind}Hint`)}</p>
        </div>
        {values.kind === 'fixed' ? (
          <FixedFields values={values} set={set} error={error} />
        ) : (
          <WeeklyFields values={values} set={set} error={error} />
        )}
        <hr />
        <TextField label={t('notes')} optional lines={3} maxLength={500} {...form.text('notes')} />
      </Form>
      <footer className="panel-foot">
        <Button onClick={props.onCancel} disabled={form.busy}>
          {t('shell:cancel')}
        </Button>
        <Button look="primary" type="submit" form={id} busy={form.busy}>
          {t('shell:save')}
        </Button>
      </footer>
      {asking && (
        <PreviewAsk
          title={t('preview.title', { name: values.name })}
          task={asking.task}
          yes={t('preview.yes')}
          onYes={async () => {
            await store(true)
            setAsking(undefined)
          }}
          onNo={() => setAsking(undefined)}
        />
      )}
    </>
  )
}

interface FieldsProps {
  values: Values
  set: (change: Partial<Values>) => void
  error: (field: string) => string | undefined
}
type MinutesName =
  | 'allowedLateMinutes'
  | 'allowedEarlyMinutes'
  | 'earlyInAfter'
  | 'lateOutAfter'
  | 'weekBreak'
  | 'weekBreakAfter'

/** The props of a field of whole minutes. `field` is its name in the validation. */
const useMinutes = ({ values, set, error }: FieldsProps) => {
  const { t } = useTranslation('shell')
  return (name: MinutesName, field: string = name) => ({
    inputMode: 'numeric' as const,
    maxLength: 4,
    suffix: t('unit.minutes'),
    value: values[name],
    error: error(field),
    onText: (text: string) => set({ [name]: text }),
  })
}

function ExceptionSwitch({ values, set }: FieldsProps) {
  const { t } = useTranslation('shift')
  return (
    <SwitchField
      label={t('raisesException.label')}
      hint={t('raisesException.hint')}
      checked={values.raisesException}
      onCheck={raisesException => set({ raisesException })}
    />
  )
}

function FixedFields(props: FieldsProps) {
  const { t } = useTranslation('shift')
  const { values, set, error } = props
  const minutes = useMinutes(props)
  const time = (name: 'onDuty' | 'offDuty' | 'punchStart' | 'punchEnd') => ({
    label: t(name),
    value: values[name],
    error: error(name),
    ...(name !== 'onDuty' && { otherDay: otherDays[name] }),
    onText: (value: string) => set({ [name]: value }),
  })
  const otherDays = otherDaysOf(values)
  const noClockOut = noClockOuts.find(kind => String(kind) === values.noClockOut) ?? 0
  return (
    <>
      <DrawnShift shift={drawnOf(values)} color={values.color} />
      <div className="pair times">
        <TimeField {...time('onDuty')} onText={onDuty => set(withDuty(values, { onDuty }))} />
        <TimeField {...time('offDuty')} onText={offDuty => set(withDuty(values, { offDuty }))} />
        <TimeField {...time('punchStart')} />
        <TimeField {...time('punchEnd')} />
      </div>
      <p className="muted small">{t('punchHint')}</p>

      <hr />
      <Breaks {...props} />

      <hr />
      <fieldset>
        <legend>{t('rules.title')}</legend>
        <div className="pair">
          <TextField label={t('allowedLate')} hint={t('allowedLateHint')} {...minutes('allowedLateMinutes')} />
          <TextField label={t('allowedEarly')} hint={t('allowedEarlyHint')} {...minutes('allowedEarlyMinutes')} />
        </div>
        <SelectField
          label={t('noClockOut.label')}
          hint={t(`noClockOut.hint${noClockOut}`)}
          value={values.noClockOut}
          onText={text => set({ noClockOut: text })}
          options={noClockOuts.map(kind => [String(kind), t(`noClockOut.${kind}`)] as const)}
        />
        <ExceptionSwitch {...props} />
      </fieldset>

      <hr />
      <fieldset>
        <legend>{t('overtime.title')}</legend>
        <SwitchField
          label={t('earlyIn.label')}
          hint={t('earlyIn.hint')}
          checked={values.earlyIn}
          onCheck={earlyIn => set({ earlyIn })}
        />
        {values.earlyIn && (
          <TextField
            className="short"
            label={t('after')}
            hint={t('afterHint')}
            {...minutes('earlyInAfter', 'earlyInOvertime.afterMinutes')}
          />
        )}
        <SwitchField
          label={t('lateOut.label')}
          hint={t('lateOut.hint')}
          checked={values.lateOut}
          onCheck={lateOut => set({ lateOut })}
        />
        {values.lateOut && (
          <TextField
            className="short"
            label={t('after')}
            hint={t('afterHint')}
            {...minutes('lateOutAfter', 'lateOutOvertime.afterMinutes')}
          />
        )}
      </fieldset>
    </>
  )
}

function Breaks({ values, set, error }: FieldsProps) {
  const { t } = useTranslation(['shift', 'shell'])
  const { breaks } = values
  const setBreaks = (breaks: Break[]) => set({ breaks, hasUsualBreaks: false })
  const change = (index: number, part: Partial<Break>) =>
    setBreaks(breaks.map((pause, at) => (at === index ? { ...pause, ...part } : pause)))
  const day = (clock: string) => (isNextDay(values, clock) ? t('day.after') : undefined)
  const minutesProps = { inputMode: 'numeric' as const, maxLength: 4, suffix: t('shell:unit.minutes') }
  return (
    <fieldset>
      <legend>{t('breaks.title')}</legend>
      {breaks.length === 0 && <p className="muted small">{t('breaks.none')}</p>}
      {breaks.map((pause, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the place in the list identifies a break.
        <div key={index} className="break-row">
          <TimeField
            label={t('breaks.start')}
            value={pause.start}
            day={day(pause.start)}
            error={error(`breaks.${index}.start`)}
            onText={start => change(index, { start })}
          />
          <TimeField
            label={t('breaks.end')}
            value={pause.end}
            day={day(pause.end)}
            error={error(`breaks.${index}.end`)}
            onText={end => change(index, { end })}
          />
          <TextField
            {...minutesProps}
            label={t('breaks.duration')}
            value={pause.durationMinutes}
            error={error(`breaks.${index}.durationMinutes`)}
            onText={durationMinutes => change(index, { durationMinutes })}
          />
          <TextField
            {...minutesProps}
            label={t('breaks.threshold')}
            value={pause.thresholdMinutes}
            error={error(`breaks.${index}.thresholdMinutes`)}
            onText={thresholdMinutes => change(index, { thresholdMinutes })}
          />
          <Button
            look="quiet"
            square
            aria-label={t('breaks.remove', { number: index + 1 })}
            icon={<Trash2 className="icon" />}
            onClick={() => setBreaks(breaks.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      {breaks.length > 0 && <p className="muted small">{t('breaks.thresholdHint')}</p>}
      {breaks.length < mostBreaks && (
        <div>
          <Button icon={<Plus className="icon" />} onClick={() => setBreaks([...breaks, anotherBreak(values)])}>
            {t('breaks.add')}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

function WeeklyFields(props: FieldsProps) {
  const { t } = useTranslation(['shift', 'shell'])
  const formats = useFormats()
  const lengthOf = useLength()
  const { values, set, error } = props
  const minutes = useMinutes(props)
  const target = readHours(values.weekHours)
  return (
    <>
      <TextField
        className="short"
        label={t('weekly.target')}
        suffix={t('shell:unit.hours')}
        maxLength={6}
        hint={
          Number.isNaN(target)
            ? t('weekly.targetHint')
            : t('weekly.share', { duty: lengthOf(Math.floor(target / 5)), days: formats.number(5) })
        }
        value={values.weekHours}
        error={error('weekly.targetMinutes')}
        onText={weekHours => set({ weekHours })}
      />
      <hr />
      <fieldset>
        <legend>{t('breaks.title')}</legend>
        <div className="pair">
          <TextField label={t('weekly.break')} {...minutes('weekBreak', 'weekly.breakMinutes')} />
          <TextField label={t('breaks.threshold')} {...minutes('weekBreakAfter', 'weekly.breakThresholdMinutes')} />
        </div>
        <p className="muted small">{t('breaks.thresholdHint')}</p>
      </fieldset>
      <hr />
      <fieldset>
        <legend>{t('rules.weekly')}</legend>
        <SwitchField
          label={t('weekly.overtime')}
          hint={t('weekly.overtimeHint')}
          checked={values.weekOvertime}
          onCheck={weekOvertime => set({ weekOvertime })}
        />
        <ExceptionSwitch {...props} />
      </fieldset>
    </>
  )
}
