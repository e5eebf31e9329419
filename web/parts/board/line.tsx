// biome-ignore-all lint/a11y/useFocusableInteractive: exactly one cell takes the focus; rows and headers do not.
// biome-ignore-all lint/a11y/useSemanticElements: rows are placed by transform, which table elements do not allow.
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { fullName } from '../../person-name.ts'
import { PersonLink } from '../person-link.tsx'
import { useLeaveWords } from './leave.ts'
import { isSame, type OwnPlan } from './plan.ts'
import type { Conflict } from './plan-conflict.ts'
import type { BoardRow, BoardShift, Head, HolidayLook } from './row.ts'

// One employee's row. React renders the row again only if its days, its part of the selection or its focus change.

interface LineProps {
  index: number
  offset: number
  /** The row number in the whole grid, headers included. */
  place: number
  row: BoardRow
  heads: readonly Head[]
  plan: OwnPlan | undefined
  /** The cells of the plan that a running save contains. */
  sent: OwnPlan | undefined
  conflicts: ReadonlyMap<string, readonly Conflict[]> | undefined
  shifts: ReadonlyMap<string, BoardShift>
  freeDays: ReadonlyMap<string, HolidayLook> | undefined
  isPastOpen: boolean
  /** The focused column; −1 if none. */
  activeColumn: number
  /** The first selected column; −1 if none. */
  from: number
  to: number
}

export const Line = memo(function Line(props: LineProps) {
  const { index, row, heads, plan, sent, conflicts, shifts, freeDays, activeColumn, from, to } = props
  const { t } = useTranslation('schedule')
  const leaveWords = useLeaveWords()
  const name = fullName(row)
  const titleOf = (day: string, ...words: (string | undefined)[]) =>
    [
      ...words,
      ...(conflicts?.get(day) ?? []).map(conflict => {
        const isFirst = conflict.day === day
        const [shift, other] = isFirst ? [conflict.shift, conflict.withShift] : [conflict.withShift, conflict.shift]
        return t('overlaps', { shift: shifts.get(shift)?.name ?? '', other: shifts.get(other)?.words ?? '' })
      }),
    ]
      .filter(Boolean)
      .join('. ')
  return (
    <div
      className="board-row"
      role="row"
      aria-rowindex={props.place}
      style={{ transform: `translateY(${props.offset}px)` }}
    >
      <div
        role="rowheader"
        aria-colindex={1}
        className="board-name"
        tabIndex={-1}
        data-name={index}
        title={`${name} · ${row.workno}`}
      >
        <PersonLink id={row.employee} tabIndex={-1}>
          {name}
        </PersonLink>
        <span className="muted small figure">{row.workno}</span>
      </div>
      {heads.map(({ day, name: dayName, looks, isPast }, column) => {
        const planned = plan?.[day]
        const isSent = planned !== undefined && sent?.[day] === planned
        const isChanged = planned !== undefined && !isSent && !isSame(planned, row.days[day] ?? [])
        const shownShifts = (planned ?? row.days[day] ?? []).flatMap(id => shifts.get(id) ?? [])
        const isDraft = !isChanged && row.published?.[day] !== undefined
        const isSelected = column >= from && column <= to
        const faults = conflicts?.get(day)
        const leave = leaveWords(row.leaves, day)
        const words = titleOf(day, shownShifts.map(({ words }) => words).join(', '), leave?.words)
        return (
          <div
            key={day}
            role="gridcell"
            aria-colindex={column + 2}
            aria-selected={isSelected || column === activeColumn}
            aria-readonly={isPast && !props.isPastOpen}
            aria-label={`${name}, ${dayName}: ${words || t('free')}${isChanged ? ` (${t('unsaved')})` : isSent ? ` (${t('saving')})` : isDraft ? ` (${t('draft.sample')})` : ''}`}
            title={words || undefined}
            tabIndex={column === activeColumn ? 0 : -1}
            data-row={index}
            data-column={column}
            className={`board-cell ${looks}${freeDays?.has(day) ? ` ${freeDays.get(day)}` : ''}${isSelected ? ' selected' : ''}${isChanged ? ' planned' : ''}${isSent ? ' sent' : ''}${isDraft ? ' draft' : ''}${faults ? ' conflict' : ''}${leave ? (leave.isPart ? ' part-leave' : ' on-leave') : ''}`}
          >
            {leave && <span className={leave.looks} data-letters={leave.letters} data-name={leave.name} />}
            {shownShifts.map(({ id, color, name, letters, hours }) => (
              <span
                key={id}
                className={`shift-color ${color}`}
                data-letters={letters}
                data-name={name}
                data-hours={hours}
              />
            ))}
          </div>
        )
      })}
    </div>
  )
})
