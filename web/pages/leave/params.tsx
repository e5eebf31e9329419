import { Plus, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { type PathOutput, write } from '../../api.ts'
import { type Formats, useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { SelectField, SwitchField, TextField } from '../../parts/field/field.tsx'
import { useForm, useFreshForm } from '../../parts/field/form.tsx'
import { SettingsForm, SettingsGroup, SettingsWaiting, useSharedVersion } from '../../parts/field/settings.tsx'
import { Trouble } from '../../parts/page.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh, useRead } from '../../read.ts'
import { useSession } from '../../session.tsx'
import { daysOf, isHalfDays } from './days.ts'
import '../leave.css'

// Leave rules: one for each type, and one more for each year in which the rule of a type changes.

type Params = PathOutput<'leave/params'>
type Rule = Params['rules'][number]
type RuleFields = Record<Exclude<keyof Rule, 'proRatesLeavers'>, string> & { key: string; proRatesLeavers: boolean }

const mostDays = 366
const [firstYear, lastYear] = [2000, 2100]

let lastKey = 0
const fieldsOf = (
  { leaveType, since, days, mostCarriedDays, carriedUntil = '', excess, proRatesLeavers = false }: Rule,
  write: (days: number) => string,
): RuleFields => ({
  key: String(++lastKey),
  leaveType: String(leaveType),
  since: String(since),
  days: write(days),
  mostCarriedDays: write(mostCarriedDays),
  ...{ carriedUntil, excess, proRatesLeavers },
})

const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const monthEnd = (month: number) => `${String(month).padStart(2, '0')}-${monthDays[month - 1]}`
const months = monthDays.map((_, i) => i + 1)

const isYear = (text: string) => /^\d{4}$/.test(text.trim()) && Number(text) >= firstYear && Number(text) <= lastYear
const isDays = (text: string) => isHalfDays(text) && daysOf(text) >= 0 && daysOf(text) <= mostDays

/** A new rule for the first type without one. If every type has one, a copy of the last rule for the next year. */
const nextRule = (
  rules: readonly RuleFields[],
  { types }: Params,
  { today, number, leaveYearOf }: Formats,
): RuleFields => {
  const freeType = types.find(({ id, isOn }) => isOn && !rules.some(rule => rule.leaveType === String(id)))
  const last = rules.at(-1)
  const year = leaveYearOf(today())
  if (freeType || !last)
    return fieldsOf(
      {
        ...{ leaveType: freeType?.id ?? 1, since: year, days: 20, mostCarriedDays: 5 },
        ...{ excess: 'refuse', proRatesLeavers: true },
      },
      number,
    )
  return { ...last, key: String(++lastKey), since: String((isYear(last.since) ? Number(last.since) : year) + 1) }
}

const wrongIn = (rules: readonly RuleFields[]) =>
  Object.fromEntries(
    rules.flatMap(({ since, days, mostCarriedDays }, i) => [
      [`rules.${i}.since`, !isYear(since) && 10002],
      [`rules.${i}.days`, !isDays(days) && 10002],
      [`rules.${i}.mostCarriedDays`, !isDays(mostCarriedDays) && 10002],
    ]),
  )

const readRule = ({
  leaveType,
  since,
  days,
  mostCarriedDays,
  carriedUntil,
  excess,
  proRatesLeavers,
}: RuleFields): Rule => ({
  leaveType: Number(leaveType),
  since: Number(since),
  days: daysOf(days),
  mostCarriedDays: daysOf(mostCarriedDays),
  excess: excess as Rule['excess'],
  ...(carriedUntil && { carriedUntil }),
  ...(proRatesLeavers && { proRatesLeavers }),
})

export function LeaveParams() {
  const { data, error, readAgain } = useRead('leave/params', {})
  if (data) return <LeaveForm params={data} readAgain={readAgain} />
  return error ? <Trouble error={error} onRetry={() => readAgain()} /> : <SettingsWaiting groups={2} />
}

function LeaveForm({ params, readAgain }: { params: Params; readAgain: () => Promise<Params | undefined> }) {
  const { t } = useTranslation(['leave', 'shell'])
  const formats = useFormats()
  const versions = useSharedVersion()
  const { reload } = useSession()
  const valuesOf = ({ rules, version, yearStart, showsColleaguesAway }: Params) => ({
    ...{ version, showsColleaguesAway, yearStart: String(yearStart) },
    rules: rules.map(rule => fieldsOf(rule, formats.number)),
  })
  const form = useForm(valuesOf(params))
  const { values, set, isChanged, restart, error } = form
  const { rules, version, yearStart, showsColleaguesAway } = values
  useFreshForm(params, isChanged, () => restart(valuesOf(params)))

  const save = () =>
    form.submit(
      async () => {
        const current = versions.latest(version)
        await write('leave/params/update', {
          ...{ version: current, rules: rules.map(readRule), showsColleaguesAway },
          yearStart: Number(yearStart),
        })
        versions.saved(current)
        const fresh = await readAgain()
        if (fresh) restart(valuesOf(fresh))
        refresh(['leave/', 'company/', 'approve/params'])
        // The session holds the leave year, so reload it.
        reload()
        say(t('shell:saved'))
      },
      { wrong: wrongIn(rules) },
    )

  return (
    <SettingsForm form={form} onSave={save} onDiscard={() => restart(valuesOf(params))}>
      <SettingsGroup title={t('params.title')} text={<Explanation />}>
        <SelectField
          className="leave-year-start"
          label={t('params.yearStart')}
          hint={
            yearStart === '1' ? undefined : t('params.yearStartHint', { month: formats.monthOfYear(Number(yearStart)) })
          }
          value={yearStart}
          onText={yearStart => set({ yearStart })}
          options={months.map(month => [String(month), formats.monthOfYear(month)] as const)}
        />
        {rules.length === 0 && <p className="muted">{t('params.none')}</p>}
        {rules.length > 0 && (
          <ul className="leave-rules">
            {rules.map((rule, i) => (
              <RuleRow
                key={rule.key}
                rule={rule}
                types={params.types}
                isWrong={field => Boolean(error(`rules.${i}.${field}`))}
                onChange={fields =>
                  set({ rules: rules.map(current => (current === rule ? { ...current, ...fields } : current)) })
                }
                onRemove={() => set({ rules: rules.filter(current => current !== rule) })}
              />
            ))}
          </ul>
        )}
        <div>
          <Button
            icon={<Plus className="icon" />}
            onClick={() => set({ rules: [...rules, nextRule(rules, params, formats)] })}
          >
            {t('params.add')}
          </Button>
        </div>
      </SettingsGroup>
      <SettingsGroup title={t('team.title')} text={t('team.text')}>
        <SwitchField
          label={t('team.shows')}
          checked={showsColleaguesAway}
          onCheck={showsColleaguesAway => set({ showsColleaguesAway })}
        />
      </SettingsGroup>
    </SettingsForm>
  )
}

function Explanation() {
  const { t } = useTranslation('leave')
  return (
    <>
      {t('params.text')}
      <br />
      <br />
      {t('params.hire')}
    </>
  )
}

function RuleRow(props: {
  rule: RuleFields
  types: Params['types']
  isWrong: (field: 'since' | 'days' | 'mostCarriedDays') => boolean
  onChange: (fields: Partial<RuleFields>) => void
  onRemove: () => void
}) {
  const { t } = useTranslation('leave')
  const { types, isWrong, onChange, onRemove } = props
  const formats = useFormats()
  const { leaveType, since, days, mostCarriedDays, carriedUntil, excess, proRatesLeavers } = props.rule
  const endOf = (end: string) => {
    const month = formats.monthOfYear(Number(end.slice(0, 2)))
    return end === monthEnd(Number(end.slice(0, 2)))
      ? t('params.endOfMonth', { month })
      : t('params.dayOfMonth', { day: Number(end.slice(3)), month })
  }
  const ends = [...new Set([...months.map(monthEnd), ...(carriedUntil ? [carriedUntil] : [])])].sort()
  const nameOf = (id: string) => t(`type.${Number(id) as 1}`)
  return (
    <li>
      <SelectField
        className="leave-rule-type"
        label={t('params.type')}
        value={leaveType}
        onText={value => onChange({ leaveType: value })}
        options={types
          .filter(({ id, isOn }) => isOn || String(id) === leaveType)
          .map(({ id }) => [String(id), nameOf(String(id))] as const)}
      />
      <TextField
        label={t('params.since')}
        inputMode="numeric"
        maxLength={4}
        value={since}
        onText={value => onChange({ since: value })}
        error={isWrong('since') ? t(isYear(since) ? 'params.twice' : 'params.wrongYear') : undefined}
      />
      <TextField
        label={t('params.days')}
        maxLength={5}
        value={days}
        onText={value => onChange({ days: value })}
        error={isWrong('days') ? t('params.wrongDays') : undefined}
      />
      <TextField
        label={t('params.carried')}
        maxLength={5}
        value={mostCarriedDays}
        onText={value => onChange({ mostCarriedDays: value })}
        error={isWrong('mostCarriedDays') ? t('params.wrongDays') : undefined}
      />
      <SelectField
        label={t('params.carriedUntil')}
        value={carriedUntil}
        onText={value => onChange({ carriedUntil: value })}
        options={[['', t('params.never')], ...ends.map(end => [end, endOf(end)] as const)]}
      />
      <SelectField
        className="leave-rule-excess"
        label={t('params.excess')}
        value={excess}
        onText={value => onChange({ excess: value })}
        options={[
          ['refuse', t('params.refuse')],
          ['warn', t('params.warn')],
        ]}
      />
      <SwitchField
        label={t('params.leavers')}
        hint={t('params.leaversHint')}
        checked={proRatesLeavers}
        onCheck={value => onChange({ proRatesLeavers: value })}
      />
      <Button
        look="quiet"
        square
        aria-label={t('params.removeOf', { rule: t('params.rule', { type: nameOf(leaveType), year: since }) })}
        icon={<Trash2 className="icon" />}
        onClick={onRemove}
      />
    </li>
  )
}
