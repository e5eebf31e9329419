/**
 * Runs something for each of a list, so many at once, and answers what came of each in the list's order. Where one fails,
 * no further one is begun, and the first failure is thrown when those under way have ended: nothing goes on behind an answer.
 */
export const atOnce = async <T, R>(count: number, list: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = []
  const waiting = list.entries()
  const failures: unknown[] = []
  const work = async () => {
    for (const [i, item] of waiting) {
      if (failures.length > 0) return
      try {
        results[i] = await run(item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(count, list.length) }, work))
  if (failures.length > 0) throw failures[0]
  return results
}
