import { Fingerprint } from 'lucide-react'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Use } from '../../shared/attendance/row.ts'
import { useFormats } from '../format.ts'
import { type DayRow, OpenDay, opensDay, useMayOpenDay } from '../parts/day/open-day.tsx'
import { Recalculations } from '../parts/day/recalculation.tsx'
import { SelectField } from '../parts/field/field.tsx'
import { SearchField, usePageSearch } from '../parts/field/search-field.tsx'
import { DayFilters, useDayFilters } from '../parts/list/day-filters.tsx'
import { useDepartments } from '../parts/list/departments.ts'
import { useDeviceName } from '../parts/list/device-name.ts'
import type { ColumnOf } from '../parts/list/grid/column.ts'
import { Grid, TwoLines } from '../parts/list/grid.tsx'
import { PersonName } from '../parts/list/person-name.tsx'
import { DeviceFilter, Mask, MeasureFilters, MoreFilters, useMeasureFilters } from '../parts/list/terminal-filters.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { ExportButton } from '../parts/sheet/sheet-buttons.tsx'
import { fullName } from '../person-name.ts'
import { type RowOf, useList } from '../read.ts'
import { withoutEmpty } from '../without-empty.ts'
import './record.css'

const Orphans = lazy(() => import('./record/orphan.tsx'))

type Row = RowOf<'record/grid'>

const keyOf = ({ employee, at, device }: Row) => `${employee} ${at} ${device}`
const dayOf = (row: Row): DayRow => ({ key: keyOf(row), employee: row.employee, day: row.workDay })

const tones: Record<Use, string> = {
  in: 'tag ok',
  out: 'tag info',
  handOver: 'tag info',
  break: 'tag',
  gap: 'tag',
  inner: 'tag',
  repeat: 'tag',
  otherShift: 'tag',
  outside: 'tag warn',
}
const isUse = (word: string): word is Use => word in tones

const sources = ['sendlog', 'getnewlog', 'getalllog', 'adms', 'browser', 'request'] as const satisfies Row['source'][]

/** A button hides the terminal filters. They are open at first if the address uses one of them. */
const useTerminalFilters = (range: ReturnType<typeof useDayFilters>['range']) => {
  const measure = useMeasureFilters(range)
  const source = sources.find(name => name === range.search.get('source'))
  return { ...measure, source, filters: { ...measure.filters, ...(source && { source }) } }
}

export default function RecordPage() {
  const { t } = useTranslation(['record', 'shell'])
  const formats = useFormats()
  const day = useDayFilters()
  const terminal = useTerminalFilters(day.range)
  const search = usePageSearch()
  const filters = { ...day.filters, ...terminal.filters, ...withoutEmpty({ search: search.words }) }
  const list = useList('record/grid', filters, { size: 100 })
  const { nameOf } = useDepartments()
  const deviceNameOf = useDeviceName()
  const { set } = day.range
  const { rows } = list
  const [shown, setShown] = useState<DayRow>()
  const open = useCallback((row: Row) => setShown(dayOf(row)), [])
  const mayOpen = useMayOpenDay()
  const hasTemperature = rows?.some(row => row.temperature !== undefined) || terminal.temperature !== undefined
  const hasMask = rows?.some(row => row.mask !== undefined) || terminal.mask !== undefined
  const hasPlace = rows?.some(row => row.place !== undefined || row.latitude !== undefined || row.isOutside)
  // Most punches have the source `sendlog`, so only a list with other sources needs the column.
  const hasSource = rows?.some(row => row.source && row.source !== 'sendlog') || terminal.source !== undefined
  const columns = useMemo<ColumnOf<'record/grid'>[]>(() => {
    const verified = ({ means, mode }: Row) => {
      if (means) return t(`verified.${means}`)
      return mode === undefined ? t('shell:none') : t('verified.code', { code: mode })
    }
    return [
      {
        key: 'name',
        title: t('employee'),
        width: 'minmax(208px, 2fr)',
        cell: row => <PersonName person={row} hasNumber onFilter={() => set({ employee: row.employee })} />,
      },
      {
        key: 'day',
        title: t('day'),
        width: '132px',
        cell: row => (
          <span className="figure">
            {formats.day(row.day)} <span className="muted">{formats.weekday(row.day)}</span>
          </span>
        ),
      },
      {
        key: 'time',
        title: t('time'),
        width: '84px',
        cell: row => <PunchTime row={row} onOpen={mayOpen ? open : undefined} />,
      },
      {
        key: 'use',
        title: t('use.label'),
        width: 'minmax(108px, 1fr)',
        cell: row =>
          isUse(row.use) ? <span className={tones[row.use]}>{t(`use.${row.use}`)}</span> : <span>{row.use}</span>,
      },
      {
        key: 'department',
        title: t('department'),
        width: 'minmax(100px, 1fr)',
        isExtra: true,
        cell: row => nameOf(row.department),
      },
      {
        key: 'device',
        title: t('device'),
        width: 'minmax(112px, 1fr)',
        isMinor: true,
        cell: row =>
          row.device ? (
            <button
              type="button"
              className="link figure"
              title={row.device}
              onClick={event => {
                event.stopPropagation()
                set({ device: row.device })
              }}
            >
              {deviceNameOf(row)}
            </button>
          ) : (
            t('shell:none')
          ),
      },
      ...(hasTemperature
        ? [
            {
              key: 'temperature',
              title: t('temperature.label'),
              unit: formats.degreesUnit,
              width: '88px',
              isNumber: true,
              cell: (row: Row) =>
                row.temperature === undefined ? (
                  <span className="muted">{t('shell:none')}</span>
                ) : (
                  <span className={row.isHigh ? 'figure fever' : 'figure'}>
                    {formats.degrees(row.temperature)}
                    {row.isHigh && <span className="unseen"> ({t('temperature.high')})</span>}
                  </span>
                ),
            },
          ]
        : []),
      ...(hasMask
        ? [
            {
              key: 'mask',
              title: t('mask.label'),
              width: '116px',
              cell: (row: Row) => <Mask mask={row.mask} />,
            },
          ]
        : []),
      ...(hasPlace
        ? [
            {
              key: 'place',
              title: t('place.label'),
              width: 'minmax(136px, 1fr)',
              cell: (row: Row) => <PunchPlace row={row} />,
            },
          ]
        : []),
      {
        key: 'verified',
        title: t('verified.label'),
        ...(hasSource && { second: t('source.label') }),
        width: '120px',
        isMinor: true,
        isExtra: true,
        cell: row =>
          hasSource ? (
            <TwoLines
              second={t('source.label')}
              of={[verified(row), row.source ? t(`source.${row.source}`) : t('shell:none')]}
            />
          ) : (
            verified(row)
          ),
      },
    ]
  }, [t, formats, nameOf, deviceNameOf, set, open, mayOpen, hasTemperature, hasMask, hasPlace, hasSource])
  return (
    <Page title={t('title')} actions={<ExportButton noun="record" filters={filters} />}>
      <Suspense>
        <Orphans />
      </Suspense>
      <Recalculations kinds={['record/orphan/assign', 'record/orphan/return']} />
      <DayFilters
        list="record"
        filters={day}
        rows={rows}
        search={<SearchField hint={t('searchHint')} {...search.field} />}
        names={['device', 'source', 'temperature', 'mask']}
      >
        <TerminalFilters terminal={terminal} range={day.range} />
      </DayFilters>
      <Grid
        label={t('title')}
        columns={columns}
        isWide={hasTemperature || hasMask || hasPlace}
        list={list}
        rowKey={keyOf}
        {...(mayOpen && { onOpen: open })}
        empty={
          <Empty icon={<Fingerprint />} title={t('empty.title')}>
            {t('empty.text')}
          </Empty>
        }
      />
      <OpenDay shown={shown} days={rows?.map(dayOf)} onShow={setShown} />
    </Page>
  )
}

/** The time of a punch. It opens the day that uses the punch. */
function PunchTime({ row, onOpen }: { row: Row; onOpen: ((row: Row) => void) | undefined }) {
  const { t } = useTranslation('record')
  const formats = useFormats()
  const time = formats.timeWithSeconds(row.at, row.timezone)
  if (!onOpen) return <strong className="figure">{time}</strong>
  return (
    <button
      type="button"
      className="link figure punch-time"
      aria-label={t('open', { time, name: fullName(row), day: formats.shortDay(row.workDay) })}
      {...opensDay(keyOf(row))}
      onClick={event => {
        // Otherwise the click would open the row as well.
        event.stopPropagation()
        onOpen(row)
      }}
    >
      {time}
    </button>
  )
}

/** The location of a browser punch: the company's name for the location, or else a link to a map. */
function PunchPlace({ row }: { row: Row }) {
  const { t } = useTranslation(['record', 'shell'])
  const { latitude, longitude, accuracyMetres, place, isOutside } = row
  if (latitude === undefined && !isOutside) return <span className="muted">{place ?? t('shell:none')}</span>
  const at = `${latitude}, ${longitude}`
  return (
    <>
      {isOutside && <span className="tag warn">{t('place.outside')}</span>}{' '}
      {latitude === undefined ? (
        <span className="muted">{t('place.untold')}</span>
      ) : (
        <a
          className="figure"
          href={`https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`}
          target="_blank"
          rel="noreferrer"
          onClick={event => event.stopPropagation()}
          title={accuracyMetres === undefined ? at : `${at} (±${accuracyMetres} m)`}
        >
          {place ?? at}
        </a>
      )}
    </>
  )
}

function TerminalFilters(props: {
  terminal: ReturnType<typeof useTerminalFilters>
  range: ReturnType<typeof useDayFilters>['range']
}) {
  const { t } = useTranslation('record')
  const { terminal, range } = props
  return (
    <MoreFilters range={range} isNarrowed={Object.keys(terminal.filters).length > 0}>
      <DeviceFilter range={range} />
      <SelectField
        label={t('source.label')}
        value={terminal.source ?? ''}
        onText={value => range.set({ source: value || undefined })}
        options={[['', t('source.all')], ...sources.map(name => [name, t(`source.${name}`)] as const)]}
      />
      <MeasureFilters range={range} />
    </MoreFilters>
  )
}
