import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { noFaults } from '../../infra/local/terminal/fault.ts'
import { profiles } from '../../infra/local/terminal/profile.ts'
import { temporaryFolder } from '../kit/stack.ts'
import { startBreakdown } from './breakdown.ts'
import type { StorageFaults } from './fail-storage.ts'
import {
  ageClaims,
  type Count,
  claimTerminals,
  countOwing,
  countPunches,
  engineOf,
  type Fleet,
  type Manners,
  readPunches,
  startFleet,
} from './fleet.ts'
import type { Trial } from './trial.ts'

// Many terminals deliver what they hold, whatever goes wrong meanwhile; then everything is healed, and what lies in the table is
// counted. T1, T2, T6 and T14 are this with other faults.

const failStorage = fileURLToPath(new URL('fail-storage.ts', import.meta.url))

/** When all faults are over, what they left behind is gone within this time. */
export const healSeconds = 60
const lookMilliseconds = 15_000

export interface Delivery {
  seed: number
  terminals: number
  punchesEach: number
  mannersOf?: (i: number) => Manners
  /** So long the stack lives each time before it is killed; it is never, without. */
  aliveMilliseconds?: number
  /** At least so many kills: people go on punching until then. And no more than these. */
  kills?: number
  mostKills?: number
  /** Parts of the table's calls. */
  storage?: Omit<StorageFaults, 'seed'>
  /** Of a copy of the product in which something was changed. */
  main?: string
  /** It is given up as soon as this is so of what lies there. */
  until?: (count: Count) => boolean
  /** For what is still there to be done with the stack while it runs. */
  before?: (engine: string) => Promise<void>
  mostSeconds: number
  say?: Trial['say']
}

export interface Delivered extends Count {
  made: number
  kills: number
  /** From the start of the terminals until nothing was left to deliver. */
  seconds: number
  /** From when nothing went wrong any more until nobody was asked any more for what may have been lost. */
  healedSeconds: number
  fleet: Fleet
}

/** Faults as the trial of them all has them: 2 % lose the connection, 10 % go out twice, 30 % in the opposite order. */
export const usualFaults = { ...noFaults, dropBefore: 0.01, dropAfter: 0.01, duplicate: 0.1, reorder: 0.3 }

/**
 * Of ten terminals one comes over HTTP, and one is of a firmware that keeps what it has until it is asked, and forgets what it was
 * asked for.
 */
const usualProfiles = Array.from({ length: 10 }, (_, i): NonNullable<Manners['profile']> => {
  if (i === 1) return 'adms'
  if (i === 3) return profiles['echo-cmd']
  return [profiles.new, profiles.dixi, profiles.topdata][i % 3] ?? profiles.new
})
export const usualManners = (i: number): Manners => ({
  profile: usualProfiles[i % usualProfiles.length] ?? profiles.new,
  faults: usualFaults,
})

export const deliver = async (options: Delivery): Promise<Delivered> => {
  const {
    seed,
    mannersOf = () => ({}),
    aliveMilliseconds,
    kills = 0,
    mostKills = Number.POSITIVE_INFINITY,
    storage,
    main,
    until,
  } = options
  const data = temporaryFolder()
  const faultFile = join(data, 'storage-faults.json')
  const breakdown = await startBreakdown({
    data,
    ...(main !== undefined && { main }),
    ...(storage && {
      nodeArguments: ['--import', failStorage],
      environment: { STORAGE_FAULTS: faultFile },
    }),
  })
  let fleet: Fleet | undefined
  try {
    const { address } = breakdown.stack
    const claimed = await claimTerminals(address, { count: options.terminals })
    const { owner, serialNumbers } = claimed
    // People punch at what has been their company's for some days.
    await ageClaims(engineOf(data), claimed, { days: 5, mannersOf })
    await options.before?.(engineOf(data))
    const faults: StorageFaults | undefined = storage && { seed, ...storage }
    if (faults) writeFileSync(faultFile, JSON.stringify(faults))
    const startedAt = performance.now()
    const isLate = () => performance.now() - startedAt > options.mostSeconds * 1000
    const terminals = startFleet({ address, data, seed, serialNumbers, punchesEach: options.punchesEach, mannersOf })
    fleet = terminals
    const count = async (graceMilliseconds = 0) => {
      // What is acknowledged while the table is read may be stored behind where it was read already.
      const { made, acknowledged } = { made: terminals.made, acknowledged: new Set(terminals.acknowledged) }
      await wait(graceMilliseconds)
      return countPunches(await readPunches(engineOf(data), owner.company), { made, acknowledged })
    }
    // A machine that is busy with others may need longer than it lives: it is killed when it has done something, and has more to do.
    let done = 0
    const isRipe = () => {
      if (terminals.acknowledged.size === done || terminals.waiting() === 0 || breakdown.kills >= mostKills)
        return false
      done = terminals.acknowledged.size
      return true
    }
    if (aliveMilliseconds !== undefined) breakdown.begin(aliveMilliseconds, isRipe)
    let more = 0
    let early: Count | undefined
    let lookedAt = performance.now()
    while (!isLate() && (terminals.waiting() > 0 || breakdown.kills < kills)) {
      await wait(50)
      const killed = breakdown.kills > 0 ? `, killed ${breakdown.kills} times` : ''
      options.say?.(`${terminals.acknowledged.size} of ${terminals.made.size} punches acknowledged${killed}`)
      if (until && performance.now() - lookedAt > 500) {
        // The engine is another one after each kill, and may be away.
        // What is only late is no loss.
        early = await count(500).catch(() => undefined)
        lookedAt = performance.now()
        if (early && early.broken + early.doubled > 0 && until(early)) break
      }
      if (breakdown.kills >= kills || terminals.waiting() > 0) continue
      // All is delivered before the faults are over: people go on punching.
      for (const [i, terminal] of terminals.terminals.entries())
        terminals.punch(
          terminal,
          Array.from({ length: 200 }, () => ({
            enrollid: 2000 + i,
            time: laterTime(more++),
            mode: 3,
            inout: 0,
            event: 0,
          })),
        )
    }
    const seconds = (performance.now() - startedAt) / 1000
    const made = terminals.made.size
    // What is found is found: nothing need be healed and counted once more.
    if (early && early.broken + early.doubled > 0 && until?.(early))
      return { ...early, made, kills: breakdown.kills, seconds, healedSeconds: 0, fleet: terminals }
    rmSync(faultFile, { force: true })
    await breakdown.heal()
    // Who forgets what it answered is asked for everything when it comes again.
    for (const terminal of terminals.terminals)
      if (mannersNeedAsking(mannersOf, serialNumbers, terminal.sn)) terminal.cut()
    const healedAt = performance.now()
    const isQuiet = async () =>
      terminals.terminals.every(({ isRegistered }) => isRegistered) &&
      terminals.waiting() === 0 &&
      (await countOwing(engineOf(data), owner.company)) === 0
    // A page is only lost with a connection.
    let isOwing = breakdown.kills > 0
    let found: Count
    let healedSeconds: number
    do {
      // To read all there is holds up what is waited for by many seconds: only where somebody looks for what is wrong meanwhile.
      const countAt = until ? performance.now() + lookMilliseconds : healedAt + healSeconds * 1000
      do {
        await wait(500)
        isOwing &&= !(await isQuiet())
      } while (isOwing && performance.now() < countAt)
      healedSeconds = (performance.now() - healedAt) / 1000
      found = await count()
    } while ((found.lost > 0 || terminals.waiting() > 0 || isOwing) && !until?.(found) && healedSeconds < healSeconds)
    return { ...found, made, kills: breakdown.kills, seconds, healedSeconds, fleet: terminals }
  } finally {
    await fleet?.close()
    await breakdown.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

const mannersNeedAsking = (mannersOf: (i: number) => Manners, serialNumbers: string[], sn: string) => {
  const { profile } = mannersOf(serialNumbers.indexOf(sn))
  return typeof profile === 'object' && profile.forgetsPages
}

/** A second of yesterday: no punch of the plan is there. */
const laterTime = (second: number) => {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  return new Date(Date.parse(`${yesterday}T00:00:00Z`) + second * 1000).toISOString().slice(0, 19).replace('T', ' ')
}
