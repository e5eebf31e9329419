import type { PathInput } from '../../shared/api.ts'
import type { Employee } from '../../shared/employee.ts'
import type { Code } from '../../shared/errors.ts'
import type { FreedDays } from '../../shared/holiday.ts'
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

// Long work. A path writes a task down and answers; the stream wakes the job `perform` or `sheet`, whose run holds the task for as long as
// it gives signs of life. A run that died, or whose time was up, is followed by another, which begins where it finds things to
// be. So a kind of task writes nothing it could not recognise as its own and finished. `task-run.ts` is how that is done.

type Step = NonNullable<Task['step']>

type PlanKind = 'schedule/plan' | 'schedule/preview'
/** The days that were locked and are no longer; from the beginning where there is no first. */
export interface OpenedDays {
  from?: string
  to: string
}
export type HolidayKind = 'holiday/add' | 'holiday/update' | 'holiday/delete' | 'holiday/import'
/**
 * What a kind is given: what its path took, but of a plan, which may be large, the hash it is kept under, and of a changed
 * holiday the days it freed and those it frees now.
 */
export type TaskInputs = {
  [K in Exclude<TaskKind, PlanKind | HolidayKind | 'report/lock/update' | 'report/mail/send'>]: PathInput<K>
} & Record<PlanKind, { plan: string }> &
  Record<'report/lock/update', OpenedDays> &
  Record<'report/mail/send', { name: string; file: ReportFile }> &
  Record<HolidayKind, { touched: FreedDays[] }>

const secondsFrom = (days: number) => Math.floor(Date.now() / 1000) + days * 24 * 3600

/** Until when what belongs to a task is remembered, in epoch seconds. */
export const taskExpiry = () => secondsFrom(taskDays)
/** What stands in the cells of a sheet that was refused is kept no longer than the sheet that says what is wrong. */
export const refusedExpiry = () => secondsFrom(taskFileHours / 24)

/** In whose name a task is done. */
export interface Asker extends Pick<Caller, 'table' | 'language' | 'ip' | 'requestId' | 'apiKey'> {
  employee: Pick<Employee, 'id'>
}

/** What is to be done, to be written down in one transaction with what it is owed for; the kind gets the input as it is here. */
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

/** A task a change may owe, to be written in its transaction: none where there is nothing to be done. */
export const owe = <K extends TaskKind>(
  caller: Caller,
  kind: K,
  input: TaskInputs[K] | undefined,
): { task?: string; writes: Write[] } => {
  return input === undefined ? { writes: [] } : newTask(caller, kind, input)
}

/** Writes down what is to be done, and answers its id; what the path was asked is what the kind gets. */
export const beginTask = async <K extends TaskKind>(
  caller: Caller,
  kind: K,
  input: TaskInputs[K],
): Promise<{ task: string }> => {
  const { task, writes } = newTask(caller, kind, input)
  await save(...writes)
  return { task }
}

/** What a run has in hand. */
export interface Work<K extends TaskKind> {
  task: string
  kind: TaskKind
  /** Who asked for it. */
  by: string
  input: TaskInputs[K]
  company: string
  /** Opened in the name of who asked. */
  table: Table
  files: Files
  language: string
  /** Who asked, with the rights they have now. */
  asker: Rights & { employee: Item<Employee> }
  /** The step an earlier run had come to. */
  step: Step | undefined
  memory: Record<string, unknown>
  /** Written down when this returns; another run finds it in `memory`. */
  remember(memory: Record<string, unknown>): Promise<void>
  /** Says how far it is. A new step is written down when this returns. Throws where another run holds the task by now. */
  tell(step: Step, done: number, total: number, more?: Pick<Task, 'recalculated'>): Promise<void>
  /**
   * A place where the task may be left and taken up by another run, at least one part of it done since it began: ends this
   * run when its time is up.
   */
  pause(): void
}

/** How a task ends: with a code it has failed. */
export interface Outcome {
  code?: Code
  rowCount?: number
  dayCount?: number
  /** All of them; the task tells their number and the first. */
  problems?: SheetProblem[]
  /** Where there are more than these. */
  problemCount?: number
  file?: { name: string; type: string; bytes: Uint8Array }
  preview?: KeptPreview
  recalculated?: Recalculated
  /** It is not at its end: what it waits for writes on, and ends it. */
  waits?: { done: number; total: number }
}

/** As it is when it is taken back: whatever became of who asked. */
export type TakingBack<K extends TaskKind> = Omit<Work<K>, 'asker'>

export interface Kind<K extends TaskKind> {
  /** It is done whatever became of who asked, whose rights are not looked at again: `run` has no asker. */
  isOwed?: true
  /** Looks at everything before anything is written; where it answers an outcome, the task ends with that. */
  check?(work: Work<K>): Promise<Outcome | undefined>
  /** Does it. What throws a Problem, or answers a code, is taken back. */
  run(work: Work<K>): Promise<Outcome>
  /** Takes back what `run` has written so far, in this run or an earlier one. */
  takeBack?(work: TakingBack<K>): Promise<void>
  /** Sees to it that what stays written is followed up by others, where the task fails before it has done so. */
  handOn?(work: TakingBack<K>): Promise<void>
}
