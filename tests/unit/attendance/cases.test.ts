import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Case, Figures } from '../../../infra/local/attendance/case.ts'
import { runCase } from '../../../infra/local/attendance.ts'
import { asInstants } from './hours-promises.ts'

const file = 'tests/given/attendance.json'
const cases: (Case & { expect: Partial<Figures> })[] = JSON.parse(readFileSync(file, 'utf8'))

describe('the given cases', () => {
  test.each(cases)('$id', ({ expect: expected, ...input }) => {
    const figures: Record<string, unknown> = { ...runCase(input) }
    for (const [figure, value] of Object.entries(expected)) {
      expect(asInstants(figures[figure]), figure).toEqual(asInstants(value))
    }
  })
})

describe('the case runner', () => {
  const run = (path: string) => {
    const { status, stdout } = spawnSync(process.execPath, ['infra/local/attendance.ts', path], { encoding: 'utf8' })
    return { code: status, answers: JSON.parse(stdout) }
  }

  test('prints every figure of every case in the order of the input', () => {
    const { code, answers } = run(file)
    expect(code).toBe(0)
    expect(answers.map(({ id }: { id: string }) => id)).toEqual(cases.map(({ id }) => id))
    const [first] = cases
    expect(Object.keys(answers[0])).toEqual(['id', ...Object.keys(first ? runCase(first) : {})])
  })

  test('prints the error of an unreadable case, calculates the other cases, and exits with 1', () => {
    const [valid] = cases
    const broken = [
      { ...valid, id: 'no zone', zone: 'Nowhere/Land' },
      { ...valid, id: 'no day', day: '2025-02-30' },
      { ...valid, id: 'no instant', punches: ['2025-06-10T09:00:00'] },
      { ...valid, id: 'no wall time', shift: { ...valid?.shift, onDuty: '25:00' } },
      { id: 'nothing' },
      null,
      { ...valid, id: 'sound' },
    ]
    const path = join(mkdtempSync(join(tmpdir(), 'attendance-')), 'broken.json')
    writeFileSync(path, JSON.stringify(broken))
    const { code, answers } = run(path)
    expect(code).toBe(1)
    expect(answers.map((answer: { id?: string }) => answer.id)).toEqual(broken.map(input => input?.id))
    expect(answers.map((answer: { error?: string }) => typeof answer.error)).toEqual([
      ...Array(6).fill('string'),
      'undefined',
    ])
  })
})
