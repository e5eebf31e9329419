/** Runs something for each of a list, so many at once, and answers what came of each in the list's order. */
export const atOnce = async <T, R>(count: number, list: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = []
  const waiting = list.entries()
  const work = async () => {
    for (const [i, item] of waiting) results[i] = await run(item)
  }
  await Promise.all(Array.from({ length: Math.min(count, list.length) }, work))
  return results
}
