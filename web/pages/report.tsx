import { FileChartColumn } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Exception } from '../../shared/attendance/row.ts'
import { type Measure, useFormats } from '../format.ts'
import { DayFilters, useDayFilters } from '../parts/day-filters.tsx'
import { type ColumnOf, Grid } from '../parts/grid.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { PersonName } from '../parts/person-name.tsx'
import { Link } from '../parts/router.ts'
import { type RowOf, useList } from '../read.ts'

type Day = RowOf<'report/grid'>
type DayColumn = ColumnOf<'report/grid'>

const exceptionNames: readonly Exception[] = ['missingIn', 'missingOut', 'longBreak', 'punchedOnLeave']

export default function ReportPage() {
  const { t } = useTranslation(['report', 'shell'])
  const formats = useFormats()
  const filters = useDayFilters()
  const list = useList('report/grid', filters.filters, { size: 100 })
  const { set } = filters.range
  const columns = useMemo<DayColumn[]>(() => {
    /** A figure of the day; nothing is a quiet dash, so that what happened stands out. */
    const figure = (
      key: 'duty' | 'work' | 'late' | 'early' | 'absent' | 'overtime',
      measure: Measure,
      minutesOf: (row: Day) => number,
      tone = '',
    ): DayColumn => ({
      key,
      title: t(key),
      unit: t(`shell:unit.${formats.unit(measure)}`),
      width: 'minmax(84px, 0.6fr)',
      isNumber: true,
      cell: row => {
        const minutes = minutesOf(row)
        return minutes > 0 ? (
          <span className={`figure ${tone}`}>{formats.duration(minutes, measure)}</span>
        ) : (
          <span className="muted">{t('shell:none')}</span>
        )
      },
    })
    const time = (key: 'in' | 'out', at: (row: Day) => string | undefined): DayColumn => ({
      key,
      title: t(key),
      width: '68px',
      cell: row => {
        const instant = at(row)
        return instant ? (
          <span className="figure">{formats.time(instant, row.timezone)}</span>
        ) : (
          <span className="muted">{t('shell:none')}</span>
        )
      },
    })
    return [
      {
        key: 'name',
        title: t('employee'),
        width: 'minmax(196px, 2fr)',
        cell: row => <PersonName person={row} hasNumber onPress={() => set({ employee: row.employee })} />,
      },
      {
        key: 'day',
        title: t('day'),
        width: '136px',
        cell: row => (
          <Link className="figure" to={`/record?from=${row.day}&to=${row.day}&employee=${row.employee}`}>
            {formats.day(row.day)} {formats.weekday(row.day)}
          </Link>
        ),
      },
      {
        key: 'shift',
        title: t('shift'),
        width: 'minmax(96px, 1fr)',
        cell: row =>
          row.shift ? (
            <span className={`shift-name shift-color ${row.shiftColor ?? ''}`}>{row.shift}</span>
          ) : (
            <span className="muted">{t('free')}</span>
          ),
      },
      time('in', row => row.firstIn),
      time('out', row => row.lastOut),
      figure('duty', 'work', row => row.dutyMinutes),
      figure('work', 'work', row => row.workMinutes, 'strong'),
      figure('late', 'late', row => row.lateMinutes, 'late'),
      figure('early', 'early', row => row.earlyLeaveMinutes, 'late'),
      figure('absent', 'absence', row => row.absentMinutes, 'missed'),
      figure('overtime', 'overtime', row => row.overtimeMinutes, 'more'),
      { key: 'state', title: t('state.label'), width: '128px', cell: row => <State day={row} /> },
    ]
  }, [t, formats, set])
  return (
    <Page title={t('title')} className="report">
      <DayFilters filters={filters} rows={list.rows} />
      <Grid
        label={t('title')}
        isWide
        columns={columns}
        list={list}
        rowKey={row => `${row.employee} ${row.day} ${row.shift ?? ''}`}
        empty={
          <Empty icon={<FileChartColumn />} title={t('empty.title')}>
            {t('empty.text')}
          </Empty>
        }
      />
    </Page>
  )
}

/** Whether the day is settled, and what a person should look at. */
function State({ day }: { day: Day }) {
  const { t } = useTranslation('report')
  const exceptions = exceptionNames.filter(name => day.exceptions.includes(name))
  if (exceptions.length > 0) {
    return (
      <>
        {exceptions.map(name => (
          <span key={name} className="tag danger">
            {t(`exception.${name}`)}
          </span>
        ))}
      </>
    )
  }
  return <span className={day.state === 'final' ? 'tag ok' : 'tag'}>{t(`state.${day.state}`)}</span>
}
