import { useTranslation } from 'react-i18next'
import { type PathOutput, write } from '../../api.ts'
import { SwitchField } from '../../parts/field/field.tsx'
import { useForm, useFreshForm } from '../../parts/field/form.tsx'
import { SettingsForm, SettingsGroup, SettingsWaiting, useSharedVersion } from '../../parts/field/settings.tsx'
import { Trouble } from '../../parts/page.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh, useRead } from '../../read.ts'

type Params = PathOutput<'approve/params'>

const types = [1, 2, 3] as const

/** The types of requests that need two approvals. */
export function ApproveParams() {
  const { data, error, readAgain } = useRead('approve/params', {})
  if (data) return <ApproveForm params={data} readAgain={readAgain} />
  return error ? <Trouble error={error} onRetry={() => readAgain()} /> : <SettingsWaiting groups={1} />
}

function ApproveForm({ params, readAgain }: { params: Params; readAgain: () => Promise<Params | undefined> }) {
  const { t } = useTranslation(['approve', 'shell'])
  const versions = useSharedVersion()
  const form = useForm(params)
  const { values, set, isChanged, restart } = form
  useFreshForm(params, isChanged, () => restart(params))
  const save = () =>
    form.submit(async () => {
      const version = versions.latest(values.version)
      await write('approve/params/update', { ...values, version })
      versions.saved(version)
      const saved = await readAgain()
      if (saved) restart(saved)
      say(t('shell:saved'))
      refresh(['approve/', 'company/', 'leave/params'])
    })
  return (
    <SettingsForm form={form} onSave={save} onDiscard={() => restart(params)}>
      <SettingsGroup title={t('params.title')} text={t('params.text')}>
        {types.map(type => (
          <SwitchField
            key={type}
            label={t(`type.${type}`)}
            checked={values.secondStep.includes(type)}
            onCheck={isOn =>
              set({ secondStep: types.filter(id => (id === type ? isOn : values.secondStep.includes(id))) })
            }
          />
        ))}
      </SettingsGroup>
    </SettingsForm>
  )
}
