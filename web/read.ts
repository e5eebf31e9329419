import i18next from 'i18next'
import { useEffect, useMemo, useRef, useState } from 'react'
import useSWR, { mutate, type SWRConfiguration } from 'swr'
import useSWRInfinite from 'swr/infinite'
import { call, type PathCall, type PathOutput, type ReadPath } from './api.ts'

// Reading through SWR: what was read once is shown at once, and read again when it may have changed.

/** The lists on screen, and what is read rarely: what SWR keeps of a list as a whole it does not find by a page's key. */
const lists = new Map<() => unknown, ReadPath>()

/**
 * Reads again what starts with one of the prefixes, after a save or because the server says so: what is on screen at
 * once, the rest when it is next shown.
 */
export const refresh = (prefixes: readonly string[]) => {
  const isMeant = (path: string) => prefixes.some(prefix => path.startsWith(prefix))
  void mutate(key => Array.isArray(key) && isMeant(String(key[0])))
  for (const [readAgain, path] of lists) if (isMeant(path)) readAgain()
}

// Zones, places and system roles are named by the server in the reader's language.
i18next.on('languageChanged', () => refresh(['']))

const settings: SWRConfiguration = { shouldRetryOnError: false, revalidateOnFocus: true }

/** While something else is read, what was read before stays on screen; once that has failed it is not shown in its place. */
const useFormer = <T>(read: T | undefined, error: unknown): T | undefined => {
  const former = useRef(read)
  if (read !== undefined || error) former.current = read
  return former.current
}

/**
 * What a path answers to this input; nothing is asked while the input is `null`. `pollMilliseconds` of an answer says when
 * to ask again, for what must not wait for the live line; 0 is never.
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
  return { data: useFormer(read, error), error, isLoading, readAgain }
}

const rareMilliseconds = 3000

/** As `useRead`, for what is dear to answer and changes by the thousand: it is read again at once, and then once in some seconds. */
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
  return { data: useFormer(read, error), error }
}

/** The paths that answer page by page. */
export type PagedPath = { [P in ReadPath]: 'page' extends keyof PathCall<P> ? P : never }[ReadPath]
export type RowOf<P extends PagedPath> = PathOutput<P> extends { list: (infer Row)[] } ? Row : never
interface Part<Row> {
  list: Row[]
  count?: number
  next?: string
}

/** A list of more pages is not read again as a whole whenever something changes. */
const mostPagesTogether = 4

/** By which of its columns a list is sorted, and which way. */
export interface Sort<By extends string = string> {
  by: By
  descending?: boolean
}
/** The names a paged path sorts by; none where it has one order only. */
export type SortOf<P extends PagedPath> =
  PathCall<P> extends { sort?: infer S } ? Extract<S, { by: string }>['by'] : never

/** What the parts that show lists take. */
export interface List<Row, By extends string = string> {
  /** What was asked for: other filters or another order make it another list. */
  name: string
  rows: readonly Row[] | undefined
  count: number | undefined
  error: unknown
  /** What was asked for is on its way; the rows are still those of before. */
  isLoading: boolean
  hasMore: boolean
  /** Brings the next page; does nothing while one is on its way or there is none. */
  more: () => void
  readAgain: () => void
  /** Says which rows are in sight: of a long list these are read again before all others. */
  see: (from: number, to: number) => void
  sort: Sort<By> | undefined
  sortBy: (sort: Sort<By>) => void
}
export type ListOf<P extends PagedPath> = List<RowOf<P>, SortOf<P>>

/** A list that grows page by page as one scrolls, sorted as the person last chose. */
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
  } = useSWRInfinite<Part<RowOf<P>>>(
    (index: number, before: Part<RowOf<P>> | null) =>
      before && !before.next ? null : [path, { filters, size, sort }, index === 0 ? undefined : before?.next],
    ([, input, page]: [P, object, string | undefined]) =>
      // Every paged path takes and answers these; the compiler cannot see it through the path's name.
      call<ReadPath>(path, { ...input, ...(page && { page }) } as PathCall<P>) as Promise<Part<RowOf<P>>>,
    // A list that is shown again is read again, all of its pages: somebody else may have changed any of them.
    { ...settings, revalidateFirstPage: false, revalidateOnMount: true, dedupingInterval: 0 },
  )
  const data = useFormer(read, error)
  const loaded = useRef(read)
  loaded.current = read
  const sight = useRef({ from: 0, to: Number.POSITIVE_INFINITY })
  /** Pages of which something may have changed while they were out of sight, by their place. */
  const stale = useRef(new Set<number>())
  const { see, refreshList } = useMemo(() => {
    const pagesInSight = (pages: readonly Part<RowOf<P>>[]) => {
      let row = 0
      return pages.flatMap(({ list }, index) => {
        const start = row
        row += list.length
        return row >= sight.current.from && start <= sight.current.to ? [index] : []
      })
    }
    const readSeen = () => {
      const pages = loaded.current ?? []
      const seen = pagesInSight(pages)
      for (const index of seen) stale.current.delete(index)
      const wanted = new Set(seen.map(index => (index === 0 ? undefined : pages[index - 1]?.next)))
      // A page that is read again names the one behind it anew, so that one has to be read too.
      const revalidate = (page: Part<RowOf<P>> | undefined, key: unknown) =>
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
        sight.current = { from, to }
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
  // What was shown before, under other filters in between, may have changed while nobody looked.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only where other rows are asked for, and are there at once.
  useEffect(() => {
    if (shown.current === name) return
    shown.current = name
    if (!isLoading) void readAgain()
  }, [name])
  const rows = useMemo(() => data?.flatMap(({ list }) => list), [data])
  const hasMore = Boolean(data?.at(-1)?.next)
  return {
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
    see,
    sort,
    sortBy,
  } satisfies ListOf<P>
}
