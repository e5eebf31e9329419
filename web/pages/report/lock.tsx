import { Lock, LockOpen } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../../shared/permissions.ts'
import { type PathOutput, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { ChangedDay, PreviewAsk } from '../../parts/day/preview.tsx'
import { DayField } from '../../parts/field/day-field.tsx'
import { useForm } from '../../parts/field/form.tsx'
import { ListEnd } from '../../parts/list/list-end.tsx'
import { FormPanel, Panel } from '../../parts/list/panel.tsx'
import { Trouble } from '../../parts/page.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { useTaskOwner } from '../../parts/say/task-notice.tsx'
import { say } from '../../parts/say/toast.tsx'
import { fullName } from '../../person-name.ts'
import { refresh, useList, useRead } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import { followTask } from '../../tasks.ts'

type Locked = PathOutput<'report/lock'>

/** The lock of paid days: its last day, its author, and the changes that the lock prevents. */
export default function ReportLock({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['lock', 'shell'])
  const { data: lock, error, readAgain } = useRead('report/lock', {})
  const { employee } = usePerson()
  if (lock && employee.role === roles.administrator) return <LockForm lock={lock} onClose={onClose} />
  return (
    <Panel title={t('title')} onClose={onClose}>
      <div className="panel-body" aria-busy={!lock}>
        {error && !lock && <Trouble error={error} onRetry={readAgain} />}
        {lock && <LockState lock={lock} />}
      </div>
    </Panel>
  )
}

function LockState({ lock }: { lock: Locked }) {
  const { t } = useTranslation('lock')
  const formats = useFormats()
  const { lockedTo, by, at } = lock
  const Icon = lockedTo ? Lock : LockOpen
  return (
    <>
      <p className="notice">
        <Icon className="icon" aria-hidden="true" />
        <span>
          <strong>{lockedTo ? t('lockedTo', { day: formats.day(lockedTo) }) : t('open')}</strong>{' '}
          {at && t(by ? 'by' : 'at', { name: by, at: formats.dayAndTime(at) })}
        </span>
      </p>
      {lockedTo && <LockedChanges />}
    </>
  )
}

/** The changes that a recalculation would make to locked days. */
export function LockedChanges() {
  const { t } = useTranslation('lock')
  const list = useList('report/lock/change/grid', {}, { size: 50 })
  if (list.error && !list.rows) return <Trouble error={list.error} onRetry={list.readAgain} />
  if (!list.rows || list.rows.length === 0) return list.rows ? <p className="muted">{t('changes.none')}</p> : null
  return (
    <section aria-labelledby="locked-changes">
      <h3 id="locked-changes">{t('changes.title')}</h3>
      <p className="muted small">{t('changes.text')}</p>
      <ul className="preview-days">
        {list.rows.map(({ first_name, last_name, shift, ...row }) => (
          <ChangedDay
            key={`${row.employee} ${row.day} ${shift ?? ''}`}
            rows={[{ ...row, name: fullName({ first_name, last_name }), shiftName: shift ?? '' }]}
          />
        ))}
        <ListEnd list={list} />
      </ul>
    </section>
  )
}

/** Asks for confirmation before locking. Before unlocking, previews the changes of the unlocked days. */
function LockForm({ lock, onClose }: { lock: Locked; onClose: () => void }) {
  const { t } = useTranslation(['lock', 'shell'])
  const formats = useFormats()
  const owner = useTaskOwner()
  const form = useForm({ lockedTo: lock.lockedTo ?? '' }, lock)
  const { lockedTo: before = '', settledTo, version } = form.from
  const [question, setQuestion] = useState<{ task?: string }>()
  const { lockedTo } = form.values
  const isOpening = before !== '' && lockedTo < before
  const ask = () => {
    if (!form.isChanged) return onClose()
    return form.submit(async () =>
      setQuestion(isOpening ? await write('report/lock/preview', { lockedTo: lockedTo || null }) : {}),
    )
  }
  const save = () =>
    form.submit(
      async () => {
        const { task } = await write('report/lock/update', { version, lockedTo: lockedTo || null })
        if (task) followTask(owner, { id: task })
        say(t('shell:saved'))
        refresh(['report/', 'task/'])
        onClose()
      },
      { isAsked: true },
    )
  const answer = async () => {
    await save()
    setQuestion(undefined)
  }
  const opened = lockedTo ? t('question.openFrom', { day: formats.day(lockedTo) }) : t('question.openAll')
  return (
    <FormPanel
      title={t('title')}
      form={form}
      save={isOpening ? t('openButton') : t('lockButton')}
      onSave={ask}
      onClose={onClose}
      extra={
        before !== '' && (
          <Button look="danger-quiet" onClick={() => form.set({ lockedTo: '' })}>
            {t('all')}
          </Button>
        )
      }
    >
      <p className="muted">{t('text')}</p>
      <DayField
        label={t('field')}
        optional
        value={lockedTo}
        error={form.error('lockedTo')}
        onText={day => form.set({ lockedTo: day })}
        most={before > settledTo ? before : settledTo}
      />
      <p className="muted small">{t('settled', { day: formats.day(settledTo) })}</p>
      <LockState lock={lock} />
      {question && isOpening && (
        <PreviewAsk
          title={opened}
          task={question.task}
          yes={t('openButton')}
          onYes={answer}
          onNo={() => setQuestion(undefined)}
        />
      )}
      {question && !isOpening && (
        <Ask
          title={t('question.lock', { day: formats.day(lockedTo) })}
          yes={t('lockButton')}
          no={t('shell:cancel')}
          onYes={answer}
          onNo={() => setQuestion(undefined)}
        >
          {t('question.text')}
        </Ask>
      )}
    </FormPanel>
  )
}
