/** Each turn of that number is somebody's who is not first: nobody waits for ever. */
const othersEvery = 4

/** Runs what it is given, so many at once; the others wait, in the order they came, but most turns go to who is first. */
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
      const [one, other] = ++turns % othersEvery === 0 ? [others, first] : [first, others]
      const next = one.shift() ?? other.shift()
      if (next) next()
      else free++
    }
  }
}
