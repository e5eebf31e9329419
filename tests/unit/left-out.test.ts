import { expect, test } from 'vitest'
import { noFigures } from '../../shared/figure.ts'
import { leftOutOf } from '../../shared/report/left-out.ts'

// Finds the paid hours that a payroll file leaves out.

const withColumns = (...columns: string[]) =>
  ({ layout: 'column', columns: columns.map(column => ({ column })), measures: [] }) as never

test('a file with kinds lacks the hours of days without a set', () => {
  const figures = { ...noFigures(), workMinutes: 960, overtimeMinutes: 60 }
  const kinds = { N: 480, OT: 60 }
  expect(leftOutOf(withColumns('kind.N', 'kind.OT'), figures, {}, kinds)).toEqual([{ measure: 'work', minutes: 480 }])
  expect(leftOutOf(withColumns('kind.N', 'work'), figures, {}, kinds)).toEqual([{ measure: 'kind.OT', minutes: 60 }])
  expect(leftOutOf(withColumns('kind.N', 'kind.OT'), figures, {}, { N: 960, OT: 60 })).toEqual([])
})
