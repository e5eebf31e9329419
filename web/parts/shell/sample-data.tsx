import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../../shared/permissions.ts'
import { write } from '../../api.ts'
import { refresh, useRead } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import { followTask } from '../../tasks.ts'
import { Button } from '../button.tsx'
import { useComplaint } from '../field/form.tsx'
import { Ask } from '../say/ask.tsx'
import { useTaskOwner } from '../say/task-notice.tsx'

const pollMilliseconds = 1500

/** Offers administrators to load sample data, and to remove it again. A task does the work. */
export function SampleData() {
  return usePerson().employee.role === roles.administrator ? <Offer /> : null
}

function Offer() {
  const { t } = useTranslation(['dashboard', 'shell'])
  const complain = useComplaint()
  const owner = useTaskOwner()
  const [asking, setAsking] = useState(false)
  const [sending, setSending] = useState(false)
  const { data } = useRead('company/sample', {}, answer => (answer?.task ? pollMilliseconds : 0))
  const state = data?.state
  const previous = useRef(state)
  useEffect(() => {
    // The task changes many lists.
    if (previous.current !== undefined && previous.current !== state) refresh([''])
    previous.current = state
  }, [state])
  const begin = async (path: 'company/sample/load' | 'company/sample/remove') => {
    setSending(true)
    try {
      const { task } = await write(path, {})
      if (task) followTask(owner, { id: task })
      refresh(['company/sample', 'task/'])
    } finally {
      setSending(false)
    }
  }
  if (!state) return null
  const isBusy = sending || data.task !== undefined
  const isLoaded = state === 'loaded' || state === 'removing'
  return (
    <section className="sample-data" aria-labelledby="sample-data">
      <div>
        <h2 id="sample-data">{t('steps.sample.title')}</h2>
        <p className="muted small" role="status">
          {t(`steps.sample.${state}`, { count: data.people ?? 0 })}
        </p>
      </div>
      {isLoaded ? (
        <Button busy={isBusy} onClick={() => setAsking(true)}>
          {t('steps.sample.remove')}
        </Button>
      ) : (
        <Button busy={isBusy} onClick={() => begin('company/sample/load').catch(complain)}>
          {t('steps.sample.load')}
        </Button>
      )}
      {asking && (
        <Ask
          title={t('steps.sample.removeTitle')}
          yes={t('steps.sample.remove')}
          no={t('shell:cancel')}
          danger
          onYes={async () => {
            await begin('company/sample/remove')
            setAsking(false)
          }}
          onNo={() => setAsking(false)}
        >
          {t('steps.sample.removeText')}
        </Ask>
      )}
    </section>
  )
}

/** Hides the first steps on the dashboard of all administrators, or shows them again. */
export function HideSteps({ areHidden }: { areHidden: boolean }) {
  const { t } = useTranslation('dashboard')
  const complain = useComplaint()
  const [busy, setBusy] = useState(false)
  const isAdministrator = usePerson().employee.role === roles.administrator
  const change = async () => {
    setBusy(true)
    try {
      await write('company/steps/update', { areHidden: !areHidden })
      refresh(['company/'])
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  if (!isAdministrator) return null
  return (
    <Button look="quiet" busy={busy} onClick={change}>
      {t(areHidden ? 'steps.show' : 'steps.hide')}
    </Button>
  )
}
