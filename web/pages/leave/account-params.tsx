import { useTranslation } from 'react-i18next'
import { type PathOutput, write } from '../../api.ts'
import { SelectField, TextField } from '../../parts/field/field.tsx'
import { useForm, useFreshForm } from '../../parts/field/form.tsx'
import { readSignedHours, signedHoursText } from '../../parts/field/read-hours.ts'
import { SettingsForm, SettingsGroup, SettingsWaiting, useSharedVersion } from '../../parts/field/settings.tsx'
import { Trouble } from '../../parts/page.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh, useRead } from '../../read.ts'

// The rule for all time accounts: what is cut at the end of a month, and when a balance warns.

type Params = PathOutput<'leave/account/params'>

const cuts = ['lost', 'paid'] as const
const textOf = (minutes: number | undefined) => (minutes === undefined ? '' : signedHoursText(minutes))
const valuesOf = ({ most, least, cut }: Params) => ({ most: textOf(most), least: textOf(least), cut })
const minutesOf = (text: string) => (text.trim() === '' ? undefined : readSignedHours(text))

export function AccountParams() {
  const { data, error, readAgain } = useRead('leave/account/params', {})
  if (data) return <AccountForm params={data} readAgain={readAgain} />
  return error ? <Trouble error={error} onRetry={() => readAgain()} /> : <SettingsWaiting groups={1} />
}

function AccountForm({ params, readAgain }: { params: Params; readAgain: () => Promise<Params | undefined> }) {
  const { t } = useTranslation(['time-account', 'shell'])
  const versions = useSharedVersion()
  const form = useForm(valuesOf(params), params)
  const { values, set, isChanged, restart } = form
  useFreshForm(params, isChanged, () => restart(valuesOf(params), params))
  const [most, least] = [minutesOf(values.most), minutesOf(values.least)]
  const save = () =>
    form.submit(
      async () => {
        const version = versions.latest(form.from.version)
        await write('leave/account/params/update', {
          ...{ version, cut: values.cut },
          ...(most !== undefined && { most }),
          ...(least !== undefined && { least }),
        })
        versions.saved(version)
        const saved = await readAgain()
        if (saved) restart(valuesOf(saved), saved)
        say(t('shell:saved'))
        refresh(['leave/account', 'company/'])
      },
      {
        wrong: {
          most: most !== undefined && !(most >= 0) && 10002,
          least: least !== undefined && Number.isNaN(least) && 10002,
        },
      },
    )
  return (
    <SettingsForm form={form} onSave={save} onDiscard={() => restart(valuesOf(params), params)}>
      <SettingsGroup title={t('title')} text={t('params.text')}>
        <TextField
          label={t('params.most')}
          hint={t('params.mostHint')}
          optional
          maxLength={8}
          {...form.text('most')}
          error={form.error('most') && t('hoursWrong')}
        />
        <SelectField
          label={t('params.cut')}
          value={values.cut}
          onText={cut => set({ cut: cuts.find(name => name === cut) ?? 'lost' })}
          options={cuts.map(cut => [cut, t(`params.${cut}`)] as const)}
        />
        <TextField
          label={t('params.least')}
          hint={t('params.leastHint')}
          optional
          maxLength={8}
          {...form.text('least')}
          error={form.error('least') && t('hoursWrong')}
        />
      </SettingsGroup>
    </SettingsForm>
  )
}
