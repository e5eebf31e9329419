import { Clock, Plus, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { validateShift } from '../../shared/attendance/shift.ts'
import { type PathCall, write } from '../api.ts'
import { type Formats, useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { DayBar } from '../parts/day-bar.tsx'
import { DeleteQuestion } from '../parts/delete-question.tsx'
import { SelectField, SwitchField, TextField } from '../parts/field.tsx'
import { useForm, useSentence } from '../parts/form.tsx'
import { type ColumnOf, Grid } from '../parts/grid.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { FormPanel } from '../parts/panel.tsx'
import { SearchField, useSearch } from '../parts/search-field.tsx'
import { TimeField } from '../parts/time-field.tsx'
import { say } from '../parts/toast.tsx'
import { type RowOf, refresh, useList } from '../read.ts'
import { withoutEmpty } from '../without-empty.ts'
import './shift.css'

type Shift = RowOf<'shift/grid'>
type Color = NonNullable<PathCall<'shift/add'>['color']>
type Break = Record<'start' | 'end' | 'durationMinutes' | 'thresholdMinutes', string>

const colors: readonly Color[] = ['teal', 'blue', 'violet', 'rose', 'amber', 'green', 'slate', 'orange']

const drawn = (shift: Shift) => ({ ...shift, breaks: shift.breaks ?? [] })
const hoursOf = (shift: Pick<Shift, 'onDuty' | 'offDuty'>, formats: Formats) =>
  `${formats.wallTime(shift.onDuty)} – ${formats.wallTime(shift.offDuty)}`

export default function ShiftPage() {
  const { t } = useTranslation(['shift', 'shell'])
  const formats = useFormats()
  const [open, setOpen] = useState<Shift | 'new'>()
  const search = useSearch()
  const { words } = search
  // As they follow each other in the day, like the palette of the schedule.
  const list = useList('shift/grid', withoutEmpty({ search: words }), { sort: { by: 'onDuty' } })
  const unusedColor = colors.find(color => !list.rows?.some(row => row.color === color)) ?? 'teal'
  const columns = useMemo<ColumnOf<'shift/grid'>[]>(
    () => [
      {
        key: 'name',
        sort: 'name',
        title: t('name'),
        width: 'minmax(144px, 1.4fr)',
        cell: row => (
          <span className={`shift-name shift-color ${row.color ?? 'teal'}`}>
            <button type="button" className="row-title" onClick={() => setOpen(row)}>
              {row.name}
            </button>
          </span>
        ),
      },
      {
        key: 'hours',
        sort: 'onDuty',
        title: t('hours'),
        width: '160px',
        cell: row => <span className="figure">{hoursOf(row, formats)}</span>,
      },
      {
        key: 'day',
        title: t('drawn.label'),
        width: 'minmax(120px, 2fr)',
        isMinor: true,
        cell: row => <DayBar shift={drawn(row)} color={row.color ?? 'teal'} />,
      },
      {
        key: 'late',
        title: t('allowedLate'),
        width: 'minmax(112px, 0.6fr)',
        isNumber: true,
        isMinor: true,
        cell: row => formats.number(row.allowedLateMinutes ?? 0),
      },
      {
        key: 'early',
        title: t('allowedEarly'),
        width: 'minmax(120px, 0.6fr)',
        isNumber: true,
        isMinor: true,
        cell: row => formats.number(row.allowedEarlyMinutes ?? 0),
      },
      {
        key: 'status',
        title: t('status.label'),
        width: '104px',
        cell: row => (
          <span className={row.isUsed ? 'tag ok' : 'tag'}>{t(row.isUsed ? 'status.used' : 'status.unused')}</span>
        ),
      },
    ],
    [t, formats],
  )
  const add = (
    <Button look="primary" icon={<Plus className="icon" />} onClick={() => setOpen('new')}>
      {t('add')}
    </Button>
  )
  return (
    <Page title={t('title')} note={list.count !== undefined && t('count', { count: list.count })} actions={add}>
      <div className="filters">
        <SearchField hint={t('searchHint')} {...search.field} />
      </div>
      <Grid
        label={t('title')}
        columns={columns}
        list={list}
        rowKey={row => row.id}
        onOpen={setOpen}
        empty={
          <Empty icon={<Clock />} title={t(words ? 'shell:choice.none' : 'empty.title')} action={!words && add}>
            {t(words ? 'empty.search' : 'empty.text')}
          </Empty>
        }
      />
      {open && (
        <ShiftForm shift={open === 'new' ? undefined : open} color={unusedColor} onClose={() => setOpen(undefined)} />
      )}
    </Page>
  )
}

const textOf = (minutes: number | undefined, otherwise = 0) => String(minutes ?? otherwise)
/** What is not a whole number is refused by the check, at its field. */
const minutesOf = (text: string) => (/^\d{1,4}$/.test(text.trim()) ? Number(text) : Number.NaN)

const valuesOf = (shift: Shift | undefined, color: Color) => ({
  name: shift?.name ?? '',
  color: shift?.color ?? color,
  notes: shift?.notes ?? '',
  onDuty: shift?.onDuty ?? '09:00',
  offDuty: shift?.offDuty ?? '18:00',
  punchStart: shift?.punchStart ?? '07:00',
  punchEnd: shift?.punchEnd ?? '22:00',
  allowedLateMinutes: textOf(shift?.allowedLateMinutes, shift ? 0 : 5),
  allowedEarlyMinutes: textOf(shift?.allowedEarlyMinutes),
  noClockOut: textOf(shift?.noClockOut),
  earlyIn: shift?.earlyInOvertime?.counts ?? false,
  earlyInAfter: textOf(shift?.earlyInOvertime?.afterMinutes, 30),
  lateOut: shift?.lateOutOvertime?.counts ?? false,
  lateOutAfter: textOf(shift?.lateOutOvertime?.afterMinutes, 30),
  raisesException: shift?.raisesException ?? true,
  breaks: (shift ? (shift.breaks ?? []) : [{ start: '12:00', end: '13:00', durationMinutes: 60 }]).map(
    (rest): Break => ({
      start: rest.start,
      end: rest.end,
      durationMinutes: textOf(rest.durationMinutes),
      thresholdMinutes: textOf('thresholdMinutes' in rest ? rest.thresholdMinutes : 0),
    }),
  ),
})
type Values = ReturnType<typeof valuesOf>

const noClockOuts = [0, 1, 2] as const

/** The form's words as the path and the check take them. */
const shiftOf = (values: Values) => ({
  name: values.name,
  color: values.color,
  onDuty: values.onDuty,
  offDuty: values.offDuty,
  punchStart: values.punchStart,
  punchEnd: values.punchEnd,
  allowedLateMinutes: minutesOf(values.allowedLateMinutes),
  allowedEarlyMinutes: minutesOf(values.allowedEarlyMinutes),
  noClockOut: noClockOuts.find(kind => String(kind) === values.noClockOut) ?? 0,
  earlyInOvertime: { counts: values.earlyIn, afterMinutes: minutesOf(values.earlyInAfter) },
  lateOutOvertime: { counts: values.lateOut, afterMinutes: minutesOf(values.lateOutAfter) },
  raisesException: values.raisesException,
  breaks: values.breaks.map(rest => ({
    start: rest.start,
    end: rest.end,
    durationMinutes: minutesOf(rest.durationMinutes),
    thresholdMinutes: minutesOf(rest.thresholdMinutes),
  })),
  ...(values.notes && { notes: values.notes }),
})

/** What a bound that the catalogue has no sentence for asks of a field. */
const wrongs = [
  [/^breaks\.\d+\.(start|end)$/, 'wrong.breakTime'],
  [/^breaks\.\d+\.durationMinutes$/, 'wrong.breakDuration'],
  [/^punchEnd$/, 'wrong.punchEnd'],
  [/^allowed(Late|Early)Minutes$/, 'wrong.allowed'],
] as const

function ShiftForm({ shift, color, onClose }: { shift: Shift | undefined; color: Color; onClose: () => void }) {
  const { t } = useTranslation(['shift', 'shell'])
  const sentence = useSentence()
  const [isChecked, setChecked] = useState(false)
  const form = useForm(valuesOf(shift, color))
  const { values } = form
  // From the first try on the check follows every change, by the same rules as the server's.
  const faults = isChecked ? validateShift(shiftOf(values)) : []
  const error = (field: string) => {
    const fault = faults.find(fault => fault.field === field)
    const wrong = wrongs.find(([pattern]) => pattern.test(field))?.[1]
    if (fault?.code === 10002 && wrong) return t(wrong)
    return fault ? sentence(fault.code) : form.error(field)
  }
  const done = () => {
    refresh(['shift/', 'schedule/'])
    onClose()
  }
  const save = () => {
    setChecked(true)
    // The check says itself what is wrong for as long as it is; a blame would stay when another field puts it right.
    if (validateShift(shiftOf(values)).length > 0) return form.blame(values.name.trim() ? {} : { name: 60001 })
    return form.submit(
      async () => {
        if (shift) await write('shift/update', { id: shift.id, version: shift.version, ...shiftOf(values) })
        else await write('shift/add', shiftOf(values))
        say(t('shell:saved'))
        done()
      },
      { required: ['name'], fieldOf: { 59021: 'punchEnd', 59022: 'offDuty', 59023: 'punchStart' } },
    )
  }
  const remove = async () => {
    if (!shift) return
    await write('shift/delete', { id: shift.id })
    say(t('deleted', { name: shift.name }))
    done()
  }
  const setBreak = (index: number, change: Partial<Break>) =>
    form.set({ breaks: values.breaks.map((rest, at) => (at === index ? { ...rest, ...change } : rest)) })
  const time = (name: 'onDuty' | 'offDuty' | 'punchStart' | 'punchEnd') => ({
    label: t(name),
    value: values[name],
    error: error(name),
    onText: (value: string) => form.set({ [name]: value }),
  })
  const minutes = (
    name: 'allowedLateMinutes' | 'allowedEarlyMinutes' | 'earlyInAfter' | 'lateOutAfter',
    field: string = name,
  ) => ({
    inputMode: 'numeric' as const,
    maxLength: 4,
    suffix: t('shell:unit.minutes'),
    ...form.text(name),
    error: error(field),
  })
  return (
    <FormPanel
      title={shift ? shift.name : t('add')}
      wide
      form={form}
      save={t('shell:save')}
      onSave={save}
      onClose={onClose}
      extra={
        shift &&
        !shift.isUsed && (
          <DeleteQuestion title={t('delete.title', { name: shift.name })} text={t('delete.text')} onDelete={remove} />
        )
      }
    >
      {shift?.isUsed && <p className="notice">{t('usedNotice')}</p>}
      <TextField label={t('name')} maxLength={60} placeholder={t('nameHint')} {...form.text('name')} />
      <fieldset className="colors">
        <legend className="unseen">{t('color.label')}</legend>
        {colors.map(color => (
          <label key={color} className={`shift-color ${color}`}>
            <input
              type="radio"
              name="color"
              checked={values.color === color}
              onChange={() => form.set({ color })}
              aria-label={t(`color.${color}`)}
            />
          </label>
        ))}
      </fieldset>

      <section className={`drawn-day shift-color ${values.color}`}>
        <DayBar shift={values} color={values.color} scale />
        <p className="legend" aria-hidden="true">
          <span>
            <i className="punch-period" /> {t('drawn.punchPeriod')}
          </span>
          <span>
            <i className="duty" /> {t('drawn.duty')}
          </span>
          <span>
            <i className="break" /> {t('drawn.break')}
          </span>
        </p>
      </section>
      <div className="pair times">
        <TimeField {...time('onDuty')} />
        <TimeField {...time('offDuty')} days={['', '+1']} />
        <TimeField {...time('punchStart')} days={['-1', '']} />
        <TimeField {...time('punchEnd')} days={['', '+1']} />
      </div>

      <hr />
      <fieldset>
        <legend>{t('breaks.title')}</legend>
        {values.breaks.length === 0 && <p className="muted small">{t('breaks.none')}</p>}
        {values.breaks.map((rest, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a break is its place in the list.
          <div key={index} className="break-row">
            <TimeField
              label={t('breaks.start')}
              value={rest.start}
              days={['', '+1']}
              error={error(`breaks.${index}.start`)}
              onText={start => setBreak(index, { start })}
            />
            <TimeField
              label={t('breaks.end')}
              value={rest.end}
              days={['', '+1']}
              error={error(`breaks.${index}.end`)}
              onText={end => setBreak(index, { end })}
            />
            <TextField
              label={t('breaks.duration')}
              inputMode="numeric"
              maxLength={4}
              suffix={t('shell:unit.minutes')}
              value={rest.durationMinutes}
              error={error(`breaks.${index}.durationMinutes`)}
              onText={durationMinutes => setBreak(index, { durationMinutes })}
            />
            <TextField
              label={t('breaks.threshold')}
              inputMode="numeric"
              maxLength={4}
              suffix={t('shell:unit.minutes')}
              value={rest.thresholdMinutes}
              error={error(`breaks.${index}.thresholdMinutes`)}
              onText={thresholdMinutes => setBreak(index, { thresholdMinutes })}
            />
            <Button
              look="quiet"
              square
              aria-label={t('breaks.remove', { number: index + 1 })}
              icon={<Trash2 className="icon" />}
              onClick={() => form.set({ breaks: values.breaks.filter((_, at) => at !== index) })}
            />
          </div>
        ))}
        {values.breaks.length > 0 && <p className="muted small">{t('breaks.thresholdHint')}</p>}
        {values.breaks.length < 8 && (
          <div>
            <Button
              icon={<Plus className="icon" />}
              onClick={() =>
                form.set({
                  breaks: [
                    ...values.breaks,
                    { start: '12:00', end: '13:00', durationMinutes: '60', thresholdMinutes: '0' },
                  ],
                })
              }
            >
              {t('breaks.add')}
            </Button>
          </div>
        )}
      </fieldset>

      <hr />
      <fieldset>
        <legend>{t('rules.title')}</legend>
        <div className="pair">
          <TextField label={t('allowedLate')} {...minutes('allowedLateMinutes')} />
          <TextField label={t('allowedEarly')} {...minutes('allowedEarlyMinutes')} />
        </div>
        <SelectField
          label={t('noClockOut.label')}
          hint={t(`noClockOut.hint${shiftOf(values).noClockOut}`)}
          options={noClockOuts.map(kind => [String(kind), t(`noClockOut.${kind}`)] as const)}
          {...form.text('noClockOut')}
        />
        <SwitchField
          label={t('raisesException.label')}
          hint={t('raisesException.hint')}
          checked={values.raisesException}
          onCheck={raisesException => form.set({ raisesException })}
        />
        <SwitchField
          label={t('earlyIn.label')}
          hint={t('earlyIn.hint')}
          checked={values.earlyIn}
          onCheck={earlyIn => form.set({ earlyIn })}
        />
        {values.earlyIn && (
          <TextField
            className="short"
            label={t('after')}
            {...minutes('earlyInAfter', 'earlyInOvertime.afterMinutes')}
          />
        )}
        <SwitchField
          label={t('lateOut.label')}
          hint={t('lateOut.hint')}
          checked={values.lateOut}
          onCheck={lateOut => form.set({ lateOut })}
        />
        {values.lateOut && (
          <TextField
            className="short"
            label={t('after')}
            {...minutes('lateOutAfter', 'lateOutOvertime.afterMinutes')}
          />
        )}
      </fieldset>
      <TextField label={t('notes')} optional lines={3} maxLength={500} {...form.text('notes')} />
    </FormPanel>
  )
}
