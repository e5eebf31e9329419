import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field/field.tsx'
import { useComplaint } from '../../parts/field/form.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { useTaskOwner } from '../../parts/say/task-notice.tsx'
import { say } from '../../parts/say/toast.tsx'
import { fullName } from '../../person-name.ts'
import { refresh } from '../../read.ts'
import { followTask } from '../../tasks.ts'

interface ErasablePerson {
  id: string
  first_name: string
  last_name: string
  workno: string
}

/** Exports all data about an employee. The task notice then offers the file. */
export function DataButton({ id }: { id: string }) {
  const { t } = useTranslation('employee')
  const owner = useTaskOwner()
  const complain = useComplaint()
  const [busy, setBusy] = useState(false)
  const collect = async () => {
    setBusy(true)
    try {
      const { task } = await write('employee/data', { id })
      followTask(owner, { id: task, isAwaited: true })
      refresh(['task/'])
      say(t('more.dataBegun'))
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button busy={busy} onClick={collect}>
      {t('more.dataButton')}
    </Button>
  )
}

/** Erases an employee permanently after the user types the employee ID. */
export function EraseButton({ person, onDone }: { person: ErasablePerson; onDone: () => void }) {
  const { t } = useTranslation(['employee', 'shell'])
  const owner = useTaskOwner()
  const [asking, setAsking] = useState(false)
  const [typed, setTyped] = useState('')
  const erase = async () => {
    const { task } = await write('employee/erase', { id: person.id })
    followTask(owner, { id: task })
    refresh(['task/', 'employee/'])
    say(t('more.eraseBegun'))
    onDone()
  }
  return (
    <>
      <Button
        look="danger-quiet"
        onClick={() => {
          setTyped('')
          setAsking(true)
        }}
      >
        {t('more.erase')}
      </Button>
      {asking && (
        <Ask
          title={t('more.eraseTitle', { name: fullName(person) })}
          yes={t('more.erase')}
          no={t('shell:cancel')}
          danger
          waits={typed.trim() !== person.workno}
          onYes={erase}
          onNo={() => setAsking(false)}
        >
          <p className="erase-text">{t('more.eraseText')}</p>
          <TextField
            label={t('more.eraseConfirm', { workno: person.workno })}
            inputMode="numeric"
            autoComplete="off"
            value={typed}
            onText={setTyped}
          />
        </Ask>
      )}
    </>
  )
}
