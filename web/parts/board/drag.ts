import { type RefObject, useEffect, useRef, useState } from 'react'
import { type Area, areaOf, type Place, type Selection } from './selection.ts'

// A drag over the board selects the cells that it crosses. Near an edge, the drag scrolls the board.

/** The cell that contains the target of an event or an element. */
export const placeAt = (target: EventTarget | null): Place | undefined => {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-column]') : null
  return cell ? { row: Number(cell.dataset.row), column: Number(cell.dataset.column) } : undefined
}

/** A drag within `edge` pixels of a side scrolls the board by `stride` pixels per frame. */
const edge = 36
const stride = 14

/** The area of the visible cells: without the sticky headers, names and counts. */
const boundsOf = (board: HTMLElement) => {
  const own = board.getBoundingClientRect()
  const of = (part: string) => board.querySelector(part)?.getBoundingClientRect()
  return {
    left: (of('.board-head .board-name')?.right ?? own.left) + 2,
    right: own.left + board.clientWidth - 2,
    top: (of('.board-head')?.bottom ?? own.top) + 2,
    bottom: Math.min(of('.board-foot')?.top ?? own.bottom, own.bottom) - 2,
  }
}
const within = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value))
const scrollBy = (at: number, least: number, most: number) =>
  at < least + edge ? -stride : at > most - edge ? stride : 0

interface Drag {
  selection: Selection
  onSelect: (selection: Selection) => void
  /** Called at the end of a drag, unless the drag only selects. `isCopy`: Ctrl, Cmd or Alt was down. */
  onEnd: (area: Area, end: { selection: Selection; isCopy: boolean }) => void
  /** Called if the browser or Escape ends the drag. Without it, Escape does not end the drag. */
  onCancel?: () => void
}

/** Returns a function that begins a drag. With `onlySelects`, the drag ends without calling `onEnd`. */
export const useDrag = (box: RefObject<HTMLElement | null>, drag: Drag): ((onlySelects: boolean) => void) => {
  const [dragging, setDragging] = useState<{ onlySelects: boolean }>()
  const latest = useRef(drag)
  latest.current = drag
  useEffect(() => {
    const { current: board } = box
    if (!dragging || !board) return
    let pointer: { x: number; y: number } | undefined
    let origin = { x: 0, y: 0 }
    let frame = 0
    const select = () => {
      if (!pointer) return
      const { left, right, top, bottom } = boundsOf(board)
      // A short drag near an edge does not scroll.
      if (Math.hypot(pointer.x - origin.x, pointer.y - origin.y) > edge)
        board.scrollBy(scrollBy(pointer.x, left, right), scrollBy(pointer.y, top, bottom))
      const place = placeAt(document.elementFromPoint(within(pointer.x, left, right), within(pointer.y, top, bottom)))
      const { selection, onSelect } = latest.current
      if (!place || (place.row === selection.active.row && place.column === selection.active.column)) return
      const next = { active: place, anchor: selection.anchor }
      latest.current = { ...latest.current, selection: next }
      onSelect(next)
    }
    const follow = () => {
      select()
      frame = requestAnimationFrame(follow)
    }
    const move = ({ clientX: x, clientY: y }: PointerEvent) => {
      const isFirst = pointer === undefined
      pointer = { x, y }
      if (!isFirst) return
      origin = pointer
      follow()
    }
    const cancel = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !latest.current.onCancel) return
      event.stopPropagation()
      setDragging(undefined)
      latest.current.onCancel()
    }
    const end = ({ type, clientX: x, clientY: y, ctrlKey, metaKey, altKey }: PointerEvent) => {
      // The frame may not have processed the last movement yet.
      if (pointer) {
        pointer = { x, y }
        select()
      }
      setDragging(undefined)
      const { selection, onEnd, onCancel } = latest.current
      if (type !== 'pointerup') onCancel?.()
      else if (!dragging.onlySelects) onEnd(areaOf(selection), { selection, isCopy: ctrlKey || metaKey || altKey })
    }
    addEventListener('pointermove', move)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', end)
    addEventListener('keydown', cancel, true)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', end)
      removeEventListener('pointercancel', end)
      removeEventListener('keydown', cancel, true)
    }
  }, [box, dragging])
  return onlySelects => setDragging({ onlySelects })
}
