import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type PathOutput, write } from '../../api.ts'
import {
  type Change,
  changesOf,
  inverseOf,
  type PlanRequest,
  requestsFor,
  savedOf,
  withCells,
} from '../../parts/board/plan.ts'
import { useComplaint } from '../../parts/field/form.tsx'
import { TaskProgress } from '../../parts/say/progress.tsx'
import { say } from '../../parts/say/toast.tsx'
import { planningOf, type Sent, usePlanning } from '../../plans.ts'
import { refresh, useRead } from '../../read.ts'
import { followTask, showTask } from '../../tasks.ts'

// A background task saves the plan. Meanwhile the user can use the board, which finds the task again after navigation.

export type Task = PathOutput<'task/get'>
export type Problem = Task['problems'][number]

const pollMilliseconds = 700
/** The progress before the server has answered. */
export const waiting = { state: 'waiting', done: 0, total: 0 } as const
const isOpen = ({ state }: Task) => state === 'waiting' || state === 'running'

export const useSave = (
  owner: string,
  today: string,
  /** The days on the board, and a function that reads them again. */
  { from, to, readAgain }: { from: string; to: string; readAgain: () => Promise<unknown> },
) => {
  const { t } = useTranslation('schedule')
  const complain = useComplaint()
  const planning = planningOf(owner)
  const { sent, saved, people, history, at } = usePlanning(owner)
  const [problems, setProblems] = useState<readonly Problem[]>([])
  /** The number of problems that the task does not list. */
  const [unnamed, setUnnamed] = useState(0)
  const [busy, setBusy] = useState(false)
  /** The requests that wait for the user's confirmation, and their previews so far. */
  const [previewing, setPreviewing] = useState<{ requests: PlanRequest[]; tasks: string[]; isTakingBack: boolean }>()
  const plan = history[at] ?? {}
  const isDrafting = useRead('schedule/draft/summary', {}).data?.draftsSchedule ?? false

  const changes = () =>
    Object.entries(planningOf(owner).read().history[planningOf(owner).read().at] ?? {}).flatMap(([employee, cells]) =>
      changesOf(employee, cells, planning.read().people.get(employee)),
    )

  /** A draft contains no past days. Those apply at once, after their preview. */
  const isDraft = (changes: readonly Change[]) => isDrafting && changes.every(({ day }) => day >= today)
  /** The requests that need a preview come first. */
  const requestsOf = (planned: readonly Change[]) =>
    isDrafting
      ? [
          ...requestsFor(planned.filter(({ day }) => day < today)),
          ...requestsFor(planned.filter(({ day }) => day >= today)),
        ]
      : requestsFor(planned)

  const send = async (requests: readonly PlanRequest[], previews: readonly string[], isTakingBack: boolean) => {
    planning.send({ count: requests.reduce((sum, { changes }) => sum + changes.length, 0), isTakingBack })
    const tasks: { id: string; changes: Change[] }[] = []
    try {
      for (const [index, { input, changes }] of requests.entries()) {
        const preview = previews[index]
        const { task } = await (isDraft(changes)
          ? write('schedule/draft/update', { plan: input })
          : write('schedule/plan', { plan: input, ...(preview && { preview }) }))
        followTask(owner, { id: task })
        tasks.push({ id: task, changes })
        planning.follow(tasks, false)
      }
    } catch (error) {
      if (tasks.length === 0) {
        planning.recall()
        throw error
      }
      complain(error)
    }
    planning.follow(tasks, true)
    refresh(['task/'])
  }

  const countPreviewed = (requests: readonly PlanRequest[]) =>
    requests.filter(({ changes }) => !isDraft(changes)).length

  const preview = async (requests: PlanRequest[], tasks: string[], isTakingBack: boolean) => {
    const next = requests[tasks.length]
    if (!next) return
    const { task } = await write('schedule/preview', { plan: next.input })
    setPreviewing({ requests, tasks: [...tasks, task], isTakingBack })
  }

  /** Starts saving; throws if no task has started. Past days first need a preview. */
  const begin = async (isTakingBack = false) => {
    setBusy(true)
    setProblems([])
    setUnnamed(0)
    try {
      // The company may have turned drafts on or off since the board was read.
      const { draftsSchedule } = await call('schedule/draft/summary', {})
      if (draftsSchedule !== isDrafting) {
        refresh(['schedule/draft'])
        say(t('draft.otherMode'), 'danger')
        return
      }
      const plannedChanges = changes()
      const requests = requestsOf(plannedChanges)
      if (plannedChanges.some(({ day }) => day < today)) await preview(requests, [], isTakingBack)
      else await send(requests, [], isTakingBack)
    } finally {
      setBusy(false)
    }
  }

  const agree = async () => {
    if (!previewing) return
    const { requests, tasks, isTakingBack } = previewing
    if (tasks.length < countPreviewed(requests)) return preview(requests, tasks, isTakingBack)
    await send(requests, tasks, isTakingBack)
    setPreviewing(undefined)
  }

  /** Ends a save after its last part. Unsaved changes stay on the board. */
  const finish = async (ended: readonly Task[]) => {
    const { tasks: parts = [], isTakingBack } = planning.read().sent ?? {}
    const savedChanges = savedOf(parts, ended)
    // The board reads its own days from the server again.
    await readAgain()
    // The board does not read days outside its range again, so those days take the saved changes.
    planning.learnSaved(savedChanges.filter(({ day }) => day < from || day > to))
    planning.arrive(savedChanges)
    setProblems(ended.flatMap(({ problems }) => problems))
    setUnnamed(ended.reduce((sum, { problemCount, problems }) => sum + problemCount - problems.length, 0))
    for (const { id } of parts) followTask(owner, { id, isSeen: true })
    const count = ended.reduce((sum, { rowCount = 0 }) => sum + rowCount, 0)
    if (count > 0 || savedChanges.length > 0) say(t(isTakingBack ? 'takeBack.done' : 'savedDays', { count }))
    const failed = ended.find(({ state, problemCount }) => state === 'failed' && problemCount === 0)
    if (failed) setProblems([{ row: 0, field: '', code: failed.code ?? 60011 }])
    refresh(['shift/', 'schedule/'])
  }

  return {
    plan,
    sent,
    people,
    /** The company plans in a draft. */
    isDrafting,
    busy: busy || sent !== undefined,
    problems,
    unnamed,
    dismiss: () => setProblems([]),
    begin,
    previewing: previewing && {
      task: previewing.tasks.at(-1),
      part: previewing.tasks.length,
      parts: countPreviewed(previewing.requests),
    },
    agree,
    refuse: () => setPreviewing(undefined),
    finish,
    canTakeBack: saved !== undefined && sent === undefined,
    savedCount: saved?.length ?? 0,
    /** Restores the state before the last save, and saves that state. */
    takeBack: async (least: string) => {
      const cells = inverseOf(saved ?? [], people, least)
      planning.plan((previous, { people }) => withCells(previous, cells, people))
      if (cells.length > 0) await begin(true)
      else say(t('takeBack.nothing'), 'danger')
    },
  }
}

/** The progress of a running save. */
export function Saving({ sent, onEnd }: { sent: Sent; onEnd: (ended: readonly Task[]) => Promise<void> }) {
  const { t } = useTranslation('schedule')
  const ended = useRef(new Map<string, Task>())
  const end = (task: Task) => {
    ended.current.set(task.id, task)
    if (sent.isBegun && sent.tasks.every(({ id }) => ended.current.has(id))) void onEnd([...ended.current.values()])
  }
  return (
    <div className="saving card">
      {sent.tasks.map(({ id }) => (
        <SavingPart key={id} id={id} label={t('saving')} isBegun={sent.isBegun} onEnd={end} />
      ))}
    </div>
  )
}

/** The progress of one task of a save or a publication. */
export function SavingPart(props: { id: string; label: string; isBegun: boolean; onEnd: (task: Task) => void }) {
  const { id, label, isBegun, onEnd } = props
  const { data } = useRead('task/get', { id }, answer => (!answer || isOpen(answer) ? pollMilliseconds : 0))
  useEffect(() => showTask(id), [id])
  const isOver = data !== undefined && !isOpen(data)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a part reports its end once, after all parts have started.
  useEffect(() => {
    if (isOver && isBegun) onEnd(data)
  }, [isOver, isBegun])
  return <TaskProgress label={label} task={data ?? waiting} />
}
