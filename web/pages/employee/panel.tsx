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

/** Everything about one person, or the details of a new one. Leaving with changes in any of the tabs asks first. */
export default function EmployeePanel(props: {
  employee: Employee | undefined
  /** Somebody who waits is looked at to be given a role. */
  isAccepting: boolean
  departments: readonly DepartmentChoice[]
  onClose: () => void
}) {
  const { t } = useTranslation(['employee', 'shell'])
  const person = usePerson()
  const { employee, departments, onClose } = props
  const [tab, setTab] = useState<Tab>('details')
  /** A tab is drawn when it is first looked at, and stays: what it reads is written down. */
  const [visited, setVisited] = useState<ReadonlySet<Tab>>(new Set(['details']))
  const [changed, setChanged] = useState<ReadonlySet<Tab>>(new Set())
  const [version, setVersion] = useState(employee?.version ?? 1)
  const [leaving, setLeaving] = useState(false)
  useUnsaved(changed.size > 0)
  const pick = (next: Tab) => {
    setTab(next)
    setVisited(was => new Set(was).add(next))
  }
  const say = useCallback(
    (which: Tab) => (isChanged: boolean) =>
      setChanged(was => {
        if (was.has(which) === isChanged) return was
        const next = new Set(was)
        if (isChanged) next.add(which)
        else next.delete(which)
        return next
      }),
    [],
  )
  const leave = () => (changed.size > 0 ? setLeaving(true) : onClose())
  const done = (which: Tab) => () => {
    const other = tabs.find(key => key !== which && changed.has(key))
    if (other) pick(other)
    else onClose()
  }
  const isPlain = !employee || employee.role === roles.employee || employee.role === roles.none
  const mayChange = person.role === roles.administrator || isPlain || employee?.id === person.employee.id
  const common = (which: Tab) => ({
    mayChange,
    version,
    onVersion: setVersion,
    onChanged: say(which),
    onDone: done(which),
    onCancel: leave,
  })
  const details = (
    <EmployeeDetails
      {...common('details')}
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
            {visited.has('attendance') && <EmployeeAttendance {...common('attendance')} employee={employee} />}
          </TabPanel>
          <TabPanel name={name} tab="signIn" isShown={tab === 'signIn'}>
            {visited.has('signIn') && <EmployeeSignIn {...common('signIn')} employee={employee} />}
          </TabPanel>
          <TabPanel name={name} tab="more" isShown={tab === 'more'}>
            {visited.has('more') && <EmployeeMore {...common('more')} employee={employee} />}
          </TabPanel>
        </>
      ) : (
        details
      )}
      {leaving && <DiscardQuestion onYes={onClose} onNo={() => setLeaving(false)} />}
    </Panel>
  )
}
