import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { useHolidayWords } from '../../parts/board/holiday-words.ts'
import { SelectField } from '../../parts/field/field.tsx'
import { useForm } from '../../parts/field/form.tsx'
import { PickField } from '../../parts/field/pick-field.tsx'
import type { DepartmentChoice } from '../../parts/list/departments.ts'
import { FormPanel } from '../../parts/list/panel.tsx'
import { Trouble } from '../../parts/page.tsx'
import { useRead } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import { FreedField, HolidayQuestion, useHolidayChange } from './form.tsx'
import './import.css'

/** Governments can still change holidays further ahead. */
const yearsAhead = 2

/** Imports public holidays of a country and year. */
export function HolidayImport(props: { departments: readonly DepartmentChoice[]; onClose: () => void }) {
  const { t } = useTranslation(['holiday', 'shell'])
  const formats = useFormats()
  const words = useHolidayWords()
  const { company } = usePerson()
  const { departments, onClose } = props
  const change = useHolidayChange(onClose)
  const thisYear = Number(formats.today().slice(0, 4))
  const form = useForm({
    country: '',
    state: '',
    year: String(thisYear),
    without: [] as string[],
    departments: undefined as readonly string[] | undefined,
  })
  const { country, state, year, without, departments: freed } = form.values
  const { data: countries, error, readAgain } = useRead('holiday/country', {})
  const { data: settings } = useRead('company/get', {})
  const [isTouched, setTouched] = useState(false)
  // Preselects the company's country until the user chooses one.
  const companyCountry = settings?.country
  useEffect(() => {
    if (companyCountry && !isTouched && countries?.list.some(({ id }) => id === companyCountry))
      form.restart({ ...form.values, country: companyCountry })
  }, [companyCountry, isTouched, countries, form.restart, form.values])
  const states = useMemo(() => countries?.list.find(({ id }) => id === country)?.states ?? [], [countries, country])
  const {
    data: publicHolidays,
    error: listError,
    readAgain: readListAgain,
  } = useRead(
    'holiday/public',
    country
      ? { country, year: Number(year), ...(state && { state }), ...(freed?.length && { departments: [...freed] }) }
      : null,
  )
  const offered = publicHolidays?.list.filter(({ isKnown }) => !isKnown) ?? []
  const chosen = [...new Set(offered.map(({ from }) => from))].filter(day => !without.includes(day))
  const years = Array.from({ length: yearsAhead + 2 }, (_, index) => String(thisYear - 1 + index))

  const save = () =>
    form.submit(
      () => {
        const added = offered
          .filter(({ from }) => chosen.includes(from))
          .map(({ isKnown: _, ...holiday }) => ({ ...holiday, ...(freed && { departments: [...freed] }) }))
        return change.make(
          added,
          { holidays: added },
          () =>
            write('holiday/import', {
              country,
              year: Number(year),
              days: chosen,
              ...(state && { state }),
              ...(freed && { departments: [...freed] }),
            }),
          ({ added }) => t('import.done', { count: added }),
        )
      },
      { required: ['country'], wrong: { departments: freed?.length === 0 && 60001 } },
    )
  return (
    <FormPanel
      title={t('import.title')}
      form={form}
      save={chosen.length > 0 ? t('import.yes', { count: chosen.length }) : t('import.button')}
      onSave={() => (chosen.length > 0 ? save() : onClose())}
      onClose={onClose}
    >
      {error && !countries ? (
        <Trouble error={error} onRetry={() => void readAgain()} />
      ) : (
        <>
          <PickField
            label={t('import.country')}
            value={country}
            error={form.error('country')}
            options={countries?.list.map(({ id, name }) => [id, name] as const) ?? []}
            onText={id => {
              setTouched(true)
              form.set({ country: id, state: '', without: [] })
            }}
          />
          <div className="pair">
            {states.length > 0 && (
              <SelectField
                label={t('import.state')}
                value={state}
                onText={id => form.set({ state: id, without: [] })}
                options={[['', t('import.wholeCountry')], ...states.map(({ id, name }) => [id, name] as const)]}
              />
            )}
            <SelectField
              label={t('year')}
              value={year}
              onText={year => form.set({ year, without: [] })}
              options={years.map(year => [year, year] as const)}
            />
          </div>
          {country && (
            <fieldset className="field public-holidays" aria-busy={!publicHolidays}>
              <legend className="label">{t('import.list')}</legend>
              {listError && !publicHolidays && <Trouble error={listError} onRetry={() => void readListAgain()} />}
              {publicHolidays?.list.length === 0 && <p className="muted">{t('import.none')}</p>}
              {publicHolidays?.list.map(holiday => (
                <label key={`${holiday.from} ${holiday.name}`} className="check">
                  <input
                    type="checkbox"
                    checked={holiday.isKnown || !without.includes(holiday.from)}
                    disabled={holiday.isKnown}
                    onChange={event =>
                      form.set({
                        without: event.target.checked
                          ? without.filter(day => day !== holiday.from)
                          : [...without, holiday.from],
                      })
                    }
                  />
                  <span>
                    {holiday.name}
                    <span className="muted small figure">
                      {formats.weekday(holiday.from)} {formats.day(holiday.from)}
                      {holiday.to !== holiday.from && ` – ${formats.weekday(holiday.to)} ${formats.day(holiday.to)}`}
                      {holiday.part && `, ${words.part(holiday.part)}`}
                      {holiday.isKnown && ` · ${t('import.known')}`}
                    </span>
                  </span>
                </label>
              ))}
            </fieldset>
          )}
          <FreedField
            departments={departments}
            values={freed}
            onChange={departments => form.set({ departments })}
            error={form.error('departments')}
          />
          <HolidayQuestion
            change={change}
            title={t('import.yes', { count: chosen.length })}
            yes={t('import.yes', { count: chosen.length })}
          />
          <p className="muted small">{t('import.source', { company: company.name })}</p>
        </>
      )}
    </FormPanel>
  )
}
