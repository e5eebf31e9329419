import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from './site.ts'

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
