// A terminal keeps what the server refuses, and delivers it again. Until then a reset would erase the only copy.

/** Something a terminal delivered and the server refused; open until the terminal has delivered it again. */
export interface RefusedDelivery {
  /** The terminal's name for what it delivered: a table, a path or a command. */
  table: string
  /** As HTTP says it. */
  status: number
  at: string
  /** The mark of its first line, which every retry begins with. Only records have marks: other tables change between retries. */
  first?: string
  /** The marks of its first and last line that the terminal has not delivered again. */
  missing?: string[]
}

/** A terminal retries, so a refused delivery that finds no room here is noted at its next retry. */
const mostOpen = 20

const isSame = (one: RefusedDelivery, other: RefusedDelivery) => one.table === other.table && one.first === other.first

/** The open deliveries with one more; undefined where that one is noted already. */
export const addRefused = (
  open: readonly RefusedDelivery[],
  { table, status, at }: Pick<RefusedDelivery, 'table' | 'status' | 'at'>,
  marks: readonly string[],
): RefusedDelivery[] | undefined => {
  const [first] = marks
  const missing = [...new Set([first, marks.at(-1)])].filter(mark => mark !== undefined)
  const refused = { table, status, at, ...(first !== undefined && { first, missing }) }
  const known = open.find(one => isSame(one, refused))
  if (!known) return open.length < mostOpen ? [...open, refused] : undefined
  if (known.missing?.join() === refused.missing?.join()) return undefined
  return open.map(one => (one === known ? refused : one))
}

/**
 * The deliveries that stay open after the server accepted these lines of a table. Accepted records never close a delivery without
 * marks: they may be new punches.
 */
export const withoutTaken = (
  open: readonly RefusedDelivery[],
  table: string,
  marks: ReadonlySet<string> | undefined,
): RefusedDelivery[] =>
  open.flatMap(one => {
    if (one.table !== table || (one.missing === undefined && marks)) return [one]
    const missing = one.missing?.filter(mark => !marks?.has(mark)) ?? []
    return missing.length > 0 ? [{ ...one, missing }] : []
  })

/** Why a reset came to nothing, as its command keeps it. */
export const refusedReason = (count: number): string => `refused ${count}`
export const countRefused = (reason = ''): number | undefined => {
  const [, count] = /^refused (\d+)$/.exec(reason) ?? []
  return count === undefined ? undefined : Number(count)
}
