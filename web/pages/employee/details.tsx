import { Mail } from 'lucide-react'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RemovedDays } from '../../../shared/employee.ts'
import { roles } from '../../../shared/permissions.ts'
import { isFault, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { DayField } from '../../parts/field/day-field.tsx'
import { DepartmentField } from '../../parts/field/department-field.tsx'
import { DepartmentsField } from '../../parts/field/departments-field.tsx'
import { PasswordField, SelectField, TextField } from '../../parts/field/field.tsx'
import { Form, useComplaint, useForm } from '../../parts/field/form.tsx'
import { PhotoField } from '../../parts/field/picture/photo.tsx'
import type { PictureChange } from '../../parts/field/picture/picture.tsx'
import { type DepartmentChoice, firstDepartment } from '../../parts/list/departments.ts'
import { readRole, roleValue, useRoles } from '../../parts/roles.ts'
import { overPage } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { SignInNote } from '../../parts/sign-in-note.tsx'
import { fullName } from '../../person-name.ts'
import { refresh, useRead } from '../../read.ts'
import { sendFile } from '../../send-file.ts'
import { usePerson } from '../../session.tsx'
import { withoutEmpty } from '../../without-empty.ts'
import type { Employee } from './form.ts'
import { RemovedDaysQuestion } from './removed-days.tsx'
import type { TabProps } from './tab.ts'

const mostOtherDepartments = 10

/** Saves or deletes a photo. Returns the new version of the employee, or undefined without a change. */
const savePhoto = async (id: string, change: PictureChange): Promise<number | undefined> => {
  if (change === undefined) return undefined
  if (change === null) return (await write('employee/photo/delete', { id })).version
  const { upload, ...form } = await write('employee/photo', { id, type: 'image/jpeg' })
  await sendFile(form, change)
  return (await write('employee/photo/save', { id, upload })).version
}

/**
 * Fills the empty employee ID of a new employee with the proposed free one. The text stays during a save. If another
 * user has taken the ID meanwhile, this returns the next free one for the error.
 */
const useProposedNumber = (
  workno: string,
  { busy, isTaken }: { busy: boolean; isTaken: boolean },
  proposal: string | undefined,
  fill: (workno: string) => void,
): string | undefined => {
  const filled = useRef('')
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new proposal changes the field.
  useEffect(() => {
    if (proposal === undefined || busy || isTaken || (workno !== '' && workno !== filled.current)) return
    filled.current = proposal
    fill(proposal)
  }, [proposal])
  return isTaken && proposal !== workno ? proposal : undefined
}

/** The person, department and role of an employee, and the first password of a new one. */
export function EmployeeDetails(
  props: Omit<TabProps, 'employee'> & {
    employee: Employee | undefined
    departments: readonly DepartmentChoice[]
    isAccepting: boolean
  },
) {
  const { t } = useTranslation(['employee', 'role', 'shell'])
  const id = useId()
  const formats = useFormats()
  const complain = useComplaint()
  const person = usePerson()
  const { employee, departments, mayChange, version, onVersion, onChanged } = props
  const roleNames = useRoles()
  const isAdministrator = person.role === roles.administrator
  const form = useForm({
    first_name: employee?.first_name ?? '',
    last_name: employee?.last_name ?? '',
    workno: employee?.workno ?? '',
    department: employee?.department ?? firstDepartment(departments),
    departments: employee?.departments ?? [],
    position: employee?.position ?? '',
    email: employee?.email ?? '',
    tel: employee?.tel ?? '',
    hireDay: employee?.hireDay ?? '',
    endDay: employee?.endDay ?? '',
    role: employee ? roleValue(employee) : String(roles.employee),
    password: '',
    // The server's errors name this field `upload`.
    upload: undefined as PictureChange,
  })
  const { values, set, isChanged } = form
  const { data: proposal } = useRead('employee/workno', employee ? null : {})
  const isTaken = form.codeOf('workno') === 59014
  const freeNumber = useProposedNumber(values.workno, { busy: form.busy, isTaken }, proposal?.workno, workno => {
    // A user who already types here would add digits to the proposal.
    if (document.activeElement instanceof HTMLInputElement && document.activeElement.name === 'workno') return
    // A proposal in an untouched form is no change of the user.
    if (isChanged) set({ workno })
    else form.restart({ ...values, workno })
  })
  const [removed, setRemoved] = useState<RemovedDays>()
  // A layout effect, because a new version of the person must not replace a change of the same moment.
  useLayoutEffect(() => onChanged(isChanged), [onChanged, isChanged])
  // Accepting an employee preselects the most common role as an unsaved change.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form preselects the role only once.
  useEffect(() => {
    if (props.isAccepting) set({ role: String(roles.employee) })
  }, [])

  /** Mails an invitation to the new employee. A failed mail must not fail the addition. */
  const invite = async (id: string) => {
    const answer = await write('employee/send_qrcode', { ids: [id] }).catch(error => {
      if (!isFault(error)) throw error
    })
    const name = fullName(values)
    if (answer?.sent.includes(id)) say(t('added.invited', { name }))
    else say(t('added.notInvited', { name }), 'danger')
  }

  const save = ({ removesDays, isInviting }: { removesDays?: number; isInviting?: boolean } = {}) =>
    form.submit(
      async () => {
        const {
          first_name,
          last_name,
          workno,
          department,
          departments: otherDepartments,
          role,
          upload,
          ...fields
        } = values
        const input = {
          ...{ first_name, last_name, workno, department },
          ...readRole(role),
          ...(otherDepartments.length > 0 && { departments: otherDepartments }),
          ...withoutEmpty(fields),
        }
        if (employee) {
          const savedVersion = (await savePhoto(employee.id, upload)) ?? version
          onVersion(savedVersion)
          // The server has stored the photo, even if the next call fails.
          set({ upload: undefined })
          const saved = await write('employee/update', {
            ...{ id: employee.id, version: savedVersion, ...input },
            ...(removesDays !== undefined && { removesDays }),
          }).catch(error => {
            if (!isFault(error) || error.code !== 60090) throw error
            setRemoved(error.about as RemovedDays)
          })
          if (!saved) return
          const { mustJoin } = saved
          // The server may have removed the address. With the stale version, an open panel cannot save the address
          // again.
          onVersion(mustJoin ? savedVersion : savedVersion + 1)
          if (mustJoin) say(t('role:users.mustJoin', { name: fullName(values) }), 'danger')
        } else {
          const { id } = await write('employee/add', input).catch(error => {
            if (isFault(error) && error.fields.workno === 59014) refresh(['employee/workno'])
            throw error
          })
          // The server has created the employee. The user can choose the photo again.
          await savePhoto(id, upload).catch(complain)
          if (isInviting) await invite(id)
        }
        form.restart({ ...values, upload: undefined, password: '' })
        if (!isInviting) say(employee?.isWaiting ? t('waiting.accepted', { name: fullName(values) }) : t('shell:saved'))
        refresh(['employee/', 'department/', 'role/'])
        props.onDone()
      },
      {
        required: ['first_name', 'last_name', 'workno', 'department'],
        fieldOf: { 59013: 'workno', 59014: 'workno', 21002: 'email', 21003: 'email', 21012: 'password' },
      },
    )
  const chosenRole = readRole(values.role).role
  const isManagement = chosenRole === roles.administrator || chosenRole === roles.manager
  const isRaised = employee && isManagement && values.role !== roleValue(employee)
  const roleError = form.error('role') ?? form.error('roleId')
  const departmentsError =
    form.error('departments') ?? values.departments.map((_, at) => form.error(`departments.${at}`)).find(Boolean)
  return (
    <>
      <Form form={form} id={id} className="panel-body" onSubmit={() => save()}>
        {employee?.isWaiting && isAdministrator && <p className="notice warn">{t('waiting.notice')}</p>}
        {!mayChange && <p className="notice">{t('readOnly')}</p>}
        <PhotoField
          person={{ ...values, photo: employee?.photo }}
          change={values.upload}
          error={form.codeOf('upload')}
          onChange={upload => set({ upload })}
          onWrong={code => form.blame({ upload: code })}
        />
        <div className="pair">
          <TextField label={t('firstName')} maxLength={60} {...form.text('first_name')} />
          <TextField label={t('lastName')} maxLength={60} {...form.text('last_name')} />
          <TextField
            label={t('workno')}
            inputMode="numeric"
            maxLength={12}
            hint={t('worknoHint')}
            {...form.text('workno')}
            {...(freeNumber !== undefined && {
              error: `${form.error('workno')}. ${t('worknoFree', { workno: freeNumber })}`,
            })}
          />
          <TextField label={t('position')} optional maxLength={100} {...form.text('position')} />
          <DepartmentField label={t('department')} departments={departments} {...form.text('department')} />
          <SelectField
            label={t('role.label')}
            options={[
              ...roleNames.plain,
              // The legacy manager role. Administrators can no longer assign it, but its holders keep it.
              ...(values.role === String(roles.manager) ? [[values.role, t('role.manager')] as const] : []),
            ]}
            groups={roleNames.groups}
            disabled={Boolean(employee?.isOwner) || !isAdministrator}
            {...(!isAdministrator && { hint: t('role.onlyAdministrator') })}
            {...form.text('role')}
            error={roleError}
          />
        </div>
        {isRaised && <SignInNote employee={employee.id} />}
        <DepartmentsField
          label={t('departments')}
          departments={departments}
          without={values.department}
          values={values.departments}
          most={mostOtherDepartments}
          hint={t('departmentsHint')}
          placeholder={t('departmentsMore')}
          error={departmentsError}
          onChange={ids => set({ departments: ids })}
        />
        <div className="pair">
          <TextField
            label={t('email')}
            optional
            type="email"
            inputMode="email"
            autoComplete="off"
            maxLength={254}
            {...form.text('email')}
          />
          <TextField label={t('tel')} optional type="tel" autoComplete="off" maxLength={40} {...form.text('tel')} />
          <DayField
            label={t('hireDay')}
            optional
            value={values.hireDay}
            error={form.error('hireDay')}
            onText={value => set({ hireDay: value })}
          />
          <DayField
            label={t('endDay')}
            optional
            value={values.endDay}
            {...(values.hireDay && { least: values.hireDay })}
            error={form.error('endDay')}
            onText={value => set({ endDay: value })}
          />
        </div>
        {employee?.earlierEmployments && (
          <p className="muted small">
            {t('earlierEmployments', {
              periods: employee.earlierEmployments
                .map(({ hireDay, endDay }) => `${hireDay ? formats.day(hireDay) : '…'} – ${formats.day(endDay)}`)
                .join(', '),
            })}
          </p>
        )}
        {!employee && (
          <>
            <hr />
            <fieldset>
              <legend>{t('signIn.title')}</legend>
              <p className="muted small">{t('signIn.text')}</p>
              <PasswordField
                label={t('password')}
                optional
                autoComplete="new-password"
                hint={t('shell:password.rule')}
                {...form.text('password')}
              />
            </fieldset>
          </>
        )}
      </Form>
      {removed &&
        overPage(
          <RemovedDaysQuestion
            name={fullName(values)}
            removed={removed}
            onYes={() => {
              setRemoved(undefined)
              void save({ removesDays: removed.days })
            }}
            onNo={() => setRemoved(undefined)}
          />,
        )}
      <footer className="panel-foot">
        {!employee && values.email.trim() !== '' && chosenRole !== roles.none && (
          <Button
            className="panel-extra"
            icon={<Mail className="icon" aria-hidden="true" />}
            disabled={form.busy}
            onClick={() => void save({ isInviting: true })}
          >
            {t('addAndInvite')}
          </Button>
        )}
        <Button onClick={props.onCancel} disabled={form.busy}>
          {t('shell:cancel')}
        </Button>
        <Button look="primary" type="submit" form={id} busy={form.busy} disabled={!mayChange}>
          {t(props.isAccepting ? 'waiting.accept' : 'shell:save')}
        </Button>
      </footer>
    </>
  )
}
