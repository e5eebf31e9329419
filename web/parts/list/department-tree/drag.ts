import { type DragEvent, useEffect, useMemo, useState } from 'react'
import { flatten } from '../departments.ts'
import type { Node } from './rows.ts'

type Move = (id: string, parent: string | undefined) => void

/** A row is carried to another one. Who has no mouse chooses the parent in the panel. */
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
  const canTake = (id: string | undefined) =>
    dragged !== undefined && dragged.department.parent !== id && !(id && forbidden.has(id))
  return {
    dragged,
    target,
    /** What may be carried away. */
    source: (node: Node) => ({
      onDragStart: (event: DragEvent) => {
        event.dataTransfer.setData('text/plain', node.department.name)
        event.dataTransfer.effectAllowed = 'move'
        setDragged(node)
      },
      onDragEnd: () => setDragged(undefined),
    }),
    /** Where it may be dropped; without an id it comes to stand at the top. */
    place: (id?: string) => ({
      onDragOver: (event: DragEvent) => {
        if (!canTake(id)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
        setTarget(id ?? 'top')
      },
      onDragLeave: () => setTarget(undefined),
      onDrop: (event: DragEvent) => {
        event.preventDefault()
        if (dragged && canTake(id)) onMove?.(dragged.department.id, id)
        setDragged(undefined)
        setTarget(undefined)
      },
    }),
  }
}

export type Drag = ReturnType<typeof useDrag>
