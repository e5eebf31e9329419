import { type ClipboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays, daysBetween } from '../../../shared/local-day.ts'
import { planLimits } from '../../../shared/schedule/limit.ts'
import { type Cell, heldOn, isAwayOn, isSame, type KnownPeople, type Plan, withCells } from '../../parts/board/plan.ts'
import { type Block, pastedCell, pastedSize, readBlock, textOf } from '../../parts/board/plan-block.ts'
import type { BoardRow, BoardShift } from '../../parts/board/row.ts'
import { type Area, areaOf, type Move, type Selection } from '../../parts/board/selection.ts'
import { useComplaint } from '../../parts/field/form.tsx'
import { say } from '../../parts/say/toast.tsx'
import { planningOf } from '../../plans.ts'
import { withoutEmpty } from '../../without-empty.ts'
import { knownOf, readHeld } from './held.ts'
import type { Fill } from './repeat.tsx'
import type { Tool } from './tools.tsx'

// Painting, copying, pasting and filling on the board. All four change only the plan, which the user saves separately.

/** The copied block, which survives a change of the board's range. */
let copied: { block: Block; text: string } | undefined

/** Cells that would get a shift during approved leave, until the user decides about them. */
export interface OverLeave {
  people: string[]
  dayCount: number
  /** Whether other cells remain without these. */
  hasOthers: boolean
  /** Assigns all cells, or all but these. */
  assign: (isWithLeave: boolean) => void
  cancel: () => void
}

/** The shifts of a day with the plan. */
const shownOn = (plan: Plan, people: KnownPeople, employee: string, day: string) =>
  plan[employee]?.[day] ?? heldOn(people.get(employee), day)

/** Whether a cell adds a shift to a day of approved leave. A shift that the day already has needs no question. */
const addsDuringLeave = ({ employee, day, wanted }: Cell, plan: Plan, people: KnownPeople) => {
  const shown = shownOn(plan, people, employee, day)
  return isAwayOn(people.get(employee), day) && wanted.some(shift => !shown.includes(shift))
}

/** Line ends differ between systems. */
const normalizeLineEnds = (text: string) => text.replaceAll('\r\n', '\n').replace(/\n$/, '')

export const usePaint = (board: {
  owner: string
  rows: readonly BoardRow[]
  days: readonly string[]
  selection: Selection
  onSelect: (selection: Selection) => void
  plan: Plan
  people: KnownPeople
  palette: readonly BoardShift[]
  filters: { search: string; department: string }
  /** Painting adds a shift to a day instead of replacing its shifts. */
  isBeside: boolean
  /** The first day that the user may change. */
  least: string
  /** Called if the user may change none of the cells. */
  onRefused: () => void
}) => {
  const { t } = useTranslation('schedule')
  const complain = useComplaint()
  const { rows, days, plan, people, palette } = board
  const planning = planningOf(board.owner)
  const area = areaOf(board.selection)
  const [hasCopied, setCopied] = useState(copied !== undefined)
  const [overLeave, setOverLeave] = useState<OverLeave>()

  const shownAt = (row: BoardRow, day: string) =>
    plan[row.employee]?.[day] ?? row.days[day] ?? heldOn(people.get(row.employee), day)

  const apply = (cells: readonly Cell[]) =>
    planning.plan((previous, { people, sent }) => withCells(previous, cells, people, sent?.plan))
  /**
   * Changes the permitted days. The user must first unlock past days. Asks once before it assigns shifts during approved
   * leave. `onDone` gets the number of days that differ from before. With `isWhole`, the user can assign only all cells
   * or none.
   */
  const change = (
    cells: readonly Cell[],
    onDone: (changedDays: number) => void = () => {},
    { isWhole = false } = {},
  ) => {
    const allowed = cells.filter(({ day }) => day >= board.least)
    if (allowed.length === 0) {
      if (cells.length > 0) board.onRefused()
      return
    }
    const finish = (chosen: readonly Cell[]) => {
      const { plan, people } = planning.now()
      const changed = chosen.filter(
        ({ employee, day, wanted }) => !isSame(shownOn(plan, people, employee, day), wanted),
      )
      setOverLeave(undefined)
      apply(chosen)
      onDone(changed.length)
    }
    // A fill may have read more people since the last render.
    const { plan, people } = planning.now()
    const taken = new Set(allowed.filter(cell => addsDuringLeave(cell, plan, people)))
    if (taken.size === 0) return finish(allowed)
    const others = allowed.filter(cell => !taken.has(cell))
    setOverLeave({
      people: [...new Set([...taken].map(({ employee }) => employee))].map(id => people.get(id)?.name ?? ''),
      dayCount: taken.size,
      hasOthers: others.length > 0 && !isWhole,
      assign: isWithLeave => finish(isWithLeave ? allowed : others),
      cancel: () => setOverLeave(undefined),
    })
  }
  const paintArea = ({ top, bottom, left, right }: Area, tool: Tool) =>
    change(
      rows.slice(top, bottom + 1).flatMap(row =>
        days.slice(left, right + 1).map(day => {
          const current = shownAt(row, day)
          const beside = current.includes(tool) ? current : [...current, tool].slice(0, planLimits.shiftsOfDay)
          return { employee: row.employee, day, wanted: tool === 'free' ? [] : board.isBeside ? beside : [tool] }
        }),
      ),
    )
  const copyArea = () => {
    const block = rows
      .slice(area.top, area.bottom + 1)
      .map(row => days.slice(area.left, area.right + 1).map(day => shownAt(row, day)))
    const names = new Map(palette.map(({ id, name }) => [id, name]))
    copied = { block, text: textOf(block, id => names.get(id) ?? '') }
    setCopied(true)
    say(t('copied', { count: block.flat().length }))
    return copied.text
  }
  const pasteBlock = (block: Block) => {
    const size = pastedSize(block, area.bottom - area.top + 1, area.right - area.left + 1)
    const targets = rows.slice(area.top, area.top + size.rows)
    const targetDays = days.slice(area.left, area.left + size.columns)
    change(
      targets.flatMap((row, index) =>
        targetDays.map((day, column) => ({ employee: row.employee, day, wanted: pastedCell(block, index, column) })),
      ),
    )
    const cutCount = size.rows * size.columns - targets.length * targetDays.length
    if (cutCount > 0) say(t('pasteCut', { count: cutCount }), 'danger')
    board.onSelect({
      anchor: { row: area.top, column: area.left },
      active: { row: area.top + targets.length - 1, column: area.left + targetDays.length - 1 },
    })
  }

  /** Moves or copies the shifts of an area. Days off in the area change nothing at the target. */
  const moveArea = ({ area: { top, bottom, left, right }, rows: down, columns: across }: Move, isCopy: boolean) => {
    const cells = new Map<string, Cell>()
    const put = (row: BoardRow | undefined, day: string | undefined, wanted: readonly string[]) => {
      if (row && day) cells.set(`${row.employee} ${day}`, { employee: row.employee, day, wanted })
    }
    const held = rows.slice(top, bottom + 1).flatMap((row, i) =>
      days.slice(left, right + 1).flatMap((day, j) => {
        const shifts = shownAt(row, day)
        return shifts.length > 0 ? [{ row, day, shifts, to: rows[top + i + down], toDay: days[left + j + across] }] : []
      }),
    )
    if (!isCopy) for (const { row, day } of held) put(row, day, [])
    for (const { to, toDay, shifts } of held) put(to, toDay, shifts)
    // A move that may change only one of its two days would duplicate or lose a shift.
    if ([...cells.values()].some(({ day }) => day < board.least)) return board.onRefused()
    const selectTarget = () =>
      board.onSelect({
        anchor: { row: top + down, column: left + across },
        active: { row: bottom + down, column: right + across },
      })
    change([...cells.values()], selectTarget, { isWhole: true })
  }

  /** Fills the cells of the repeat panel. First reads the schedule of days outside the board. */
  const fill = async ({ people: chosen, from, until, cellsOf }: Fill) => {
    const wanted = chosen.flatMap(row => {
      const [cells, cellOf] = [[] as Cell[], cellsOf(row)]
      for (let day = from; day <= until; day = addDays(day, 1)) {
        const shifts = cellOf(day)
        if (shifts) cells.push({ employee: row.employee, day, wanted: shifts })
      }
      return cells
    })
    const around = [addDays(from, -1), addDays(until, 1)] as const
    const isOnBoard = around[0] >= addDays(days[0] ?? '', -1) && around[1] <= addDays(days.at(-1) ?? '', 1)
    const isKnown = () =>
      daysBetween(...around).every(day => chosen.every(({ employee }) => people.get(employee)?.days[day]))
    try {
      if (!isOnBoard || !isKnown())
        await readHeld(withoutEmpty(board.filters), ...around, (rows, days) =>
          planning.learn(rows.map(row => knownOf(row, days))),
        )
      change(wanted, count => say(t('repeat.done', { count })))
    } catch (error) {
      complain(error)
    }
  }

  const copy = (event: ClipboardEvent) => {
    event.clipboardData.setData('text/plain', copyArea())
    event.preventDefault()
  }
  return {
    overLeave,
    shownAt,
    /** Whether these shifts would change a day. A day that the board has not read counts as changed. */
    changes: (row: BoardRow, day: string, wanted: readonly string[]) =>
      people.get(row.employee)?.days[day] === undefined || !isSame(shownAt(row, day), wanted),
    paintArea,
    moveArea,
    fill,
    hasCopied,
    copyArea,
    pasteCopied: () => copied && pasteBlock(copied.block),
    copy,
    cut: (event: ClipboardEvent) => {
      copy(event)
      paintArea(area, 'free')
    },
    paste: (event: ClipboardEvent) => {
      event.preventDefault()
      const text = normalizeLineEnds(event.clipboardData.getData('text/plain'))
      if (copied && (text === normalizeLineEnds(copied.text) || text === '')) return pasteBlock(copied.block)
      const byName = new Map(palette.map(({ id, name }) => [name.toLocaleLowerCase(), id]))
      const result = readBlock(text, name => byName.get(name.toLocaleLowerCase()))
      if ('block' in result) pasteBlock(result.block)
      else say(t('pasteUnknown', { names: result.unknown.slice(0, 3).join(', ') }), 'danger')
    },
  }
}
