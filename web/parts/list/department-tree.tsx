// biome-ignore-all lint/a11y/useSemanticElements: rows are placed by transform, which table elements do not allow.
// biome-ignore-all lint/a11y/useFocusableInteractive: exactly one of the rows takes the focus, heads and cells do not.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the tree does by key what a click on a row does.
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { ChevronRight, ChevronsDownUp, ChevronsUpDown, CornerLeftUp, Plus, UsersRound } from 'lucide-react'
import { type DragEvent, type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fold } from '../../../shared/fold.ts'
import { useFormats } from '../../format.ts'
import { Link } from '../shell/router.ts'
import { type Branch, type DepartmentChoice, flatten, treeOf } from './departments.ts'
import './grid.css'
import './department-tree.css'

// The departments of a company as they stand under each other, worked like a tree by keys, with figures beside each. Only the
// rows in sight are in the document.

export interface Figures {
  employeeCount: number
  /** For whom it is the main department: everybody has one, so these can be added up. */
  mainEmployeeCount: number
  deviceCount: number
  isDefault?: true | undefined
  location?: string | undefined
}

/** So many are shown all open at first. */
const mostOpen = 60

type Node = Branch<DepartmentChoice>
interface Row {
  node: Node
  place: number
  of: number
}

/** What has the words in its name, and what leads to it. */
const narrow = (branches: readonly Node[], words: string): Node[] =>
  branches.flatMap(branch => {
    const children = narrow(branch.children, words)
    return children.length > 0 || fold(branch.department.name).includes(words) ? [{ ...branch, children }] : []
  })

const rowsOf = (branches: readonly Node[], isOpen: (node: Node) => boolean): Row[] =>
  branches.flatMap((node, index) => [
    { node, place: index + 1, of: branches.length },
    ...(isOpen(node) ? rowsOf(node.children, isOpen) : []),
  ])

export interface TreeProps {
  label: string
  departments: readonly DepartmentChoice[]
  figures: ReadonlyMap<string, Figures>
  /** Shows what has this in its name, with what it is a part of. */
  search: string
  onOpen: (id: string) => void
  onAdd: (parent: string) => void
  /** Dropped onto another one, or onto nothing: at the top. Absent where nothing may be moved. */
  onMove?: (id: string, parent: string | undefined) => void
  mayMoveToTop: boolean
  empty: ReactNode
}

export function DepartmentTree(props: TreeProps) {
  const { departments, figures, search, onOpen, onMove } = props
  const { t, i18n } = useTranslation(['department', 'shell'])
  const formats = useFormats()
  const box = useRef<HTMLDivElement>(null)
  const tree = useMemo(() => treeOf(departments, i18n.language), [departments, i18n.language])
  /** All open or all closed, where that was asked for, and those that were turned since. */
  const [{ isAllOpen, turned }, setTurned] = useState<{ isAllOpen?: boolean; turned: ReadonlySet<string> }>({
    turned: new Set(),
  })
  const words = fold(search)
  const isOpen = (node: Node) => {
    const isOpenAtFirst = isAllOpen ?? (departments.length <= mostOpen || node.depth === 0)
    return words !== '' || turned.has(node.department.id) !== isOpenAtFirst
  }
  const shown = words ? narrow(tree, words) : tree
  const rows = rowsOf(shown, isOpen)
  const [active, setActive] = useState<string>()
  const activeIndex = Math.max(
    0,
    rows.findIndex(({ node }) => node.department.id === active),
  )
  const totals = useMemo(() => {
    const all = new Map<string, { employees: number; devices: number }>()
    const add = ({ department, children }: Node): { employees: number; devices: number } => {
      const own = figures.get(department.id)
      const below = children.map(add)
      const total = {
        employees: below.reduce((sum, { employees }) => sum + employees, own?.mainEmployeeCount ?? 0),
        devices: below.reduce((sum, { devices }) => sum + devices, own?.deviceCount ?? 0),
      }
      all.set(department.id, total)
      return total
    }
    tree.forEach(add)
    return all
  }, [tree, figures])

  const [dragged, setDragged] = useState<Node>()
  const [target, setTarget] = useState<string>()
  const forbidden = useMemo(
    () => new Set(dragged && flatten([dragged]).map(({ department }) => department.id)),
    [dragged],
  )

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => (matchMedia('(max-width: 1024px)').matches ? 52 : 44),
    getItemKey: index => rows[index]?.node.department.id ?? index,
    overscan: 12,
    // The row that has the focus is always there, and the one that is carried.
    rangeExtractor: range => {
      const kept = [
        activeIndex,
        dragged ? rows.findIndex(({ node }) => node.department.id === dragged.department.id) : -1,
      ]
      const indexes = new Set([...defaultRangeExtractor(range), ...kept])
      return [...indexes].filter(index => index >= 0 && index < rows.length).sort((one, other) => one - other)
    },
    scrollPaddingStart: 44,
  })

  const turn = (node: Node) =>
    setTurned(was => {
      const next = new Set(was.turned)
      if (!next.delete(node.department.id)) next.add(node.department.id)
      return { ...was, turned: next }
    })
  const focus = (row: Row | undefined) => {
    if (!row) return
    setActive(row.node.department.id)
    virtualizer.scrollToIndex(rows.indexOf(row))
    requestAnimationFrame(() =>
      box.current?.querySelector<HTMLElement>(`[data-id="${row.node.department.id}"]`)?.focus(),
    )
  }

  /** Letters typed in a row within half a second find the next name that begins with them. */
  const typed = useRef({ text: '', at: 0 })
  const find = (key: string) => {
    const now = Date.now()
    const text = now - typed.current.at < 500 ? typed.current.text + fold(key) : fold(key)
    typed.current = { text, at: now }
    const from = text.length > 1 ? activeIndex : activeIndex + 1
    const order = [...rows.slice(from), ...rows.slice(0, from)]
    focus(order.find(({ node }) => fold(node.department.name).startsWith(text)))
  }

  const hearKey = (event: KeyboardEvent) => {
    const row = rows[activeIndex]
    // What is pressed in a row's buttons is theirs.
    if (!row || (event.target as HTMLElement).closest('[role="row"]') !== event.target) return
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const { node } = row
    const hasChildren = node.children.length > 0
    const parent = rows.slice(0, activeIndex).findLast(other => other.node.depth < node.depth)
    const moves: Record<string, () => void> = {
      ArrowDown: () => focus(rows[activeIndex + 1]),
      ArrowUp: () => focus(rows[activeIndex - 1]),
      ArrowRight: () => hasChildren && (isOpen(node) ? focus(rows[activeIndex + 1]) : turn(node)),
      ArrowLeft: () => (hasChildren && isOpen(node) && !words ? turn(node) : focus(parent)),
      Home: () => focus(rows[0]),
      End: () => focus(rows.at(-1)),
      Enter: () => onOpen(node.department.id),
      ' ': () => onOpen(node.department.id),
    }
    const move = moves[event.key]
    if (move) move()
    else if (event.key.length === 1) find(event.key)
    else return
    event.preventDefault()
  }

  // A row is carried to another one. Who has no mouse chooses the parent in the panel.
  const canTake = (id: string | undefined) =>
    dragged !== undefined && dragged.department.parent !== id && !(id && forbidden.has(id))
  const over = (id: string | undefined) => (event: DragEvent) => {
    if (!canTake(id)) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'move'
    setTarget(id ?? 'top')
  }
  const drop = (id: string | undefined) => (event: DragEvent) => {
    event.preventDefault()
    if (dragged && canTake(id)) onMove?.(dragged.department.id, id)
    setDragged(undefined)
    setTarget(undefined)
  }
  useEffect(() => {
    if (!dragged) setTarget(undefined)
  }, [dragged])

  if (rows.length === 0) return <div className="card grid-empty">{props.empty}</div>
  const isNew = figures.size === 0
  const hasBranches = words === '' && tree.some(({ children }) => children.length > 0)
  return (
    <div
      ref={box}
      className={dragged ? 'card grid tree is-dragging' : 'card grid tree'}
      role="treegrid"
      aria-label={props.label}
      aria-rowcount={rows.length + 1}
      aria-colcount={4}
      onKeyDown={hearKey}
    >
      <div className="grid-head" role="rowgroup">
        <div className="grid-row" role="row" aria-rowindex={1}>
          <div role="columnheader" className="tree-head">
            {t('name')}
            {hasBranches && (
              <span>
                <button
                  type="button"
                  aria-label={t('openAll')}
                  title={t('openAll')}
                  onClick={() => setTurned({ isAllOpen: true, turned: new Set() })}
                >
                  <ChevronsUpDown className="icon" aria-hidden="true" />
                </button>
                <button
                  type="button"
                  aria-label={t('closeAll')}
                  title={t('closeAll')}
                  onClick={() => setTurned({ isAllOpen: false, turned: new Set() })}
                >
                  <ChevronsDownUp className="icon" aria-hidden="true" />
                </button>
              </span>
            )}
          </div>
          <div role="columnheader" className="minor">
            {t('location')}
          </div>
          <div role="columnheader" className="number">
            {t('employees')}
          </div>
          <div role="columnheader" className="number">
            {t('devices')}
          </div>
          <div role="columnheader">
            <span className="unseen">{t('below')}</span>
          </div>
        </div>
        {dragged?.department.parent && props.mayMoveToTop && (
          // biome-ignore lint/a11y/noStaticElementInteractions: the panel is the way without a mouse.
          <div
            className={target === 'top' ? 'tree-top is-target' : 'tree-top'}
            onDragOver={over(undefined)}
            onDragLeave={() => setTarget(undefined)}
            onDrop={drop(undefined)}
          >
            <CornerLeftUp className="icon" aria-hidden="true" /> {t('move.toTop')}
          </div>
        )}
      </div>
      <div className="grid-body" role="rowgroup" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index]
          if (!row) return null
          const { node } = row
          const { id, name } = node.department
          const own = figures.get(id)
          const total = totals.get(id)
          const isParent = node.children.length > 0
          const isActive = index === activeIndex
          const isMatch = words === '' || fold(name).includes(words)
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
              aria-expanded={isParent ? isOpen(node) : undefined}
              tabIndex={isActive ? 0 : -1}
              className={[
                'grid-row can-open',
                !isMatch && 'leads',
                dragged === node && 'dragged',
                target === id && 'is-target',
              ]
                .filter(Boolean)
                .join(' ')}
              style={
                { transform: `translateY(${start}px)`, '--depth': Math.min(node.depth, 12) } as React.CSSProperties
              }
              onFocus={() => setActive(id)}
              onClick={() => onOpen(id)}
              draggable={onMove !== undefined && words === ''}
              onDragStart={event => {
                event.dataTransfer.setData('text/plain', name)
                event.dataTransfer.effectAllowed = 'move'
                setDragged(node)
              }}
              onDragEnd={() => setDragged(undefined)}
              onDragOver={over(id)}
              onDragLeave={() => setTarget(undefined)}
              onDrop={drop(id)}
            >
              <div role="gridcell" className="tree-name">
                {isParent ? (
                  // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys open and close a row.
                  <span
                    className="tree-turn"
                    onClick={event => {
                      event.stopPropagation()
                      turn(node)
                    }}
                  >
                    <ChevronRight className="icon" aria-hidden="true" />
                  </span>
                ) : (
                  <span className="tree-turn" />
                )}
                <button
                  type="button"
                  className="row-title"
                  tabIndex={-1}
                  title={name}
                  onClick={event => {
                    event.stopPropagation()
                    onOpen(id)
                  }}
                >
                  <Marked text={name} words={words} />
                </button>
                {own?.isDefault && <span className="tag">{t('default')}</span>}
              </div>
              <div role="gridcell" className="minor">
                {own?.location}
              </div>
              <Figure
                own={isNew ? undefined : (own?.employeeCount ?? 0)}
                total={isParent ? total?.employees : undefined}
                all={t('peopleInAll', { count: total?.employees ?? 0 })}
                name={formats.number}
                to={`/employee?department=${id}`}
                isActive={isActive}
              />
              <Figure
                own={isNew ? undefined : (own?.deviceCount ?? 0)}
                total={isParent ? total?.devices : undefined}
                all={t('inAll', { count: total?.devices ?? 0 })}
                name={formats.number}
              />
              <div role="gridcell" className="tree-do">
                <button
                  type="button"
                  className="button quiet square"
                  tabIndex={isActive ? 0 : -1}
                  aria-label={t('addBelow', { name })}
                  title={t('addBelow', { name })}
                  onClick={event => {
                    event.stopPropagation()
                    props.onAdd(id)
                  }}
                >
                  <Plus className="icon" aria-hidden="true" />
                </button>
              </div>
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** How many there are in it, and with everything below it, which is said by `all`. */
function Figure(props: {
  own: number | undefined
  total: number | undefined
  all: string
  name: (value: number) => string
  to?: string
  isActive?: boolean
}) {
  const { own, total, all, name, to } = props
  if (own === undefined) {
    return (
      <div role="gridcell" className="number">
        <span className="skeleton" style={{ width: 28, height: 12 }} />
      </div>
    )
  }
  return (
    <div role="gridcell" className="number">
      <UsersRound className="icon" aria-hidden="true" />
      {to && own > 0 ? (
        <Link to={to} tabIndex={props.isActive ? 0 : -1} onClick={event => event.stopPropagation()}>
          {name(own)}
        </Link>
      ) : (
        <span className={own === 0 ? 'muted' : undefined}>{name(own)}</span>
      )}
      {total !== undefined && total !== own && (
        <span className="muted small tree-total" title={all}>
          <span aria-hidden="true">/ {name(total)}</span>
          <span className="unseen">{all}</span>
        </span>
      )}
    </div>
  )
}

/** A name with what was looked for marked in it, where case and accents do not move its letters. */
function Marked({ text, words }: { text: string; words: string }) {
  const folded = fold(text)
  const at = words && folded.length === text.length ? folded.indexOf(words) : -1
  if (at < 0) return text
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + words.length)}</mark>
      {text.slice(at + words.length)}
    </>
  )
}
