import { AlarmClock, ArrowRight, Hourglass, LogIn, LogOut, MonitorUp, TreePalm, UserRoundCheck } from 'lucide-react'
import { type KeyboardEvent, lazy, Suspense, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type WhoList, whoLists } from '../../../shared/who.ts'
import { useFormats } from '../../format.ts'
import { useMayOpen } from '../../menu.ts'
import { Button } from '../../parts/button.tsx'
import { DepartmentFilter } from '../../parts/list/department-filter.tsx'
import { useDepartments } from '../../parts/list/departments.ts'
import { Trouble } from '../../parts/page.tsx'
import { Link } from '../../parts/shell/router.ts'
import { type Person, useWho, useWhoView } from './who-read.ts'
import { WhoRow } from './who-row.tsx'
import './who.css'

const DayPanel = lazy(async () => ({ default: (await import('../../parts/day/explain.tsx')).DayPanel }))

const icons = { in: LogIn, late: AlarmClock, missing: Hourglass, leave: TreePalm, finished: LogOut } as const
const pageSize = 100

/** Five counts as tabs over one list of people. */
export function WhoCard() {
  const { t } = useTranslation('dashboard')
  const view = useWhoView()
  const { list, department, pickList, pickDepartment } = view
  const who = useWho(list, department, pageSize)
  const { all, nameOf } = useDepartments()
  const mayExplain = useMayOpen()('/report')
  const [opened, setOpened] = useState<Person>()
  const card = useRef<HTMLElement>(null)
  const rowsOf = () => [...(card.current?.querySelectorAll<HTMLElement>('.who-open, .who-row:not(.can-open) a') ?? [])]
  const focusTab = () => card.current?.querySelector<HTMLElement>('[role=tab][aria-selected=true]')?.focus()
  const moveInList = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const rows = rowsOf()
    const at = rows.indexOf(document.activeElement as HTMLElement)
    if (at < 0) return
    event.preventDefault()
    const next = rows[at + (event.key === 'ArrowDown' ? 1 : -1)]
    if (next) next.focus()
    else if (event.key === 'ArrowUp') focusTab()
  }
  return (
    <>
      <section ref={card} className="card who" aria-label={t('who.title')}>
        <Counts counts={who.counts} list={list} onPick={pickList} onDown={() => rowsOf()[0]?.focus()} />
        {(all?.length ?? 0) > 1 && (
          <div className="who-filter">
            <DepartmentFilter value={department} onText={pickDepartment} />
          </div>
        )}
        <div
          id="who-list"
          role="tabpanel"
          aria-labelledby={`who-${list}`}
          aria-busy={!who.rows && !who.error}
          className="who-list"
          onKeyDown={moveInList}
        >
          {who.error && !who.counts ? (
            <Trouble error={who.error} onRetry={who.readAgain} />
          ) : !who.rows ? (
            <ul>
              {[70, 55, 80, 60, 75].map(width => (
                <SkeletonRow key={width} width={width} />
              ))}
            </ul>
          ) : who.rows.length === 0 ? (
            <p className="who-none muted">
              <UserRoundCheck className="icon" aria-hidden="true" /> {t(`who.none.${list}`)}
            </p>
          ) : (
            <ul>
              {who.rows.map(person => (
                <WhoRow
                  key={person.employee}
                  person={person}
                  department={nameOf(person.department)}
                  onOpen={mayExplain ? () => setOpened(person) : undefined}
                />
              ))}
            </ul>
          )}
          {who.rows && who.hasMore && (
            <Button look="quiet" onClick={who.more}>
              {t('who.more', { count: who.count - who.rows.length })}
            </Button>
          )}
        </div>
        <Foot who={who} department={department} />
      </section>
      {/* Outside the card, because the card's containment would also contain the panel. */}
      {opened && (
        <Suspense>
          <DayPanel day={opened.day} employee={opened.employee} onClose={() => setOpened(undefined)} />
        </Suspense>
      )}
    </>
  )
}

function SkeletonRow({ width }: { width: number }) {
  return (
    <li className="who-row">
      <span className="skeleton avatar" />
      <span className="skeleton" style={{ width: `${width}%`, height: 12 }} />
    </li>
  )
}

/** The counts. Left and Right choose the next one, and Down moves into its list. */
function Counts(props: {
  counts: Record<WhoList, number> | undefined
  list: WhoList
  onPick: (list: WhoList) => void
  onDown: () => void
}) {
  const { t } = useTranslation('dashboard')
  const formats = useFormats()
  const { counts, list, onPick, onDown } = props
  const row = useRef<HTMLDivElement>(null)
  const handleKey = (event: KeyboardEvent) => {
    const at = whoLists.indexOf(list)
    const last = whoLists.length - 1
    const moves: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at + last, Home: 0, End: last }
    const to = moves[event.key]
    if (to === undefined && event.key !== 'ArrowDown') return
    event.preventDefault()
    if (to === undefined) return onDown()
    const next = whoLists[to % whoLists.length] ?? 'in'
    onPick(next)
    row.current?.querySelector<HTMLElement>(`#who-${next}`)?.focus()
  }
  return (
    <div ref={row} className="who-counts" role="tablist" aria-label={t('who.title')} onKeyDown={handleKey}>
      {whoLists.map(name => {
        const Icon = icons[name]
        const count = counts?.[name]
        return (
          <button
            key={name}
            id={`who-${name}`}
            type="button"
            role="tab"
            aria-selected={name === list}
            aria-controls="who-list"
            tabIndex={name === list ? 0 : -1}
            className={name === 'late' && count ? 'who-count has-late' : 'who-count'}
            onClick={() => onPick(name)}
          >
            <span className="who-count-name">
              <Icon className="icon" aria-hidden="true" />
              {t(`who.list.${name}`)}
            </span>
            <strong className="figure">{count === undefined ? '–' : formats.number(count)}</strong>
          </button>
        )
      })}
    </div>
  )
}

/** Says how current the list is, and leads to the records and the wall view. */
function Foot({ who, department }: { who: ReturnType<typeof useWho>; department: string }) {
  const { t } = useTranslation('dashboard')
  const formats = useFormats()
  const mayRead = useMayOpen()('/record')
  const { isLive, readAt } = who
  const isStale = !isLive || Boolean(who.error && who.counts)
  const today = formats.today()
  const inDepartment = department ? `&department=${department}` : ''
  return (
    <footer className="who-foot">
      <span className={isStale ? 'who-stale' : 'muted'} role="status">
        {isStale && readAt ? t('who.updated', { time: formats.time(readAt) }) : t('who.live')}
      </span>
      <span className="who-links">
        <Link to={`/dashboard?wall${inDepartment}`}>
          <MonitorUp className="icon" aria-hidden="true" /> {t('who.wall')}
        </Link>
        {mayRead && (
          <Link to={`/record?from=${today}&to=${today}${inDepartment}`}>
            {t('who.records')} <ArrowRight className="icon" aria-hidden="true" />
          </Link>
        )}
      </span>
    </footer>
  )
}
