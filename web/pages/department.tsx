import { Network, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../shared/permissions.ts'
import { write } from '../api.ts'
import { useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { DeleteQuestion } from '../parts/delete-question.tsx'
import { type DepartmentChoice, firstDepartment, useDepartments } from '../parts/departments.ts'
import { SelectField, TextField } from '../parts/field.tsx'
import { useForm } from '../parts/form.tsx'
import { type ColumnOf, Grid } from '../parts/grid.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { FormPanel } from '../parts/panel.tsx'
import { SearchField, useSearch } from '../parts/search-field.tsx'
import { say } from '../parts/toast.tsx'
import { type RowOf, refresh, useList } from '../read.ts'
import { usePerson } from '../session.tsx'
import { withoutEmpty } from '../without-empty.ts'

type Department = RowOf<'department/grid'>

export default function DepartmentPage() {
  const { t } = useTranslation(['department', 'shell'])
  const formats = useFormats()
  const search = useSearch()
  const [open, setOpen] = useState<Department | 'new'>()
  const { words } = search
  const list = useList('department/grid', words ? { search: words } : {})
  const { all, nameOf } = useDepartments()
  const columns = useMemo<ColumnOf<'department/grid'>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        width: 'minmax(200px, 2fr)',
        cell: row => (
          <span className="two">
            <button type="button" className="row-title" onClick={() => setOpen(row)}>
              {row.name}
            </button>
            {row.isDefault && <span className="tag">{t('default')}</span>}
          </span>
        ),
      },
      { key: 'parent', title: t('parent'), width: 'minmax(140px, 1.2fr)', cell: row => nameOf(row.parent) },
      {
        key: 'tel',
        title: t('tel'),
        width: 'minmax(120px, 1fr)',
        isMinor: true,
        cell: row => row.tel ?? t('shell:none'),
      },
      {
        key: 'employees',
        title: t('employees'),
        width: '104px',
        isNumber: true,
        cell: row => formats.number(row.employeeCount),
      },
      {
        key: 'devices',
        title: t('devices'),
        width: '104px',
        isNumber: true,
        cell: row => formats.number(row.deviceCount),
      },
    ],
    [t, formats, nameOf],
  )

  const add = (
    <Button look="primary" icon={<Plus className="icon" />} onClick={() => setOpen('new')}>
      {t('add')}
    </Button>
  )
  return (
    <Page title={t('title')} note={list.count !== undefined && t('count', { count: list.count })} actions={add}>
      <div className="filters">
        <SearchField hint={t('searchHint')} {...search.field} />
      </div>
      <Grid
        label={t('title')}
        columns={columns}
        list={list}
        rowKey={row => row.id}
        onOpen={setOpen}
        empty={
          <Empty icon={<Network />} title={t(words ? 'shell:choice.none' : 'empty.title')} action={!words && add}>
            {t(words ? 'empty.search' : 'empty.text')}
          </Empty>
        }
      />
      {open && all && (
        <DepartmentForm
          department={open === 'new' ? undefined : open}
          departments={all}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Page>
  )
}

function DepartmentForm(props: {
  department: Department | undefined
  departments: readonly DepartmentChoice[]
  onClose: () => void
}) {
  const { t } = useTranslation(['department', 'shell'])
  const person = usePerson()
  const { department, onClose } = props
  // Who manages some departments can put a new one only under one of them.
  const isOnlyBelow = !department && person.role === roles.manager
  const form = useForm({
    name: department?.name ?? '',
    parent: department?.parent ?? (isOnlyBelow ? firstDepartment(props.departments) : ''),
    tel: department?.tel ?? '',
    address: department?.address ?? '',
    country: department?.country ?? '',
    state: department?.state ?? '',
  })
  const done = () => {
    refresh(['department/'])
    onClose()
  }
  const save = () =>
    form.submit(
      async () => {
        const values = { ...withoutEmpty(form.values), name: form.values.name }
        if (department) {
          await write('department/update', { id: department.id, version: department.version, ...values })
        } else await write('department/add', values)
        say(t('shell:saved'))
        done()
      },
      { required: ['name'], fieldOf: { 59002: 'name' } },
    )
  const remove = async () => {
    if (!department) return
    await write('department/delete', { id: department.id })
    say(t('deleted', { name: department.name }))
    done()
  }
  return (
    <FormPanel
      title={department ? department.name : t('add')}
      form={form}
      save={t('shell:save')}
      onSave={save}
      onClose={onClose}
      extra={
        department &&
        !department.isDefault && (
          <DeleteQuestion
            title={t('delete.title', { name: department.name })}
            text={t('delete.text')}
            onDelete={remove}
          />
        )
      }
    >
      <TextField label={t('name')} maxLength={100} {...form.text('name')} />
      <SelectField
        label={t('parent')}
        optional={!isOnlyBelow}
        options={[
          ...(isOnlyBelow ? [] : [['', t('top')] as const]),
          ...props.departments.filter(({ id }) => id !== department?.id).map(({ id, name }) => [id, name] as const),
        ]}
        {...form.text('parent')}
      />
      <TextField label={t('tel')} optional type="tel" maxLength={40} {...form.text('tel')} />
      <TextField label={t('address')} optional maxLength={200} {...form.text('address')} />
      <div className="pair">
        <TextField label={t('country')} optional maxLength={60} {...form.text('country')} />
        <TextField label={t('state')} optional maxLength={60} {...form.text('state')} />
      </div>
    </FormPanel>
  )
}
