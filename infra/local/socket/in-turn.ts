import { setTimeout as wait } from 'node:timers/promises'

/** A client ahead of the other clients waits at most this long. Then every fourth turn serves such a client. */
const patienceMilliseconds = 5000
const passedOverEvery = 4
/** Ignores a lead of this many rounds. Of two equally fast clients one is always slightly ahead. */
const roundsAlike = 5
/** A returning client catches up at most this many rounds, so that it does not block all other clients. */
const roundsToCatchUp = 10
/** One turn in this many admits a new client. So admitted clients can finish before the next admission. */
const newcomersEvery = 4
/**
 * After this wait, one turn in two admits a new client. A terminal gives up connecting after ten seconds and retries.
 */
const knockingMilliseconds = 2000
const knockingEvery = 2
const pollMilliseconds = 20

export interface Turns {
  /** Admits a new client when its turn comes. */
  admit<R>(run: () => Promise<R>): Promise<R>
  /** Runs a client's message when the client's turn comes. */
  take<R>(client: object, run: () => Promise<R>): Promise<R>
  /** Waits until the queue is empty, at most this long. Returns whether it is empty. */
  calm(mostMilliseconds: number): Promise<boolean>
}

interface Waiting {
  /** The round after the client's last one, at most `roundsToCatchUp` behind the current round. */
  round: number
  since: number
  begin: () => void
}

/**
 * Limits concurrency and shares the turns. The longest waiting message goes first, but a client some rounds ahead waits
 * for the other clients. So after an outage all clients get equal turns, in any order of return. Messages run before
 * all clients are admitted, so that some records arrive even if a second outage follows soon.
 */
export const inTurn = (atOnce: number): Turns => {
  let free = atOnce
  let turns = 0
  let current = 1
  const rounds = new WeakMap<object, number>()
  const waiting: Waiting[] = []
  const newcomers: Pick<Waiting, 'since' | 'begin'>[] = []
  const roundOf = (client: object) => {
    const round = Math.max(current - roundsToCatchUp, (rounds.get(client) ?? 0) + 1)
    rounds.set(client, round)
    return round
  }
  const takeNext = () => {
    turns++
    const now = performance.now()
    const hasKnockedLong = (newcomers[0]?.since ?? now) < now - knockingMilliseconds
    const every = hasKnockedLong ? knockingEvery : newcomersEvery
    const newcomer = waiting.length === 0 || turns % every === 0 ? newcomers.shift() : undefined
    if (newcomer) return newcomer.begin
    const lowest = waiting.reduce((least, { round }) => Math.min(least, round), Number.POSITIVE_INFINITY)
    const isNext = ({ round }: Waiting) => round <= lowest + roundsAlike
    const long = now - patienceMilliseconds
    const passedOver =
      turns % passedOverEvery === 1 ? waiting.findIndex(message => !isNext(message) && message.since < long) : -1
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
    admit: run => turn(begin => newcomers.push({ since: performance.now(), begin }), run),
    take(client, run) {
      const round = roundOf(client)
      if (free > 0) current = Math.max(current, round)
      return turn(begin => waiting.push({ round, since: performance.now(), begin }), run)
    },
    async calm(mostMilliseconds) {
      const isCalm = () => waiting.length === 0 && newcomers.length === 0
      const until = performance.now() + mostMilliseconds
      while (!isCalm() && performance.now() < until) await wait(pollMilliseconds)
      return isCalm()
    },
  }
}
