import { type DragEvent, useEffect, useMemo, useState } from 'react'
import { flatten } from '../departments.ts'
import type { Node } from './rows.ts'

type Move = (id: string, parent: string | undefined) => void

/** Moves a department by drag and drop. Keyboard users move it in the department's panel. */
export const useDrag = (onMove: Move | undefined) => {
  const [dragged, setDragged] = useState<Node>()
  const [target, setTarget] = useState<string>()
  const forbidden = useMemo(
    () => new Set(dragged && flatten([dragged]).map(({ department }) => department.id)),
    [dragged],
  )
  useEffect(() => {
    if (!dragged) setTarget(undefined)
  }, [dragged])
  const canDropOn = (id: string | undefined) =>
    dragged !== undefined && dragged.department.parent !== id && !(id && forbidden.has(id))
  return {
    dragged,
    target,
    /** Makes a row draggable. */
    source: (node: Node) => ({
      onDragStart: (event: DragEvent) => {
        event.dataTransfer.setData('text/plain', node.department.name)
        event.dataTransfer.effectAllowed = 'move'
        setDragged(node)
      },
      onDragEnd: () => setDragged(undefined),
    }),
    /** Makes an element a drop target; without an id, for the top level. */
    place: (id?: string) => ({
      onDragOver: (event: DragEvent) => {
        if (!canDropOn(id)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
        setTarget(id ?? 'top')
      },
      onDragLeave: () => setTarget(undefined),
      onDrop: (event: DragEvent) => {
        event.preventDefault()
        if (dragged && canDropOn(id)) onMove?.(dragged.department.id, id)
        setDragged(undefined)
        setTarget(undefined)
      },
    }),
  }
}

export type Drag = ReturnType<typeof useDrag>
