import { CircleCheck, Plus, RotateCcw, X } from 'lucide-react'
import { lazy, type MouseEvent, Suspense, useCallback, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { useMayCorrect } from '../parts/day/correct.tsx'
import { SelectField } from '../parts/field/field.tsx'
import { DayFilters, useDayFilters } from '../parts/list/day-filters.tsx'
import { useWorklist, Worklist } from '../parts/list/worklist.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { useMayEnter } from '../parts/request/may-enter.ts'
import { Keys } from '../parts/shell/keys.tsx'
import { fullName } from '../person-name.ts'
import { useList } from '../read.ts'
import { usePerson } from '../session.tsx'
import { AddQuestion } from './exception/add-question.tsx'
import { useColumns } from './exception/columns.tsx'
import { useDeeds } from './exception/deeds.ts'
import { NoteQuestion } from './exception/note-question.tsx'
import { type Deed, keyOf, type Move, missingPunch, noted, type Raised, states, types } from './exception/words.ts'
import './exception.css'

const DayPanel = lazy(async () => ({ default: (await import('../parts/day/explain.tsx')).DayPanel }))

const BehalfPanel = lazy(async () => ({ default: (await import('../parts/request/behalf.tsx')).BehalfPanel }))

/** The filters are in the address, so that a link opens the same list. */
const useView = () => {
  const filters = useDayFilters('1m')
  const { search, set } = filters.range
  const state = [...states, 'all' as const].find(name => name === search.get('state')) ?? 'open'
  const type = types.find(name => name === search.get('type'))
  const list = useList(
    'exception/grid',
    { ...filters.filters, ...(type && { type }), ...(state !== 'all' && { state }) },
    { size: 100 },
  )
  return { filters, set, state, type, list }
}

export default function ExceptionPage() {
  const { t } = useTranslation(['exception', 'shell'])
  const formats = useFormats()
  const keys = useKeys()
  const view = useView()
  const { list, state } = view
  const { rows } = list
  const [explained, setExplained] = useState<Raised>()
  const [noteFor, setNoteFor] = useState<Raised[]>()
  const [lacking, setLacking] = useState<Raised[]>()
  const [away, setAway] = useState<Raised>()
  const mayCorrect = useMayCorrect()
  const mayEnter = useMayEnter()
  const work = useWorklist({
    ...{ rows, rowKey: keyOf, opened: explained && keyOf(explained) },
    isAsking: noteFor !== undefined || lacking !== undefined || away !== undefined,
  })
  const deeds = useDeeds(() => work.selection.clear())
  const askNote = (list: Raised[]) => {
    const open = list.filter(row => row.state === 'open')
    if (open.length > 0) setNoteFor(open)
  }
  const fixable = (list: Raised[]) => list.filter(row => mayCorrect(row.employee) && missingPunch(row))
  const askPunches = (list: Raised[]) => {
    const rows = fixable(list)
    if (rows.length > 0) setLacking(rows)
  }
  const canBeAway = ({ employee, state, isLocked }: Raised) => state === 'open' && !isLocked && mayEnter(employee)
  const acts = {
    f: (row?: Raised) => askPunches(work.meant(row)),
    a: (row?: Raised) => void deeds.accept(work.meant(row)),
    l: (row?: Raised) => setAway(work.meant(row).find(canBeAway)),
    n: (row?: Raised) => askNote(work.meant(row)),
    r: (row?: Raised) => void deeds.reopen(work.meant(row)),
    z: () => void deeds.undo(),
  }
  const nameOf = useCallback(
    (row: Raised) => `${fullName(row)}, ${formats.day(row.day)}, ${t(`type.${row.type}`)}`,
    [formats, t],
  )
  /** The rows' buttons use this reference, so that the columns do not change with every render. */
  const performing = useRef(deeds.perform)
  performing.current = deeds.perform
  const act = useCallback((event: MouseEvent, what: Move | 'add' | 'leave', row: Raised) => {
    // Otherwise the click also opens the row.
    event.stopPropagation()
    if (what === 'add') setLacking([row])
    else if (what === 'leave') setAway(row)
    else void performing.current(what, [noted(row)])
  }, [])
  const columns = useColumns(nameOf, act, setExplained)

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
      <Filters view={view} />
      {deeds.deed && <Done deed={deeds.deed} onUndo={deeds.undo} onClose={() => deeds.setDeed(undefined)} />}
      <Worklist<'exception/grid'>
        work={work}
        acts={acts}
        bulk={{
          label: t('chosen.label'),
          count: t('chosen.count', { count: chosen.length }),
          clear: t('chosen.clear'),
          deeds: (
            <ChosenDeeds
              {...{ chosen, deeds }}
              missing={fixable(chosen).length}
              onAdd={() => askPunches(chosen)}
              onNote={() => askNote(chosen)}
            />
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
        // The texts load when the question first opens; the list stays visible.
        <Suspense>
          <DayPanel day={explained.day} employee={explained.employee} onClose={() => setExplained(undefined)} />
        </Suspense>
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
      {lacking && (
        <AddQuestion
          count={lacking.length}
          onYes={async reason => {
            await deeds.add(lacking, reason, setLacking)
            setLacking(undefined)
          }}
          onNo={() => setLacking(undefined)}
        />
      )}
      {noteFor && (
        <NoteQuestion
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
    </Page>
  )
}

function Filters({ view: { filters, set, state, type, list } }: { view: ReturnType<typeof useView> }) {
  const { t } = useTranslation('exception')
  return (
    <DayFilters filters={filters} rows={list.rows}>
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
  )
}

/** Confirms the last action and offers to undo it. */
function Done({ deed, onUndo, onClose }: { deed: Deed; onUndo: () => Promise<void>; onClose: () => void }) {
  const { t } = useTranslation(['exception', 'shell'])
  const { correctionRule } = usePerson()
  return (
    <p className="notice exception-done" role="status">
      <CircleCheck className="icon" aria-hidden="true" />
      <span>
        {deed.what === 'add'
          ? t(correctionRule === 'agreement' ? 'add.proposed' : 'add.done', { count: deed.punches.length })
          : t(deed.what === 'accept' ? 'accepted' : 'reopened', { count: deed.exceptions.length })}{' '}
        <button type="button" className="link" onClick={() => void onUndo()}>
          {t('undo')}
        </button>
      </span>
      <Button look="quiet" square aria-label={t('shell:close')} icon={<X className="icon" />} onClick={onClose} />
    </p>
  )
}

function ChosenDeeds(props: {
  chosen: Raised[]
  deeds: ReturnType<typeof useDeeds>
  /** The number of selected rows with a missing punch that can be added. */
  missing: number
  onAdd: () => void
  onNote: () => void
}) {
  const { t } = useTranslation('exception')
  const { chosen, deeds, missing, onAdd, onNote } = props
  return (
    <>
      {missing > 0 && (
        <Button look="primary" icon={<Plus className="icon" aria-hidden="true" />} onClick={onAdd}>
          {t('add.yes', { count: missing })}
        </Button>
      )}
      {chosen.some(row => row.state === 'open') && (
        <>
          <Button icon={<CircleCheck className="icon" aria-hidden="true" />} onClick={() => void deeds.accept(chosen)}>
            {t('accept')}
          </Button>
          <Button onClick={onNote}>{t('acceptWithNote')}</Button>
        </>
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
        ['↓ ↑', t('keys.move')],
        [t('keys.enter'), t('keys.explain')],
        [t('keys.space'), t('keys.choose')],
        ['F', t('keys.fix')],
        ['A', t('keys.accept')],
        ['L', t('leave.one')],
        ['N', t('keys.note')],
        ['R', t('keys.reopen')],
        ['Z', t('keys.undo')],
      ] as const,
    [t],
  )
}
