import { setTimeout as wait } from 'node:timers/promises'

/** Who is ahead of others and has waited so long is not passed over any more: each turn of that number is theirs. */
const patienceMilliseconds = 5000
const theirsEvery = 4
/** By so many rounds nobody is ahead: of two who go on at one pace one is always a little quicker. */
const roundsAlike = 5
const lookMilliseconds = 20

export interface Turns {
  /** Runs it when the turn of whose it is comes. */
  take<R>(who: object, run: () => Promise<R>): Promise<R>
  /** Answers when nobody waits, or after that time; whether nobody does. */
  calm(mostMilliseconds: number): Promise<boolean>
}

interface Waiting {
  /** None of the first of whose it is; then the one after that of the last, and none that is over. */
  round: number
  since: number
  begin: () => void
}

/**
 * Runs what it is given, so many at once. Of what waits, whoever has just come is first, then who waits longest; but who is ahead of
 * others by some rounds waits for them. So after an outage all are heard equally often, whoever came back first.
 */
export const inTurn = (atOnce: number): Turns => {
  let free = atOnce
  let turns = 0
  /** The round that is being run. */
  let current = 1
  const rounds = new WeakMap<object, number>()
  const waiting: Waiting[] = []
  const roundOf = (who: object) => {
    const last = rounds.get(who)
    const round = last === undefined ? 0 : Math.max(current, last + 1)
    rounds.set(who, round)
    return round
  }
  const takeNext = () => {
    const lowest = waiting.reduce((least, { round }) => Math.min(least, round), Number.POSITIVE_INFINITY)
    const most = lowest === 0 ? 0 : lowest + roundsAlike
    const isNext = ({ round }: Waiting) => round <= most
    const long = performance.now() - patienceMilliseconds
    const passedOver = ++turns % theirsEvery === 0 ? waiting.findIndex(one => !isNext(one) && one.since < long) : -1
    const [next] = waiting.splice(passedOver < 0 ? waiting.findIndex(isNext) : passedOver, 1)
    if (next) current = Math.max(current, lowest)
    return next
  }
  return {
    async take(who, run) {
      const round = roundOf(who)
      if (free > 0) {
        free--
        current = Math.max(current, round)
      } else await new Promise<void>(begin => waiting.push({ round, since: performance.now(), begin }))
      try {
        return await run()
      } finally {
        const next = takeNext()
        if (next) next.begin()
        else free++
      }
    },
    async calm(mostMilliseconds) {
      const until = performance.now() + mostMilliseconds
      while (waiting.length > 0 && performance.now() < until) await wait(lookMilliseconds)
      return waiting.length === 0
    },
  }
}
