/** Runs what it is given, so many at once; the others wait, in the order they came, but every other turn goes to who is first. */
export const inTurn = (atOnce: number) => {
  let free = atOnce
  let turns = 0
  const first: (() => void)[] = []
  const others: (() => void)[] = []
  return async <R>(run: () => Promise<R>, { isFirst = false }: { isFirst?: boolean | undefined } = {}): Promise<R> => {
    if (free > 0) free--
    else await new Promise<void>(resolve => (isFirst ? first : others).push(resolve))
    try {
      return await run()
    } finally {
      const [one, other] = ++turns % 2 === 0 ? [others, first] : [first, others]
      const next = one.shift() ?? other.shift()
      if (next) next()
      else free++
    }
  }
}
