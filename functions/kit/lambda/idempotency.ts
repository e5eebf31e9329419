import { createHmac } from 'node:crypto'
import { type Code, type Fields, Problem } from '../../../shared/errors.ts'
import type { Key } from '../../../shared/table.ts'
import type { Caller } from '../caller.ts'
import { save } from '../table.ts'

// A repeated key with the same body gets the first answer for a day. The server refuses a repeated key with another
// body. If the first request never ended, its effect is unknown, so the server does not run it again.

interface First {
  /**
   * A hash of path and body, keyed with the caller's token because bodies contain passwords. After a new sign-in, an
   * identical body has another hash, so the server refuses the repeated key.
   */
  request: string
  state: 'running' | 'answered' | 'not kept'
  startedAt: string
  answer?: unknown
  problem?: { code: Code; fields?: Fields; about?: unknown }
  expiresAt: number
}

const keyOf = (employee: string, key: string): Key<First> => ({ pk: `IDEMPOTENCY#${employee}`, sk: key })
const keptSeconds = 24 * 3600
/** Longer than any call can take: an older request will never answer. */
const longestMilliseconds = 60_000

const repeat = (first: First | undefined, request: string): unknown => {
  if (first?.request !== request) throw new Problem(60007, { 'Idempotency-Key': 60007 })
  if (first.problem) throw new Problem(first.problem.code, first.problem.fields, first.problem.about)
  if (first.state === 'answered') return first.answer
  const mayStillRun = first.state === 'running' && Date.now() - Date.parse(first.startedAt) < longestMilliseconds
  throw new Problem(mayStillRun ? 60018 : 60017)
}

export const answerOnce = async (
  { table, employee }: Caller,
  { key, path, body, token, keep }: { key: string; path: string; body: string; token: string; keep: boolean },
  run: () => Promise<unknown>,
): Promise<unknown> => {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw new Problem(20001, { 'Idempotency-Key': 20001 })
  const stored = keyOf(employee.id, key)
  const request = createHmac('sha256', token).update(`${path}\n${body}`).digest('base64url')
  const now = Date.now()
  const first = { request, startedAt: new Date(now).toISOString(), expiresAt: Math.floor(now / 1000) + keptSeconds }
  try {
    await save(table.insert(stored, { ...first, state: 'running' }))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return repeat(await table.get(stored), request)
  }
  const finish = (end: Pick<First, 'state' | 'answer' | 'problem'>) => save(table.put(stored, { ...first, ...end }))
  let answer: unknown
  try {
    answer = await run()
  } catch (error) {
    if (error instanceof Problem) {
      const { code, fields, about } = error
      await finish({ state: 'answered', problem: { code, ...(fields && { fields }), about } })
    } else await finish({ state: 'not kept' })
    throw error
  }
  await finish(keep ? { state: 'answered', answer } : { state: 'not kept' })
  return answer
}
