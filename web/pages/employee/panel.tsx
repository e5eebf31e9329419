import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../../shared/permissions.ts'
import type { DepartmentChoice } from '../../parts/list/departments.ts'
import { Panel } from '../../parts/list/panel.tsx'
import { TabPanel, Tabs } from '../../parts/list/tabs.tsx'
import { DiscardQuestion, useUnsaved } from '../../parts/say/leaving.tsx'
import { fullName } from '../../person-name.ts'
import { usePerson } from '../../session.tsx'
import { EmployeeAttendance } from './attendance.tsx'
import { EmployeeDetails } from './details.tsx'
import type { Employee } from './form.ts'
import { EmployeeMore } from './more.tsx'
import { EmployeeSignIn } from './sign-in.tsx'

const tabs = ['details', 'attendance', 'signIn', 'more'] as const
type Tab = (typeof tabs)[number]
const name = 'person'

/** The tabs of an employee, or the form for a new one. Closing with unsaved changes in any tab asks first. */
export default function EmployeePanel(props: {
  employee: Employee | undefined
  /** The user accepts a waiting employee by assigning a role. */
  isAccepting: boolean
  departments: readonly DepartmentChoice[]
  onClose: () => void
}) {
  const { t } = useTranslation(['employee', 'shell'])
  const person = usePerson()
  const { employee, departments, onClose } = props
  const [tab, setTab] = useState<Tab>('details')
  /** A tab mounts on its first visit and stays, because the server logs each read of its data. */
  const [visited, setVisited] = useState<ReadonlySet<Tab>>(new Set(['details']))
  const [changed, setChanged] = useState<ReadonlySet<Tab>>(new Set())
  const [version, setVersion] = useState(employee?.version ?? 1)
  const [leaving, setLeaving] = useState(false)
  useUnsaved(changed.size > 0)
  const pick = (next: Tab) => {
    setTab(next)
    setVisited(previous => new Set(previous).add(next))
  }
  const reportChange = useCallback(
    (tabKey: Tab) => (isChanged: boolean) =>
      setChanged(previous => {
        if (previous.has(tabKey) === isChanged) return previous
        const next = new Set(previous)
        if (isChanged) next.add(tabKey)
        else next.delete(tabKey)
        return next
      }),
    [],
  )
  const leave = () => (changed.size > 0 ? setLeaving(true) : onClose())
  const done = (tabKey: Tab) => () => {
    const other = tabs.find(key => key !== tabKey && changed.has(key))
    if (other) pick(other)
    else onClose()
  }
  const isPlain = !employee || employee.role === roles.employee || employee.role === roles.none
  const mayChange = person.role === roles.administrator || isPlain || employee?.id === person.employee.id
  const commonProps = (tabKey: Tab) => ({
    mayChange,
    version,
    onVersion: setVersion,
    onChanged: reportChange(tabKey),
    onDone: done(tabKey),
    onCancel: leave,
  })
  const details = (
    <EmployeeDetails
      {...commonProps('details')}
      employee={employee}
      departments={departments}
      isAccepting={props.isAccepting}
    />
  )
  return (
    <Panel title={employee ? fullName(employee) : t('add')} wide onClose={leave}>
      {employee ? (
        <>
          <Tabs
            name={name}
            label={t('tabs.label')}
            value={tab}
            onPick={pick}
            tabs={tabs.map(key => ({ key, text: t(`tabs.${key}`), hasChanges: changed.has(key) }))}
          />
          <TabPanel name={name} tab="details" isShown={tab === 'details'}>
            {details}
          </TabPanel>
          <TabPanel name={name} tab="attendance" isShown={tab === 'attendance'}>
            {visited.has('attendance') && <EmployeeAttendance {...commonProps('attendance')} employee={employee} />}
          </TabPanel>
          <TabPanel name={name} tab="signIn" isShown={tab === 'signIn'}>
            {visited.has('signIn') && <EmployeeSignIn {...commonProps('signIn')} employee={employee} />}
          </TabPanel>
          <TabPanel name={name} tab="more" isShown={tab === 'more'}>
            {visited.has('more') && <EmployeeMore {...commonProps('more')} employee={employee} />}
          </TabPanel>
        </>
      ) : (
        details
      )}
      {leaving && <DiscardQuestion onYes={onClose} onNo={() => setLeaving(false)} />}
    </Panel>
  )
}
