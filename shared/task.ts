import * as z from 'zod'
import type { AuditedNoun, Change } from './change.ts'
import { at, type Declarations, day, gridInput, gridOutput, id } from './contract.ts'
import type { Code } from './errors.ts'
import { type KeptPreview, preview, type Recalculated, recalculated } from './preview.ts'
import type { Key } from './table.ts'

// Long work: a path writes down what is to be done and answers at once; a job does it, and whoever asked for it sees how far it
// has come.

/** A task is what its path takes longer for than anybody waits. Each of these has an entry under its name in `events/perform.ts`. */
export const performedKinds = [
  'attparams/preview',
  'attparams/update',
  'company/time/preview',
  'company/time/update',
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
  'schedule/plan',
  'schedule/preview',
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

/** These calculate days that are worked already; while one of them is under way nobody locks them. */
export const calculatingKinds: ReadonlySet<TaskKind> = new Set([
  'attparams/update',
  'company/time/update',
  'holiday/add',
  'holiday/delete',
  'holiday/import',
  'holiday/update',
  'record/orphan/assign',
  'record/orphan/return',
  'report/lock/update',
  'schedule/import',
  'schedule/plan',
  'shift/update',
] as const)

const isOnSheet = ({ kind }: Pick<Task, 'kind'>) => (sheetKinds as readonly string[]).includes(kind)

/** What an import writes; the audit tells it in one line, and each row of it under the task. */
export const importedNouns = {
  'department/import': 'department',
  'employee/import': 'employee',
} as const satisfies Partial<Record<TaskKind, AuditedNoun>>

/** Whose day of a schedule a problem is about; where it is a conflict, with what. */
const about = z.object({
  employee: id,
  name: z.string(),
  day: day.optional(),
  shift: z.string().optional(),
  withDay: day.optional(),
  withShift: z.string().optional(),
})

/** What the ids of all that an import makes begin with. */
export const rowsOf = (task: string): string => task.slice(0, 12)

/**
 * What is wrong in one place of a sheet, whose headings are row 1, or of a plan, whose first row is 1. Whom it is about is named when it
 * is read: a task is kept for longer than the name of who is erased.
 */
export interface SheetProblem {
  row: number
  field: string
  code: Code
  /** What stands there. */
  value?: string
  about?: Omit<z.output<typeof about>, 'name'>
}

/** More than that nobody corrects without the sheet of all of them. */
export const mostProblemsShown = 100

const steps = ['check', 'write', 'calculate', 'takeBack', 'wait'] as const

export interface Task {
  id: string
  kind: TaskKind
  /** What was asked of it, as its path took it. */
  input: unknown
  /** The employee or the API key who asked, and the language headings and words are written in. */
  by: string
  /** Of a key: how it was called then. */
  keyName?: string
  language: string
  /** Where the request came from, for the audit of what is written. */
  ip: string
  requestId: string
  state: 'waiting' | 'running' | 'done' | 'failed'
  /**
   * What it is at: looking at everything, writing, calculating days, taking back what it has written, or waiting for terminals,
   * run by nobody.
   */
  step?: (typeof steps)[number]
  done: number
  total: number
  rowCount?: number
  /** Of a checked schedule: how many days of people it would change. */
  dayCount?: number
  problemCount?: number
  /** The first of them. */
  problems?: SheetProblem[]
  /** What a change would do. */
  preview?: KeptPreview
  /** What a change has done to the days worked. */
  recalculated?: Recalculated
  /** Why it failed. */
  code?: Code
  /** What there is to download, under `taskFileKey`. */
  file?: { name: string; type: string }
  /** The departments whoever asked could reach when its file was made; none where it was all of them. */
  departments?: string[]
  createdAt: string
  finishedAt?: string
  /** Which run holds it, and until when without a sign of life. */
  run?: { id: string; until: number }
  /** How often a run whose time was up has handed the rest on, and how often one failed by our fault. */
  portions?: number
  faults?: number
  /** What the kind must know again after a crash. */
  memory?: Record<string, unknown>
  expiresAt: number
}

/** Found by who asked for it, so that nobody can ask for another person's. */
export const taskKey = (by: string, id: string): Key<Task> => ({ pk: `TASK#${by}`, sk: id })
/** Stands from the moment a task is written down until it has ended; `tries` is how often it was found that nobody does it. */
export type OpenTask = Pick<Task, 'id' | 'kind' | 'by' | 'expiresAt'> & { tries?: number }
export const openTaskKey = (task: string): Key<OpenTask> => ({ pk: 'OPEN_TASK', sk: task })
/** A task and what it wrote are remembered for so long; its file for a day, and so is a sheet that was refused. */
export const taskDays = 30
export const taskFileHours = 24

/**
 * One part of what a task writes, kept in the same transaction as the rows themselves: it says of the part whether it is
 * there, and a part is neither written twice nor written after it was taken back.
 */
export interface TaskPart {
  part: number
  state: 'written' | 'takenBack'
  /** The ids of what was written. */
  ids: string[]
  /** How much of it there was, where its end tells that. */
  count?: number
  /** What the days it has changed held before and hold since. */
  days?: Record<string, { before: string[]; after: string[] }>
  expiresAt: number
}

export const taskPartKey = (task: string, part: number): Key<TaskPart> => ({
  pk: `TASK_PART#${task}`,
  sk: String(part).padStart(5, '0'),
})

export const taskFileKey = (task: string) => `task/${task}`
/** What somebody sent to be read as a sheet by nobody else. */
export const sheetUploadKey = (employee: string, upload: string) => `upload/sheet/${employee}/${upload}`

/** The days a task may alter rows of, where it remembers them: they are summed up anew when it ends, and not for each row. */
export interface TouchedDays {
  from: string
  to: string
}

export const isOver = ({ state }: Pick<Task, 'state'>) => state === 'done' || state === 'failed'

const summaryDue = ({ company, old, new: now }: Change<Task>) => {
  const touched = now?.memory?.touched as TouchedDays | undefined
  if (!now || !touched || !isOver(now) || (old && isOver(old))) return []
  return [{ type: 'summary.due' as const, company, ...touched }]
}

const mailingFailed = ({ company, old, new: now }: Change<Task>) =>
  now?.kind === 'report/mail/send' && now.state === 'failed' && old?.state !== 'failed'
    ? [{ type: 'mailing.failed' as const, company, employee: now.by, task: now.id }]
    : []

/** What a browser may show of a task. */
const shown = ({ state, step, done, total }: Task) => [state, step, done, total].join()

/** That a task is to be done, or done further. */
export const taskDue = (company: string, { id, by, kind }: Pick<Task, 'id' | 'by' | 'kind'>) => ({
  type: isOnSheet({ kind }) ? ('sheet.due' as const) : ('task.due' as const),
  ...{ company, employee: by, task: id },
})

export const taskFacts = (change: Change<Task>) => {
  const { company, old, new: now } = change
  if (!now) return []
  const fact = { company, employee: now.by, task: now.id }
  return [
    ...(old && now.portions === old.portions ? [] : [taskDue(company, now)]),
    ...(old && shown(old) === shown(now) ? [] : [{ type: 'task.changed' as const, ...fact }]),
    ...summaryDue(change),
    ...mailingFailed(change),
  ]
}

export const sheetTypes = ['xlsx', 'csv'] as const
export type SheetType = (typeof sheetTypes)[number]
export const sheetType = z.enum(sheetTypes)

/** What browsers call them. */
export const sheetMedia = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
} as const

export const mostSheetBytes = 2 * 1024 * 1024
export const mostSheetRows = 10_000

/** Of an export. */
export const isTemplate = z
  .boolean()
  .optional()
  .describe('All headings and an example to write over, which is not imported, in place of what there is.')

/** What every path that begins a task answers. */
export const begun = z.object({ task: id })

export const importInput = z.strictObject({
  upload: id,
  dryRun: z.boolean().describe('Only looks: the task ends with all that is wrong, and nothing is written.'),
})

const summary = z.object({
  id,
  kind: z.enum(taskKinds),
  state: z.enum(['waiting', 'running', 'done', 'failed']),
  step: z.enum(steps).optional(),
  dryRun: z.boolean().optional(),
  done: z.int().describe('Of `total`; both begin again with each step.'),
  total: z.int(),
  rowCount: z.int().optional(),
  dayCount: z.int().optional().describe('How many days of people a schedule that was only looked at would change.'),
  problemCount: z.int(),
  recalculated: recalculated.optional(),
  code: z.int().optional().describe('Why it failed.'),
  createdAt: at,
  finishedAt: at.optional(),
})

const problem = z.object({
  row: z.int().describe('Of a sheet, whose headings are row 1, or of a plan, whose first row is 1.'),
  field: z.string(),
  code: z.int(),
  value: z.string().optional(),
  about: about.optional().describe('Whose day of the schedule, and what it conflicts with.'),
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
      problems: z.array(problem).describe(`The first ${mostProblemsShown}; all of them stand in the file.`),
      preview: preview.optional(),
      file: z.object({ url: z.url(), name: z.string() }).optional(),
    }),
  },
  'task/grid': {
    does: "Lists the caller's tasks of the last 30 days, newest first; of rejected sheets only those of the last 24 hours.",
    who: 'manager',
    input: gridInput(z.strictObject({})),
    output: gridOutput(summary),
  },
} as const satisfies Declarations
