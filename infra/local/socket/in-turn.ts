import { setTimeout as wait } from 'node:timers/promises'

/** Who is ahead of others and has waited so long is not passed over any more: each turn of that number is theirs. */
const patienceMilliseconds = 5000
const theirsEvery = 4
/** By so many rounds nobody is ahead: of two who go on at one pace one is always a little quicker. */
const roundsAlike = 5
/** Who comes back late catches up with the others by so many rounds; one who was away for long does not hold up all others. */
const roundsToCatchUp = 10
/** Of so many turns one lets in who waits outside: who is in says all it came for, before ever more are only let in. */
const newcomersEvery = 4
/** And of two once one has waited outside for so long: a terminal that knocks in vain for ten seconds goes, and knocks again. */
const knockingMilliseconds = 2000
const knockingEvery = 2
const lookMilliseconds = 20

export interface Turns {
  /** Runs it when the turn of who is not in yet comes. */
  admit<R>(run: () => Promise<R>): Promise<R>
  /** Runs it when the turn of whose it is comes. */
  take<R>(who: object, run: () => Promise<R>): Promise<R>
  /** Answers when nobody waits, or after that time; whether nobody does. */
  calm(mostMilliseconds: number): Promise<boolean>
}

interface Waiting {
  /** The one after that of the last of whose it is, and none that is over for long. */
  round: number
  since: number
  begin: () => void
}

/**
 * Runs what it is given, so many at once. Of what waits, who waits longest is first; but who is ahead of others by some rounds waits
 * for them. So after an outage all are heard equally often, whoever came back first. Not all are let in before any is heard: should
 * there be another outage soon, what some have delivered is worth more than that all had come back.
 */
export const inTurn = (atOnce: number): Turns => {
  let free = atOnce
  let turns = 0
  /** The round that is being run. */
  let current = 1
  const rounds = new WeakMap<object, number>()
  const waiting: Waiting[] = []
  const outside: Pick<Waiting, 'since' | 'begin'>[] = []
  const roundOf = (who: object) => {
    const round = Math.max(current - roundsToCatchUp, (rounds.get(who) ?? 0) + 1)
    rounds.set(who, round)
    return round
  }
  const takeNext = () => {
    turns++
    const now = performance.now()
    const hasKnockedLong = (outside[0]?.since ?? now) < now - knockingMilliseconds
    const every = hasKnockedLong ? knockingEvery : newcomersEvery
    const newcomer = waiting.length === 0 || turns % every === 0 ? outside.shift() : undefined
    if (newcomer) return newcomer.begin
    const lowest = waiting.reduce((least, { round }) => Math.min(least, round), Number.POSITIVE_INFINITY)
    const isNext = ({ round }: Waiting) => round <= lowest + roundsAlike
    const long = now - patienceMilliseconds
    const passedOver = turns % theirsEvery === 1 ? waiting.findIndex(one => !isNext(one) && one.since < long) : -1
    const [next] = waiting.splice(passedOver < 0 ? waiting.findIndex(isNext) : passedOver, 1)
    if (next) current = Math.max(current, lowest)
    return next?.begin
  }
  const turn = async <R>(queue: (begin: () => void) => void, run: () => Promise<R>) => {
    if (free > 0) free--
    else await new Promise<void>(queue)
    try {
      return await run()
    } finally {
      const begin = takeNext()
      if (begin) begin()
      else free++
    }
  }
  return {
    admit: run => turn(begin => outside.push({ since: performance.now(), begin }), run),
    take(who, run) {
      const round = roundOf(who)
      if (free > 0) current = Math.max(current, round)
      return turn(begin => waiting.push({ round, since: performance.now(), begin }), run)
    },
    async calm(mostMilliseconds) {
      const isCalm = () => waiting.length === 0 && outside.length === 0
      const until = performance.now() + mostMilliseconds
      while (!isCalm() && performance.now() < until) await wait(lookMilliseconds)
      return isCalm()
    },
  }
}
