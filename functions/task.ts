import { Problem } from '../shared/errors.ts'
import { mostSheetBytes, sheetMedia, sheetUploadKey, type Task, taskKey, taskPaths } from '../shared/task.ts'
import { openFiles } from './kit/files.ts'
import { newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { showTask, summarise } from './kit/task.ts'

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
