import { Copy, UsersRound } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { isPermission } from '../../../shared/permissions.ts'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { CheckTree } from '../../parts/field/check-tree.tsx'
import { TextField } from '../../parts/field/field.tsx'
import { useForm } from '../../parts/field/form.tsx'
import { SearchField, useSearch } from '../../parts/field/search-field.tsx'
import { areAllFunctions, Functions, shownFunctions } from '../../parts/functions.tsx'
import type { DepartmentChoice } from '../../parts/list/departments.ts'
import { FormPanel, Panel } from '../../parts/list/panel.tsx'
import { DeleteQuestion } from '../../parts/say/delete-question.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh } from '../../read.ts'
import { type Role, useRoleName } from './name.ts'

/** The names of the functions that a role permits. */
export function FunctionNames({ role }: { role: Role }) {
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

const hasSameItems = (first: readonly (string | number)[], second: readonly (string | number)[]) =>
  first.length === second.length && [...first].sort().join() === [...second].sort().join()

/** The most departments of a role. */
const mostDepartments = 1000

export function RoleForm(props: {
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
  const departmentIds = useMemo(() => new Set(departments.map(({ id }) => id)), [departments])
  const initial = {
    name: role?.name ?? (like ? t('copyOf', { name: nameOf(like) }) : ''),
    notes: source?.notes ?? '',
    permissions: source?.permissions.filter(isPermission) ?? [],
    // A copy of a role for all departments lists every current department.
    departments:
      source?.reach === 'all' ? [...departmentIds] : (source?.departments.filter(id => departmentIds.has(id)) ?? []),
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
        const { name, notes, permissions, departments: roleDepartments } = values
        const particulars = { name, ...(notes.trim() && { notes }) }
        const items = { permissions, departments: roleDepartments }
        let { from } = form
        if (!from) await write('role/add', { ...particulars, ...items })
        else {
          const { id } = from
          if (name !== from.name || notes.trim() !== (from.notes ?? '')) {
            await write('role/update', { id, version: from.version, ...particulars })
            // The first call has succeeded, so a retry after an error must not repeat it.
            from = { ...from, ...particulars, version: from.version + 1 }
            form.setFrom(from)
          }
          if (!hasSameItems(permissions, from.permissions) || !hasSameItems(roleDepartments, from.departments))
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
                  : [...new Set([...values.permissions, ...shownFunctions])].sort((first, second) => first - second),
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
            onClick={() => set({ departments: chosen.size === departmentIds.size ? [] : [...departmentIds] })}
          >
            {t(chosen.size === departmentIds.size ? 'clear' : 'chooseAll')}
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

export function SystemRolePanel(props: { role: Role; onLike: () => void; onUsers: () => void; onClose: () => void }) {
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
