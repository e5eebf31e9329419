import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { noFaults } from '../../infra/local/terminal/fault.ts'
import { profiles } from '../../infra/local/terminal/profile.ts'
import { temporaryFolder } from '../stack.ts'
import { startBreakdown } from './breakdown.ts'
import {
  type Count,
  claimTerminals,
  countPunches,
  engineOf,
  type Fleet,
  type Manners,
  readPunches,
  startFleet,
} from './fleet.ts'

// Many terminals deliver what they hold, whatever goes wrong meanwhile; then everything is healed, and what lies in the table is
// counted. T1, T2, T6 and T14 are this with other faults.

const failStorage = fileURLToPath(new URL('fail-storage.ts', import.meta.url))

export interface Delivery {
  seed: number
  terminals: number
  punchesEach: number
  mannersOf?: (i: number) => Manners
  /** So long the stack lives each time before it is killed; it is never, without. */
  aliveMilliseconds?: number
  /** At least so many kills: what is left to deliver waits for them. */
  kills?: number
  /** Parts of the table's calls. */
  storage?: { throttled: number; unanswered: number }
  /** Of a copy of the product in which something was changed. */
  main?: string
  /** It is given up as soon as this is so of what lies there. */
  until?: (count: Count) => boolean
  /** For what is still there to be done with the stack while it runs. */
  before?: (engine: string) => Promise<void>
  mostSeconds: number
}

export interface Delivered extends Count {
  made: number
  kills: number
  /** From the start of the terminals until nothing was left to deliver. */
  seconds: number
  fleet: Fleet
}

/** Faults as the trial of them all has them: 2 % lose the connection, 10 % go out twice, 30 % in the opposite order. */
export const usualFaults = { ...noFaults, dropBefore: 0.01, dropAfter: 0.01, duplicate: 0.1, reorder: 0.3 }

/** Of ten terminals one is of a firmware that keeps what it has until it is asked, and forgets what it was asked for. */
export const usualManners = (i: number): Manners =>
  i % 10 === 3
    ? { profile: profiles['echo-cmd'], faults: usualFaults }
    : { profile: [profiles.new, profiles.dixi, profiles.topdata][i % 3] ?? profiles.new, faults: usualFaults }

export const deliver = async (options: Delivery): Promise<Delivered> => {
  const { seed, mannersOf = () => ({}), aliveMilliseconds, kills = 0, storage, main, until } = options
  const data = temporaryFolder()
  const breakdown = await startBreakdown({
    data,
    ...(main !== undefined && { main }),
    ...(storage && {
      nodeArguments: ['--import', failStorage],
      environment: { STORAGE_FAULTS: `${seed} ${storage.throttled} ${storage.unanswered}` },
    }),
  })
  let fleet: Fleet | undefined
  try {
    const { address } = breakdown.stack
    const { owner, serialNumbers } = await claimTerminals(address, { count: options.terminals })
    await options.before?.(engineOf(data))
    const startedAt = performance.now()
    const isLate = () => performance.now() - startedAt > options.mostSeconds * 1000
    const terminals = startFleet({ address, data, seed, serialNumbers, punchesEach: options.punchesEach, mannersOf })
    fleet = terminals
    const count = async () => countPunches(await readPunches(engineOf(data), owner.company), terminals)
    if (aliveMilliseconds !== undefined) breakdown.begin(aliveMilliseconds)
    let more = 0
    while (!isLate() && (terminals.waiting() > 0 || breakdown.kills < kills)) {
      await wait(50)
      if (breakdown.kills >= kills || terminals.waiting() > 0) continue
      // All is delivered before the faults are over: people go on punching.
      more++
      for (const [i, terminal] of terminals.terminals.entries())
        terminals.punch(terminal, [{ enrollid: 2000 + i, time: laterTime(more), mode: 3, inout: 0, event: 0 }])
    }
    const seconds = (performance.now() - startedAt) / 1000
    await breakdown.heal()
    // Who forgets what it answered is asked for everything when it comes again.
    for (const terminal of terminals.terminals)
      if (mannersNeedAsking(mannersOf, serialNumbers, terminal.sn)) terminal.cut()
    const healedAt = performance.now()
    let found = await count()
    while ((found.lost > 0 || terminals.waiting() > 0) && !until?.(found) && performance.now() - healedAt < 60_000) {
      await wait(500)
      found = await count()
    }
    return { ...found, made: terminals.made.size, kills: breakdown.kills, seconds, fleet: terminals }
  } finally {
    await fleet?.close()
    await breakdown.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

const mannersNeedAsking = (mannersOf: (i: number) => Manners, serialNumbers: string[], sn: string) =>
  mannersOf(serialNumbers.indexOf(sn)).profile?.forgetsPages === true

/** A second of yesterday: no punch of the plan is there. */
const laterTime = (second: number) => {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  return new Date(Date.parse(`${yesterday}T00:00:00Z`) + second * 1000).toISOString().slice(0, 19).replace('T', ' ')
}
