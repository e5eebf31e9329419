// A terminal keeps what the server refuses, and delivers it again. Until then a reset would erase the only copy.

/** Something a terminal delivered and the server refused; open until the terminal has delivered it again. */
export interface RefusedDelivery {
  /** The terminal's name for what it delivered: a table, a path or a command. */
  table: string
  /** The HTTP status. */
  status: number
  at: string
  /** The mark of its first line, which every retry begins with. Only records have marks: other tables change between retries. */
  first?: string
  /** The marks of its first and last line that the terminal has not delivered again. */
  missing?: string[]
}

/** A terminal retries, so a refused delivery that finds no room here is noted at its next retry. */
const mostOpen = 20

const isSame = (a: RefusedDelivery, b: RefusedDelivery) => a.table === b.table && a.first === b.first

/** The open deliveries plus this one; undefined if it is already noted. */
export const addRefused = (
  open: readonly RefusedDelivery[],
  { table, status, at }: Pick<RefusedDelivery, 'table' | 'status' | 'at'>,
  marks: readonly string[],
): RefusedDelivery[] | undefined => {
  const [first] = marks
  const missing = [...new Set([first, marks.at(-1)])].filter(mark => mark !== undefined)
  const refused = { table, status, at, ...(first !== undefined && { first, missing }) }
  const existing = open.find(delivery => isSame(delivery, refused))
  if (!existing) return open.length < mostOpen ? [...open, refused] : undefined
  if (existing.missing?.join() === refused.missing?.join()) return undefined
  return open.map(delivery => (delivery === existing ? refused : delivery))
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
  open.flatMap(delivery => {
    if (delivery.table !== table || (delivery.missing === undefined && marks)) return [delivery]
    const missing = delivery.missing?.filter(mark => !marks?.has(mark)) ?? []
    return missing.length > 0 ? [{ ...delivery, missing }] : []
  })

/** The reason of a failed reset, as its command stores it. */
export const refusedReason = (count: number): string => `refused ${count}`
export const countRefused = (reason = ''): number | undefined => {
  const [, count] = /^refused (\d+)$/.exec(reason) ?? []
  return count === undefined ? undefined : Number(count)
}
