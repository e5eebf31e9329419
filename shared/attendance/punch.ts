import type { Punch } from './input.ts'

// Steps 1 and 3: sorts punches, removes duplicate records and groups repeats.

/** Punches that count as one: the first punch and its repeats within the bounce time. */
export interface Group {
  readonly punches: readonly Punch[]
  /** Minutes of the first and the last punch. The day's in counts at `first`; its out counts at `last`. */
  readonly first: number
  readonly last: number
}

/** The minute of an instant: 09:00:59 counts as 09:00. */
export const minuteOf = (at: number): number => Math.floor(at / 60_000)

export const firstAt = (group: Group): number => group.punches[0]?.at ?? 0
export const lastAt = (group: Group): number => group.punches.at(-1)?.at ?? 0

/** Whether any punch of the group is in a period. The period includes its first and last minute. */
export const liesIn = ({ punches }: Group, from: number, to: number): boolean =>
  punches.some(({ at }) => minuteOf(at) >= from && minuteOf(at) <= to)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Orders punches by time. If a terminal sends a record with and without its in/out key, the copy with the key counts.
 */
const inOrder = (a: Punch, b: Punch): number =>
  a.at - b.at || compare(a.key, b.key) || compare(a.state ?? 'unknown', b.state ?? 'unknown')

/**
 * Groups punches in time order, in any input order. A punch less than `bounceSeconds` after the first of a group
 * repeats that punch. A punch at the instant of the previous punch always repeats that punch.
 */
export const groupPunches = (punches: readonly Punch[], bounceSeconds: number): Group[] => {
  const sorted = punches.toSorted(inOrder)
  const groups: Group[] = []
  let open: Punch[] = []
  let until = Number.NEGATIVE_INFINITY
  let previous: Punch | undefined
  const close = () => {
    const [first] = open
    if (first && previous) groups.push({ punches: open, first: minuteOf(first.at), last: minuteOf(previous.at) })
  }
  for (const punch of sorted) {
    if (previous && previous.at === punch.at && previous.key === punch.key) continue
    if (punch.at >= until && punch.at !== previous?.at) {
      close()
      open = []
      until = punch.at + bounceSeconds * 1000
    }
    open.push(punch)
    previous = punch
  }
  close()
  return groups
}
