import { Ellipsis, Mail, MoreHorizontal, Printer, Trash2, UserMinus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RemovedDays } from '../../../shared/employee.ts'
import { roles } from '../../../shared/permissions.ts'
import { isFault, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { DayField } from '../../parts/field/day-field.tsx'
import { Panel } from '../../parts/list/panel.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { Menu, type MenuEntry } from '../../parts/shell/menu.tsx'
import { usePageNavigate } from '../../parts/shell/router.ts'
import { refresh } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import { type Employee, formOf } from '../employee/form.ts'
import { EmployeeMore } from '../employee/more.tsx'
import { RemovedDaysQuestion } from '../employee/removed-days.tsx'
import SendQuestion from '../employee/send.tsx'
import type { Got } from './tabs.ts'

type Open = 'invite' | 'former' | 'delete' | 'more'

/** Whether the user may change a person: administrators change all, managers change employees and themselves. */
export const useMayChange = () => {
  const me = usePerson()
  return ({ id, role }: Pick<Employee, 'id' | 'role'>) =>
    me.role === roles.administrator || role === roles.employee || role === roles.none || id === me.employee.id
}

/** The further actions on a person. Each needs the employee permission, and shows only if it can succeed. */
export function PersonMenu(props: { person: Got; name: string; version: number; onDone: () => void }) {
  const { t } = useTranslation(['person', 'employee', 'shell'])
  const navigate = usePageNavigate()
  const me = usePerson()
  const mayChange = useMayChange()
  const [open, setOpen] = useState<Open>()
  const { person, name, version, onDone } = props
  const { record, isFormer } = person
  if (!record) return null
  const close = () => setOpen(undefined)
  const isMine = mayChange(record)
  const isProtected = record.isOwner || record.id === me.employee.id
  // Managers can only rehire. Administrators can also disable, export and erase.
  const hasMore = me.role === roles.administrator || (isMine && isFormer === true)
  const mayInvite = isMine && !isFormer && record.role !== roles.none && !record.canSignIn
  const entry = (key: Open, text: string, icon: MenuEntry['icon']): MenuEntry => ({
    ...{ key, text, ...(icon && { icon }) },
    onPick: () => setOpen(key),
  })
  const entries: MenuEntry[] = [
    ...(mayInvite && record.email ? [entry('invite', t('menu.invite'), <Mail className="icon" />)] : []),
    ...(mayInvite
      ? [
          {
            ...{ key: 'print', text: t('menu.print'), icon: <Printer className="icon" /> },
            onPick: () => navigate(`/printUser?id=${record.id}`),
          },
        ]
      : []),
    ...(isMine && !isProtected && !isFormer ? [entry('former', t('menu.former'), <UserMinus className="icon" />)] : []),
    ...(isMine && !isProtected ? [entry('delete', t('menu.delete'), <Trash2 className="icon" />)] : []),
    ...(hasMore ? [entry('more', t('menu.more'), <MoreHorizontal className="icon" />)] : []),
  ]
  if (entries.length === 0) return null
  const remove = async () => {
    await write('employee/delete', { id: record.id })
    say(t('employee:deleted', { name }))
    close()
    navigate('/employee')
    refresh(['employee/', 'department/', 'role/'])
  }
  return (
    <>
      <Menu className="button square" label={t('menu.label', { name })} entries={entries}>
        <Ellipsis className="icon" aria-hidden="true" />
        <span className="unseen">{t('menu.label', { name })}</span>
      </Menu>
      {open === 'invite' && <SendQuestion people={[record]} onClose={close} />}
      {open === 'former' && <FormerQuestion {...{ record, name, version, onDone }} onClose={close} />}
      {open === 'delete' && (
        <Ask
          title={t('employee:delete.title', { name })}
          yes={t('shell:delete')}
          no={t('shell:cancel')}
          danger
          onYes={remove}
          onNo={close}
        >
          {t('employee:delete.text')}
        </Ask>
      )}
      {open === 'more' && (
        <Panel title={`${name} · ${t('employee:tabs.more')}`} onClose={close}>
          <EmployeeMore
            employee={record}
            mayChange={isMine}
            version={version}
            onDone={() => {
              close()
              onDone()
            }}
            onCancel={close}
          />
        </Panel>
      )}
    </>
  )
}

/** Asks for the last day of a person. */
function FormerQuestion(props: {
  record: Employee
  name: string
  version: number
  onDone: () => void
  onClose: () => void
}) {
  const { t } = useTranslation(['person', 'employee', 'shell'])
  const formats = useFormats()
  const { record, name, version, onClose } = props
  const [endDay, setEndDay] = useState(record.endDay ?? formats.today())
  const [removed, setRemoved] = useState<RemovedDays>()
  const save = async (removesDays?: number) => {
    const form = { ...formOf(record), version, endDay, ...(removesDays !== undefined && { removesDays }) }
    const saved = await write('employee/update', form).catch(error => {
      if (!isFault(error) || error.code !== 60090) throw error
      setRemoved(error.about as RemovedDays)
    })
    if (!saved) return
    say(t('former.done', { name, day: formats.day(endDay) }))
    refresh(['employee/', 'department/', 'role/'])
    onClose()
    props.onDone()
  }
  if (removed)
    return (
      <RemovedDaysQuestion
        name={name}
        removed={removed}
        onYes={() => save(removed.days)}
        onNo={() => setRemoved(undefined)}
      />
    )
  return (
    <Ask
      title={t('former.title', { name })}
      yes={t('former.yes')}
      no={t('shell:cancel')}
      waits={endDay === '' || endDay < (record.hireDay ?? '')}
      onYes={() => save()}
      onNo={onClose}
    >
      <p>{t('former.text')}</p>
      <DayField
        label={t('employee:endDay')}
        value={endDay}
        {...(record.hireDay && { least: record.hireDay })}
        onText={setEndDay}
      />
    </Ask>
  )
}
