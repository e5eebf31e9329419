import { UsersRound } from 'lucide-react'
import { lazy, memo, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays, addMonths, countDays, daysBetween } from '../../../shared/local-day.ts'
import type { PathCall, PathOutput } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { headOf } from '../../parts/board/heads.ts'
import { useHolidays } from '../../parts/board/holidays.ts'
import type { HolidayLook } from '../../parts/board/row.ts'
import { useAddress } from '../../parts/field/address.ts'
import { SelectField } from '../../parts/field/field.tsx'
import { MonthField, useMonth } from '../../parts/field/month-field.tsx'
import { SearchField, usePageSearch } from '../../parts/field/search-field.tsx'
import { DepartmentFilter } from '../../parts/list/department-filter.tsx'
import { Filters } from '../../parts/list/filters.tsx'
import { ListEnd } from '../../parts/list/list-end.tsx'
import { PersonAvatar } from '../../parts/list/person-avatar.tsx'
import { useShownName } from '../../parts/list/person-name.tsx'
import { Empty, Trouble } from '../../parts/page.tsx'
import { PersonLink } from '../../parts/person-link.tsx'
import { leaveHue } from '../../parts/request/leave-hue.ts'
import type { Person } from '../../parts/request/people-field.tsx'
import { useLeaveTypes, useRequestWords } from '../../parts/request/words.tsx'
import { fullName } from '../../person-name.ts'
import { type RowOf, useList, useRead } from '../../read.ts'
import { withoutEmpty } from '../../without-empty.ts'
import { spansOf } from './spans.ts'
import './calendar.css'

// The absence calendar: a month of people and days, with approved leave filled and requested leave dotted.

const ApprovePanel = lazy(async () => ({ default: (await import('../approve/panel.tsx')).ApprovePanel }))

/** A day without leave, on which a manager may enter leave. */
export interface FreeDay {
  person: Person
  day: string
}
type Row = RowOf<'leave/calendar'>
type Leave = Row['leaves'][number]
type Request = PathCall<'approve/get'>
type Day = ReturnType<typeof headOf>

const pending = 0

export function LeaveCalendar({ onAdd }: { onAdd: (free: FreeDay) => void }) {
  const { t } = useTranslation(['leave', 'shell'])
  const formats = useFormats()
  const { address, set } = useAddress()
  const { month, pick } = useMonth()
  const today = formats.today()
  const [from, to] = [`${month}-01`, addDays(addMonths(`${month}-01`, 1), -1)]
  const textSearch = usePageSearch()
  const department = address.get('department') ?? ''
  const types = useLeaveTypes()
  const leaveType = types.find(([id]) => id === address.get('type'))?.[0]
  const filters = {
    ...{ from, to, ...withoutEmpty({ department }) },
    ...(leaveType !== undefined && { leaveType: Number(leaveType) }),
  }
  const list = useList(
    'leave/calendar',
    { ...filters, ...withoutEmpty({ search: textSearch.words }) },
    { size: 100, sort: { by: 'name', descending: false } },
  )
  const totals = useRead('leave/calendar/total', filters).data?.list
  const { holidays, freeDays } = useHolidays(from, to)
  const days = useMemo(
    () => daysBetween(from, to).map(day => headOf(day, today, formats, holidays)),
    [from, to, today, formats, holidays],
  )
  const [opened, setOpened] = useState<Request>()
  const open = useCallback((request: Request) => setOpened(request), [])
  const { rows, error } = list
  const frame = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another month begins at today, or at its first day.
  useEffect(() => {
    const box = frame.current
    const head = box?.querySelector<HTMLElement>('thead [aria-current]')
    if (box) box.scrollLeft = head ? head.offsetLeft - box.clientWidth / 2 : 0
  }, [month])
  return (
    <>
      <Filters lead={<MonthField month={month} onPick={pick} />} names={['type', 'department']}>
        <SearchField hint={t('searchHint')} {...textSearch.field} />
        <SelectField
          label={t('choice.label')}
          value={leaveType ?? ''}
          onText={value => set({ type: value })}
          options={[['', t('choice.all')], ...types]}
        />
        <DepartmentFilter value={department} onText={value => set({ department: value })} />
      </Filters>
      {error && !rows && <Trouble onRetry={list.readAgain} error={error} />}
      {rows?.length === 0 && (
        <Empty icon={<UsersRound />} title={t('empty.people.title')}>
          {t('empty.people.text')}
        </Empty>
      )}
      {rows?.length !== 0 && !(error && !rows) && (
        <div className="absence-frame" ref={frame} aria-busy={!rows}>
          <table className="absence" aria-label={`${t('view.calendar')}, ${formats.month(month)}`}>
            <Heads days={days} />
            <tbody>
              {!rows && <Waiting count={days.length} />}
              {(rows ?? []).map(row => (
                <PersonRow
                  key={row.employee}
                  {...{ row, days, onAdd, onOpen: open }}
                  freeDays={freeDays.get(row.department)}
                />
              ))}
            </tbody>
            {totals && <Totals totals={totals} days={days} />}
          </table>
          <ul className="absence-end">
            <ListEnd list={list} />
          </ul>
        </div>
      )}
      <Legend rows={rows ?? []} hasHolidays={holidays.size > 0} />
      {/* The code of the panel loads when it first opens. */}
      <Suspense>{opened && <ApprovePanel request={opened} onClose={() => setOpened(undefined)} />}</Suspense>
    </>
  )
}

/** Rows without people, while the first page loads. */
function Waiting({ count }: { count: number }) {
  return [56, 72, 48, 64, 80, 60].map(width => (
    <tr key={width}>
      <th scope="row" className="absence-name">
        <span className="skeleton" style={{ width: `${width}%` }} />
      </th>
      <td colSpan={count} />
    </tr>
  ))
}

function Heads({ days }: { days: readonly Day[] }) {
  const { t } = useTranslation('leave')
  return (
    <thead>
      <tr>
        <th scope="col" className="absence-name">
          {t('employee')}
        </th>
        {days.map(({ day, letter, name, looks, isToday }) => (
          <th
            key={day}
            scope="col"
            className={looks}
            title={name}
            aria-label={name}
            {...(isToday && { 'aria-current': 'date' })}
          >
            <small>{letter}</small>
            <span className="figure">{Number(day.slice(8))}</span>
          </th>
        ))}
      </tr>
    </thead>
  )
}

const PersonRow = memo(function PersonRow(props: {
  row: Row
  days: readonly Day[]
  /** The holidays of the person's department only. */
  freeDays: ReadonlyMap<string, HolidayLook> | undefined
  onAdd: (free: FreeDay) => void
  onOpen: (request: Request) => void
}) {
  const { row, days, freeDays, onAdd, onOpen } = props
  const shownName = useShownName()
  const name = shownName(fullName(row))
  const { employee, first_name, last_name, workno } = row
  const person = { id: employee, first_name, last_name, workno }
  const spans = spansOf(
    days.map(({ day }) => day),
    row.leaves,
  )
  const looksOf = new Map(
    days.map(({ day, looks }) => [day, freeDays?.has(day) ? `${looks} ${freeDays.get(day)}` : looks]),
  )
  return (
    <tr>
      <th scope="row" className="absence-name">
        <span className="two">
          <PersonAvatar id={employee} person={row} />
          <span className="absence-person" title={name}>
            <PersonLink id={employee} className="row-title">
              {name}
            </PersonLink>{' '}
            <span className="muted figure">{workno}</span>
          </span>
        </span>
      </th>
      {spans.map(({ from, to, leaves }) =>
        leaves.length === 0 ? (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the page's button "Add leave" does the same by key.
          <td key={from} className={`${looksOf.get(from)} free`} onClick={() => onAdd({ person, day: from })} />
        ) : (
          <td key={from} colSpan={countDays(from, to)} className="taken">
            {leaves.map(leave => (
              <LeaveBar key={leave.id} name={name} leave={leave} onOpen={() => onOpen({ employee, id: leave.id })} />
            ))}
          </td>
        ),
      )}
    </tr>
  )
})

function LeaveBar({ name, leave, onOpen }: { name: string; leave: Leave; onOpen: () => void }) {
  const { t } = useTranslation('leave')
  const words = useRequestWords()
  const type = words.leaveType(leave.leaveType)
  const isPending = leave.status === pending
  const isAllDay = leave.from === undefined
  const state = t(`panel.status.${leave.status}`)
  const when = words.when({ ...leave, isAllDay })
  const looks = ['shift-color', leaveHue(leave.leaveType), 'absence-bar', isPending && 'pending', !isAllDay && 'part']
  return (
    <button
      type="button"
      className={looks.filter(Boolean).join(' ')}
      title={`${type} · ${when} · ${state}`}
      aria-label={`${name}: ${type}, ${when}, ${state}`}
      onClick={onOpen}
    >
      {isPending ? `${type}?` : type}
    </button>
  )
}

/** How many people are away each day, and how many more asked for leave. */
function Totals(props: { totals: PathOutput<'leave/calendar/total'>['list']; days: readonly Day[] }) {
  const { t } = useTranslation('leave')
  const looks = new Map(props.days.map(day => [day.day, day.looks]))
  return (
    <tfoot>
      <tr>
        <th scope="row" className="absence-name">
          {t('calendar.away')}
        </th>
        {props.totals.map(({ day, awayCount, pendingCount }) => (
          <td key={day} className={`figure ${looks.get(day) ?? ''}`}>
            {awayCount === 0 ? <span className="muted">–</span> : awayCount}
            {pendingCount > 0 && (
              <small className="muted" title={t('calendar.asked', { count: pendingCount })}>
                +{pendingCount}
              </small>
            )}
          </td>
        ))}
      </tr>
    </tfoot>
  )
}

function Legend({ rows, hasHolidays }: { rows: readonly Row[]; hasHolidays: boolean }) {
  const { t } = useTranslation('leave')
  const words = useRequestWords()
  const leaves = rows.flatMap(row => row.leaves)
  const types = [...new Set(leaves.map(({ leaveType }) => leaveType))].sort((a, b) => a - b)
  if (rows.length > 0 && leaves.length === 0) return <p className="absence-legend muted">{t('calendar.nobody')}</p>
  return (
    <p className="absence-legend">
      {types.map(type => (
        <span key={type} className={`shift-color ${leaveHue(type)}`}>
          <i aria-hidden="true" />
          {words.leaveType(type)}
        </span>
      ))}
      {leaves.some(({ status }) => status === pending) && (
        <span className="pending">
          <i aria-hidden="true" />
          {t('calendar.pending')}
        </span>
      )}
      {hasHolidays && (
        <span className="holiday">
          <i aria-hidden="true" />
          {t('calendar.holiday')}
        </span>
      )}
    </p>
  )
}
