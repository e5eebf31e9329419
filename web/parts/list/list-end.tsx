import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { List } from '../../read.ts'
import { RowCount } from './row-count.tsx'
import './list-end.css'

type Ending = Pick<List<unknown>, 'name' | 'rows' | 'count' | 'countOn' | 'hasMore' | 'more' | 'error' | 'readAgain'>

/** The end of a list, which says how many rows it has, and loads the next page when it becomes visible. */
export function ListEnd({ list }: { list: Ending }) {
  const { t } = useTranslation()
  const { rows, hasMore, error } = list
  const end = useRef<HTMLLIElement>(null)
  const [isVisible, setVisible] = useState(false)
  const more = useRef(list.more)
  more.current = list.more
  // biome-ignore lint/correctness/useExhaustiveDependencies: after the rows change, check again whether the end is visible.
  useEffect(() => {
    const { current } = end
    if (!current || !hasMore || error) return
    const watcher = new IntersectionObserver(
      entries => {
        const isInView = entries.some(({ isIntersecting }) => isIntersecting)
        setVisible(isInView)
        if (isInView) more.current()
      },
      { rootMargin: '400px' },
    )
    watcher.observe(current)
    return () => watcher.disconnect()
  }, [rows, hasMore, error])
  if (!rows?.length) return null
  return (
    <li ref={end} className="list-end">
      <RowCount list={list} />
      {hasMore && error ? (
        <span>
          {t('trouble')}{' '}
          <button type="button" className="link" onClick={list.readAgain}>
            {t('again')}
          </button>
        </span>
      ) : (
        hasMore && isVisible && <span className="spinner" role="status" aria-label={t('loading')} />
      )}
    </li>
  )
}
