import { dayName } from './calendar.ts'
import type { Hash } from './hash.ts'
import { continueHash, mixNumber } from './hash.ts'
import { hashShift } from './input-hash.ts'
import type { Shift } from './shift.ts'
import type { Span } from './span.ts'
import { lengthOf, spanOf, without } from './span.ts'
import { wallMinutes } from './wall-time.ts'
import { instantOf, isSkipped } from './zone.ts'

// A shift on a work day, with its clock readings as instants. The engine computes an instance once per shift, zone and
// day, and caches it with the shift.

/** A break on a work day. Automatic deduction uses the slot; punched breaks count in the whole time of the break. */
export interface PlacedBreak {
  readonly slot: Span
  /** The first to the last minute, both included, in which an inner punch belongs to the break. */
  readonly time: Span
  readonly durationMinutes: number
  readonly thresholdMinutes: number
}

export interface Instance {
  readonly shift: Shift & { version: number }
  readonly day: number
  readonly dayName: string
  readonly on: number
  readonly off: number
  /** The first and the last minute of the punch period. */
  readonly punchStart: number
  readonly punchEnd: number
  readonly breaks: readonly PlacedBreak[]
  /** Duty time without the slots of the breaks. */
  readonly duty: readonly Span[]
  readonly dutyMinutes: number
  readonly hash: Hash
}

interface Compiled {
  readonly on: number
  readonly off: number
  readonly punchStart: number
  readonly punchEnd: number
  readonly breaks: readonly { start: number; end: number; durationMinutes: number; thresholdMinutes: number }[]
  readonly hash: Hash
  /** By zone, then by day; null if the zone skipped the day. */
  readonly placed: Map<string, Map<number, Instance | null>>
}

const compiledShifts = new WeakMap<Shift, Compiled>()

const compile = (shift: Shift & { version: number }): Compiled => {
  const compiledShift = compiledShifts.get(shift)
  if (compiledShift) return compiledShift
  const compiled: Compiled = {
    on: wallMinutes(shift.onDuty),
    off: wallMinutes(shift.offDuty),
    punchStart: wallMinutes(shift.punchStart),
    punchEnd: wallMinutes(shift.punchEnd),
    breaks: shift.breaks.map(pause => ({
      start: wallMinutes(pause.start),
      end: wallMinutes(pause.end),
      durationMinutes: pause.durationMinutes,
      thresholdMinutes: pause.thresholdMinutes,
    })),
    hash: hashShift(shift),
    placed: new Map(),
  }
  compiledShifts.set(shift, compiled)
  return compiled
}

/**
 * Slots keep their length in elapsed minutes. A slot that overlaps the previous slot starts at the end of that slot.
 */
const placeBreaks = (zone: string, day: number, compiled: Compiled): PlacedBreak[] => {
  let free = Number.NEGATIVE_INFINITY
  return compiled.breaks
    .map(rest => ({
      rest,
      start: instantOf(zone, day * 1440 + rest.start),
      end: instantOf(zone, day * 1440 + rest.end),
    }))
    .sort((a, b) => a.start - b.start || a.rest.start - b.rest.start)
    .map(({ rest, start, end }) => {
      const from = Math.max(start, free)
      free = from + rest.durationMinutes
      return {
        slot: { from, to: free },
        time: { from: start, to: Math.max(end, free) },
        durationMinutes: rest.durationMinutes,
        thresholdMinutes: rest.thresholdMinutes,
      }
    })
}

/**
 * The first and the last minute of the punch period, which always covers on and off duty. A clock change can move the
 * start behind on duty. The start then lies before on duty, by the minutes between the two clock readings. The same
 * rule applies to an end before off duty. If the readings are in the wrong order, which the form refuses, the distance
 * is 0.
 */
const placePeriod = (
  zone: string,
  day: number,
  compiled: Compiled,
  on: number,
  off: number,
): Pick<Instance, 'punchStart' | 'punchEnd'> => {
  const start = instantOf(zone, day * 1440 + compiled.punchStart)
  const end = instantOf(zone, day * 1440 + compiled.punchEnd, 'second')
  const punchStart = start <= on ? start : on - Math.max(0, compiled.on - compiled.punchStart)
  const punchEnd = end >= off ? end : off + Math.max(0, compiled.punchEnd - compiled.off)
  // A clock change can move off duty before on duty. The period covers both.
  return { punchStart: Math.min(punchStart, off), punchEnd: Math.max(punchEnd, on) }
}

const place = (zone: string, day: number, shift: Shift & { version: number }): Instance | null => {
  if (isSkipped(zone, day)) return null
  const compiled = compile(shift)
  const on = instantOf(zone, day * 1440 + compiled.on)
  const off = instantOf(zone, day * 1440 + compiled.off)
  const breaks = placeBreaks(zone, day, compiled)
  const duty = without(
    spanOf(on, off),
    breaks.map(pause => pause.slot),
  )
  const { punchStart, punchEnd } = placePeriod(zone, day, compiled, on, off)
  // The hash includes the instants, so that new zone data changes it.
  const hash = continueHash(compiled.hash)
  for (const number of [day, on, off, punchStart, punchEnd]) mixNumber(hash, number)
  for (const { slot, time } of breaks) for (const number of [slot.from, time.from, time.to]) mixNumber(hash, number)
  return {
    shift,
    day,
    dayName: dayName(day),
    on,
    off,
    punchStart,
    punchEnd,
    breaks,
    duty,
    dutyMinutes: lengthOf(duty),
    hash,
  }
}

/** A fixed shift on a work day, or null if the zone's calendar skipped that date. */
export const instanceOf = (zone: string, day: number, shift: Shift & { version: number }): Instance | null => {
  const { placed } = compile(shift)
  let days = placed.get(zone)
  if (!days) {
    days = new Map()
    placed.set(zone, days)
  }
  let instance = days.get(day)
  if (instance === undefined) {
    instance = place(zone, day, shift)
    days.set(day, instance)
  }
  return instance
}
