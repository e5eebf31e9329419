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

// Long work. A path stores a task and returns; the stream wakes the job `perform` or `sheet`. Its run holds the task
// while it
// renews its lease. If a run dies or its time is up, another continues from the stored state. So each kind writes only
// items
// that it can recognise as its own and complete.

type TaskStep = NonNullable<Task['step']>

type PlanKind = 'schedule/plan' | 'schedule/preview'
/** The unlocked days; from the beginning without `from`. */
export interface OpenedDays {
  from?: string
  to: string
}
export type HolidayKind = 'holiday/add' | 'holiday/update' | 'holiday/delete' | 'holiday/import'
/**
 * The input of a kind: usually the input of its path. A plan, which may be large, has its hash instead. A changed
 * holiday has its earlier and new days.
 */
export type TaskInputs = {
  [K in Exclude<TaskKind, PlanKind | HolidayKind | 'report/lock/update' | 'report/mail/send'>]: PathInput<K>
} & Record<PlanKind, { plan: string }> &
  Record<'report/lock/update', OpenedDays> &
  Record<'report/mail/send', { name: string; scheduledBy: string; file: ReportFile }> &
  Record<HolidayKind, { touched: FreedDays[] }>

const secondsFrom = (days: number) => Math.floor(Date.now() / 1000) + days * 24 * 3600

/** When the data of a task expires, in epoch seconds. */
export const taskExpiry = () => secondsFrom(taskDays)
/** The cells of a rejected sheet expire with its error sheet. */
export const refusedExpiry = () => secondsFrom(taskFileHours / 24)

/** The person a task works for. */
export interface Asker extends Pick<Caller, 'table' | 'language' | 'ip' | 'requestId' | 'apiKey'> {
  employee: Pick<Employee, 'id'>
}

/** A task to store together with the change that requires it; the kind gets the input as given here. */
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

/** Stores a task and returns its id; the kind gets the input of the path. */
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
  /** The table, in the name of that person. */
  table: Table
  files: Files
  language: string
  /** That person with their current rights. */
  asker: Rights & { employee: Item<Employee> }
  /** The step an earlier run reached. */
  step: TaskStep | undefined
  memory: Record<string, unknown>
  /** Stores data before it returns; another run finds it in `memory`. */
  remember(memory: Record<string, unknown>): Promise<void>
  /** Reports progress. A new step is stored before it returns. Throws if another run holds the task by now. */
  tell(step: TaskStep, done: number, total: number, more?: Pick<Task, 'recalculated'>): Promise<void>
  /** A point where another run can continue: ends this run if its time is up, after at least one part of the work. */
  pause(): void
}

/** The end of a task: with a code it has failed. */
export interface TaskOutcome {
  code?: Code
  rowCount?: number
  dayCount?: number
  /** All problems; the task stores their number and the first ones. */
  problems?: SheetProblem[]
  /** Set if there are more problems than these. */
  problemCount?: number
  file?: { name: string; type: string; bytes: Uint8Array }
  preview?: KeptPreview
  recalculated?: Recalculated
  /** Not finished: a later event continues and ends the task. */
  waits?: { done: number; total: number }
}

/** The work during a rollback, even if its owner has left. */
export type TakingBack<K extends TaskKind> = Omit<Work<K>, 'asker'>

export interface Kind<K extends TaskKind> {
  /** The work even if its owner has left; their rights are not checked, so `run` has no asker. */
  isOwed?: true
  /** Checks everything before anything is written; an outcome returned here ends the task. */
  check?(work: Work<K>): Promise<TaskOutcome | undefined>
  /** Does the work. A Problem or a returned code rolls it back. */
  run(work: Work<K>): Promise<TaskOutcome>
  /** Rolls back what `run` wrote, in this run or an earlier one. */
  takeBack?(work: TakingBack<K>): Promise<void>
  /** Makes other jobs follow up the items already written, if the task fails. */
  handOn?(work: TakingBack<K>): Promise<void>
}
