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

// Many terminals deliver their records during faults. After the faults, the test counts the punches in the table. T1,
// T2, T6 and T14 use other faults.

const failStorage = fileURLToPath(new URL('fail-storage.ts', import.meta.url))

/** The effects of all faults must be over within this time. */
export const healSeconds = 60
const countMilliseconds = 15_000

export interface Delivery {
  seed: number
  terminals: number
  punchesEach: number
  mannersOf?: (i: number) => Manners
  /** The time that the stack runs before each kill. Without this time, there are no kills. */
  aliveMilliseconds?: number
  /** The least number of kills. Employees keep punching until then. `mostKills` is the limit. */
  kills?: number
  mostKills?: number
  /** The share of the table’s calls that fail. */
  storage?: Omit<StorageFaults, 'seed'>
  /** The main file of a changed copy of the product. */
  main?: string
  /** Stops the trial as soon as this returns true for the count. */
  until?: (count: Count) => boolean
  /** Prepares the table while the stack runs. */
  before?: (engine: string) => Promise<void>
  mostSeconds: number
  say?: Trial['say']
}

export interface Delivered extends Count {
  made: number
  kills: number
  /** The seconds from the start of the terminals until every punch is delivered. */
  seconds: number
  /** The seconds from the end of the faults until the server requests no more lost records. */
  healedSeconds: number
  fleet: Fleet
}

/** The usual faults: 2 % of frames lose the connection, 10 % are sent twice, 30 % in reverse order. */
export const usualFaults = { ...noFaults, dropBefore: 0.01, dropAfter: 0.01, duplicate: 0.1, reorder: 0.3 }

/**
 * One terminal in ten uses HTTP. Another keeps its records until the server requests them, and forgets each requested
 * page.
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
    // The terminals have belonged to the company for some days, so their punches count.
    await ageClaims(engineOf(data), claimed, { days: 5, mannersOf })
    await options.before?.(engineOf(data))
    const faults: StorageFaults | undefined = storage && { seed, ...storage }
    if (faults) writeFileSync(faultFile, JSON.stringify(faults))
    const startedAt = performance.now()
    const isLate = () => performance.now() - startedAt > options.mostSeconds * 1000
    const terminals = startFleet({ address, data, seed, serialNumbers, punchesEach: options.punchesEach, mannersOf })
    fleet = terminals
    const count = async (graceMilliseconds = 0) => {
      // Copies the acknowledged punches before the read. A later punch may be stored behind the part that is already
      // read.
      const { made, acknowledged } = { made: terminals.made, acknowledged: new Set(terminals.acknowledged) }
      await wait(graceMilliseconds)
      return countPunches(await readPunches(engineOf(data), owner.company), { made, acknowledged })
    }
    // On a busy machine, the stack may not make progress before a kill. So each kill waits for progress, and for
    // remaining work.
    let acknowledgedCount = 0
    const isRipe = () => {
      if (
        terminals.acknowledged.size === acknowledgedCount ||
        terminals.waiting() === 0 ||
        breakdown.kills >= mostKills
      )
        return false
      acknowledgedCount = terminals.acknowledged.size
      return true
    }
    if (aliveMilliseconds !== undefined) breakdown.begin(aliveMilliseconds, isRipe)
    let extraCount = 0
    let earlyCount: Count | undefined
    let countedAt = performance.now()
    while (!isLate() && (terminals.waiting() > 0 || breakdown.kills < kills)) {
      await wait(50)
      const killed = breakdown.kills > 0 ? `, killed ${breakdown.kills} times` : ''
      options.say?.(`${terminals.acknowledged.size} of ${terminals.made.size} punches acknowledged${killed}`)
      if (until && performance.now() - countedAt > 500) {
        // After a kill the engine restarts and may be down, so a failed count is ignored. The count waits a moment,
        // because a late punch is no loss.
        earlyCount = await count(500).catch(() => undefined)
        countedAt = performance.now()
        if (earlyCount && earlyCount.broken + earlyCount.doubled > 0 && until(earlyCount)) break
      }
      if (breakdown.kills >= kills || terminals.waiting() > 0) continue
      // All punches are delivered before the last kill, so employees make more punches.
      for (const [i, terminal] of terminals.terminals.entries())
        terminals.punch(
          terminal,
          Array.from({ length: 200 }, () => ({
            enrollid: 2000 + i,
            time: extraTime(extraCount++),
            mode: 3,
            inout: 0,
            event: 0,
          })),
        )
    }
    const seconds = (performance.now() - startedAt) / 1000
    const made = terminals.made.size
    // The trial has found the fault, so it ends without the healing and the final count.
    if (earlyCount && earlyCount.broken + earlyCount.doubled > 0 && until?.(earlyCount))
      return { ...earlyCount, made, kills: breakdown.kills, seconds, healedSeconds: 0, fleet: terminals }
    rmSync(faultFile, { force: true })
    await breakdown.heal()
    // Reconnects the terminals that forget their pages, because then the server requests all their records.
    for (const terminal of terminals.terminals) if (forgetsPages(mannersOf, serialNumbers, terminal.sn)) terminal.cut()
    const healedAt = performance.now()
    const isQuiet = async () =>
      terminals.terminals.every(({ isRegistered }) => isRegistered) &&
      terminals.waiting() === 0 &&
      (await countOwing(engineOf(data), owner.company)) === 0
    // Only a lost connection loses a page.
    let isOwing = breakdown.kills > 0
    let counts: Count
    let healedSeconds: number
    do {
      // A count of the table delays the healing by seconds. So the trial counts early only if it looks for a fault.
      const countAt = until ? performance.now() + countMilliseconds : healedAt + healSeconds * 1000
      do {
        await wait(500)
        isOwing &&= !(await isQuiet())
      } while (isOwing && performance.now() < countAt)
      healedSeconds = (performance.now() - healedAt) / 1000
      counts = await count()
    } while ((counts.lost > 0 || terminals.waiting() > 0 || isOwing) && !until?.(counts) && healedSeconds < healSeconds)
    return { ...counts, made, kills: breakdown.kills, seconds, healedSeconds, fleet: terminals }
  } finally {
    await fleet?.close()
    await breakdown.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

const forgetsPages = (mannersOf: (i: number) => Manners, serialNumbers: string[], sn: string) => {
  const { profile } = mannersOf(serialNumbers.indexOf(sn))
  return typeof profile === 'object' && profile.forgetsPages
}

/** A time of yesterday. The planned punches are on earlier days. */
const extraTime = (second: number) => {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  return new Date(Date.parse(`${yesterday}T00:00:00Z`) + second * 1000).toISOString().slice(0, 19).replace('T', ' ')
}
