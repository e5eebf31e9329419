import { UserMinus, UserPlus, UsersRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../../shared/permissions.ts'
import { Button } from '../../parts/button.tsx'
import { SearchField, useSearch } from '../../parts/field/search-field.tsx'
import { useDepartments } from '../../parts/list/departments.ts'
import { ListEnd } from '../../parts/list/list-end.tsx'
import { Panel } from '../../parts/list/panel.tsx'
import { PersonAvatar } from '../../parts/list/person-avatar.tsx'
import { Empty, Trouble } from '../../parts/page.tsx'
import { Splash } from '../../parts/shell/splash.tsx'
import { fullName } from '../../person-name.ts'
import { type List, useList, useRead } from '../../read.ts'
import { GiveQuestion, type Person, useGive } from './give.tsx'
import { type Role, useRoleName } from './name.ts'

export function UsersPanel({ role, onClose }: { role: Role; onClose: () => void }) {
  const { t } = useTranslation(['role', 'shell'])
  const nameOf = useRoleName()
  const [isAdding, setAdding] = useState(false)
  return (
    <Panel title={t('users.panel', { name: nameOf(role) })} onClose={onClose}>
      {isAdding ? (
        <Candidates role={role} onDone={() => setAdding(false)} />
      ) : (
        <Users role={role} onAdd={() => setAdding(true)} />
      )}
    </Panel>
  )
}

function Users({ role, onAdd }: { role: Role; onAdd: () => void }) {
  const { t } = useTranslation(['role', 'shell'])
  const search = useSearch()
  const { words } = search
  const list = useList('role/get/user', { role: role.id, ...(words && { search: words }) })
  const { busy, give } = useGive(role)
  const add = (
    <Button look="primary" icon={<UserPlus className="icon" />} onClick={onAdd}>
      {t('users.add')}
    </Button>
  )
  return (
    <>
      <div className="people-head">
        <SearchField hint={t('users.search')} {...search.field} />
        {add}
      </div>
      <People
        list={list}
        empty={
          <Empty icon={<UsersRound />} title={t(words ? 'shell:choice.none' : 'users.empty.title')}>
            {t(words ? 'users.empty.search' : 'users.empty.text')}
          </Empty>
        }
        note={({ email }) => email}
        action={person => (
          <Button
            look="quiet"
            busy={busy === person.id}
            icon={<UserMinus className="icon" />}
            onClick={() => give('remove', person, t('users.removed', { name: fullName(person) }))}
          >
            {t('users.remove')} <span className="unseen">{fullName(person)}</span>
          </Button>
        )}
      />
    </>
  )
}

/** The employees who can get the role, with their current roles. */
function Candidates({ role, onDone }: { role: Role; onDone: () => void }) {
  const { t } = useTranslation(['role', 'shell'])
  const search = useSearch()
  const { words } = search
  const list = useList('employee/grid', words ? { search: words } : {})
  const { data: allRoles } = useRead('role/all', {})
  const nameOf = useRoleName()
  const { busy, give } = useGive(role)
  const [candidate, setCandidate] = useState<Person>()
  return (
    <>
      {candidate && (
        <GiveQuestion
          person={candidate}
          role={nameOf(role)}
          onNo={() => setCandidate(undefined)}
          onYes={async () => {
            await give('add', candidate, t('users.given', { name: fullName(candidate), role: nameOf(role) }))
            setCandidate(undefined)
          }}
        />
      )}
      <div className="people-head">
        <SearchField hint={t('users.search')} {...search.field} />
        <Button onClick={onDone}>{t('users.done')}</Button>
      </div>
      <p className="people-note muted small">{t('users.text')}</p>
      <People
        list={list}
        empty={
          <Empty icon={<UsersRound />} title={t('shell:choice.none')}>
            {t('users.empty.search')}
          </Empty>
        }
        note={person => {
          if (person.role === roles.administrator) return t('users.administrator')
          const currentRole = allRoles?.list.find(({ id }) => id === person.roleId)
          return currentRole && currentRole.id !== role.id ? t('users.now', { name: nameOf(currentRole) }) : undefined
        }}
        action={person =>
          person.roleId === role.id && person.role === roles.manager ? (
            <span className="tag ok">{t('users.has')}</span>
          ) : (
            <Button
              busy={busy === person.id}
              // An administrator would only lose permissions.
              disabled={person.role === roles.administrator}
              icon={<UserPlus className="icon" />}
              onClick={() => setCandidate(person)}
            >
              {t('users.give')} <span className="unseen">{fullName(person)}</span>
            </Button>
          )
        }
      />
    </>
  )
}

/** A list of people with an action for each. Scrolling loads more. */
function People<P extends Person>(props: {
  list: Omit<List<P>, 'sort' | 'sortBy'>
  empty: ReactNode
  note: (person: P) => string | undefined
  action: (person: P) => ReactNode
}) {
  const { list } = props
  const { t } = useTranslation(['role', 'shell'])
  const { nameOf } = useDepartments()
  if (list.error && !list.rows) return <Trouble error={list.error} onRetry={list.readAgain} />
  if (!list.rows) return <Splash inside />
  if (list.rows.length === 0) return props.empty
  return (
    <ul className="people" aria-label={t('users.title')}>
      {list.rows.map(person => (
        <li key={person.id}>
          <PersonAvatar id={person.id} person={person} />
          <span className="who">
            <strong>{fullName(person)}</strong>
            <span className="muted small">
              <span className="figure">{person.workno}</span> · {nameOf(person.department)}
            </span>
            {props.note(person) && <span className="muted small">{props.note(person)}</span>}
          </span>
          {props.action(person)}
        </li>
      ))}
      <ListEnd list={list} />
    </ul>
  )
}
