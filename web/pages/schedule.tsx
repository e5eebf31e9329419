import { CalendarRange, ChevronLeft, ChevronRight, Eraser, Undo2 } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isFault, write } from '../api.ts'
import { useFormats } from '../format.ts'
import { Ask } from '../parts/ask.tsx'
import { Board, type BoardRow, type BoardShift } from '../parts/board.tsx'
import { Button } from '../parts/button.tsx'
import { DepartmentFilter } from '../parts/department-filter.tsx'
import { useComplaint, useSentence } from '../parts/form.tsx'
import { Empty, Page, Trouble } from '../parts/page.tsx'
import { type Change, type Plan, type Request, requestsFor, withChanges } from '../parts/plan.ts'
import { Link, useSearchParams } from '../parts/router.ts'
import { SearchField, useSearch } from '../parts/search-field.tsx'
import { say } from '../parts/toast.tsx'
import { refresh, useList, useRead } from '../read.ts'
import { usePerson } from '../session.tsx'
import { withoutEmpty } from '../without-empty.ts'
import './schedule.css'

const daysOf = (month: string) => {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate()
  return Array.from({ length: count }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`)
}

const monthAway = (month: string, by: number) => {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7)
}

/** What a save was refused for: who, when and with what. */
interface Conflict {
  employee: string
  name: string
  day: string
  shift: string
  withDay: string
  withShift: string
}
const conflictsIn = (about: unknown): Conflict[] => (Array.isArray(about) ? about : [])

/** Outlives a visit of another page, for the same person in the same company. */
let kept: { owner: string; history: Plan[] } = { owner: '', history: [{}] }

const usePlan = () => {
  const { company, employee } = usePerson()
  const owner = `${company.id} ${employee.id}`
  const [history, setHistory] = useState<Plan[]>(kept.owner === owner ? kept.history : [{}])
  useEffect(() => {
    kept = { owner, history }
  }, [owner, history])
  const plan = history.at(-1) ?? {}
  const isEmpty = Object.keys(plan).length === 0
  useEffect(() => {
    if (isEmpty) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isEmpty])
  return {
    plan,
    isEmpty,
    canUndo: history.length > 1,
    change: (changes: readonly Change[]) =>
      setHistory(was => [...was.slice(-50), withChanges(was.at(-1) ?? {}, changes)]),
    undo: () => setHistory(was => (was.length > 1 ? was.slice(0, -1) : was)),
    /** After a save there is no way back by undoing. */
    settle: (plan: Plan) => setHistory([plan]),
  }
}

export default function SchedulePage() {
  const { t } = useTranslation(['schedule', 'shell'])
  const formats = useFormats()
  const complain = useComplaint()
  const sentence = useSentence()
  const [address, setAddress] = useSearchParams()
  const search = useSearch()
  const [department, setDepartment] = useState('')
  const [brush, setBrush] = useState<string>()
  const [isBeside, setBeside] = useState(false)
  const [asking, setAsking] = useState<'clear' | 'replace'>()
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<{ code: number; conflicts: Conflict[] }>()
  const { plan, isEmpty, canUndo, change, undo, settle } = usePlan()

  const today = formats.today()
  const month = address.get('month') ?? today.slice(0, 7)
  const days = useMemo(() => daysOf(month), [month])
  const { words } = search
  const list = useList(
    'schedule/grid',
    { from: days[0] ?? today, to: days.at(-1) ?? today, ...withoutEmpty({ search: words, department }) },
    { size: 200 },
  )
  const { data: all } = useRead('shift/all', {})
  // In the order of the day, so that a number key always means the same shift.
  const palette = useMemo(
    () => all?.list.toSorted((one, other) => (one.onDuty + one.name < other.onDuty + other.name ? -1 : 1)),
    [all],
  )
  const shifts = useMemo(() => new Map<string, BoardShift>(palette?.map(shift => [shift.id, shift])), [palette])
  const chosen = brush ?? palette?.[0]?.id ?? ''
  const rows: readonly BoardRow[] | undefined = list.rows

  // What the server holds of every employee ever shown, so that a plan of another month can be saved from here.
  const [held] = useState(() => new Map<string, readonly string[]>())
  for (const row of rows ?? []) for (const day of days) held.set(`${row.employee} ${day}`, row.days[day] ?? [])

  const changes = Object.entries(plan).flatMap(([employee, wanted]) =>
    Object.entries(wanted).map(
      ([day, shifts]): Change => ({ employee, day, wanted: shifts, held: held.get(`${employee} ${day}`) ?? [] }),
    ),
  )
  const replacedCount = changes.filter(
    ({ held, wanted }) => held.length > 0 && !held.every(shift => wanted.includes(shift)),
  ).length

  const paint = (cells: readonly { row: BoardRow; day: string }[], isErasing: boolean) =>
    change(
      cells.map(({ row, day }) => {
        const before = row.days[day] ?? []
        const now = plan[row.employee]?.[day] ?? before
        const beside = now.includes(chosen) ? now : [...now, chosen]
        return { employee: row.employee, day, held: before, wanted: isErasing ? [] : isBeside ? beside : [chosen] }
      }),
    )

  /** Sends what is left as long as something gets through: what conflicts now may fit once the rest is saved. */
  const send = async (requests: readonly Request[]): Promise<void> => {
    const refused: Request[] = []
    let problem: unknown
    for (const request of requests) {
      try {
        if (request.path === 'schedule/clear') await write(request.path, request.input)
        else await write(request.path, request.input)
      } catch (error) {
        if (!isFault(error) || error.code !== 59031) throw error
        refused.push(request)
        problem = error
      }
    }
    if (refused.length === 0) return
    if (refused.length === requests.length) throw problem
    return send(refused)
  }

  const attempt = async (action: () => Promise<void>) => {
    setBusy(true)
    setRefusal(undefined)
    try {
      await action()
    } catch (error) {
      if (isFault(error) && (error.code === 59031 || error.code === 59040)) {
        setRefusal({ code: error.code, conflicts: conflictsIn(error.about) })
      } else complain(error)
    } finally {
      setBusy(false)
      setAsking(undefined)
      refresh(['schedule/', 'shift/'])
    }
  }
  const save = () =>
    attempt(async () => {
      await send(requestsFor(changes))
      settle({})
      say(t('savedDays', { count: changes.length }))
    })
  const clear = () =>
    attempt(async () => {
      const from = [days[0] ?? today, today].sort().at(-1) ?? today
      const employees = rows?.map(({ employee }) => employee) ?? []
      for (let start = 0; start < employees.length; start += 500) {
        await write('schedule/clear', {
          employees: employees.slice(start, start + 500),
          from,
          to: days.at(-1) ?? today,
        })
      }
      settle({})
      say(t('cleared'))
    })
  const go = (to: string) => setAddress(to === today.slice(0, 7) ? {} : { month: to }, { replace: true })
  const conflictCells = useMemo(
    () =>
      new Set(
        refusal?.conflicts.flatMap(({ employee, day, withDay }) => [`${employee} ${day}`, `${employee} ${withDay}`]),
      ),
    [refusal],
  )
  const isPastMonth = (days.at(-1) ?? '') < today

  return (
    <Page
      title={t('title')}
      note={list.count !== undefined && t('count', { count: list.count })}
      className="schedule"
      actions={
        <>
          <Button
            look="quiet"
            icon={<Undo2 className="icon" />}
            onClick={undo}
            disabled={!canUndo || busy}
            aria-keyshortcuts="Control+Z"
          >
            {t('undo')}
          </Button>
          <Button onClick={() => setAsking('clear')} disabled={busy || isPastMonth || !rows?.length || list.hasMore}>
            {t('clear.button')}
          </Button>
          <Button
            look="primary"
            busy={busy}
            disabled={isEmpty}
            onClick={() => (replacedCount > 0 ? setAsking('replace') : save())}
          >
            {isEmpty ? t('shell:save') : t('saveDays', { count: changes.length })}
          </Button>
        </>
      }
    >
      <div className="filters">
        <div className="month">
          <Button
            look="quiet"
            square
            aria-label={t('shell:calendar.previous')}
            icon={<ChevronLeft className="icon" />}
            onClick={() => go(monthAway(month, -1))}
          />
          <strong aria-live="polite">{formats.month(month)}</strong>
          <Button
            look="quiet"
            square
            aria-label={t('shell:calendar.next')}
            icon={<ChevronRight className="icon" />}
            onClick={() => go(monthAway(month, 1))}
          />
        </div>
        <SearchField hint={t('searchHint')} {...search.field} />
        <DepartmentFilter value={department} onText={setDepartment} />
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
          <div className="palette">
            <fieldset>
              <legend className="unseen">{t('brush')}</legend>
              {palette?.map((shift, index) => (
                <label key={shift.id} className={`brush shift-color ${shift.color}`}>
                  <input
                    type="radio"
                    name="brush"
                    className="unseen"
                    checked={chosen === shift.id}
                    onChange={() => setBrush(shift.id)}
                  />
                  <span className="shift-name">{shift.name}</span>
                  <span className="muted figure">
                    {formats.wallTime(shift.onDuty)}–{formats.wallTime(shift.offDuty)}
                  </span>
                  {index < 9 && <kbd>{index + 1}</kbd>}
                </label>
              ))}
              <label className="brush">
                <input
                  type="radio"
                  name="brush"
                  className="unseen"
                  checked={chosen === 'eraser'}
                  onChange={() => setBrush('eraser')}
                />
                <Eraser className="icon" aria-hidden="true" />
                <span>{t('eraser')}</span>
                <kbd>0</kbd>
              </label>
            </fieldset>
            <label className="check beside">
              <input type="checkbox" checked={isBeside} onChange={event => setBeside(event.target.checked)} />
              <span>{t('beside')}</span>
            </label>
          </div>
          {refusal && (
            <div className="notice danger" role="alert">
              <div>
                <strong>{sentence(refusal.code)}</strong>
                <ul>
                  {refusal.conflicts.slice(0, 6).map(conflict => (
                    <li key={JSON.stringify(conflict)}>
                      {t('conflict', {
                        ...conflict,
                        day: formats.day(conflict.day),
                        withDay: formats.day(conflict.withDay),
                      })}
                    </li>
                  ))}
                </ul>
              </div>
            </div>
          )}
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
              label={t('board', { month: formats.month(month) })}
              days={days}
              today={today}
              rows={rows}
              count={list.count}
              plan={plan}
              shifts={shifts}
              conflicts={conflictCells}
              onPaint={(cells, isErasing) => paint(cells, isErasing || chosen === 'eraser')}
              onPick={number => setBrush(number === 0 ? 'eraser' : palette?.[number - 1]?.id)}
              onUndo={undo}
              onEnd={list.more}
              hasMore={list.hasMore}
            />
          )}
          <p className="muted small keys">{t('keys')}</p>
        </>
      )}

      {asking === 'clear' && (
        <Ask
          title={t('clear.title', { month: formats.month(month) })}
          yes={t('clear.button')}
          no={t('shell:cancel')}
          danger
          onYes={clear}
          onNo={() => setAsking(undefined)}
        >
          {t('clear.text', { count: rows?.length ?? 0 })}
        </Ask>
      )}
      {asking === 'replace' && (
        <Ask
          title={t('replace.title')}
          yes={t('replace.yes')}
          no={t('shell:cancel')}
          onYes={save}
          onNo={() => setAsking(undefined)}
        >
          {t('replace.text', { count: replacedCount })}
        </Ask>
      )}
    </Page>
  )
}
