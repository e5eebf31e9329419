import { useTranslation } from 'react-i18next'
import { type PathCall, type PathOutput, write } from '../../api.ts'
import { CheckField, SwitchField } from '../../parts/field/field.tsx'
import { useForm, useFreshForm } from '../../parts/field/form.tsx'
import { SettingsForm, SettingsGroup, SettingsWaiting, useSharedVersion } from '../../parts/field/settings.tsx'
import { Trouble } from '../../parts/page.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh, useRead } from '../../read.ts'
import './types.css'

// The leave types that employees can request, and whether they are paid.

type Company = PathOutput<'company/get'>

export function LeaveTypes() {
  const { data, error, readAgain } = useRead('company/get', {})
  if (data) return <TypesForm company={data} readAgain={readAgain} />
  return error ? <Trouble error={error} onRetry={() => readAgain()} /> : <SettingsWaiting groups={1} />
}

const valuesOf = ({ leaveTypes }: Company) => ({ types: leaveTypes })
type LeaveType = Company['leaveTypes'][number]

/** The company's other times and formats, which the path saves together with the leave types. */
const timesOf = ({ timezone, dateformat_id, timeformat_id, nameformat_id, ...company }: Company) => {
  const { firstWeekday, splitTime, payPeriod } = company
  const times = { timezone, dateformat_id, timeformat_id, nameformat_id, firstWeekday, splitTime, payPeriod }
  // The server stores only the numbers that it accepts.
  return times as Pick<PathCall<'company/time/update'>, keyof typeof times>
}

function TypesForm({ company, readAgain }: { company: Company; readAgain: () => Promise<Company | undefined> }) {
  const { t } = useTranslation(['company', 'leave', 'shell'])
  const versions = useSharedVersion()
  const form = useForm(valuesOf(company), company)
  const { values, set, isChanged, restart } = form
  const begin = (fresh: Company) => restart(valuesOf(fresh), fresh)
  useFreshForm(company, isChanged, () => begin(company))
  const save = () =>
    form.submit(async () => {
      const version = versions.latest(form.from.version)
      const changed = values.types.filter((type, i) => {
        const before = form.from.leaveTypes[i]
        return (
          before?.isOn !== type.isOn ||
          before.isPaid !== type.isPaid ||
          (before.fromAccount ?? false) !== (type.fromAccount ?? false)
        )
      })
      const leaveTypes = changed.map(({ id, isOn, isPaid, fromAccount }) => ({
        ...{ id, isOn, isPaid },
        ...(fromAccount && { fromAccount }),
      }))
      await write('company/time/update', { ...timesOf(form.from), version, leaveTypes })
      versions.saved(version)
      const fresh = await readAgain()
      if (fresh) begin(fresh)
      refresh(['company/', 'leave/', 'approve/params'])
      say(t('shell:saved'))
    })
  const setType = (id: number, change: Partial<LeaveType>) =>
    set({ types: values.types.map(type => (type.id === id ? { ...type, ...change } : type)) })
  return (
    <SettingsForm form={form} onSave={save} onDiscard={() => begin(company)}>
      <SettingsGroup title={t('leave.title')} text={t('leave.text')}>
        <ul className="leave-types">
          {values.types.map(({ id, name, isOn, isPaid, fromAccount = false }) => {
            const label = t(`leave:type.${id as 1}`, { defaultValue: name })
            return (
              <li key={id}>
                <SwitchField label={label} checked={isOn} onCheck={isOn => setType(id, { isOn })} />
                {isOn && (
                  <CheckField checked={isPaid} onCheck={isPaid => setType(id, { isPaid })}>
                    {t('leave.paid')}
                    <span className="unseen"> · {label}</span>
                  </CheckField>
                )}
                {isOn && (
                  <CheckField checked={fromAccount} onCheck={fromAccount => setType(id, { fromAccount })}>
                    {t('leave.fromAccount')}
                    <span className="unseen"> · {label}</span>
                  </CheckField>
                )}
              </li>
            )
          })}
        </ul>
      </SettingsGroup>
    </SettingsForm>
  )
}
