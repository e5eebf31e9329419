import { drawLots, type Faults, noFaults } from './fault.ts'
import type { Identity } from './identity.ts'
import { startLink } from './link.ts'
import type { Link, LinkEvent } from './manner.ts'
import { type LogEntry, type Memory, openMemory } from './memory.ts'
import { type Profile, profiles } from './profile.ts'
import { startPushLink } from './push-link.ts'

// Terminals with their memories and links.

export interface Terminal {
  readonly sn: string
  readonly memory: Memory
  readonly isRegistered: boolean
  /** Adds punches: stores them on disk before it returns, and sends them when possible. */
  punch(entries: Omit<LogEntry, 'index'>[]): LogEntry[]
  wake(): void
  /** Cuts the terminal's connections. The terminal reconnects. */
  cut(): void
  close(): Promise<void>
}

export interface TerminalOptions {
  address: string
  /** The folder of the terminals' memories. */
  data: string
  identity: Identity
  /** A firmware of the websocket protocol, or the ADMS family, which uses HTTP. */
  profile?: Profile | 'adms'
  faults?: Faults
  /** The same seed gives the same random numbers. */
  seed?: number
  longestPauseMilliseconds?: number
  entriesPerFrame?: number
  delaySeconds?: number
}

export function startTerminal(
  { address, data, identity, profile = profiles.new, faults = noFaults, seed, ...manner }: TerminalOptions,
  report: (event: LinkEvent) => void,
): Terminal {
  const { sn } = identity
  const memory = openMemory(data, sn, faults)
  const links: Link[] = []
  for (let i = 0; i < (faults.isDouble ? 2 : 1); i++) {
    const lot = seed === undefined ? Math.random : drawLots(seed, `${sn} ${i}`)
    const common = { faults, lot, ...manner }
    links.push(
      profile === 'adms'
        ? startPushLink(address, identity, memory, report, common)
        : startLink(address, identity, memory, report, { profile, ...common }),
    )
  }
  const wake = () => {
    for (const link of links) link.wake()
  }
  return {
    sn,
    memory,
    get isRegistered() {
      return links.some(link => link.isRegistered)
    },
    punch(entries) {
      const kept = memory.record(entries)
      wake()
      return kept
    },
    wake,
    cut() {
      for (const link of links) link.cut()
    },
    async close() {
      await Promise.all(links.map(link => link.close()))
      memory.close()
    },
  }
}
