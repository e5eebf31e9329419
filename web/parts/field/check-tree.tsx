// biome-ignore-all lint/a11y/useFocusableInteractive: the tree has the focus and names its active item.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the tree handles the keys for every click on an item.
import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { searchQuery, searchText } from '../../../shared/search.ts'
import { type Branch, type DepartmentChoice, treeOf } from '../list/departments.ts'
import './check-tree.css'

// A tree of departments with checkboxes. Only the visible rows are in the document, so thousands of departments stay
// fast. The checkbox of a parent controls the parent and all its descendants. An extra row controls the parent alone.

interface Node {
  id: string
  name: string
  below: Node[]
  /** The ids that the checkbox controls: the department and its descendants. */
  all: string[]
  words: string
  /** The node is only an ancestor of search matches. Its checkbox controls only the matches. */
  isPath?: true
}

interface Row {
  key: string
  node: Node
  level: number
  place: number
  of: number
  /** The extra row for the parent alone, without its descendants. */
  isItself: boolean
}

const nodeOf = ({ department: { id, name }, children }: Branch<DepartmentChoice>): Node => {
  const below = children.map(nodeOf)
  return { id, name, below, all: [id, ...below.flatMap(({ all }) => all)], words: searchText(name) }
}

/** The nodes with the words in their names, and their ancestors. Adds the ids of the ancestors to `open`. */
const narrow = (list: readonly Node[], words: string, open: Set<string>): Node[] =>
  list.flatMap(node => {
    const below = narrow(node.below, words, open)
    if (below.length > 0) open.add(node.id)
    if (node.words.includes(words)) return [node]
    return below.length > 0 ? [{ ...node, below, all: below.flatMap(({ all }) => all), isPath: true as const }] : []
  })

const rowsOf = (tops: readonly Node[], isOpen: (node: Node, level: number) => boolean): Row[] => {
  const rows: Row[] = []
  const walk = (list: readonly Node[], level: number, itself?: Node) => {
    const of = list.length + (itself ? 1 : 0)
    if (itself) rows.push({ key: `${itself.id} itself`, node: itself, level, place: 1, of, isItself: true })
    list.forEach((node, index) => {
      rows.push({ key: node.id, node, level, place: index + 1 + (itself ? 1 : 0), of, isItself: false })
      if (node.below.length > 0 && isOpen(node, level)) walk(node.below, level + 1, node.isPath ? undefined : node)
    })
  }
  walk(tops, 1)
  return rows
}

const isChecked = ({ node, isItself }: Row, chosen: ReadonlySet<string>): boolean | 'mixed' => {
  if (isItself) return chosen.has(node.id)
  const isIn = chosen.has(node.all[0] ?? '')
  return node.all.every(id => chosen.has(id) === isIn) ? isIn : 'mixed'
}

/** The row height in pixels. Rows are higher on small screens, because users touch them there. */
const rowHeight = () => (matchMedia('(max-width: 1024px)').matches ? 44 : 36)

export function CheckTree(props: {
  label: string
  departments: readonly DepartmentChoice[]
  chosen: ReadonlySet<string>
  onChange: (chosen: ReadonlySet<string>) => void
  /** Shows only departments with these words in their names. */
  search: string
  describedBy?: string | undefined
}) {
  const { t, i18n } = useTranslation()
  const { departments, chosen, onChange, search } = props
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [height] = useState(rowHeight)
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [activeIndex, setActiveIndex] = useState(0)
  const words = searchQuery(search)
  const tops = useMemo(() => treeOf(departments, i18n.language).map(nodeOf), [departments, i18n.language])
  const rows = useMemo(() => {
    const matchAncestors = new Set<string>()
    const shownTops = words ? narrow(tops, words, matchAncestors) : tops
    // The first level starts open, unless it is long.
    const isShort = departments.length <= 60
    return rowsOf(
      shownTops,
      ({ id: key }, level) => opened.get(words + key) ?? (words ? matchAncestors.has(key) : isShort && level === 1),
    )
  }, [tops, words, opened, departments.length])
  const current = Math.min(activeIndex, rows.length - 1)

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    getItemKey: index => rows[index]?.key ?? index,
    overscan: 8,
  })
  const goTo = (index: number) => {
    const next = Math.min(Math.max(index, 0), rows.length - 1)
    setActiveIndex(next)
    virtualizer.scrollToIndex(next)
  }
  const turn = ({ node }: Row, open: boolean) => setOpened(previous => new Map(previous).set(words + node.id, open))
  const tick = (row: Row) => {
    const ids = row.isItself ? [row.node.id] : row.node.all
    const next = new Set(chosen)
    const isOn = isChecked(row, chosen) === true
    for (const id of ids) isOn ? next.delete(id) : next.add(id)
    onChange(next)
  }
  const handleKey = (event: KeyboardEvent) => {
    const row = rows[current]
    if (!row) return
    const isOpen = rows[current + 1]?.level === row.level + 1
    const canOpen = !row.isItself && row.node.below.length > 0
    const acts: Record<string, () => void> = {
      ArrowDown: () => goTo(current + 1),
      ArrowUp: () => goTo(current - 1),
      Home: () => goTo(0),
      End: () => goTo(rows.length - 1),
      PageDown: () => goTo(current + 8),
      PageUp: () => goTo(current - 8),
      ArrowRight: () => (canOpen && !isOpen ? turn(row, true) : isOpen && goTo(current + 1)),
      ArrowLeft: () =>
        canOpen && isOpen
          ? turn(row, false)
          : goTo(
              Math.max(
                0,
                rows.findLastIndex(({ level }, index) => index < current && level < row.level),
              ),
            ),
      ' ': () => tick(row),
      Enter: () => tick(row),
    }
    const act = acts[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }

  if (rows.length === 0) {
    return (
      <p className="check-tree-none muted" role="status">
        {t('choice.none')}
      </p>
    )
  }
  return (
    <div
      ref={box}
      className="check-tree"
      role="tree"
      tabIndex={0}
      aria-label={props.label}
      aria-multiselectable="true"
      aria-describedby={props.describedBy}
      aria-activedescendant={`${id}-${current}`}
      onKeyDown={handleKey}
    >
      <div role="presentation" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index]
          return (
            row && (
              <TreeRow
                key={key}
                id={`${id}-${index}`}
                name={row.isItself ? t('choice.itself', { name: row.node.name }) : row.node.name}
                level={row.level}
                place={row.place}
                of={row.of}
                isItself={row.isItself}
                checked={isChecked(row, chosen)}
                open={
                  row.isItself || row.node.below.length === 0 ? undefined : rows[index + 1]?.level === row.level + 1
                }
                isMeant={index === current}
                start={start}
                height={height}
                onTick={() => {
                  setActiveIndex(index)
                  tick(row)
                }}
                onTurn={open => {
                  setActiveIndex(index)
                  turn(row, open)
                }}
              />
            )
          )
        })}
      </div>
    </div>
  )
}

interface TreeRowProps {
  id: string
  name: string
  level: number
  place: number
  of: number
  isItself: boolean
  checked: boolean | 'mixed'
  open: boolean | undefined
  isMeant: boolean
  start: number
  height: number
  onTick: () => void
  onTurn: (open: boolean) => void
}

const TreeRow = (row: TreeRowProps) => (
  <div
    id={row.id}
    className={row.isMeant ? 'check-tree-row is-meant' : 'check-tree-row'}
    role="treeitem"
    aria-level={row.level}
    aria-posinset={row.place}
    aria-setsize={row.of}
    aria-checked={row.checked}
    aria-expanded={row.open}
    style={{
      height: row.height,
      transform: `translateY(${row.start}px)`,
      paddingInlineStart: 8 + (row.level - 1) * 20,
    }}
    onClick={row.onTick}
  >
    <span
      className="turn"
      aria-hidden="true"
      onClick={event => {
        if (row.open === undefined) return
        event.stopPropagation()
        row.onTurn(!row.open)
      }}
    >
      {row.open !== undefined && <ChevronRight className="icon" />}
    </span>
    <span className="tick" aria-hidden="true" />
    <span className={row.isItself ? 'name muted' : 'name'}>{row.name}</span>
  </div>
)
