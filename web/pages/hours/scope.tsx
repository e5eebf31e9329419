import { useTranslation } from 'react-i18next'
import { mostNamingDepartments } from '../../../shared/hours.ts'
import { addMonths } from '../../../shared/local-day.ts'
import { mostRuleMonths } from '../../../shared/rule.ts'
import { useFormats } from '../../format.ts'
import { DayField } from '../../parts/field/day-field.tsx'
import { DepartmentsField } from '../../parts/field/departments-field.tsx'
import { SwitchField, TextField } from '../../parts/field/field.tsx'
import { SegmentField } from '../../parts/field/segment-field.tsx'
import { useDepartments } from '../../parts/list/departments.ts'
import { useRead } from '../../read.ts'
import type { HourForm } from './hour-form.ts'

/** Names the company set that this set replaces. */
function ReplacedSet({ id }: { id: string | undefined }) {
  const { t } = useTranslation('hours')
  const { data } = useRead('attparams/hours/grid', {})
  const replaced = data?.list.find(other => other.isCompanySet && other.id !== id)
  return replaced ? <p className="notice warn">{t('scope.replaces', { name: replaced.name })}</p> : null
}

/** The name of a set, the people it applies to, and the day from which it applies. */
export function Scope({
  form,
  effective,
  id,
  since,
}: Pick<HourForm, 'form' | 'effective'> & { id: string | undefined; since: string | undefined }) {
  const { t } = useTranslation('hours')
  const formats = useFormats()
  const { all = [] } = useDepartments()
  const { values, set } = form
  return (
    <section className="card hours-scope" aria-label={t('scope.title')}>
      <h2>{t('scope.title')}</h2>
      <TextField label={t('scope.name')} maxLength={100} {...form.text('name')} />
      <SwitchField
        label={t('scope.company')}
        hint={t('scope.companyHint')}
        checked={values.isCompanySet}
        onCheck={isCompanySet => set({ isCompanySet })}
      />
      {values.isCompanySet && <ReplacedSet id={id} />}
      <DepartmentsField
        label={t('scope.departments')}
        hint={t('scope.departmentsHint')}
        departments={all}
        without=""
        values={values.departments}
        onChange={departments => set({ departments })}
        most={mostNamingDepartments}
        error={form.error('departments')}
      />
      <SegmentField
        label={t('scope.dayOf')}
        value={values.dayOf}
        onText={dayOf => set({ dayOf: dayOf === 'clock' ? 'clock' : 'workDay' })}
        options={[
          ['workDay', t('scope.workDay')],
          ['clock', t('scope.clock')],
        ]}
      />
      <p className="hint muted small">{t(values.dayOf === 'clock' ? 'scope.clockHint' : 'scope.workDayHint')}</p>
      <div className="from-day">
        <DayField
          label={t('from.label')}
          value={effective}
          least={addMonths(formats.today(), -mostRuleMonths)}
          most={formats.today()}
          error={form.error('from')}
          onText={day => set({ from: day === formats.today() ? '' : day })}
        />
      </div>
      <p className="hint muted small">{t('from.text', { day: formats.day(effective) })}</p>
      {since && effective < since && <p className="notice warn">{t('from.replaces', { day: formats.day(since) })}</p>}
    </section>
  )
}
