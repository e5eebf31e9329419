import { CalendarClock, CircleCheck, Inbox, Plus } from 'lucide-react'
import { lazy, type MouseEvent, Suspense, useCallback, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { useAddress } from '../parts/field/address.ts'
import { SelectField } from '../parts/field/field.tsx'
import { SearchField, usePageSearch } from '../parts/field/search-field.tsx'
import { DepartmentFilter } from '../parts/list/department-filter.tsx'
import { Filters } from '../parts/list/filters.tsx'
import type { ColumnOf } from '../parts/list/grid/column.ts'
import { PersonName } from '../parts/list/person-name.tsx'
import { useWorklist, Worklist } from '../parts/list/worklist.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { HasAttachments } from '../parts/request/details.tsx'
import { RequestIcon, RequestStatus, useRequestWords } from '../parts/request/words.tsx'
import { Keys } from '../parts/shell/keys.tsx'
import { fullName } from '../person-name.ts'
import { type RowOf, refresh, useList, useRead } from '../read.ts'
import { withoutEmpty } from '../without-empty.ts'
import { type Decision, DecisionQuestion, decisions, Moves, mayBe } from './approve/question.tsx'
import './approve.css'

const ApprovePanel = lazy(async () => ({ default: (await import('./approve/panel.tsx')).ApprovePanel }))
const DelegatePanel = lazy(async () => ({ default: (await import('./approve/delegate.tsx')).DelegatePanel }))

const BehalfPanel = lazy(async () => ({ default: (await import('../parts/request/behalf.tsx')).BehalfPanel }))

export type ApprovalRequest = RowOf<'approve/grid'>

const states = [0, 1, 2, 3] as const
const types = [1, 2, 3] as const
const dayChoices = ['coming', 'begun'] as const
/** The server counts at most this many pending requests. */
const mostCounted = 100
const decisionOfKey = { a: 'approve', d: 'decline', c: 'cancel' } as const

const keyOf = ({ employee, id }: Pick<ApprovalRequest, 'employee' | 'id'>) => `${employee} ${id}`

export default function ApprovePage() {
  const { t } = useTranslation(['approve', 'shell', 'leave'])
  const formats = useFormats()
  const words = useRequestWords()
  const keys = useKeys()
  const { address: search, set } = useAddress()
  const textSearch = usePageSearch()
  const status = states.find(state => String(state) === (search.get('status') ?? '0'))
  const type = types.find(id => String(id) === search.get('type'))
  const department = search.get('department') ?? ''
  const days = dayChoices.find(choice => choice === search.get('days'))
  const today = formats.today()
  const list = useList(
    'approve/grid',
    {
      ...withoutEmpty({ department, search: textSearch.words }),
      ...(days === 'coming' && { from: today }),
      ...(days === 'begun' && { to: today }),
      ...(status !== undefined && { status }),
      ...(type !== undefined && { type }),
    },
    { size: 100 },
  )
  const { rows } = list
  const pendingCount = useRead('approve/count', {}).data?.count ?? 0
  const opened = search.get('id') ?? undefined
  const open = useCallback(
    (row: Pick<ApprovalRequest, 'employee' | 'id'> | undefined) => set({ id: row?.id, employee: row?.employee }),
    [set],
  )
  const shown = opened ? { employee: search.get('employee') ?? '', id: opened } : undefined
  const [question, setQuestion] = useState<{ decision: Decision; requests: readonly ApprovalRequest[] }>()
  const [isAway, setAway] = useState(false)
  const [isAdding, setAdding] = useState(false)
  const work = useWorklist({ rows, rowKey: keyOf, opened: shown && keyOf(shown), isAsking: question !== undefined })
  const ask = (decision: Decision, requests: readonly ApprovalRequest[]) => {
    const allowed = requests.filter(request => mayBe(request, decision))
    if (allowed.length > 0) setQuestion({ decision, requests: allowed })
  }

  const acts = Object.fromEntries(
    Object.entries(decisionOfKey).map(([key, decision]) => [
      key,
      (row?: ApprovalRequest) => ask(decision, work.meant(row)),
    ]),
  )

  const nameOf = useCallback(
    (row: ApprovalRequest) => `${fullName(row)}, ${words.what(row)}, ${words.when(row)}`,
    [words],
  )
  /** The current `ask` for the row buttons. The columns stay the same between renders. */
  const latestAsk = useRef(ask)
  latestAsk.current = ask
  const press = useCallback((event: MouseEvent, decision: Decision, row: ApprovalRequest) => {
    // Otherwise the click would open the row as well.
    event.stopPropagation()
    latestAsk.current(decision, [row])
  }, [])
  const columns = useMemo<ColumnOf<'approve/grid'>[]>(
    () => [
      {
        key: 'name',
        title: t('employee'),
        width: 'minmax(216px, 1.4fr)',
        cell: row => <PersonName person={row} hasNumber onPress={() => open(row)} />,
      },
      {
        key: 'what',
        title: t('what'),
        width: 'minmax(148px, 1fr)',
        cell: row => (
          <span className="asked-what">
            <RequestIcon type={row.type} />
            <strong>{words.what(row)}</strong>
          </span>
        ),
      },
      {
        key: 'when',
        title: t('when'),
        width: 'minmax(168px, 1.4fr)',
        cell: row => (
          <span className="asked-when">
            <span className="figure">{words.when(row)}</span>
            {row.total && <span className="muted small">{words.days(row.total.days)}</span>}
          </span>
        ),
      },
      {
        key: 'notes',
        title: t('notes'),
        width: 'minmax(120px, 1.2fr)',
        isExtra: true,
        cell: row => (
          <span className="asked-notes">
            <span className="muted" title={row.notes}>
              {row.notes}
            </span>
            <HasAttachments count={row.attachmentCount} />
          </span>
        ),
      },
      {
        key: 'state',
        title: t('status.label'),
        width: 'minmax(236px, 1.8fr)',
        cell: row => <State row={row} name={nameOf(row)} onPress={press} />,
      },
    ],
    [t, words, nameOf, open, press],
  )

  const isPending = status === 0
  const chosen = work.meant()
  return (
    <Page
      title={t('title')}
      className="approve-page"
      note={
        pendingCount >= mostCounted
          ? t('countMany', { count: mostCounted })
          : pendingCount > 0
            ? t('count', { count: pendingCount })
            : t('note')
      }
      actions={
        <>
          <Keys title={t('keys.title')} keys={keys} />
          <Button icon={<CalendarClock className="icon" aria-hidden="true" />} onClick={() => setAway(true)}>
            {t('delegate.button')}
          </Button>
          <Button look="primary" icon={<Plus className="icon" aria-hidden="true" />} onClick={() => setAdding(true)}>
            {t('add')}
          </Button>
        </>
      }
    >
      <Filters
        saved={{ list: 'approve' }}
        lead={<SearchField hint={t('searchHint')} {...textSearch.field} />}
        names={['status', 'type', 'department', 'days']}
      >
        <SelectField
          label={t('status.label')}
          value={status === undefined ? 'all' : String(status)}
          onText={value => set({ status: value === '0' ? undefined : value })}
          options={[...states.map(state => [String(state), t(`status.${state}`)] as const), ['all', t('status.all')]]}
        />
        <SelectField
          label={t('type.label')}
          value={String(type ?? '')}
          onText={value => set({ type: value })}
          options={[['', t('type.all')], ...types.map(id => [String(id), t(`type.${id}`)] as const)]}
        />
        <DepartmentFilter value={department} onText={value => set({ department: value })} />
        <SelectField
          label={t('days.label')}
          value={days ?? ''}
          onText={value => set({ days: value })}
          options={[['', t('days.all')], ...dayChoices.map(choice => [choice, t(`days.${choice}`)] as const)]}
        />
      </Filters>
      <ActiveDelegations />
      <Worklist<'approve/grid'>
        work={work}
        acts={acts}
        bulk={{
          label: t('chosen.label'),
          count: t('chosen.count', { count: chosen.length }),
          clear: t('chosen.clear'),
          deeds: decisions
            .filter(decision => chosen.some(request => mayBe(request, decision)))
            .map(decision => (
              <Button key={decision} onClick={() => ask(decision, chosen)}>
                {t(decision)}
              </Button>
            )),
        }}
        label={t('title')}
        columns={columns}
        list={list}
        rowKey={keyOf}
        nameOf={nameOf}
        onOpen={open}
        empty={
          <Empty
            icon={isPending ? <CircleCheck /> : <Inbox />}
            title={t(isPending ? 'empty.pending.title' : 'empty.other.title')}
          >
            {t(isPending ? 'empty.pending.text' : 'empty.other.text')}
          </Empty>
        }
      />
      {/* The code of a panel loads when it first opens. The list stays visible meanwhile. */}
      <Suspense>
        {shown && <ApprovePanel request={shown} onClose={() => open(undefined)} />}
        {isAway && <DelegatePanel onClose={() => setAway(false)} />}
        {isAdding && <BehalfPanel onClose={() => setAdding(false)} />}
      </Suspense>
      {question && (
        <DecisionQuestion
          {...question}
          onEnd={isDone => {
            setQuestion(undefined)
            if (!isDone) return
            work.selection.clear()
            refresh(['approve/'])
          }}
        />
      )}
    </Page>
  )
}

/** The delegations that are active today. */
function ActiveDelegations() {
  const { t } = useTranslation('approve')
  const formats = useFormats()
  const { data } = useRead('approve/delegate/get', {})
  if (!data) return null
  const isToday = ({ from, to }: { from: string; to: string }) => from <= data.today && data.today <= to
  const days = ({ from, to }: { from: string; to: string }) => ({ from: formats.day(from), to: formats.day(to) })
  const { own, list } = data
  return (
    <>
      {own && isToday(own) && (
        <p className="notice">
          <CalendarClock className="icon" aria-hidden="true" />
          <span>{t('delegate.own', { name: own.name, ...days(own) })}</span>
        </p>
      )}
      {list.filter(isToday).map(delegation => (
        <p key={delegation.employee} className="notice">
          <CalendarClock className="icon" aria-hidden="true" />
          <span>{t('delegate.standIn', { name: delegation.name, ...days(delegation) })}</span>
        </p>
      ))}
    </>
  )
}

function State(props: {
  row: ApprovalRequest
  name: string
  onPress: (event: MouseEvent, decision: Decision, row: ApprovalRequest) => void
}) {
  const { t } = useTranslation('approve')
  const { row, name, onPress } = props
  const isHalf = row.status === 0 && row.steps.some(({ status }) => status === 1)
  const reason = row.status === 2 || row.status === 3 ? row.steps.at(-1)?.reason : undefined
  const refused = ([60061, 60082, 60083] as const).find(code => code === row.refused)
  return (
    <span className="work-state">
      {isHalf ? <span className="tag warn">{t('state.half')}</span> : <RequestStatus status={row.status} />}
      {refused ? (
        <span className="muted small">{t(`refused.${refused}`)}</span>
      ) : (
        reason && (
          <span className="muted small" title={reason}>
            {reason}
          </span>
        )
      )}
      <Moves row={row} name={name} onPress={onPress} />
    </span>
  )
}

/** The keyboard shortcuts of the list. */
const useKeys = () => {
  const { t } = useTranslation('approve')
  return useMemo(
    () =>
      [
        ['↓ ↑', t('keys.move')],
        [t('keys.enter'), t('keys.open')],
        [t('keys.space'), t('keys.choose')],
        ['A', t('keys.approve')],
        ['D', t('keys.decline')],
        ['C', t('keys.cancel')],
      ] as const,
    [t],
  )
}
