/** Runs what it is given, so many at once; the others wait, in the order they came, but who is first goes before all who are not. */
export const inTurn = (atOnce: number) => {
  let free = atOnce
  const first: (() => void)[] = []
  const others: (() => void)[] = []
  return async <R>(run: () => Promise<R>, { isFirst = false }: { isFirst?: boolean | undefined } = {}): Promise<R> => {
    if (free > 0) free--
    else await new Promise<void>(resolve => (isFirst ? first : others).push(resolve))
    try {
      return await run()
    } finally {
      const next = first.shift() ?? others.shift()
      if (next) next()
      else free++
    }
  }
}
