import { Thermometer } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { inUnit, unitNames } from '../../shared/degrees.ts'
import type { PathOutput } from '../api.ts'
import { useFormats } from '../format.ts'
import { SearchField, usePageSearch } from '../parts/field/search-field.tsx'
import { DayFilters, useDayFilters } from '../parts/list/day-filters.tsx'
import { useDepartments } from '../parts/list/departments.ts'
import { useDeviceName } from '../parts/list/device-name.ts'
import type { ColumnOf } from '../parts/list/grid/column.ts'
import { Grid } from '../parts/list/grid.tsx'
import { PersonName } from '../parts/list/person-name.tsx'
import { DeviceFilter, Mask, MeasureFilters, useMeasureFilters } from '../parts/list/terminal-filters.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { ExportButton } from '../parts/sheet/sheet-buttons.tsx'
import { type RowOf, useList, useRareRead } from '../read.ts'
import { withoutEmpty } from '../without-empty.ts'
import './temperature.css'

type Row = RowOf<'temperature/grid'>

export default function TemperaturePage() {
  const { t } = useTranslation(['temperature', 'record', 'shell'])
  const formats = useFormats()
  const day = useDayFilters()
  const { set } = day.range
  const search = usePageSearch()
  const measure = useMeasureFilters(day.range)
  const filters = { ...day.filters, ...measure.filters, ...withoutEmpty({ search: search.words }) }
  const list = useList('temperature/grid', filters, { size: 100 })
  const summary = useRareRead('temperature/summary', { filters })
  const { nameOf } = useDepartments()
  const deviceNameOf = useDeviceName()
  const { rows } = list
  const columns = useMemo<ColumnOf<'temperature/grid'>[]>(
    () => [
      {
        key: 'name',
        title: t('record:employee'),
        width: 'minmax(184px, 2fr)',
        cell: row => <PersonName person={row} hasNumber onFilter={() => set({ employee: row.employee })} />,
      },
      {
        key: 'temperature',
        title: t('record:temperature.label'),
        unit: formats.degreesUnit,
        width: '128px',
        isNumber: true,
        cell: ({ temperature, isHigh }: Row) =>
          temperature === undefined ? (
            <span className="muted">{t('shell:none')}</span>
          ) : (
            <span className={isHigh ? 'tag danger figure' : 'figure'}>
              {formats.degrees(temperature)}
              {isHigh && <span className="unseen"> ({t('record:temperature.high')})</span>}
            </span>
          ),
      },
      { key: 'mask', title: t('record:mask.label'), width: '164px', cell: row => <Mask mask={row.mask} /> },
      {
        key: 'day',
        title: t('record:day'),
        width: '136px',
        cell: row => (
          <span className="figure">
            {formats.day(row.day)} <span className="muted">{formats.weekday(row.day)}</span>
          </span>
        ),
      },
      {
        key: 'time',
        title: t('record:time'),
        width: '96px',
        cell: row => <strong className="figure">{formats.timeWithSeconds(row.at, row.timezone)}</strong>,
      },
      {
        key: 'department',
        title: t('record:department'),
        width: 'minmax(112px, 1fr)',
        isExtra: true,
        cell: row => nameOf(row.department),
      },
      {
        key: 'device',
        title: t('record:device'),
        width: 'minmax(104px, 1fr)',
        cell: row => (
          <button type="button" className="link figure" title={row.device} onClick={() => set({ device: row.device })}>
            {deviceNameOf(row)}
          </button>
        ),
      },
    ],
    [t, formats, nameOf, deviceNameOf, set],
  )
  return (
    <Page title={t('title')} actions={<ExportButton noun="temperature" filters={filters} />}>
      <DayFilters
        list="temperature"
        filters={day}
        rows={rows}
        search={<SearchField hint={t('record:searchHint')} {...search.field} />}
        names={['device', 'temperature', 'mask']}
      >
        <DeviceFilter range={day.range} />
        <MeasureFilters range={day.range} />
      </DayFilters>
      <Summary
        summary={summary.data}
        onHigh={() => set({ temperature: measure.temperature === '1' ? undefined : '1' })}
      />
      <Grid
        label={t('title')}
        columns={columns}
        isWide
        list={list}
        rowKey={row => `${row.employee} ${row.at} ${row.device}`}
        empty={
          <Empty icon={<Thermometer />} title={t('empty.title')}>
            {t('empty.text')}
          </Empty>
        }
      />
    </Page>
  )
}

/** The counts for the current filters. Pressing the count of high temperatures filters the list by them. */
function Summary(props: { summary: PathOutput<'temperature/summary'> | undefined; onHigh: () => void }) {
  const { t } = useTranslation('temperature')
  const formats = useFormats()
  const { summary } = props
  if (!summary) return <p className="measured" aria-busy="true" />
  const { measured, high, withoutMask, isMore, temp_unit, fever_threshold } = summary
  // Uses the unit of the rows, because the company may have changed its unit since the page was loaded.
  const isSameUnit = unitNames[temp_unit] === formats.degreesUnit
  const threshold = isSameUnit ? fever_threshold : inUnit(fever_threshold, temp_unit === 1 ? 0 : 1)
  const count = (number: number) => (
    <strong className="figure">
      {formats.number(number)}
      {isMore && '+'}
    </strong>
  )
  return (
    <dl className="measured" title={isMore ? t('isMore') : undefined}>
      <div>
        <dt>{t('measured')}</dt>
        <dd>{count(measured)}</dd>
      </div>
      <div className={high > 0 ? 'is-high' : undefined}>
        <dt>
          <button type="button" className="link" onClick={props.onHigh}>
            {t('high', { threshold: `${formats.tenths(threshold)} ${formats.degreesUnit}` })}
          </button>
        </dt>
        <dd>{count(high)}</dd>
      </div>
      <div>
        <dt>{t('withoutMask')}</dt>
        <dd>{count(withoutMask)}</dd>
      </div>
    </dl>
  )
}
