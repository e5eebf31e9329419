import { X } from 'lucide-react'
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { whoLists } from '../../../shared/who.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { useDepartments } from '../../parts/list/departments.ts'
import { Trouble } from '../../parts/page.tsx'
import { Avatar } from '../../parts/shell/avatar.tsx'
import { fullName } from '../../person-name.ts'
import { usePerson } from '../../session.tsx'
import { type Person, useWho, useWhoView } from './who-read.ts'
import { usePersonWords } from './who-row.tsx'
import './wall.css'

/** The most people that a wall shows; the rest is a number. */
const mostShown = 200
const turnMilliseconds = 8000
/** The size of a person's tile, also in the style sheet. */
const tile = { width: 400, height: 112 }

/** The time of day, which changes with the minute. */
const useNow = () => {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = window.setInterval(() => setNow(new Date()), 5000)
    return () => window.clearInterval(timer)
  }, [])
  return now
}

/** Keeps a wall's screen on, if the browser can. */
const useScreenOn = () =>
  useEffect(() => {
    let lock: WakeLockSentinel | undefined
    const keep = () => {
      if (document.visibilityState === 'visible')
        navigator.wakeLock?.request('screen').then(
          sentinel => {
            lock = sentinel
          },
          () => undefined,
        )
    }
    keep()
    document.addEventListener('visibilitychange', keep)
    return () => {
      document.removeEventListener('visibilitychange', keep)
      void lock?.release()
    }
  }, [])

/** Who is in, for a screen on the wall: large counts and names, readable from five metres. */
export function Wall() {
  const { t } = useTranslation('dashboard')
  const formats = useFormats()
  const { company } = usePerson()
  const { list, department, pickList, closeWall } = useWhoView()
  const { nameOf } = useDepartments()
  const who = useWho(list, department, mostShown)
  const now = useNow()
  useScreenOn()
  useEffect(() => {
    document.title = `${t('who.title')} · ${company.name}`
  }, [t, company.name])
  const handleKey = useEffectEvent(({ key }: KeyboardEvent) => {
    const at = whoLists.indexOf(list)
    const next = key === 'ArrowRight' ? at + 1 : key === 'ArrowLeft' ? at + whoLists.length - 1 : undefined
    if (key === 'Escape') closeWall()
    else if (next !== undefined) pickList(whoLists[next % whoLists.length] ?? 'in')
  })
  // Nothing on a wall has the focus, so the whole window listens.
  useEffect(() => {
    const listen = (event: KeyboardEvent) => handleKey(event)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
  return (
    <div className="wall">
      <header className="wall-head">
        <h1>{department ? nameOf(department) : company.name}</h1>
        <span className="muted">{formats.longDay(formats.today())}</span>
        {!who.isLive && who.readAt && (
          <span className="tag warn" role="status">
            {t('who.updated', { time: formats.time(who.readAt) })}
          </span>
        )}
        <strong className="figure wall-clock">{formats.time(now)}</strong>
        <Button look="quiet" square aria-label={t('wall.close')} icon={<X className="icon" />} onClick={closeWall} />
      </header>
      <div className="wall-counts">
        {whoLists.map(name => (
          <button
            key={name}
            type="button"
            className={`wall-count ${name}`}
            aria-pressed={name === list}
            onClick={() => pickList(name)}
          >
            <strong className="figure">{who.counts ? formats.number(who.counts[name]) : '–'}</strong>
            <span>{t(`who.list.${name}`)}</span>
          </button>
        ))}
      </div>
      {who.error && !who.counts ? (
        <Trouble error={who.error} onRetry={who.readAgain} />
      ) : who.rows?.length === 0 ? (
        <p className="wall-none muted">{t(`who.none.${list}`)}</p>
      ) : (
        <People key={list} people={who.rows ?? []} count={who.count} />
      )}
    </div>
  )
}

/** As many people as fit. With more, the pages turn by themselves. */
function People({ people, count }: { people: readonly Person[]; count: number }) {
  const { t } = useTranslation('dashboard')
  const words = usePersonWords()
  const area = useRef<HTMLUListElement>(null)
  const [fitting, setFitting] = useState(12)
  const [turns, setTurns] = useState(0)
  useLayoutEffect(() => {
    const measure = () => {
      const { clientWidth = 0, clientHeight = 0 } = area.current ?? {}
      const columns = Math.max(1, Math.floor(clientWidth / tile.width))
      setFitting(columns * Math.max(1, Math.floor(clientHeight / tile.height)))
    }
    measure()
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [])
  useEffect(() => {
    const timer = window.setInterval(() => setTurns(turn => turn + 1), turnMilliseconds)
    return () => window.clearInterval(timer)
  }, [])
  const pages = Math.max(1, Math.ceil(people.length / fitting))
  const page = turns % pages
  const rest = count - people.length
  return (
    <>
      <ul ref={area} className="wall-people">
        {people.slice(page * fitting, (page + 1) * fitting).map(person => {
          const mark = words.mark(person)
          return (
            <li key={person.employee}>
              <Avatar person={person} photo={person.photo} />
              <span>
                <strong>{fullName(person)}</strong>
                <small className="figure">{mark ? mark.text : words.since(person)}</small>
              </span>
            </li>
          )
        })}
      </ul>
      <p className="wall-foot muted">
        {pages > 1 && <span>{t('wall.page', { page: page + 1, of: pages })}</span>}
        {rest > 0 && people.length > 0 && <span>{t('wall.and', { count: rest })}</span>}
      </p>
    </>
  )
}
