import { Plus, UsersRound } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../shared/permissions.ts'
import { call, sendFile, write } from '../api.ts'
import { useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { DayField } from '../parts/day-field.tsx'
import { DeleteQuestion } from '../parts/delete-question.tsx'
import { DepartmentFilter } from '../parts/department-filter.tsx'
import { type DepartmentChoice, firstDepartment, useDepartments } from '../parts/departments.ts'
import { PasswordField, SelectField, TextField } from '../parts/field.tsx'
import { useComplaint, useForm } from '../parts/form.tsx'
import { type ColumnOf, Grid } from '../parts/grid.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { FormPanel } from '../parts/panel.tsx'
import { PersonName } from '../parts/person-name.tsx'
import { type PhotoChange, PhotoField } from '../parts/photo-field.tsx'
import { SearchField, useSearch } from '../parts/search-field.tsx'
import { say } from '../parts/toast.tsx'
import { type RowOf, refresh, useList, useRead } from '../read.ts'
import { usePerson } from '../session.tsx'
import { withoutEmpty } from '../without-empty.ts'

type Employee = RowOf<'employee/grid'>

const roleNames = { 0: 'role.none', 1: 'role.administrator', 2: 'role.manager', 3: 'role.employee' } as const
const roleName = (role: number) => roleNames[role as keyof typeof roleNames] ?? roleNames[0]

export default function EmployeePage() {
  const { t } = useTranslation(['employee', 'shell'])
  const formats = useFormats()
  const search = useSearch()
  const [department, setDepartment] = useState('')
  const [open, setOpen] = useState<Employee | 'new'>()
  const { words } = search
  const list = useList('employee/grid', withoutEmpty({ search: words, department }))
  const { all, nameOf } = useDepartments()
  const isFiltered = words !== '' || department !== ''
  const columns = useMemo<ColumnOf<'employee/grid'>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        width: 'minmax(168px, 2fr)',
        cell: row => <PersonName person={row} onPress={() => setOpen(row)} />,
      },
      { key: 'workno', title: t('workno'), width: '112px', cell: row => <span className="figure">{row.workno}</span> },
      { key: 'department', title: t('department'), width: 'minmax(120px, 1.2fr)', cell: row => nameOf(row.department) },
      {
        key: 'position',
        title: t('position'),
        width: 'minmax(96px, 1fr)',
        isMinor: true,
        cell: row => row.position ?? t('shell:none'),
      },
      {
        key: 'hireDay',
        title: t('hireDay'),
        width: '112px',
        isMinor: true,
        cell: row => <span className="figure">{row.hireDay ? formats.day(row.hireDay) : t('shell:none')}</span>,
      },
      {
        key: 'role',
        title: t('role.label'),
        width: 'minmax(184px, 1fr)',
        cell: row => (
          <span className={row.role === roles.administrator ? 'tag info' : row.role === roles.none ? 'tag' : 'tag ok'}>
            {t(roleName(row.role))}
          </span>
        ),
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
        <DepartmentFilter value={department} onText={setDepartment} />
      </div>
      <Grid
        label={t('title')}
        columns={columns}
        list={list}
        rowKey={row => row.id}
        onOpen={setOpen}
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
      {open && all && (
        <EmployeeForm
          employee={open === 'new' ? undefined : open}
          departments={all}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Page>
  )
}

/** Does to a photo what was chosen; answers the employee's version where that made a new one. */
const savePhoto = async (id: string, change: PhotoChange): Promise<number | undefined> => {
  if (change === undefined) return undefined
  if (change === null) return (await write('employee/photo/delete', { id })).version
  const { upload, ...form } = await call('employee/photo', { id, type: 'image/jpeg' })
  await sendFile(form, change)
  return (await write('employee/photo/save', { id, upload })).version
}

function EmployeeForm(props: {
  employee: Employee | undefined
  departments: readonly DepartmentChoice[]
  onClose: () => void
}) {
  const { t } = useTranslation(['employee', 'shell'])
  const complain = useComplaint()
  const person = usePerson()
  const { employee, departments, onClose } = props
  const { data: customRoles } = useRead('role/all', {})
  const form = useForm({
    first_name: employee?.first_name ?? '',
    last_name: employee?.last_name ?? '',
    workno: employee?.workno ?? '',
    department: employee?.department ?? firstDepartment(departments),
    position: employee?.position ?? '',
    email: employee?.email ?? '',
    hireDay: employee?.hireDay ?? '',
    endDay: employee?.endDay ?? '',
    // A custom role is a role of its own in the list, told apart by its id.
    role: employee?.roleId ?? String(employee?.role ?? roles.employee),
    password: '',
    // Named as the answers name what is wrong with it.
    upload: undefined as PhotoChange,
  })
  const { hireDay, endDay } = form.values
  const version = useRef(employee?.version ?? 1)
  const done = () => {
    refresh(['employee/', 'department/'])
    onClose()
  }
  const save = () =>
    form.submit(
      async () => {
        const { first_name, last_name, workno, department, role, upload, ...rest } = form.values
        const isCustom = customRoles?.list.some(({ id }) => id === role)
        const values = {
          first_name,
          last_name,
          workno,
          department,
          ...(isCustom ? { role: roles.manager, roleId: role } : { role: Number(role) }),
          ...withoutEmpty(rest),
        }
        if (employee) {
          const { id } = employee
          version.current = (await savePhoto(id, upload)) ?? version.current
          // Whatever becomes of the rest, the photo is saved.
          form.set({ upload: undefined })
          await write('employee/update', { id, version: version.current, ...values })
        } else {
          const { id } = await write('employee/add', values)
          // The person is there; the photo can be chosen again.
          await savePhoto(id, upload).catch(complain)
        }
        say(t('shell:saved'))
        done()
      },
      {
        required: ['first_name', 'last_name', 'workno', 'department'],
        fieldOf: { 59013: 'workno', 59014: 'workno', 21002: 'email', 21003: 'email', 21012: 'password' },
      },
    )
  const remove = async () => {
    if (!employee) return
    await write('employee/delete', { id: employee.id })
    say(t('deleted', { name: `${employee.first_name} ${employee.last_name}` }))
    done()
  }
  const roleOptions = [
    [String(roles.none), t('role.none')],
    [String(roles.employee), t('role.employee')],
    [String(roles.administrator), t('role.administrator')],
    // The system role cannot be given here, but who has it keeps it.
    ...(form.values.role === String(roles.manager) ? [[String(roles.manager), t('role.manager')] as const] : []),
    ...(customRoles?.list.map(({ id, name }) => [id, name] as const) ?? []),
  ] as const
  const isSelf = employee?.id === person.employee.id
  return (
    <FormPanel
      title={employee ? `${employee.first_name} ${employee.last_name}` : t('add')}
      form={form}
      save={t('shell:save')}
      onSave={save}
      onClose={onClose}
      extra={
        employee &&
        !employee.isOwner &&
        !isSelf && (
          <DeleteQuestion
            title={t('delete.title', { name: `${employee.first_name} ${employee.last_name}` })}
            text={t('delete.text')}
            onDelete={remove}
          />
        )
      }
    >
      <PhotoField
        person={{ ...form.values, photo: employee?.photo }}
        change={form.values.upload}
        error={form.codeOf('upload')}
        onChange={upload => form.set({ upload })}
        onWrong={code => form.blame({ upload: code })}
      />
      <div className="pair">
        <TextField label={t('firstName')} maxLength={60} {...form.text('first_name')} />
        <TextField label={t('lastName')} maxLength={60} {...form.text('last_name')} />
      </div>
      <div className="pair">
        <TextField
          label={t('workno')}
          inputMode="numeric"
          maxLength={12}
          hint={t('worknoHint')}
          {...form.text('workno')}
        />
        <TextField label={t('position')} optional maxLength={100} {...form.text('position')} />
      </div>
      <SelectField
        label={t('department')}
        options={departments.map(({ id, name }) => [id, name] as const)}
        {...form.text('department')}
      />
      <div className="pair">
        <DayField
          label={t('hireDay')}
          optional
          value={hireDay}
          error={form.error('hireDay')}
          onText={value => form.set({ hireDay: value })}
        />
        <DayField
          label={t('endDay')}
          optional
          value={endDay}
          {...(hireDay && { least: hireDay })}
          error={form.error('endDay')}
          onText={value => form.set({ endDay: value })}
        />
      </div>
      <hr />
      <fieldset>
        <legend>{t('signIn.title')}</legend>
        <p className="muted small">{t('signIn.text')}</p>
        <SelectField
          label={t('role.label')}
          options={roleOptions}
          disabled={Boolean(employee?.isOwner)}
          {...form.text('role')}
        />
        <TextField
          label={t('email')}
          optional
          type="email"
          inputMode="email"
          autoComplete="off"
          maxLength={254}
          {...form.text('email')}
        />
        <PasswordField
          label={t(employee?.canSignIn ? 'newPassword' : 'password')}
          optional
          autoComplete="new-password"
          hint={employee?.canSignIn ? t('passwordKept') : t('shell:password.rule')}
          {...form.text('password')}
        />
      </fieldset>
    </FormPanel>
  )
}
