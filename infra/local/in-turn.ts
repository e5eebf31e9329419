import { setTimeout as wait } from 'node:timers/promises'

/** Each turn of that number is somebody's who is not first: nobody waits for ever. */
const othersEvery = 4
const lookMilliseconds = 20

export interface Turns {
  /** Runs it when its turn comes. */
  take<R>(run: () => Promise<R>, options?: { isFirst?: boolean | undefined }): Promise<R>
  /** Answers when nobody waits, or after that time. */
  calm(mostMilliseconds: number): Promise<void>
}

/** Runs what it is given, so many at once; the others wait, in the order they came, but most turns go to who is first. */
export const inTurn = (atOnce: number): Turns => {
  let free = atOnce
  let turns = 0
  const first: (() => void)[] = []
  const others: (() => void)[] = []
  return {
    async take(run, { isFirst = false } = {}) {
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
    },
    async calm(mostMilliseconds) {
      const until = performance.now() + mostMilliseconds
      while (first.length + others.length > 0 && performance.now() < until) await wait(lookMilliseconds)
    },
  }
}
