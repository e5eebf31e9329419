import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { DepartmentChoice } from '../../parts/list/departments.ts'
import { Panel } from '../../parts/list/panel.tsx'
import { DiscardQuestion, useUnsaved } from '../../parts/say/leaving.tsx'
import { EmployeeDetails } from './details.tsx'

/** The form for a new employee. Closing with unsaved changes asks first. */
export default function NewEmployeePanel(props: { departments: readonly DepartmentChoice[]; onClose: () => void }) {
  const { t } = useTranslation('employee')
  const { departments, onClose } = props
  const [isChanged, setChanged] = useState(false)
  const [leaving, setLeaving] = useState(false)
  useUnsaved(isChanged)
  const leave = () => (isChanged ? setLeaving(true) : onClose())
  return (
    <Panel title={t('add')} wide onClose={leave}>
      <EmployeeDetails
        employee={undefined}
        departments={departments}
        isAccepting={false}
        mayChange
        version={1}
        onVersion={() => undefined}
        onChanged={setChanged}
        onDone={onClose}
        onCancel={leave}
      />
      {leaving && <DiscardQuestion onYes={onClose} onNo={() => setLeaving(false)} />}
    </Panel>
  )
}
