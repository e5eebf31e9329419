import { expect } from 'vitest'
import { type Rows, readSheet } from '../../functions/sheet/read.ts'
import type { PathOutput } from '../../shared/api.ts'
import type { SheetType } from '../../shared/task.ts'
import { type Client, eventually, type Signed } from './client.ts'
import { upload } from './upload.ts'

// Uploads and downloads of sheets, and waiting for tasks.

type TaskState = PathOutput<'task/get'>

/** Uploads a sheet and returns the upload’s id. */
export const sendSheet = async (
  http: Client,
  caller: Signed,
  sheet: string | Uint8Array,
  type: SheetType = 'csv',
): Promise<string> => {
  const form = await http.call('task/upload', { type }, caller)
  expect(await upload(form, typeof sheet === 'string' ? Buffer.from(sheet) : sheet)).toEqual({ status: 204 })
  return form.upload
}

/** Waits for the end of a task, at most `seconds`, and returns its state. */
export const taskEnd = (http: Client, caller: Signed, { task }: { task: string }, seconds = 60): Promise<TaskState> =>
  eventually(
    () => http.call('task/get', { id: task }, caller),
    ({ state, step, done, total }) => expect(['done', 'failed'], `${step}: ${done} of ${total}`).toContain(state),
    seconds,
  )

export const importSheet = async (
  http: Client,
  caller: Signed,
  sheet: string | Uint8Array,
  { path = 'employee/import' as 'employee/import' | 'department/import', dryRun = false } = {},
): Promise<TaskState> => {
  const isText = typeof sheet === 'string'
  const uploadId = await sendSheet(http, caller, sheet, isText ? 'csv' : 'xlsx')
  return taskEnd(http, caller, await http.call(path, { upload: uploadId, dryRun }, caller))
}

/** Downloads a file like a browser. */
export const load = async (url: string): Promise<{ bytes: Uint8Array; headers: Headers }> => {
  const response = await fetch(url)
  expect(response.status, url).toBe(200)
  return { bytes: new Uint8Array(await response.arrayBuffer()), headers: response.headers }
}

export const loadRows = async (url: string): Promise<Rows> => (await readSheet((await load(url)).bytes)).rows
