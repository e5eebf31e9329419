import { type ClipboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays, daysBetween } from '../../../shared/local-day.ts'
import { planLimits } from '../../../shared/schedule/limit.ts'
import { type Cell, heldOn, type KnownPeople, type Plan, withCells } from '../../parts/board/plan.ts'
import { type Block, pastedCell, pastedSize, readBlock, textOf } from '../../parts/board/plan-block.ts'
import type { BoardRow, BoardShift } from '../../parts/board/row.ts'
import { type Area, areaOf, type Selection } from '../../parts/board/selection.ts'
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

  const shownAt = (row: BoardRow, day: string) =>
    plan[row.employee]?.[day] ?? row.days[day] ?? heldOn(people.get(row.employee), day)

  /** Changes the permitted days. The user must first unlock past days. */
  const change = (cells: readonly Cell[]) => {
    const allowed = cells.filter(({ day }) => day >= board.least)
    if (allowed.length > 0)
      planning.plan((previous, { people, sent }) => withCells(previous, allowed, people, sent?.plan))
    else if (cells.length > 0) board.onRefused()
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
      change(wanted)
      say(t('repeat.done', { count: wanted.length }))
    } catch (error) {
      complain(error)
    }
  }

  const copy = (event: ClipboardEvent) => {
    event.clipboardData.setData('text/plain', copyArea())
    event.preventDefault()
  }
  return {
    shownAt,
    paintArea,
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
