import { setTimeout as wait } from 'node:timers/promises'
import type { Actor } from '../../../shared/audit.ts'
import type { AuditedNoun } from '../../../shared/change.ts'
import { employeeKey } from '../../../shared/employee.ts'
import { Problem } from '../../../shared/errors.ts'
import {
  importedNouns,
  mostProblemsShown,
  openTaskKey,
  type Task,
  type TaskKind,
  type TaskPart,
  taskFileKey,
  taskKey,
  taskPartKey,
} from '../../../shared/task.ts'
import { isGone, rightsOf } from '../caller.ts'
import { type Files, openFiles } from '../files.ts'
import { newId } from '../id.ts'
import { job, tryFacts } from '../job.ts'
import { readKeyCaller } from '../lambda/apikey.ts'
import { faultOf, log } from '../log.ts'
import { type Item, openTable, save, type Table, type Write } from '../table.ts'
import { type Kind, refusedExpiry, type TakingBack, type TaskInputs, type TaskOutcome, type Work } from '../task.ts'
import { permitTask } from './permit.ts'

// One run of a task. A run holds the task, renews its lease, hands over at the end of its time, and stores the outcome.

/** A run ends before the Lambda time limit; another run continues the rest. */
const portionMilliseconds = Number(process.env.TASK_PORTION_MILLISECONDS ?? 90_000)
/** A run without a renewed lease for this long counts as dead. */
const silenceMilliseconds = 10_000
const signMilliseconds = 2000
/** The runner stores and pushes progress at most twice a second. */
const saveMilliseconds = 500
/** A task fails after this many server faults. */
const mostFaults = 3

export type Kinds<K extends TaskKind = TaskKind> = { [N in K]: Kind<N> }

/** These errors end a run normally: its time is up, or another run took over. */
const timeIsUp = new Error('The rest is handed on')
const takenOver = new Error('Another run holds this task')

export interface TaskFact {
  company: string
  employee: string
  task: string
}

/** The task while this run holds it: only this run writes the task, in order, and renews the lease. */
const holdTask = (table: Table, first: Item<Task>) => {
  const key = taskKey(first.by, first.id)
  const runId = newId()
  let task = first
  /** The changes of the write in progress, and those of the next write. */
  let sent: Partial<Task> = {}
  let changes: Partial<Task> = {}
  let along: Write[] = []
  let failure: unknown
  let saving = Promise.resolve()
  let savedAt = 0
  /** The number of saves that are running or waiting for an earlier save. */
  let open = 0
  let until = 0
  let isReleased = false

  const fail = (reason: unknown) => {
    failure = reason
    return reason
  }
  const write = async () => {
    if (failure) throw failure
    const writes = along
    ;[sent, changes, along] = [changes, {}, []]
    for (;;) {
      const { run: _, ...rest } = { ...task, ...sent }
      until = Math.max(Date.now() + silenceMilliseconds, until + 1)
      const run = { id: runId, until }
      const next = { ...rest, ...(!isReleased && { run }), version: task.version }
      try {
        await save(table.replace(key, next), ...writes)
      } catch (error) {
        if (!(error instanceof Problem)) throw fail(error)
        const stored = await table.get(key).catch(reason => {
          throw fail(reason)
        })
        // If the task is unchanged, another write of this save failed, so this run can still store its failure.
        if (stored?.version === task.version) {
          sent = {}
          throw new Error('What is written with a task was refused', { cause: error })
        }
        if (stored?.run?.id !== runId) throw fail(takenOver)
        // The engine also rejects the retry of a write that succeeded before the connection broke. In other cases
        // another function changed the task: keep its change and write again.
        if (isReleased || stored.run.until !== run.until) {
          task = stored
          continue
        }
      }
      task = { ...next, version: next.version + 1 }
      break
    }
    sent = {}
    savedAt = Date.now()
  }
  const flush = () => {
    open++
    const done = saving.then(write).finally(() => open--)
    // Each caller gets its failure from `done`, and `failure` makes later calls throw.
    saving = done.catch(() => undefined)
    return done
  }
  const timer = setInterval(() => {
    // During a slow save, one pending save collects all changes. So the end of the task waits for one save, not for
    // many.
    if (open > 0) return
    const age = Date.now() - savedAt
    if (Object.keys(changes).length > 0 ? age >= saveMilliseconds : age >= signMilliseconds)
      void flush().catch(() => undefined)
  }, saveMilliseconds / 5)

  return {
    task: () => ({ ...task, ...sent, ...changes }),
    /** Stores the changes with the next regular save. */
    note(more: Partial<Task>) {
      if (failure) throw failure
      changes = { ...changes, ...more }
    },
    /** Stores the changes together with the other writes before it returns. */
    write(more: Partial<Task>, ...others: Write[]) {
      changes = { ...changes, ...more }
      along.push(...others)
      return flush()
    },
    /** Stores the end of the task and releases it. */
    async release(more: Partial<Task> = {}, ...others: Write[]) {
      clearInterval(timer)
      await saving
      isReleased = true
      changes = { ...changes, ...more }
      along.push(...others)
      await flush()
    },
    async letGo() {
      clearInterval(timer)
      await saving
    },
  }
}
type Hold = ReturnType<typeof holdTask>

/**
 * Takes over the task; waits while another run holds it, in case that run is dead. Returns undefined if the task has
 * ended.
 */
const claim = async (table: Table, { employee, task: id }: TaskFact): Promise<Hold | undefined> => {
  const until = Date.now() + Math.max(portionMilliseconds, 2 * silenceMilliseconds)
  for (;;) {
    const task = await table.get(taskKey(employee, id))
    if (!task || task.state === 'done' || task.state === 'failed') return undefined
    if (!task.run || task.run.until < Date.now()) {
      const hold = holdTask(table, task)
      try {
        await hold.write({ state: 'running' })
        return hold
      } catch (error) {
        await hold.letGo()
        if (error !== takenOver) throw error
      }
    }
    if (Date.now() > until) throw new Error('Another run holds this task for too long')
    await wait(saveMilliseconds)
  }
}

/** An outcome, with the departments of the task's owner. */
type Judged = TaskOutcome & Pick<Task, 'departments'>

/** Stores the file and returns the task's final fields. */
const settle = async (
  hold: Hold,
  files: Files,
  {
    code,
    rowCount,
    dayCount,
    problems = [],
    problemCount = problems.length,
    file,
    departments,
    preview,
    recalculated,
  }: Judged,
): Promise<Partial<Task>> => {
  if (file) await files.write(taskFileKey(hold.task().id), { type: file.type, bytes: file.bytes, isPassing: true })
  return {
    ...(code !== undefined && { code }),
    ...(rowCount !== undefined && { rowCount }),
    ...(dayCount !== undefined && { dayCount }),
    ...(preview && { preview }),
    ...(recalculated && { recalculated }),
    ...(problemCount > 0 && { problemCount, problems: problems.slice(0, mostProblemsShown) }),
    ...(problems.some(({ value }) => value !== undefined) && { expiresAt: refusedExpiry() }),
    ...(file && { file: { name: file.name, type: file.type }, ...(departments && { departments }) }),
  }
}

const finish = async (kind: Kind<TaskKind>, work: TakingBack<TaskKind>, hold: Hold, result: Partial<Task>) => {
  const { code, total } = { ...hold.task(), ...result }
  if (code !== undefined) await kind.handOn?.(work)
  const end = code === undefined ? { state: 'done' as const, done: total } : { state: 'failed' as const }
  const isOver = work.table.remove(openTaskKey(work.task))
  return hold.release({ ...result, ...end, finishedAt: new Date().toISOString() }, isOver)
}

const actorOf = ({ by, keyName, ip, kind, requestId }: Task): Actor => ({
  ...(keyName === undefined ? { employee: by } : { apiKey: { id: by, name: keyName } }),
  ...{ ip, path: kind, requestId },
})
const nounOf = (kind: TaskKind): AuditedNoun | undefined =>
  kind in importedNouns ? importedNouns[kind as keyof typeof importedNouns] : undefined

/** The single audit entry of an import, or of its rollback. */
const announce = (company: string, task: Task, change: 'added' | 'removed', count = 0): Write[] => {
  const noun = nounOf(task.kind)
  if (!noun) return []
  return [openTable(company, actorOf(task)).note({ noun, id: task.id, name: '', change, fields: {}, count })]
}

const openWork = (hold: Hold, company: string): TakingBack<TaskKind> => {
  const startedAt = Date.now()
  const { id, kind, by, input, language, step, memory = {} } = hold.task()
  const work: TakingBack<TaskKind> = {
    ...{ task: id, kind, by, input: input as TaskInputs[TaskKind], company, language, step, memory },
    table: openTable(company, { ...actorOf(hold.task()), ...(nounOf(kind) && { task: id }) }),
    files: openFiles(company),
    async remember(more) {
      work.memory = { ...work.memory, ...more }
      await hold.write({ memory: work.memory })
    },
    async tell(step, done, total, more) {
      work.step = step
      if (hold.task().step === step) hold.note({ done, total, ...more })
      else
        await hold.write(
          { step, done, total },
          ...(step === 'write' ? announce(company, hold.task(), 'added', total) : []),
        )
    },
    pause() {
      hold.note({})
      if (Date.now() - startedAt > portionMilliseconds) throw timeIsUp
    },
  }
  return work
}

const readManager = async (table: Table, id: string) => {
  const employee = await table.get(employeeKey(id))
  const rights = employee && !(await isGone(table, employee)) ? await rightsOf(table, employee) : undefined
  return { employee, rights, canWrite: true }
}

/** Throws 60005 if the owner has lost the permission since then, so that nothing happens in their name. */
const readAsker = async (table: Table, { by, keyName, kind }: Task): Promise<Work<TaskKind>['asker']> => {
  const asker = keyName === undefined ? await readManager(table, by) : await readKeyCaller(table, by)
  const { employee, rights, canWrite } = asker
  if (!employee || !rights || !canWrite) throw new Problem(60005)
  permitTask(kind, { type: 'management', employee, permissions: rights.permissions })
  return { ...rights, employee }
}

/** Whether this is the last fault that the runner retries. */
const isLastFault = (error: unknown, { faults = 0 }: Task) =>
  error !== timeIsUp && error !== takenOver && faults + 1 >= mostFaults

/**
 * Runs the work and turns its errors into an outcome. A Problem is an outcome at once, a fault only after too many
 * retries. No person can request owed work again, so its errors cause retries until it succeeds or reaches the
 * dead-letter queue.
 */
const judge = async (kind: Kind<TaskKind>, base: TakingBack<TaskKind>, task: Task): Promise<Judged> => {
  try {
    const asker = kind.isOwed ? undefined : await readAsker(base.table, task)
    const work = Object.assign(base, { asker }) as Work<TaskKind>
    const early = base.step === 'write' ? undefined : await kind.check?.(work)
    const outcome = early ?? (await kind.run(work))
    const departments = asker?.departments
    return { ...outcome, ...(departments && { departments: [...departments] }) }
  } catch (error) {
    if (kind.isOwed) throw error
    if (error instanceof Problem) return { code: error.code }
    if (!isLastFault(error, task)) throw error
    log({ job: 'task', task: task.id, kind: task.kind, fault: faultOf(error) })
    return { code: 60011 }
  }
}

/** Rolls a task back. Parts that it cannot roll back stay. The log names these parts, and each part names its rows. */
const takeBack = async (kind: Kind<TaskKind>, work: TakingBack<TaskKind>, task: () => Task): Promise<Partial<Task>> => {
  try {
    await kind.takeBack?.(work)
    return {}
  } catch (error) {
    if (!isLastFault(error, task())) throw error
    const parts = await work.table.all<TaskPart>({ pk: taskPartKey(work.task, 0).pk })
    const left = parts.filter(({ state }) => state === 'written').map(({ part }) => part)
    log({ job: 'task', task: work.task, kind: task().kind, left, fault: faultOf(error) })
    return { code: 60011 }
  }
}

const carryOn = async (kind: Kind<TaskKind>, hold: Hold, company: string) => {
  const work = openWork(hold, company)
  if (work.step !== 'takeBack') {
    const outcome = await judge(kind, work, hold.task())
    if (outcome.waits) return hold.release({ step: 'wait', ...outcome.waits })
    const result = await settle(hold, work.files, outcome)
    if (outcome.code === undefined || work.step !== 'write' || !kind.takeBack) return finish(kind, work, hold, result)
    // From here on every run can only roll the task back.
    const back = announce(company, hold.task(), 'removed', outcome.rowCount ?? hold.task().total)
    await hold.write({ ...result, step: 'takeBack', done: 0, faults: 0 }, ...back)
    work.step = 'takeBack'
  }
  return finish(kind, work, hold, await takeBack(kind, work, hold.task))
}

/**
 * Runs the task of an event, or the part of it that fits into this run. A duplicate waits for the other run to end.
 * Throws if the queue must deliver the event again.
 */
const carryOut = async (kinds: Partial<Kinds>, fact: TaskFact): Promise<void> => {
  const hold = await claim(openTable(fact.company), fact)
  if (!hold) return
  const startedAt = performance.now()
  const { kind } = hold.task()
  try {
    const handler = kinds[kind]
    if (!handler) throw new Error(`Nobody knows how to ${kind}`)
    await carryOn(handler as Kind<TaskKind>, hold, fact.company)
  } catch (error) {
    const { portions = 0, faults = 0 } = hold.task()
    if (error === timeIsUp) await hold.release({ portions: portions + 1 })
    else if (error === takenOver) await hold.letGo()
    else {
      await hold.release({ faults: faults + 1 }).catch(hold.letGo)
      throw error
    }
  } finally {
    const { state, step, done, total } = hold.task()
    log({ job: 'task', ...fact, kind, state, step, done, total, ms: Math.round(performance.now() - startedAt) })
  }
}

/**
 * A job that runs tasks of these kinds, one after the other. `kinds` runs for each task, so it can load kinds on
 * demand.
 */
export const performing = <K extends TaskKind>(
  name: string,
  types: readonly ('task.due' | 'sheet.due')[],
  kinds: () => Kinds<K> | Promise<Kinds<K>>,
) =>
  job(name, types, facts => tryFacts(name, 1, facts, async fact => carryOut((await kinds()) as Partial<Kinds>, fact)))
