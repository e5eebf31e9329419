import { CalendarRange } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays, daysBetween, earlierDay, laterDay } from '../../shared/local-day.ts'
import { useFormats } from '../format.ts'
import { Board, type Command } from '../parts/board/board.tsx'
import { BoardFoot, BoardLegend } from '../parts/board/foot.tsx'
import { useHolidays } from '../parts/board/holidays.ts'
import type { Conflict } from '../parts/board/plan-conflict.ts'
import { areaOf, type Selection } from '../parts/board/selection.ts'
import { SelectField } from '../parts/field/field.tsx'
import { useComplaint } from '../parts/field/form.tsx'
import { SearchField, useSearch } from '../parts/field/search-field.tsx'
import { useKeptFocus } from '../parts/kept-focus.ts'
import { DepartmentFilter } from '../parts/list/department-filter.tsx'
import { Empty, Page, Trouble } from '../parts/page.tsx'
import { useTaskOwner } from '../parts/say/task-notice.tsx'
import { say } from '../parts/say/toast.tsx'
import { SheetButtons } from '../parts/sheet/sheet-buttons.tsx'
import { Link, useSearchParams } from '../parts/shell/router.ts'
import { planningOf } from '../plans.ts'
import { withoutEmpty } from '../without-empty.ts'
import { PlanActions } from './schedule/actions.tsx'
import { useCounts, useJudged, useOtherZone, useRows, useShifts, useWeekNames } from './schedule/board.ts'
import { DraftBar } from './schedule/draft.tsx'
import { usePlanKeys } from './schedule/keys.ts'
import { Conflicts, Problems, ZoneNotice } from './schedule/notices.tsx'
import { usePaint } from './schedule/paint.ts'
import { type Question, Questions } from './schedule/questions.tsx'
import { Saving, useSave } from './schedule/save.tsx'
import { Palette, ScheduleKeys, SelectionBar, type Tool } from './schedule/tools.tsx'
import { headsOf, useView, ViewPicker } from './schedule/view.tsx'
import { useWarnings, WarningNotice } from './schedule/warning.tsx'
import './schedule.css'

const RepeatPanel = lazy(() => import('./schedule/repeat.tsx'))

const nothing = {}

export default function SchedulePage() {
  const { t } = useTranslation(['schedule', 'shell'])
  const formats = useFormats()
  const owner = useTaskOwner()
  const planning = useMemo(() => planningOf(owner), [owner])
  const { view, from, to, today, actions } = useView()
  const search = useSearch()
  const [department, setDepartment] = useState('')
  const [parameters] = useSearchParams()
  // The page of a shift links here with the shift as a filter.
  const [shift, setShift] = useState(parameters.get('shift') ?? '')
  const [tool, setTool] = useState<Tool>('select')
  const [isBeside, setBeside] = useState(false)
  const [isPastOpen, setPastOpen] = useState(false)
  const [isFootOpen, setFootOpen] = useState(() => innerHeight > 840)
  const [asking, setAsking] = useState<Question>()
  const [isRepeating, setRepeating] = useState(false)
  useKeptFocus()

  const { palette, shifts } = useShifts()
  const filters = { search: search.words, department, shift }
  const list = useRows(owner, { from, to }, filters)
  const { rows } = list
  const count = list.count ?? (list.hasMore ? undefined : rows?.length)
  const complain = useComplaint()
  const save = useSave(owner, today, { from, to, readAgain: list.readAgain })
  const { plan, sent, people } = save
  const { judged, changedDays, replacedDays, conflicts } = useJudged(plan, people, formats.timezone, shifts)
  const weekNames = useWeekNames()
  const { holidays, freeDays } = useHolidays(from, to)
  const days = useMemo(() => daysBetween(from, to), [from, to])
  const heads = useMemo(
    () => headsOf(days, today, formats, weekNames, holidays),
    [days, today, formats, weekNames, holidays],
  )
  const counts = useCounts(rows, days, list.hasMore, filters, plan, people)
  const otherZone = useOtherZone(formats.timezone, days, plan, today)
  // If the board already shows a problem as a conflict, the list omits it.
  const problems = save.problems.filter(
    ({ about }) => !conflicts.some(({ employee, day }) => about?.employee === employee && about.day === day),
  )
  const isEmpty = changedDays === 0

  // A new range or list resets the selection to today in the first row.
  const start = useMemo((): Selection => {
    const place = { row: 0, column: Math.max(0, days.indexOf(laterDay(today, days[0] ?? ''))) }
    return { active: place, anchor: place }
  }, [days, today])
  const [selection, setSelection] = useState(start)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the selection restarts with every new list.
  useEffect(() => setSelection(start), [start, list.name])
  const area = areaOf(selection)
  const selected = rows?.slice(area.top, area.bottom + 1) ?? []
  const selectedDays = days.slice(area.left, area.right + 1)

  const hand = usePaint({
    owner,
    rows: rows ?? [],
    days,
    selection,
    onSelect: setSelection,
    plan,
    people,
    palette: palette ?? [],
    filters: { search: search.words, department },
    isBeside,
    least: isPastOpen ? '' : today,
    onRefused: () => setAsking('past'),
  })
  const { paintArea } = hand

  const { warnings, readUnseen } = useWarnings(plan, people)
  // The preview of past days replaces the other confirmation.
  const changesPast = [...judged.values()].some(({ from }) => from !== '' && from < today)
  const saveSeen = () => {
    if (replacedDays > 0 && !changesPast && !save.isDrafting) setAsking('replace')
    else void save.begin().catch(complain)
  }
  const requestSave = async () => {
    if (isEmpty || save.busy || otherZone) return
    if (conflicts.length > 0) return say(t('conflicts.title', { count: conflicts.length }), 'danger')
    if ((await readUnseen()).count > 0) setAsking('warnings')
    else saveSeen()
  }
  const undo = () => (planning.read().at > 0 ? planning.undo() : save.canTakeBack && isEmpty && setAsking('takeBack'))
  const handleCommand = (command: Command) => {
    if (command === 'paint') tool !== 'select' && paintArea(area, tool)
    else if (command === 'free') paintArea(area, 'free')
    else if (command === 'select') setTool('select')
    else if (command === 'beside') setBeside(previous => !previous)
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

  // A ref holds the latest values, so that a paint stroke does not render unchanged parts again.
  const current = { hand, requestSave, undo, area, tool, seek, more: list.more, see: list.see }
  const latest = useRef(current)
  latest.current = current
  const boardActions = useMemo(
    () => ({
      paint: () => latest.current.hand.paintArea(latest.current.area, latest.current.tool),
      free: () => latest.current.hand.paintArea(latest.current.area, 'free'),
      copy: () => void navigator.clipboard?.writeText(latest.current.hand.copyArea()).catch(() => {}),
      paste: () => latest.current.hand.pasteCopied(),
      repeat: () => setRepeating(true),
      seek: (conflict: Conflict) => latest.current.seek(conflict),
      more: () => latest.current.more(),
      see: (first: number, last: number) => latest.current.see(first, last),
      toggleFoot: () => setFootOpen(previous => !previous),
    }),
    [],
  )
  usePlanKeys(planning, latest)
  const foot = useCallback(
    (place: number) => (
      <BoardFoot
        heads={heads}
        shifts={shifts}
        counts={counts}
        place={place}
        isOpen={isFootOpen}
        onToggle={boardActions.toggleFoot}
      />
    ),
    [heads, shifts, counts, isFootOpen, boardActions],
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
          <PlanActions
            {...{ planning, save, changedDays, onUndo: undo, onSave: requestSave }}
            isBlocked={conflicts.length > 0 || otherZone !== undefined}
          />
        </>
      }
    >
      <div className="filters">
        <ViewPicker view={view} from={from} to={to} actions={actions} />
        <SearchField hint={t('searchHint')} {...search.field} />
        <DepartmentFilter value={department} onText={setDepartment} />
        <SelectField label={t('shift')} value={shift} onText={setShift} options={shiftOptions} />
      </div>

      <DraftBar {...{ department, shifts, from, to, span }} isUnsaved={!isEmpty} />

      {palette?.length === 0 ? (
        <NoShifts />
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
              onMove={hand.moveArea}
              onCommand={handleCommand}
              onCopy={hand.copy}
              onCut={hand.cut}
              onPaste={hand.paste}
              onEnd={boardActions.more}
              onSee={boardActions.see}
              hasMore={list.hasMore}
              foot={foot}
            />
          )}
          {rows && rows.length > 0 && <BoardLegend hasDraft={save.isDrafting} />}
          {/* Below the board, so that no cell moves under the pointer during painting. */}
          {conflicts.length > 0 && <Conflicts conflicts={conflicts} shifts={shifts} onSeek={boardActions.seek} />}
          <WarningNotice warnings={warnings} />
          {problems.length > 0 && (
            <Problems problems={problems} unnamed={save.unnamed} shifts={shifts} onClose={save.dismiss} />
          )}
          {sent && <Saving sent={sent} onEnd={save.finish} />}
          {rows && rows.length > 0 && (
            <SelectionBar
              days={selected.length * selectedDays.length}
              people={selected.length}
              shift={shifts.get(tool)}
              canPaste={hand.hasCopied}
              isBusy={false}
              onPaint={boardActions.paint}
              onFree={boardActions.free}
              onCopy={boardActions.copy}
              onPaste={boardActions.paste}
              onRepeat={boardActions.repeat}
              end={
                <>
                  <ScheduleKeys />
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
            shownAt={hand.shownAt}
            changes={hand.changes}
            onFill={hand.fill}
            onClose={() => {
              setRepeating(false)
              setSelection(previous => ({ ...previous, isSought: true }))
            }}
          />
        </Suspense>
      )}
      <Questions
        asking={asking}
        onAsk={setAsking}
        save={save}
        changedDays={changedDays}
        replacedDays={replacedDays}
        warnings={warnings}
        onSaveSeen={saveSeen}
        overLeave={hand.overLeave}
        onOpenPast={() => setPastOpen(true)}
        onTakeBack={() => save.takeBack(isPastOpen ? '' : today)}
      />
    </Page>
  )
}

function NoShifts() {
  const { t } = useTranslation('schedule')
  return (
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
  )
}
