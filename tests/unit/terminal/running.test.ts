import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { findRunning, noteRunning } from '../../../infra/local/terminal/running.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'running-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
const listen = async (): Promise<{ address: string; server: Server }> => {
  const server = createServer()
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  cleanups.push(() => server.close())
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}
const running = { process: process.pid, startedAt: 1 }
/** No process has this id, because it exceeds the limit of any system. */
const deadProcess = 2 ** 30

test('a terminal finds the stack of its data folder, or else the newest stack', async () => {
  const [notes, data, other] = [newFolder(), newFolder(), newFolder()]
  const [first, second] = [await listen(), await listen()]
  noteRunning({ ...running, address: first.address, data }, notes)
  noteRunning({ ...running, process: process.ppid, startedAt: 2, address: second.address, data: other }, notes)
  mkdirSync(join(data, 'terminals'))
  expect(await findRunning(join(data, 'terminals'), notes)).toBe(first.address)
  expect(await findRunning(data, notes)).toBe(first.address)
  expect(await findRunning(join(other, 'terminals'), notes)).toBe(second.address)
  expect(await findRunning(join(newFolder(), 'terminals'), notes)).toBe(second.address)
})

test('a terminal does not find a stopped or crashed stack', async () => {
  const [notes, data] = [newFolder(), newFolder()]
  const { address, server } = await listen()
  expect(await findRunning(data, join(notes, 'none'))).toBeUndefined()
  const removeNote = noteRunning({ ...running, address, data }, notes)
  expect(await findRunning(data, notes)).toBe(address)
  removeNote()
  expect(await findRunning(data, notes)).toBeUndefined()
  // Another program may use the port of a stack that has ended.
  noteRunning({ ...running, process: deadProcess, address, data }, notes)
  expect(await findRunning(data, notes)).toBeUndefined()
  expect(existsSync(join(notes, `${deadProcess}.json`))).toBe(false)
  // Another process may have the id of a stack that has ended.
  noteRunning({ ...running, address, data }, notes)
  await new Promise(closed => server.close(closed))
  expect(await findRunning(data, notes)).toBeUndefined()
  writeFileSync(join(notes, '1.json'), '{"address":')
  expect(await findRunning(data, notes)).toBeUndefined()
})
