import { type Item, openCursor, type Page, type Range, sealCursor, type Table } from '../table.ts'

/** What a list is read from, and how far one page may look for its rows. */
export interface List<T> {
  /**
   * Partitions in one order and direction, which are read as if they were one. What stands in several of them stands under the
   * same sort key in each, and comes once.
   */
  ranges: Range<T>[]
  /** Tells this list, with its filters and order, from others the same cursor must not open. */
  name: string
  size: number
  page?: string | undefined
  /** What must be known of rows before `keep` is asked about them. */
  learn?: (items: Item<T>[]) => Promise<void>
  /** What the engine's `where` cannot say. */
  keep?: (item: Item<T>) => boolean
  /** About how many rows the engine looks at for one page; whoever wants more asks for the next one. */
  mostRead?: number
  /** A page is full also where its rows are this much text. */
  mostCharacters?: number
}

/** `count` where the first page is the whole list. */
export interface Listed<T> extends Page<T> {
  count?: number
}

interface Source<T> {
  range: Range<T>
  rows: { item: Item<T>; at: string }[]
  /** Behind which sort key to read on. */
  reached: string | undefined
  isEnded: boolean
  /** How many rows to look at next. */
  portion: number
}

/** The engine orders sort keys by their bytes, which is not the order of a string's halves of characters. */
const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

const largestPortion = 2000
/** Rows may be large, and the engine sends a megabyte at a time: so often is each partition asked for one page. */
const mostRounds = 16

/**
 * One page of a list: at most `size` rows, in order, none twice and none left out when page follows page. Rows added or moved
 * meanwhile come where they stand now. Fewer rows than asked for, with a `next`, are what was found by looking at `mostRead`.
 *
 * An index follows the table after a moment, mostly within milliseconds: a list read right behind a write may still show what
 * was. The write's own fact comes later than that and refreshes whoever looks, who then reads again; and what is changed is
 * changed on top of the version that was shown, so that an old row cannot undo a newer one.
 */
export const readList = async <T>(
  table: Table,
  { ranges, name, size, page, learn, keep = () => true, mostRead = 12_000, mostCharacters = Infinity }: List<T>,
): Promise<Listed<T>> => {
  const binding = `${table.prefix}list ${name}`
  const start = page === undefined ? undefined : String((await openCursor(page, binding)).after)
  const reverse = ranges[0]?.reverse ?? false
  const isBefore = (one: string, other: string) => (reverse ? compare(one, other) > 0 : compare(one, other) < 0)
  const sources = ranges.map(
    (range): Source<T> => ({
      range,
      rows: [],
      reached: start,
      isEnded: false,
      // One row more than a page needs tells whether there is another page.
      portion: ranges.length === 1 ? size + 1 : Math.ceil((size + 1) / ranges.length) + 4,
    }),
  )
  const readOn = async (source: Source<T>): Promise<number> => {
    const part = await table.part<T>({ ...source.range, after: source.reached, size: source.portion })
    await learn?.(part.rows.map(({ item }) => item))
    source.rows = part.rows.filter(({ item }) => keep(item))
    source.reached = part.reached
    source.isEnded = part.reached === undefined
    source.portion = Math.min(source.portion * 4, largestPortion)
    return part.read
  }

  const list: Item<T>[] = []
  const isOpen = (source: Source<T>) => source.rows.length === 0 && !source.isEnded
  let last: string | undefined
  let characters = 0
  const isFull = () => list.length === size || characters >= mostCharacters
  const answer = async (after: string) => ({ list, next: await sealCursor({ after }, binding) })
  /** Takes the next row that stands at or before `limit`; false where there is none. */
  const take = (limit?: string): boolean => {
    let first: Source<T> | undefined
    for (const source of sources) {
      const at = source.rows[0]?.at
      if (at !== undefined && (first?.rows[0] === undefined || isBefore(at, first.rows[0].at))) first = source
    }
    const row = first?.rows[0]
    if (!row || (limit !== undefined && isBefore(limit, row.at))) return false
    if (row.at !== last && isFull()) return false
    first?.rows.shift()
    if (row.at === last) return true
    list.push(row.item)
    last = row.at
    if (mostCharacters < Infinity) characters += JSON.stringify(row.item).length
    return true
  }

  for (let read = 0, rounds = 0; ; ) {
    const open = sources.filter(isOpen)
    if (open.length === 0) {
      if (take()) continue
      if (isFull() && last !== undefined && sources.some(({ rows }) => rows.length > 0)) return answer(last)
      return { list, ...(page === undefined && { count: list.length }) }
    }
    // Where a page is full, whether there is more is for the next one to find out.
    if (isFull() && last !== undefined) return answer(last)
    if (read >= mostRead || rounds === mostRounds) {
      // Nobody knows what stands behind the place that was read to, in the one that is furthest back.
      const reached = sources.flatMap(({ isEnded, reached = '' }) => (isEnded ? [] : [reached]))
      const limit = reached.reduce((one, other) => (isBefore(other, one) ? other : one))
      while (take(limit));
      return answer(isFull() && last !== undefined ? last : limit)
    }
    for (const count of await Promise.all(open.map(readOn))) read += count
    rounds++
  }
}
