import type { Instance } from './instance.ts'
import type { Group } from './punch.ts'
import { liesIn } from './punch.ts'

// Step 4: assigns each punch to a shift.

/** A fixed shift on a work day, with the punches that count for it and the other punches around it. */
export interface Assigned {
  readonly id: string
  readonly instance: Instance
  /** The first and the last minute of the punch period. Approved overtime can extend the period. */
  readonly opens: number
  readonly closes: number
  readonly groups: Group[]
  /** The first group also ends the previous shift (hand-over punch). */
  handedOver: boolean
  /** Groups in this punch period that count for another shift. */
  readonly elsewhere: Group[]
  /** Groups on the work day outside every punch period. */
  readonly outside: Group[]
}

/**
 * Picks the earlier shift `a` or the later shift `b` for a punch in both punch periods. Groups come in time order, so
 * both shifts already hold all earlier punches.
 */
const choose = (a: Assigned, b: Assigned, group: Group): Assigned => {
  if (b.groups.length > 0) return b
  const last = a.groups.at(-1)
  if (last && last.last < Math.max(a.opens, b.opens)) return a
  const fromOff = Math.abs(group.last - a.instance.off)
  const fromOn = Math.abs(group.first - b.instance.on)
  return fromOff < fromOn ? a : b
}

/**
 * Whether a punch closes the earlier shift `a` and also opens the next shift `b`. The punch already closed `a`, is
 * alone in the overlap, and is not before the earliest allowed leave of `a`. `b` begins in the overlap. The next punch
 * belongs to `b` and comes after the midpoint of `b`.
 */
const isHandOver = (a: Assigned, b: Assigned, group: Group, before: Group | undefined, after: Group | undefined) => {
  const zoneFrom = Math.max(a.opens, b.opens)
  const zoneTo = Math.min(a.closes, b.closes)
  const { on, off } = b.instance
  return (
    a.groups.length > 0 &&
    !(before && liesIn(before, zoneFrom, zoneTo)) &&
    !(after && liesIn(after, zoneFrom, zoneTo)) &&
    group.last >= a.instance.off - a.instance.shift.allowedEarlyMinutes &&
    on >= zoneFrom &&
    on <= zoneTo &&
    after !== undefined &&
    liesIn(after, b.opens, b.closes) &&
    2 * after.first > on + off
  )
}

/** Orders shifts by on duty, off duty, work day and id, so that the input order does not matter. */
export const byDuty = (a: Assigned, b: Assigned): number =>
  a.instance.on - b.instance.on ||
  a.instance.off - b.instance.off ||
  a.instance.day - b.instance.day ||
  (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** Assigns every group to its shift, in time order. Returns the groups outside every punch period. */
export const assign = (groups: readonly Group[], shifts: readonly Assigned[]): Group[] => {
  const unscheduled: Group[] = []
  const byOpening = shifts.toSorted((a, b) => a.opens - b.opens)
  let passed = 0
  groups.forEach((group, index) => {
    while (passed < byOpening.length && (byOpening[passed]?.closes ?? 0) < group.first) passed++
    const candidates: Assigned[] = []
    for (let next = passed; next < byOpening.length; next++) {
      const shift = byOpening[next]
      if (!shift || shift.opens > group.last) break
      if (liesIn(group, shift.opens, shift.closes)) candidates.push(shift)
    }
    const [firstCandidate] = candidates
    if (!firstCandidate) unscheduled.push(group)
    else if (candidates.length === 1) firstCandidate.groups.push(group)
    else {
      candidates.sort(byDuty)
      const owner = candidates.reduce((left, right) => choose(left, right, group))
      const [a, b] = candidates
      const handOver =
        candidates.length === 2 &&
        a !== undefined &&
        b !== undefined &&
        owner === a &&
        isHandOver(a, b, group, groups[index - 1], groups[index + 1])
      owner.groups.push(group)
      if (handOver) {
        b.groups.push(group)
        b.handedOver = true
      }
      for (const other of candidates) if (other !== owner && !(handOver && other === b)) other.elsewhere.push(group)
    }
  })
  return unscheduled
}
