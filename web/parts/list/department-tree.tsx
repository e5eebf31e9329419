// biome-ignore-all lint/a11y/useSemanticElements: rows are placed by transform, which table elements do not allow.
// biome-ignore-all lint/a11y/useFocusableInteractive: exactly one row takes the focus; headers and cells do not.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the tree handles the keys for every click on a row.
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type RefObject, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { searchQuery, searchText } from '../../../shared/search.ts'
import { useDrag } from './department-tree/drag.ts'
import { TreeHead } from './department-tree/head.tsx'
import { useTreeKeys } from './department-tree/keys.ts'
import { TreeCells } from './department-tree/row.tsx'
import { type Figures, type Node, narrow, type Row, rowsOf, totalsOf } from './department-tree/rows.ts'
import { type DepartmentChoice, treeOf } from './departments.ts'
import './grid.css'
import './department-tree.css'

// The tree of a company's departments, with figures for each department and the keyboard of an ARIA tree. Only the
// visible rows are in the document.

/** A tree with at most this many departments starts fully open. */
const mostOpen = 60

export interface TreeProps {
  label: string
  departments: readonly DepartmentChoice[]
  figures: ReadonlyMap<string, Figures>
  /** Shows only departments with this text in their names, and their ancestors. */
  search: string
  onOpen: (id: string) => void
  onAdd: (parent: string) => void
  /**
   * Called after the user drops a department onto a parent; `undefined` is the top level. Absent if the user may not
   * move departments.
   */
  onMove?: (id: string, parent: string | undefined) => void
  mayMoveToTop: boolean
  empty: ReactNode
}

/** The visible rows. A search opens every branch with a match. */
const useRows = (departments: readonly DepartmentChoice[], words: string) => {
  const { i18n } = useTranslation()
  const tree = useMemo(() => treeOf(departments, i18n.language), [departments, i18n.language])
  /** Whether the user opened or closed all branches, and the branches that the user has toggled since. */
  const [{ isAllOpen, turned }, setTurned] = useState<{ isAllOpen?: boolean; turned: ReadonlySet<string> }>({
    turned: new Set(),
  })
  const isOpen = (node: Node) => {
    const isOpenAtFirst = isAllOpen ?? (departments.length <= mostOpen || node.depth === 0)
    return words !== '' || turned.has(node.department.id) !== isOpenAtFirst
  }
  const turn = (node: Node) =>
    setTurned(previous => {
      const next = new Set(previous.turned)
      if (!next.delete(node.department.id)) next.add(node.department.id)
      return { ...previous, turned: next }
    })
  const turnAll = (isAllOpen: boolean) => setTurned({ isAllOpen, turned: new Set() })
  return { tree, rows: rowsOf(words ? narrow(tree, words) : tree, isOpen), isOpen, turn, turnAll }
}

/** Renders the visible rows and the `kept` rows. The focused row and the dragged row must stay in the document. */
const useSight = (box: RefObject<HTMLDivElement | null>, rows: readonly Row[], kept: readonly number[]) =>
  useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => (matchMedia('(max-width: 1024px)').matches ? 52 : 44),
    getItemKey: index => rows[index]?.node.department.id ?? index,
    overscan: 12,
    rangeExtractor: range =>
      [...new Set([...defaultRangeExtractor(range), ...kept])]
        .filter(index => index >= 0 && index < rows.length)
        .sort((a, b) => a - b),
    scrollPaddingStart: 44,
  })

export function DepartmentTree(props: TreeProps) {
  const { departments, figures, search, onOpen, onMove } = props
  const box = useRef<HTMLDivElement>(null)
  const words = searchQuery(search)
  const { tree, rows, isOpen, turn, turnAll } = useRows(departments, words)
  const totals = useMemo(() => totalsOf(tree, figures), [tree, figures])
  const [active, setActive] = useState<string>()
  const indexOf = (id: string | undefined) => rows.findIndex(({ node }) => node.department.id === id)
  const activeIndex = Math.max(0, indexOf(active))
  const drag = useDrag(onMove)
  const { dragged } = drag
  const virtualizer = useSight(box, rows, [activeIndex, dragged ? indexOf(dragged.department.id) : -1])
  const focus = (row: Row | undefined) => {
    if (!row) return
    const { id } = row.node.department
    setActive(id)
    virtualizer.scrollToIndex(rows.indexOf(row))
    const find = () => box.current?.querySelector<HTMLElement>(`[data-id="${id}"]`)
    // Moves the focus at once if possible. The next key may close the focused branch, and a removed row would lose all
    // later keys.
    const renderedRow = find()
    if (renderedRow) renderedRow.focus({ preventScroll: true })
    else requestAnimationFrame(() => find()?.focus())
  }
  const handleKey = useTreeKeys({ rows, activeIndex, isSearched: words !== '', isOpen, turn, focus, onOpen })

  if (rows.length === 0) return <div className="card grid-empty">{props.empty}</div>
  return (
    <div
      ref={box}
      className={dragged ? 'card grid tree is-dragging' : 'card grid tree'}
      role="treegrid"
      aria-label={props.label}
      aria-rowcount={rows.length + 1}
      aria-colcount={4}
      onKeyDown={handleKey}
    >
      <TreeHead
        hasBranches={words === '' && tree.some(({ children }) => children.length > 0)}
        onTurnAll={turnAll}
        drag={drag}
        mayMoveToTop={props.mayMoveToTop}
      />
      <div className="grid-body" role="rowgroup" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index]
          if (!row) return null
          const { node } = row
          const { id, name } = node.department
          const isActive = index === activeIndex
          const looks = {
            leads: words !== '' && !searchText(name).includes(words),
            dragged: dragged === node,
            'is-target': drag.target === id,
          }
          return (
            <div
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              data-id={id}
              role="row"
              aria-rowindex={index + 2}
              aria-level={node.depth + 1}
              aria-posinset={row.place}
              aria-setsize={row.of}
              aria-expanded={node.children.length > 0 ? isOpen(node) : undefined}
              tabIndex={isActive ? 0 : -1}
              className={['grid-row can-open', ...Object.entries(looks).flatMap(([look, is]) => (is ? look : []))].join(
                ' ',
              )}
              style={
                { transform: `translateY(${start}px)`, '--depth': Math.min(node.depth, 12) } as React.CSSProperties
              }
              onFocus={() => setActive(id)}
              onClick={() => onOpen(id)}
              draggable={onMove !== undefined && words === ''}
              {...drag.source(node)}
              {...drag.place(id)}
            >
              <TreeCells
                {...{
                  node,
                  words,
                  isActive,
                  figures: figures.get(id),
                  isRead: figures.size > 0,
                  total: totals.get(id),
                }}
                onTurn={() => turn(node)}
                onOpen={() => onOpen(id)}
                onAdd={() => props.onAdd(id)}
              />
            </div>
          )
        })}
      </div>
    </div>
  )
}
