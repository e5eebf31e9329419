import { CircleCheck, RotateCcw, X } from 'lucide-react'
import { lazy, type MouseEvent, Suspense, useCallback, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isUnanswered, type PathCall, write } from '../api.ts'
import { useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { SelectField, TextField } from '../parts/field/field.tsx'
import { useComplaint } from '../parts/field/form.tsx'
import { DayFilters, useDayFilters } from '../parts/list/day-filters.tsx'
import type { ColumnOf } from '../parts/list/grid.tsx'
import { PersonName } from '../parts/list/person-name.tsx'
import { useWorklist, Worklist } from '../parts/list/worklist.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { Ask } from '../parts/say/ask.tsx'
import { Keys } from '../parts/shell/keys.tsx'
import { type RowOf, refresh, useList } from '../read.ts'
import './exception.css'

const DayPanel = lazy(async () => ({ default: (await import('../parts/day/explain.tsx')).DayPanel }))

type Raised = RowOf<'exception/grid'>
type State = Raised['state']
type Named = PathCall<'exception/accept'>['exceptions'][number]
/** With what was written at it, which taking it back and accepting it again does not lose. */
type Noted = Named & { note?: string | undefined }

const states = ['open', 'accepted', 'settled'] as const satisfies State[]
const types = ['missingIn', 'missingOut', 'longBreak', 'punchedOnLeave'] as const satisfies Raised['type'][]
const causes = ['punch', 'schedule', 'request', 'employment', 'close', 'sweep'] as const
const tones: Record<State, string> = { open: 'tag danger', accepted: 'tag ok', settled: 'tag' }
/** Of those the path takes at once. */
const mostAtOnce = 30

const keyOf = ({ employee, day, shift, type }: Raised) => `${employee} ${day} ${shift ?? '-'} ${type}`
const named = ({ employee, day, shift, type, minutes }: Named): Named => ({ employee, day, shift, type, minutes })
const noted = (one: Raised): Noted => ({ ...named(one), note: one.note })

/** What was done last, to be undone. */
interface Deed {
  what: 'accept' | 'reopen'
  exceptions: Noted[]
}

export default function ExceptionPage() {
  const { t } = useTranslation(['exception', 'shell'])
  const formats = useFormats()
  const complain = useComplaint()
  const keys = useKeys()
  const filters = useDayFilters('1m')
  const { range } = filters
  const { search, set } = range
  const state = [...states, 'all' as const].find(name => name === search.get('state')) ?? 'open'
  const type = types.find(name => name === search.get('type'))
  const list = useList(
    'exception/grid',
    { ...filters.filters, ...(type && { type }), ...(state !== 'all' && { state }) },
    { size: 100 },
  )
  const { rows } = list
  const [explained, setExplained] = useState<Raised>()
  const [asked, setAsked] = useState<Raised[]>()
  const [deed, setDeed] = useState<Deed>()
  const work = useWorklist({
    rows,
    rowKey: keyOf,
    opened: explained && keyOf(explained),
    isAsking: asked !== undefined,
  })

  /** `keep` is told what was done, also where the rest was not. */
  const send = async (
    what: Deed['what'],
    exceptions: Noted[],
    keep = (done: Noted[]) => setDeed({ what, exceptions: done }),
  ) => {
    const done: Noted[] = []
    try {
      // Together goes what has one note.
      for (const [note, alike] of Map.groupBy(exceptions, one => (what === 'accept' && one.note) || ''))
        for (let i = 0; i < alike.length; i += mostAtOnce) {
          const part = alike.slice(i, i + mostAtOnce)
          const input = { exceptions: part.map(named) }
          if (what === 'accept') await write('exception/accept', { ...input, ...(note && { note }) })
          else await write('exception/reopen', input)
          done.push(...part)
        }
      work.selection.clear()
    } catch (error) {
      // Where no answer came they stay chosen, for another try.
      if (!isUnanswered(error)) work.selection.clear()
      throw error
    } finally {
      if (done.length > 0) keep(done)
      refresh(['exception/'])
    }
  }

  const perform = (what: Deed['what'], exceptions: Noted[]) => send(what, exceptions).catch(complain)
  const accept = (list: Raised[]) => perform('accept', list.filter(one => one.state === 'open').map(noted))
  const reopen = (list: Raised[]) => perform('reopen', list.filter(one => one.state === 'accepted').map(noted))
  const undo = async () => {
    if (!deed) return
    try {
      await send(deed.what === 'accept' ? 'reopen' : 'accept', deed.exceptions, done =>
        setDeed({ ...deed, exceptions: deed.exceptions.filter(one => !done.includes(one)) }),
      )
      setDeed(undefined)
    } catch (error) {
      complain(error)
    }
  }

  const askNote = (list: Raised[]) => {
    const open = list.filter(one => one.state === 'open')
    if (open.length > 0) setAsked(open)
  }
  const acts = {
    a: (row?: Raised) => void accept(work.meant(row)),
    n: (row?: Raised) => askNote(work.meant(row)),
    r: (row?: Raised) => void reopen(work.meant(row)),
    z: () => void undo(),
  }

  const nameOf = useCallback(
    (row: Raised) => `${row.first_name} ${row.last_name}, ${formats.day(row.day)}, ${t(`type.${row.type}`)}`,
    [formats, t],
  )
  /** What the rows' own buttons do; the columns do not follow each change of the page. */
  const performing = useRef(perform)
  performing.current = perform
  const act = useCallback((event: MouseEvent, what: Deed['what'], row: Raised) => {
    // The row would open as well.
    event.stopPropagation()
    void performing.current(what, [noted(row)])
  }, [])
  const columns = useMemo<ColumnOf<'exception/grid'>[]>(() => {
    // What is missing is what it is about.
    const time = (at: string | undefined, row: Raised) => (at ? formats.time(at, row.timezone) : '?')
    const settledBy = (cause: string | undefined) => {
      const known = causes.find(name => name === cause)
      return t(`settledBy.${known ?? 'task'}`)
    }
    return [
      {
        key: 'name',
        title: t('employee'),
        width: 'minmax(168px, 1.6fr)',
        cell: row => <PersonName person={row} hasNumber onPress={() => setExplained(row)} />,
      },
      {
        key: 'day',
        title: t('day'),
        width: '136px',
        cell: row => (
          <span className="figure">
            {formats.day(row.day)} <span className="muted">{formats.weekday(row.day)}</span>
          </span>
        ),
      },
      {
        key: 'type',
        title: t('what'),
        width: 'minmax(120px, 1fr)',
        cell: row => <strong>{t(`type.${row.type}`)}</strong>,
      },
      {
        key: 'minutes',
        title: t('time'),
        unit: t(`shell:unit.${formats.unit('work')}`),
        width: '76px',
        isNumber: true,
        cell: row => <span className="figure">{formats.duration(row.minutes, 'work')}</span>,
      },
      {
        key: 'shift',
        title: t('shift'),
        width: 'minmax(128px, 1fr)',
        isExtra: true,
        cell: row =>
          row.shiftName ? (
            <span className={`shift-name shift-color ${row.shiftColor ?? ''}`}>{row.shiftName}</span>
          ) : (
            <span className="muted">{t('free')}</span>
          ),
      },
      {
        key: 'punches',
        title: t('punches'),
        width: '116px',
        isExtra: true,
        cell: row => (
          <span className="figure">
            {time(row.firstIn, row)} – {time(row.lastOut, row)}
          </span>
        ),
      },
      {
        key: 'state',
        title: t('state.label'),
        width: 'minmax(196px, 2.4fr)',
        cell: row => (
          <span className="work-state">
            <span className={tones[row.state]}>{t(`state.${row.state}`)}</span>
            {row.state === 'accepted' && (
              <span className="muted small" title={row.note}>
                {row.note ?? t('by', { name: row.by, at: formats.dayAndTime(row.at) })}
              </span>
            )}
            {row.state === 'settled' && <span className="muted small">{settledBy(row.cause)}</span>}
            {row.state === 'open' && (
              <span className="work-moves">
                <Button
                  look="quiet"
                  aria-label={t('acceptOf', { name: nameOf(row) })}
                  onClick={event => act(event, 'accept', row)}
                >
                  {t('accept')}
                </Button>
              </span>
            )}
            {row.state === 'accepted' && (
              <span className="work-moves">
                <Button
                  look="quiet"
                  aria-label={t('reopenOf', { name: nameOf(row) })}
                  onClick={event => act(event, 'reopen', row)}
                >
                  {t('reopen')}
                </Button>
              </span>
            )}
          </span>
        ),
      },
    ]
  }, [t, formats, nameOf, act])

  const isOpen = state === 'open'
  const chosen = work.meant()
  const count = list.count ?? 0
  return (
    <Page
      title={t('title')}
      className="exception-page"
      note={isOpen && count > 0 ? t('count', { count }) : t('note')}
      actions={<Keys title={t('keys.title')} keys={keys} />}
    >
      <DayFilters filters={filters} rows={rows}>
        <SelectField
          label={t('type.label')}
          value={type ?? ''}
          onText={value => set({ type: value || undefined })}
          options={[['', t('type.all')], ...types.map(name => [name, t(`type.${name}`)] as const)]}
        />
        <SelectField
          label={t('state.label')}
          value={state}
          onText={value => set({ state: value === 'open' ? undefined : value })}
          options={[...states.map(name => [name, t(`state.${name}`)] as const), ['all', t('state.all')]]}
        />
      </DayFilters>
      {deed && (
        <p className="notice exception-done" role="status">
          <CircleCheck className="icon" aria-hidden="true" />
          <span>
            {t(deed.what === 'accept' ? 'accepted' : 'reopened', { count: deed.exceptions.length })}{' '}
            <button type="button" className="link" onClick={() => void undo()}>
              {t('undo')}
            </button>
          </span>
          <Button
            look="quiet"
            square
            aria-label={t('shell:close')}
            icon={<X className="icon" />}
            onClick={() => setDeed(undefined)}
          />
        </p>
      )}
      <Worklist<'exception/grid'>
        work={work}
        acts={acts}
        bulk={{
          label: t('chosen.label'),
          count: t('chosen.count', { count: chosen.length }),
          clear: t('chosen.clear'),
          deeds: (
            <>
              {chosen.some(one => one.state === 'open') && (
                <>
                  <Button
                    icon={<CircleCheck className="icon" aria-hidden="true" />}
                    onClick={() => void accept(chosen)}
                  >
                    {t('accept')}
                  </Button>
                  <Button onClick={() => askNote(chosen)}>{t('acceptWithNote')}</Button>
                </>
              )}
              {chosen.some(one => one.state === 'accepted') && (
                <Button icon={<RotateCcw className="icon" aria-hidden="true" />} onClick={() => void reopen(chosen)}>
                  {t('reopen')}
                </Button>
              )}
            </>
          ),
        }}
        label={t('title')}
        columns={columns}
        list={list}
        rowKey={keyOf}
        nameOf={nameOf}
        onOpen={setExplained}
        empty={
          <Empty icon={<CircleCheck />} title={t(isOpen ? 'empty.open.title' : 'empty.other.title')}>
            {t(isOpen ? 'empty.open.text' : 'empty.other.text')}
          </Empty>
        }
      />
      {explained && (
        // What it needs is fetched when it is first opened; the list stays meanwhile.
        <Suspense>
          <DayPanel day={explained.day} employee={explained.employee} onClose={() => setExplained(undefined)} />
        </Suspense>
      )}
      {asked && (
        <NoteQuestion
          onYes={async note => {
            await send(
              'accept',
              asked.map(one => ({ ...noted(one), note })),
              done => {
                setDeed({ what: 'accept', exceptions: done })
                // Where the rest got no answer it is asked about alone.
                setAsked(asked.slice(done.length))
              },
            )
            setAsked(undefined)
          }}
          onNo={() => setAsked(undefined)}
        />
      )}
    </Page>
  )
}

function NoteQuestion(props: { onYes: (note: string) => Promise<void>; onNo: () => void }) {
  const { t } = useTranslation(['exception', 'shell'])
  const [note, setNote] = useState('')
  return (
    <Ask
      title={t('ask.title')}
      yes={t('accept')}
      no={t('shell:cancel')}
      onYes={() => props.onYes(note.trim())}
      onNo={props.onNo}
    >
      <TextField label={t('ask.label')} hint={t('ask.hint')} value={note} onText={setNote} maxLength={500} lines={3} />
    </Ask>
  )
}

/** What the keyboard does in the list. */
const useKeys = () => {
  const { t } = useTranslation('exception')
  return useMemo(
    () =>
      [
        ['↓ ↑', t('keys.move')],
        [t('keys.enter'), t('keys.explain')],
        [t('keys.space'), t('keys.choose')],
        ['A', t('keys.accept')],
        ['N', t('keys.note')],
        ['R', t('keys.reopen')],
        ['Z', t('keys.undo')],
      ] as const,
    [t],
  )
}
