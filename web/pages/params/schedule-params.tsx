import { useTranslation } from 'react-i18next'
import { type PathOutput, write } from '../../api.ts'
import { SwitchField } from '../../parts/field/field.tsx'
import { useForm, useFreshForm } from '../../parts/field/form.tsx'
import { SettingsForm, SettingsGroup, SettingsWaiting } from '../../parts/field/settings.tsx'
import { Trouble } from '../../parts/page.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh, useRead } from '../../read.ts'

// The setting for drafts of the planning board. It changes no figures, so this form saves separately and without a
// preview.

type Params = PathOutput<'company/schedule'>

const valuesOf = ({ draftsSchedule }: Params) => ({ draftsSchedule })

export function ScheduleParams() {
  const { data, error, readAgain } = useRead('company/schedule', {})
  if (data) return <ParamsForm params={data} readAgain={readAgain} />
  return error ? <Trouble error={error} onRetry={() => readAgain()} /> : <SettingsWaiting groups={1} />
}

function ParamsForm({ params, readAgain }: { params: Params; readAgain: () => Promise<Params | undefined> }) {
  const { t } = useTranslation(['params', 'shell'])
  const form = useForm(valuesOf(params), params)
  const { values, set, isChanged, restart } = form
  useFreshForm(params, isChanged, () => restart(valuesOf(params), params))
  const save = () =>
    form.submit(async () => {
      await write('company/schedule/update', { version: form.from.version, ...values })
      const fresh = await readAgain()
      if (fresh) restart(valuesOf(fresh), fresh)
      refresh(['company/', 'attparams/', 'schedule/'])
      say(t('shell:saved'))
    })
  return (
    <SettingsForm form={form} onSave={() => void save()} onDiscard={() => restart(valuesOf(params), params)}>
      <SettingsGroup title={t('schedule.title')} text={t('schedule.text')}>
        <SwitchField
          label={t('schedule.drafts')}
          hint={t('schedule.hint')}
          checked={values.draftsSchedule}
          onCheck={draftsSchedule => set({ draftsSchedule })}
        />
      </SettingsGroup>
    </SettingsForm>
  )
}
