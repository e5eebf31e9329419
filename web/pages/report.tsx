import { Columns3, Download, FileChartColumn, Lock, Mail } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Exception } from '../../shared/attendance/row.ts'
import { markOf } from '../../shared/date-format.ts'
import type { Figures as Shown } from '../../shared/figure.ts'
import { minutesAfter } from '../../shared/local-day.ts'
import {
  columnAmount,
  dailyColumns,
  departmentColumns,
  figureColumns,
  firstColumn,
  isFigureColumn,
  type ReportColumn,
  type ReportColumnName,
  type ReportView,
  reportTypes,
  reportViews,
  summaryColumns,
} from '../../shared/report/column.ts'
import type { DailyRow, DepartmentRow, SummaryRow } from '../../shared/report/row.ts'
import { type PathOutput, write } from '../api.ts'
import { type Formats, useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { DayPanel } from '../parts/day/explain.tsx'
import { dayAt } from '../parts/field/address.ts'
import { SelectField } from '../parts/field/field.tsx'
import { useComplaint } from '../parts/field/form.tsx'
import { SearchField, useSearch } from '../parts/field/search-field.tsx'
import { DayFilters, useDayFilters } from '../parts/list/day-filters.tsx'
import { type Column, Grid } from '../parts/list/grid.tsx'
import { PersonName } from '../parts/list/person-name.tsx'
import { TabPanel, Tabs } from '../parts/list/tabs.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { useTaskOwner } from '../parts/say/task-notice.tsx'
import { Menu } from '../parts/shell/menu.tsx'
import { refresh, useList, useRead } from '../read.ts'
import { followTask } from '../tasks.ts'
import { ColumnPanel } from './report/column-panel.tsx'
import { useReportColumns } from './report/columns.ts'
import '../parts/sheet/sheet-buttons.css'
import './report.css'

// Worked time by day, by employee and by department. A department leads to its employees, an employee to the days. A
// day leads to its explanation.

const ReportMail = lazy(() => import('./report/mail.tsx'))
const ReportLock = lazy(() => import('./report/lock.tsx'))
const ReportTemplates = lazy(() => import('./report/template.tsx'))

const exceptionNames: readonly Exception[] = ['missingIn', 'missingOut', 'longBreak', 'punchedOnLeave']
const isView = (name: string | null): name is ReportView => reportViews.some(view => view === name)

/** The highlighting of figure columns. */
const tones: Partial<Record<ReportColumnName, string>> = {
  work: 'strong',
  late: 'late',
  early: 'late',
  absent: 'missed',
  unresolved: 'missed',
  overtime: 'more',
}

const widths: Partial<Record<ReportColumnName, string>> = {
  name: 'minmax(180px, 2fr)',
  day: '132px',
  workno: '96px',
  shift: 'minmax(84px, 1fr)',
  department: 'minmax(128px, 1fr)',
  exceptions: 'minmax(96px, 1fr)',
  leaveTypes: 'minmax(140px, 1fr)',
  leaveDays: 'minmax(140px, 1fr)',
}
/** A figure column has room for its total, the longest value, because a truncated total looks like a smaller one. */
const widthOf = (name: ReportColumnName, { kind }: ReportColumn<never>, letters: number) =>
  widths[name] ??
  (kind === 'figure'
    ? `minmax(${Math.max(68, 24 + 8 * letters)}px, 0.6fr)`
    : kind === 'time'
      ? '72px'
      : kind === 'text' || kind === 'state' || kind === 'dayKind'
        ? '104px'
        : '92px')

const isNumber = ({ kind }: ReportColumn<never>) => kind === 'figure' || kind === 'count' || kind === 'days'

/** Renders the value of a column in a row. */
const useCells = () => {
  const { t } = useTranslation(['report', 'leave', 'shell'])
  const formats = useFormats()
  return useMemo(() => {
    const none = <span className="muted">{t('shell:none')}</span>
    const decimals = (value: number) => formats.number(Math.round(value * 100) / 100)
    const leave = (byType: Record<string, number>, show: (value: number) => string) => {
      const entries = Object.entries(byType)
      return entries.length === 0
        ? none
        : entries
            .map(([type, value]) => `${t(`leave:type.${type as '1'}`, { defaultValue: type })} ${show(value)}`)
            .join(', ')
    }
    return <Row,>(name: ReportColumnName, column: ReportColumn<Row>, row: Row, zone: string): ReactNode => {
      switch (column.kind) {
        case 'text':
        case 'number':
          return column.of(row) ?? none
        case 'day': {
          const day = column.of(row)
          return day === undefined ? none : `${formats.day(day)} ${formats.weekday(day)}`
        }
        case 'time': {
          const at = column.of(row)
          if (!at) return none
          const { day = '' } = row as { day?: string }
          const daysOff = Math.floor(minutesAfter(zone, Date.parse(at), day) / 1440)
          return <span className="figure">{formats.time(at, zone) + markOf(daysOff)}</span>
        }
        case 'state': {
          const state = column.of(row)
          return <span className={state === 'final' ? 'tag ok' : 'tag'}>{t(`state.${state as 'final'}`)}</span>
        }
        case 'dayKind':
          return t(`kind.${column.of(row) as 'work'}`)
        case 'exceptions': {
          const presentExceptions = exceptionNames.filter(exception => column.of(row).includes(exception))
          return presentExceptions.length === 0
            ? none
            : presentExceptions.map(exception => (
                <span key={exception} className="tag danger">
                  {t(`exception.${exception}`)}
                </span>
              ))
        }
        case 'count':
        case 'days': {
          const value = column.of(row)
          return value > 0 ? <span className="figure">{decimals(value)}</span> : none
        }
        case 'figure': {
          const value = columnAmount(column, row, formats.unit(column.measure) === 'hours')
          return value > 0 ? (
            <span className={`figure ${tones[name] ?? ''}`}>{formats.amount(value, column.measure)}</span>
          ) : (
            none
          )
        }
        case 'leaveMinutes':
          return leave(column.of(row), value => formats.duration(value, 'absence'))
        case 'leaveDays':
          return leave(column.of(row), decimals)
      }
    }
  }, [t, formats])
}

const unitOf = (column: ReportColumn<never>, formats: Formats) =>
  column.kind === 'figure'
    ? formats.unit(column.measure)
    : column.kind === 'leaveMinutes'
      ? formats.unit('absence')
      : undefined

export default function ReportPage() {
  const { t } = useTranslation(['report', 'report-mail', 'report-template', 'lock', 'shell'])
  const filters = useDayFilters()
  const { range } = filters
  const viewParameter = range.search.get('view')
  const view: ReportView = isView(viewParameter) ? viewParameter : 'daily'
  const search = useSearch()
  const only = range.search.get('only')
  const exceptions = only === 'any' ? exceptionNames : exceptionNames.filter(name => name === only)
  const isDepartment = view === 'department'
  const { from, to, department } = { department: '', ...filters.filters }
  const reportFilters = {
    ...{ from, to },
    ...(department && { department }),
    ...(!isDepartment && filters.employee && { employee: filters.employee }),
    ...(!isDepartment && search.words && { search: search.words }),
    ...(view === 'daily' && exceptions.length > 0 && { exceptions: [...exceptions] }),
  }
  const owner = useTaskOwner()
  const chosen = useReportColumns(owner, view)
  const [panel, setPanel] = useState<'columns' | 'mail' | 'lock' | 'templates'>()
  const [day, setDay] = useState<{ day: string; employee: string }>()
  // A notice opens a day by the address.
  const addressed = dayAt(range.search, 'day')
  const shownDay = day ?? (addressed && filters.employee ? { day: addressed, employee: filters.employee } : undefined)
  const complain = useComplaint()
  const close = () => setPanel(undefined)
  const { data: templates } = useRead('report/template/grid', {})
  const makeFile = async (file: { type: (typeof reportTypes)[number] } | { template: string }) => {
    try {
      const { task } = await write('report/export', {
        ...file,
        view,
        // By default, a file has the employee ID too.
        ...(!chosen.isUsual && { columns: [...chosen.columns] }),
        filters: reportFilters,
      })
      followTask(owner, { id: task, isAwaited: true })
      refresh(['task/'])
    } catch (error) {
      complain(error)
    }
  }
  const total = useRead('report/total', { filters: reportFilters })
  const figures = total.data?.figures && { ...total.data.figures, amounts: total.data.amounts }
  // Few companies have unscheduled work, so the column appears with the first minute of it.
  const isUnscheduled = total.data !== undefined && figures?.unscheduledMinutes !== 0
  const columns =
    chosen.isUsual && !isUnscheduled ? chosen.columns.filter(name => name !== 'unscheduled') : chosen.columns
  const shared = {
    columns,
    filters: reportFilters,
    total: figures,
    counts: total.data?.counts,
    set: range.set,
    explain: setDay,
  }
  const [rows, setRows] = useState<readonly Person[]>()
  return (
    <Page
      title={t('title')}
      className="report"
      note={isDepartment ? t('employeeDays') : total.data && !figures ? t('tooMany') : undefined}
      actions={
        <>
          <Button
            className="sheet-button"
            icon={<Columns3 className="icon" aria-hidden="true" />}
            onClick={() => setPanel('columns')}
          >
            <span>{t('columns.button')}</span>
          </Button>
          <Button icon={<Mail className="icon" aria-hidden="true" />} onClick={() => setPanel('mail')}>
            {t('report-mail:button')}
          </Button>
          <Button icon={<Lock className="icon" aria-hidden="true" />} onClick={() => setPanel('lock')}>
            {t('lock:button')}
          </Button>
          <Menu
            className="button sheet-button"
            label={t('export.button')}
            entries={[
              ...reportTypes.map(type => ({
                ...{ key: type, text: t(`export.${type}`) },
                onPick: () => void makeFile({ type }),
              })),
              ...(templates?.list ?? []).map(({ id, name }, at) => ({
                ...{ key: id, text: name, divider: at === 0 },
                onPick: () => void makeFile({ template: id }),
              })),
              {
                ...{ key: 'templates', text: t('report-template:button'), divider: true },
                onPick: () => setPanel('templates'),
              },
            ]}
          >
            <Download className="icon" aria-hidden="true" />
            <span>{t('export.button')}</span>
          </Menu>
        </>
      }
    >
      <Tabs
        name="report"
        label={t('view.label')}
        tabs={reportViews.map(key => ({ key, text: t(`view.${key}`) }))}
        value={view}
        onPick={key => range.set({ view: key === 'daily' ? undefined : key })}
      />
      <DayFilters filters={filters} rows={rows} hasNobody={isDepartment}>
        {!isDepartment && <SearchField hint={t('search')} {...search.field} />}
        {view === 'daily' && (
          <SelectField
            label={t('only.label')}
            value={only ?? ''}
            onText={value => range.set({ only: value || undefined })}
            options={[
              ['', t('only.all')],
              ['any', t('only.any')],
              ...exceptionNames.map(name => [name, t(`exception.${name}`)] as const),
            ]}
          />
        )}
      </DayFilters>
      <TabPanel name="report" tab={view} isShown>
        {view === 'daily' ? (
          <Daily {...shared} onRows={setRows} />
        ) : view === 'summary' ? (
          <Summary {...shared} onRows={setRows} />
        ) : (
          <Departments {...shared} />
        )}
      </TabPanel>
      {panel === 'columns' && <ColumnPanel view={view} chosen={chosen} onClose={close} />}
      {shownDay && (
        <DayPanel
          {...shownDay}
          onClose={() => {
            setDay(undefined)
            range.set({ day: undefined })
          }}
        />
      )}
      <Suspense>
        {panel === 'mail' && (
          <ReportMail view={view} columns={chosen.columns} department={department} onClose={close} />
        )}
        {panel === 'lock' && <ReportLock onClose={close} />}
        {panel === 'templates' && <ReportTemplates dates={{ from, to }} onClose={close} />}
      </Suspense>
    </Page>
  )
}

type Person = Pick<DailyRow, 'employee' | 'first_name' | 'last_name' | 'workno'>
type Figures = Shown & { amounts?: Shown | undefined }
type Counts = PathOutput<'report/total'>['counts']
interface ListProps {
  columns: readonly ReportColumnName[]
  filters: {
    from: string
    to: string
    department?: string
    employee?: string
    search?: string
    exceptions?: Exception[]
  }
  total: Figures | undefined
  counts: Counts
  set: (changes: Record<string, string | undefined>) => void
  explain: (day: { day: string; employee: string }) => void
  onRows?: (rows: readonly Person[] | undefined) => void
}

/** The chosen columns of a view. `special` overrides cells of some columns. */
const useGridColumns = <Row extends object, By extends string = never>(
  availableColumns: Record<string, ReportColumn<Row>>,
  names: readonly ReportColumnName[],
  total: Figures | undefined,
  special: (row: Row) => Partial<Record<ReportColumnName, ReactNode>>,
  sorts: Partial<Record<ReportColumnName, By>> = {},
) => {
  const { t } = useTranslation(['report', 'shell'])
  const formats = useFormats()
  const show = useCells()
  return names.flatMap((name): Column<Row, By>[] => {
    const column = availableColumns[name]
    if (!column) return []
    const unit = unitOf(column, formats)
    const sort = sorts[name]
    const isSummed = total && column.kind === 'figure' && isFigureColumn(name)
    const letters = isSummed ? formats.amount(column.amountOf?.(total as Row) ?? 0, column.measure).length : 0
    return [
      {
        key: name,
        title: t(`column.${name}`),
        width: widthOf(name, column, letters),
        ...(unit && { unit: t(`shell:unit.${unit}`) }),
        ...(isNumber(column) && { isNumber: true }),
        ...(sort && { sort }),
        cell: row =>
          special(row)[name] ??
          show(
            name,
            column,
            row,
            'timezone' in row && typeof row.timezone === 'string' ? row.timezone : formats.timezone,
          ),
      },
    ]
  })
}

const useFoot = (total: Figures | undefined, first: ReportColumnName, counts?: Counts) => {
  const { t } = useTranslation('report')
  const show = useCells()
  if (!total) return undefined
  const sums = figureColumns.map(name => [name, show(name, summaryColumns[name], total as SummaryRow, 'UTC')])
  // The counts of departments add up, because no employee-day is in two departments.
  const counted = Object.entries(departmentColumns).flatMap(([name, column]) =>
    counts && column.kind === 'count'
      ? [[name, show(name as ReportColumnName, column, counts as DepartmentRow, 'UTC')]]
      : [],
  )
  return { [first]: t('total'), ...Object.fromEntries([...sums, ...counted]) } as Record<string, ReactNode>
}

function EmptyReport() {
  const { t } = useTranslation('report')
  return (
    <Empty icon={<FileChartColumn />} title={t('empty.title')}>
      {t('empty.text')}
    </Empty>
  )
}

/** Passes the rows to the filters, which show the name of the filtered employee. */
const useReportedRows = (rows: readonly Person[] | undefined, onRows: ListProps['onRows']) => {
  useEffect(() => onRows?.(rows), [rows, onRows])
}

function Daily({ columns, filters, total, set, explain, onRows }: ListProps) {
  const { t } = useTranslation('report')
  const formats = useFormats()
  const list = useList('report/grid', filters, { size: 100 })
  useReportedRows(list.rows, onRows)
  const shown = useGridColumns<DailyRow>(dailyColumns, columns, total, row => ({
    name: <PersonName person={row} hasNumber onFilter={() => set({ employee: row.employee })} />,
    day: (
      <button
        type="button"
        className="row-title figure"
        onClick={() => explain({ day: row.day, employee: row.employee })}
      >
        {formats.day(row.day)} {formats.weekday(row.day)}
      </button>
    ),
    shift: row.shift ? (
      <span className={`shift-name shift-color ${row.shiftColor ?? ''}`}>{row.shift}</span>
    ) : (
      <span className="muted">{t('free')}</span>
    ),
  }))
  return (
    <Grid
      label={t('view.daily')}
      isWide
      columns={shown}
      list={list}
      rowKey={row => `${row.employee} ${row.day} ${row.shift ?? ''} ${row.dutyFrom ?? ''}`}
      foot={useFoot(total, firstColumn.daily)}
      empty={<EmptyReport />}
    />
  )
}

function Summary({ columns, filters: { exceptions: _, ...filters }, total, set, onRows }: ListProps) {
  const { t } = useTranslation('report')
  const list = useList('report/summary', filters, { size: 50, sort: { by: 'name' } })
  useReportedRows(list.rows, onRows)
  const shown = useGridColumns<SummaryRow, 'name' | 'workno'>(
    summaryColumns,
    columns,
    total,
    row => ({
      name: <PersonName person={row} hasNumber onFilter={() => set({ view: undefined, employee: row.employee })} />,
    }),
    { name: 'name', workno: 'workno' },
  )
  return (
    <Grid
      label={t('view.summary')}
      isWide
      columns={shown}
      list={list}
      rowKey={row => row.employee}
      foot={useFoot(total, firstColumn.summary)}
      empty={<EmptyReport />}
    />
  )
}

function Departments({ columns, filters: { from, to, department }, total, counts, set }: ListProps) {
  const { t } = useTranslation('report')
  const list = useList('report/department', { from, to, ...(department && { department }) }, { size: 100 })
  const shown = useGridColumns<DepartmentRow>(departmentColumns, columns, total, row => ({
    department: (
      <button type="button" className="row-title" onClick={() => set({ view: 'summary', department: row.department })}>
        {row.departmentName}
      </button>
    ),
  }))
  return (
    <Grid
      label={t('view.department')}
      isWide
      columns={shown}
      list={list}
      rowKey={row => row.department}
      foot={useFoot(total, firstColumn.department, counts)}
      empty={<EmptyReport />}
    />
  )
}
