import { createHash } from 'node:crypto'
import type { LogEntry } from './memory.ts'

/**
 * The punches of a company on one day, in order of time. Most people are on time; some are late, leave early or stay
 * longer. A few people are absent, forget a punch or punch twice. The same seed, day and number give the same punches.
 */
export function planDay({
  day,
  people,
  seed,
}: {
  day: string
  people: number
  seed: number
}): Omit<LogEntry, 'index'>[] {
  return Array.from({ length: people }, (_, i) => planPerson(day, i + 1, chanceOf(`${seed} ${day} ${i + 1}`)))
    .flat()
    .sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : one.enrollid - other.enrollid))
}

/** Pseudo-random numbers from 0 to 1. The same text gives the same numbers. */
function chanceOf(text: string): () => number {
  let drawn = 0
  return () => createHash('sha256').update(`${text} ${drawn++}`).digest().readUInt32BE() / 2 ** 32
}

function planPerson(day: string, enrollid: number, chance: () => number): Omit<LogEntry, 'index'>[] {
  const between = (low: number, high: number) => low + chance() * (high - low)
  const happens = (probability: number) => chance() < probability
  /** The punch times in minutes of the day; 540 is nine o'clock. */
  const times: number[] = []

  if (happens(0.05)) return []
  times.push(happens(0.1) ? between(542, 580) : between(524, 540))
  if (happens(0.04)) times.push((times[0] ?? 0) + 0.05)
  if (happens(0.6)) {
    const out = between(720, 735)
    times.push(out, out + between(30, 50))
  }
  const leaves = chance()
  if (leaves < 0.08) times.push(between(1020, 1070))
  else if (leaves < 0.14) times.push(between(1170, 1260))
  else if (leaves < 0.97) times.push(between(1080, 1105))

  // Most people use a face, some a fingerprint or a card. The numbers follow the newer firmware.
  const mode = happens(0.8) ? 3 : happens(0.5) ? 1 : 2
  return times.map(minutes => ({ enrollid, time: `${day} ${clock(minutes)}`, mode, inout: 0, event: 0 }))
}

function clock(minutes: number): string {
  const seconds = Math.floor(minutes * 60)
  return [seconds / 3600, (seconds / 60) % 60, seconds % 60]
    .map(part => String(Math.floor(part)).padStart(2, '0'))
    .join(':')
}
