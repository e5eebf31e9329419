import { expect } from 'vitest'
import { type Rows, readSheet } from '../../functions/sheet/read.ts'
import type { PathOutput } from '../../shared/api.ts'
import type { SheetType } from '../../shared/task.ts'
import { type Client, eventually, type Signed } from './client.ts'
import { upload } from './upload.ts'

// Sheets as a person sends and loads them, and tasks as a person waits for them.

type Told = PathOutput<'task/get'>

/** Sends a sheet; answers the upload's id. */
export const sendSheet = async (
  http: Client,
  signed: Signed,
  sheet: string | Uint8Array,
  type: SheetType = 'csv',
): Promise<string> => {
  const form = await http.call('task/upload', { type }, signed)
  expect(await upload(form, typeof sheet === 'string' ? Buffer.from(sheet) : sheet)).toEqual({ status: 204 })
  return form.upload
}

/** What a task tells when it has ended. */
export const taskEnd = (http: Client, signed: Signed, { task }: { task: string }, seconds = 60): Promise<Told> =>
  eventually(
    () => http.call('task/get', { id: task }, signed),
    ({ state, step, done, total }) => expect(['done', 'failed'], `${step}: ${done} of ${total}`).toContain(state),
    seconds,
  )

export const importSheet = async (
  http: Client,
  signed: Signed,
  sheet: string | Uint8Array,
  { path = 'employee/import' as 'employee/import' | 'department/import', dryRun = false } = {},
): Promise<Told> => {
  const isText = typeof sheet === 'string'
  const sent = await sendSheet(http, signed, sheet, isText ? 'csv' : 'xlsx')
  return taskEnd(http, signed, await http.call(path, { upload: sent, dryRun }, signed))
}

/** A file as a browser gets it. */
export const load = async (url: string): Promise<{ bytes: Uint8Array; headers: Headers }> => {
  const response = await fetch(url)
  expect(response.status, url).toBe(200)
  return { bytes: new Uint8Array(await response.arrayBuffer()), headers: response.headers }
}

export const loadRows = async (url: string): Promise<Rows> => (await readSheet((await load(url)).bytes)).rows
