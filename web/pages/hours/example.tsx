import { CalendarOff, ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { dayNumber } from '../../../shared/attendance/calendar.ts'
import type { HourHoliday } from '../../../shared/attendance/hours/holiday.ts'
import { wallTime } from '../../../shared/attendance/wall-time.ts'
import { readingAt } from '../../../shared/attendance/zone.ts'
import { addDays, daysBetween } from '../../../shared/local-day.ts'
import { call } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { useMayOpen } from '../../menu.ts'
import { Button } from '../../parts/button.tsx'
import { useMeasureText } from '../../parts/day/amount.ts'
import { useHourWords } from '../../parts/day/hour-words.ts'
import { KindDot } from '../../parts/day/kinds.tsx'
import { SelectField } from '../../parts/field/field.tsx'
import { useShownName } from '../../parts/list/person-name.tsx'
import { Empty } from '../../parts/page.tsx'
import { fullName } from '../../person-name.ts'
import { type RowOf, useRead } from '../../read.ts'
import { type Draft, type DraftKind, exampleSet } from './draft.ts'
import { daysAround, type ExampleSpan, type ExplainedDay, type SplitDay, splitDay } from './example-day.ts'

// A real day of a person, split by the rules of the form while the user edits them.

type Listed = RowOf<'report/grid'>

/** How far back the example looks for days with paid minutes. */
const recentDays = 35
const mostListed = 200

const paidOf = ({ workMinutes, overtimeMinutes, unscheduledMinutes }: Listed) =>
  workMinutes + overtimeMinutes + unscheduledMinutes

/** Days across midnight and long days show most of a set. */
const interest = (row: Listed) => {
  const isNight = row.firstIn && row.lastOut && row.firstIn.slice(0, 10) !== row.lastOut.slice(0, 10)
  return paidOf(row) + row.overtimeMinutes + (isNight ? 240 : 0)
}

/** The days of the week around a day of a person. */
const useDaysAround = (employee: string | undefined, day: string | undefined) => {
  const { firstWeekday } = useFormats()
  const [read, setRead] = useState<{ key: string; days: readonly ExplainedDay[] }>()
  const key = employee && day ? `${employee} ${day}` : ''
  useEffect(() => {
    if (!employee || !day) return
    let isCurrent = true
    Promise.all(daysAround(day, firstWeekday).map(day => call('report/day', { employee, day }))).then(
      answers => isCurrent && setRead({ key, days: answers.flatMap(({ list }) => list) }),
      () => isCurrent && setRead({ key, days: [] }),
    )
    return () => {
      isCurrent = false
    }
  }, [employee, day, key, firstWeekday])
  return read?.key === key ? read.days : undefined
}

const useExample = () => {
  const formats = useFormats()
  const mayRead = useMayOpen()('/report')
  const to = addDays(formats.today(), -1)
  const { data, error } = useRead(
    'report/grid',
    mayRead ? { filters: { from: addDays(to, 1 - recentDays), to }, size: mostListed } : null,
  )
  const rows = useMemo(() => data?.list.filter(row => row.state !== 'pending' && paidOf(row) > 0), [data])
  const [picked, setPicked] = useState<{ employee: string; day: string }>()
  const first = useMemo(() => rows?.toSorted((a, b) => interest(b) - interest(a))[0], [rows])
  const shown = picked ?? first
  const own = rows?.filter(({ employee }) => employee === shown?.employee).toReversed() ?? []
  const row = own.find(({ day }) => day === shown?.day) ?? own.at(-1)
  const people = useMemo(() => new Map(rows?.map(row => [row.employee, row])), [rows])
  return { isWaiting: mayRead && !data && !error, row, own, people, pick: setPicked }
}

/** The recent holidays of a department. */
const useHolidaysOf = (department: string | undefined): readonly HourHoliday[] => {
  const today = useFormats().today()
  const { data } = useRead('holiday/all', { from: addDays(today, -2 * recentDays), to: today })
  return useMemo(
    () =>
      (data?.list ?? [])
        .filter(({ departments }) => !departments || (department !== undefined && departments.includes(department)))
        .flatMap(({ from, to, part }) => daysBetween(from, to).map(day => ({ day, ...(part && { part }) }))),
    [data, department],
  )
}

/** The last set without faults, so that the example stays visible while the user types. */
const useValidSet = (draft: Draft) => {
  const current = useMemo(() => exampleSet(draft), [draft])
  const last = useRef(current)
  if (current) last.current = current
  return { set: last.current, isStale: !current }
}

export function Example({ draft }: { draft: Draft }) {
  const { t } = useTranslation(['hours', 'hour-rule', 'shell'])
  const formats = useFormats()
  const shownName = useShownName()
  const { isWaiting, row, own, people, pick } = useExample()
  const around = useDaysAround(row?.employee, row?.day)
  const { set, isStale } = useValidSet(draft)
  const holidays = useHolidaysOf(row?.department)
  const split = useMemo(() => {
    if (!around || !row || !set) return undefined
    return splitDay(around, row.day, set, { firstWeekday: formats.firstWeekday, holidays })
  }, [around, row, set, holidays, formats.firstWeekday])
  const at = row ? own.indexOf(row) : -1
  const step = (by: -1 | 1) => {
    const next = own[at + by]
    return next && (() => pick({ employee: next.employee, day: next.day }))
  }
  return (
    <aside className="card hours-example" aria-label={t('example.title')}>
      <header>
        <h2>{t('example.title')}</h2>
        {row && (
          <SelectField
            label={t('example.person')}
            className="example-person"
            value={row.employee}
            onText={employee => {
              const other = people.get(employee)
              if (other) pick({ employee, day: other.day })
            }}
            options={[...people.values()].map(one => [one.employee, shownName(fullName(one))] as const)}
          />
        )}
      </header>
      {isWaiting && <span className="skeleton" style={{ height: 120 }} />}
      {!isWaiting && !row && (
        <Empty icon={<CalendarOff />} title={t('example.none')}>
          {t('example.noneText')}
        </Empty>
      )}
      {row && (
        <>
          <div className="example-day">
            <Button
              look="quiet"
              square
              aria-label={t('example.earlier')}
              disabled={!step(-1)}
              onClick={() => step(-1)?.()}
              icon={<ChevronLeft className="icon" />}
            />
            <p>
              <strong>{formats.shortDay(row.day)}</strong>{' '}
              {row.shift ? (
                <span className={`shift-name shift-color ${row.shiftColor ?? ''}`}>{row.shift}</span>
              ) : (
                <span className="muted">{t('example.free')}</span>
              )}
            </p>
            <Button
              look="quiet"
              square
              aria-label={t('example.later')}
              disabled={!step(1)}
              onClick={() => step(1)?.()}
              icon={<ChevronRight className="icon" />}
            />
          </div>
          {split ? (
            <ExampleSplit split={split} kinds={draft.kinds} day={row.day} isStale={isStale} />
          ) : around ? (
            <p className="muted">{t(set ? 'example.unpaid' : 'example.faulty')}</p>
          ) : (
            <span className="skeleton" style={{ height: 120 }} />
          )}
        </>
      )}
    </aside>
  )
}

function ExampleSplit(props: { split: SplitDay; kinds: readonly DraftKind[]; day: string; isStale: boolean }) {
  const { t } = useTranslation(['hours', 'hour-rule', 'shell'])
  const formats = useFormats()
  const words = useHourWords()
  const { split, kinds, day, isStale } = props
  const kindOf = (key: string) => kinds.find(kind => kind.key === key)
  const nameOf = (key: string) => kindOf(key)?.name.trim() || t('rule.unnamed')
  const spans = [...split.base, ...[...split.extra.values()].flat()]
  const [left, right] = [Math.min(...spans.map(({ from }) => from)), Math.max(...spans.map(({ to }) => to))]
  const clock = (minute: number) =>
    formats.wallTime(wallTime(readingAt(split.zone, minute) - dayNumber(day) * 1440).slice(0, 5))
  const totals = (parts: readonly ExampleSpan[]) => {
    const minutes = new Map<string, number>()
    for (const { kind, from, to } of parts) minutes.set(kind, (minutes.get(kind) ?? 0) + to - from)
    return [...minutes]
  }
  const text = useMeasureText()
  const paid = split.base.reduce((sum, { from, to }) => sum + to - from, 0)
  const lines = [
    ...totals(split.base).map(([kind, minutes]) => ({ kind, minutes, isExtra: false })),
    ...totals([...split.extra.values()].flat()).map(([kind, minutes]) => ({ kind, minutes, isExtra: true })),
  ]
  return (
    <>
      <div className="example-tracks" aria-hidden="true" data-stale={isStale || undefined}>
        <Track parts={split.base} {...{ left, right, kindOf }} />
        {[...split.extra].map(([kind, parts]) => (
          <Track key={kind} {...{ parts, left, right, kindOf }} />
        ))}
        <div className="example-ends figure small muted">
          <span>{clock(left)}</span>
          <span>{clock(right)}</span>
        </div>
      </div>
      <dl className="example-totals">
        {lines.map(({ kind, minutes, isExtra }) => (
          <div key={`${kind} ${isExtra}`}>
            <dt>
              <KindDot color={kindOf(kind)?.color} />
              {nameOf(kind)}
            </dt>
            <dd className="figure">
              {isExtra && '+ '}
              {text(minutes, 'work')}
            </dd>
          </div>
        ))}
        <div className="is-total">
          <dt>{t('example.paid')}</dt>
          <dd className="figure">{text(paid, 'work')}</dd>
        </div>
      </dl>
      <details>
        <summary>{t('example.why')}</summary>
        <ul className="example-why small">
          {split.pieces.map(({ from, to, kind, isExtra, reasons }) => (
            <li key={`${from} ${kind} ${isExtra}`}>
              <span className="figure">
                {formats.wallTime(from.slice(0, 5))}–{formats.wallTime(to.slice(0, 5))}
              </span>{' '}
              <strong>{nameOf(kind)}</strong>: {words.reasons(reasons, isExtra)}
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}

function Track(props: {
  parts: readonly ExampleSpan[]
  left: number
  right: number
  kindOf: (code: string) => DraftKind | undefined
}) {
  const { parts, left, right, kindOf } = props
  const share = (minutes: number) => (minutes / (right - left)) * 100
  return (
    <div className="example-track">
      {parts.map(({ from, to, kind }) => (
        <span
          key={`${from} ${kind}`}
          style={{
            insetInlineStart: `${share(from - left)}%`,
            width: `${share(to - from)}%`,
            background: kindOf(kind)?.color,
          }}
        >
          {share(to - from) > 16 && kindOf(kind)?.name}
        </span>
      ))}
    </div>
  )
}
