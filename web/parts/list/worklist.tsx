import { X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useRef } from 'react'
import type { PagedPath, RowOf, SortOf } from '../../read.ts'
import { Button } from '../button.tsx'
import { Grid, type GridProps, useSelection } from './grid.tsx'
import './bulk.css'
import './worklist.css'

// A list of work. With the mouse or the keyboard, the user opens rows, chooses them, and handles one or many at once.

/** The action of each key, called with the focused row. */
type Acts<Row> = Readonly<Record<string, (row: Row | undefined) => void>>

interface Work<Row> {
  rows: readonly Row[] | undefined
  rowKey: (row: Row) => string
  /** The key of the open row. The row takes the focus again after closing. */
  opened: string | undefined
  /** A dialog is open over the list and keeps the focus. */
  isAsking: boolean
}

export const useWorklist = <Row,>({ rows, rowKey, opened, isAsking }: Work<Row>) => {
  const selection = useSelection()
  const box = useRef<HTMLDivElement>(null)
  const focus = useCallback((index: number) => {
    box.current?.querySelector<HTMLElement>(`[data-index="${Math.max(0, index)}"] .row-act`)?.focus()
  }, [])

  /**
   * The index of the row that takes the focus after the handled row has left the list. If the user has moved the focus
   * out of the list, the focus stays there.
   */
  const focusIndex = useRef<number>(undefined)
  useEffect(() => {
    const index = focusIndex.current
    if (index === undefined || !rows || isAsking) return
    const { activeElement, body } = document
    if (activeElement && activeElement !== body && !box.current?.contains(activeElement)) {
      focusIndex.current = undefined
      return
    }
    // The virtualizer positions the rows only after this effect.
    requestAnimationFrame(() => focus(Math.min(index, rows.length - 1)))
  }, [rows, isAsking, focus])

  /** Moves the focus from a disappearing button into the list, and then to its first row. */
  const takeFocus = useCallback(() => {
    focusIndex.current ??= 0
    const list = box.current?.querySelector<HTMLElement>('[role="table"]') ?? box.current
    list?.focus({ preventScroll: true })
  }, [])

  const lastOpened = useRef<string>(undefined)
  useEffect(() => {
    const key = lastOpened.current
    lastOpened.current = opened
    if (opened !== undefined || key === undefined) return
    const index = rows?.findIndex(row => rowKey(row) === key) ?? -1
    if (index >= 0) focus(index)
  }, [opened, rows, rowKey, focus])

  /** The chosen rows; without any, the focused row. */
  const meant = (row?: Row): Row[] => {
    const chosen = (rows ?? []).filter(candidate => selection.has(rowKey(candidate)))
    return chosen.length > 0 ? chosen : row ? [row] : []
  }

  const hearKey = (event: KeyboardEvent<HTMLDivElement>, acts: Acts<Row>) => {
    const { target, key } = event
    if (!(target instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey || !rows) return
    const place = target.closest<HTMLElement>('[data-index]')?.dataset.index
    const index = place === undefined ? -1 : Number(place)
    const row = rows[index]
    const act = acts[key]
    const move = key === 'ArrowDown' || key === 'j' ? 1 : key === 'ArrowUp' || key === 'k' ? -1 : 0
    if (act) {
      focusIndex.current = index
      act(row)
    } else if (move !== 0) {
      focusIndex.current = undefined
      focus(Math.min(index + move, rows.length - 1))
    } else if ((key === 'x' || (key === ' ' && target.matches('.row-act'))) && row)
      selection.set([rowKey(row)], !selection.has(rowKey(row)))
    else return
    event.preventDefault()
  }

  return { selection, box, meant, hearKey, takeFocus }
}

type WorklistProps<P extends PagedPath> = Omit<
  GridProps<RowOf<P>, SortOf<P>>,
  'selection' | 'onOpen' | 'rowKey' | 'nameOf'
> &
  Required<Pick<GridProps<RowOf<P>, SortOf<P>>, 'onOpen' | 'rowKey' | 'nameOf'>> & {
    work: ReturnType<typeof useWorklist<RowOf<P>>>
    acts: Acts<RowOf<P>>
    /** The texts about the chosen rows, and the bulk actions. */
    bulk: { label: string; count: string; clear: string; deeds: ReactNode }
  }

/** The list, with the bulk actions above it while the user has chosen rows. */
export function Worklist<P extends PagedPath>({ work, acts, bulk, ...grid }: WorklistProps<P>) {
  const { selection, box, meant, hearKey } = work
  return (
    <>
      {meant().length > 0 && (
        <section className="bulk" aria-label={bulk.label}>
          <strong role="status">{bulk.count}</strong>
          {bulk.deeds}
          <Button look="quiet" icon={<X className="icon" aria-hidden="true" />} onClick={selection.clear}>
            {bulk.clear}
          </Button>
        </section>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of the rows inside. */}
      <div ref={box} className="worklist" tabIndex={-1} onKeyDown={event => hearKey(event, acts)}>
        <Grid {...grid} selection={selection} />
      </div>
    </>
  )
}
