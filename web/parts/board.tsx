// biome-ignore-all lint/a11y/useFocusableInteractive: exactly one of the cells takes the focus, rows and heads do not.
// biome-ignore-all lint/a11y/useSemanticElements: rows are placed by transform, which table elements do not allow.
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, memo, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Formats, useFormats } from '../format.ts'
import type { Plan } from './plan.ts'
import './board.css'

// Employees × days of a month. Only the rows in sight are in the document; a row is drawn again only when its own days,
// its share of the selection or the focus in it change.

export interface BoardRow {
  employee: string
  first_name: string
  last_name: string
  workno: string
  days: Record<string, string[]>
}

export interface BoardShift {
  id: string
  name: string
  color: string
  onDuty: string
  offDuty: string
}

interface Cell {
  row: number
  column: number
}

interface BoardProps {
  label: string
  days: readonly string[]
  today: string
  rows: readonly BoardRow[] | undefined
  count: number | undefined
  plan: Plan
  shifts: ReadonlyMap<string, BoardShift>
  /** `<employee> <day>` of the cells a save was refused for. */
  conflicts: ReadonlySet<string>
  onPaint: (cells: { row: BoardRow; day: string }[], isErasing: boolean) => void
  /** A number key: 1 to 9 pick a shift, 0 the eraser. */
  onPick: (number: number) => void
  onUndo: () => void
  onEnd: () => void
  hasMore: boolean
}

const rowHeight = 44
const clamp = (value: number, most: number) => Math.max(0, Math.min(most, value))

const cellAt = (target: EventTarget | null): Cell | undefined => {
  const found = target instanceof Element ? target.closest<HTMLElement>('[data-column]') : null
  return found ? { row: Number(found.dataset.row), column: Number(found.dataset.column) } : undefined
}

export function Board(props: BoardProps) {
  const { days, today, rows, plan, onPaint, onEnd, hasMore } = props
  const { t } = useTranslation('schedule')
  const formats = useFormats()
  const box = useRef<HTMLDivElement>(null)
  const firstOpen = days.findIndex(day => day >= today)
  const [active, setActive] = useState<Cell>({ row: 0, column: Math.max(0, firstOpen) })
  /** Where a selection began; it reaches to the active cell. */
  const [anchor, setAnchor] = useState<Cell>()
  const [isDragging, setDragging] = useState(false)
  const virtualizer = useVirtualizer({
    count: rows?.length ?? 0,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    // The header covers the first row's height of what is in sight.
    scrollPaddingStart: 52,
  })
  // Where not the whole month fits, today is in sight.
  const hasRows = rows !== undefined
  useEffect(() => {
    const head = hasRows && box.current?.querySelector<HTMLElement>('.board-head .today')
    if (head && box.current) box.current.scrollLeft = head.offsetLeft - box.current.clientWidth / 2
  }, [hasRows])

  const items = virtualizer.getVirtualItems()
  const isNearEnd = rows !== undefined && (items.at(-1)?.index ?? 0) >= rows.length - 20
  useEffect(() => {
    if (isNearEnd && hasMore) onEnd()
  }, [isNearEnd, hasMore, onEnd])

  const heads = useMemo(
    () =>
      days.map(day => ({
        day,
        letter: formats.weekdayLetter(day),
        name: formats.longDay(day),
        isRest: [0, 6].includes(new Date(`${day}T12:00:00Z`).getUTCDay()),
      })),
    [days, formats],
  )

  const start = anchor ?? active
  const [top, bottom] = [Math.min(start.row, active.row), Math.max(start.row, active.row)]
  const [left, right] = [Math.min(start.column, active.column), Math.max(start.column, active.column)]

  const paint = (isErasing: boolean) => {
    const open = days.slice(left, right + 1).filter(day => day >= today)
    const cells = (rows ?? []).slice(top, bottom + 1).flatMap(row => open.map(day => ({ row, day })))
    if (cells.length > 0) onPaint(cells, isErasing)
    setAnchor(undefined)
  }

  /** Puts the focus on the active cell once it is in the document. */
  const focusActive = () =>
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('[data-column][tabindex="0"]')?.focus())

  const moveTo = (cell: Cell, isSelecting: boolean) => {
    setAnchor(isSelecting ? start : undefined)
    setActive(cell)
    virtualizer.scrollToIndex(cell.row)
    focusActive()
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const lastRow = (rows?.length ?? 1) - 1
    const lastColumn = days.length - 1
    const { row, column } = active
    const page = 10
    const moves: Record<string, Cell> = {
      ArrowUp: { row: row - 1, column },
      ArrowDown: { row: row + 1, column },
      ArrowLeft: { row, column: column - 1 },
      ArrowRight: { row, column: column + 1 },
      PageUp: { row: row - page, column },
      PageDown: { row: row + page, column },
      Home: { row: event.ctrlKey ? 0 : row, column: 0 },
      End: { row: event.ctrlKey ? lastRow : row, column: lastColumn },
    }
    const move = moves[event.key]
    if (move) moveTo({ row: clamp(move.row, lastRow), column: clamp(move.column, lastColumn) }, event.shiftKey)
    else if (event.key === 'Enter' || event.key === ' ') paint(false)
    else if (event.key === 'Delete' || event.key === 'Backspace') paint(true)
    else if (event.key === 'Escape' && anchor) setAnchor(undefined)
    else if (event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey)) props.onUndo()
    else if (/^\d$/.test(event.key) && !event.ctrlKey && !event.metaKey) props.onPick(Number(event.key))
    else return
    event.preventDefault()
  }

  // A finger scrolls by dragging, so it paints by tapping; a mouse or pen paints what it is drawn over.
  const onPointerDown = (event: PointerEvent) => {
    const cell = cellAt(event.target)
    if (!cell || event.button !== 0) return
    setActive(cell)
    setAnchor(event.shiftKey ? start : cell)
    if (event.pointerType === 'touch') return
    event.preventDefault()
    setDragging(true)
    focusActive()
  }
  const onPointerMove = (event: PointerEvent) => {
    if (!isDragging) return
    const cell = cellAt(document.elementFromPoint(event.clientX, event.clientY))
    if (cell && (cell.row !== active.row || cell.column !== active.column)) setActive(cell)
  }
  const onPointerUp = (event: PointerEvent) => {
    const isTap = event.pointerType === 'touch' && cellAt(event.target) !== undefined && anchor !== undefined
    if (isDragging || isTap) paint(false)
    setDragging(false)
  }
  useEffect(() => {
    // Let go outside of the board: nothing is painted, nothing stays half selected.
    const drop = () => {
      setDragging(false)
      setAnchor(undefined)
    }
    if (isDragging) addEventListener('pointerup', drop)
    return () => removeEventListener('pointerup', drop)
  }, [isDragging])

  const columns = { '--days': days.length } as React.CSSProperties
  return (
    <div
      ref={box}
      className={isDragging ? 'card board dragging' : 'card board'}
      role="grid"
      aria-label={props.label}
      aria-rowcount={(props.count ?? rows?.length ?? 0) + 1}
      aria-colcount={days.length + 1}
      aria-multiselectable="true"
      aria-busy={!rows}
      style={columns}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => setAnchor(undefined)}
    >
      <div className="board-head" role="row" aria-rowindex={1}>
        <div role="columnheader" aria-colindex={1} className="board-name" tabIndex={-1}>
          {t('employee')}
        </div>
        {heads.map(({ day, letter, name, isRest }, column) => (
          <div
            key={day}
            role="columnheader"
            aria-colindex={column + 2}
            tabIndex={-1}
            className={[isRest && 'rest', day === today && 'today', day < today && 'past'].filter(Boolean).join(' ')}
            title={name}
          >
            <span className="letter">{letter}</span>
            <span className="figure">{Number(day.slice(8))}</span>
          </div>
        ))}
      </div>
      {rows ? (
        <div className="board-body" role="rowgroup" style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, key, start: offset }) => {
            const row = rows[index]
            if (!row) return null
            const isIn = anchor !== undefined && index >= top && index <= bottom
            return (
              <Line
                key={key}
                index={index}
                offset={offset}
                row={row}
                heads={heads}
                today={today}
                plan={plan[row.employee]}
                shifts={props.shifts}
                conflicts={props.conflicts}
                activeColumn={active.row === index ? active.column : -1}
                from={isIn ? left : -1}
                to={isIn ? right : -1}
                formats={formats}
              />
            )
          })}
        </div>
      ) : (
        <div className="board-waiting" aria-hidden="true">
          {Array.from({ length: 10 }, (_, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: these lines never move.
            <span key={line} className="skeleton" />
          ))}
        </div>
      )}
    </div>
  )
}

interface LineProps {
  index: number
  offset: number
  row: BoardRow
  heads: readonly { day: string; name: string; isRest: boolean }[]
  today: string
  plan: Record<string, string[]> | undefined
  shifts: ReadonlyMap<string, BoardShift>
  conflicts: ReadonlySet<string>
  /** The column that has the focus, or −1. */
  activeColumn: number
  /** The selected columns, or −1. */
  from: number
  to: number
  formats: Formats
}

const Line = memo(function Line(props: LineProps) {
  const { index, row, heads, today, plan, shifts, conflicts, activeColumn, from, to, formats } = props
  const { t } = useTranslation('schedule')
  const name = `${row.first_name} ${row.last_name}`
  return (
    <div
      className="board-row"
      role="row"
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${props.offset}px)` }}
    >
      <div role="rowheader" aria-colindex={1} className="board-name" tabIndex={-1} title={`${name} · ${row.workno}`}>
        <span>{name}</span>
        <span className="muted small figure">{row.workno}</span>
      </div>
      {heads.map(({ day, name: dayName, isRest }, column) => {
        const planned = plan?.[day]
        const held = planned ?? row.days[day] ?? []
        const found = held.flatMap(id => shifts.get(id) ?? [])
        const words = found
          .map(shift => `${shift.name} ${formats.wallTime(shift.onDuty)}–${formats.wallTime(shift.offDuty)}`)
          .join(', ')
        const isPast = day < today
        const isSelected = column >= from && column <= to
        return (
          <div
            key={day}
            role="gridcell"
            aria-colindex={column + 2}
            aria-selected={isSelected}
            aria-readonly={isPast}
            aria-label={`${name}, ${dayName}: ${words || t('free')}${planned ? ` (${t('unsaved')})` : ''}`}
            title={words}
            tabIndex={column === activeColumn ? 0 : -1}
            data-row={index}
            data-column={column}
            className={[
              'board-cell',
              isRest && 'rest',
              day === today && 'today',
              isPast && 'past',
              isSelected && 'selected',
              planned && 'planned',
              conflicts.has(`${row.employee} ${day}`) && 'conflict',
            ]
              .filter(Boolean)
              .join(' ')}
          >
            {found.map(shift => (
              <span
                key={shift.id}
                className={`shift-color ${shift.color}`}
                data-letters={[...shift.name].slice(0, 2).join('')}
              />
            ))}
          </div>
        )
      })}
    </div>
  )
})
