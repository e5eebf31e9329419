import { Copy, Plus, ShieldCheck, UserMinus, UserPlus, UsersRound } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isPermission, roles } from '../../shared/permissions.ts'
import { write } from '../api.ts'
import { useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { CheckTree } from '../parts/field/check-tree.tsx'
import { TextField } from '../parts/field/field.tsx'
import { useForm } from '../parts/field/form.tsx'
import { SearchField, usePageSearch, useSearch } from '../parts/field/search-field.tsx'
import { areAllFunctions, Functions, shownFunctions } from '../parts/functions.tsx'
import { type DepartmentChoice, useDepartments } from '../parts/list/departments.ts'
import { type ColumnOf, Grid } from '../parts/list/grid.tsx'
import { ListEnd } from '../parts/list/list-end.tsx'
import { FormPanel, Panel } from '../parts/list/panel.tsx'
import { Empty, Page, Trouble } from '../parts/page.tsx'
import { useAsked } from '../parts/say/asked.ts'
import { DeleteQuestion } from '../parts/say/delete-question.tsx'
import { say } from '../parts/say/toast.tsx'
import { Avatar } from '../parts/shell/avatar.tsx'
import { Splash } from '../parts/shell/splash.tsx'
import { type List, type RowOf, refresh, useList, useRead } from '../read.ts'
import { fullName, GiveQuestion, type Person, useGive } from './role/give.tsx'
import './role.css'

type Role = RowOf<'role/grid'>
/** What is open: a role to look at or change, a new one (perhaps like another), or the users of one. */
type Open = { role: Role } | { like: Role | undefined } | { usersOf: Role }

export default function RolePage() {
  const { t } = useTranslation(['role', 'shell'])
  const formats = useFormats()
  const search = usePageSearch()
  const { words } = search
  const list = useList('role/grid', words ? { search: words } : {})
  const { all: departments } = useDepartments()
  const [open, setOpen] = useState<Open>()
  useAsked('new', () => setOpen({ like: undefined }))
  const nameOf = useRoleName()
  const columns = useMemo<ColumnOf<'role/grid'>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        width: 'minmax(208px, 1.6fr)',
        cell: role => (
          <span className="two">
            <button type="button" className="row-title" onClick={() => setOpen({ role })}>
              {nameOf(role)}
            </button>
            {role.isSystem && <span className="tag">{t('system')}</span>}
          </span>
        ),
      },
      {
        key: 'functions',
        title: t('functions.title'),
        width: 'minmax(200px, 2.4fr)',
        cell: role => <FunctionNames role={role} />,
      },
      {
        key: 'departments',
        title: t('departments.title'),
        width: 'minmax(144px, 1.2fr)',
        cell: role =>
          role.reach === 'assigned'
            ? t('departments.count', { count: role.departments.length })
            : t(`reach.${role.reach}`),
      },
      {
        key: 'users',
        title: t('users.title'),
        width: '128px',
        cell: role => (
          <button
            type="button"
            className="link users"
            aria-label={t('users.of', { name: nameOf(role), count: role.userCount })}
            onClick={event => {
              event.stopPropagation()
              setOpen({ usersOf: role })
            }}
          >
            <UsersRound className="icon" aria-hidden="true" />
            {formats.number(role.userCount)}
          </button>
        ),
      },
    ],
    [t, formats, nameOf],
  )
  const add = (
    <Button look="primary" icon={<Plus className="icon" />} onClick={() => setOpen({ like: undefined })}>
      {t('add')}
    </Button>
  )
  const close = () => setOpen(undefined)
  const users = open && 'usersOf' in open ? open.usersOf : undefined
  return (
    <Page title={t('title')} note={t('note')} actions={add}>
      <div className="filters">
        <SearchField hint={t('searchHint')} {...search.field} />
      </div>
      <Grid
        label={t('title')}
        columns={columns}
        list={list}
        rowKey={role => role.id}
        onOpen={role => setOpen({ role })}
        empty={
          <Empty icon={<ShieldCheck />} title={t('shell:choice.none')}>
            {t('empty')}
          </Empty>
        }
      />
      {users && <UsersPanel role={users} onClose={close} />}
      {open && 'role' in open && open.role.isSystem && (
        <SystemRolePanel
          role={open.role}
          onLike={() => setOpen({ like: open.role })}
          onUsers={() => setOpen({ usersOf: open.role })}
          onClose={close}
        />
      )}
      {open && departments && 'role' in open && !open.role.isSystem && (
        <RoleForm
          key={open.role.id}
          role={open.role}
          departments={departments}
          onLike={() => setOpen({ like: open.role })}
          onUsers={() => setOpen({ usersOf: open.role })}
          onClose={close}
        />
      )}
      {open && departments && 'like' in open && (
        <RoleForm key="new" like={open.like} departments={departments} onClose={close} />
      )}
    </Page>
  )
}

/** A system role is called in everybody's language, a custom one as it was named. */
const useRoleName = () => {
  const { t } = useTranslation('role')
  return useMemo(
    () => (role: Pick<Role, 'id' | 'name' | 'isSystem'>) =>
      role.isSystem ? t(`systemRole.${role.id as 'personnelmanager'}.name`, { defaultValue: role.name }) : role.name,
    [t],
  )
}

/** What a role permits, in words. */
function FunctionNames({ role }: { role: Role }) {
  const { t } = useTranslation('role')
  const granted = shownFunctions.filter(number => role.permissions.includes(number))
  if (granted.length === 0) return <span className="muted">{t('functions.none')}</span>
  return (
    <>
      {areAllFunctions(granted)
        ? t('functions.all')
        : granted.map(number => t(`function.${number as 1}.name`)).join(', ')}
    </>
  )
}

function SystemRolePanel(props: { role: Role; onLike: () => void; onUsers: () => void; onClose: () => void }) {
  const { t } = useTranslation(['role', 'shell'])
  const formats = useFormats()
  const { role } = props
  const nameOf = useRoleName()
  return (
    <Panel
      title={nameOf(role)}
      wide
      onClose={props.onClose}
      foot={
        <>
          <div className="panel-extra">
            <Button look="quiet" icon={<Copy className="icon" />} onClick={props.onLike}>
              {t('duplicate')}
            </Button>
          </div>
          <Button look="primary" icon={<UsersRound className="icon" />} onClick={props.onUsers}>
            {t('users.show', { number: formats.number(role.userCount) })}
          </Button>
        </>
      }
    >
      <div className="panel-body">
        <p className="notice">{t('systemNotice')}</p>
        <p>{t(`systemRole.${role.id as 'personnelmanager'}.text`, { defaultValue: '' })}</p>
        <section className="role-part">
          <h3>{t('functions.title')}</h3>
          <Functions granted={role.permissions} />
        </section>
        <section className="role-part">
          <h3>{t('departments.title')}</h3>
          <p>{t(`reach.${role.reach}`)}</p>
        </section>
      </div>
    </Panel>
  )
}

const same = (one: readonly (string | number)[], other: readonly (string | number)[]) =>
  one.length === other.length && [...one].sort().join() === [...other].sort().join()

/** More than a role can name. */
const mostDepartments = 1000

function RoleForm(props: {
  role?: Role
  like?: Role | undefined
  departments: readonly DepartmentChoice[]
  onLike?: () => void
  onUsers?: () => void
  onClose: () => void
}) {
  const { t } = useTranslation(['role', 'shell'])
  const formats = useFormats()
  const { role, like, departments, onClose } = props
  const nameOf = useRoleName()
  const source = role ?? like
  const known = useMemo(() => new Set(departments.map(({ id }) => id)), [departments])
  const initial = {
    name: role?.name ?? (like ? t('copyOf', { name: nameOf(like) }) : ''),
    notes: source?.notes ?? '',
    permissions: source?.permissions.filter(isPermission) ?? [],
    // Of a role that counts everywhere a custom one is made that names all there are.
    departments: source?.reach === 'all' ? [...known] : (source?.departments.filter(id => known.has(id)) ?? []),
  }
  const form = useForm(initial, role)
  const { values, set } = form
  const chosen = useMemo(() => new Set(values.departments), [values.departments])
  const search = useSearch()
  const done = () => {
    refresh(['role/', 'employee/'])
    onClose()
  }
  const save = () =>
    form.submit(
      async () => {
        const { name, notes, permissions, departments: named } = values
        const particulars = { name, ...(notes.trim() && { notes }) }
        const items = { permissions, departments: named }
        let { from } = form
        if (!from) await write('role/add', { ...particulars, ...items })
        else {
          const { id } = from
          if (name !== from.name || notes.trim() !== (from.notes ?? '')) {
            await write('role/update', { id, version: from.version, ...particulars })
            // Where the other half is refused, this one is not sent again.
            from = { ...from, ...particulars, version: from.version + 1 }
            form.setFrom(from)
          }
          if (!same(permissions, from.permissions) || !same(named, from.departments))
            await write('role/update/item', { id, version: from.version, ...items })
        }
        say(t('shell:saved'))
        done()
      },
      {
        required: ['name'],
        fieldOf: { 60052: 'name' },
        wrong: { departments: values.departments.length > mostDepartments && 60002 },
      },
    )
  const remove = async () => {
    if (!role) return
    await write('role/delete', { id: role.id })
    say(t('deleted', { name: role.name }))
    done()
  }
  const isFull = areAllFunctions(values.permissions)
  return (
    <FormPanel
      title={role ? role.name : t('add')}
      wide
      form={form}
      save={t('shell:save')}
      onSave={save}
      onClose={onClose}
      extra={
        role && (
          <>
            {role.userCount === 0 && (
              <DeleteQuestion
                title={t('delete.title', { name: role.name })}
                text={t('delete.text')}
                onDelete={remove}
              />
            )}
            {!form.isChanged && (
              <Button look="quiet" icon={<Copy className="icon" />} onClick={props.onLike}>
                {t('duplicate')}
              </Button>
            )}
          </>
        )
      }
    >
      {role && role.userCount > 0 && (
        <p className="notice">
          <UsersRound className="icon" aria-hidden="true" />
          <span>
            {t('used', { count: role.userCount })}{' '}
            {!form.isChanged && (
              <button type="button" className="link" onClick={props.onUsers}>
                {t('users.show', { number: formats.number(role.userCount) })}
              </button>
            )}
          </span>
        </p>
      )}
      <TextField label={t('name')} maxLength={60} placeholder={t('nameHint')} {...form.text('name')} />
      <TextField label={t('notes')} optional maxLength={500} lines={2} {...form.text('notes')} />
      <hr />
      <section className="role-part" aria-label={t('functions.title')}>
        <header>
          <h3>{t('functions.title')}</h3>
          <button
            type="button"
            className="link"
            onClick={() =>
              set({
                permissions: isFull
                  ? values.permissions.filter(number => !shownFunctions.includes(number))
                  : [...new Set([...values.permissions, ...shownFunctions])].sort((one, other) => one - other),
              })
            }
          >
            {t(isFull ? 'clear' : 'chooseAll')}
          </button>
        </header>
        <p className="muted small">{t('functions.text')}</p>
        <Functions
          granted={values.permissions}
          onChange={granted => set({ permissions: granted.filter(isPermission) })}
        />
      </section>
      <hr />
      <section className="role-part" aria-label={t('departments.title')}>
        <header>
          <h3>{t('departments.title')}</h3>
          <span className="muted small" role="status">
            {t('departments.chosen', {
              count: chosen.size,
              chosen: formats.number(chosen.size),
              of: formats.number(departments.length),
            })}
          </span>
          <button
            type="button"
            className="link"
            onClick={() => set({ departments: chosen.size === known.size ? [] : [...known] })}
          >
            {t(chosen.size === known.size ? 'clear' : 'chooseAll')}
          </button>
        </header>
        <p className="muted small">{t('departments.text')}</p>
        <SearchField hint={t('departments.search')} {...search.field} />
        <div className="card">
          <CheckTree
            label={t('departments.title')}
            departments={departments}
            chosen={chosen}
            search={search.field.value}
            onChange={next => set({ departments: [...next] })}
          />
        </div>
        {chosen.size > mostDepartments && (
          <p className="error-line" role="alert">
            {t('departments.tooMany', { most: formats.number(mostDepartments) })}
          </p>
        )}
      </section>
    </FormPanel>
  )
}

function UsersPanel({ role, onClose }: { role: Role; onClose: () => void }) {
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

/** Everybody one could give the role to, with the role they have now. */
function Candidates({ role, onDone }: { role: Role; onDone: () => void }) {
  const { t } = useTranslation(['role', 'shell'])
  const search = useSearch()
  const { words } = search
  const list = useList('employee/grid', words ? { search: words } : {})
  const { data: all } = useRead('role/all', {})
  const nameOf = useRoleName()
  const { busy, give } = useGive(role)
  const [asked, setAsked] = useState<Person>()
  return (
    <>
      {asked && (
        <GiveQuestion
          person={asked}
          role={nameOf(role)}
          onNo={() => setAsked(undefined)}
          onYes={async () => {
            await give('add', asked, t('users.given', { name: fullName(asked), role: nameOf(role) }))
            setAsked(undefined)
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
          const now = all?.list.find(({ id }) => id === person.roleId)
          return now && now.id !== role.id ? t('users.now', { name: nameOf(now) }) : undefined
        }}
        action={person =>
          person.roleId === role.id && person.role === roles.manager ? (
            <span className="tag ok">{t('users.has')}</span>
          ) : (
            <Button
              busy={busy === person.id}
              // Who may do everything already would only lose by it.
              disabled={person.role === roles.administrator}
              icon={<UserPlus className="icon" />}
              onClick={() => setAsked(person)}
            >
              {t('users.give')} <span className="unseen">{fullName(person)}</span>
            </Button>
          )
        }
      />
    </>
  )
}

/** People under each other, with something to do to each; more come as one scrolls. */
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
          <Avatar person={person} />
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
