import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays } from '../../../shared/local-day.ts'
import { isFault, type PathCall, write } from '../../api.ts'
import { type Formats, useFormats } from '../../format.ts'
import type { HolidayPart } from '../../parts/board/holiday-words.ts'
import { Button } from '../../parts/button.tsx'
import { PreviewAsk } from '../../parts/day/preview.tsx'
import { CheckTree } from '../../parts/field/check-tree.tsx'
import { DayField } from '../../parts/field/day-field.tsx'
import { TextField } from '../../parts/field/field.tsx'
import { useComplaint, useForm } from '../../parts/field/form.tsx'
import { SegmentField } from '../../parts/field/segment-field.tsx'
import { TimeField } from '../../parts/field/time-field.tsx'
import type { DepartmentChoice } from '../../parts/list/departments.ts'
import { FormPanel } from '../../parts/list/panel.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { useTaskOwner } from '../../parts/say/task-notice.tsx'
import { say } from '../../parts/say/toast.tsx'
import { type RowOf, refresh } from '../../read.ts'
import { followTask } from '../../tasks.ts'

/** The scope of a holiday: all employees or some departments. */
export function FreedField(props: {
  departments: readonly DepartmentChoice[]
  /** Undefined means all employees. */
  values: readonly string[] | undefined
  onChange: (ids: string[] | undefined) => void
  error?: string | undefined
}) {
  const { t } = useTranslation('holiday')
  const { departments, values, onChange, error } = props
  return (
    <>
      <SegmentField
        label={t('for')}
        value={values ? 'some' : 'all'}
        onText={scope => onChange(scope === 'all' ? undefined : [])}
        options={[
          ['all', t('everybody')],
          ['some', t('someDepartments')],
        ]}
      />
      {values && (
        <div className="field">
          <div className="card">
            <CheckTree
              label={t('departments')}
              departments={departments}
              chosen={new Set(values)}
              search=""
              onChange={chosen => onChange([...chosen])}
            />
          </div>
          {error && (
            <p className="error-line" role="alert">
              {error}
            </p>
          )}
        </div>
      )}
    </>
  )
}

/** Whether the server may have already calculated some of the days. A change of other days needs no preview. */
const isCalculated = (formats: Formats, days: readonly { from: string }[]) =>
  days.some(({ from }) => from <= addDays(formats.today(), 1))

/** Changes holidays. Previews the effect on calculated days, and follows the recalculation. */
export const useHolidayChange = (onDone: () => void) => {
  const formats = useFormats()
  const owner = useTaskOwner()
  const [asked, setAsked] = useState<{ task?: string; run: () => Promise<void> }>()
  const run = async (change: () => Promise<{ task?: string | undefined }>, text: (answer: object) => string) => {
    const answer = await change()
    if (answer.task) followTask(owner, { id: answer.task })
    say(text(answer))
    refresh(['holiday/', 'task/'])
    onDone()
  }
  return {
    asked,
    close: () => setAsked(undefined),
    async make<A extends { task?: string | undefined }>(
      days: readonly { from: string }[],
      preview: PathCall<'holiday/preview'>,
      change: () => Promise<A>,
      text: (answer: A) => string,
    ) {
      const runChange = () => run(change, answer => text(answer as A))
      if (!isCalculated(formats, days)) return runChange()
      setAsked({ ...(await write('holiday/preview', preview)), run: runChange })
    },
  }
}

/** Shows the preview of a change and asks for confirmation. */
export function HolidayQuestion(props: { change: ReturnType<typeof useHolidayChange>; title: string; yes: string }) {
  const { asked, close } = props.change
  if (!asked) return null
  return <PreviewAsk title={props.title} task={asked.task} yes={props.yes} onYes={asked.run} onNo={close} />
}

/** Maps the error fields of a preview, such as `holidays.0.name`, to the fields of the form. */
const rethrowForForm = (error: unknown): never => {
  if (!isFault(error)) throw error
  const fields = Object.entries(error.fields).map(([name, code]) => [name.replace(/^holidays\.0\.|\.\d+$/g, ''), code])
  throw Object.assign(error, { fields: Object.fromEntries(fields) })
}

interface Shape {
  shape: 'whole' | 'half' | 'hours'
  part: { from: string; to: string }
}
const shapeOf = (part: HolidayPart): Shape =>
  part === undefined || part === 'half'
    ? { shape: part ?? 'whole', part: { from: '', to: '' } }
    : { shape: 'hours', part: { from: part.from ?? '', to: part.to ?? '' } }

const partOf = ({ shape, part: { from, to } }: Shape): HolidayPart => {
  if (shape !== 'hours') return shape === 'half' ? shape : undefined
  return { ...(from && { from }), ...(to && { to }) }
}

/** The free part of a holiday of one day. */
function PartFields({ form }: { form: Pick<ReturnType<typeof useForm<Shape>>, 'values' | 'set' | 'error'> }) {
  const { t } = useTranslation('holiday')
  const { shape, part } = form.values
  const isWrong = form.error('part') || form.error('part.from') || form.error('part.to')
  return (
    <>
      <SegmentField
        label={t('part.label')}
        value={shape}
        onText={shape => form.set({ shape: shape as Shape['shape'], part })}
        options={[
          ['whole', t('part.whole')],
          ['half', t('part.halfDay')],
          ['hours', t('part.hours')],
        ]}
      />
      {shape === 'half' && <p className="muted small">{t('part.halfHint')}</p>}
      {shape === 'hours' && (
        <div className="pair">
          <TimeField
            mayEmpty
            label={t('part.fromLabel')}
            value={part.from}
            onText={from => form.set({ part: { ...part, from } })}
          />
          <TimeField
            mayEmpty
            label={t('part.toLabel')}
            value={part.to}
            hint={t('part.hint')}
            onText={to => form.set({ part: { ...part, to } })}
            {...(isWrong && { error: t('wrong.part') })}
          />
        </div>
      )}
    </>
  )
}

export function HolidayForm(props: {
  holiday: Holiday | undefined
  departments: readonly DepartmentChoice[]
  onClose: () => void
}) {
  const { t } = useTranslation(['holiday', 'shell'])
  const formats = useFormats()
  const complain = useComplaint()
  const { departments, onClose } = props
  const saving = useHolidayChange(onClose)
  const deleting = useHolidayChange(onClose)
  const [isDeleting, setDeleting] = useState(false)
  const initial = {
    name: props.holiday?.name ?? '',
    from: props.holiday?.from ?? '',
    to: props.holiday?.to ?? '',
    departments: props.holiday?.departments as readonly string[] | undefined,
    ...shapeOf(props.holiday?.part),
  }
  const form = useForm(initial, props.holiday)
  const holiday = form.from
  const { name, from, to, departments: freed } = form.values
  const part = to === '' || to === from ? partOf(form.values) : undefined
  const values = { name, from, to: to || from, ...(freed && { departments: [...freed] }), ...(part && { part }) }
  const save = () => {
    if (holiday && !form.isChanged) return onClose()
    return form.submit(
      () =>
        saving
          .make(
            holiday ? [holiday, values] : [values],
            { ...(holiday && { id: holiday.id }), holidays: [values] },
            () =>
              holiday
                ? write('holiday/update', { id: holiday.id, version: holiday.version, ...values })
                : write('holiday/add', values),
            () => t('shell:saved'),
          )
          .catch(rethrowForForm),
      { required: ['name', 'from'], wrong: { departments: freed?.length === 0 && 60001 } },
    )
  }
  const remove = async () => {
    if (!holiday) return
    const { id } = holiday
    await deleting.make(
      [holiday],
      { id },
      () => write('holiday/delete', { id }),
      () => t('deleted', { name: holiday.name }),
    )
    setDeleting(false)
  }
  const hasCalculatedDays = holiday !== undefined && isCalculated(formats, [holiday])
  return (
    <FormPanel
      title={holiday ? holiday.name : t('add')}
      form={form}
      save={t('shell:save')}
      onSave={save}
      onClose={onClose}
      extra={
        holiday && (
          <Button
            look="danger-quiet"
            onClick={() => (hasCalculatedDays ? remove().catch(complain) : setDeleting(true))}
          >
            {t('shell:delete')}
          </Button>
        )
      }
    >
      <TextField label={t('name')} maxLength={100} {...form.text('name')} />
      <div className="pair">
        <DayField
          label={t('shell:from')}
          value={from}
          error={form.error('from')}
          onText={day => form.set({ from: day, ...((to === '' || to < day || to === from) && { to: day }) })}
        />
        <DayField
          label={t('shell:to')}
          value={to}
          error={form.codeOf('to') === 10002 ? t('wrong.to') : form.error('to')}
          onText={day => form.set({ to: day })}
          {...(from && { least: from })}
        />
      </div>
      {(to === '' || to === from) && <PartFields form={form} />}
      <FreedField
        departments={departments}
        values={freed}
        onChange={departments => form.set({ departments })}
        error={form.error('departments')}
      />
      <HolidayQuestion change={saving} title={t('change.title', { name })} yes={t('shell:save')} />
      {holiday && (
        <HolidayQuestion change={deleting} title={t('delete.title', { name: holiday.name })} yes={t('shell:delete')} />
      )}
      {holiday && isDeleting && (
        <Ask
          title={t('delete.title', { name: holiday.name })}
          yes={t('shell:delete')}
          no={t('shell:cancel')}
          danger
          onYes={remove}
          onNo={() => setDeleting(false)}
        >
          {t('delete.text')}
        </Ask>
      )}
    </FormPanel>
  )
}

export type Holiday = RowOf<'holiday/grid'>
