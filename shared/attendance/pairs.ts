import type { OpenDay } from './open-day.ts'
import { raise } from './open-day.ts'
import type { Group } from './punch.ts'
import { firstAt, lastAt } from './punch.ts'
import type { Span } from './span.ts'

// By choice: days without a shift count punches in pairs, also across midnight.

/** Two punches farther apart are not an in and its out. */
const mostPairMinutes = 16 * 60
/** Two punches around midnight that are farther apart are two forgotten punches. */
const mostNightMinutes = 12 * 60

interface Pairs {
  readonly pairs: readonly { readonly in: Group; readonly out: Group }[]
  /** Punches without a partner. */
  readonly alone: readonly Group[]
}

/** From the left, neighbours that are not too far apart are an in and its out. */
const pairUp = (groups: readonly Group[]): Pairs => {
  const pairs: { in: Group; out: Group }[] = []
  const alone: Group[] = []
  for (let index = 0; index < groups.length; index++) {
    const [group, next] = [groups[index], groups[index + 1]]
    if (!group) break
    if (next && next.last - group.first <= mostPairMinutes) {
      pairs.push({ in: group, out: next })
      index++
    } else alone.push(group)
  }
  return { pairs, alone }
}

/**
 * Places the pairs of a day and returns the time in them. With `raisesMissing`, a punch without a partner raises the
 * missing out.
 */
export const placePairs = (day: OpenDay, raisesMissing = true): readonly Span[] => {
  const { row, groups, uses } = day
  const { pairs, alone } = pairUp(groups)
  const [first] = groups
  const last = pairs.at(-1)
  if (first) row.firstIn = firstAt(first)
  if (last) row.lastOut = lastAt(last.out)
  groups.forEach((group, index) => {
    const isIn = group === first || alone.includes(group)
    uses[index] = isIn ? 'in' : group === last?.out ? 'out' : 'gap'
  })
  if (raisesMissing && alone.length > 0) raise(day, 'missingOut')
  return pairs.map(pair => ({ from: pair.in.first, to: pair.out.last }))
}

/** The punches of dates, by date. */
export interface PunchedDays {
  /** Punches that a date without a fixed shift counts. */
  readonly local: Map<number, Group[]>
  /** Whether a date has a shift of its own, which takes its punches. */
  readonly hasShift: (day: number) => boolean
  /** Punches outside the shifts of a date with a fixed shift. Each is alone. */
  readonly outside: (day: number) => Group[] | undefined
}

/**
 * The last punch of a date without a shift, if alone, takes the first punch of the next date as its out. No shift
 * may take that punch, it must be near enough, and the next date must then leave fewer punches alone. Moves the punch to
 * the first date. Returns the last minute of each date that waits for such a punch.
 */
export const joinNights = ({ local, hasShift, outside }: PunchedDays): Map<number, number> => {
  const waits = new Map<number, number>()
  for (const day of [...local.keys()].sort((a, b) => a - b)) {
    const groups = local.get(day)
    const open = groups && pairUp(groups).alone.at(-1)
    if (!groups || !open || open !== groups.at(-1) || hasShift(day)) continue
    waits.set(day, open.first + mostNightMinutes)
    const beside = outside(day + 1)
    const next = beside ?? (hasShift(day + 1) ? undefined : local.get(day + 1))
    const [out, ...others] = next ?? []
    if (!next || !out || out.last - open.first > mostNightMinutes) continue
    if (!beside && pairUp(others).alone.length >= pairUp(next).alone.length) continue
    groups.push(out)
    next.shift()
    if (!beside && next.length === 0) local.delete(day + 1)
  }
  return waits
}
