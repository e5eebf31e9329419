import i18next from 'i18next'
import { useEffect, useMemo, useRef, useState } from 'react'
import useSWR, { mutate, type SWRConfiguration } from 'swr'
import useSWRInfinite from 'swr/infinite'
import { call, type PathCall, type PathOutput, type ReadPath } from './api.ts'

// Reads data through SWR: a page shows cached data at once, and reads it again when it may have changed.

/**
 * Refresh functions of the lists and rare reads on screen. SWR cannot find a whole list by the key of one of its pages.
 */
const lists = new Map<() => unknown, ReadPath>()

/**
 * Reads all paths with one of the prefixes again, after a save or a push from the server. Reads data on screen at once,
 * and other data when a page next shows it.
 */
export const refresh = (prefixes: readonly string[]) => {
  const hasPrefix = (path: string) => prefixes.some(prefix => path.startsWith(prefix))
  void mutate(key => Array.isArray(key) && hasPrefix(String(key[0])))
  for (const [readAgain, path] of lists) if (hasPrefix(path)) readAgain()
}

// The server sends the names of zones, places and system roles in the reader's language.
i18next.on('languageChanged', () => refresh(['']))

const settings: SWRConfiguration = { shouldRetryOnError: false, revalidateOnFocus: true }

/** Keeps the previous data on screen while other data loads. If loading fails, the previous data disappears. */
const useDataOrPrevious = <T>(read: T | undefined, error: unknown): T | undefined => {
  const previous = useRef(read)
  if (read !== undefined || error) previous.current = read
  return previous.current
}

/**
 * Reads a path with this input; sends nothing while the input is `null`. `pollMilliseconds` returns the poll interval
 * for an answer, and 0 stops polling. Polling is for data that must not depend on the live connection.
 */
export const useRead = <P extends ReadPath>(
  path: P,
  input: PathCall<P> | null,
  pollMilliseconds?: (answer: PathOutput<P> | undefined) => number,
) => {
  const {
    data: read,
    error,
    isLoading,
    mutate: readAgain,
  } = useSWR<PathOutput<P>>(input && [path, input], () => call(path, input as PathCall<P>), {
    ...settings,
    ...(pollMilliseconds && { refreshInterval: pollMilliseconds }),
  })
  return { data: useDataOrPrevious(read, error), error, isLoading, readAgain }
}

const rareMilliseconds = 3000

/**
 * Like `useRead`, for data that is expensive to compute and changes thousands of times. The first change triggers a
 * read at once. Later changes trigger at most one read per `rareMilliseconds`.
 */
export const useRareRead = <P extends ReadPath>(path: P, input: PathCall<P>) => {
  const { data: read, error, mutate } = useSWR<PathOutput<P>>(['rare', path, input], () => call(path, input), settings)
  useEffect(() => {
    let timer: number | undefined
    let readAt = 0
    const readAgain = () => {
      timer ??= window.setTimeout(
        () => {
          timer = undefined
          readAt = Date.now()
          void mutate()
        },
        Math.max(0, readAt + rareMilliseconds - Date.now()),
      )
    }
    lists.set(readAgain, path)
    return () => {
      window.clearTimeout(timer)
      lists.delete(readAgain)
    }
  }, [path, mutate])
  return { data: useDataOrPrevious(read, error), error }
}

/** The paths that return a list in pages. */
export type PagedPath = { [P in ReadPath]: 'page' extends keyof PathCall<P> ? P : never }[ReadPath]
export type RowOf<P extends PagedPath> = PathOutput<P> extends { list: (infer Row)[] } ? Row : never
interface ListPage<Row> {
  list: Row[]
  count?: number
  next?: string
}

/** After a change, a list with more pages reads only its visible pages again. */
const mostPagesTogether = 4

/** The column and the direction of a list's sort order. */
export interface Sort<By extends string = string> {
  by: By
  descending?: boolean
}
/** The column names by which a paged path can sort; `never` if it has only one order. */
export type SortOf<P extends PagedPath> =
  PathCall<P> extends { sort?: infer S } ? Extract<S, { by: string }>['by'] : never

/** The interface between a list and the components that show it. */
export interface List<Row, By extends string = string> {
  path: ReadPath
  /** Identifies the request. Other filters or another order make another list. */
  name: string
  rows: readonly Row[] | undefined
  count: number | undefined
  error: unknown
  /** The requested rows are loading, and `rows` still holds the previous ones. */
  isLoading: boolean
  hasMore: boolean
  /** Loads the next page. Does nothing during a load or after the last page. */
  more: () => void
  readAgain: () => void
  /** Counts on from the loaded rows, up to `mostCounted`. */
  countOn: () => Promise<{ count: number; isMore: boolean }>
  /** Reads the rows from the first one, up to `most`. */
  readAll: (most: number) => Promise<{ rows: readonly Row[]; isMore: boolean }>
  /** Reports which rows are visible, because a long list reads the visible rows first after a change. */
  see: (from: number, to: number) => void
  sort: Sort<By> | undefined
  sortBy: (sort: Sort<By>) => void
}
export type ListOf<P extends PagedPath> = List<RowOf<P>, SortOf<P>>

/** Up to this number of rows, the browser counts a list without a stored count. */
const mostCounted = 1000

/** A list that loads page by page while the user scrolls, sorted in the order that the user chose last. */
export const useList = <P extends PagedPath>(
  path: P,
  filters: PathCall<P>['filters'],
  { size = 50, sort: first }: { size?: number; sort?: Sort<SortOf<P>> } = {},
) => {
  const [sort, sortBy] = useState(first)
  const {
    data: read,
    error,
    isLoading,
    isValidating,
    setSize,
    mutate: readAgain,
  } = useSWRInfinite<ListPage<RowOf<P>>>(
    (index: number, previous: ListPage<RowOf<P>> | null) =>
      previous && !previous.next ? null : [path, { filters, size, sort }, index === 0 ? undefined : previous?.next],
    ([, input, page]: [P, object, string | undefined]) =>
      // Every paged path has this input and output. The compiler cannot derive the types from the generic path.
      call<ReadPath>(path, { ...input, ...(page && { page }) } as PathCall<P>) as Promise<ListPage<RowOf<P>>>,
    // A list that appears again reads all its pages again, because another user may have changed any of them.
    { ...settings, revalidateFirstPage: false, revalidateOnMount: true, dedupingInterval: 0 },
  )
  const data = useDataOrPrevious(read, error)
  const loaded = useRef(read)
  loaded.current = read
  const visibleRows = useRef({ from: 0, to: Number.POSITIVE_INFINITY })
  /** The indexes of pages that may have changed while they were not visible. */
  const stale = useRef(new Set<number>())
  const { see, refreshList } = useMemo(() => {
    const pagesInSight = (pages: readonly ListPage<RowOf<P>>[]) => {
      let row = 0
      return pages.flatMap(({ list }, index) => {
        const start = row
        row += list.length
        return row >= visibleRows.current.from && start <= visibleRows.current.to ? [index] : []
      })
    }
    const readSeen = () => {
      const pages = loaded.current ?? []
      const seen = pagesInSight(pages)
      for (const index of seen) stale.current.delete(index)
      const wanted = new Set(seen.map(index => (index === 0 ? undefined : pages[index - 1]?.next)))
      // A second read of a page returns a new cursor, so the list must read the next page too.
      const revalidate = (page: ListPage<RowOf<P>> | undefined, key: unknown) =>
        page === undefined || wanted.has(Array.isArray(key) ? key[2] : undefined)
      void readAgain([...pages], { revalidate })
    }
    return {
      refreshList: () => {
        const pages = loaded.current
        if (!pages || pages.length <= mostPagesTogether) return void readAgain()
        stale.current = new Set(pages.keys())
        readSeen()
      },
      see: (from: number, to: number) => {
        visibleRows.current = { from, to }
        const pages = loaded.current
        if (pages && stale.current.size > 0 && pagesInSight(pages).some(index => stale.current.has(index))) readSeen()
      },
    }
  }, [readAgain])
  useEffect(() => {
    lists.set(refreshList, path)
    return () => {
      lists.delete(refreshList)
    }
  }, [path, refreshList])
  const name = JSON.stringify([path, filters, sort])
  const shown = useRef(name)
  // Cached rows may have changed while the list showed other filters.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only if the request changes and its rows are cached.
  useEffect(() => {
    if (shown.current === name) return
    shown.current = name
    if (!isLoading) void readAgain()
  }, [name])
  const rows = useMemo(() => data?.flatMap(({ list }) => list), [data])
  const hasMore = Boolean(data?.at(-1)?.next)
  const pageAfter = async (cursor: string | undefined) => {
    const input = { filters, size: 200, sort, ...(cursor && { page: cursor }) } as PathCall<P>
    return (await call<ReadPath>(path, input)) as ListPage<RowOf<P>>
  }
  return {
    path,
    name,
    rows,
    count: data?.[0]?.count,
    error,
    isLoading,
    hasMore,
    more: () => {
      if (hasMore && !isValidating) setSize(pages => pages + 1)
    },
    readAgain: () => readAgain(),
    countOn: async () => {
      const pages = loaded.current ?? []
      let count = pages.reduce((sum, { list }) => sum + list.length, 0)
      let next = pages.at(-1)?.next
      // Under a new name the list has no page yet, so the count begins at the first page.
      while ((count === 0 || next) && count < mostCounted) {
        const page = await pageAfter(next)
        count += page.list.length
        next = page.next
        if (!next) break
      }
      return { count: Math.min(count, mostCounted), isMore: next !== undefined || count > mostCounted }
    },
    readAll: async most => {
      const rows: RowOf<P>[] = []
      let next: string | undefined
      do {
        const page = await pageAfter(next)
        rows.push(...page.list)
        next = page.next
      } while (next && rows.length < most)
      return { rows: rows.slice(0, most), isMore: next !== undefined || rows.length > most }
    },
    see,
    sort,
    sortBy,
  } satisfies ListOf<P>
}
