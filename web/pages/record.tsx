import { Fingerprint, UserRoundX } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Use } from '../../shared/attendance/row.ts'
import { useFormats } from '../format.ts'
import { DayFilters, useDayFilters } from '../parts/day-filters.tsx'
import { useDepartments } from '../parts/departments.ts'
import { type ColumnOf, Grid } from '../parts/grid.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { PersonName } from '../parts/person-name.tsx'
import { Link } from '../parts/router.ts'
import { useList, useRead } from '../read.ts'

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

export default function RecordPage() {
  const { t } = useTranslation(['record', 'shell'])
  const formats = useFormats()
  const filters = useDayFilters()
  const list = useList('record/grid', filters.filters, { size: 100 })
  const { nameOf } = useDepartments()
  const { set } = filters.range
  const columns = useMemo<ColumnOf<'record/grid'>[]>(
    () => [
      {
        key: 'name',
        title: t('employee'),
        width: 'minmax(184px, 2fr)',
        cell: row => <PersonName person={row} hasNumber onPress={() => set({ employee: row.employee })} />,
      },
      {
        key: 'day',
        title: t('day'),
        width: '144px',
        cell: row => (
          <span className="figure">
            {formats.day(row.day)} <span className="muted">{formats.weekday(row.day)}</span>
          </span>
        ),
      },
      {
        key: 'time',
        title: t('time'),
        width: '100px',
        cell: row => <strong className="figure">{formats.timeWithSeconds(row.at, row.timezone)}</strong>,
      },
      {
        key: 'use',
        title: t('use.label'),
        width: '168px',
        cell: row =>
          isUse(row.use) ? <span className={tones[row.use]}>{t(`use.${row.use}`)}</span> : <span>{row.use}</span>,
      },
      { key: 'department', title: t('department'), width: 'minmax(112px, 1fr)', cell: row => nameOf(row.department) },
      {
        key: 'device',
        title: t('device'),
        width: 'minmax(104px, 1fr)',
        isMinor: true,
        cell: row =>
          row.deviceName ? (
            <span title={row.device}>{row.deviceName}</span>
          ) : (
            <span className="figure">{row.device || t('shell:none')}</span>
          ),
      },
    ],
    [t, formats, nameOf, set],
  )
  return (
    <Page title={t('title')}>
      <Orphans />
      <DayFilters filters={filters} rows={list.rows} />
      <Grid
        label={t('title')}
        columns={columns}
        list={list}
        rowKey={row => `${row.employee} ${row.at} ${row.device}`}
        empty={
          <Empty icon={<Fingerprint />} title={t('empty.title')}>
            {t('empty.text')}
          </Empty>
        }
      />
    </Page>
  )
}

/** Numbers that punched and belong to nobody: their punches wait until somebody gets the number. */
function Orphans() {
  const { t } = useTranslation('record')
  const { data } = useRead('record/orphan/grid', {})
  if (!data || data.list.length === 0) return null
  const numbers = data.list.map(({ workno }) => workno)
  return (
    <p className="notice warn">
      <UserRoundX className="icon" aria-hidden="true" />
      <span>
        {t('orphans', { count: numbers.length, numbers: numbers.slice(0, 10).join(', ') })}{' '}
        <Link to="/employee">{t('orphansLink')}</Link>
      </span>
    </p>
  )
}
