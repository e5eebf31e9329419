import { X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useRef } from 'react'
import type { PagedPath, RowOf, SortOf } from '../../read.ts'
import { Button } from '../button.tsx'
import { Grid, type GridProps, useSelection } from './grid.tsx'
import './bulk.css'
import './worklist.css'

// A list that is worked through: its rows are opened, chosen and dealt with one by one or many at once, by the keyboard too.

/** What a key does, with the row the keyboard is at. */
type Acts<Row> = Readonly<Record<string, (row: Row | undefined) => void>>

interface Work<Row> {
  rows: readonly Row[] | undefined
  rowKey: (row: Row) => string
  /** Which row is open: there the keyboard is again when it is closed. */
  opened: string | undefined
  /** A question stands before the list: the keyboard stays in it. */
  isAsking: boolean
}

export const useWorklist = <Row,>({ rows, rowKey, opened, isAsking }: Work<Row>) => {
  const selection = useSelection()
  const box = useRef<HTMLDivElement>(null)
  const focus = useCallback((index: number) => {
    box.current?.querySelector<HTMLElement>(`[data-index="${Math.max(0, index)}"] .row-title`)?.focus()
  }, [])

  /**
   * Where the keyboard is to be whenever the list has changed: what was worked on has gone from there. Whoever went elsewhere is
   * not called back.
   */
  const next = useRef<number>(undefined)
  useEffect(() => {
    const index = next.current
    if (index === undefined || !rows || isAsking) return
    const { activeElement, body } = document
    if (activeElement && activeElement !== body && !box.current?.contains(activeElement)) {
      next.current = undefined
      return
    }
    // The rows stand where they are placed only after this.
    requestAnimationFrame(() => focus(Math.min(index, rows.length - 1)))
  }, [rows, isAsking, focus])

  const left = useRef<string>(undefined)
  useEffect(() => {
    const key = left.current
    left.current = opened
    if (opened !== undefined || key === undefined) return
    const index = rows?.findIndex(row => rowKey(row) === key) ?? -1
    if (index >= 0) focus(index)
  }, [opened, rows, rowKey, focus])

  /** Those that were chosen, or else the one the keyboard is at. */
  const meant = (row?: Row): Row[] => {
    const chosen = (rows ?? []).filter(one => selection.has(rowKey(one)))
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
      next.current = index
      act(row)
    } else if (move !== 0) {
      next.current = undefined
      focus(Math.min(index + move, rows.length - 1))
    } else if (key === ' ' && row && target.matches('.row-title'))
      selection.set([rowKey(row)], !selection.has(rowKey(row)))
    else return
    event.preventDefault()
  }

  return { selection, box, meant, hearKey }
}

type WorklistProps<P extends PagedPath> = Omit<
  GridProps<RowOf<P>, SortOf<P>>,
  'selection' | 'onOpen' | 'rowKey' | 'nameOf'
> &
  Required<Pick<GridProps<RowOf<P>, SortOf<P>>, 'onOpen' | 'rowKey' | 'nameOf'>> & {
    work: ReturnType<typeof useWorklist<RowOf<P>>>
    acts: Acts<RowOf<P>>
    /** What is chosen, in words, and what can be done with it. */
    bulk: { label: string; count: string; clear: string; deeds: ReactNode }
  }

/** The list, and above it what can be done with those that are chosen. */
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
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the rows inside. */}
      <div ref={box} className="worklist" onKeyDown={event => hearKey(event, acts)}>
        <Grid {...grid} selection={selection} />
      </div>
    </>
  )
}
