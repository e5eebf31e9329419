import { expect, test, vi } from 'vitest'
import type { Fixed, Raised } from '../../web/pages/exception/words.ts'

// Fixes of many exceptions in several calls.

const write = vi.fn()
vi.mock('../../web/api.ts', () => ({ write: (...call: unknown[]) => write(...call), isUnanswered: () => false }))
const { fixRows } = await import('../../web/pages/exception/words.ts')

const raised = (i: number): Raised => ({
  ...{ employee: `e${i}`, day: '2026-03-04', shift: 's', type: 'missingOut', minutes: 480, state: 'open' },
  ...{ first_name: 'E', last_name: `${i}`, workno: `${i}`, department: 'd', timezone: 'UTC' },
  ...{ isLocked: false, canBeAbsent: true, at: '2026-03-05T00:00:00.000Z', proposal: { kind: 'out' } },
})
interface Call {
  exceptions: { employee: string }[]
}
const answer = (_path: string, { exceptions }: Call) => ({
  punches: exceptions.map(({ employee }) => ({ employee, punch: `${employee}#out`, version: 1 })),
  absences: [],
})

test('after a refusal, a second attempt keeps what the first one fixed for undo', async () => {
  const rows = Array.from({ length: 60 }, (_, i) => raised(i))
  const fix = { action: 'proposed', reason: 'Power cut' } as const
  let fixed: Fixed | undefined
  const keep = (done: Fixed) => {
    fixed = done
  }
  write.mockImplementationOnce(answer).mockRejectedValueOnce(new Error('60006'))
  const refused = await fixRows(rows, fix, keep)
  expect(refused?.rest).toHaveLength(30)
  write.mockImplementation(answer)
  expect(await fixRows(refused?.rest.slice(1) ?? [], fix, keep, refused?.fixed)).toBeUndefined()
  expect(fixed?.punches).toHaveLength(59)
  expect(fixed?.added).toBe(59)
})
