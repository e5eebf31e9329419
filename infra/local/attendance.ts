import { readFileSync } from 'node:fs'
import { calculate } from '../../shared/attendance/calculate.ts'
import { type Case, type Figures, figuresOf, readCase, withoutNulls } from './attendance/case.ts'
import { checkedFigures, hourFigures, widen } from './attendance/hours.ts'
import { runTypedCase } from './attendance/typed.ts'

// The case runner, `npm run -s attendance -- FILE`. FILE holds an array of cases; each case is one employee and one
// work day, unless its `type` names another subject. The runner prints an array of `{id, ...figures}` in the same order.
// An invalid case gives `{id, error}`.

/** The figures of a case. Throws for an invalid case. */
export const runCase = (written: Case): Figures => {
  const testCase = withoutNulls(written)
  const input = readCase(testCase)
  const isWide = testCase.hours ?? testCase.checks
  const rows = calculate(isWide ? widen(input, testCase) : input)
  const id = testCase.shift ? 'shift' : null
  const row = rows.find(other => other.shift === id && other.day === testCase.day)
  return {
    ...figuresOf(testCase, row),
    ...(testCase.checks && checkedFigures(testCase, input, rows, row)),
    ...(testCase.hours && hourFigures(testCase, testCase.hours, input, rows, row)),
  }
}

/** Answers a case of any type. Throws for an invalid case. */
export const answerCase = (testCase: Case & { type?: string }): object =>
  testCase.type ? runTypedCase(testCase.type, testCase) : runCase(testCase)

const main = (file: string | undefined): void => {
  if (file === undefined) throw new Error('Usage: npm run -s attendance -- FILE')
  const cases: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (!Array.isArray(cases)) throw new Error(`${file} does not contain an array of cases`)
  const answers = cases.map((testCase: Case) => {
    try {
      return { id: testCase.id, ...answerCase(testCase) }
    } catch (error) {
      process.exitCode = 1
      return { id: testCase?.id, error: error instanceof Error ? error.message : String(error) }
    }
  })
  process.stdout.write(`${JSON.stringify(answers, undefined, 1)}\n`)
}

if (import.meta.main)
  try {
    main(process.argv[2])
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  }
