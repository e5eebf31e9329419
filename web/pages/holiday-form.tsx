import { useTranslation } from 'react-i18next'
import { mostHolidayDays } from '../../shared/holiday.ts'
import { addDays } from '../../shared/local-day.ts'
import { write } from '../api.ts'
import { DayField } from '../parts/day-field.tsx'
import { DeleteQuestion } from '../parts/delete-question.tsx'
import type { DepartmentChoice } from '../parts/departments.ts'
import { DepartmentsField } from '../parts/departments-field.tsx'
import { TextField } from '../parts/field.tsx'
import { useForm } from '../parts/form.tsx'
import { FormPanel } from '../parts/panel.tsx'
import { SegmentField } from '../parts/segment-field.tsx'
import { say } from '../parts/toast.tsx'
import { refresh } from '../read.ts'
import type { Holiday } from './holiday.tsx'

/** Whom a holiday frees: everybody, or some departments with all below them. */
export function FreedField(props: {
  departments: readonly DepartmentChoice[]
  /** Undefined: everybody. */
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
        onText={who => onChange(who === 'all' ? undefined : [])}
        options={[
          ['all', t('everybody')],
          ['some', t('someDepartments')],
        ]}
      />
      {values && (
        <DepartmentsField
          label={t('departments')}
          hint={t('departmentsHint')}
          departments={departments}
          without=""
          values={values}
          onChange={onChange}
          most={200}
          error={error}
        />
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
  const { holiday, departments, onClose } = props
  const form = useForm({
    name: holiday?.name ?? '',
    from: holiday?.from ?? '',
    to: holiday?.to ?? '',
    departments: holiday?.departments,
  })
  const { name, from, to, departments: freed } = form.values
  const done = (text: string) => {
    say(text)
    refresh(['holiday/'])
    onClose()
  }
  const save = () =>
    form.submit(
      async () => {
        const values = { name, from, to: to || from, ...(freed && { departments: freed }) }
        if (holiday) await write('holiday/update', { id: holiday.id, version: holiday.version, ...values })
        else await write('holiday/add', values)
        done(t('shell:saved'))
      },
      { required: ['name', 'from'], wrong: { departments: freed?.length === 0 && 60001 } },
    )
  const remove = async () => {
    if (!holiday) return
    await write('holiday/delete', { id: holiday.id })
    done(t('deleted', { name: holiday.name }))
  }
  return (
    <FormPanel
      title={holiday ? holiday.name : t('add')}
      form={form}
      save={t('shell:save')}
      onSave={save}
      onClose={onClose}
      extra={
        holiday && (
          <DeleteQuestion title={t('delete.title', { name: holiday.name })} text={t('delete.text')} onDelete={remove} />
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
          error={form.error('to')}
          onText={day => form.set({ to: day })}
          {...(from && { least: from, most: addDays(from, mostHolidayDays - 1) })}
        />
      </div>
      <FreedField
        departments={departments}
        values={freed}
        onChange={departments => form.set({ departments })}
        error={form.error('departments')}
      />
    </FormPanel>
  )
}
