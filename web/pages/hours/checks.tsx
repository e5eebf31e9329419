import { Plus, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field/field.tsx'
import { type DraftBreak, type DraftChecks, mostBreaks } from './checks-draft.ts'

// The working-time checks of a set. They warn, and change no minutes.

interface ChecksProps {
  checks: DraftChecks
  onChange: (checks: DraftChecks) => void
  error: (field: string) => string | undefined
  nextKey: () => string
}

export function Checks({ checks, onChange, error, nextKey }: ChecksProps) {
  const { t } = useTranslation(['hours', 'shell'])
  const change = (changes: Partial<DraftChecks>) => onChange({ ...checks, ...changes })
  const hours = (name: 'dailyMaximum' | 'restBetween' | 'average', field: string) => (
    <TextField
      label={t(`checks.${name}`)}
      optional
      suffix={t('shell:unit.hours')}
      value={checks[name]}
      onText={text => change({ [name]: text })}
      error={error(field) && t('condition.wrongHours')}
    />
  )
  return (
    <section className="card hours-scope" aria-label={t('checks.title')}>
      <div>
        <h2>{t('checks.title')}</h2>
        <p className="muted small">{t('checks.text')}</p>
      </div>
      <div className="check-fields">
        {hours('dailyMaximum', 'checks.dailyMaximum')}
        {hours('restBetween', 'checks.restBetween')}
        {hours('average', 'checks.weeklyAverage.minutes')}
        {checks.average.trim() !== '' && (
          <TextField
            label={t('checks.weeks')}
            inputMode="numeric"
            value={checks.weeks}
            onText={weeks => change({ weeks })}
            error={error('checks.weeklyAverage.weeks') && t('checks.wrongWeeks')}
          />
        )}
      </div>
      <Breaks breaks={checks.breaks} onChange={breaks => change({ breaks })} {...{ error, nextKey }} />
    </section>
  )
}

function Breaks(props: {
  breaks: readonly DraftBreak[]
  onChange: (breaks: readonly DraftBreak[]) => void
  error: ChecksProps['error']
  nextKey: () => string
}) {
  const { t } = useTranslation(['hours', 'shell'])
  const { breaks, onChange, error, nextKey } = props
  const change = (at: number, changes: Partial<DraftBreak>) => {
    const owed = breaks[at]
    if (owed) onChange(breaks.with(at, { ...owed, ...changes }))
  }
  return (
    <fieldset className="conditions">
      <legend className="label">{t('checks.breaks')}</legend>
      <ul>
        {breaks.map(({ key, after, minutes }, at) => (
          <li key={key}>
            <div className="condition-pair">
              <TextField
                label={t('checks.after')}
                suffix={t('shell:unit.hours')}
                value={after}
                onText={after => change(at, { after })}
                error={error(`checks.breakOwed.${at}.afterMinutes`) && t('condition.wrongHours')}
              />
              <TextField
                label={t('checks.break')}
                inputMode="numeric"
                suffix={t('shell:unit.minutes')}
                value={minutes}
                onText={minutes => change(at, { minutes })}
                error={error(`checks.breakOwed.${at}.breakMinutes`)}
              />
            </div>
            <Button
              look="quiet"
              square
              aria-label={t('checks.removeBreak', { after })}
              onClick={() => onChange(breaks.filter((_, other) => other !== at))}
              icon={<Trash2 className="icon" />}
            />
          </li>
        ))}
      </ul>
      <Button
        icon={<Plus className="icon" />}
        disabled={breaks.length >= mostBreaks}
        onClick={() => onChange([...breaks, { key: nextKey(), after: '6', minutes: '30' }])}
      >
        {t('checks.addBreak')}
      </Button>
    </fieldset>
  )
}
