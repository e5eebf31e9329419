import { type Code, Problem } from '../../shared/errors.ts'
import { atOnce } from './each.ts'
import { log } from './log.ts'
import { hasCollided } from './table.ts'

/** What became of a list: the results of those that were done, and the code of every other. */
export interface Settled<T, R> {
  done: R[]
  refused: { one: T; code: Code }[]
}

/**
 * Saves something for each of a list that is too long for one transaction, and says exactly who was refused. A refusal stops no
 * other. A fault counts as one (60011), so that it hides nothing that was done. Throws the first where nothing was done at all.
 */
export const settleEach = async <T, R>(
  count: number,
  list: readonly T[],
  run: (one: T) => Promise<R>,
): Promise<Settled<T, R>> => {
  const errors: unknown[] = []
  const settled: Settled<T, R> = { done: [], refused: [] }
  await atOnce(count, list, async one => {
    try {
      settled.done.push(await run(one))
    } catch (error) {
      const refusal = hasCollided(error) ? new Problem(60006) : error
      if (!(refusal instanceof Problem)) log({ save: 'failed', fault: String(error) })
      errors.push(refusal)
      settled.refused.push({ one, code: refusal instanceof Problem ? refusal.code : 60011 })
    }
  })
  if (errors.length > 0 && settled.done.length === 0) throw errors[0]
  return settled
}
