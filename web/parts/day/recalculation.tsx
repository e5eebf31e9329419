import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { type RowOf, useRead } from '../../read.ts'
import { followTask, showTask, useFollowed } from '../../tasks.ts'
import { Button } from '../button.tsx'
import { useSentence } from '../field/form.tsx'
import { TaskProgress, useOutcome } from '../say/progress.tsx'
import { type Told, useTaskOwner } from '../say/task-notice.tsx'
import './recalculation.css'

type Task = RowOf<'task/grid'>

/**
 * Shows the recalculations that this page started: progress and result, until the user dismisses them. Other pages show
 * the same tasks in the notice.
 */
export function Recalculations<K extends Told['kind']>({ kinds }: { kinds: readonly K[] }) {
  const owner = useTaskOwner()
  const followed = useFollowed(owner)
  // The notice reads the same list and decides how often.
  const { data } = useRead('task/grid', { size: 20 })
  const isOurs = (task: Task): task is Task & { kind: K } => (kinds as readonly string[]).includes(task.kind)
  const tasks = (data?.list ?? [])
    .filter(isOurs)
    .filter(({ id }) => followed.some(task => task.id === id && !task.isSeen))
  if (tasks.length === 0) return null
  return (
    <div className="recalculations">
      {tasks.map(task => (
        <Recalculation key={task.id} task={task} onClose={() => followTask(owner, { id: task.id, isSeen: true })} />
      ))}
    </div>
  )
}

function Recalculation({ task, onClose }: { task: Task & { kind: Told['kind'] }; onClose: () => void }) {
  const { t } = useTranslation(['task', 'shell'])
  const sentence = useSentence()
  const outcomeOf = useOutcome()
  const { id, kind, state, recalculated } = task
  useEffect(() => showTask(id), [id])
  const isOpen = state === 'waiting' || state === 'running'
  if (isOpen)
    return (
      <section className="card recalculation is-open" aria-label={t(`notice.running.${kind}`)}>
        <p className="recalculation-title">{t(`notice.running.${kind}`)}</p>
        <TaskProgress label={t(`notice.running.${kind}`)} task={task} />
      </section>
    )
  const isWrong = state === 'failed' || (recalculated?.handedOn ?? 0) > 0
  return (
    <section className="card recalculation" role="status">
      {isWrong ? (
        <CircleAlert className="icon is-wrong" aria-hidden="true" />
      ) : (
        <CircleCheck className="icon is-fine" aria-hidden="true" />
      )}
      <div>
        <p className="recalculation-title">{t(state === 'failed' ? 'notice.failed' : `notice.done.${kind}`)}</p>
        {state === 'failed' && task.code !== undefined && <p className="muted small">{sentence(task.code)}</p>}
        {recalculated && <p className="muted small">{outcomeOf(recalculated)}</p>}
        {recalculated && recalculated.handedOn > 0 && (
          <p className="muted small">{t('recalculated.later', { count: recalculated.handedOn })}</p>
        )}
      </div>
      <Button look="quiet" square aria-label={t('shell:close')} icon={<X className="icon" />} onClick={onClose} />
    </section>
  )
}
