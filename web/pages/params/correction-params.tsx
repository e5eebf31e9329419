import { useTranslation } from 'react-i18next'
import type {
  mostObjectionDays as MostObjectionDays,
  mostReachDays as MostReachDays,
} from '../../../shared/record/rule.ts'
import { type PathOutput, write } from '../../api.ts'
import { SelectField, TextField } from '../../parts/field/field.tsx'
import { useForm, useFreshForm } from '../../parts/field/form.tsx'
import { SettingsForm, SettingsGroup, SettingsWaiting } from '../../parts/field/settings.tsx'
import { Trouble } from '../../parts/page.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh, useRead } from '../../read.ts'
import { useSession } from '../../session.tsx'

// The company's rule for corrections of punches. It changes no figures, so this form saves separately and without a preview.

type Params = PathOutput<'company/correction'>

const rules = ['manager', 'objection', 'agreement', 'request'] as const satisfies Params['correctionRule'][]
// Copies of the server's values. The types keep them equal.
const mostObjectionDays: typeof MostObjectionDays = 30
const mostReachDays: typeof MostReachDays = 366

const valuesOf = ({ correctionRule, objectionDays, correctionReachDays }: Params) => ({
  correctionRule: correctionRule as string,
  objectionDays: String(objectionDays),
  correctionReachDays: correctionReachDays === undefined ? '' : String(correctionReachDays),
})

const isWithin = (text: string, least: number, most: number) =>
  /^\d{1,3}$/.test(text.trim()) && Number(text) >= least && Number(text) <= most

export function CorrectionParams() {
  const { data, error, readAgain } = useRead('company/correction', {})
  if (data) return <ParamsForm params={data} readAgain={readAgain} />
  return error ? <Trouble error={error} onRetry={() => readAgain()} /> : <SettingsWaiting groups={1} />
}

function ParamsForm({ params, readAgain }: { params: Params; readAgain: () => Promise<Params | undefined> }) {
  const { t } = useTranslation(['params', 'shell'])
  const { reload } = useSession()
  const form = useForm(valuesOf(params), params)
  const { values, set, isChanged, restart, error } = form
  useFreshForm(params, isChanged, () => restart(valuesOf(params), params))
  const rule = rules.find(name => name === values.correctionRule) ?? 'manager'
  const hasReach = values.correctionReachDays.trim() !== ''
  // The form sends the days under every rule, so that the other rules keep them. Only a visible field shows an error.
  const hasDays = isWithin(values.objectionDays, 1, mostObjectionDays)
  const wrong = {
    objectionDays: rule === 'objection' && !hasDays && 10002,
    correctionReachDays: hasReach && !isWithin(values.correctionReachDays, 0, mostReachDays) && 10002,
  }
  const save = () =>
    form.submit(
      async () => {
        await write('company/correction/update', {
          version: form.from.version,
          correctionRule: rule,
          objectionDays: hasDays ? Number(values.objectionDays) : form.from.objectionDays,
          ...(hasReach && { correctionReachDays: Number(values.correctionReachDays) }),
        })
        const fresh = await readAgain()
        if (fresh) restart(valuesOf(fresh), fresh)
        refresh(['company/', 'attparams/', 'report/'])
        reload()
        say(t('shell:saved'))
      },
      { wrong },
    )
  return (
    <SettingsForm form={form} onSave={() => void save()} onDiscard={() => restart(valuesOf(params), params)}>
      <SettingsGroup title={t('correction.title')} text={t('correction.text')}>
        <SelectField
          label={t('correction.rule')}
          hint={t(`correction.hint.${rule}`)}
          value={rule}
          onText={correctionRule => set({ correctionRule })}
          options={rules.map(name => [name, t(`correction.option.${name}`)] as const)}
        />
        {rule === 'objection' && (
          <TextField
            className="count"
            label={t('correction.objectionDays')}
            inputMode="numeric"
            maxLength={2}
            suffix={t('correction.days')}
            {...form.text('objectionDays')}
            error={error('objectionDays') && t('correction.wrong', { least: 1, most: mostObjectionDays })}
          />
        )}
        {rule !== 'request' && (
          <>
            <hr />
            <TextField
              className="count"
              label={t('correction.reach')}
              hint={t('correction.reachHint')}
              optional
              inputMode="numeric"
              maxLength={3}
              suffix={t('correction.days')}
              {...form.text('correctionReachDays')}
              error={error('correctionReachDays') && t('correction.wrong', { least: 0, most: mostReachDays })}
            />
          </>
        )}
      </SettingsGroup>
    </SettingsForm>
  )
}
