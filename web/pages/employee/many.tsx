import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../../shared/permissions.ts'
import { punchModes } from '../../../shared/terminal/punch-mode.ts'
import { DayField } from '../../parts/field/day-field.tsx'
import { DepartmentField } from '../../parts/field/department-field.tsx'
import { CheckField, SelectField } from '../../parts/field/field.tsx'
import { useForm } from '../../parts/field/form.tsx'
import { type DepartmentChoice, firstDepartment } from '../../parts/list/departments.ts'
import { FormPanel } from '../../parts/list/panel.tsx'
import { readRole, useRoles } from '../../parts/roles.ts'
import { Bar } from '../../parts/say/progress.tsx'
import { refresh } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import type { Employee } from './form.ts'
import { ManyReview } from './many-review.tsx'
import { type Change, type Outcome, useManyRun } from './many-run.ts'
import './many.css'

const fields = ['department', 'role', 'hireDay', 'endDay', 'punchMode'] as const
type Ticks = Record<(typeof fields)[number], boolean>
const noTicks = Object.fromEntries(fields.map(field => [field, false])) as Ticks

interface Props {
  people: readonly Employee[]
  departments: readonly DepartmentChoice[]
  onClose: (isDone: boolean) => void
}

/** Changes the same fields of many people: first the form, then a check with counts, then the result of each person. */
export default function ManyPanel({ people: chosen, departments, onClose }: Props) {
  // The panel keeps its people even if the selection behind it changes.
  const [people] = useState(chosen)
  const run = useManyRun(people.map(({ id }) => id))
  const [change, setChange] = useState<Change>()
  const [checked, setChecked] = useState<readonly Outcome[]>()
  const form = useForm({
    ticks: noTicks,
    department: firstDepartment(departments),
    role: String(roles.employee),
    hireDay: '',
    endDay: '',
    punchMode: '0',
  })
  const checkChange = (next: Change) =>
    form.submit(async () => {
      setChange(next)
      setChecked(await run.go({ change: next, dryRun: true, removesDays: [] }))
    })
  if (checked && change)
    return (
      <ManyReview
        {...{ people, change, checked, onClose }}
        onBack={() => setChecked(undefined)}
        onSaved={() => refresh(['employee/', 'department/', 'role/'])}
      />
    )
  return (
    <ManyForm
      {...{ people, departments, form }}
      progress={run.isRunning ? run.outcomes.length : undefined}
      onCheck={checkChange}
      onClose={() => onClose(false)}
    />
  )
}

type Values = { ticks: Ticks } & Record<keyof Ticks, string>

/** The change that the ticked fields describe. An empty date removes the date. */
const changeOf = ({ ticks, ...values }: Values): Change => ({
  ...(ticks.department && { department: values.department }),
  ...(ticks.role && readRole(values.role)),
  ...(ticks.hireDay && { hireDay: values.hireDay || null }),
  ...(ticks.endDay && { endDay: values.endDay || null }),
  ...(ticks.punchMode && { punchMode: Number(values.punchMode) }),
})

function ManyForm(props: {
  people: readonly Employee[]
  departments: readonly DepartmentChoice[]
  form: ReturnType<typeof useForm<Values>>
  /** The number of checked people during the check. */
  progress: number | undefined
  onCheck: (change: Change) => void
  onClose: () => void
}) {
  const { t } = useTranslation(['employee', 'shell'])
  const { people, form, progress } = props
  const { values, set } = form
  const roleNames = useRoles()
  const isAdministrator = usePerson().role === roles.administrator
  const errorOf = (field: string) => form.error(`change.${field}`)
  const inputs = {
    department: (
      <DepartmentField
        label={t('many.new.department')}
        departments={props.departments}
        value={values.department}
        error={errorOf('department')}
        onText={department => set({ department })}
      />
    ),
    role: (
      <SelectField
        label={t('many.new.role')}
        options={roleNames.plain}
        groups={roleNames.groups}
        value={values.role}
        error={errorOf('role') ?? errorOf('roleId')}
        onText={role => set({ role })}
      />
    ),
    hireDay: (
      <DayField label={t('many.new.hireDay')} optional value={values.hireDay} onText={hireDay => set({ hireDay })} />
    ),
    endDay: <DayField label={t('many.new.endDay')} optional value={values.endDay} onText={endDay => set({ endDay })} />,
    punchMode: (
      <SelectField
        label={t('many.new.punchMode')}
        options={punchModes.map(({ name }, mode) => [String(mode), t(`attendance.modes.${name}`)] as const)}
        value={values.punchMode}
        onText={punchMode => set({ punchMode })}
      />
    ),
  }
  const hasTick = Object.values(values.ticks).some(Boolean)
  return (
    <FormPanel
      title={t('many.title', { count: people.length })}
      form={form}
      save={t('many.check')}
      onSave={() => (hasTick ? props.onCheck(changeOf(values)) : form.blame({ ticks: 60001 }))}
      onClose={props.onClose}
    >
      <p className="muted small">{t('many.text')}</p>
      {fields
        .filter(field => field !== 'role' || isAdministrator)
        .map(field => (
          <div key={field} className={values.ticks[field] ? 'many-field is-ticked' : 'many-field'}>
            <CheckField
              checked={values.ticks[field]}
              onCheck={isTicked => set({ ticks: { ...values.ticks, [field]: isTicked } })}
            >
              {t(`many.field.${field}`)}
            </CheckField>
            {values.ticks[field] && inputs[field]}
            {values.ticks[field] && (field === 'hireDay' || field === 'endDay') && values[field] === '' && (
              <p className="muted small">{t(`many.removes.${field}`)}</p>
            )}
          </div>
        ))}
      {form.codeOf('ticks') !== undefined && (
        <p className="error-line" role="alert">
          {t('many.nothing')}
        </p>
      )}
      {progress !== undefined && <Bar label={t('many.checking')} part={progress / people.length} />}
    </FormPanel>
  )
}
