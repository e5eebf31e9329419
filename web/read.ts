import { useEffect, useMemo } from 'react'
import useSWR, { mutate, type SWRConfiguration } from 'swr'
import useSWRInfinite from 'swr/infinite'
import { call, type PathCall, type PathOutput, type ReadPath } from './api.ts'

// Reading through SWR: what was read once is shown at once, and read again when it may have changed.

/** The lists on screen: what SWR keeps of a list as a whole it does not find by a page's key. */
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

const settings: SWRConfiguration = { keepPreviousData: true, shouldRetryOnError: false, revalidateOnFocus: true }

/** What a path answers to this input; nothing is asked while the input is `null`. */
export const useRead = <P extends ReadPath>(path: P, input: PathCall<P> | null) => {
  const {
    data,
    error,
    isLoading,
    mutate: readAgain,
  } = useSWR<PathOutput<P>>(input && [path, input], () => call(path, input as PathCall<P>), settings)
  return { data, error, isLoading, readAgain }
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
  const {
    data,
    error,
    isLoading,
    isValidating,
    setSize,
    mutate: readAgain,
  } = useSWRInfinite<Part<RowOf<P>>>(
    (index: number, before: Part<RowOf<P>> | null) =>
      before && !before.next ? null : [path, filters, size, index === 0 ? undefined : before?.next],
    ([, , , page]: [P, unknown, number, string | undefined]) =>
      // Every paged path takes and answers these; the compiler cannot see it through the path's name.
      call<ReadPath>(path, { filters, size, ...(page && { page }) } as PathCall<P>) as Promise<Part<RowOf<P>>>,
    // A list that is shown again is read again, all of its pages: somebody else may have changed any of them.
    { ...settings, revalidateFirstPage: false, revalidateOnMount: true, dedupingInterval: 0 },
  )
  useEffect(() => {
    const listener = () => readAgain()
    lists.set(listener, path)
    return () => {
      lists.delete(listener)
    }
  }, [path, readAgain])
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
    readAgain,
  }
}
