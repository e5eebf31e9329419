import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../read.ts'
import { PickField } from './pick-field.tsx'

export interface Place {
  country: string
  state: string
  city: string
}

const none: { id: string; name: string }[] = []

/**
 * The fields for country, state and city. The value of each field decides the options of the next field. The user may
 * also type an unlisted state or city. Changing a field clears the fields after it.
 */
export function PlaceFields(props: {
  form: { values: Place; set: (change: Partial<Place>) => void; error: (field: string) => string | undefined }
}) {
  const { t } = useTranslation()
  const { values, set, error } = props.form
  const { country, state, city } = values
  const { data: countries } = useRead('location/country', {})
  const isListed = countries?.list.some(({ id }) => id === country)
  const { data: stateList } = useRead('location/state', isListed ? { country_id: country } : null)
  const states = isListed ? stateList?.list : undefined
  const stateId = states?.find(({ name }) => name === state)?.id
  const { data: cityList } = useRead('location/city', stateId ? { state_id: stateId } : null)
  const cities = stateId ? cityList?.list : undefined
  const countryOptions = useMemo(
    () => [
      // A country that a user typed before the site had a list of countries.
      ...(country && countries && !isListed ? [[country, country] as const] : []),
      ...(countries?.list ?? none).map(({ id, name }) => [String(id), name] as const),
    ],
    [countries, country, isListed],
  )
  const stateOptions = useMemo(
    () =>
      (states ?? []).map(
        ({ name, native }) => [name, native && native !== name ? `${name} · ${native}` : name] as const,
      ),
    [states],
  )
  const cityOptions = useMemo(
    // A state can have several cities with the same name.
    () => [...new Set((cities ?? none).map(({ name }) => name))].map(name => [name, name] as const),
    [cities],
  )
  return (
    <>
      <PickField
        label={t('place.country')}
        optional
        name="country"
        value={country}
        options={countryOptions}
        error={error('country')}
        onText={value => value !== country && set({ country: value, state: '', city: '' })}
      />
      <div className="pair">
        <PickField
          label={t('place.state')}
          optional
          free
          maxLength={100}
          name="state"
          value={state}
          options={stateOptions}
          error={error('state')}
          onText={value => value !== state && set({ state: value, city: '' })}
        />
        <PickField
          label={t('place.city')}
          optional
          free
          maxLength={100}
          name="city"
          value={city}
          options={cityOptions}
          error={error('city')}
          onText={value => set({ city: value })}
        />
      </div>
    </>
  )
}
