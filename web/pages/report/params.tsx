import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Measure, measures, type RoundingMode, roundMinutes } from '../../../shared/attendance/rounding.ts'
import { mostUnitMinutes } from '../../../shared/measure.ts'
import { clockText } from '../../../shared/report/print-minutes.ts'
import { type PathOutput, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { SelectField, TextField } from '../../parts/field/field.tsx'
import { useForm, useFreshForm } from '../../parts/field/form.tsx'
import { SettingsForm, SettingsGroup } from '../../parts/field/settings.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh, useRead } from '../../read.ts'
import { useSession } from '../../session.tsx'

// The rounding of figures in reports. A change needs no recalculation, so this form saves separately and without a
// preview.

type Params = PathOutput<'report/params'>
type Field = `${Measure} ${'unit' | 'rounding' | 'minimumUnit'}` | 'minutesAs'

const valuesOf = ({ timeUnit, rounding, minimumUnit, minutesAs }: Params) =>
  Object.fromEntries([
    ['minutesAs', minutesAs],
    ...measures.flatMap((measure, at) => [
      [`${measure} unit`, String(timeUnit[at] ?? 0)],
      [`${measure} rounding`, String(rounding[at] ?? 0)],
      [`${measure} minimumUnit`, String(minimumUnit[at] ?? 0)],
    ]),
  ]) as Record<Field, string>

const isUnit = (text: string) => /^\d{1,3}$/.test(text.trim()) && Number(text) <= mostUnitMinutes
/** The duration in the example, which is no multiple of a usual unit. */
const exampleMinutes = 67

export function ReportParams() {
  const { data, readAgain } = useRead('report/params', {})
  return data ? <ParamsForm params={data} readAgain={readAgain} /> : null
}

function ParamsForm({ params, readAgain }: { params: Params; readAgain: () => Promise<Params | undefined> }) {
  const { t } = useTranslation(['params', 'shell'])
  const formats = useFormats()
  const { reload } = useSession()
  const [from, setFrom] = useState(params)
  const form = useForm(valuesOf(params))
  const { values, set, isChanged, restart } = form
  const begin = (fresh: Params) => {
    setFrom(fresh)
    restart(valuesOf(fresh))
  }
  useFreshForm(params, isChanged, () => begin(params))
  const wrong = Object.fromEntries(
    measures.map(measure => [`${measure} minimumUnit`, !isUnit(values[`${measure} minimumUnit`]) && 10002]),
  )
  const save = () =>
    form.submit(
      async () => {
        const numbersOf = (setting: 'unit' | 'rounding' | 'minimumUnit') =>
          measures.map(measure => Number(values[`${measure} ${setting}`]))
        await write('report/params/update', {
          version: from.version,
          timeUnit: numbersOf('unit') as (0 | 1)[],
          rounding: numbersOf('rounding') as RoundingMode[],
          minimumUnit: numbersOf('minimumUnit'),
          minutesAs: values.minutesAs === 'clock' ? 'clock' : 'minutes',
        })
        const fresh = await readAgain()
        if (fresh) begin(fresh)
        reload()
        refresh(['report/', 'attparams/', 'company/'])
        say(t('shell:saved'))
      },
      { wrong },
    )
  /** The effect of the rule on the duration in the example. */
  const example = (measure: Measure) => {
    const text = values[`${measure} minimumUnit`]
    if (!isUnit(text)) return ''
    const mode = Number(values[`${measure} rounding`]) as RoundingMode
    const printed = roundMinutes(exampleMinutes, { mode, unit: Number(text) })
    const isHours = values[`${measure} unit`] === '1'
    const printedText = isHours
      ? `${formats.hours(printed * 60)} ${t('shell:unit.hours')}`
      : values.minutesAs === 'clock'
        ? `${clockText(printed)} ${t('shell:unit.hours')}`
        : `${formats.number(printed)} ${t('shell:unit.minutes')}`
    return t('report.example', { minutes: exampleMinutes, printed: printedText })
  }
  return (
    <SettingsForm form={form} onSave={save} onDiscard={() => begin(params)}>
      <SettingsGroup title={t('report.title')} text={t('report.text')}>
        <SelectField
          className="report-minutes-as"
          label={t('report.minutesAs')}
          hint={t('report.minutesAsHint')}
          value={values.minutesAs}
          onText={minutesAs => set({ minutesAs })}
          options={[
            ['clock', t('report.asClock')],
            ['minutes', t('report.asMinutes')],
          ]}
        />
        <ul className="report-params">
          {measures.map(measure => (
            <li key={measure}>
              <fieldset>
                <legend>
                  {t(`report.measure.${measure}`)} <span className="muted small figure">{example(measure)}</span>
                </legend>
                <SelectField
                  label={t('report.unit')}
                  value={values[`${measure} unit`]}
                  onText={unit => set({ [`${measure} unit`]: unit })}
                  options={[
                    ['0', t('report.minutes')],
                    ['1', t('report.hours')],
                  ]}
                />
                <SelectField
                  label={t('report.rounding')}
                  value={values[`${measure} rounding`]}
                  onText={rounding => set({ [`${measure} rounding`]: rounding })}
                  options={[
                    ['0', t('report.down')],
                    ['1', t('report.up')],
                    ['2', t('report.nearest')],
                  ]}
                />
                <TextField
                  className="count"
                  label={t('report.minimumUnit')}
                  inputMode="numeric"
                  maxLength={3}
                  suffix={t('shell:unit.minutes')}
                  {...form.text(`${measure} minimumUnit`)}
                  error={form.error(`${measure} minimumUnit`) && t('report.wrong', { most: mostUnitMinutes })}
                />
              </fieldset>
            </li>
          ))}
        </ul>
        <p className="muted small">{t('report.none')}</p>
      </SettingsGroup>
    </SettingsForm>
  )
}
