import { Columns3, Download, FileChartColumn, Lock, Mail } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Exception, exceptionTypes } from '../../shared/attendance/row.ts'
import type { Figures as Shown } from '../../shared/figure.ts'
import { roles } from '../../shared/permissions.ts'
import {
  dailyColumns,
  departmentColumns,
  type FileColumnName,
  figureColumns,
  firstColumn,
  isFigureColumn,
  kindColumn,
  kindOfColumn,
  type ReportColumn,
  type ReportColumnName,
  type ReportView,
  reportTypes,
  reportViews,
  summaryColumns,
} from '../../shared/report/column.ts'
import type { DailyRow, DepartmentRow, SummaryRow } from '../../shared/report/row.ts'
import { type PathOutput, write } from '../api.ts'
import { useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { type Kind, useReportKinds } from '../parts/day/kinds.tsx'
import { type DayRow, OpenDay, opensDay } from '../parts/day/open-day.tsx'
import { dayAt } from '../parts/field/address.ts'
import { SelectField } from '../parts/field/field.tsx'
import { useComplaint } from '../parts/field/form.tsx'
import { SearchField, useSearch } from '../parts/field/search-field.tsx'
import { DayFilters, useDayFilters } from '../parts/list/day-filters.tsx'
import type { Column } from '../parts/list/grid/column.ts'
import { Grid } from '../parts/list/grid.tsx'
import { PersonName } from '../parts/list/person-name.tsx'
import { usePrint } from '../parts/list/printing.ts'
import { TabPanel, Tabs } from '../parts/list/tabs.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { useTaskOwner } from '../parts/say/task-notice.tsx'
import { Menu } from '../parts/shell/menu.tsx'
import { refresh, useList, useRead } from '../read.ts'
import { usePerson } from '../session.tsx'
import { followTask } from '../tasks.ts'
import { isNumber, unitOf, useCells, widthOf } from './report/cells.tsx'
import { ColumnPanel } from './report/column-panel.tsx'
import { payrollChoice, useReportColumns } from './report/columns.ts'
import { UnresolvedNotice } from './report/unresolved.tsx'
import '../parts/sheet/sheet-buttons.css'
import './report.css'

// Worked time by day, by employee and by department. A department leads to its employees, an employee to the days. A
// day leads to its explanation.

const ReportMail = lazy(() => import('./report/mail.tsx'))
const ReportLock = lazy(() => import('./report/lock.tsx'))
const ReportTemplates = lazy(() => import('./report/template.tsx'))

const isView = (name: string | null): name is ReportView => reportViews.some(view => view === name)

export default function ReportPage() {
  const { t } = useTranslation(['report', 'report-mail', 'report-template', 'lock', 'shell'])
  const filters = useDayFilters()
  const { range } = filters
  const viewParameter = range.search.get('view')
  const view: ReportView = isView(viewParameter) ? viewParameter : 'daily'
  const search = useSearch()
  const only = range.search.get('only')
  const exceptions = only === 'any' ? exceptionTypes : exceptionTypes.filter(name => name === only)
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
  const kinds = useReportKinds()
  const codes = kinds.map(({ code }) => code)
  const ownColumns = useReportColumns(owner, view, codes)
  const isForPayroll = codes.length > 0 && range.search.get('columns') === 'payroll'
  const chosen = isForPayroll
    ? payrollChoice(view, codes, columns => {
        range.set({ columns: undefined })
        ownColumns.choose(columns)
      })
    : ownColumns
  const [panel, setPanel] = useState<'columns' | 'mail' | 'lock' | 'templates'>()
  const [rows, setRows] = useState<readonly Listed[]>()
  const days = useMemo(() => rows?.flatMap(row => ('day' in row ? [dayOf(row)] : [])), [rows])
  const [opened, setOpened] = useState<DayRow>()
  // A notice opens a day by the address.
  const addressed = dayAt(range.search, 'day')
  const shownDay =
    opened ??
    (addressed && filters.employee
      ? (days?.find(({ day, employee }) => day === addressed && employee === filters.employee) ?? {
          ...{ key: '', day: addressed, employee: filters.employee },
        })
      : undefined)
  const complain = useComplaint()
  const print = usePrint()
  const isAdministrator = usePerson().employee.role === roles.administrator
  const close = () => setPanel(undefined)
  const { data: templates } = useRead('report/template/grid', {})
  // Only an administrator's file of a closed period is final.
  const { lockedTo = '' } = useRead('report/lock', {}).data ?? {}
  const isFinal = to <= lockedTo && isAdministrator
  const makeFile = async (file: { type: (typeof reportTypes)[number] } | { template: string }) => {
    try {
      const { task } = await write('report/export', {
        ...file,
        ...('template' in file && !isFinal && { isDraft: true }),
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
  const { figures: sums, counts, ...otherSums } = total.data ?? {}
  const figures = sums && { ...sums, ...otherSums }
  // Few companies have unscheduled work, so the column appears with the first minute of it.
  const isUnscheduled = total.data !== undefined && figures?.unscheduledMinutes !== 0
  const isEmptyKind = (name: string) => {
    const code = kindOfColumn(name)
    return code !== undefined && figures !== undefined && !figures.kinds?.[code]
  }
  // All usual columns fit into a wide window. The exceptions mention the few days that are not final.
  const columns = chosen.isUsual
    ? chosen.columns.filter(name => name !== 'state' && (name !== 'unscheduled' || isUnscheduled) && !isEmptyKind(name))
    : chosen.columns
  const shared = {
    columns,
    filters: reportFilters,
    total: figures,
    counts,
    kinds,
    set: range.set,
    explain: setOpened,
  }
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
          <Button
            className="sheet-button"
            icon={<Mail className="icon" aria-hidden="true" />}
            onClick={() => setPanel('mail')}
          >
            <span>{t('report-mail:button')}</span>
          </Button>
          <Button
            className="sheet-button"
            icon={<Lock className="icon" aria-hidden="true" />}
            onClick={() => setPanel('lock')}
          >
            <span>{t('lock:button')}</span>
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
              { ...{ key: 'print', text: t('shell:print.button'), divider: true }, onPick: print },
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
      <DayFilters
        list="report"
        also={['view', 'columns']}
        filters={filters}
        rows={rows}
        hasNobody={isDepartment}
        search={!isDepartment && <SearchField hint={t('search')} {...search.field} />}
        names={view === 'daily' ? ['only'] : []}
      >
        {view === 'daily' && (
          <SelectField
            label={t('only.label')}
            value={only ?? ''}
            onText={value => range.set({ only: value || undefined })}
            options={[
              ['', t('only.all')],
              ['any', t('only.any')],
              ...exceptionTypes.map(name => [name, t(`exception.${name}`)] as const),
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
        <UnresolvedNotice amount={figures?.amounts?.unresolvedMinutes ?? 0} range={{ from, to }} />
      </TabPanel>
      {panel === 'columns' && (
        <ColumnPanel
          view={view}
          chosen={chosen}
          onPayroll={kinds.length > 0 && !isForPayroll ? () => range.set({ columns: 'payroll' }) : undefined}
          onClose={close}
        />
      )}
      <OpenDay
        shown={shownDay}
        days={days}
        onShow={next => {
          setOpened(next)
          if (!next && addressed) range.set({ day: undefined })
        }}
      />
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
type Listed = Person | DailyRow

const keyOf = ({ employee, day, shift, dutyFrom }: DailyRow) => `${employee} ${day} ${shift ?? ''} ${dutyFrom ?? ''}`
const dayOf = (row: DailyRow): DayRow => ({ key: keyOf(row), employee: row.employee, day: row.day })

type Figures = Shown & Omit<PathOutput<'report/total'>, 'figures' | 'counts'>
type Counts = PathOutput<'report/total'>['counts']
interface ListProps {
  columns: readonly FileColumnName[]
  kinds: readonly Kind[]
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
  explain: (day: DayRow) => void
  onRows?: (rows: readonly Listed[] | undefined) => void
}

/** The chosen columns of a view. `special` overrides cells of some columns. */
const useGridColumns = <Row extends object, By extends string = never>(
  availableColumns: Record<string, ReportColumn<Row>>,
  { columns: names, kinds, total }: Pick<ListProps, 'columns' | 'kinds' | 'total'>,
  special: (row: Row) => Partial<Record<FileColumnName, ReactNode>>,
  sorts: Partial<Record<FileColumnName, By>> = {},
) => {
  const { t } = useTranslation(['report', 'shell'])
  const formats = useFormats()
  const show = useCells()
  return names.flatMap((name): Column<Row, By>[] => {
    const code = kindOfColumn(name)
    const column = code === undefined ? availableColumns[name] : kindColumn<Row>(code)
    if (!column) return []
    const unit = unitOf(column, formats)
    const sort = sorts[name]
    const isSummed = total && column.kind === 'figure' && (code !== undefined || isFigureColumn(name))
    const letters = isSummed ? formats.amount(column.amountOf?.(total as Row) ?? 0, column.measure).length : 0
    return [
      {
        key: name,
        ...(code === undefined
          ? { title: t(`column.${name as ReportColumnName}`) }
          : { title: kinds.find(kind => kind.code === code)?.name ?? code, group: t('kinds') }),
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

const useFoot = ({ total, columns, counts }: ListProps, first: ReportColumnName) => {
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
  const kinds = columns.flatMap(name => {
    const code = kindOfColumn(name)
    return code === undefined ? [] : [[name, show(name, kindColumn<Figures>(code), total, 'UTC')]]
  })
  return { [first]: t('total'), ...Object.fromEntries([...sums, ...counted, ...kinds]) } as Record<string, ReactNode>
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
const useReportedRows = (rows: readonly Listed[] | undefined, onRows: ListProps['onRows']) => {
  useEffect(() => onRows?.(rows), [rows, onRows])
}

function Daily(props: ListProps) {
  const { columns, filters, set, explain, onRows } = props
  const { t } = useTranslation('report')
  const formats = useFormats()
  const list = useList('report/grid', filters, { size: 100 })
  useReportedRows(list.rows, onRows)
  const show = useCells()
  const open = (row: DailyRow) => explain(dayOf(row))
  const shown = useGridColumns<DailyRow>(dailyColumns, props, row => ({
    name: <PersonName person={row} hasNumber onFilter={() => set({ employee: row.employee })} />,
    day: (
      <button
        type="button"
        className="row-title figure"
        {...opensDay(keyOf(row))}
        onClick={event => {
          // Otherwise the click would open the row as well.
          event.stopPropagation()
          open(row)
        }}
      >
        {formats.day(row.day)} {formats.weekday(row.day)}
      </button>
    ),
    shift: row.shift ? (
      <span className={`shift-name shift-color ${row.shiftColor ?? ''}`}>{row.shift}</span>
    ) : (
      <span className="muted">{t('free')}</span>
    ),
    // Without a column of its own, only a state other than final is worth a mention.
    ...(!columns.includes('state') &&
      row.state !== 'final' && {
        exceptions: (
          <>
            {row.exceptions.length > 0 && show('exceptions', dailyColumns.exceptions, row, row.timezone)}{' '}
            {show('state', dailyColumns.state, row, row.timezone)}
          </>
        ),
      }),
  }))
  return (
    <Grid
      label={t('view.daily')}
      isWide
      hasOwnColumns
      columns={shown}
      list={list}
      rowKey={keyOf}
      onOpen={open}
      foot={useFoot(props, firstColumn.daily)}
      empty={<EmptyReport />}
    />
  )
}

function Summary(props: ListProps) {
  const { set, onRows } = props
  const { exceptions: _, ...filters } = props.filters
  const { t } = useTranslation('report')
  const list = useList('report/summary', filters, { size: 50, sort: { by: 'name' } })
  useReportedRows(list.rows, onRows)
  const open = (row: SummaryRow) => set({ view: undefined, employee: row.employee })
  const shown = useGridColumns<SummaryRow, 'name' | 'workno'>(
    summaryColumns,
    props,
    row => ({
      name: <PersonName person={row} hasNumber onFilter={() => open(row)} />,
    }),
    { name: 'name', workno: 'workno' },
  )
  return (
    <Grid
      label={t('view.summary')}
      isWide
      hasOwnColumns
      columns={shown}
      list={list}
      rowKey={row => row.employee}
      onOpen={open}
      foot={useFoot({ ...props, counts: undefined }, firstColumn.summary)}
      empty={<EmptyReport />}
    />
  )
}

function Departments(props: ListProps) {
  const { set } = props
  const { from, to, department } = props.filters
  const { t } = useTranslation('report')
  const list = useList('report/department', { from, to, ...(department && { department }) }, { size: 100 })
  const open = (row: DepartmentRow) => set({ view: 'summary', department: row.department })
  const shown = useGridColumns<DepartmentRow>(departmentColumns, props, row => ({
    department: (
      <button
        type="button"
        className="row-title"
        onClick={event => {
          event.stopPropagation()
          open(row)
        }}
      >
        {row.departmentName}
      </button>
    ),
  }))
  return (
    <Grid
      label={t('view.department')}
      isWide
      hasOwnColumns
      columns={shown}
      list={list}
      rowKey={row => row.department}
      onOpen={open}
      foot={useFoot(props, firstColumn.department)}
      empty={<EmptyReport />}
    />
  )
}
