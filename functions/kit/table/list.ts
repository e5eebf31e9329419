import { type Item, openCursor, type Page, type Range, sealCursor, type Table } from '../table.ts'

export interface List<T> {
  /**
   * Partitions with the same order and direction, merged into one list. An item in several partitions has the same sort
   * key in each and appears once.
   */
  ranges: Range<T>[]
  /** The name of this list with its filters and order, so that its cursor opens no other list. */
  name: string
  size: number
  page?: string | undefined
  /** Loads the data that `keep` needs about rows. */
  learn?: (items: Item<T>[]) => Promise<void>
  /** A filter that the engine's `where` cannot express. */
  keep?: (item: Item<T>) => boolean
  /** About how many rows one page may read. The next page continues from there. */
  mostRead?: number
  /** The most text in the rows of a page. A page with this much text is full. */
  mostCharacters?: number
}

/** One page of a list. `count` is set if the first page is the whole list. */
export interface Listed<T> extends Page<T> {
  count?: number
}

interface Source<T> {
  range: Range<T>
  rows: { item: Item<T>; at: string }[]
  /** The sort key to continue after. */
  reached: string | undefined
  isEnded: boolean
  /** The number of rows to read next. */
  portion: number
}

/** Compares sort keys by bytes, like the engine. JavaScript compares UTF-16 units, which gives another order. */
const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

const largestPortion = 2000
/** The most reads of each partition for one page. Rows may be large, and the engine returns at most a megabyte. */
const mostRounds = 16

/**
 * One page of a list, in order. Across pages no row is missing or repeated; a short page with `next` has read
 * `mostRead` rows. Indexes lag by milliseconds, so a read after a write may be stale. Saves check the version shown, so
 * a stale row never overwrites a newer version.
 */
export const readList = async <T>(
  table: Table,
  { ranges, name, size, page, learn, keep = () => true, mostRead = 12_000, mostCharacters = Infinity }: List<T>,
): Promise<Listed<T>> => {
  const binding = `${table.prefix}list ${name}`
  const start = page === undefined ? undefined : String((await openCursor(page, binding)).after)
  const reverse = ranges[0]?.reverse ?? false
  const isBefore = (a: string, b: string) => (reverse ? compare(a, b) > 0 : compare(a, b) < 0)
  const sources = ranges.map(
    (range): Source<T> => ({
      range,
      rows: [],
      reached: start,
      isEnded: false,
      // One extra row shows whether there is another page.
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
  /** Takes the next row up to `limit`. Returns false if there is none. */
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
    // The page is full, so the next page finds out whether there are more rows.
    if (isFull() && last !== undefined) return answer(last)
    if (read >= mostRead || rounds === mostRounds) {
      // The page ends at the partition read least far, because that partition may continue with any row after its end.
      const reached = sources.flatMap(({ isEnded, reached = '' }) => (isEnded ? [] : [reached]))
      const limit = reached.reduce((a, b) => (isBefore(b, a) ? b : a))
      while (take(limit));
      return answer(isFull() && last !== undefined ? last : limit)
    }
    for (const count of await Promise.all(open.map(readOn))) read += count
    rounds++
  }
}
