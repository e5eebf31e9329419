import { Plus, Trash2 } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { type PathOutput, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { SelectField, TextField } from '../../parts/field/field.tsx'
import { useForm } from '../../parts/field/form.tsx'
import { SettingsForm, SettingsGroup, SettingsWaiting } from '../../parts/field/settings.tsx'
import { Trouble } from '../../parts/page.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh, useRead } from '../../read.ts'
import { daysOf, isHalfDays } from './days.ts'
import '../leave.css'

// How much leave people have of which type: a rule for each type, and another beside it from the year it changes in.

type Params = PathOutput<'leave/params'>
type Rule = Params['rules'][number]
type RuleFields = Record<keyof Rule, string> & { key: string }

const mostDays = 366
const [firstYear, lastYear] = [2000, 2100]

let keys = 0
const fieldsOf = ({ leaveType, since, days, mostCarriedDays, excess }: Rule, write: (days: number) => string) => ({
  key: String(++keys),
  leaveType: String(leaveType),
  since: String(since),
  days: write(days),
  mostCarriedDays: write(mostCarriedDays),
  excess,
})

const isYear = (text: string) => /^\d{4}$/.test(text.trim()) && Number(text) >= firstYear && Number(text) <= lastYear
const isDays = (text: string) => isHalfDays(text) && daysOf(text) >= 0 && daysOf(text) <= mostDays

export function LeaveParams() {
  const { data, error, readAgain } = useRead('leave/params', {})
  if (data) return <LeaveForm params={data} readAgain={readAgain} />
  return error ? <Trouble error={error} onRetry={() => readAgain()} /> : <SettingsWaiting groups={1} />
}

function LeaveForm({ params, readAgain }: { params: Params; readAgain: () => Promise<Params | undefined> }) {
  const { t } = useTranslation(['leave', 'shell'])
  const formats = useFormats()
  const valuesOf = ({ rules, version }: Params): { version: number; rules: RuleFields[] } => ({
    version,
    rules: rules.map(rule => fieldsOf(rule, formats.number)),
  })
  const form = useForm(valuesOf(params))
  const { values, set, isChanged, restart, error } = form
  const { rules } = values
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was read anew is shown where nothing is being edited.
  useEffect(() => {
    if (!isChanged) restart(valuesOf(params))
  }, [params])

  const nameOf = (id: string) => t(`type.${Number(id) as 1}`)
  const change = (key: string, fields: Partial<RuleFields>) =>
    set({ rules: rules.map(rule => (rule.key === key ? { ...rule, ...fields } : rule)) })
  /** The first type without a rule, or the last one's again from the year after it. */
  const add = () => {
    const free = params.types.find(({ id, isOn }) => isOn && !rules.some(rule => rule.leaveType === String(id)))
    const last = rules.at(-1)
    const year = Number(formats.today().slice(0, 4))
    const rule: RuleFields =
      free || !last
        ? fieldsOf(
            { leaveType: free?.id ?? 1, since: year, days: 20, mostCarriedDays: 5, excess: 'refuse' },
            formats.number,
          )
        : {
            ...last,
            key: String(++keys),
            since: isYear(last.since) ? String(Number(last.since) + 1) : String(year + 1),
          }
    set({ rules: [...rules, rule] })
  }
  const wrong = Object.fromEntries(
    rules.flatMap(({ since, days, mostCarriedDays }, i) => [
      [`rules.${i}.since`, !isYear(since) && 10002],
      [`rules.${i}.days`, !isDays(days) && 10002],
      [`rules.${i}.mostCarriedDays`, !isDays(mostCarriedDays) && 10002],
    ]),
  )
  const save = () =>
    form.submit(
      async () => {
        await write('leave/params/update', {
          version: values.version,
          rules: rules.map(({ leaveType, since, days, mostCarriedDays, excess }) => ({
            leaveType: Number(leaveType),
            since: Number(since),
            days: daysOf(days),
            mostCarriedDays: daysOf(mostCarriedDays),
            excess: excess as Rule['excess'],
          })),
        })
        const fresh = await readAgain()
        if (fresh) restart(valuesOf(fresh))
        refresh(['leave/', 'company/'])
        say(t('shell:saved'))
      },
      { wrong },
    )
  const sinceError = (i: number) =>
    error(`rules.${i}.since`) && t(isYear(rules[i]?.since ?? '') ? 'params.twice' : 'params.wrongYear')

  return (
    <SettingsForm form={form} onSave={save} onDiscard={() => restart(valuesOf(params))}>
      <SettingsGroup
        title={t('params.title')}
        text={
          <>
            {t('params.text')}
            <br />
            <br />
            {t('params.hire')}
          </>
        }
      >
        {rules.length === 0 && <p className="muted">{t('params.none')}</p>}
        {rules.length > 0 && (
          <ul className="leave-rules">
            {rules.map(({ key, leaveType, since, days, mostCarriedDays, excess }, i) => (
              <li key={key}>
                <SelectField
                  className="leave-rule-type"
                  label={t('params.type')}
                  value={leaveType}
                  onText={value => change(key, { leaveType: value })}
                  options={params.types
                    .filter(({ id, isOn }) => isOn || String(id) === leaveType)
                    .map(({ id }) => [String(id), nameOf(String(id))] as const)}
                />
                <TextField
                  label={t('params.since')}
                  inputMode="numeric"
                  maxLength={4}
                  value={since}
                  onText={value => change(key, { since: value })}
                  error={sinceError(i)}
                />
                <TextField
                  label={t('params.days')}
                  maxLength={5}
                  value={days}
                  onText={value => change(key, { days: value })}
                  error={error(`rules.${i}.days`) && t('params.wrongDays')}
                />
                <TextField
                  label={t('params.carried')}
                  maxLength={5}
                  value={mostCarriedDays}
                  onText={value => change(key, { mostCarriedDays: value })}
                  error={error(`rules.${i}.mostCarriedDays`) && t('params.wrongDays')}
                />
                <SelectField
                  className="leave-rule-excess"
                  label={t('params.excess')}
                  value={excess}
                  onText={value => change(key, { excess: value })}
                  options={[
                    ['refuse', t('params.refuse')],
                    ['warn', t('params.warn')],
                  ]}
                />
                <Button
                  look="quiet"
                  square
                  aria-label={t('params.removeOf', {
                    rule: t('params.rule', { type: nameOf(leaveType), year: since }),
                  })}
                  icon={<Trash2 className="icon" />}
                  onClick={() => set({ rules: rules.filter(rule => rule.key !== key) })}
                />
              </li>
            ))}
          </ul>
        )}
        <div>
          <Button icon={<Plus className="icon" />} onClick={add}>
            {t('params.add')}
          </Button>
        </div>
      </SettingsGroup>
    </SettingsForm>
  )
}
