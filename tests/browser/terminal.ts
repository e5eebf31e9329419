import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { axeFindings, call, expect, newCompany, settled } from './site.ts'

// The simulator as a stock terminal that a user sets up from its page.

/** Splits a command line into words like a shell. */
const splitWords = (line: string) =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

/** Runs the command that the page shows. The simulator keeps its data in a temporary folder. */
export const runSimulator = (line: string, ...more: string[]) => {
  const data = mkdtempSync(join(tmpdir(), 'terminal-'))
  const words = splitWords(line)
  expect(words.slice(0, 4)).toEqual(['npm', 'run', 'terminal', '--'])
  const terminal: ChildProcessWithoutNullStreams = spawn(process.execPath, [
    'infra/local/terminal.ts',
    ...words.slice(4),
    ...['--data', data, ...more],
  ])
  let output = ''
  for (const stream of [terminal.stdout, terminal.stderr])
    stream.on('data', text => {
      output += text
    })
  return {
    punch: (workno: string) => terminal.stdin.write(`${workno}\n`),
    output: () => output,
    end: async () => {
      if (terminal.exitCode === null) {
        const exit = once(terminal, 'exit')
        terminal.kill('SIGTERM')
        await exit
      }
      rmSync(data, { recursive: true, force: true })
    },
  }
}

// Helpers for the page of a terminal.

export const slow = { timeout: 60_000 }

let lastNumber = 0
export const newSerialNumber = () => `PAGE${Date.now()}${++lastNumber}`

/** Registers a company with an employee who can punch as number 7. */
export const addCompany = async (): Promise<{ token: string; department: string }> => {
  const token = await newCompany()
  const { list } = (await call('department/all', {}, token)) as { list: { id: string }[] }
  const department = list[0]?.id ?? ''
  await call('employee/add', { workno: '7', first_name: 'Bert', last_name: 'Berger', department }, token)
  return { token, department }
}

export const step = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Setup progress' }).getByRole('listitem').filter({ hasText: text })
export const tab = (page: Page, name: string) => page.getByRole('tab', { name })
export const rows = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
export const panel = (page: Page) => page.getByRole('dialog')
export const checkPage = async (page: Page) => {
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
}

/** Runs the steps and checks that the page did not reload. */
export const neverReloads = async (page: Page, steps: () => Promise<void>) => {
  await page.evaluate(() => {
    ;(globalThis as { isSame?: boolean }).isSame = true
  })
  await steps()
  expect(await page.evaluate(() => (globalThis as { isSame?: boolean }).isSame)).toBe(true)
}
