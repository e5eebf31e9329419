import { LocateFixed, Plus, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { type PathOutput, write } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { DepartmentsField } from '../../parts/field/departments-field.tsx'
import { SwitchField, TextField } from '../../parts/field/field.tsx'
import { useForm, useFreshForm } from '../../parts/field/form.tsx'
import { SegmentField } from '../../parts/field/segment-field.tsx'
import { SettingsForm, SettingsGroup, SettingsWaiting, useSharedVersion } from '../../parts/field/settings.tsx'
import { useDepartments } from '../../parts/list/departments.ts'
import { Trouble } from '../../parts/page.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh, useRead } from '../../read.ts'
import './punch-params.css'

// The employees who may punch in the browser, and the allowed locations.

type Params = PathOutput<'company/punch'>
type Place = Params['places'][number]
type PlaceFields = Record<keyof Place, string> & { key: string }

const mostPlaces = 50
const mostDepartments = 100
const [leastRadius, mostRadius] = [10, 50_000]
const usualRadius = '150'

let lastKey = 0
const fieldsOf = ({ name, latitude, longitude, radiusMetres }: Place): PlaceFields => ({
  key: String(++lastKey),
  ...{ name, latitude: String(latitude), longitude: String(longitude), radiusMetres: String(radiusMetres) },
})
const valuesOf = ({ isOn, departments, isPlaceAsked, places, outside }: Params) => ({
  isOn,
  who: departments ? 'departments' : 'all',
  departments: departments ?? [],
  isPlaceAsked,
  places: places.map(fieldsOf),
  outside: outside as string,
})

/** Reads a number with a decimal point or comma. */
const numberOf = (text: string) => Number(text.trim().replace(',', '.') || Number.NaN)
const isWithin = (text: string, least: number, most: number) => numberOf(text) >= least && numberOf(text) <= most

export function PunchParams() {
  const { data, error, readAgain } = useRead('company/punch', {})
  if (data) return <PunchForm params={data} readAgain={readAgain} />
  return error ? <Trouble error={error} onRetry={() => readAgain()} /> : <SettingsWaiting groups={1} />
}

function PunchForm({ params, readAgain }: { params: Params; readAgain: () => Promise<Params | undefined> }) {
  const { t } = useTranslation(['punch', 'shell'])
  const { all = [] } = useDepartments()
  const versions = useSharedVersion()
  const form = useForm(valuesOf(params), params)
  const { values, set, isChanged, restart, error } = form
  const { places } = values
  useFreshForm(params, isChanged, () => restart(valuesOf(params), params))

  const change = (key: string, fields: Partial<PlaceFields>) =>
    set({ places: places.map(place => (place.key === key ? { ...place, ...fields } : place)) })
  const add = (point: Pick<PlaceFields, 'latitude' | 'longitude'> = { latitude: '', longitude: '' }) =>
    set({ places: [...places, { key: String(++lastKey), name: '', radiusMetres: usualRadius, ...point }] })
  const addHere = () =>
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => add({ latitude: coords.latitude.toFixed(5), longitude: coords.longitude.toFixed(5) }),
      () => say(t('unknownPlace'), 'danger'),
      { enableHighAccuracy: true, timeout: 15_000 },
    )
  const isForSome = values.who === 'departments'
  const wrong = {
    departments: values.isOn && isForSome && values.departments.length === 0 && 60001,
    ...Object.fromEntries(
      places.flatMap(({ name, latitude, longitude, radiusMetres }, i) => [
        [`places.${i}.name`, name.trim() === '' && 60001],
        [`places.${i}.latitude`, !isWithin(latitude, -90, 90) && 10002],
        [`places.${i}.longitude`, !isWithin(longitude, -180, 180) && 10002],
        [
          `places.${i}.radiusMetres`,
          !(isWithin(radiusMetres, leastRadius, mostRadius) && Number.isInteger(numberOf(radiusMetres))) && 10002,
        ],
      ]),
    ),
  }
  const save = () =>
    form.submit(
      async () => {
        const { isOn, departments, isPlaceAsked, outside } = values
        const version = versions.latest(form.from.version)
        await write('company/punch/update', {
          version,
          ...{ isOn, isPlaceAsked },
          ...(isForSome && departments.length > 0 && { departments }),
          places: places.map(({ name, latitude, longitude, radiusMetres }) => ({
            ...{ name, latitude: numberOf(latitude), longitude: numberOf(longitude) },
            radiusMetres: numberOf(radiusMetres),
          })),
          outside: outside as Params['outside'],
        })
        versions.saved(version)
        const fresh = await readAgain()
        if (fresh) restart(valuesOf(fresh), fresh)
        refresh(['company/', 'leave/params', 'approve/params'])
        say(t('shell:saved'))
      },
      { wrong },
    )

  return (
    <SettingsForm form={form} onSave={save} onDiscard={() => restart(valuesOf(params), params)}>
      <SettingsGroup title={t('title')} text={t('text')}>
        <SwitchField label={t('isOn')} hint={t('isOnHint')} checked={values.isOn} onCheck={isOn => set({ isOn })} />
        {values.isOn && (
          <>
            <SegmentField
              label={t('who')}
              value={values.who}
              onText={who => set({ who })}
              options={[
                ['all', t('whoAll')],
                ['departments', t('whoSome')],
              ]}
            />
            {isForSome && (
              <DepartmentsField
                label={t('departments')}
                hint={t('departmentsHint')}
                departments={all}
                without=""
                values={values.departments}
                onChange={departments => set({ departments })}
                most={mostDepartments}
                error={error('departments')}
              />
            )}
            <SwitchField
              label={t('isPlaceAsked')}
              hint={t('isPlaceAskedHint')}
              checked={values.isPlaceAsked}
              onCheck={isPlaceAsked => set({ isPlaceAsked })}
            />
            {values.isPlaceAsked && (
              <>
                <ul className="punch-places" aria-label={t('places')}>
                  {places.map(({ key, name, latitude, longitude, radiusMetres }, i) => (
                    <li key={key}>
                      <TextField
                        label={t('place')}
                        maxLength={60}
                        value={name}
                        onText={value => change(key, { name: value })}
                        error={error(`places.${i}.name`)}
                      />
                      <TextField
                        label={t('latitude')}
                        maxLength={12}
                        value={latitude}
                        onText={value => change(key, { latitude: value })}
                        error={error(`places.${i}.latitude`) && t('wrongDegrees', { most: 90 })}
                      />
                      <TextField
                        label={t('longitude')}
                        maxLength={12}
                        value={longitude}
                        onText={value => change(key, { longitude: value })}
                        error={error(`places.${i}.longitude`) && t('wrongDegrees', { most: 180 })}
                      />
                      <TextField
                        label={t('radius')}
                        inputMode="numeric"
                        maxLength={5}
                        value={radiusMetres}
                        onText={value => change(key, { radiusMetres: value })}
                        error={
                          error(`places.${i}.radiusMetres`) &&
                          t('wrongRadius', { least: leastRadius, most: mostRadius })
                        }
                      />
                      <Button
                        look="quiet"
                        square
                        aria-label={t('removePlace', { name: name || t('place') })}
                        icon={<Trash2 className="icon" />}
                        onClick={() => set({ places: places.filter(place => place.key !== key) })}
                      />
                    </li>
                  ))}
                </ul>
                {places.length === 0 && <p className="muted">{t('anywhere')}</p>}
                <div className="punch-add">
                  <Button icon={<Plus className="icon" />} disabled={places.length >= mostPlaces} onClick={() => add()}>
                    {t('addPlace')}
                  </Button>
                  <Button
                    look="quiet"
                    icon={<LocateFixed className="icon" />}
                    disabled={places.length >= mostPlaces}
                    onClick={addHere}
                  >
                    {t('addHere')}
                  </Button>
                </div>
                {places.length > 0 && (
                  <SegmentField
                    label={t('outside')}
                    value={values.outside}
                    onText={outside => set({ outside })}
                    options={[
                      ['refuse', t('outsideRefuse')],
                      ['flag', t('outsideFlag')],
                    ]}
                  />
                )}
              </>
            )}
          </>
        )}
      </SettingsGroup>
    </SettingsForm>
  )
}
