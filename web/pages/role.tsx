import { Plus, ShieldCheck, UsersRound } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { SearchField, usePageSearch } from '../parts/field/search-field.tsx'
import { useDepartments } from '../parts/list/departments.ts'
import type { ColumnOf } from '../parts/list/grid/column.ts'
import { Grid } from '../parts/list/grid.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { useAsked } from '../parts/say/asked.ts'
import { useList } from '../read.ts'
import { FunctionNames, RoleForm, SystemRolePanel } from './role/form.tsx'
import { type Role, useRoleName } from './role/name.ts'
import { UsersPanel } from './role/users.tsx'
import './role.css'

/** The open panel: an existing role, a new role with an optional template, or the users of a role. */
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
      {
        key: 'createdAt',
        title: t('createdAt'),
        width: '160px',
        cell: role => role.createdAt && formats.dayAndTime(role.createdAt),
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
