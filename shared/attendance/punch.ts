import type { Punch } from './input.ts'

// Steps 1 and 3: punches in order, each record once, repeats together.

/** Punches that count as one: a first one and those within the bounce after it. */
export interface Group {
  readonly punches: readonly Punch[]
  /** Minutes of the first and the last of them. Where the group is the day's in its first counts, as the out its last. */
  readonly first: number
  readonly last: number
}

/** The minute of an instant: 09:00:59 counts as 09:00. */
export const minuteOf = (at: number): number => Math.floor(at / 60_000)

export const firstAt = (group: Group): number => group.punches[0]?.at ?? 0
export const lastAt = (group: Group): number => group.punches.at(-1)?.at ?? 0

/** Whether a group lies in a period, of which the first and the last minute count: any of its punches does. */
export const liesIn = ({ punches }: Group, from: number, to: number): boolean =>
  punches.some(({ at }) => minuteOf(at) >= from && minuteOf(at) <= to)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** By time. Of one record sent with and without the terminal's in/out key the one that says more comes first and counts. */
const inOrder = (a: Punch, b: Punch): number =>
  a.at - b.at || compare(a.key, b.key) || compare(a.state ?? 'unknown', b.state ?? 'unknown')

/**
 * Groups of punches in time order, whatever order they came in. A punch less than `bounceSeconds` after the first of a
 * group repeats it; one of the same instant always does.
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
