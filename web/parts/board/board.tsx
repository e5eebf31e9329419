// biome-ignore-all lint/a11y/useFocusableInteractive: exactly one cell takes the focus; rows and headers do not.
// biome-ignore-all lint/a11y/useSemanticElements: rows are placed by transform, which table elements do not allow.
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { placeAt, useDrag } from './drag.ts'
import { Line } from './line.tsx'
import type { Plan } from './plan.ts'
import type { Judgement } from './plan-conflict.ts'
import type { BoardRow, BoardShift, FreeDays, Head } from './row.ts'
import { type Area, areaOf, type Move, moveWithin, type Place, type Selection } from './selection.ts'
import './board.css'

// The schedule board: employees × days. Only the visible rows are in the document. The selection stays until the user
// selects other cells. So the user can assign, copy, paste and free the same cells one after the other.

export type Command = 'paint' | 'free' | 'select' | 'beside' | { pick: number }

interface BoardProps {
  label: string
  heads: readonly Head[]
  rows: readonly BoardRow[] | undefined
  plan: Plan
  sent: Plan
  judged: ReadonlyMap<string, Judgement>
  shifts: ReadonlyMap<string, BoardShift>
  freeDays: FreeDays
  isPastOpen: boolean
  selection: Selection
  onSelect: (selection: Selection) => void
  /** Whether a drag assigns the shift to its cells; otherwise it only selects cells. */
  isPainting: boolean
  onPaint: (area: Area) => void
  /** Moves the shifts of an area to other days or people, or copies them. */
  onMove: (move: Move, isCopy: boolean) => void
  onCommand: (command: Command) => void
  onCopy: (event: ClipboardEvent) => void
  onCut: (event: ClipboardEvent) => void
  onPaste: (event: ClipboardEvent) => void
  onEnd: () => void
  onSee: (from: number, to: number) => void
  hasMore: boolean
  /** Renders the rows below the employees; `place` is the grid's row number of the first such row. */
  foot: (place: number) => ReactNode
}

export const rowHeight = 44
const headRows = 2
const isInside = ({ top, bottom, left, right }: Area, { row, column }: Place) =>
  row >= top && row <= bottom && column >= left && column <= right
const clamp = (value: number, most: number) => Math.max(0, Math.min(most, value))
/** The weeks of the shown days, with their first and last column. */
const weeksOf = (heads: readonly Head[]) =>
  [...Map.groupBy(heads.keys(), column => heads[column]?.week.key)].flatMap(([key, columns]) => {
    const [first = 0, last = 0] = [columns[0], columns.at(-1)]
    const week = heads[first]?.week
    return key && week ? [{ ...week, first, last }] : []
  })

export function Board(props: BoardProps) {
  const { heads, rows, plan, sent, judged, shifts, selection, onSelect, onEnd, onSee, hasMore } = props
  const { t } = useTranslation('schedule')
  const box = useRef<HTMLDivElement>(null)
  const { active, anchor } = selection
  const beginDrag = useDrag(box, {
    selection,
    onSelect,
    onEnd: area => props.isPainting && props.onPaint(area),
  })
  const virtualizer = useVirtualizer({
    count: rows?.length ?? 0,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    // Keeps the focused cell in the document while the user scrolls, so that the keyboard does not lose its place.
    rangeExtractor: range => {
      const rows = defaultRangeExtractor(range)
      return rows.includes(active.row) || active.row >= range.count ? rows : [...rows, active.row].sort((a, b) => a - b)
    },
    // The sticky headers and counts cover rows of the scroll area.
    scrollPaddingStart: 72,
    scrollPaddingEnd: 40,
  })
  // If not all days fit, scroll to today.
  const [firstDay, hasRows] = [heads[0]?.day, rows !== undefined]
  // biome-ignore lint/correctness/useExhaustiveDependencies: with other days, scroll to today again.
  useEffect(() => {
    const head = hasRows && box.current?.querySelector<HTMLElement>('.board-head .today')
    if (box.current) box.current.scrollLeft = head ? head.offsetLeft - box.current.clientWidth / 2 : 0
  }, [hasRows, firstDay])

  const items = virtualizer.getVirtualItems()
  const { startIndex: firstSeen = 0, endIndex: lastSeen = 0 } = virtualizer.range ?? {}
  const isNearEnd = rows !== undefined && lastSeen >= rows.length - 20
  useEffect(() => {
    if (isNearEnd && hasMore) onEnd()
  }, [isNearEnd, hasMore, onEnd])
  useEffect(() => onSee(firstSeen, lastSeen), [onSee, firstSeen, lastSeen])

  const area = areaOf(selection)
  const isMany = area.top !== area.bottom || area.left !== area.right
  const lastRow = Math.max(0, (rows?.length ?? 1) - 1)
  const lastColumn = heads.length - 1

  // A drag that begins on a shift of the selection moves the selected shifts.
  const [moving, setMoving] = useState<Selection>()
  const stop = () => setMoving(undefined)
  const moveOf = (drag: Selection) => moveWithin(area, drag, { row: lastRow, column: lastColumn })
  const beginMove = useDrag(box, {
    selection: moving ?? selection,
    onSelect: setMoving,
    onEnd: (_, { selection: drag, isCopy }) => {
      stop()
      const move = moveOf(drag)
      focusAfterRender()
      if (move.rows !== 0 || move.columns !== 0) props.onMove(move, isCopy)
      else onSelect({ active: drag.anchor, anchor: drag.anchor })
    },
    onCancel: stop,
  })
  const holdsShift = (target: Element) => Boolean(target.closest('[data-column]')?.querySelector('span:not(.leave)'))

  // The active cell takes focus in the render that selects it. The next key press then reaches the board.
  const takesFocus = useRef(false)
  const focusActive = () =>
    box.current?.querySelector<HTMLElement>('[data-column][tabindex="0"]')?.focus({ preventScroll: true })
  const focusAfterRender = () => {
    takesFocus.current = true
  }
  useLayoutEffect(() => {
    if (takesFocus.current) focusActive()
    takesFocus.current = false
  })
  const reveal = ({ row, column }: Place) => {
    virtualizer.scrollToIndex(row)
    const head = box.current?.querySelector<HTMLElement>(`.board-days > :nth-child(${column + 2})`)
    const name = box.current?.querySelector<HTMLElement>('.board-head .board-name')
    if (!head || !name || !box.current) return
    const { clientWidth, scrollLeft } = box.current
    const least = head.offsetLeft - name.offsetWidth
    const most = head.offsetLeft + head.offsetWidth - clientWidth
    if (scrollLeft > least) box.current.scrollLeft = least
    else if (scrollLeft < most) box.current.scrollLeft = most
  }
  // Another part, such as the list of conflicts, can set the selection. The board scrolls to it and takes the focus.
  const { isSought } = selection
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new selection scrolls the board.
  useEffect(() => {
    if (!isSought) return
    reveal(active)
    // Waits a frame, because a closing panel first returns the focus to its button.
    requestAnimationFrame(focusActive)
  }, [selection])

  const moveTo = (place: Place, isSelecting: boolean) => {
    const target = { row: clamp(place.row, lastRow), column: clamp(place.column, lastColumn) }
    onSelect({ active: target, anchor: isSelecting ? anchor : target })
    reveal(target)
    focusAfterRender()
  }
  const selectArea = ({ top, bottom, left, right }: Area) => {
    onSelect({ active: { row: top, column: left }, anchor: { row: bottom, column: right } })
    focusAfterRender()
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (placeAt(event.target) === undefined) return
    // Without Shift, the keys move from the start of the selection. A paste goes there too.
    const { row, column } = isMany && !event.shiftKey ? { row: area.top, column: area.left } : active
    const isControl = event.ctrlKey || event.metaKey
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    const step = (count: number, end: number) => (isControl ? end : count)
    const moves: Record<string, Place> = {
      ArrowUp: { row: step(row - 1, 0), column },
      ArrowDown: { row: step(row + 1, lastRow), column },
      ArrowLeft: { row, column: step(column - 1, 0) },
      ArrowRight: { row, column: step(column + 1, lastColumn) },
      PageUp: { row: row - 10, column },
      PageDown: { row: row + 10, column },
      Home: { row: isControl ? 0 : row, column: 0 },
      End: { row: isControl ? lastRow : row, column: lastColumn },
    }
    const move = moves[key]
    const { week } = heads[column] ?? {}
    const columns = heads.flatMap((head, index) => (head.week.key === week?.key ? [index] : []))
    const act = (): boolean => {
      if (move) moveTo(move, event.shiftKey)
      else if (key === ' ' && event.shiftKey) selectArea({ ...area, left: 0, right: lastColumn })
      else if (key === ' ' && isControl) selectArea({ ...area, top: 0, bottom: lastRow })
      else if (key === 'a' && isControl) selectArea({ top: 0, bottom: lastRow, left: 0, right: lastColumn })
      else if (isControl || event.altKey) return false
      else if (key === 'w') selectArea({ ...area, left: columns[0] ?? 0, right: columns.at(-1) ?? lastColumn })
      else if (key === 'Enter' || key === ' ') props.onCommand('paint')
      else if (key === 'Delete' || key === 'Backspace') props.onCommand('free')
      else if (key === 'Escape') isMany ? onSelect({ active, anchor: active }) : props.onCommand('select')
      else if (key === '+') props.onCommand('beside')
      else if (/^\d$/.test(key)) props.onCommand({ pick: Number(key) })
      else return false
      return true
    }
    if (act()) event.preventDefault()
  }

  // On touch screens a drag scrolls, and taps assign and select. A mouse or pen assigns and selects by dragging.
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0 || !(event.target instanceof Element)) return
    // A name leads to the person's page. The rest of its cell selects the row.
    if (event.target.closest('a')) return
    const place = placeAt(event.target)
    const head = event.target.closest<HTMLElement>('[data-first]')
    const name = event.target.closest<HTMLElement>('[data-name]')
    if (head) {
      const { first, last } = head.dataset
      const [left, right] = [Number(first), Number(last)]
      selectArea({
        top: 0,
        bottom: lastRow,
        left: event.shiftKey ? Math.min(area.left, left) : left,
        right: event.shiftKey ? Math.max(area.right, right) : right,
      })
    } else if (name && !place) {
      const row = Number(name.dataset.name)
      const [top, bottom] = event.shiftKey ? [Math.min(area.top, row), Math.max(area.bottom, row)] : [row, row]
      selectArea({ top, bottom, left: 0, right: lastColumn })
    } else if (
      place &&
      event.pointerType !== 'touch' &&
      !props.isPainting &&
      !event.shiftKey &&
      isInside(area, place) &&
      holdsShift(event.target)
    ) {
      setMoving({ active: place, anchor: place })
      beginMove(false)
      focusAfterRender()
    } else if (place && event.pointerType !== 'touch') {
      onSelect({ active: place, anchor: event.shiftKey ? anchor : place })
      beginDrag(event.shiftKey)
      focusAfterRender()
    } else return
    if (event.pointerType !== 'touch') event.preventDefault()
  }
  /** The first tap begins a selection, and the second tap extends it. */
  const onClick = (event: React.MouseEvent) => {
    const place = placeAt(event.target)
    if (!place || !('pointerType' in event.nativeEvent) || event.nativeEvent.pointerType !== 'touch') return
    if (props.isPainting) {
      onSelect({ active: place, anchor: place })
      props.onPaint(areaOf({ active: place, anchor: place }))
    } else if (selection.isBegun && !isMany) onSelect({ active: place, anchor })
    else onSelect({ active: place, anchor: place, isBegun: true })
  }

  const columns = { '--days': heads.length } as React.CSSProperties
  const isWide = heads.length <= 14
  const bodyRows = rows?.length ?? 0
  return (
    <div
      ref={box}
      className={`card board${isWide ? ' wide' : ''}${isWide && heads.length > 9 ? ' tight' : ''}${props.isPainting ? ' painting' : ''}`}
      role="grid"
      aria-label={props.label}
      aria-rowcount={-1}
      aria-colcount={heads.length + 1}
      aria-multiselectable="true"
      aria-busy={!rows}
      style={columns}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onClick={onClick}
      onCopy={props.onCopy}
      onCut={props.onCut}
      onPaste={props.onPaste}
    >
      <div role="rowgroup" className="board-head">
        <div className="board-weeks" role="row" aria-rowindex={1}>
          <div role="columnheader" aria-colindex={1} className="board-name" tabIndex={-1}>
            <span className="unseen">{t('week.label')}</span>
          </div>
          {weeksOf(heads).map(({ key, name, short, first, last }) => (
            <div
              key={key}
              role="columnheader"
              aria-colindex={first + 2}
              aria-colspan={last - first + 1}
              tabIndex={-1}
              style={{ gridColumn: `span ${last - first + 1}` }}
              data-first={first}
              data-last={last}
              title={t('week.select')}
            >
              {last - first < 3 && !isWide ? short : name}
            </div>
          ))}
        </div>
        <div className="board-days" role="row" aria-rowindex={2}>
          <div role="columnheader" aria-colindex={1} className="board-name" tabIndex={-1}>
            {t('employee')}
          </div>
          {heads.map(({ day, letter, weekday, name, looks }, column) => (
            <div
              key={day}
              role="columnheader"
              aria-colindex={column + 2}
              tabIndex={-1}
              className={looks}
              title={name}
              data-first={column}
              data-last={column}
            >
              <span className="letter">{isWide ? weekday : letter}</span>
              <span className="figure">{Number(day.slice(8))}</span>
            </div>
          ))}
        </div>
      </div>
      {rows ? (
        <div className="board-body" role="rowgroup" style={{ height: virtualizer.getTotalSize() }}>
          {moving && <DropArea {...moveOf(moving)} />}
          {items.map(({ index, key, start: offset }) => {
            const row = rows[index]
            if (!row) return null
            const isIn = index >= area.top && index <= area.bottom
            return (
              <Line
                key={key}
                index={index}
                place={index + headRows + 1}
                offset={offset}
                row={row}
                heads={heads}
                plan={plan[row.employee]}
                sent={sent[row.employee]}
                conflicts={judged.get(row.employee)?.conflictsByDay}
                shifts={shifts}
                freeDays={props.freeDays.get(row.department)}
                isPastOpen={props.isPastOpen}
                activeColumn={active.row === index ? active.column : -1}
                from={isIn && isMany ? area.left : -1}
                to={isIn && isMany ? area.right : -1}
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
      {rows && props.foot(headRows + bodyRows + 1)}
    </div>
  )
}

/** Outlines the cells that a drag moves the shifts to. */
function DropArea({ area, rows, columns }: Move) {
  const count = area.right - area.left + 1
  const place = {
    '--column': area.left + columns,
    '--columns-wide': count,
    insetBlockStart: (area.top + rows) * rowHeight,
    height: (area.bottom - area.top + 1) * rowHeight,
  } as React.CSSProperties
  return <div className="board-drop" aria-hidden="true" style={place} />
}
