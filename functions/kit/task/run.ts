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
import { type Kind, type Outcome, refusedExpiry, type TakingBack, type TaskInputs, type Work } from '../task.ts'
import { permitTask } from './permit.ts'

// One run of a task: it holds it, gives signs of life, hands the rest on when its time is up, and says how it ended.

/** A run ends itself in good time before the cloud would end it, and hands the rest on. */
const portionMilliseconds = Number(process.env.TASK_PORTION_MILLISECONDS ?? 90_000)
/** A run that has given no sign of life for so long is dead. */
const silenceMilliseconds = 10_000
const signMilliseconds = 2000
/** Progress is written down, and told to the browser, at most twice a second. */
const saveMilliseconds = 500
/** How often a run may fail by our fault before the task has failed. */
const mostFaults = 3

export type Kinds<K extends TaskKind = TaskKind> = { [N in K]: Kind<N> }

/** A run's end that is no fault: its time is up, or another run has taken over. */
const timeIsUp = new Error('The rest is handed on')
const takenOver = new Error('Another run holds this task')

export interface TaskFact {
  company: string
  employee: string
  task: string
}

/** The task as this run holds it: alone it writes it, in the order it was told to, and shows that it lives. */
const holdTask = (table: Table, first: Item<Task>) => {
  const key = taskKey(first.by, first.id)
  const runId = newId()
  let task = first
  /** What is being written, and what is to be written next. */
  let sent: Partial<Task> = {}
  let changes: Partial<Task> = {}
  let along: Write[] = []
  let failure: unknown
  let saving = Promise.resolve()
  let savedAt = 0
  /** Saves that wait for each other, and when the last of them says that this run is dead: each says it otherwise. */
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
        const found = await table.get(key).catch(reason => {
          throw fail(reason)
        })
        // What stands as it was read refused nothing: another of these writes did, and this run can still say that it failed.
        if (found?.version === task.version) {
          sent = {}
          throw new Error('What is written with a task was refused', { cause: error })
        }
        if (found?.run?.id !== runId) throw fail(takenOver)
        // Asked again on a broken line, the engine refuses what it has already done; what somebody else changed of it stays changed.
        if (isReleased || found.run.until !== run.until) {
          task = found
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
    // A failure is thrown to who waits for this write, and to everybody who asks after it.
    saving = done.catch(() => undefined)
    return done
  }
  const timer = setInterval(() => {
    // Behind a slow save there is to be one that tells all, and not a row of them that the end of the task would wait for.
    if (open > 0) return
    const age = Date.now() - savedAt
    if (Object.keys(changes).length > 0 ? age >= saveMilliseconds : age >= signMilliseconds)
      void flush().catch(() => undefined)
  }, saveMilliseconds / 5)

  return {
    task: () => ({ ...task, ...sent, ...changes }),
    /** Written down soon. */
    note(more: Partial<Task>) {
      if (failure) throw failure
      changes = { ...changes, ...more }
    },
    /** Written down when this returns, with other writes or not at all. */
    write(more: Partial<Task>, ...others: Write[]) {
      changes = { ...changes, ...more }
      along.push(...others)
      return flush()
    },
    /** Written down, and held no longer. */
    async release(more: Partial<Task> = {}, ...others: Write[]) {
      clearInterval(timer)
      await saving
      isReleased = true
      changes = { ...changes, ...more }
      along.push(...others)
      await flush()
    },
    /** Nothing is written any more. */
    async letGo() {
      clearInterval(timer)
      await saving
    },
  }
}
type Hold = ReturnType<typeof holdTask>

/** Waits while another run holds the task: it may be dead. Undefined where there is nothing to do (any more). */
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

/** An outcome, with the departments of whoever it was made for. */
type Judged = Outcome & Pick<Task, 'departments'>

/** Keeps the file, and answers what the task tells of its end. */
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

const finish = async (kind: Kind<TaskKind>, work: TakingBack<TaskKind>, hold: Hold, told: Partial<Task>) => {
  const { code, total } = { ...hold.task(), ...told }
  if (code !== undefined) await kind.handOn?.(work)
  const end = code === undefined ? { state: 'done' as const, done: total } : { state: 'failed' as const }
  const isOver = work.table.remove(openTaskKey(work.task))
  return hold.release({ ...told, ...end, finishedAt: new Date().toISOString() }, isOver)
}

const actorOf = ({ by, keyName, ip, kind, requestId }: Task): Actor => ({
  ...(keyName === undefined ? { employee: by } : { apiKey: { id: by, name: keyName } }),
  ...{ ip, path: kind, requestId },
})
const nounOf = (kind: TaskKind): AuditedNoun | undefined =>
  kind in importedNouns ? importedNouns[kind as keyof typeof importedNouns] : undefined

/** The one line of the audit that an import begins to write so many rows, or to take them back. */
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

/** Throws 60005 where who asked may no longer do what was asked: it is not done in their name. */
const readAsker = async (table: Table, { by, keyName, kind }: Task): Promise<Work<TaskKind>['asker']> => {
  const asker = keyName === undefined ? await readManager(table, by) : await readKeyCaller(table, by)
  const { employee, rights, canWrite } = asker
  if (!employee || !rights || !canWrite) throw new Problem(60005)
  permitTask(kind, { type: 'management', employee, permissions: rights.permissions })
  return { ...rights, employee }
}

/** Whether a fault was met as often as it is tried again. */
const isLastFault = (error: unknown, { faults = 0 }: Task) =>
  error !== timeIsUp && error !== takenOver && faults + 1 >= mostFaults

/**
 * What came of it; a Problem is an outcome, and a fault is one when it was met too often. What is owed has no such end: nobody can
 * ask for it again, so it is tried until it is done, or held up to the operators among the dead letters.
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

/** What cannot be taken back, however often it is tried, stays where it is: the log says which parts, and they name their rows. */
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
    const told = await settle(hold, work.files, outcome)
    if (outcome.code === undefined || work.step !== 'write' || !kind.takeBack) return finish(kind, work, hold, told)
    // From here on there is no way forward, whoever takes this up.
    const back = announce(company, hold.task(), 'removed', outcome.rowCount ?? hold.task().total)
    await hold.write({ ...told, step: 'takeBack', done: 0, faults: 0 }, ...back)
    work.step = 'takeBack'
  }
  return finish(kind, work, hold, await takeBack(kind, work, hold.task))
}

/**
 * Does what a fact says is to be done, or the part of it this run has time for. Told twice, it waits until the other run has
 * ended. Throws where it is to be told again.
 */
const carryOut = async (kinds: Partial<Kinds>, fact: TaskFact): Promise<void> => {
  const hold = await claim(openTable(fact.company), fact)
  if (!hold) return
  const startedAt = performance.now()
  const { kind } = hold.task()
  try {
    const known = kinds[kind]
    if (!known) throw new Error(`Nobody knows how to ${kind}`)
    await carryOn(known as Kind<TaskKind>, hold, fact.company)
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

/** A job that carries out tasks of these kinds, one after the other. `kinds` may load them: it is asked for each task, not for a run without one. */
export const performing = <K extends TaskKind>(
  name: string,
  types: readonly ('task.due' | 'sheet.due')[],
  kinds: () => Kinds<K> | Promise<Kinds<K>>,
) => job(name, types, told => tryFacts(name, 1, told, async fact => carryOut((await kinds()) as Partial<Kinds>, fact)))
