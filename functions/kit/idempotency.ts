import { type Code, type Fields, Problem } from '../../shared/errors.ts'
import type { Key } from '../../shared/table.ts'
import type { Caller } from './caller.ts'
import { save } from './table.ts'
import { hashSecret } from './token.ts'

// The same key and body get the first answer, for a day; the same key with another body is refused.

interface First {
  request: string
  state: 'running' | 'answered' | 'not kept'
  answer?: unknown
  problem?: { code: Code; fields?: Fields; about?: unknown }
  expiresAt: number
}

const keyOf = (employee: string, key: string): Key<First> => ({ pk: `IDEMPOTENCY#${employee}`, sk: key })
const keptSeconds = 24 * 3600
/** No call takes longer than its time-out, so a first request that never answered does not block its key for a day. */
const runningSeconds = 60

export const answerOnce = async (
  { table, employee }: Caller,
  { key, path, body, keep }: { key: string; path: string; body: string; keep: boolean },
  run: () => Promise<unknown>,
): Promise<unknown> => {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw new Problem(20001, { 'Idempotency-Key': 20001 })
  const stored = keyOf(employee.id, key)
  const request = hashSecret(`${path}\n${body}`)
  const now = Math.floor(Date.now() / 1000)
  try {
    await save(table.insert(stored, { request, state: 'running', expiresAt: now + runningSeconds }))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const first = await table.get(stored)
    if (first?.request !== request) throw new Problem(60007, { 'Idempotency-Key': 60007 })
    if (first.state === 'running') throw new Problem(60018)
    if (first.problem) throw new Problem(first.problem.code, first.problem.fields, first.problem.about)
    if (first.state === 'not kept') throw new Problem(60017)
    return first.answer
  }
  const done = { request, expiresAt: now + keptSeconds }
  try {
    const answer = await run()
    await save(table.put(stored, keep ? { ...done, state: 'answered', answer } : { ...done, state: 'not kept' }))
    return answer
  } catch (error) {
    if (error instanceof Problem) {
      const { code, fields, about } = error
      await save(table.put(stored, { ...done, state: 'answered', problem: { code, ...(fields && { fields }), about } }))
    } else await save(table.remove(stored))
    throw error
  }
}
