import { CircleAlert, CircleCheck, Download, X } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { downloadOf } from '../../download.ts'
import { planningOf, useSent } from '../../plans.ts'
import { type RowOf, useRead } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import { type Followed, followTask, useFollowed, useShown } from '../../tasks.ts'
import { Button } from '../button.tsx'
import { useComplaint, useSentence } from '../field/form.tsx'
import { useNavigate } from '../shell/router.ts'
import { TaskProgress, useOutcome } from './progress.tsx'
import { say } from './toast.tsx'
import './task-notice.css'

type Task = RowOf<'task/grid'>
/** A task that the notice shows. Excludes previews, because the panel that requested a preview shows it. */
export type Told = Task & { kind: Exclude<Task['kind'], `${string}/preview`> }
const hasNotice = (task: Task): task is Told => !task.kind.endsWith('/preview')

/** The interval for polling running tasks, in case the live connection is down. */
const pollMilliseconds = 3000

/**
 * The task only waits for terminals, which may be off for days. The list of deleted people shows the pending terminals.
 */
const isWaitingForTerminals = ({ state, step }: Pick<Task, 'state' | 'step'>) => state === 'running' && step === 'wait'
const isOpen = (task: Pick<Task, 'state' | 'step'>) =>
  (task.state === 'waiting' || task.state === 'running') && !isWaitingForTerminals(task)
/** The board saves plans, at once or as a draft. */
const isPlan = (kind: string) => kind === 'schedule/plan' || kind === 'schedule/draft/update'
/**
 * The time for which the notice shows a finished task, or a task that only waits for terminals. If the user must act,
 * the notice stays.
 */
const doneMilliseconds = 10_000

/** The owner of the followed tasks: a person in a company. */
export const useTaskOwner = () => {
  const { company, employee } = usePerson()
  return `${company.id} ${employee.id}`
}

/**
 * Notices about background tasks in the lower corner of every page. A notice stays until the user has seen the task's
 * end.
 */
export default function TaskNotice() {
  const { t } = useTranslation('task')
  const owner = useTaskOwner()
  const followed = useFollowed(owner)
  const shown = useShown()
  const sent = useSent(owner)
  const { data } = useRead('task/grid', { size: 20 }, answer => (answer?.list.some(isOpen) ? pollMilliseconds : 0))
  useEffect(() => {
    for (const task of data?.list ?? [])
      if (isOpen(task) && !followed.some(({ id }) => id === task.id)) followTask(owner, { id: task.id })
  }, [data, followed, owner])
  // A task may end before the answer with its id arrives. So this effect runs again when `sent` learns its tasks.
  useEffect(() => {
    if (!sent) return
    for (const { id, kind, state, problemCount } of data?.list ?? [])
      if (isPlan(kind) && (state === 'failed' || problemCount > 0)) planningOf(owner).refuse(id)
  }, [data, sent, owner])
  const seen = new Set(followed.filter(({ isSeen, isTold }) => isSeen || isTold).map(({ id }) => id))
  const tasks = (data?.list ?? [])
    .filter(hasNotice)
    .filter(task => followed.some(({ id }) => id === task.id) && !seen.has(task.id) && !shown.includes(task.id))
  if (tasks.length === 0) return null
  return (
    <section className="task-notice" aria-label={t('notice.label')}>
      {tasks.map(task => (
        <Card key={task.id} task={task} followed={followed.find(({ id }) => id === task.id)} owner={owner} />
      ))}
    </section>
  )
}

function Card({ task, followed, owner }: { task: Told; followed: Followed | undefined; owner: string }) {
  const { t } = useTranslation(['task', 'shell'])
  const sentence = useSentence()
  const complain = useComplaint()
  const outcomeOf = useOutcome()
  const navigate = useNavigate()
  const { id, kind, state } = task
  const { isAwaited = false, isTemplate = false } = followed ?? {}
  const [noun, what] = kind.split('/')
  const isImport = what === 'import'
  const hasPage = isImport || isPlan(kind)
  const people = noun === 'department' || noun === 'schedule' ? noun : 'employee'
  const hasFile = state === 'done' && (what === 'export' || what === 'data')
  const load = async () => {
    try {
      followTask(owner, { id, isAwaited: false })
      if (!(await downloadOf(id))) say(t('notice.gone'), 'danger')
    } catch (error) {
      complain(error)
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: download the file once, as soon as it exists.
  useEffect(() => {
    if (hasFile && isAwaited) void load()
  }, [hasFile, isAwaited])
  const isWaiting = isWaitingForTerminals(task)
  // A notice with a file, a page or a problem stays until the user closes it.
  const timesOut = isWaiting || (state === 'done' && task.problemCount === 0 && !hasFile && !hasPage)
  useEffect(() => {
    if (!timesOut) return
    const timer = setTimeout(() => followTask(owner, { id, isTold: true }), doneMilliseconds)
    return () => clearTimeout(timer)
  }, [timesOut, owner, id])

  const describeTask = () => {
    if (state === 'failed') return t('notice.failed')
    if (isTemplate) return t(`notice.template.${state === 'done' ? 'done' : 'running'}`)
    if (state === 'done' || isWaiting) return task.dryRun ? t(`notice.checked.${people}`) : t(`notice.done.${kind}`)
    return task.dryRun ? t(`notice.checking.${people}`) : t(`notice.running.${kind}`)
  }
  const describeDetail = () => {
    if (isWaiting) return t('notice.terminals', { count: task.total - task.done })
    if (state === 'failed' && task.problemCount === 0) return task.code === undefined ? '' : sentence(task.code)
    if (task.problemCount > 0) return t('import.problems.title', { count: task.problemCount })
    if (task.recalculated) return outcomeOf(task.recalculated)
    if (state !== 'done' || !isImport) return ''
    return task.dryRun ? t('notice.noProblem') : t(`import.done.${people}`, { count: task.rowCount ?? 0 })
  }
  const isWrong = state === 'failed' || task.problemCount > 0
  const title = describeTask()
  const text = isOpen(task) ? '' : describeDetail()
  return (
    <div className="task-card">
      <div className="task-head" role="status">
        {!isOpen(task) &&
          (isWrong ? (
            <CircleAlert className="icon is-wrong" aria-hidden="true" />
          ) : (
            <CircleCheck className="icon is-fine" aria-hidden="true" />
          ))}
        <div>
          <p className="task-title">{title}</p>
          {text && <p className="muted small">{text}</p>}
        </div>
      </div>
      {isOpen(task) && <TaskProgress label={title} task={task} />}
      <div className="task-do">
        {hasPage && (
          <Button look="quiet" onClick={() => navigate(isImport ? `/${noun}?import=${id}` : '/schedule')}>
            {t('notice.show')}
          </Button>
        )}
        {hasFile && (
          <Button look="quiet" icon={<Download className="icon" />} onClick={load}>
            {t('notice.download')}
          </Button>
        )}
        {!isOpen(task) && (
          <Button
            look="quiet"
            square
            aria-label={t('shell:close')}
            icon={<X className="icon" />}
            onClick={() => followTask(owner, { id, isSeen: true })}
          />
        )}
      </div>
    </div>
  )
}
