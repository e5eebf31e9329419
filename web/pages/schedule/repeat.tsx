import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays, countDays, daysBetween, earlierDay, laterDay } from '../../../shared/local-day.ts'
import { cellOn } from '../../../shared/rotation.ts'
import { planLimits } from '../../../shared/schedule/limit.ts'
import { useFormats } from '../../format.ts'
import { isWeekend } from '../../parts/board/heads.ts'
import type { BoardRow, BoardShift } from '../../parts/board/row.ts'
import type { Area } from '../../parts/board/selection.ts'
import { Button } from '../../parts/button.tsx'
import { DayField } from '../../parts/field/day-field.tsx'
import { SelectField } from '../../parts/field/field.tsx'
import { Form, useForm } from '../../parts/field/form.tsx'
import { SegmentField } from '../../parts/field/segment-field.tsx'
import { Panel } from '../../parts/list/panel.tsx'
import { Rotation } from './rotation.tsx'
import { Templates } from './templates.tsx'
import { shiftsIn, weekdaysFrom, weekOf, weeksOnBoard } from './weeks.ts'
import './repeat.css'

// Fills many days at once, for the selected people or the whole list. Repeats the selection, rotates weeks or clears
// days.

/** The shifts of a day. `null` leaves the day unchanged. */
type FillCell = readonly string[] | null
export interface Fill {
  people: readonly BoardRow[]
  from: string
  until: string
  cellsOf: (row: BoardRow) => (day: string) => FillCell
}

const kinds = ['repeat', 'rotation', 'free'] as const
const staggers = ['none', 'person', 'department'] as const
const mostDays = planLimits.days
/** The most days of people that the panel judges while the user types. */
const mostJudged = 50_000

export default function RepeatPanel(props: {
  rows: readonly BoardRow[]
  area: Area
  days: readonly string[]
  shifts: readonly BoardShift[]
  /** The first day that the user may change. */
  least: string
  /** The list has more rows than the page has read. */
  isPart: boolean
  shownAt: (row: BoardRow, day: string) => readonly string[]
  changes: (row: BoardRow, day: string, wanted: readonly string[]) => boolean
  onFill: (fill: Fill) => Promise<void>
  onClose: () => void
}) {
  const { t } = useTranslation(['schedule', 'shell'])
  const formats = useFormats()
  const { rows, area, days, shifts, least, shownAt } = props
  const selected = rows.slice(area.top, area.bottom + 1)
  const [first, last] = [days[area.left] ?? '', days[area.right] ?? '']
  const width = countDays(first, last)
  /** Repeats the selection after whole weeks. */
  const period = Math.ceil(width / 7) * 7
  const boardEnd = days.at(-1) ?? last
  /** The days on the board, from the first day that the user may change; four more weeks if none of those is left. */
  const rangeFrom = (start: string) => {
    const from = laterDay(start, least)
    return { from, until: from <= boardEnd ? boardEnd : addDays(from, 4 * period - 1) }
  }
  const ranges = { repeat: rangeFrom(addDays(first, period)), others: rangeFrom(days[0] ?? first) }
  const form = useForm({
    kind: 'repeat' as string,
    who: 'selected' as string,
    ...ranges.repeat,
    stagger: 'none' as string,
  })
  const { kind, who, from, until, stagger } = form.values
  const [weeks, setWeeks] = useState<string[][]>(() =>
    [0, 1].map(week =>
      weekdaysFrom(formats.firstWeekday).map(day => (isWeekend(day) ? '' : ((shifts[week] ?? shifts[0])?.id ?? ''))),
    ),
  )
  const people = who === 'all' && kind !== 'repeat' ? rows : selected
  const steps = useMemo(() => {
    const departments = [...new Set(people.map(({ department }) => department))]
    return new Map(
      people.map((row, index) => [
        row.employee,
        kind !== 'rotation'
          ? 0
          : stagger === 'person'
            ? index
            : stagger === 'department'
              ? departments.indexOf(row.department)
              : 0,
      ]),
    )
  }, [people, kind, stagger])

  const cellsOf: Fill['cellsOf'] = row => {
    const rotate = (weeks: FillCell[][], starts: string) => (day: string) =>
      cellOn({ weeks, starts, step: steps.get(row.employee) ?? 0 }, day) ?? null
    if (kind === 'free') return () => []
    if (kind === 'rotation') {
      return rotate(
        weeks.map(week => week.map(shiftsIn)),
        weekOf(from, formats.firstWeekday),
      )
    }
    const cells = Array.from({ length: period }, (_, place) =>
      place < width ? shownAt(row, addDays(first, place)) : null,
    )
    return rotate(
      Array.from({ length: period / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7)),
      first,
    )
  }
  const isBefore = from !== '' && until !== '' && until < from
  const isRange = from !== '' && until !== '' && !isBefore
  const end = isRange ? earlierDay(until, addDays(from, mostDays - 1)) : until
  const [firstPerson] = people
  const cellOfFirst = firstPerson && cellsOf(firstPerson)
  const range = isRange ? daysBetween(from, end) : []
  const filledDays = range.filter(day => cellOfFirst && cellOfFirst(day) !== null).length
  /** The number of days that the board will offer to save; an upper bound for a very large range. */
  const changedDays = () => {
    if (range.length * people.length > mostJudged) return filledDays * people.length
    const changesOf = (row: BoardRow) => {
      const cellOf = cellsOf(row)
      return range.filter(day => {
        const cell = cellOf(day)
        return cell !== null && props.changes(row, day, cell)
      }).length
    }
    return people.reduce((sum, row) => sum + changesOf(row), 0)
  }
  const choose = (next: string) => form.set({ kind: next, ...(next === 'repeat' ? ranges.repeat : ranges.others) })
  const fill = () =>
    form.submit(
      async () => {
        await props.onFill({ people, from, until: end, cellsOf })
        props.onClose()
      },
      { required: ['from', 'until'], wrong: { until: isBefore && 10002 } },
    )

  return (
    <Panel
      title={t('repeat.title')}
      wide
      onClose={props.onClose}
      foot={
        <>
          <p className="muted repeat-sum" aria-live="polite">
            {t('repeat.sum', {
              people: t('selection.people', { count: people.length }),
              days: t('selection.days', { count: changedDays() }),
            })}
          </p>
          <Button onClick={props.onClose}>{t('shell:cancel')}</Button>
          <Button look="primary" type="submit" form="repeat" busy={form.busy} disabled={isRange && filledDays === 0}>
            {t(kind === 'free' ? 'repeat.free' : 'repeat.paint')}
          </Button>
        </>
      }
    >
      <Form form={form} id="repeat" className="panel-body repeat" onSubmit={fill}>
        <SegmentField
          label={t('repeat.what')}
          value={kind}
          onText={choose}
          options={kinds.map(name => [name, t(`repeat.kind.${name}`)] as const)}
        />
        <p className="muted">
          {kind === 'repeat'
            ? t('repeat.hint.repeat', {
                days: first === last ? formats.day(first) : `${formats.day(first)} – ${formats.day(last)}`,
                weeks: t('repeat.weeks', { count: period / 7 }),
              })
            : t(kind === 'free' ? 'repeat.hint.free' : 'repeat.hint.rotation')}
        </p>
        {kind === 'rotation' && (
          <>
            <Templates
              weeks={weeks}
              shifts={shifts}
              ofSelection={() =>
                selected[0] ? weeksOnBoard(selected[0], { first, last, days }, formats.firstWeekday, shownAt) : weeks
              }
              onWeeks={setWeeks}
            />
            <Rotation weeks={weeks} shifts={shifts} onWeeks={setWeeks} />
          </>
        )}
        {kind !== 'repeat' && (
          <SegmentField
            label={t('repeat.who')}
            value={who}
            onText={who => form.set({ who })}
            options={[
              ['selected', t('repeat.selected', { count: selected.length })],
              ['all', t('repeat.all', { count: rows.length })],
            ]}
          />
        )}
        {who === 'all' && kind !== 'repeat' && props.isPart && <p className="notice warn">{t('repeat.part')}</p>}
        <div className="repeat-days">
          <DayField
            label={t('repeat.from')}
            value={from}
            least={least}
            onText={from => form.set({ from })}
            error={form.error('from')}
          />
          <DayField
            label={t('repeat.until')}
            value={until}
            {...(from && { least: from, most: addDays(from, mostDays - 1) })}
            onText={until => form.set({ until })}
            error={isBefore ? t('repeat.before') : form.error('until')}
          />
        </div>
        {kind === 'rotation' && weeks.length > 1 && people.length > 1 && (
          <SelectField
            label={t('repeat.stagger.label')}
            value={stagger}
            onText={stagger => form.set({ stagger })}
            options={staggers.map(name => [name, t(`repeat.stagger.${name}`)] as const)}
            hint={t('repeat.stagger.hint')}
          />
        )}
        <p className="muted small">{t('repeat.later')}</p>
      </Form>
    </Panel>
  )
}
