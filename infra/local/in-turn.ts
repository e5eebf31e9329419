/** Runs what it is given, so many at once; the others wait, in the order they came. Each answers or fails by itself. */
export const inTurn = (atOnce: number) => {
  let free = atOnce
  const waiting: (() => void)[] = []
  return async <R>(run: () => Promise<R>): Promise<R> => {
    if (free > 0) free--
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
