import type { PathInput } from '../../shared/api.ts'
import type { Employee } from '../../shared/employee.ts'
import type { Code } from '../../shared/errors.ts'
import type { FreedDays } from '../../shared/holiday/day.ts'
import type { KeptPreview, Recalculated } from '../../shared/preview.ts'
import type { ReportFile } from '../../shared/report.ts'
import {
  openTaskKey,
  type SheetProblem,
  type Task,
  type TaskKind,
  taskDays,
  taskFileHours,
  taskKey,
} from '../../shared/task.ts'
import type { Caller, Rights } from './caller.ts'
import type { Files } from './files.ts'
import { newId } from './id.ts'
import { type Item, save, type Table, type Write } from './table.ts'

// Long work. A path stores a task and returns; the stream wakes the job `perform` or `sheet`. A run holds the task
// while it renews its lease. If a run dies or its time is up, another run continues from the stored state. So each kind
// writes only items that it can later recognise and complete.

type TaskStep = NonNullable<Task['step']>

type PlanKind = 'schedule/draft/update' | 'schedule/plan' | 'schedule/preview'
/** The unlocked days. Without `from`, all days up to `to`. */
export interface OpenedDays {
  from?: string
  to: string
}
export type TouchedKind = 'department/update' | 'holiday/add' | 'holiday/update' | 'holiday/delete' | 'holiday/import'
/** A changed entry of a terminal's list, with the person who had the number before. */
export interface ChangedNumber {
  serialNumber: string
  number: string
  from?: string | undefined
  formerEmployee?: string | undefined
}

/**
 * The input of a kind: usually the input of its path. A plan may be large, so its input is a hash. A changed
 * holiday or zone has its days and departments.
 */
export type TaskInputs = {
  [K in Exclude<
    TaskKind,
    PlanKind | TouchedKind | 'report/lock/update' | 'report/mail/send' | 'device/number/update'
  >]: PathInput<K>
} & Record<PlanKind, { plan: string }> &
  Record<'report/lock/update', OpenedDays> &
  Record<'device/number/update', ChangedNumber> &
  Record<'report/mail/send', { name: string; scheduledBy: string; file: ReportFile }> &
  Record<TouchedKind, { touched: FreedDays[] }>

const secondsFrom = (days: number) => Math.floor(Date.now() / 1000) + days * 24 * 3600

/** When the data of a task expires, in epoch seconds. */
export const taskExpiry = () => secondsFrom(taskDays)
/** When the cells of a rejected sheet expire: together with its error sheet. */
export const refusedExpiry = () => secondsFrom(taskFileHours / 24)

/** The person for whom a task works. */
export interface Asker extends Pick<Caller, 'table' | 'language' | 'ip' | 'requestId' | 'apiKey'> {
  employee: Pick<Employee, 'id'>
}

/** A task to store together with the change that requires it. `input` becomes the task's input. */
export const newTask = <K extends TaskKind>(
  { table, employee, apiKey, language, ip, requestId }: Asker,
  kind: K,
  input: TaskInputs[K],
): { task: string; writes: Write[] } => {
  const id = newId()
  const task: Task = {
    ...{ id, kind, input, by: employee.id, language, ip, requestId },
    ...(apiKey && { keyName: apiKey.name }),
    ...{ state: 'waiting', done: 0, total: 0 },
    createdAt: new Date().toISOString(),
    expiresAt: taskExpiry(),
  }
  const open = { id, kind, by: employee.id, expiresAt: task.expiresAt }
  return { task: id, writes: [table.insert(taskKey(employee.id, id), task), table.insert(openTaskKey(id), open)] }
}

/** The task that a change requires, to store in its transaction; none without an input. */
export const owe = <K extends TaskKind>(
  caller: Caller,
  kind: K,
  input: TaskInputs[K] | undefined,
): { task?: string; writes: Write[] } => {
  return input === undefined ? { writes: [] } : newTask(caller, kind, input)
}

/** Stores a task with the input of its path, and returns the task's id. */
export const beginTask = async <K extends TaskKind>(
  caller: Caller,
  kind: K,
  input: TaskInputs[K],
): Promise<{ task: string }> => {
  const { task, writes } = newTask(caller, kind, input)
  await save(...writes)
  return { task }
}

/** Input and tools of a run. */
export interface Work<K extends TaskKind> {
  task: string
  kind: TaskKind
  /** The person who started the task. */
  by: string
  input: TaskInputs[K]
  company: string
  /** The table, with that person as the actor. */
  table: Table
  files: Files
  language: string
  /** The person with their current rights. */
  asker: Rights & { employee: Item<Employee> }
  /** The step that an earlier run reached. */
  step: TaskStep | undefined
  memory: Record<string, unknown>
  /** Stores data before it returns; later runs find the data in `memory`. */
  remember(memory: Record<string, unknown>): Promise<void>
  /** Reports progress. Stores a new step before it returns. Throws if another run now holds the task. */
  tell(step: TaskStep, done: number, total: number, more?: Pick<Task, 'recalculated'>): Promise<void>
  /** A point where another run can continue. Ends this run if its time is up, after at least one part of the work. */
  pause(): void
}

/** The end of a task. An outcome with a code means that the task failed. */
export interface TaskOutcome {
  code?: Code
  rowCount?: number
  dayCount?: number
  /** All problems. The task stores their number and the first of them. */
  problems?: SheetProblem[]
  /** The number of all problems, if `problems` does not contain them all. */
  problemCount?: number
  file?: { name: string; type: string; bytes: Uint8Array }
  preview?: KeptPreview
  recalculated?: Recalculated
  /** Set if a later event continues and ends the task. */
  waits?: { done: number; total: number }
}

/** The work during a rollback, which continues after its owner has left. */
export type TakingBack<K extends TaskKind> = Omit<Work<K>, 'asker'>

export interface Kind<K extends TaskKind> {
  /**
   * The work continues after its owner has left. The runner does not check the owner's rights, so `run` has no asker.
   */
  isOwed?: true
  /** Checks everything before the first write. An outcome returned here ends the task. */
  check?(work: Work<K>): Promise<TaskOutcome | undefined>
  /** Does the work. After a Problem or a returned code, the runner rolls the work back. */
  run(work: Work<K>): Promise<TaskOutcome>
  /** Rolls back the writes of `run`, in this run or an earlier run. */
  takeBack?(work: TakingBack<K>): Promise<void>
  /** Makes other jobs follow up the items already written, if the task fails. */
  handOn?(work: TakingBack<K>): Promise<void>
}
