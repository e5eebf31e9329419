import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { axeFindings, call, expect, newCompany, settled } from './site.ts'

// The simulator as a stock terminal that somebody sets up by what a page says.

/** The words of a line as a shell takes them apart. */
const wordsOf = (line: string) =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

/** The simulator, told what the page says; its memory is a folder of its own. */
export const play = (line: string, ...more: string[]) => {
  const data = mkdtempSync(join(tmpdir(), 'terminal-'))
  const words = wordsOf(line)
  expect(words.slice(0, 4)).toEqual(['npm', 'run', 'terminal', '--'])
  const terminal: ChildProcessWithoutNullStreams = spawn(process.execPath, [
    'infra/local/terminal.ts',
    ...words.slice(4),
    ...['--data', data, ...more],
  ])
  let said = ''
  for (const stream of [terminal.stdout, terminal.stderr])
    stream.on('data', text => {
      said += text
    })
  return {
    punch: (workno: string) => terminal.stdin.write(`${workno}\n`),
    said: () => said,
    end: async () => {
      if (terminal.exitCode === null) {
        const over = once(terminal, 'exit')
        terminal.kill('SIGTERM')
        await over
      }
      rmSync(data, { recursive: true, force: true })
    },
  }
}

// What is told of a terminal on its page.

export const slow = { timeout: 60_000 }

let lastNumber = 0
export const newSerialNumber = () => `PAGE${Date.now()}${++lastNumber}`

/** A company of its own, with somebody in it who has a number to punch with. */
export const foundCompany = async (): Promise<{ token: string; department: string }> => {
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
export const complies = async (page: Page) => {
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
}

/** What is done must not have needed that the page is loaded anew. */
export const neverReloads = async (page: Page, deeds: () => Promise<void>) => {
  await page.evaluate(() => {
    ;(globalThis as { isSame?: boolean }).isSame = true
  })
  await deeds()
  expect(await page.evaluate(() => (globalThis as { isSame?: boolean }).isSame)).toBe(true)
}
