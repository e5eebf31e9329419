import { Plus, UserCheck, UserPlus, UsersRound } from 'lucide-react'
import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../shared/permissions.ts'
import { useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { useAddress } from '../parts/field/address.ts'
import { SelectField } from '../parts/field/field.tsx'
import { SearchField, usePageSearch } from '../parts/field/search-field.tsx'
import { DepartmentFilter } from '../parts/list/department-filter.tsx'
import { useDepartments } from '../parts/list/departments.ts'
import { Filters } from '../parts/list/filters.tsx'
import type { ColumnOf } from '../parts/list/grid/column.ts'
import { Grid, useSelection } from '../parts/list/grid.tsx'
import { PersonName } from '../parts/list/person-name.tsx'
import { Empty, Page } from '../parts/page.tsx'
import type { FromList } from '../parts/person-link.tsx'
import { readRole, useRoles } from '../parts/roles.ts'
import { useAsked } from '../parts/say/asked.ts'
import { SheetButtons } from '../parts/sheet/sheet-buttons.tsx'
import { Link, usePageNavigate } from '../parts/shell/router.ts'
import { fullName } from '../person-name.ts'
import { useList, useRead } from '../read.ts'
import { usePerson } from '../session.tsx'
import { withoutEmpty } from '../without-empty.ts'
import { EmployeeBulk } from './employee/bulk.tsx'
import type { Employee } from './employee/form.ts'
import { SignInState } from './employee/sign-in-state.tsx'
import './employee.css'

const NewEmployeePanel = lazy(() => import('./employee/panel.tsx'))
const FormerEmployees = lazy(() => import('./employee/former.tsx'))
const CompanyInvitation = lazy(() => import('./employee/invite.tsx'))
const SendQuestion = lazy(() => import('./employee/send.tsx'))
const ManyPanel = lazy(() => import('./employee/many.tsx'))

const states = ['active', 'waiting', 'left'] as const
type State = (typeof states)[number]
/** The filter value for the separate list of deleted employees. */
const deleted = 'deleted'

/** The filters are in the address, so that a link or the back button restores them. */
const useFilters = () => {
  const { address, set } = useAddress()
  const department = address.get('department') ?? ''
  const role = address.get('role') ?? ''
  const state = address.get('state') ?? ''
  return { department, role, state, set }
}

/** The status or role of an employee. A waiting, former or disabled employee shows only the status. */
function RoleTag({ employee, today, name }: { employee: Employee; today: string; name: string }) {
  const { t } = useTranslation('employee')
  if (employee.isWaiting) return <span className="tag warn">{t('tag.waiting')}</span>
  if (employee.endDay && employee.endDay < today) return <span className="tag">{t('tag.left')}</span>
  if (employee.role === roles.none) return <span className="tag">{t('tag.disabled')}</span>
  const look = employee.role === roles.administrator || employee.role === roles.manager ? 'tag info' : 'tag ok'
  return <span className={look}>{name}</span>
}

export default function EmployeePage() {
  const { t } = useTranslation(['employee', 'shell'])
  const formats = useFormats()
  const person = usePerson()
  const isAdministrator = person.role === roles.administrator
  const search = usePageSearch()
  const filters = useFilters()
  const { all, nameOf: departmentName } = useDepartments()
  const roleNames = useRoles()
  const navigate = usePageNavigate()
  const [isAdding, setAdding] = useState(false)
  useAsked('new', () => setAdding(true))
  const [isInviting, setInviting] = useState(false)
  const [isSending, setSending] = useState(false)
  const [isChanging, setChanging] = useState(false)
  const selection = useSelection()
  const isDeleted = filters.state === deleted && isAdministrator

  const state = states.find(name => name === filters.state)
  const gridFilters = {
    ...withoutEmpty({ search: search.words, department: filters.department }),
    ...(filters.role && readRole(filters.role)),
    ...(state && { state }),
  }
  const list = useList('employee/grid', gridFilters, { size: 100, sort: { by: 'name' } })
  const { data: counted } = useRead('employee/count', { filters: gridFilters })
  const count = list.count ?? counted?.count
  // Keeps the rows seen so far, because a selection survives a change of the filters.
  const seenRows = useRef(new Map<string, Employee>())
  for (const row of list.rows ?? []) seenRows.current.set(row.id, row)
  const chosen = [...selection.keys].flatMap(id => seenRows.current.get(id) ?? [])
  const isFiltered = Object.keys(gridFilters).length > 0
  const openPerson = ({ id }: Employee) => {
    const state: FromList = { people: list.rows?.map(row => row.id) }
    navigate(`/employee/${id}`, { state })
  }

  const today = formats.today()
  const columns = useMemo<ColumnOf<'employee/grid'>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        width: 'minmax(180px, 2fr)',
        sort: 'name',
        cell: row => <PersonName person={row} />,
      },
      {
        key: 'workno',
        title: t('workno'),
        width: '128px',
        sort: 'workno',
        cell: row => <span className="figure">{row.workno}</span>,
      },
      {
        key: 'department',
        title: t('department'),
        width: 'minmax(120px, 1.2fr)',
        cell: row => (
          <>
            {departmentName(row.department)}
            {row.departments && row.departments.length > 0 && (
              <span className="muted small others" title={row.departments.map(departmentName).join(', ')}>
                {t('others', { count: row.departments.length })}
              </span>
            )}
          </>
        ),
      },
      {
        key: 'position',
        title: t('position'),
        width: 'minmax(96px, 1fr)',
        isMinor: true,
        cell: row => row.position ?? <span className="muted">{t('shell:none')}</span>,
      },
      {
        key: 'hireDay',
        title: t('hireDay'),
        width: '112px',
        isExtra: true,
        cell: row => <span className="figure">{row.hireDay ? formats.day(row.hireDay) : t('shell:none')}</span>,
      },
      {
        key: 'signIn',
        title: t('signInColumn.label'),
        width: 'minmax(160px, 1fr)',
        isExtra: true,
        cell: row => <SignInState employee={row} today={today} />,
      },
      {
        key: 'role',
        title: t('role.label'),
        width: 'minmax(184px, 1fr)',
        cell: row => (
          <span className="role-cell">
            <RoleTag employee={row} today={today} name={roleNames.nameOf(row)} />
            {row.isWaiting && isAdministrator && (
              <Link
                className="link"
                to={`/employee/${row.id}?tab=details&accept=yes`}
                aria-label={t('waiting.acceptName', { name: fullName(row) })}
                onClick={event => event.stopPropagation()}
              >
                {t('waiting.accept')}
              </Link>
            )}
          </span>
        ),
      },
    ],
    [t, formats, departmentName, roleNames, today, isAdministrator],
  )

  const add = (
    <Button look="primary" icon={<Plus className="icon" />} onClick={() => setAdding(true)}>
      {t('add')}
    </Button>
  )
  return (
    <Page
      title={t('title')}
      note={!isDeleted && count !== undefined && t('count', { count })}
      actions={
        <>
          {person.managesAll && (
            <Button
              className="sheet-button"
              icon={<UserPlus className="icon" aria-hidden="true" />}
              onClick={() => setInviting(true)}
            >
              <span>{t('invite.button')}</span>
            </Button>
          )}
          <SheetButtons noun="employee" filters={gridFilters} />
          {add}
        </>
      }
    >
      {isAdministrator && !isDeleted && (
        <Waiting onShow={() => filters.set({ state: 'waiting' })} isShown={state === 'waiting'} />
      )}
      <Filters
        saved={{ list: 'employee' }}
        lead={<SearchField hint={t('searchHint')} {...search.field} />}
        names={isDeleted ? ['state'] : ['department', 'role', 'state']}
      >
        {!isDeleted && (
          <>
            <DepartmentFilter value={filters.department} onText={department => filters.set({ department })} />
            <SelectField
              label={t('role.label')}
              value={filters.role}
              onText={role => filters.set({ role })}
              options={[['', t('role.all')], ...roleNames.plain]}
              groups={roleNames.groups}
            />
          </>
        )}
        <SelectField
          label={t('state.label')}
          value={filters.state}
          onText={state => filters.set({ state })}
          options={[
            ['', t('state.all')],
            ...states.map((name: State) => [name, t(`state.${name}`)] as const),
            ...(isAdministrator ? [[deleted, t('state.deleted')] as const] : []),
          ]}
        />
      </Filters>
      {isDeleted ? (
        <Suspense>
          <FormerEmployees search={search.words} />
        </Suspense>
      ) : (
        <>
          {selection.size > 0 && (
            <EmployeeBulk
              {...{ list, count, selection }}
              filters={gridFilters}
              onRead={row => seenRows.current.set(row.id, row)}
              onSend={() => setSending(true)}
              onChange={() => setChanging(true)}
            />
          )}
          <Grid
            label={t('title')}
            columns={columns}
            list={list}
            count={count}
            rowKey={row => row.id}
            nameOf={fullName}
            selection={selection}
            onOpen={row => openPerson(row)}
            empty={
              <Empty
                icon={<UsersRound />}
                title={t(isFiltered ? 'shell:choice.none' : 'empty.title')}
                action={!isFiltered && add}
              >
                {t(isFiltered ? 'empty.search' : 'empty.text')}
              </Empty>
            }
          />
        </>
      )}
      {isAdding && all && roleNames.isKnown && (
        <Suspense>
          <NewEmployeePanel departments={all} onClose={() => setAdding(false)} />
        </Suspense>
      )}
      {isInviting && (
        <Suspense>
          <CompanyInvitation onClose={() => setInviting(false)} />
        </Suspense>
      )}
      {isChanging && all && roleNames.isKnown && (
        <Suspense>
          <ManyPanel
            people={chosen}
            departments={all}
            onClose={isDone => {
              setChanging(false)
              if (isDone) selection.clear()
            }}
          />
        </Suspense>
      )}
      {isSending && (
        <Suspense>
          <SendQuestion
            people={chosen}
            onClose={isSent => {
              setSending(false)
              if (isSent) selection.clear()
            }}
          />
        </Suspense>
      )}
    </Page>
  )
}

/** Announces employees who have joined, until each of them has a role. */
function Waiting({ onShow, isShown }: { onShow: () => void; isShown: boolean }) {
  const { t } = useTranslation('employee')
  const { data } = useRead('employee/grid', { filters: { state: 'waiting' }, size: 50 })
  const waiting = data?.list.filter(({ isWaiting }) => isWaiting) ?? []
  const [first] = waiting
  if (!first || isShown) return null
  return (
    <div className="notice warn waiting-notice">
      <UserCheck className="icon" aria-hidden="true" />
      <p>
        {waiting.length === 1
          ? t('waiting.one', { name: fullName(first) })
          : t('waiting.more', { name: fullName(first), count: waiting.length - 1 })}
      </p>
      <button type="button" className="link" onClick={onShow}>
        {t('waiting.show')}
      </button>
    </div>
  )
}
