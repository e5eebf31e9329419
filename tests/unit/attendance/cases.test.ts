import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Case, Figures } from '../../../infra/local/attendance.ts'
import { runCase } from '../../../infra/local/attendance.ts'

const file = 'tests/given/attendance.json'
const cases: (Case & { expect: Partial<Figures> })[] = JSON.parse(readFileSync(file, 'utf8'))

/** Timestamps are compared as instants, whatever their offset. */
const asInstants = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asInstants)
  return typeof value === 'string' ? new Date(value).toISOString() : value
}

describe('the given cases', () => {
  test.each(cases)('$id', ({ expect: wanted, ...given }) => {
    const figures: Record<string, unknown> = { ...runCase(given) }
    for (const [figure, value] of Object.entries(wanted)) {
      expect(asInstants(figures[figure]), figure).toEqual(asInstants(value))
    }
  })
})

describe('the case runner', () => {
  const run = (path: string) => {
    try {
      return {
        code: 0,
        answers: JSON.parse(execFileSync('node', ['infra/local/attendance.ts', path], { encoding: 'utf8' })),
      }
    } catch (error) {
      const { status, stdout } = error as { status: number; stdout: string }
      return { code: status, answers: JSON.parse(stdout) }
    }
  }

  test('prints every figure of every case in the order of the input', () => {
    const { code, answers } = run(file)
    expect(code).toBe(0)
    expect(answers.map(({ id }: { id: string }) => id)).toEqual(cases.map(({ id }) => id))
    const [first] = cases
    expect(Object.keys(answers[0])).toEqual(['id', ...Object.keys(first ? runCase(first) : {})])
  })
})
