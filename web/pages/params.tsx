import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addMonths } from '../../shared/local-day.ts'
import { roles } from '../../shared/permissions.ts'
import { mostRuleMonths } from '../../shared/rule.ts'
import { type PathOutput, write } from '../api.ts'
import { useFormats } from '../format.ts'
import { PreviewAsk } from '../parts/day/preview.tsx'
import { Recalculations } from '../parts/day/recalculation.tsx'
import { DayField } from '../parts/field/day-field.tsx'
import { SwitchField, TextField } from '../parts/field/field.tsx'
import { useForm, useFreshForm } from '../parts/field/form.tsx'
import { SettingsForm, SettingsGroup, SettingsWaiting } from '../parts/field/settings.tsx'
import { Page, Trouble } from '../parts/page.tsx'
import { useTaskOwner } from '../parts/say/task-notice.tsx'
import { say } from '../parts/say/toast.tsx'
import { refresh, useRead } from '../read.ts'
import { usePerson } from '../session.tsx'
import { followTask } from '../tasks.ts'
import { CorrectionParams } from './params/correction-params.tsx'
import { ScheduleParams } from './params/schedule-params.tsx'
import { ReportParams } from './report/params.tsx'
import './params.css'

// The calculation parameters outside the shifts: their effects, the first day of a change, and its preview.

type Params = PathOutput<'attparams/index'>

const switches = [
  'trustDeviceState',
  'deductGaps',
  'pairsWithoutShift',
  'restDayWorkIsOvertime',
  'holidayWorkIsOvertime',
  'fullDutyFirst',
] as const
/** A choice of two words, shown as a switch. */
type ChoiceName = 'holidayBy'
const counts = { bounceSeconds: 3600, minimumOvertimeMinutes: 1440, maximumOvertimeMinutes: 1440 } as const
type SwitchName = (typeof switches)[number]
type CountName = keyof typeof counts
const countNames = ['bounceSeconds', 'minimumOvertimeMinutes', 'maximumOvertimeMinutes'] as const
type Name = SwitchName | CountName | ChoiceName
type Parameters = Pick<Params, Name>

/** The parameters in the order of the page. */
const names = [
  'bounceSeconds',
  'trustDeviceState',
  'deductGaps',
  'pairsWithoutShift',
  'restDayWorkIsOvertime',
  'holidayWorkIsOvertime',
  'holidayBy',
  'fullDutyFirst',
  'minimumOvertimeMinutes',
  'maximumOvertimeMinutes',
] as const satisfies readonly Name[]

const valuesOf = (params: Parameters) => ({
  trustDeviceState: params.trustDeviceState,
  deductGaps: params.deductGaps,
  pairsWithoutShift: params.pairsWithoutShift,
  holidayBy: params.holidayBy === 'clock',
  restDayWorkIsOvertime: params.restDayWorkIsOvertime,
  holidayWorkIsOvertime: params.holidayWorkIsOvertime,
  fullDutyFirst: params.fullDutyFirst,
  bounceSeconds: String(params.bounceSeconds),
  minimumOvertimeMinutes: String(params.minimumOvertimeMinutes),
  maximumOvertimeMinutes: String(params.maximumOvertimeMinutes),
  /** The first day of the change. Empty means today. */
  from: '',
})
type Values = ReturnType<typeof valuesOf>

const isCount = (text: string, most: number) => /^\d{1,4}$/.test(text.trim()) && Number(text) <= most

const inputOf = ({
  from,
  holidayBy,
  bounceSeconds,
  minimumOvertimeMinutes,
  maximumOvertimeMinutes,
  ...switchValues
}: Values) => ({
  ...switchValues,
  holidayBy: holidayBy ? ('clock' as const) : ('day' as const),
  bounceSeconds: Number(bounceSeconds),
  minimumOvertimeMinutes: Number(minimumOvertimeMinutes),
  maximumOvertimeMinutes: Number(maximumOvertimeMinutes),
  ...(from && { from }),
})

export default function ParamsPage() {
  const { t } = useTranslation('params')
  const { data, error, readAgain } = useRead('attparams/index', {})
  const { role, auth_item } = usePerson()
  const mayReport = role === roles.administrator || auth_item.some(({ id }) => id === 5 || id === 8)
  return (
    <Page title={t('title')} note={t('note')}>
      <Recalculations kinds={['attparams/update']} />
      {data ? (
        <ParamsForm params={data} readAgain={readAgain} />
      ) : error ? (
        <Trouble error={error} onRetry={() => readAgain()} />
      ) : (
        <SettingsWaiting groups={3} />
      )}
      {role === roles.administrator && <CorrectionParams />}
      {role === roles.administrator && <ScheduleParams />}
      {mayReport && <ReportParams />}
    </Page>
  )
}

function ParamsForm({ params, readAgain }: { params: Params; readAgain: () => Promise<Params | undefined> }) {
  const { t } = useTranslation(['params', 'shell'])
  const formats = useFormats()
  const owner = useTaskOwner()
  const [from, setFrom] = useState(params)
  const form = useForm(valuesOf(params))
  const { values, set, isChanged, restart } = form
  const [asking, setAsking] = useState<{ task: string }>()
  const begin = (fresh: Params) => {
    setFrom(fresh)
    restart(valuesOf(fresh))
  }
  useFreshForm(params, isChanged, () => begin(params))
  const [least, most] = [Number(values.minimumOvertimeMinutes), Number(values.maximumOvertimeMinutes)]
  const areCounts = countNames.every(name => isCount(values[name], counts[name]))
  const wrong = {
    ...Object.fromEntries(countNames.map(name => [name, !isCount(values[name], counts[name]) && 10002])),
    ...(areCounts && { maximumOvertimeMinutes: most > 0 && most < least && 10002 }),
  }
  const ask = () =>
    form.submit(
      async () => setAsking(await write('attparams/preview', { version: from.version, ...inputOf(values) })),
      {
        wrong,
      },
    )
  const store = async () => {
    await form.submit(
      async () => {
        const { task } = await write('attparams/update', { version: from.version, ...inputOf(values) })
        if (task) followTask(owner, { id: task })
        const fresh = await readAgain()
        if (fresh) begin(fresh)
        refresh(['task/', 'company/'])
        say(t('shell:saved'))
      },
      { wrong, isAsked: true },
    )
    setAsking(undefined)
  }

  const words = (name: Name): ReactNode => (
    <>
      {t(`${name}.does`)}
      <span className="example">
        <b>{t('example')}</b> {t(`${name}.example`)}
      </span>
    </>
  )
  const toggle = (name: SwitchName | ChoiceName) => (
    <SwitchField
      label={t(`${name}.label`)}
      hint={words(name)}
      checked={values[name]}
      onCheck={checked => set({ [name]: checked })}
    />
  )
  const count = (name: CountName, unit: string) => (
    <TextField
      className="count"
      label={t(`${name}.label`)}
      hint={words(name)}
      inputMode="numeric"
      maxLength={4}
      suffix={unit}
      {...form.text(name)}
      error={
        form.error(name) &&
        // A valid maximum is wrong only if it is below the minimum.
        t(isCount(values[name], counts[name]) ? 'wrongMost' : 'wrong', { most: formats.number(counts[name]) })
      }
    />
  )
  return (
    <>
      <SettingsForm form={form} onSave={ask} onDiscard={() => begin(params)}>
        <SettingsGroup title={t('punches.title')} text={t('punches.text')}>
          {count('bounceSeconds', t('seconds'))}
          <hr />
          {toggle('trustDeviceState')}
          <hr />
          {toggle('deductGaps')}
          <hr />
          {toggle('pairsWithoutShift')}
        </SettingsGroup>
        <SettingsGroup title={t('overtime.title')} text={t('overtime.text')}>
          {toggle('restDayWorkIsOvertime')}
          <hr />
          {toggle('holidayWorkIsOvertime')}
          <hr />
          {toggle('holidayBy')}
          <hr />
          {toggle('fullDutyFirst')}
          <hr />
          {count('minimumOvertimeMinutes', t('shell:unit.minutes'))}
          <hr />
          {count('maximumOvertimeMinutes', t('shell:unit.minutes'))}
        </SettingsGroup>
        {isChanged && (
          <SettingsGroup title={t('from.title')} text={t('from.text')}>
            <div className="from-day">
              <DayField
                label={t('from.label')}
                value={values.from || formats.today()}
                least={addMonths(formats.today(), -mostRuleMonths)}
                most={formats.today()}
                error={form.error('from')}
                onText={day => set({ from: day === formats.today() ? '' : day })}
              />
            </div>
            {values.from !== '' && <p className="notice warn">{t('from.past', { day: formats.day(values.from) })}</p>}
          </SettingsGroup>
        )}
      </SettingsForm>
      <FormerParameters params={from} />
      {asking && (
        <PreviewAsk
          title={t('preview.title')}
          task={asking.task}
          yes={t('preview.yes')}
          onYes={store}
          onNo={() => setAsking(undefined)}
        >
          <p>{t('preview.text', { day: formats.day(values.from || formats.today()) })}</p>
        </PreviewAsk>
      )}
    </>
  )
}

/** The former parameters. Each period lists the values that differ from the next period. */
function FormerParameters({ params }: { params: Params }) {
  const { t } = useTranslation(['params', 'shell'])
  const formats = useFormats()
  const { former, since } = params
  if (former.length === 0) return null
  const valueText = (parameters: Parameters, name: Name) => {
    const value = name === 'holidayBy' ? parameters[name] === 'clock' : parameters[name]
    if (typeof value === 'boolean') return t(value ? 'former.on' : 'former.off')
    return `${formats.number(value)} ${t(name === 'bounceSeconds' ? 'seconds' : 'shell:unit.minutes')}`
  }
  return (
    <div className="settings">
      <SettingsGroup title={t('former.title')} text={t('former.text')}>
        <ol className="former">
          {since && (
            <li>
              <p>
                <strong>{t('former.since', { day: formats.day(since) })}</strong>{' '}
                <span className="tag ok">{t('former.now')}</span>
              </p>
            </li>
          )}
          {former.map((period, index) => {
            const next = former[index - 1] ?? params
            return (
              <li key={period.until}>
                <p>
                  <strong>
                    {period.since
                      ? t('former.fromTo', { from: formats.day(period.since), to: formats.day(period.until) })
                      : t('former.until', { day: formats.day(period.until) })}
                  </strong>
                </p>
                <dl>
                  {names
                    .filter(name => period[name] !== next[name])
                    .map(name => (
                      <div key={name}>
                        <dt>{t(`${name}.label`)}</dt>
                        <dd>{valueText(period, name)}</dd>
                      </div>
                    ))}
                </dl>
              </li>
            )
          })}
        </ol>
      </SettingsGroup>
    </div>
  )
}
