import * as z from 'zod'
import type { AuditedNoun, Change } from './change.ts'
import { at, type Declarations, day, gridInput, gridOutput, id } from './contract.ts'
import type { Code } from './errors.ts'
import { type KeptPreview, preview, type Recalculated, recalculated } from './preview.ts'
import type { Key } from './table.ts'

// Long-running work. A path stores a task and returns at once. A job runs the task, and the caller can read its
// progress.

/** Tasks that take too long for a call. `events/perform.ts` has an entry for each. */
export const performedKinds = [
  'attparams/hours/preview',
  'attparams/hours/update',
  'attparams/preview',
  'attparams/update',
  'company/sample/load',
  'company/sample/remove',
  'company/time/preview',
  'company/time/update',
  'department/preview',
  'department/update',
  'device/number/update',
  'employee/erase',
  'holiday/add',
  'holiday/delete',
  'holiday/import',
  'holiday/preview',
  'holiday/update',
  'record/orphan/assign',
  'record/orphan/return',
  'report/lock/preview',
  'report/lock/update',
  'schedule/draft/update',
  'schedule/plan',
  'schedule/preview',
  'schedule/publish',
  'shift/preview',
  'shift/update',
] as const
/** Tasks that read or write files; `events/sheet/work.ts` runs them. */
export const sheetKinds = [
  'department/export',
  'department/import',
  'employee/data',
  'employee/export',
  'employee/import',
  'record/export',
  'report/export',
  'report/mail/send',
  'schedule/export',
  'schedule/import',
  'temperature/export',
] as const
export const taskKinds = [...performedKinds, ...sheetKinds] as const
export type PerformedKind = (typeof performedKinds)[number]
export type SheetKind = (typeof sheetKinds)[number]
export type TaskKind = PerformedKind | SheetKind

/** Tasks that recalculate worked days. Managers cannot lock days while such a task runs. */
export const calculatingKinds: ReadonlySet<TaskKind> = new Set([
  'attparams/hours/update',
  'attparams/update',
  'company/sample/load',
  'company/sample/remove',
  'company/time/update',
  'department/update',
  'device/number/update',
  'holiday/add',
  'holiday/delete',
  'holiday/import',
  'holiday/update',
  'record/orphan/assign',
  'record/orphan/return',
  'report/lock/update',
  'schedule/import',
  'schedule/plan',
  'schedule/publish',
  'shift/update',
] as const)

const isOnSheet = ({ kind }: Pick<Task, 'kind'>) => (sheetKinds as readonly string[]).includes(kind)

/** The noun that an import writes. The audit has one entry for the import, and lists its rows under the task. */
export const importedNouns = {
  'department/import': 'department',
  'employee/import': 'employee',
} as const satisfies Partial<Record<TaskKind, AuditedNoun>>

/** The employee and the day of a schedule problem. For a conflict, also the conflicting assignment. */
const about = z.object({
  employee: id,
  name: z.string(),
  day: day.optional(),
  shift: z.string().optional(),
  withDay: day.optional(),
  withShift: z.string().optional(),
})

/** The common prefix of the ids of all objects that an import creates. */
export const rowsOf = (task: string): string => task.slice(0, 12)

/** The id of a row's item. The id follows from task and row, so that no run writes a row twice. Ids sort by row. */
export const rowId = (task: string, row: number): string => rowsOf(task) + row.toString(36).padStart(4, '0')

/**
 * A problem in one cell of a sheet or a plan. A sheet's headings are row 1; a plan's first row is 1. The item omits the
 * employee's name, because a task may outlive the name of an erased person.
 */
export interface SheetProblem {
  row: number
  field: string
  code: Code
  /** The content of the cell. */
  value?: string
  about?: Omit<z.output<typeof about>, 'name'>
}

/** The most problems in a task. With more problems, the user needs the sheet that marks them all. */
export const mostProblemsShown = 100

const steps = ['check', 'write', 'calculate', 'takeBack', 'wait'] as const

export interface Task {
  id: string
  kind: TaskKind
  /** The input of the path that started the task. */
  input: unknown
  /** The employee or API key that started the task, and the language of headings and texts. */
  by: string
  /** Only for an API key: the key's name at that time. */
  keyName?: string
  language: string
  /** The caller's address, for the audit of the task's writes. */
  ip: string
  requestId: string
  state: 'waiting' | 'running' | 'done' | 'failed'
  /**
   * The current step: checking, writing, calculating days, undoing its writes, or waiting for terminals without a run.
   */
  step?: (typeof steps)[number]
  done: number
  total: number
  rowCount?: number
  /** Only for a checked schedule: the number of employee-days that it would change. */
  dayCount?: number
  problemCount?: number
  /** The first problems. */
  problems?: SheetProblem[]
  /** The effect of an unsaved change. */
  preview?: KeptPreview
  /** The effect of a change on worked days. */
  recalculated?: Recalculated
  /** Why the task failed. */
  code?: Code
  /** The file to download, under `taskFileKey`. */
  file?: { name: string; type: string }
  /** The departments that the caller could reach when the task made the file. Absent means all departments. */
  departments?: string[]
  createdAt: string
  finishedAt?: string
  /** The run that holds the task, and the time by which the run must report again. */
  run?: { id: string; until: number }
  /** How many runs passed their remaining work on at the time limit, and how many failed by our fault. */
  portions?: number
  faults?: number
  /** Data of the task's kind that must survive a crash. */
  memory?: Record<string, unknown>
  expiresAt: number
}

/** The key starts with the caller, so that a caller cannot read another person's task. */
export const taskKey = (by: string, id: string): Key<Task> => ({ pk: `TASK#${by}`, sk: id })
/** Exists until the task ends. `tries` counts how often the sweep found the task without a run. */
export type OpenTask = Pick<Task, 'id' | 'kind' | 'by' | 'expiresAt'> & { tries?: number }
export const openTaskKey = (task: string): Key<OpenTask> => ({ pk: 'OPEN_TASK', sk: task })
/**
 * The days for which the server keeps a task and its parts. The server keeps the task's file, and a rejected sheet, for
 * one day.
 */
export const taskDays = 30
export const taskFileHours = 24

/**
 * One part of a task's writes. The transaction that writes the rows also stores this item. So the task writes each part
 * only once, and never after undoing it.
 */
export interface TaskPart {
  part: number
  state: 'written' | 'takenBack'
  /** The ids of the written items. */
  ids: string[]
  /** The number of items, if the last write of the part determines it. */
  count?: number
  /** The shifts of the changed days, before and after the change. */
  days?: Record<string, { before: string[]; after: string[] }>
  /** The drafts of the schedule that the part replaced, by day. */
  drafts?: Record<string, string[]>
  expiresAt: number
}

export const taskPartKey = (task: string, part: number): Key<TaskPart> => ({
  pk: `TASK_PART#${task}`,
  sk: String(part).padStart(5, '0'),
})

export const taskFileKey = (task: string) => `task/${task}`
/** An uploaded sheet, which only its uploader can read. */
export const sheetUploadKey = (employee: string, upload: string) => `upload/sheet/${employee}/${upload}`

/**
 * The range of days whose rows a task may change. The task recalculates their summaries once at its end, not for each
 * row.
 */
export interface TouchedDays {
  from: string
  to: string
}

export const isOver = ({ state }: Pick<Task, 'state'>) => state === 'done' || state === 'failed'

const summaryDue = ({ company, old, new: next }: Change<Task>) => {
  const touched = next?.memory?.touched as TouchedDays | undefined
  if (!next || !touched || !isOver(next) || (old && isOver(old))) return []
  return [{ type: 'summary.due' as const, company, ...touched }]
}

const mailingFailed = ({ company, old, new: next }: Change<Task>) =>
  next?.kind === 'report/mail/send' && next.state === 'failed' && old?.state !== 'failed'
    ? [{ type: 'mailing.failed' as const, company, employee: next.by, task: next.id }]
    : []

/** The attributes of a task that pages show. */
const visibleState = ({ state, step, done, total }: Task) => [state, step, done, total].join()

/** The fact that starts or continues a task. */
export const taskDue = (company: string, { id, by, kind }: Pick<Task, 'id' | 'by' | 'kind'>) => ({
  type: isOnSheet({ kind }) ? ('sheet.due' as const) : ('task.due' as const),
  ...{ company, employee: by, task: id },
})

export const taskFacts = (change: Change<Task>) => {
  const { company, old, new: next } = change
  if (!next) return []
  const fact = { company, employee: next.by, task: next.id }
  return [
    ...(old && next.portions === old.portions ? [] : [taskDue(company, next)]),
    ...(old && visibleState(old) === visibleState(next) ? [] : [{ type: 'task.changed' as const, ...fact }]),
    ...summaryDue(change),
    ...mailingFailed(change),
  ]
}

export const sheetTypes = ['xlsx', 'csv'] as const
export type SheetType = (typeof sheetTypes)[number]
export const sheetType = z.enum(sheetTypes)

/** The media types of the sheet formats. */
export const sheetMedia = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
} as const

export const mostSheetBytes = 2 * 1024 * 1024
export const mostSheetRows = 10_000

/** Only for an export. */
export const isTemplate = z
  .boolean()
  .optional()
  .describe('Exports all headings and one example row instead of the data. The import skips the example.')

/** The output of every path that starts a task. */
export const begun = z.object({ task: id })

export const importInput = z.strictObject({
  upload: id,
  dryRun: z.boolean().describe('Only checks the sheet: the task reports all errors and writes nothing.'),
})

const summary = z.object({
  id,
  kind: z.enum(taskKinds),
  state: z.enum(['waiting', 'running', 'done', 'failed']),
  step: z.enum(steps).optional(),
  dryRun: z.boolean().optional(),
  done: z.int().describe('Progress up to `total`; both restart with each step.'),
  total: z.int(),
  rowCount: z.int().optional(),
  dayCount: z.int().optional().describe('Employee-days that a dry run would change.'),
  problemCount: z.int(),
  recalculated: recalculated.optional(),
  code: z.int().optional().describe('Error code of a failed task.'),
  createdAt: at,
  finishedAt: at.optional(),
})

const problem = z.object({
  row: z.int().describe('Row of a sheet (the headings are row 1) or of a plan (the first row is 1).'),
  field: z.string(),
  code: z.int(),
  value: z.string().optional(),
  about: about.optional().describe('The person and day, and the conflicting shift.'),
})

export const taskPaths = {
  'task/upload': {
    does: 'Returns a form for uploading a sheet within five minutes: POST its fields in order, then the `file`, of up to 2 MB.',
    who: 'manager',
    writes: true,
    input: z.strictObject({ type: sheetType }),
    output: z.object({ upload: id, url: z.url(), fields: z.record(z.string(), z.string()) }),
  },
  'task/get': {
    does: "Returns the progress of one of the caller's tasks, its problems, and the address of its file for 24 hours.",
    who: 'manager',
    input: z.strictObject({ id }),
    output: summary.extend({
      problems: z.array(problem).describe(`The first ${mostProblemsShown} problems; the file contains all.`),
      preview: preview.optional(),
      file: z.object({ url: z.url(), name: z.string() }).optional(),
    }),
  },
  'task/grid': {
    does: "Lists the caller's tasks of the last 30 days, newest first; rejected sheets only of the last 24 hours.",
    who: 'manager',
    input: gridInput(z.strictObject({})),
    output: gridOutput(summary),
  },
} as const satisfies Declarations
