import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { useHourWords } from '../../parts/day/hour-words.ts'
import { SelectField, TextField } from '../../parts/field/field.tsx'
import { TimeField } from '../../parts/field/time-field.tsx'
import type { ConditionName, Conditions } from './draft.ts'

// The editor of one condition, in the order of its sentence.

interface ConditionProps {
  name: ConditionName
  conditions: Conditions
  onChange: (changes: Conditions) => void
  /** The error of the condition, or of one of its fields. */
  error: (part?: string) => string | undefined
}

const places = ['clock', 'day'] as const
const placeOf = (text: string) => (text === 'day' ? 'day' : 'clock')

export function ConditionField(props: ConditionProps) {
  const { t } = useTranslation(['hours', 'shell'])
  const { name, conditions, onChange, error } = props
  const by = (value: 'clock' | 'day', onText: (by: 'clock' | 'day') => void) => (
    <SelectField
      label={t('condition.by')}
      hint={t(`condition.byHint.${value}`)}
      value={value}
      onText={text => onText(placeOf(text))}
      options={places.map(place => [place, t(`condition.byOption.${place}`)] as const)}
    />
  )
  const hours = (key: 'dayOver' | 'weekOver') => (
    <TextField
      className="count"
      label={t(`condition.name.${key}`)}
      hint={t('condition.hoursHint')}
      suffix={t('shell:unit.hours')}
      value={conditions[key] ?? ''}
      onText={text => onChange({ [key]: text })}
      error={error() && t('condition.wrongHours')}
    />
  )
  switch (name) {
    case 'window':
      return <WindowField {...props} />
    case 'weekdays': {
      const { days, by: value } = conditions.weekdays ?? { days: [], by: 'clock' }
      return (
        <div className="condition-days">
          <WeekdayField days={days} error={error()} onDays={days => onChange({ weekdays: { days, by: value } })} />
          {by(value, by => onChange({ weekdays: { days, by } }))}
        </div>
      )
    }
    case 'holiday':
      return (
        <div className="condition-pair">
          <p className="condition-words">{t('condition.name.holiday')}</p>
          {by(conditions.holiday ?? 'clock', holiday => onChange({ holiday }))}
        </div>
      )
    case 'dayOver':
    case 'weekOver':
      return hours(name)
    case 'consecutiveDay':
      return (
        <SelectField
          className="count"
          label={t('condition.name.consecutiveDay')}
          hint={t('condition.consecutiveHint')}
          value={String(conditions.consecutiveDay ?? 7)}
          onText={text => onChange({ consecutiveDay: Number(text) })}
          options={[2, 3, 4, 5, 6, 7].map(day => [String(day), String(day)] as const)}
        />
      )
    case 'overtime':
    case 'rest':
    case 'begunDayBefore':
      return (
        <p className="condition-words">
          {t(`condition.name.${name}`)}
          <span className="muted small">{t(`condition.does.${name}`)}</span>
        </p>
      )
  }
}

function WindowField({ conditions, onChange, error }: ConditionProps) {
  const { t } = useTranslation(['hours', 'shell'])
  const { from, to, least } = conditions.window ?? { from: '', to: '', least: '' }
  const change = (changes: Partial<NonNullable<Conditions['window']>>) =>
    onChange({ window: { from, to, least, ...changes } })
  return (
    <div className="condition-window">
      <TimeField label={t('condition.from')} value={from} onText={from => change({ from })} error={error('from')} />
      <TimeField
        label={t('condition.to')}
        value={to}
        onText={to => change({ to })}
        error={error('to')}
        day={to <= from ? t('condition.nextDay') : undefined}
      />
      <TextField
        label={t('condition.least')}
        optional
        hint={t('condition.leastHint')}
        suffix={t('shell:unit.hours')}
        value={least}
        onText={least => change({ least })}
        error={error('least') && t('condition.wrongHours')}
      />
    </div>
  )
}

function WeekdayField(props: {
  days: readonly number[]
  error: string | undefined
  onDays: (days: readonly number[]) => void
}) {
  const { t } = useTranslation('hours')
  const { firstWeekday } = useFormats()
  const { weekday, shortWeekday } = useHourWords()
  const { days, onDays } = props
  const order = Array.from({ length: 7 }, (_, at) => (firstWeekday + at) % 7)
  return (
    <fieldset className="weekdays" aria-invalid={props.error ? true : undefined}>
      <legend className="label">{t('condition.name.weekdays')}</legend>
      <div>
        {order.map(day => (
          <label key={day} title={weekday(day)}>
            <input
              className="unseen"
              type="checkbox"
              aria-label={weekday(day)}
              checked={days.includes(day)}
              onChange={({ target: { checked } }) =>
                onDays(checked ? [...days, day] : days.filter(other => other !== day))
              }
            />
            <span aria-hidden="true">{shortWeekday(day)}</span>
          </label>
        ))}
      </div>
      {props.error && <p className="error-line">{props.error}</p>}
    </fieldset>
  )
}
