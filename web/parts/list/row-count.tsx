import { useTranslation } from 'react-i18next'
import useSWR from 'swr'
import type { List } from '../../read.ts'
import './row-count.css'

/** The part of a list that the count needs. */
type Counted = Pick<List<unknown>, 'name' | 'rows' | 'count' | 'hasMore' | 'countOn'>

/** A list that keeps changing is counted again at most once in this time. */
const recountMilliseconds = 30_000

/** The number of rows of a list. Without a stored count, the browser reads on until it has counted enough. */
const useTotal = (list: Counted, known: number | undefined): { count: number; isMore: boolean } | undefined => {
  const { rows, hasMore, name } = list
  const stored = list.count ?? known
  const loaded = rows?.length ?? 0
  const isCounting = rows !== undefined && hasMore && stored === undefined
  const { data } = useSWR(isCounting ? ['count', name] : null, list.countOn, {
    revalidateOnFocus: false,
    shouldRetryOnError: false,
    dedupingInterval: recountMilliseconds,
  })
  if (!rows) return undefined
  if (!hasMore) return { count: loaded, isMore: false }
  if (stored !== undefined) return { count: Math.max(stored, loaded), isMore: false }
  return data && { count: Math.max(data.count, loaded), isMore: data.isMore || data.count < loaded }
}

/** Says which rows of a list are visible, and how many rows the list has. */
export function RowCount(props: {
  list: Counted
  /** The visible rows, counted from 1; all loaded rows without it. */
  shown?: { from: number; to: number } | undefined
  /** The number of rows, if the page knows it from elsewhere. */
  count?: number | undefined
}) {
  const { t } = useTranslation()
  const { list } = props
  const total = useTotal(list, props.count)
  const loaded = list.rows?.length ?? 0
  if (loaded === 0) return null
  const { from, to } = props.shown ?? { from: 1, to: loaded }
  const range = { from, to: Math.min(to, loaded) }
  return (
    <span className="row-count">
      {total ? t(total.isMore ? 'rows.ofMore' : 'rows.of', { ...range, count: total.count }) : t('rows.shown', range)}
    </span>
  )
}
