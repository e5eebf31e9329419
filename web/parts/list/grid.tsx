// biome-ignore-all lint/a11y/useFocusableInteractive: users operate the buttons in the cells, not the rows and cells themselves.
// biome-ignore-all lint/a11y/useSemanticElements: rows are placed by transform, which table elements do not allow.
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by the keyboard.
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { List } from '../../read.ts'
import { Button } from '../button.tsx'
import { SelectField } from '../field/field.tsx'
import { Trouble } from '../page.tsx'
import { ListedPeople, peopleIn } from '../person-link.tsx'
import type { Column } from './grid/column.ts'
import { ColumnChoice, useShownColumns } from './grid/column-choice.tsx'
import { Groups } from './grid/groups.tsx'
import { PrintList } from './grid/print-list.tsx'
import { RowCount } from './row-count.tsx'
import './grid.css'

// Shows lists of any length. Only the visible rows are in the document. On a phone each row becomes a card.

/** The chosen rows of a list, for bulk actions. */
export interface Selection {
  has: (key: string) => boolean
  /** The number of chosen rows, including rows out of sight. */
  size: number
  set: (keys: readonly string[], isChosen: boolean) => void
  clear: () => void
}

export const useSelection = (): Selection & { keys: ReadonlySet<string> } => {
  const [keys, setKeys] = useState<ReadonlySet<string>>(() => new Set())
  return useMemo(
    () => ({
      keys,
      has: key => keys.has(key),
      size: keys.size,
      set: (changed, isChosen) =>
        setKeys(previous => {
          const next = new Set(previous)
          for (const key of changed) isChosen ? next.add(key) : next.delete(key)
          return next
        }),
      clear: () => setKeys(new Set()),
    }),
    [keys],
  )
}

export interface GridProps<Row, By extends string> {
  label: string
  columns: readonly Column<Row, By>[]
  list: List<Row, By>
  rowKey: (row: Row) => string
  /** Opens a clicked row. For keyboard users, the first cell should contain a button with the same action. */
  onOpen?: (row: Row) => void
  /** Adds a checkbox to every row; `nameOf` labels the checkbox. */
  selection?: Selection
  nameOf?: (row: Row) => string
  empty: ReactNode
  /** The key of the row whose panel stands beside the list. */
  opened?: string | undefined
  /** The cells of a sticky row below the last row, by the keys of the columns. */
  foot?: Readonly<Record<string, ReactNode>> | undefined
  /** The number of rows, if the page knows it from elsewhere. */
  count?: number | undefined
  /** The grid can be wider than the window, so its first column is sticky. */
  isWide?: boolean
  /** The page has its own choice of the columns. */
  hasOwnColumns?: boolean
}

const estimatedRow = 48

type Sized = Pick<Column<never>, 'width' | 'title' | 'second' | 'isNumber' | 'sort'>

/**
 * The approximate width of a letter. Columns are wide enough to show each word of their title unbroken, in any
 * language.
 */
const letterPixels = 7.5
const widthOf = ({ width, title, second = '', isNumber, sort }: Sized, isWide: boolean) => {
  const longest = Math.max(...`${title} ${second}`.split(/[\s/-]/).map(word => word.length))
  const least = Math.ceil(longest * letterPixels) + (isNumber && !isWide ? 24 : 16) + (sort ? 16 : 0)
  return width.replace(/\d+(?=px)/, pixels => String(Math.max(Number(pixels), least)))
}

const tracksOf = (columns: readonly Sized[], { hasBox, isWide }: { hasBox: boolean; isWide: boolean }) =>
  [...(hasBox ? ['28px'] : []), ...columns.map(column => widthOf(column, isWide))].join(' ')

const titleOf = ({ title, unit, second }: Pick<Column<never>, 'title' | 'unit' | 'second'>) =>
  second ? `${title} / ${second}` : unit ? `${title} (${unit})` : title

/** Two related values in one cell. A screen reader reads the title `second` before the second value. */
export function TwoLines(props: { second: string; of: readonly [ReactNode, ReactNode] }) {
  const [first, second] = props.of
  return (
    <span className="two-lines">
      <span>{first}</span>
      <span className="small">
        <span className="unseen">{props.second}: </span>
        {second}
      </span>
    </span>
  )
}

type Classed = Pick<Column<never>, 'isNumber' | 'isMinor' | 'isExtra' | 'group'>
const classOf = ({ isNumber, isMinor, isExtra, group }: Classed) =>
  [isNumber && 'number', (isMinor || isExtra) && 'minor', isExtra && 'extra', group && 'tinted']
    .filter(Boolean)
    .join(' ') || undefined

function Line<Row>({ columns, row, from }: { columns: readonly Column<Row>[]; row: Row; from: number }) {
  return useMemo(
    () =>
      columns.map((column, index) => (
        <div
          key={column.key}
          role="cell"
          aria-colindex={index + from}
          data-title={titleOf(column)}
          className={classOf(column)}
        >
          {column.cell(row)}
        </div>
      )),
    [columns, row, from],
  )
}

export function Grid<Row, By extends string>(props: GridProps<Row, By>) {
  const { list, onOpen, rowKey, selection } = props
  const sortable = useShownColumns(list.path, props.columns, !props.hasOwnColumns)
  // Only the headers need the type of the sort names.
  const columns: readonly Column<Row>[] = sortable
  const { rows, count, hasMore, more } = list
  const { t } = useTranslation()
  const box = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: rows?.length ?? 0,
    getScrollElement: () => box.current,
    estimateSize: () => estimatedRow,
    getItemKey: index => {
      const row = rows?.[index]
      return row ? rowKey(row) : index
    },
    overscan: 12,
  })
  const items = virtualizer.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const isNearEnd = rows !== undefined && last >= rows.length - 10
  useEffect(() => {
    if (isNearEnd && hasMore) more()
  }, [isNearEnd, hasMore, more])
  const first = items[0]?.index ?? 0
  const { range } = virtualizer
  const shown = range ? { from: range.startIndex + 1, to: range.endIndex + 1 } : undefined
  const { see } = list
  useEffect(() => see(first, last), [see, first, last])
  // A new order or new filters scroll the list to the top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list's name changes with its order and filters.
  useEffect(() => {
    if (box.current) box.current.scrollTop = 0
  }, [list.name])

  const people = useMemo(() => peopleIn(rows), [rows])

  if (list.error && !rows) return <Trouble error={list.error} onRetry={list.readAgain} />
  if (rows?.length === 0 && !hasMore) return <div className="card grid-empty">{props.empty}</div>
  const layout = { hasBox: selection !== undefined, isWide: props.isWide === true }
  const tracks = {
    '--tracks': tracksOf(columns, layout),
    '--tracks-narrow': tracksOf(
      columns.filter(({ isExtra }) => !isExtra),
      layout,
    ),
  } as React.CSSProperties
  const from = selection ? 2 : 1
  return (
    <>
      <SortChoice columns={props.columns} list={list} />
      <div
        ref={box}
        className={['card grid', props.isWide && 'is-wide', selection && 'can-choose'].filter(Boolean).join(' ')}
        role="table"
        aria-label={props.label}
        tabIndex={0}
        style={tracks}
        aria-busy={!rows || list.isLoading}
        aria-rowcount={count === undefined ? -1 : count + 1}
        aria-colcount={columns.length + from - 1}
      >
        <div className="grid-head" role="rowgroup">
          <Groups columns={columns} from={from} />
          <div className="grid-row" role="row" aria-rowindex={1}>
            {selection && (
              <div role="columnheader" aria-colindex={1} className="choose">
                <ChooseAll selection={selection} keys={rows?.map(rowKey) ?? []} />
              </div>
            )}
            {sortable.map((column, index) => (
              <Head key={column.key} column={column} index={index + from} list={list} />
            ))}
          </div>
        </div>
        {rows && rows.length > 0 ? (
          <ListedPeople value={people}>
            <div className="grid-body" role="rowgroup" style={{ height: virtualizer.getTotalSize() }}>
              {items.map(({ index, key, start }) => {
                const row = rows[index]
                if (row === undefined) return null
                const id = rowKey(row)
                const isChosen = selection?.has(id)
                return (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the button in the first cell does the same by key.
                  <div
                    key={key}
                    ref={virtualizer.measureElement}
                    data-index={index}
                    className={['grid-row', onOpen && 'can-open', isChosen && 'chosen', id === props.opened && 'opened']
                      .filter(Boolean)
                      .join(' ')}
                    role="row"
                    aria-rowindex={index + 2}
                    {...(id === props.opened && { 'aria-current': true })}
                    style={{ transform: `translateY(${start}px)` }}
                    onClick={onOpen && (() => onOpen(row))}
                  >
                    {selection && (
                      // biome-ignore lint/a11y/useKeyWithClickEvents: users press the checkbox; a click beside it must not open the row.
                      <div role="cell" aria-colindex={1} className="choose" onClick={event => event.stopPropagation()}>
                        <label className="check">
                          <input
                            type="checkbox"
                            checked={isChosen}
                            aria-label={props.nameOf?.(row) ?? id}
                            onChange={event => selection.set([id], event.target.checked)}
                          />
                        </label>
                      </div>
                    )}
                    <Line columns={columns} row={row} from={from} />
                  </div>
                )
              })}
            </div>
          </ListedPeople>
        ) : (
          <Waiting columns={columns} label={t('loading')} hasBox={selection !== undefined} />
        )}
        {props.foot && rows && (
          <div className="grid-foot" role="rowgroup">
            <div className="grid-row" role="row">
              {selection && <div role="cell" className="choose" />}
              {columns.map(column => (
                <div key={column.key} role="cell" data-title={titleOf(column)} className={classOf(column)}>
                  {props.foot?.[column.key]}
                </div>
              ))}
            </div>
          </div>
        )}
        {rows && list.error !== undefined && (
          <div className="grid-more" role="row">
            <span role="cell">
              {t('trouble')}{' '}
              <button type="button" className="link" onClick={list.readAgain}>
                {t('again')}
              </button>
            </span>
          </div>
        )}
      </div>
      <div className="grid-end">
        <RowCount list={list} count={props.count} shown={shown} />
        {!props.hasOwnColumns && <ColumnChoice list={list.path} columns={props.columns} shown={columns} />}
        {rows && rows.length > 0 && (
          <PrintList label={props.label} list={list} columns={columns} rowKey={rowKey} foot={props.foot} />
        )}
      </div>
    </>
  )
}

/** A column's header. If the list can sort by the column, the header is a button. A second press reverses the order. */
function Head<Row, By extends string>(props: { column: Column<Row, By>; index: number; list: List<Row, By> }) {
  const { column, list } = props
  const by = column.sort
  const isSorted = by !== undefined && list.sort?.by === by
  const isDescending = isSorted && list.sort?.descending === true
  const words = (
    <>
      {column.title}
      {(column.unit ?? column.second) && <small>{column.unit ?? column.second}</small>}
    </>
  )
  const Arrow = !isSorted ? ChevronsUpDown : isDescending ? ArrowDown : ArrowUp
  return (
    <div
      role="columnheader"
      aria-colindex={props.index}
      aria-sort={by && (isSorted ? (isDescending ? 'descending' : 'ascending') : 'none')}
      className={classOf(column)}
      title={titleOf(column)}
    >
      {by ? (
        <button
          type="button"
          className={isSorted ? 'sort sorted' : 'sort'}
          onClick={() => list.sortBy({ by, ...(isSorted && !isDescending && { descending: true }) })}
        >
          <span>{words}</span>
          <Arrow className="icon" aria-hidden="true" />
        </button>
      ) : (
        words
      )}
    </div>
  )
}

/** Sorts the list on a phone, where cards replace rows and headers. */
function SortChoice<Row, By extends string>({
  columns,
  list,
}: {
  columns: readonly Column<Row, By>[]
  list: List<Row, By>
}) {
  const { t } = useTranslation()
  const sortable = columns.flatMap(({ sort, title }) => (sort ? [[sort, title] as const] : []))
  if (sortable.length === 0) return null
  const { sort } = list
  return (
    <div className="grid-sort filters">
      <SelectField
        label={t('sort.by')}
        value={sort?.by ?? ''}
        onText={value => {
          const by = sortable.find(([name]) => name === value)?.[0]
          if (by) list.sortBy({ by })
        }}
        options={[...(sort ? [] : [['', t('sort.by')] as const]), ...sortable]}
      />
      {sort && (
        <Button
          square
          aria-label={t(sort.descending ? 'sort.descending' : 'sort.ascending')}
          icon={sort.descending ? <ArrowDown className="icon" /> : <ArrowUp className="icon" />}
          onClick={() => list.sortBy({ by: sort.by, ...(!sort.descending && { descending: true }) })}
        />
      )}
    </div>
  )
}

/** Chooses all loaded rows, or no rows. */
function ChooseAll({ selection, keys }: { selection: Selection; keys: readonly string[] }) {
  const { t } = useTranslation()
  const count = keys.filter(selection.has).length
  const isAll = keys.length > 0 && count === keys.length
  return (
    <label className="check">
      <input
        type="checkbox"
        aria-label={t('selection.all')}
        disabled={keys.length === 0}
        checked={isAll}
        ref={input => {
          if (input) input.indeterminate = count > 0 && !isAll
        }}
        onChange={() => selection.set(keys, !isAll)}
      />
    </label>
  )
}

/** The skeleton while the first rows load. */
function Waiting<Row>(props: { columns: readonly Column<Row>[]; label: string; hasBox: boolean }) {
  return (
    <div className="grid-waiting" role="rowgroup" aria-label={props.label}>
      {Array.from({ length: 8 }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: these lines never move.
        <div key={line} className="grid-row" role="row">
          {props.hasBox && <div role="cell" className="choose" />}
          {props.columns.map((column, index) => (
            <div key={column.key} role="cell" className={classOf(column)}>
              <span className="skeleton" style={{ width: `${[72, 54, 84, 40][(line + index) % 4]}%`, height: 12 }} />
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}
