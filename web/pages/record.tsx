import { Fingerprint, UserRoundX } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Use } from '../../shared/attendance/row.ts'
import { useFormats } from '../format.ts'
import { Avatar } from '../parts/avatar.tsx'
import { DayFilters, useDayFilters } from '../parts/day-filters.tsx'
import { type Column, Grid } from '../parts/grid.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { Link } from '../parts/router.ts'
import { type RowOf, useList, useRead } from '../read.ts'

type Punch = RowOf<'record/grid'>

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
  const list = useList('record/grid', filters.filters, 100)
  const { data: all } = useRead('department/all', {})
  const { set } = filters.range
  const columns = useMemo<Column<Punch>[]>(() => {
    const nameOf = (id: string) => all?.list.find(({ id: other }) => other === id)?.name ?? t('shell:none')
    return [
      {
        key: 'name',
        title: t('employee'),
        width: 'minmax(184px, 2fr)',
        cell: row => (
          <span className="two">
            <Avatar person={row} />
            <span>
              <button type="button" className="row-title" onClick={() => set({ employee: row.employee })}>
                {row.first_name} {row.last_name}
              </button>{' '}
              <span className="muted figure">{row.workno}</span>
            </span>
          </span>
        ),
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
    ]
  }, [t, formats, all, set])
  return (
    <Page title={t('title')}>
      <Orphans />
      <DayFilters filters={filters} rows={list.rows} />
      <Grid
        label={t('title')}
        columns={columns}
        rows={list.rows}
        rowKey={row => `${row.employee} ${row.at} ${row.device}`}
        error={list.error}
        onRetry={list.readAgain}
        onEnd={list.more}
        hasMore={list.hasMore}
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
