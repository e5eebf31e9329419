import { CalendarClock } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { exceptionTypes } from '../../../shared/attendance/row.ts'
import type { FigureName } from '../../../shared/figure.ts'
import { measureOf } from '../../../shared/measure.ts'
import { useFormats } from '../../format.ts'
import { type DayRow, OpenDay, opensDay } from '../../parts/day/open-day.tsx'
import { MonthField, useMonth } from '../../parts/field/month-field.tsx'
import type { ColumnOf } from '../../parts/list/grid/column.ts'
import { Grid } from '../../parts/list/grid.tsx'
import { Empty } from '../../parts/page.tsx'
import { Link } from '../../parts/shell/router.ts'
import { type RowOf, useList } from '../../read.ts'
import { daysOf } from '../timecard/days.ts'
import type { Got } from './tabs.ts'

type Row = RowOf<'report/grid'>

const figures = [
  ['dutyMinutes', ''],
  ['workMinutes', 'strong'],
  ['lateMinutes', 'late'],
  ['absentMinutes', 'missed'],
  ['overtimeMinutes', 'more'],
] as const satisfies readonly (readonly [FigureName, string])[]

/** The days of a person's month, as the report lists them. A day opens its explanation. */
export function PersonDays({ person }: { person: Got }) {
  const { t } = useTranslation(['person', 'report', 'explain', 'exception', 'shell'])
  const formats = useFormats()
  const { month, pick } = useMonth()
  const days = daysOf(month)
  const [from, to] = [days[0] ?? '', days.at(-1) ?? '']
  const list = useList('report/grid', { from, to, employee: person.id }, { size: 200 })
  const [shown, setShown] = useState<DayRow>()
  const rowOf = ({ day }: Pick<Row, 'day'>): DayRow => ({ key: day, employee: person.id, day })
  const columns = useMemo<ColumnOf<'report/grid'>[]>(() => {
    const none = <span className="muted">{t('shell:none')}</span>
    const clock = (at: string | undefined, { timezone }: Row) =>
      at ? <span className="figure">{formats.time(at, timezone)}</span> : none
    return [
      {
        ...{ key: 'day', title: t('exception:day'), width: '148px' },
        cell: row => (
          <button
            type="button"
            className="row-title figure"
            {...opensDay(row.day)}
            onClick={event => {
              event.stopPropagation()
              setShown({ key: row.day, employee: row.employee, day: row.day })
            }}
          >
            {formats.day(row.day)} {formats.weekday(row.day)}
          </button>
        ),
      },
      {
        ...{ key: 'shift', title: t('exception:shift'), width: 'minmax(112px, 1fr)' },
        cell: row =>
          row.shift ? (
            <span className={`shift-name shift-color ${row.shiftColor ?? ''}`}>{row.shift}</span>
          ) : (
            <span className="muted">{t('report:free')}</span>
          ),
      },
      { key: 'in', title: t('firstIn'), width: '84px', cell: row => clock(row.firstIn, row) },
      { key: 'out', title: t('lastOut'), width: '84px', cell: row => clock(row.lastOut, row) },
      ...figures.map(([name, tone]): ColumnOf<'report/grid'> => {
        const measure = measureOf[name]
        return {
          ...{ key: name, title: t(`explain:figure.${name}`), unit: t(`shell:unit.${formats.unit(measure)}`) },
          ...{ width: 'minmax(84px, 0.6fr)', isNumber: true, isExtra: name === 'dutyMinutes' },
          cell: row =>
            row[name] > 0 ? <span className={`figure ${tone}`}>{formats.duration(row[name], measure)}</span> : none,
        }
      }),
      {
        ...{ key: 'exceptions', title: t('exception:title'), width: 'minmax(120px, 1fr)' },
        cell: row => {
          const raised = exceptionTypes.filter(type => row.exceptions.includes(type))
          return raised.length === 0
            ? none
            : raised.map(type => (
                <span key={type} className="tag danger">
                  {t(`exception:type.${type}`)}
                </span>
              ))
        },
      },
    ]
  }, [t, formats])
  return (
    <div className="person-days">
      <div className="person-tools">
        <MonthField month={month} onPick={pick} />
        <Link className="button" to={`/report?employee=${person.id}&from=${from}&to=${to}`}>
          {t('openReport')}
        </Link>
      </div>
      <Grid
        label={t('tabs.days')}
        columns={columns}
        list={list}
        rowKey={row => `${row.day} ${row.shift ?? ''} ${row.dutyFrom ?? ''}`}
        onOpen={row => setShown(rowOf(row))}
        empty={
          <Empty icon={<CalendarClock />} title={t('noDaysTitle')}>
            {t('noDaysText', { month: formats.month(month) })}
          </Empty>
        }
      />
      <OpenDay shown={shown} days={list.rows?.map(rowOf)} onShow={setShown} />
    </div>
  )
}
