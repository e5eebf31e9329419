import type { PathOutput } from '../shared/api.ts'
import { Problem } from '../shared/errors.ts'
import { fullName } from '../shared/person-name.ts'
import type { KeptPreview, Preview } from '../shared/preview.ts'
import {
  mostSheetBytes,
  type SheetProblem,
  sheetMedia,
  sheetUploadKey,
  type Task,
  taskFileHours,
  taskFileKey,
  taskKey,
  taskPaths,
} from '../shared/task.ts'
import { findEmployees, readNamesFor } from './employee/store.ts'
import { type Caller, manages } from './kit/caller.ts'
import { openFiles } from './kit/files.ts'
import { newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { permitTask } from './kit/task/permit.ts'

/** A task as lists show it. */
const summarise = ({ id, kind, input, state, step, done, total, rowCount, dayCount, problemCount, ...task }: Task) => {
  const { dryRun } = input as { dryRun?: boolean }
  return {
    ...{ id, kind, state, done, total },
    ...(step && { step }),
    ...(dryRun !== undefined && { dryRun }),
    ...(rowCount !== undefined && { rowCount }),
    ...(dayCount !== undefined && { dayCount }),
    problemCount: problemCount ?? 0,
    ...(task.recalculated && { recalculated: task.recalculated }),
    ...(task.code !== undefined && { code: task.code }),
    createdAt: task.createdAt,
    ...(task.finishedAt && { finishedAt: task.finishedAt }),
  }
}

/** Whether the caller may still load the file of a task. Rights may have shrunk since the task began. */
const mayLoad = ({ kind, departments }: Task, caller: Caller): boolean => {
  try {
    permitTask(kind, caller)
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
  if (caller.departments === undefined) return true
  return departments?.every(department => manages(caller, department)) ?? false
}

type Problems = PathOutput<'task/get'>['problems']

/** Problems with names, except names of people whom the caller does not manage (any more). */
const showProblems = async (problems: SheetProblem[], caller: Caller): Promise<Problems> => {
  const names = await readNamesFor(
    caller,
    problems.flatMap(({ about }) => about?.employee ?? []),
  )
  return problems.map(({ about, ...problem }) => ({
    ...problem,
    ...(about && { about: { ...about, name: names.get(about.employee) ?? '' } }),
  }))
}

/** A preview with names, without rows of departments that the caller does not manage (any more). */
const showPreview = async ({ list, ...preview }: KeptPreview, caller: Caller): Promise<Preview> => {
  const mine = list.filter(({ department }) => manages(caller, department))
  const people = await findEmployees(
    caller.table,
    mine.map(({ employee }) => employee),
  )
  const names = new Map(people.map(person => [person.id, fullName(person)]))
  const named = mine.map(({ department: _, ...row }) => ({ ...row, name: names.get(row.employee) ?? '' }))
  return {
    ...preview,
    list: named.sort((one, other) => one.name.localeCompare(other.name) || (one.day < other.day ? -1 : 1)),
  }
}

/** A task as its page shows it. Includes the file until it expires, if the caller may still load it. */
const showTask = async (task: Task, caller: Caller) => {
  const age = Date.now() - Date.parse(task.finishedAt ?? task.createdAt)
  const hasFile = task.file && age < taskFileHours * 3_600_000 && mayLoad(task, caller)
  return {
    ...summarise(task),
    problems: await showProblems(task.problems ?? [], caller),
    ...(task.preview && { preview: await showPreview(task.preview, caller) }),
    ...(task.file &&
      hasFile && {
        file: {
          name: task.file.name,
          url: await openFiles(caller.company).address(taskFileKey(task.id), task.file.name, { isDownload: true }),
        },
      }),
  }
}

export const handler = lambda(taskPaths, {
  'task/upload': async ({ type }, { company, employee }) => {
    const upload = newId()
    const key = sheetUploadKey(employee.id, upload)
    return { upload, ...(await openFiles(company).form(key, { type: sheetMedia[type], mostBytes: mostSheetBytes })) }
  },

  'task/get': async ({ id }, caller) => {
    const task = await caller.table.get(taskKey(caller.employee.id, id))
    if (!task) throw new Problem(60004, { id: 60004 })
    return showTask(task, caller)
  },

  'task/grid': async ({ size, page }, { table, employee }) => {
    const { list, next } = await table.page<Task>({ pk: taskKey(employee.id, '').pk, reverse: true, size, page })
    return { list: list.map(summarise), ...(next && { next }) }
  },
})
