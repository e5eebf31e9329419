import { setTimeout as wait } from 'node:timers/promises'

/** Each turn of that number is somebody's who is ahead of others: nobody waits for ever. */
const othersEvery = 4
const lookMilliseconds = 20

export interface Turns {
  /** Runs it when the turn of whose it is comes. */
  take<R>(who: object, run: () => Promise<R>): Promise<R>
  /** Answers when nobody waits, or after that time. */
  calm(mostMilliseconds: number): Promise<void>
}

interface Waiting {
  /** The how manieth it is of whose it is, since somebody had to wait. */
  round: number
  begin: () => void
}

/**
 * Runs what it is given, so many at once. Of what waits, most turns are of the lowest round, and in a round of who waits longest: after
 * an outage all are heard equally often, whoever came back first, and who has just come before who goes on.
 */
export const inTurn = (atOnce: number): Turns => {
  let free = atOnce
  let turns = 0
  let rounds = new Map<object, number>()
  const waiting: Waiting[] = []
  const takeNext = () => {
    const lowest = waiting.reduce((least, { round }) => Math.min(least, round), Number.POSITIVE_INFINITY)
    const isAhead = ({ round }: Waiting) => round > lowest
    const ahead = ++turns % othersEvery === 0 ? waiting.findIndex(isAhead) : -1
    return waiting.splice(ahead < 0 ? waiting.findIndex(one => !isAhead(one)) : ahead, 1)[0]
  }
  return {
    async take(who, run) {
      const round = (rounds.get(who) ?? 0) + 1
      rounds.set(who, round)
      if (free > 0) free--
      else await new Promise<void>(begin => waiting.push({ round, begin }))
      try {
        return await run()
      } finally {
        const next = takeNext()
        if (next) next.begin()
        else {
          free++
          rounds = new Map()
        }
      }
    },
    async calm(mostMilliseconds) {
      const until = performance.now() + mostMilliseconds
      while (waiting.length > 0 && performance.now() < until) await wait(lookMilliseconds)
    },
  }
}
