import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'

// Plants one mistake at a time in a copy of the code. The given cases or a promise must catch each.

interface Mutation {
  /** Completes the test name: “the promises catch a mistake that …”. */
  does: string
  /** A file of `shared`. */
  file: string
  from: string
  to: string
}

const mutations: Mutation[] = JSON.parse(readFileSync('tests/given/hour-mutations.json', 'utf8'))
/** The exit code of `hours-kill.ts` for a broken promise. */
const caught = 3

const copies: string[] = []
afterAll(() => {
  for (const copy of copies) rmSync(copy, { recursive: true })
})

const copyCode = (): string => {
  const copy = mkdtempSync(join(tmpdir(), 'hour-mutation-'))
  copies.push(copy)
  for (const path of [
    ...['package.json', 'shared', 'infra/local/attendance.ts', 'infra/local/attendance', 'tests/unit/attendance'],
    ...['tests/given/hours.json', 'tests/given/hours-examples.json'],
  ]) {
    mkdirSync(resolve(copy, path, '..'), { recursive: true })
    cpSync(path, join(copy, path), { recursive: true })
  }
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
  return copy
}

const run = (copy: string): Promise<{ code: number | null; output: string }> =>
  new Promise(done => {
    const child = spawn(process.execPath, [join(copy, 'tests/unit/attendance/hours-kill.ts')])
    let output = ''
    child.stdout.on('data', chunk => (output += chunk))
    child.stderr.on('data', chunk => (output += chunk))
    child.on('close', code => done({ code, output }))
  })

test('the code without a mistake keeps every promise', { timeout: 120_000 }, async () => {
  expect(await run(copyCode())).toEqual({ code: 0, output: '' })
})

test('there are at least forty mistakes to plant', () => {
  expect(mutations.length).toBeGreaterThanOrEqual(40)
})

describe('the promises catch a mistake that', () => {
  const copy = copyCode()
  test.each(mutations)('$does', { timeout: 120_000 }, async ({ file, from, to }) => {
    const path = join(copy, 'shared', file)
    const sound = readFileSync(path, 'utf8')
    expect(sound.split(from), 'the text to change occurs once').toHaveLength(2)
    writeFileSync(
      path,
      sound.replace(from, () => to),
    )
    const { code, output } = await run(copy)
    writeFileSync(path, sound)
    expect(code, output).toBe(caught)
  })
})
