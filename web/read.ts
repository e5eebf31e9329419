import { useEffect, useMemo } from 'react'
import useSWR, { type SWRConfiguration } from 'swr'
import useSWRInfinite from 'swr/infinite'
import { call, type PathCall, type PathOutput, type ReadPath } from './api.ts'

// Reading through SWR: what was read once is shown at once, and read again when it may have changed.

type Listener = () => unknown
const readers = new Map<Listener, ReadPath>()

/** Reads again everything on screen whose path starts with one of the prefixes: after a save, or because the server says so. */
export const refresh = (prefixes: readonly string[]) => {
  for (const [readAgain, path] of readers) if (prefixes.some(prefix => path.startsWith(prefix))) readAgain()
}

const useRefresh = (path: ReadPath, readAgain: Listener) => {
  useEffect(() => {
    // A function of its own for each reader: two pages may share the one that SWR gives.
    const listener = () => readAgain()
    readers.set(listener, path)
    return () => {
      readers.delete(listener)
    }
  }, [path, readAgain])
}

const settings: SWRConfiguration = { keepPreviousData: true, shouldRetryOnError: false, revalidateOnFocus: true }

/** What a path answers to this input; nothing is asked while the input is `null`. */
export const useRead = <P extends ReadPath>(path: P, input: PathCall<P> | null) => {
  const { data, error, isLoading, mutate } = useSWR<PathOutput<P>>(
    input && [path, input],
    () => call(path, input as PathCall<P>),
    settings,
  )
  useRefresh(path, mutate)
  return { data, error, isLoading, readAgain: mutate }
}

/** The paths that answer page by page. */
type PagedPath = { [P in ReadPath]: 'page' extends keyof PathCall<P> ? P : never }[ReadPath]
export type RowOf<P extends PagedPath> = PathOutput<P> extends { list: (infer Row)[] } ? Row : never
interface Part<Row> {
  list: Row[]
  count?: number
  next?: string
}

/** A list that grows page by page as one scrolls. */
export const useList = <P extends PagedPath>(path: P, filters: PathCall<P>['filters'], size = 50) => {
  const { data, error, isLoading, isValidating, setSize, mutate } = useSWRInfinite<Part<RowOf<P>>>(
    (index: number, before: Part<RowOf<P>> | null) =>
      before && !before.next ? null : [path, filters, size, index === 0 ? undefined : before?.next],
    ([, , , page]: [P, unknown, number, string | undefined]) =>
      // Every paged path takes and answers these; the compiler cannot see it through the path's name.
      call<ReadPath>(path, { filters, size, ...(page && { page }) } as PathCall<P>) as Promise<Part<RowOf<P>>>,
    { ...settings, revalidateFirstPage: false },
  )
  useRefresh(path, mutate)
  const rows = useMemo(() => data?.flatMap(({ list }) => list), [data])
  const hasMore = Boolean(data?.at(-1)?.next)
  return {
    rows,
    count: data?.[0]?.count,
    error,
    isLoading,
    hasMore,
    more: () => {
      if (hasMore && !isValidating) setSize(pages => pages + 1)
    },
    readAgain: mutate,
  }
}
