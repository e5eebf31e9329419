import { CircleCheck } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { useMayOpen } from '../../menu.ts'
import { useAddress } from '../../parts/field/address.ts'
import { SelectField } from '../../parts/field/field.tsx'
import type { ColumnOf } from '../../parts/list/grid/column.ts'
import { Grid } from '../../parts/list/grid.tsx'
import { Empty, Trouble } from '../../parts/page.tsx'
import { RequestIcon, RequestStatus, useRequestWords } from '../../parts/request/words.tsx'
import { Link } from '../../parts/shell/router.ts'
import { Splash } from '../../parts/shell/splash.tsx'
import { type RowOf, refresh, useList, useRead } from '../../read.ts'
import { type Decision, DecisionQuestion, Moves } from '../approve/question.tsx'
import { type Balance, BalanceCard, isWorthShowing, leaveYears, OwnForm } from '../leave/panel.tsx'
import { PersonAccount } from './account.tsx'
import type { Got } from './tabs.ts'
import '../approve.css'
import '../leave.css'

const ApprovePanel = lazy(async () => ({ default: (await import('../approve/panel.tsx')).ApprovePanel }))

type Request = RowOf<'approve/grid'>

/** The balances of a year and all requests of a person, with the decisions that the user may make. */
export function PersonLeave({ person }: { person: Got }) {
  return (
    <div className="person-leave">
      <Balances person={person} />
      <PersonAccount person={person} />
      <Requests person={person} />
    </div>
  )
}

function Balances({ person }: { person: Got }) {
  const { t } = useTranslation(['person', 'leave'])
  const formats = useFormats()
  const mayOpen = useMayOpen()
  const { address, set } = useAddress()
  const thisYear = formats.leaveYearOf(formats.today())
  const years = leaveYears(thisYear)
  const year = years.find(each => String(each) === address.get('year')) ?? thisYear
  const { data, error, readAgain } = useRead('leave/balance/get', { employee: person.id, year })
  const [edited, setEdited] = useState<Balance>()
  const shown = data?.balances.filter(isWorthShowing)
  const hasAllowance = data?.balances.some(({ limit }) => limit)
  return (
    <section className="leave-panel" aria-label={t('balances')}>
      <header className="person-tools">
        <h2>{t('balances')}</h2>
        <SelectField
          label={t('leave:year')}
          value={String(year)}
          onText={value => set({ year: value === String(thisYear) ? undefined : value })}
          options={years.map(each => [String(each), formats.leaveYear(each)] as const)}
        />
      </header>
      {!data ? (
        error ? (
          <Trouble error={error} onRetry={() => void readAgain()} />
        ) : (
          <Splash inside />
        )
      ) : (
        <>
          {!hasAllowance && (
            <p className="notice">
              <span>
                {t('noAllowance')} {mayOpen('/system/request') && <Link to="/system/request">{t('setAllowance')}</Link>}
              </span>
            </p>
          )}
          <div className="person-cards">
            {shown?.map(balance => (
              <BalanceCard
                key={balance.leaveType}
                told={data}
                balance={balance}
                onEdit={person.isFormer ? undefined : () => setEdited(balance)}
              />
            ))}
          </div>
        </>
      )}
      {data && edited && (
        <OwnForm
          told={data}
          balance={edited}
          onClose={() => setEdited(undefined)}
          onSaved={async () => {
            await readAgain()
            setEdited(undefined)
          }}
        />
      )}
    </section>
  )
}

function Requests({ person }: { person: Got }) {
  const { t } = useTranslation(['approve', 'person'])
  const words = useRequestWords()
  const list = useList('approve/grid', { employee: person.id }, { size: 100 })
  const [opened, setOpened] = useState<Request>()
  const [question, setQuestion] = useState<{ decision: Decision; requests: readonly Request[] }>()
  const columns = useMemo<ColumnOf<'approve/grid'>[]>(
    () => [
      {
        ...{ key: 'what', title: t('what'), width: 'minmax(160px, 1fr)' },
        cell: row => (
          <span className="asked-what">
            <RequestIcon type={row.type} />
            <button
              type="button"
              className="row-title"
              onClick={event => {
                event.stopPropagation()
                setOpened(row)
              }}
            >
              {words.what(row)}
            </button>
          </span>
        ),
      },
      {
        ...{ key: 'when', title: t('when'), width: 'minmax(168px, 1.4fr)' },
        cell: row => (
          <span className="asked-when">
            <span className="figure">{words.when(row)}</span>
            {row.total && <span className="muted small">{words.days(row.total.days)}</span>}
          </span>
        ),
      },
      {
        ...{ key: 'notes', title: t('notes'), width: 'minmax(120px, 1.2fr)', isExtra: true },
        cell: row => <span className="muted">{row.notes}</span>,
      },
      {
        ...{ key: 'state', title: t('status.label'), width: 'minmax(236px, 1.6fr)' },
        cell: row => (
          <span className="work-state">
            <RequestStatus status={row.status} />
            <Moves
              row={row}
              name={`${words.what(row)}, ${words.when(row)}`}
              onPress={(event, decision) => {
                event.stopPropagation()
                setQuestion({ decision, requests: [row] })
              }}
            />
          </span>
        ),
      },
    ],
    [t, words],
  )
  return (
    <section className="person-requests" aria-label={t('person:requests')}>
      <h2>{t('person:requests')}</h2>
      <Grid
        label={t('person:requests')}
        columns={columns}
        list={list}
        rowKey={({ id }) => id}
        onOpen={setOpened}
        empty={
          <Empty icon={<CircleCheck />} title={t('person:noRequests')}>
            {t('person:noRequestsText')}
          </Empty>
        }
      />
      <Suspense>
        {opened && (
          <ApprovePanel request={{ employee: opened.employee, id: opened.id }} onClose={() => setOpened(undefined)} />
        )}
      </Suspense>
      {question && (
        <DecisionQuestion
          {...question}
          onEnd={isDone => {
            setQuestion(undefined)
            if (isDone) refresh(['approve/', 'leave/'])
          }}
        />
      )}
    </section>
  )
}
