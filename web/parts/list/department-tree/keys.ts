import { type KeyboardEvent, useRef } from 'react'
import { searchText } from '../../../../shared/search.ts'
import type { Node, Row } from './rows.ts'

interface Tree {
  rows: readonly Row[]
  activeIndex: number
  /** A search is active, which keeps every branch open. */
  isSearched: boolean
  isOpen: (node: Node) => boolean
  turn: (node: Node) => void
  focus: (row: Row | undefined) => void
  onOpen: (id: string) => void
}

/** Handles the keys of a tree as the ARIA authoring practices describe them. */
export const useTreeKeys = ({ rows, activeIndex, isSearched, isOpen, turn, focus, onOpen }: Tree) => {
  /** Typed letters move to the next name that begins with them. A pause of half a second starts a new word. */
  const typed = useRef({ text: '', at: 0 })
  const find = (key: string) => {
    const now = Date.now()
    const text = now - typed.current.at < 500 ? typed.current.text + searchText(key) : searchText(key)
    typed.current = { text, at: now }
    const from = text.length > 1 ? activeIndex : activeIndex + 1
    const order = [...rows.slice(from), ...rows.slice(0, from)]
    focus(order.find(({ node }) => searchText(node.department.name).startsWith(text)))
  }
  return (event: KeyboardEvent) => {
    const row = rows[activeIndex]
    // The buttons in a row handle their own keys.
    if (!row || (event.target as HTMLElement).closest('[role="row"]') !== event.target) return
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const { node } = row
    const hasChildren = node.children.length > 0
    const parent = rows.slice(0, activeIndex).findLast(other => other.node.depth < node.depth)
    const moves: Record<string, () => void> = {
      ArrowDown: () => focus(rows[activeIndex + 1]),
      ArrowUp: () => focus(rows[activeIndex - 1]),
      ArrowRight: () => hasChildren && (isOpen(node) ? focus(rows[activeIndex + 1]) : turn(node)),
      ArrowLeft: () => (hasChildren && isOpen(node) && !isSearched ? turn(node) : focus(parent)),
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
}
