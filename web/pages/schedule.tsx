import { CalendarRange, Redo2, Undo2 } from 'lucide-react'
import { type ClipboardEvent, lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays, earlierDay, laterDay } from '../../shared/local-day.ts'
import { useFormats } from '../format.ts'
import { Ask } from '../parts/ask.tsx'
import { Board, type BoardRow, type Command } from '../parts/board.tsx'
import { BoardFoot } from '../parts/board-foot.tsx'
import { type Area, areaOf, type Selection } from '../parts/board-selection.ts'
import { Button } from '../parts/button.tsx'
import { DepartmentFilter } from '../parts/department-filter.tsx'
import { SelectField } from '../parts/field.tsx'
import { useComplaint } from '../parts/form.tsx'
import { Empty, Page, Trouble } from '../parts/page.tsx'
import { type Cell, heldOn, withCells } from '../parts/plan.ts'
import { type Block, pastedCell, pastedSize, readBlock, textOf } from '../parts/plan-block.ts'
import type { Conflict } from '../parts/plan-conflict.ts'
import { PreviewAsk } from '../parts/preview.tsx'
import { Link } from '../parts/router.ts'
import { SearchField, useSearch } from '../parts/search-field.tsx'
import { SheetButtons } from '../parts/sheet-buttons.tsx'
import { useTaskOwner } from '../parts/task-notice.tsx'
import { say } from '../parts/toast.tsx'
import { planningOf } from '../plans.ts'
import { withoutEmpty } from '../without-empty.ts'
import { useCounts, useHolidays, useJudged, useOtherZone, useRows, useShifts, useWeekNames } from './schedule-board.ts'
import { knownOf, readHeld } from './schedule-held.ts'
import { Conflicts, Problems, ZoneNotice } from './schedule-notices.tsx'
import type { Fill } from './schedule-repeat.tsx'
import { Saving, useSave } from './schedule-save.tsx'
import { Keys, Palette, SelectionBar, type Tool } from './schedule-tools.tsx'
import { headsOf, useView, ViewPicker } from './schedule-view.tsx'
import './schedule.css'

const RepeatPanel = lazy(() => import('./schedule-repeat.tsx'))

/** What was copied; it outlives the days one looks at. */
let clip: { block: Block; text: string } | undefined

const mostShiftsOfDay = 8
const nothing = {}

export default function SchedulePage() {
  const { t } = useTranslation(['schedule', 'shell'])
  const formats = useFormats()
  const complain = useComplaint()
  const owner = useTaskOwner()
  const planning = useMemo(() => planningOf(owner), [owner])
  const { view, from, to, today, actions } = useView()
  const search = useSearch()
  const [department, setDepartment] = useState('')
  const [shift, setShift] = useState('')
  const [picked, setTool] = useState<Tool>()
  const [isBeside, setBeside] = useState(false)
  const [isPastOpen, setPastOpen] = useState(false)
  const [isFootOpen, setFootOpen] = useState(() => innerHeight > 840)
  const [asking, setAsking] = useState<'replace' | 'takeBack' | 'past'>()
  const [isRepeating, setRepeating] = useState(false)
  const [hasClip, setHasClip] = useState(clip !== undefined)

  const { palette, shifts } = useShifts()
  const tool = picked ?? palette?.[0]?.id ?? 'select'
  const filters = { search: search.words, department, shift }
  const list = useRows(owner, { from, to }, filters)
  const { rows } = list
  const count = list.count ?? (list.hasMore ? undefined : rows?.length)
  const save = useSave(owner, today, { from, to, readAgain: list.readAgain })
  const { plan, sent, people } = save
  const { judged, changedDays, replacedDays, conflicts } = useJudged(plan, people, formats.timezone, shifts)
  const weekNames = useWeekNames()
  const { holidays, freeDays } = useHolidays(from, to)
  const heads = useMemo(
    () => headsOf(from, to, today, formats, weekNames, holidays),
    [from, to, today, formats, weekNames, holidays],
  )
  const days = useMemo(() => heads.map(({ day }) => day), [heads])
  const counts = useCounts(rows, days, list.hasMore, filters, plan, people)
  const planned = useMemo(
    () => [...new Set([...days, ...Object.values(plan).flatMap(Object.keys)])].filter(day => day >= today),
    [days, plan, today],
  )
  const otherZone = useOtherZone(formats.timezone, planned)
  const isEmpty = changedDays === 0
  useEffect(() => {
    if (isEmpty) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isEmpty])

  // Other days or other people are looked at from today and the first row on.
  const start = useMemo((): Selection => {
    const place = { row: 0, column: Math.max(0, days.indexOf(laterDay(today, days[0] ?? ''))) }
    return { active: place, anchor: place }
  }, [days, today])
  const [selection, setSelection] = useState(start)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it begins anew with every other list.
  useEffect(() => setSelection(start), [start, list.name])
  const area = areaOf(selection)
  const selected = rows?.slice(area.top, area.bottom + 1) ?? []
  const selectedDays = days.slice(area.left, area.right + 1)

  const shownAt = (row: BoardRow, day: string) =>
    plan[row.employee]?.[day] ?? row.days[day] ?? heldOn(people.get(row.employee), day)

  /** Changes days, as far as they may be changed: the past only where somebody has opened it. */
  const change = (cells: readonly Cell[]) => {
    const open = isPastOpen ? cells : cells.filter(({ day }) => day >= today)
    if (open.length < cells.length && open.length === 0) setAsking('past')
    if (open.length > 0) planning.plan((was, { people, sent }) => withCells(was, open, people, sent?.plan))
  }
  const paintArea = ({ top, bottom, left, right }: Area, tool: Tool) =>
    change(
      (rows ?? []).slice(top, bottom + 1).flatMap(row =>
        days.slice(left, right + 1).map(day => {
          const now = shownAt(row, day)
          const beside = now.includes(tool) ? now : [...now, tool].slice(0, mostShiftsOfDay)
          return { employee: row.employee, day, wanted: tool === 'free' ? [] : isBeside ? beside : [tool] }
        }),
      ),
    )
  const copyArea = () => {
    const block = selected.map(row => selectedDays.map(day => shownAt(row, day)))
    clip = { block, text: textOf(block, id => shifts.get(id)?.name ?? '') }
    setHasClip(true)
    say(t('copied', { count: block.length * selectedDays.length }))
    return clip.text
  }
  const pasteBlock = (block: Block) => {
    const size = pastedSize(block, area.bottom - area.top + 1, area.right - area.left + 1)
    const targets = (rows ?? []).slice(area.top, area.top + size.rows)
    const targetDays = days.slice(area.left, area.left + size.columns)
    change(
      targets.flatMap((row, index) =>
        targetDays.map((day, column) => ({ employee: row.employee, day, wanted: pastedCell(block, index, column) })),
      ),
    )
    setSelection({
      anchor: { row: area.top, column: area.left },
      active: { row: area.top + targets.length - 1, column: area.left + targetDays.length - 1 },
    })
  }
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text/plain').replaceAll('\r\n', '\n').replace(/\n$/, '')
    event.preventDefault()
    if (clip && (text === clip.text.replace(/\n$/, '') || text === '')) return pasteBlock(clip.block)
    const byName = new Map(palette?.map(({ id, name }) => [name.toLocaleLowerCase(), id]))
    const read = readBlock(text, name => byName.get(name.toLocaleLowerCase()))
    if ('block' in read) pasteBlock(read.block)
    else say(t('pasteUnknown', { names: read.unknown.slice(0, 3).join(', ') }), 'danger')
  }

  /** Paints what a panel asks for, also on days that are not on the board: what they hold is read before. */
  const fill = async ({ people: chosen, from, until, cellsOf }: Fill) => {
    const wanted = chosen.flatMap(row => {
      const [cells, cellOf] = [[] as Cell[], cellsOf(row)]
      for (let day = from; day <= until; day = addDays(day, 1)) {
        const shifts = cellOf(day)
        if (shifts) cells.push({ employee: row.employee, day, wanted: shifts })
      }
      return cells
    })
    const isKnown = chosen.every(({ employee }) => {
      const held = people.get(employee)?.days
      return held?.[addDays(from, -1)] && held[addDays(until, 1)] && held[from] && held[until]
    })
    try {
      if (!isKnown || until > addDays(to, 1))
        await readHeld(
          { ...(search.words && { search: search.words }), ...(department && { department }) },
          addDays(from, -1),
          addDays(until, 1),
          (rows, days) => planning.learn(rows.map(row => knownOf(row, days))),
        )
      change(wanted)
      say(t('repeat.done', { count: wanted.length }))
    } catch (error) {
      complain(error)
    }
  }

  // What becomes of days of the past is shown before it is saved; then nothing else needs to be asked.
  const changesPast = [...judged.values()].some(({ from }) => from !== '' && from < today)
  const requestSave = () => {
    if (isEmpty || save.busy || otherZone) return
    if (conflicts.length > 0) say(t('conflicts.title', { count: conflicts.length }), 'danger')
    else if (replacedDays > 0 && !changesPast) setAsking('replace')
    else void save.begin()
  }
  const { history, at } = planning.read()
  const canUndo = at > 0
  const undo = () => (canUndo ? planning.undo() : save.canTakeBack && isEmpty && setAsking('takeBack'))
  const hear = (command: Command) => {
    if (command === 'paint') tool !== 'select' && paintArea(area, tool)
    else if (command === 'free') paintArea(area, 'free')
    else if (command === 'select') setTool('select')
    else if (command.pick === 0) setTool('free')
    else {
      const shift = palette?.[command.pick - 1]
      if (shift) setTool(shift.id)
    }
  }
  const seek = (conflict: Conflict) => {
    const row = rows?.findIndex(({ employee }) => employee === conflict.employee) ?? -1
    const column = days.findIndex(day => day === conflict.day || day === conflict.withDay)
    if (row < 0) return search.field.onText(conflict.name)
    if (column < 0) return actions.range(addDays(conflict.day, -3), addDays(conflict.day, 10))
    const place = { row, column }
    setSelection({ active: place, anchor: place, isSought: true })
  }

  // What changes with every stroke does not draw anew what stays the same.
  const latest = useRef({
    paintArea,
    copyArea,
    pasteBlock,
    requestSave,
    undo,
    area,
    tool,
    seek,
    more: list.more,
    see: list.see,
  })
  latest.current = {
    paintArea,
    copyArea,
    pasteBlock,
    requestSave,
    undo,
    area,
    tool,
    seek,
    more: list.more,
    see: list.see,
  }
  const does = useMemo(
    () => ({
      paint: () => latest.current.paintArea(latest.current.area, latest.current.tool),
      free: () => latest.current.paintArea(latest.current.area, 'free'),
      copy: () => void navigator.clipboard?.writeText(latest.current.copyArea()).catch(() => {}),
      paste: () => clip && latest.current.pasteBlock(clip.block),
      repeat: () => setRepeating(true),
      seek: (conflict: Conflict) => latest.current.seek(conflict),
      more: () => latest.current.more(),
      see: (first: number, last: number) => latest.current.see(first, last),
      toggleFoot: () => setFootOpen(was => !was),
    }),
    [],
  )
  // These keys mean the same wherever on the page one is, but not while something is typed or asked.
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const { target, key, shiftKey } = event
      if (!(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open], .panel-head')) return
      const isTyping =
        target instanceof Element && target.closest('input:not([type="radio"], [type="checkbox"]), select')
      const letter = key.toLowerCase()
      if (letter === 's') latest.current.requestSave()
      else if (isTyping) return
      else if (letter === 'y' || (letter === 'z' && shiftKey)) planning.redo()
      else if (letter === 'z') latest.current.undo()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', hear)
    return () => removeEventListener('keydown', hear)
  }, [planning])
  const foot = useCallback(
    (place: number) => (
      <BoardFoot
        heads={heads}
        shifts={shifts}
        counts={counts}
        place={place}
        isOpen={isFootOpen}
        onToggle={does.toggleFoot}
      />
    ),
    [heads, shifts, counts, isFootOpen, does],
  )
  const shiftOptions = useMemo(
    () => [['', t('allShifts')] as const, ...(palette ?? []).map(({ id, name }) => [id, name] as const)],
    [palette, t],
  )
  const hasPast = (days[0] ?? '') < today
  const span = view === 'month' ? formats.month(from.slice(0, 7)) : `${formats.day(from)} – ${formats.day(to)}`

  return (
    <Page
      title={t('title')}
      note={count !== undefined && t('count', { count })}
      className="schedule"
      actions={
        <>
          <SheetButtons noun="schedule" filters={{ from, to, ...withoutEmpty(filters) }} />
          <Button
            look="quiet"
            className="undo"
            icon={<Undo2 className="icon" />}
            onClick={undo}
            disabled={!canUndo && !(save.canTakeBack && isEmpty)}
            aria-keyshortcuts="Control+Z"
          >
            <span>{!canUndo && save.canTakeBack && isEmpty ? t('takeBack.button') : t('undo')}</span>
          </Button>
          <Button
            look="quiet"
            square
            aria-label={t('redo')}
            title={t('redo')}
            icon={<Redo2 className="icon" />}
            onClick={planning.redo}
            disabled={at >= history.length - 1}
            aria-keyshortcuts="Control+Y"
          />
          {!isEmpty && !sent && (
            <Button look="quiet" onClick={() => planning.plan(() => nothing)}>
              {t('discard')}
            </Button>
          )}
          <Button
            look="primary"
            busy={save.busy}
            disabled={isEmpty || conflicts.length > 0 || otherZone !== undefined}
            onClick={requestSave}
            aria-keyshortcuts="Control+S"
          >
            {isEmpty ? t('shell:save') : t('saveDays', { count: changedDays })}
          </Button>
        </>
      }
    >
      <div className="filters">
        <ViewPicker view={view} from={from} to={to} actions={actions} />
        <SearchField hint={t('searchHint')} {...search.field} />
        <DepartmentFilter value={department} onText={setDepartment} />
        <SelectField label={t('shift')} value={shift} onText={setShift} options={shiftOptions} />
      </div>

      {palette?.length === 0 ? (
        <div className="card grid-empty">
          <Empty
            icon={<CalendarRange />}
            title={t('noShifts.title')}
            action={
              <Link className="button primary" to="/shift">
                {t('noShifts.button')}
              </Link>
            }
          >
            {t('noShifts.text')}
          </Empty>
        </div>
      ) : (
        <>
          <Palette shifts={palette ?? []} tool={tool} onTool={setTool} isBeside={isBeside} onBeside={setBeside} />
          {otherZone && <ZoneNotice zone={formats.timezone} own={otherZone} />}
          {list.error && !rows ? (
            <Trouble error={list.error} onRetry={list.readAgain} />
          ) : rows?.length === 0 ? (
            <div className="card grid-empty">
              <Empty icon={<CalendarRange />} title={t('empty.title')}>
                {t('empty.text')}
              </Empty>
            </div>
          ) : (
            <Board
              label={t('board', { month: span })}
              heads={heads}
              rows={rows}
              plan={plan}
              sent={sent?.plan ?? nothing}
              judged={judged}
              shifts={shifts}
              freeDays={freeDays}
              isPastOpen={isPastOpen}
              selection={selection}
              onSelect={setSelection}
              isPainting={tool !== 'select'}
              onPaint={area => paintArea(area, tool)}
              onCommand={hear}
              onCopy={event => {
                event.clipboardData.setData('text/plain', copyArea())
                event.preventDefault()
              }}
              onCut={event => {
                event.clipboardData.setData('text/plain', copyArea())
                event.preventDefault()
                paintArea(area, 'free')
              }}
              onPaste={paste}
              onEnd={does.more}
              onSee={does.see}
              hasMore={list.hasMore}
              foot={foot}
            />
          )}
          {/* Under the board, so that nothing moves under a hand that paints. */}
          {conflicts.length > 0 && <Conflicts conflicts={conflicts} shifts={shifts} onSeek={does.seek} />}
          {save.problems.length > 0 && <Problems problems={save.problems} shifts={shifts} onClose={save.dismiss} />}
          {sent && <Saving sent={sent} onEnd={save.finish} />}
          {rows && rows.length > 0 && (
            <SelectionBar
              days={selected.length * selectedDays.length}
              people={selected.length}
              shift={shifts.get(tool)}
              canPaste={hasClip}
              isBusy={false}
              onPaint={does.paint}
              onFree={does.free}
              onCopy={does.copy}
              onPaste={does.paste}
              onRepeat={does.repeat}
              end={
                <>
                  <Keys />
                  {hasPast && (
                    <label className="check past-check">
                      <input
                        type="checkbox"
                        checked={isPastOpen}
                        onChange={event => (event.target.checked ? setAsking('past') : setPastOpen(false))}
                      />
                      <span>{t('past.check')}</span>
                    </label>
                  )}
                </>
              }
            />
          )}
        </>
      )}

      {isRepeating && rows && (
        <Suspense>
          <RepeatPanel
            rows={rows}
            area={area}
            days={days}
            shifts={palette ?? []}
            least={isPastOpen ? earlierDay(today, days[area.left] ?? today) : today}
            isPart={list.hasMore}
            shownAt={shownAt}
            onFill={fill}
            onClose={() => {
              setRepeating(false)
              setSelection(was => ({ ...was, isSought: true }))
            }}
          />
        </Suspense>
      )}
      {save.previewing && (
        <PreviewAsk
          key={save.previewing.task}
          title={t('past.title')}
          task={save.previewing.task}
          yes={t('past.yes')}
          onYes={save.agree}
          onNo={save.refuse}
        >
          {t('past.text')}
        </PreviewAsk>
      )}
      {asking === 'past' && (
        <Ask
          title={t('past.open.title')}
          yes={t('past.open.yes')}
          no={t('shell:cancel')}
          onYes={() => {
            setPastOpen(true)
            setAsking(undefined)
          }}
          onNo={() => setAsking(undefined)}
        >
          {t('past.open.text')}
        </Ask>
      )}
      {asking === 'takeBack' && (
        <Ask
          title={t('takeBack.title')}
          yes={t('takeBack.yes')}
          no={t('shell:cancel')}
          onYes={() => {
            setAsking(undefined)
            void save.takeBack(isPastOpen ? '' : today)
          }}
          onNo={() => setAsking(undefined)}
        >
          {t('takeBack.text', { count: save.savedCount })}
        </Ask>
      )}
      {asking === 'replace' && (
        <Ask
          title={t('replace.title')}
          yes={t('replace.yes')}
          no={t('shell:cancel')}
          onYes={() => {
            setAsking(undefined)
            void save.begin()
          }}
          onNo={() => setAsking(undefined)}
        >
          {t('replace.text', { count: replacedDays })}
        </Ask>
      )}
    </Page>
  )
}
