import { CheckCheck, CircleCheck, EyeOff, Plus, RotateCcw, UserX, X } from 'lucide-react'
import { type ContextType, lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { exceptionTypes } from '../../shared/attendance/row.ts'
import { useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { useIsCorrector, useMayCorrect } from '../parts/day/correct.tsx'
import { FirstForm } from '../parts/day/first-form.ts'
import { useHeld } from '../parts/day/held.tsx'
import { NextDay } from '../parts/day/next-day.ts'
import type { ListedDay } from '../parts/day/steps.tsx'
import { SelectField } from '../parts/field/field.tsx'
import { DayFilters, useDayFilters } from '../parts/list/day-filters.tsx'
import { Docking, useRoom } from '../parts/list/dock.ts'
import { useWorklist, Worklist } from '../parts/list/worklist.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { useMayEnter } from '../parts/request/may-enter.ts'
import { say } from '../parts/say/toast.tsx'
import { Keys } from '../parts/shell/keys.tsx'
import { fullName } from '../person-name.ts'
import { useList, useRead } from '../read.ts'
import { usePerson } from '../session.tsx'
import { useColumns } from './exception/columns.tsx'
import { useDeeds } from './exception/deeds.ts'
import { type Fixing, FixQuestion, kindOf } from './exception/fix-question.tsx'
import { OpenNote } from './exception/note.tsx'
import { ReasonQuestion } from './exception/reason-question.tsx'
import { offersOf, type RowDeed } from './exception/row-menu.tsx'
import { type Deed, type FixAction, keyOf, noted, type Raised, states, sumMinutes } from './exception/words.ts'
import './exception.css'

const DayPanel = lazy(async () => ({ default: (await import('../parts/day/explain.tsx')).DayPanel }))

const BehalfPanel = lazy(async () => ({ default: (await import('../parts/request/behalf.tsx')).BehalfPanel }))

/** The filters are in the address, so that a link opens the same list. */
const useView = () => {
  const filters = useDayFilters('1m')
  const { search, set } = filters.range
  const state = [...states, 'all' as const].find(name => name === search.get('state')) ?? 'open'
  const type = exceptionTypes.find(name => name === search.get('type'))
  const manager = search.get('manager') ?? ''
  const list = useList(
    'exception/grid',
    { ...filters.filters, ...(type && { type }), ...(manager && { manager }), ...(state !== 'all' && { state }) },
    { size: 100 },
  )
  return { filters, set, state, type, manager, list }
}

/** The fixes that each row offers to the user. */
const useOffers = () => {
  const mayCorrect = useMayCorrect()
  const mayMark = useIsCorrector()
  const mayEnter = useMayEnter()
  const rights = useRef({ mayCorrect, mayMark, mayEnter })
  rights.current = { mayCorrect, mayMark, mayEnter }
  return useCallback((row: Raised) => {
    const { employee } = row
    const { mayCorrect, mayMark, mayEnter } = rights.current
    return offersOf(row, {
      mayCorrect: mayCorrect(employee),
      mayMark: mayMark(employee),
      mayEnter: mayEnter(employee),
    })
  }, [])
}

/** The day panel, and the form with which it opens. */
interface Opened {
  row: Raised
  form?: 'add' | 'ignore'
}

export default function ExceptionPage() {
  const { t } = useTranslation(['exception', 'shell'])
  const formats = useFormats()
  const keys = useKeys()
  const view = useView()
  const { list, state } = view
  const { rows } = list
  const [opened, setOpened] = useState<Opened>()
  const [noteFor, setNoteFor] = useState<Raised[]>()
  const [fixing, setFixing] = useState<Fixing>()
  const [away, setAway] = useState<Raised>()
  const offers = useOffers()
  const { hold, question } = useHeld()
  const work = useWorklist({
    ...{ rows, rowKey: keyOf, opened: opened && keyOf(opened.row) },
    isAsking: noteFor !== undefined || fixing !== undefined || away !== undefined,
  })
  const deeds = useDeeds({ onOver: work.selection.clear, onUndone: work.takeFocus })
  const offering = (deed: keyof ReturnType<typeof offers>, list: Raised[]) => list.filter(row => offers(row)[deed])
  const askFix = (action: FixAction, list: Raised[]) => {
    const rows = offering(action === 'absent' ? 'absent' : 'fix', list)
    if (rows.length > 0) setFixing({ action, rows })
  }
  const askNote = (list: Raised[]) => {
    const open = offering('review', list)
    if (open.length > 0) setNoteFor(open)
  }
  const openForm = (form: 'add' | 'ignore', row: Raised | undefined) => {
    if (row && offers(row)[form === 'add' ? 'time' : 'ignore']) hold(() => setOpened({ row, form }))
  }
  const acts = {
    f: (row?: Raised) => askFix('proposed', work.meant(row)),
    b: (row?: Raised) => askFix('absent', work.meant(row)),
    t: (row?: Raised) => openForm('add', row),
    i: (row?: Raised) => openForm('ignore', row),
    a: (row?: Raised) => void deeds.accept(work.meant(row)),
    l: (row?: Raised) => setAway(offering('leave', work.meant(row))[0]),
    n: (row?: Raised) => askNote(work.meant(row)),
    r: (row?: Raised) => void deeds.reopen(work.meant(row)),
  }
  const nameOf = useCallback(
    (row: Raised) => `${fullName(row)}, ${formats.day(row.day)}, ${t(`type.${row.type}`)}`,
    [formats, t],
  )
  const perform = (deed: RowDeed, row: Raised) => {
    if (deed === 'fix') askFix('proposed', [row])
    else if (deed === 'absent') askFix('absent', [row])
    else if (deed === 'time') openForm('add', row)
    else if (deed === 'ignore') openForm('ignore', row)
    else if (deed === 'leave') setAway(row)
    else if (deed === 'review') askNote([row])
    else void deeds.perform('reopen', [noted(row)])
  }
  /** The rows' buttons use this reference, so that the columns do not change with every render. */
  const performing = useRef(perform)
  performing.current = perform
  const act = useCallback((deed: RowDeed, row: Raised) => performing.current(deed, row), [])
  const open = useCallback((row: Raised) => setOpened({ row }), [])
  const openHeld = useRef(open)
  openHeld.current = row => hold(() => open(row))
  const explain = useCallback((row: Raised) => openHeld.current(row), [])
  const { hasRoom, isAmple } = useRoom()
  const isDocked = hasRoom && opened !== undefined
  const room = !isDocked ? 'whole' : isAmple ? 'ample' : 'narrow'
  const columns = useColumns({ nameOf, offersOf: offers, act, onExplain: explain, room })

  const isOpen = state === 'open'
  const chosen = work.meant()
  const held = sumMinutes(chosen.filter(row => row.state === 'open'))
  const unit = t(`shell:unit.${formats.unit('absence')}`)
  return (
    <Page
      title={t('title')}
      className="exception-page"
      note={isOpen ? <OpenNote list={list} range={view.filters.range} /> : t('note')}
      actions={<Keys title={t('keys.title')} keys={keys} />}
    >
      <Filters view={view} />
      {deeds.deed && <Done deed={deeds.deed} onUndo={deeds.undo} onClose={() => deeds.setDeed(undefined)} />}
      <Worklist<'exception/grid'>
        work={work}
        acts={acts}
        bulk={{
          label: t('chosen.label'),
          count: [
            t('chosen.count', { count: chosen.length }),
            ...(held > 0 ? [t('chosen.held', { hours: `${formats.duration(held, 'absence')}\u00a0${unit}` })] : []),
          ].join(' · '),
          clear: t('chosen.clear'),
          deeds: (
            <ChosenDeeds
              {...{ chosen, deeds }}
              proposed={offering('fix', chosen)}
              absent={offering('absent', chosen).length}
              onFix={action => askFix(action, chosen)}
              onNote={() => askNote(chosen)}
            />
          ),
        }}
        label={t('title')}
        columns={columns}
        list={list}
        rowKey={keyOf}
        nameOf={nameOf}
        onOpen={explain}
        opened={isDocked ? keyOf(opened.row) : undefined}
        empty={
          <Empty icon={<CircleCheck />} title={t(isOpen ? 'empty.open.title' : 'empty.other.title')}>
            {t(isOpen ? 'empty.open.text' : 'empty.other.text')}
          </Empty>
        }
      />
      {opened && (
        <OpenedDay
          key={isDocked ? keyOf(opened.row) : 'panel'}
          {...{ opened, rows }}
          onOpen={setOpened}
          onNext={made => {
            const { action, punch, version, earlier, text } = made
            if (action === 'update' || earlier || version === undefined) say(text)
            else {
              const { employee } = opened.row
              const done = { added: action === 'add' ? 1 : 0, ignored: action === 'ignore' ? 1 : 0 }
              deeds.setDeed({
                what: 'proposed',
                fixed: { punches: [{ employee, punch, version }], absences: [], ...done },
              })
            }
            const at = rows?.findIndex(row => keyOf(row) === keyOf(opened.row)) ?? -1
            const next = rows?.slice(at + 1).find(row => offers(row).time)
            setOpened(next && { row: next, form: next.proposal?.kind === 'ignore' ? 'ignore' : 'add' })
          }}
        />
      )}
      {away && (
        <Suspense>
          <BehalfPanel
            kinds={['leave']}
            ask={{ date: away.day }}
            people={[{ ...away, id: away.employee }]}
            onClose={() => setAway(undefined)}
          />
        </Suspense>
      )}
      {fixing && (
        <FixQuestion
          fixing={fixing}
          nameOf={nameOf}
          fix={(rows, reason, ...rest) => deeds.fix(rows, { action: fixing.action, reason }, ...rest)}
          onClose={() => setFixing(undefined)}
        />
      )}
      {noteFor && (
        <ReasonQuestion
          title={t('ask.title')}
          yes={t('accept')}
          hint={t('ask.hint')}
          most={500}
          onYes={async note => {
            const exceptions = noteFor.map(row => ({ ...noted(row), note }))
            await deeds.send('accept', exceptions, done => {
              deeds.setDeed({ what: 'accept', exceptions: done })
              // Without an answer for the rest, the question asks about the rest only.
              setNoteFor(noteFor.slice(done.length))
            })
            setNoteFor(undefined)
          }}
          onNo={() => setNoteFor(undefined)}
        />
      )}
      {question}
    </Page>
  )
}

/** The day panel of a row: beside the list if the window has room. Left and Right go to the neighbours of the row. */
function OpenedDay(props: {
  opened: Opened
  rows: readonly Raised[] | undefined
  onOpen: (opened: Opened | undefined) => void
  onNext: ContextType<typeof NextDay>
}) {
  const { opened, rows = [], onOpen, onNext } = props
  const { row, form } = opened
  const step = ({ employee, day }: ListedDay) => {
    const next = rows.find(row => row.employee === employee && row.day === day)
    if (next) onOpen({ row: next })
  }
  return (
    // The texts load when the question first opens; the list stays visible.
    <Suspense>
      <Docking value>
        <NextDay value={onNext}>
          <FirstForm value={form && { action: form, shift: row.shiftName }}>
            <DayPanel
              day={row.day}
              employee={row.employee}
              steps={{ days: rows, onStep: step }}
              onClose={() => onOpen(undefined)}
            />
          </FirstForm>
        </NextDay>
      </Docking>
    </Suspense>
  )
}

function Filters({ view: { filters, set, state, type, manager, list } }: { view: ReturnType<typeof useView> }) {
  const { t } = useTranslation('exception')
  const managers = useRead('exception/manager/all', {}).data?.list ?? []
  return (
    <DayFilters list="exception" filters={filters} rows={list.rows} names={['manager', 'type', 'state']}>
      {(managers.length > 0 || manager !== '') && (
        <SelectField
          label={t('manager.label')}
          value={manager}
          onText={value => set({ manager: value || undefined })}
          options={[
            ['', t('manager.all')],
            ...managers.map(person => [person.employee, `${fullName(person)} · ${person.workno}`] as const),
          ]}
        />
      )}
      <SelectField
        label={t('type.label')}
        value={type ?? ''}
        onText={value => set({ type: value || undefined })}
        options={[['', t('type.all')], ...exceptionTypes.map(name => [name, t(`type.${name}`)] as const)]}
      />
      <SelectField
        label={t('state.label')}
        value={state}
        onText={value => set({ state: value === 'open' ? undefined : value })}
        options={[...states.map(name => [name, t(`state.${name}`)] as const), ['all', t('state.all')]]}
      />
    </DayFilters>
  )
}

/** What the last action did, in words. */
const useDone = () => {
  const { t } = useTranslation('exception')
  const { correctionRule } = usePerson()
  return (deed: Deed) => {
    if (!('fixed' in deed))
      return t(deed.what === 'accept' ? 'accepted' : 'reopened', { count: deed.exceptions.length })
    const { absences, added, ignored } = deed.fixed
    const isProposal = correctionRule === 'agreement'
    return [
      ...(absences.length > 0 ? [t('fix.absent.done', { count: absences.length })] : []),
      ...(added > 0 ? [t(isProposal ? 'fix.add.proposed' : 'fix.add.done', { count: added })] : []),
      ...(ignored > 0 ? [t(isProposal ? 'fix.ignore.proposed' : 'fix.ignore.done', { count: ignored })] : []),
    ].join(' · ')
  }
}

/** Confirms the last action and offers to undo it. */
function Done({ deed, onUndo, onClose }: { deed: Deed; onUndo: () => Promise<void>; onClose: () => void }) {
  const { t } = useTranslation(['exception', 'shell'])
  const say = useDone()
  return (
    <p className="notice exception-done" role="status">
      <CircleCheck className="icon" aria-hidden="true" />
      <span>
        {say(deed)}{' '}
        <button type="button" className="link" onClick={() => void onUndo()}>
          {t('undo')}
        </button>
      </span>
      <Button look="quiet" square aria-label={t('shell:close')} icon={<X className="icon" />} onClick={onClose} />
    </p>
  )
}

/** The actions that the selected rows share. */
function ChosenDeeds(props: {
  chosen: Raised[]
  deeds: ReturnType<typeof useDeeds>
  proposed: Raised[]
  absent: number
  onFix: (action: FixAction) => void
  onNote: () => void
}) {
  const { t } = useTranslation('exception')
  const { chosen, deeds, proposed, absent, onFix, onNote } = props
  const kind = kindOf(proposed)
  const Icon = kind === 'ignore' ? EyeOff : Plus
  return (
    <>
      {proposed.length > 0 && (
        <Button look="primary" icon={<Icon className="icon" aria-hidden="true" />} onClick={() => onFix('proposed')}>
          {t(`fix.${kind}.yes`, { count: proposed.length })}
        </Button>
      )}
      {absent > 0 && (
        <Button icon={<UserX className="icon" aria-hidden="true" />} onClick={() => onFix('absent')}>
          {t('fix.absent.yes', { count: absent })}
        </Button>
      )}
      {chosen.some(row => row.state === 'open') && (
        <Button icon={<CheckCheck className="icon" aria-hidden="true" />} onClick={onNote}>
          {t('menu.review')}
        </Button>
      )}
      {chosen.some(row => row.state === 'accepted') && (
        <Button icon={<RotateCcw className="icon" aria-hidden="true" />} onClick={() => void deeds.reopen(chosen)}>
          {t('reopen')}
        </Button>
      )}
    </>
  )
}

/** The keyboard shortcuts of the list. */
const useKeys = () => {
  const { t } = useTranslation('exception')
  return useMemo(
    () =>
      [
        ['J K ↓ ↑', t('keys.move')],
        [t('keys.enter'), t('keys.explain')],
        [`X ${t('keys.space')}`, t('keys.choose')],
        ['F', t('keys.fix')],
        ['T', t('menu.time')],
        ['I', t('menu.ignore')],
        ['L', t('menu.leave')],
        ['B', t('keys.absent')],
        ['A', t('keys.accept')],
        ['N', t('keys.note')],
        ['R', t('keys.reopen')],
        ['Ctrl ⏎', t('keys.next')],
        ['Z', t('keys.undo')],
        ['Esc', t('keys.close')],
      ] as const,
    [t],
  )
}
