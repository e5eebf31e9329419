import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Case } from '../../../infra/local/attendance/case.ts'
import { answerCase } from '../../../infra/local/attendance.ts'
import { asInstants } from './hours-promises.ts'

type HourCase = Case & { rule: number; type?: string; expect: Record<string, unknown> }
/** The given cases, and the examples in the rules. */
const cases = ['hours', 'hours-examples'].flatMap((name): HourCase[] =>
  JSON.parse(readFileSync(`tests/given/${name}.json`, 'utf8')),
)

describe('the given cases of hours for payroll', () => {
  test.each(cases)('rule $rule: $id', ({ expect: expected, ...input }) => {
    const figures: Record<string, unknown> = { ...answerCase(input) }
    for (const [figure, value] of Object.entries(expected)) {
      expect(asInstants(figures[figure]), figure).toEqual(asInstants(value))
    }
  })
})
