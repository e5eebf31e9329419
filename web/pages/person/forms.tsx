import { useCallback, useEffect, useRef, useState } from 'react'
import { useDepartments } from '../../parts/list/departments.ts'
import { TabPanel } from '../../parts/list/tabs.tsx'
import { useRoles } from '../../parts/roles.ts'
import { useUnsaved } from '../../parts/say/leaving.tsx'
import { EmployeeAttendance } from '../employee/attendance.tsx'
import { EmployeeDetails } from '../employee/details.tsx'
import type { Employee } from '../employee/form.ts'
import { EmployeeSignIn } from '../employee/sign-in.tsx'
import type { Tab } from './tabs.ts'

/** The tabs with a form. Each has a save bar of its own. */
export const formTabs = ['details', 'attendance', 'signIn'] as const satisfies readonly Tab[]
export type FormTab = (typeof formTabs)[number]

/** The version for the next save, the tabs with unsaved changes, and the tabs that the user has visited. */
export const useForms = (record: Employee | undefined, tab: Tab | undefined) => {
  const [version, setVersion] = useState(record?.version)
  const [changed, setChanged] = useState<ReadonlySet<FormTab>>(new Set())
  /** A tab mounts on its first visit and stays, because the server logs each read of its data. */
  const [visited, setVisited] = useState<ReadonlySet<Tab>>(new Set())
  /** Starts the details anew with the stored values. */
  const [starts, setStarts] = useState(0)
  useUnsaved(changed.size > 0)
  useEffect(() => {
    if (tab) setVisited(previous => (previous.has(tab) ? previous : new Set(previous).add(tab)))
  }, [tab])
  const known = record?.version
  const isUnchanged = changed.size === 0
  /** The tabs with unsaved changes, also a change of the same moment as a new version. */
  const latest = useRef(new Set<FormTab>())
  // Another user may have changed the person. Unsaved changes stay, and the server then refuses to save them.
  useEffect(() => {
    if (known === undefined || (version !== undefined && known <= version)) return
    if (!isUnchanged || latest.current.size > 0) return
    setVersion(known)
    // The first values need no new start, in which a user could lose what they just typed.
    if (version !== undefined) setStarts(count => count + 1)
  }, [known, version, isUnchanged])
  const reportChange = useCallback(
    (key: FormTab) => (isChanged: boolean) => {
      const { current } = latest
      if (current.has(key) === isChanged) return
      if (isChanged) current.add(key)
      else current.delete(key)
      setChanged(new Set(current))
    },
    [],
  )
  return {
    version: version ?? known ?? 1,
    setVersion,
    changed,
    visited,
    starts,
    restart: () => setStarts(count => count + 1),
    reportChange,
  }
}

export function PersonForms(props: {
  name: string
  record: Employee
  tab: Tab
  /** The user accepts a waiting person by assigning a role. */
  isAccepting: boolean
  onAccepted: () => void
  mayChange: boolean
  forms: ReturnType<typeof useForms>
}) {
  const { name, record, tab, isAccepting, onAccepted, mayChange, forms } = props
  const { version, setVersion, visited, starts, restart, reportChange } = forms
  const [cancels, setCancels] = useState(0)
  const { all } = useDepartments()
  const roles = useRoles()
  const common = {
    ...{ employee: record, mayChange, version, onVersion: setVersion, onCancel: restart },
    onDone: () => undefined,
  }
  const departments = roles.isKnown ? all : undefined
  return (
    <>
      <TabPanel name={name} tab="details" isShown={tab === 'details'}>
        {departments && visited.has('details') && (
          <EmployeeDetails
            key={`details ${starts}`}
            {...common}
            onChanged={reportChange('details')}
            onDone={onAccepted}
            departments={departments}
            isAccepting={isAccepting}
          />
        )}
      </TabPanel>
      <TabPanel name={name} tab="attendance" isShown={tab === 'attendance'}>
        {departments && visited.has('attendance') && (
          <EmployeeAttendance
            key={cancels}
            {...common}
            onChanged={reportChange('attendance')}
            onCancel={() => setCancels(count => count + 1)}
          />
        )}
      </TabPanel>
      <TabPanel name={name} tab="signIn" isShown={tab === 'signIn'}>
        {departments && visited.has('signIn') && <EmployeeSignIn {...common} onChanged={reportChange('signIn')} />}
      </TabPanel>
    </>
  )
}
