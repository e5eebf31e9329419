import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type {
  dateFormats as DateFormats,
  feverBounds as FeverBounds,
  timeFormats as TimeFormats,
} from '../../shared/company.ts'
import { inUnit, type Unit, unitNames } from '../../shared/degrees.ts'
import { addMonths } from '../../shared/local-day.ts'
import { payIntervals, periodOf } from '../../shared/pay-period.ts'
import { mostRuleMonths } from '../../shared/rule.ts'
import { currentZone } from '../../shared/zone-name.ts'
import { type PathOutput, write } from '../api.ts'
import { formatsOf, useFormats } from '../format.ts'
import { PreviewAsk } from '../parts/day/preview.tsx'
import { Recalculations } from '../parts/day/recalculation.tsx'
import { DayField } from '../parts/field/day-field.tsx'
import { SelectField, SwitchField, TextField } from '../parts/field/field.tsx'
import { useForm, useFreshForm } from '../parts/field/form.tsx'
import { PickField } from '../parts/field/pick-field.tsx'
import { SegmentField } from '../parts/field/segment-field.tsx'
import { SettingsForm, SettingsGroup, SettingsWaiting } from '../parts/field/settings.tsx'
import { TimeField } from '../parts/field/time-field.tsx'
import { Page, Trouble } from '../parts/page.tsx'
import { useTaskOwner } from '../parts/say/task-notice.tsx'
import { say } from '../parts/say/toast.tsx'
import { Link, useSearchParams } from '../parts/shell/router.ts'
import { useZoneOptions } from '../parts/zone-options.ts'
import { refresh, useRead } from '../read.ts'
import { usePerson, useSession } from '../session.tsx'
import { followTask } from '../tasks.ts'
import '../parts/list/tabs.css'
import './basic.css'

type Company = PathOutput<'company/get'>
type Prevention = PathOutput<'company/prevention'>

// Copies of the server's values. The compiler checks that they are equal.
const dateFormats: typeof DateFormats = { 1: 'MM/DD/YYYY', 2: 'DD/MM/YYYY', 3: 'YYYY-MM-DD' }
const timeFormats: typeof TimeFormats = { 1: 'hh:mm A', 2: 'HH:mm' }
const feverBounds: typeof FeverBounds = { 0: [34, 42], 1: [93.2, 107.6] }

export default function BasicPage() {
  const { t } = useTranslation(['company', 'shell'])
  const [search] = useSearchParams()
  const isTemperature = search.get('show') === 'temperature'
  return (
    <Page title={t('basic.title')}>
      <nav className="tabs" aria-label={t('basic.title')}>
        <Link to="/system/basic" aria-current={isTemperature ? undefined : 'page'}>
          {t('basic.time')}
        </Link>
        <Link to="/system/basic?show=temperature" aria-current={isTemperature ? 'page' : undefined}>
          {t('basic.temperature')}
        </Link>
      </nav>
      {isTemperature ? (
        <Temperature />
      ) : (
        <>
          <Recalculations kinds={['company/time/update']} />
          <Time />
        </>
      )}
    </Page>
  )
}

function Time() {
  const { data, error, readAgain } = useRead('company/get', {})
  if (data) return <TimeForm company={data} readAgain={readAgain} />
  return error ? <Trouble error={error} onRetry={() => readAgain()} /> : <SettingsWaiting groups={3} />
}

function Temperature() {
  const { data, error, readAgain } = useRead('company/prevention', {})
  if (data) return <TemperatureForm prevention={data} readAgain={readAgain} />
  return error ? <Trouble error={error} onRetry={() => readAgain()} /> : <SettingsWaiting groups={2} />
}

const timeValuesOf = (company: Company) => ({
  timezone: currentZone(company.timezone),
  dateformat_id: String(company.dateformat_id),
  timeformat_id: String(company.timeformat_id),
  nameformat_id: String(company.nameformat_id),
  firstWeekday: String(company.firstWeekday),
  splitTime: company.splitTime,
  payEvery: company.payPeriod.every,
  payFrom: company.payPeriod.from,
  /** The first day of the changed rules. Empty means today. */
  from: '',
})
type TimeValues = ReturnType<typeof timeValuesOf>

/** The fields that affect the calculation of days. The formats affect only the display. */
const rules = ['timezone', 'firstWeekday', 'splitTime'] as const satisfies readonly (keyof TimeValues)[]

const choiceOf = <C extends number>(choices: readonly C[], text: string, fallback: C): C =>
  choices.find(choice => String(choice) === text) ?? fallback

function TimeForm({ company, readAgain }: { company: Company; readAgain: () => Promise<Company | undefined> }) {
  const { t, i18n } = useTranslation(['company', 'shell'])
  const person = usePerson()
  const { reload } = useSession()
  const formats = useFormats()
  const owner = useTaskOwner()
  const [from, setFrom] = useState(company)
  const form = useForm(timeValuesOf(company))
  const { values, set, isChanged, restart } = form
  const [asking, setAsking] = useState<{ task: string }>()
  const begin = (fresh: Company) => {
    setFrom(fresh)
    restart(timeValuesOf(fresh))
  }
  useFreshForm(company, isChanged, () => begin(company))
  const zoneOptions = useZoneOptions(currentZone(from.timezone))
  const zoneName = (zone: string) => zoneOptions.find(([id]) => id === zone)?.[1] ?? zone
  const saved = timeValuesOf(from)
  const isZoneChanged = values.timezone !== saved.timezone
  const areRulesChanged = rules.some(name => values[name] !== saved[name])
  const example = formatsOf(
    {
      ...person,
      company: { ...person.company, timezone: values.timezone },
      dateformat: dateFormats[choiceOf([1, 2, 3], values.dateformat_id, 3)],
      timeformat: timeFormats[choiceOf([1, 2], values.timeformat_id, 2)],
    },
    i18n.language,
  )
  const current = periodOf({ every: values.payEvery, from: values.payFrom }, example.today())
  const now = new Date()
  const weekdays = Array.from({ length: 7 }, (_, index) =>
    // The first of November 2026 is a Sunday.
    new Intl.DateTimeFormat(i18n.language, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2026, 10, 1 + index)),
  )

  const input = () => {
    return {
      version: from.version,
      // An unchanged zone keeps its stored name, which may be an old one.
      timezone: isZoneChanged ? values.timezone : from.timezone,
      dateformat_id: choiceOf([1, 2, 3], values.dateformat_id, 3),
      timeformat_id: choiceOf([1, 2], values.timeformat_id, 2),
      nameformat_id: choiceOf([1, 2], values.nameformat_id, 1),
      firstWeekday: Number(values.firstWeekday),
      splitTime: values.splitTime,
      payPeriod: { every: values.payEvery, from: values.payFrom },
      ...(areRulesChanged && values.from && { from: values.from }),
    }
  }
  const send = (isAsked: boolean) =>
    form.submit(
      async () => {
        const { task } = await write('company/time/update', input())
        if (task) followTask(owner, { id: task })
        const fresh = await readAgain()
        if (fresh) begin(fresh)
        // The session holds the formats of days and times, so reload it.
        reload()
        refresh(['task/', 'company/get'])
        say(t('shell:saved'))
      },
      { isAsked },
    )
  const save = () =>
    areRulesChanged ? form.submit(async () => setAsking(await write('company/time/preview', input()))) : send(false)

  return (
    <>
      <SettingsForm form={form} onSave={save} onDiscard={() => begin(company)}>
        <SettingsGroup title={t('zone.title')} text={t('zone.text')}>
          <PickField label={t('zone.label')} {...form.text('timezone')} options={zoneOptions} />
          <p className="live-clock">
            <span className="muted">{t('zone.now')}</span>{' '}
            <strong className="figure">{example.dayAndTime(now.toISOString())}</strong>
          </p>
          {isZoneChanged && <p className="notice warn">{t('zone.notice')}</p>}
        </SettingsGroup>

        <SettingsGroup title={t('formats.title')} text={t('formats.text')}>
          <div className="pair">
            <SelectField
              label={t('formats.date')}
              {...form.text('dateformat_id')}
              options={([1, 2, 3] as const).map(id => [String(id), t(`formats.dates.${id}`)] as const)}
            />
            <SelectField
              label={t('formats.time')}
              {...form.text('timeformat_id')}
              options={([1, 2] as const).map(id => [String(id), t(`formats.times.${id}`)] as const)}
            />
            <SelectField
              label={t('formats.name')}
              {...form.text('nameformat_id')}
              options={([1, 2] as const).map(id => [String(id), t(`formats.names.${id}`)] as const)}
            />
            <SelectField
              label={t('formats.firstWeekday')}
              {...form.text('firstWeekday')}
              options={weekdays.map((name, index) => [String(index), name] as const)}
            />
          </div>
          <p className="live-clock">
            <span className="muted">{t('formats.example')}</span>{' '}
            <strong className="figure">
              {example.day(example.today())}, {example.time(now)}
            </strong>
          </p>
        </SettingsGroup>

        <SettingsGroup title={t('rules.title')} text={t('rules.text')}>
          <TimeField
            label={t('rules.splitTime.label')}
            hint={t('rules.splitTime.hint')}
            value={values.splitTime}
            error={form.error('splitTime')}
            onText={splitTime => set({ splitTime })}
          />
          <p className="muted small">
            {t('rules.elsewhere')} <Link to="/shift/params">{t('rules.params')}</Link>
          </p>
        </SettingsGroup>

        <SettingsGroup title={t('pay.title')} text={t('pay.text')}>
          <div className="pair">
            <SelectField
              label={t('pay.every.label')}
              value={values.payEvery}
              onText={value => {
                const payEvery = payIntervals.find(name => name === value)
                if (payEvery) set({ payEvery })
              }}
              options={payIntervals.map(name => [name, t(`pay.every.${name}`)] as const)}
            />
            <DayField
              label={t('pay.from')}
              value={values.payFrom}
              error={form.error('payPeriod.from')}
              onText={payFrom => payFrom && set({ payFrom })}
            />
          </div>
          <p className="muted small">
            {t('pay.current', { from: formats.day(current.from), to: formats.day(current.to) })}
          </p>
        </SettingsGroup>

        {/* Below all controls, so that no control moves under the pointer when this group appears. */}
        {areRulesChanged && (
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
      {asking && (
        <PreviewAsk
          title={t(isZoneChanged ? 'zone.ask.title' : 'rules.ask')}
          task={asking.task}
          yes={t(isZoneChanged ? 'zone.ask.yes' : 'rules.yes')}
          onYes={async () => {
            await send(true)
            setAsking(undefined)
          }}
          onNo={() => setAsking(undefined)}
        >
          {isZoneChanged && (
            <>
              <p>{t('zone.ask.change', { from: zoneName(saved.timezone), to: zoneName(values.timezone) })}</p>
              <ul className="points">
                <li>{t('zone.ask.days', { day: formats.day(values.from || formats.today()) })}</li>
                <li>{t('zone.ask.terminals')}</li>
                <li>{t('zone.ask.punches')}</li>
              </ul>
            </>
          )}
        </PreviewAsk>
      )}
    </>
  )
}

const preventionValuesOf = (prevention: Prevention) => ({
  temp_unit: prevention.temp_unit,
  work_mode: String(prevention.work_mode),
  fever_threshold: prevention.fever_threshold.toFixed(1),
  fever_alarm: prevention.fever_alarm === 1,
  relay_output: String(prevention.relay_output),
  temp_opendoor: prevention.temp_opendoor === 1,
  temp_access: prevention.temp_access === 1,
  mask_detection: String(prevention.mask_detection),
  mask_alarm: prevention.mask_alarm === 1,
})

/**
 * Reads a temperature with a decimal point or comma. Undefined unless the text is a number with at most one decimal.
 */
const readDegrees = (text: string) =>
  /^\d{2,3}([.,]\d)?$/.test(text.trim()) ? Number(text.trim().replace(',', '.')) : undefined

function TemperatureForm(props: { prevention: Prevention; readAgain: () => Promise<Prevention | undefined> }) {
  const { t, i18n } = useTranslation(['company', 'shell'])
  const { prevention, readAgain } = props
  const { reload } = useSession()
  const [from, setFrom] = useState(prevention)
  const form = useForm(preventionValuesOf(prevention))
  const { values, set, isChanged, restart } = form
  const begin = (fresh: Prevention) => {
    setFrom(fresh)
    restart(preventionValuesOf(fresh))
  }
  useFreshForm(prevention, isChanged, () => begin(prevention))
  const unit = values.temp_unit
  const [least, most] = feverBounds[unit]
  const degrees = readDegrees(values.fever_threshold)
  const isThreshold = degrees !== undefined && degrees >= least && degrees <= most
  const shown = (value: number, of: Unit) =>
    `${new Intl.NumberFormat(i18n.language, { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(value)} ${unitNames[of]}`
  const bounds = { least: shown(least, unit), most: shown(most, unit) }
  const other: Unit = unit === 0 ? 1 : 0
  const measures = values.work_mode !== '0'
  const looksForMasks = values.mask_detection !== '0'

  const save = () =>
    form.submit(
      async () => {
        await write('company/prevention/update', {
          version: from.version,
          // If terminals do not measure, the page hides the threshold. An invalid hidden threshold then keeps its
          // stored value.
          ...(isThreshold
            ? { temp_unit: unit, fever_threshold: degrees }
            : { temp_unit: from.temp_unit, fever_threshold: from.fever_threshold }),
          work_mode: choiceOf([0, 1, 2], values.work_mode, 0),
          relay_output: choiceOf([0, 1], values.relay_output, 0),
          mask_detection: choiceOf([0, 1, 2], values.mask_detection, 0),
          fever_alarm: values.fever_alarm ? 1 : 0,
          temp_opendoor: values.temp_opendoor ? 1 : 0,
          temp_access: values.temp_access ? 1 : 0,
          mask_alarm: values.mask_alarm ? 1 : 0,
        })
        const fresh = await readAgain()
        if (fresh) begin(fresh)
        // The session holds the unit, so reload it.
        reload()
        say(t('shell:saved'))
      },
      { wrong: { fever_threshold: measures && !isThreshold && 10002 } },
    )
  const changeUnit = (to: Unit) => {
    if (to === unit) return
    set({
      temp_unit: to,
      ...(degrees !== undefined && {
        fever_threshold: Math.min(Math.max(inUnit(degrees, to), feverBounds[to][0]), feverBounds[to][1]).toFixed(1),
      }),
    })
  }
  const toggle = (name: 'fever_alarm' | 'temp_opendoor' | 'temp_access' | 'mask_alarm') => (
    <SwitchField
      label={t(`prevention.${name}.label`)}
      hint={t(`prevention.${name}.hint`)}
      checked={values[name]}
      onCheck={checked => set({ [name]: checked })}
    />
  )
  return (
    <SettingsForm form={form} onSave={save} onDiscard={() => begin(prevention)}>
      <SettingsGroup title={t('prevention.temperature.title')} text={t('prevention.temperature.text')}>
        <SelectField
          label={t('prevention.work_mode.label')}
          hint={t(`prevention.work_mode.hint${choiceOf([0, 1, 2], values.work_mode, 0)}`)}
          {...form.text('work_mode')}
          options={([0, 1, 2] as const).map(mode => [String(mode), t(`prevention.work_mode.${mode}`)] as const)}
        />
        {measures && (
          <>
            <div className="threshold">
              <TextField
                label={t('prevention.fever_threshold.label')}
                inputMode="text"
                maxLength={5}
                suffix={unitNames[unit]}
                hint={
                  isThreshold && degrees !== undefined
                    ? t('prevention.fever_threshold.hint', { other: shown(inUnit(degrees, other), other), ...bounds })
                    : t('prevention.fever_threshold.range', bounds)
                }
                {...form.text('fever_threshold')}
                error={form.error('fever_threshold') && t('prevention.fever_threshold.range', bounds)}
              />
              <SegmentField
                label={t('prevention.temp_unit')}
                value={String(unit)}
                onText={text => changeUnit(choiceOf([0, 1], text, 0))}
                options={[
                  ['0', unitNames[0]],
                  ['1', unitNames[1]],
                ]}
              />
            </div>
            <SelectField
              label={t('prevention.relay_output.label')}
              hint={t('prevention.relay_output.hint')}
              {...form.text('relay_output')}
              options={([0, 1] as const).map(relay => [String(relay), t(`prevention.relay_output.${relay}`)] as const)}
            />
            <hr />
            {toggle('fever_alarm')}
            {toggle('temp_opendoor')}
            {toggle('temp_access')}
          </>
        )}
      </SettingsGroup>
      <SettingsGroup title={t('prevention.mask.title')} text={t('prevention.mask.text')}>
        <SelectField
          label={t('prevention.mask_detection.label')}
          hint={t(`prevention.mask_detection.hint${choiceOf([0, 1, 2], values.mask_detection, 0)}`)}
          {...form.text('mask_detection')}
          options={([0, 1, 2] as const).map(mode => [String(mode), t(`prevention.mask_detection.${mode}`)] as const)}
        />
        {looksForMasks && toggle('mask_alarm')}
      </SettingsGroup>
    </SettingsForm>
  )
}
