import { Clock, Plus } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { axisOf, DayBar } from '../parts/day/day-bar.tsx'
import { Recalculations } from '../parts/day/recalculation.tsx'
import { SearchField, useSearch } from '../parts/field/search-field.tsx'
import type { ColumnOf } from '../parts/list/grid/column.ts'
import { Grid } from '../parts/list/grid.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { useAsked } from '../parts/say/asked.ts'
import { useList } from '../read.ts'
import { withoutEmpty } from '../without-empty.ts'
import { useHours } from './shift/hours.ts'
import { colors, type Shift } from './shift/values.ts'

const ShiftPanel = lazy(() => import('./shift/panel.tsx'))

const drawn = (shift: Shift) => ({ ...shift, breaks: shift.breaks ?? [] })
const isWeekly = ({ kind }: Shift) => kind === 'weekly'

export default function ShiftPage() {
  const { t } = useTranslation(['shift', 'shell'])
  const formats = useFormats()
  const hoursOf = useHours()
  /** The shift in the panel, or a new shift with an optional template. */
  const [open, setOpen] = useState<{ shift?: Shift; like?: Shift }>()
  useAsked('new', () => setOpen({}))
  const search = useSearch()
  const { words } = search
  // Sorted by start time, like the palette of the schedule.
  const list = useList('shift/grid', withoutEmpty({ search: words }), { sort: { by: 'onDuty' } })
  const { rows } = list
  const unusedColor = colors.find(color => !rows?.some(row => row.color === color)) ?? 'teal'
  const axis = useMemo(() => axisOf((rows ?? []).filter(row => !isWeekly(row)).map(drawn)), [rows])
  const columns = useMemo<ColumnOf<'shift/grid'>[]>(
    () => [
      {
        key: 'name',
        sort: 'name',
        title: t('name'),
        width: 'minmax(144px, 1.4fr)',
        cell: row => (
          <span className={`shift-name shift-color ${row.color ?? 'teal'}`}>
            <button type="button" className="row-title" title={row.name} onClick={() => setOpen({ shift: row })}>
              {row.name}
            </button>
          </span>
        ),
      },
      {
        key: 'kind',
        title: t('kind.label'),
        width: 'minmax(140px, 0.7fr)',
        cell: row => t(isWeekly(row) ? 'kind.weekly' : 'kind.fixed'),
      },
      {
        key: 'hours',
        sort: 'onDuty',
        title: t('hours'),
        width: 'minmax(184px, 0.9fr)',
        cell: row => <span className={isWeekly(row) ? undefined : 'figure'}>{hoursOf(row)}</span>,
      },
      {
        key: 'day',
        title: t('drawn.label'),
        width: 'minmax(120px, 1.8fr)',
        cell: row =>
          isWeekly(row) ? (
            <span className="muted small">{t('weekly.any')}</span>
          ) : (
            <DayBar shift={drawn(row)} color={row.color ?? 'teal'} axis={axis} />
          ),
      },
      {
        key: 'allowed',
        title: t('allowed'),
        unit: t('shell:unit.minutes'),
        width: 'minmax(136px, 0.6fr)',
        isNumber: true,
        isExtra: true,
        cell: row =>
          isWeekly(row)
            ? t('shell:none')
            : `${formats.number(row.allowedLateMinutes ?? 0)} / ${formats.number(row.allowedEarlyMinutes ?? 0)}`,
      },
      {
        key: 'status',
        title: t('status.label'),
        width: '132px',
        cell: row => (
          <span className={row.isUsed ? 'tag ok' : 'tag'}>{t(row.isUsed ? 'status.used' : 'status.unused')}</span>
        ),
      },
    ],
    [t, formats, hoursOf, axis],
  )
  const add = (
    <Button look="primary" icon={<Plus className="icon" />} onClick={() => setOpen({})}>
      {t('add')}
    </Button>
  )
  return (
    <Page title={t('title')} note={list.count !== undefined && t('count', { count: list.count })} actions={add}>
      <Recalculations kinds={['shift/update']} />
      <div className="filters">
        <SearchField hint={t('searchHint')} {...search.field} />
      </div>
      <Grid
        label={t('title')}
        columns={columns}
        list={list}
        rowKey={row => row.id}
        onOpen={shift => setOpen({ shift })}
        empty={
          <Empty icon={<Clock />} title={t(words ? 'shell:choice.none' : 'empty.title')} action={!words && add}>
            {t(words ? 'empty.search' : 'empty.text')}
          </Empty>
        }
      />
      {open && (
        <Suspense>
          <ShiftPanel
            shift={open.shift}
            like={open.like}
            color={unusedColor}
            onCopy={like => setOpen({ like })}
            onClose={() => setOpen(undefined)}
          />
        </Suspense>
      )}
    </Page>
  )
}
