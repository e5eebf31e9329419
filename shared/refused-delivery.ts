// A terminal keeps data that the server refuses, and delivers it again. Until then a reset would erase the only copy.

/** Data that the server refused, open until the terminal has delivered it again. */
export interface RefusedDelivery {
  /** The terminal's name for the data: a table, a path or a command. */
  table: string
  /** The HTTP status of the refusal. */
  status: number
  at: string
  /**
   * The mark of the first line, with which every retry begins. Only records have marks, because other tables change
   * between retries.
   */
  first?: string
  /** The marks of the first and the last line that the terminal has not delivered again. */
  missing?: string[]
}

/** The most open deliveries. The server notes a further refusal at the terminal's next retry. */
const mostOpen = 20

const isSame = (a: RefusedDelivery, b: RefusedDelivery) => a.table === b.table && a.first === b.first

/** The open deliveries and this one. Undefined if the list already contains it. */
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
 * The deliveries that stay open after the server accepted these lines of a table. Accepted records never close a
 * delivery without marks, because they may be new punches.
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

/** The stored reason of a failed reset. */
export const refusedReason = (count: number): string => `refused ${count}`
export const countRefused = (reason = ''): number | undefined => {
  const [, count] = /^refused (\d+)$/.exec(reason) ?? []
  return count === undefined ? undefined : Number(count)
}
