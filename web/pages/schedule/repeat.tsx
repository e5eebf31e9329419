import { Minus, Plus } from 'lucide-react'
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
import { weekOf } from './view.tsx'
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
const mostWeeks = 8
const mostDays = planLimits.days

/** The days of any week, for the weekday names in the company's order. */
const weekdaysFrom = (firstWeekday: number) =>
  Array.from({ length: 7 }, (_, index) => addDays(weekOf('2026-11-16', firstWeekday), index))

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
  const firstDays = {
    repeat: laterDay(addDays(first, period), least),
    rotation: laterDay(weekOf(first, formats.firstWeekday), least),
  }
  const form = useForm({
    kind: 'repeat' as string,
    who: 'selected' as string,
    from: firstDays.repeat,
    until: addDays(firstDays.repeat, 4 * period - 1),
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
      const cells = weeks.map(week => week.map(shift => (shift === 'leave' ? null : shift ? [shift] : [])))
      return rotate(cells, weekOf(from, formats.firstWeekday))
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
  const filledDays = cellOfFirst && isRange ? daysBetween(from, end).filter(day => cellOfFirst(day) !== null).length : 0
  const choose = (next: string) => {
    const from = next === 'repeat' ? firstDays.repeat : firstDays.rotation
    form.set({ kind: next, from, until: addDays(from, (next === 'repeat' ? 4 * period : 28) - 1) })
  }
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
              days: t('selection.days', { count: filledDays * people.length }),
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
        {kind === 'rotation' && <Weeks weeks={weeks} shifts={shifts} onWeeks={setWeeks} />}
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

/** The weeks of a rotation, with the shift of each day. */
function Weeks(props: {
  weeks: readonly string[][]
  shifts: readonly BoardShift[]
  onWeeks: (weeks: string[][]) => void
}) {
  const { t } = useTranslation('schedule')
  const formats = useFormats()
  const { weeks, shifts, onWeeks } = props
  const days = weekdaysFrom(formats.firstWeekday)
  const set = (week: number, day: number, shift: string) =>
    onWeeks(weeks.map((shiftsOfWeek, index) => (index === week ? shiftsOfWeek.with(day, shift) : shiftsOfWeek)))
  const colorOf = (id: string | undefined) => shifts.find(shift => shift.id === id)?.color ?? ''
  return (
    <div className="rotation">
      <table>
        <thead>
          <tr>
            <td />
            {days.map(day => (
              <th key={day} scope="col">
                {formats.weekday(day)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((shiftsOfWeek, week) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the place identifies a week.
            <tr key={week}>
              <th scope="row">{t('repeat.week', { number: week + 1 })}</th>
              {days.map((day, index) => (
                <td key={day}>
                  <select
                    className={`shift-color ${colorOf(shiftsOfWeek[index])}`}
                    aria-label={t('repeat.cell', { number: week + 1, day: formats.weekday(day) })}
                    value={shiftsOfWeek[index]}
                    onChange={event => set(week, index, event.target.value)}
                  >
                    <option value="">{t('eraser')}</option>
                    {shifts.map(({ id, name }) => (
                      <option key={id} value={id}>
                        {name}
                      </option>
                    ))}
                    <option value="leave">{t('repeat.leave')}</option>
                  </select>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="rotation-do">
        <Button
          look="quiet"
          icon={<Plus className="icon" />}
          disabled={weeks.length >= mostWeeks}
          onClick={() => onWeeks([...weeks, [...(weeks.at(-1) ?? [])]])}
        >
          {t('repeat.more')}
        </Button>
        <Button
          look="quiet"
          icon={<Minus className="icon" />}
          disabled={weeks.length <= 1}
          onClick={() => onWeeks(weeks.slice(0, -1))}
        >
          {t('repeat.fewer')}
        </Button>
      </div>
    </div>
  )
}
