import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays } from '../../../shared/local-day.ts'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { DayField } from '../../parts/field/day-field.tsx'
import { DepartmentField } from '../../parts/field/department-field.tsx'
import { useDepartments } from '../../parts/list/departments.ts'
import { Ask } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { fullName } from '../../person-name.ts'
import { refresh } from '../../read.ts'

interface FormerPerson {
  id: string
  first_name: string
  last_name: string
  workno: string
  department: string
  endDay?: string | undefined
}

/** Begins another employment of a former employee, who keeps the employee ID and the days worked before. */
export function RehireButton({ person, onDone }: { person: FormerPerson; onDone: () => void }) {
  const { t } = useTranslation(['employee', 'shell'])
  const formats = useFormats()
  const { all = [] } = useDepartments()
  const least = addDays(person.endDay ?? formats.today(), 1)
  const [asking, setAsking] = useState(false)
  const [hireDay, setHireDay] = useState('')
  const [department, setDepartment] = useState(person.department)
  const ask = () => {
    setHireDay(least > formats.today() ? least : formats.today())
    setDepartment(person.department)
    setAsking(true)
  }
  const rehire = async () => {
    const isMoved = department !== person.department
    await write('employee/rehire', { id: person.id, hireDay, ...(isMoved && { department }) })
    say(t('rehire.done', { name: fullName(person) }))
    refresh(['employee/', 'department/', 'role/'])
    setAsking(false)
    onDone()
  }
  return (
    <>
      <Button onClick={ask}>{t('rehire.button')}</Button>
      {asking && (
        <Ask
          title={t('rehire.title', { name: fullName(person) })}
          yes={t('rehire.button')}
          no={t('shell:cancel')}
          waits={hireDay < least || department === ''}
          onYes={rehire}
          onNo={() => setAsking(false)}
        >
          <p>{t('rehire.text', { workno: person.workno })}</p>
          <DayField label={t('hireDay')} value={hireDay} least={least} onText={setHireDay} />
          <DepartmentField label={t('department')} departments={all} value={department} onText={setDepartment} />
        </Ask>
      )}
    </>
  )
}
