// biome-ignore-all lint/a11y/useFocusableInteractive: a table's rows and cells are read, not operated; what is operated are the buttons in them.
// biome-ignore-all lint/a11y/useSemanticElements: rows are placed by transform, which table elements do not allow.
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Trouble } from './page.tsx'
import './grid.css'

// The one part for lists of any length: only the rows in sight are in the document. On a phone a row becomes a card.

export interface Column<Row> {
  key: string
  title: string
  /** The unit of its figures, under the title. */
  unit?: string
  /** A CSS grid track, such as `minmax(160px, 2fr)`. */
  width: string
  /** Figures stand at the end of their column. */
  isNumber?: boolean
  /** Not worth its place on a phone. */
  isMinor?: boolean
  cell: (row: Row) => ReactNode
}

interface GridProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[] | undefined
  rowKey: (row: Row) => string
  /** How many rows there are in all, where that is known. */
  count?: number | undefined
  error?: unknown
  onRetry: () => void
  /** Brings the next rows when the last ones come into sight. */
  onEnd?: () => void
  hasMore?: boolean
  /** Opens a row; its first cell should hold a button that does the same, for those without a mouse. */
  onOpen?: (row: Row) => void
  empty: ReactNode
  /** Wider than some windows: the first column stays in sight. */
  isWide?: boolean
}

const estimatedRow = 48

function Line<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  return useMemo(
    () =>
      columns.map((column, index) => (
        <div
          key={column.key}
          role="cell"
          aria-colindex={index + 1}
          data-title={column.unit ? `${column.title} (${column.unit})` : column.title}
          className={[column.isNumber && 'number', column.isMinor && 'minor'].filter(Boolean).join(' ') || undefined}
        >
          {column.cell(row)}
        </div>
      )),
    [columns, row],
  )
}

export function Grid<Row>(props: GridProps<Row>) {
  const { columns, rows, onEnd, onOpen } = props
  const { t } = useTranslation()
  const box = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: rows?.length ?? 0,
    getScrollElement: () => box.current,
    estimateSize: () => estimatedRow,
    getItemKey: index => {
      const row = rows?.[index]
      return row ? props.rowKey(row) : index
    },
    overscan: 12,
  })
  const items = virtualizer.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const isNearEnd = rows !== undefined && last >= rows.length - 10
  useEffect(() => {
    if (isNearEnd && props.hasMore) onEnd?.()
  }, [isNearEnd, props.hasMore, onEnd])

  if (props.error && !rows) return <Trouble error={props.error} onRetry={props.onRetry} />
  if (rows?.length === 0 && !props.hasMore) return <div className="card grid-empty">{props.empty}</div>
  const tracks = { '--tracks': columns.map(({ width }) => width).join(' ') } as React.CSSProperties
  return (
    <div
      ref={box}
      className={props.isWide ? 'card grid is-wide' : 'card grid'}
      role="table"
      aria-label={props.label}
      tabIndex={0}
      style={tracks}
      aria-busy={!rows}
      aria-rowcount={props.count === undefined ? -1 : props.count + 1}
      aria-colcount={columns.length}
    >
      <div className="grid-head" role="rowgroup">
        <div className="grid-row" role="row" aria-rowindex={1}>
          {columns.map((column, index) => (
            <div
              key={column.key}
              role="columnheader"
              aria-colindex={index + 1}
              className={column.isNumber ? 'number' : undefined}
              title={column.title}
            >
              {column.title}
              {column.unit && <small>{column.unit}</small>}
            </div>
          ))}
        </div>
      </div>
      {rows && rows.length > 0 ? (
        <div className="grid-body" role="rowgroup" style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const row = rows[index]
            if (row === undefined) return null
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the button in the first cell does the same by key.
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                className={onOpen ? 'grid-row can-open' : 'grid-row'}
                role="row"
                aria-rowindex={index + 2}
                style={{ transform: `translateY(${start}px)` }}
                onClick={onOpen && (() => onOpen(row))}
              >
                <Line columns={columns} row={row} />
              </div>
            )
          })}
        </div>
      ) : (
        <Waiting columns={columns} label={t('loading')} />
      )}
    </div>
  )
}

/** Grey bars of plausible lengths while the first rows are on their way. */
function Waiting<Row>({ columns, label }: { columns: readonly Column<Row>[]; label: string }) {
  return (
    <div className="grid-waiting" role="rowgroup" aria-label={label}>
      {Array.from({ length: 8 }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: these lines never move.
        <div key={line} className="grid-row" role="row">
          {columns.map((column, index) => (
            <div key={column.key} role="cell" className={column.isMinor ? 'minor' : undefined}>
              <span className="skeleton" style={{ width: `${[72, 54, 84, 40][(line + index) % 4]}%`, height: 12 }} />
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}
