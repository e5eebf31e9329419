import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { List } from '../../read.ts'
import './list-end.css'

/** Stands behind the last row of a list and brings the next page when it comes into sight. */
export function ListEnd({ list }: { list: Pick<List<unknown>, 'rows' | 'hasMore' | 'more' | 'error' | 'readAgain'> }) {
  const { t } = useTranslation()
  const { rows, hasMore, error } = list
  const end = useRef<HTMLLIElement>(null)
  const [isNear, setNear] = useState(false)
  const more = useRef(list.more)
  more.current = list.more
  // biome-ignore lint/correctness/useExhaustiveDependencies: with other rows it is looked again whether the end is still in sight.
  useEffect(() => {
    const { current } = end
    if (!current || !hasMore || error) return
    const watcher = new IntersectionObserver(
      entries => {
        const isSeen = entries.some(({ isIntersecting }) => isIntersecting)
        setNear(isSeen)
        if (isSeen) more.current()
      },
      { rootMargin: '400px' },
    )
    watcher.observe(current)
    return () => watcher.disconnect()
  }, [rows, hasMore, error])
  if (!hasMore) return null
  return (
    <li ref={end} className="list-end">
      {error ? (
        <span>
          {t('trouble')}{' '}
          <button type="button" className="link" onClick={list.readAgain}>
            {t('again')}
          </button>
        </span>
      ) : (
        isNear && <span className="spinner" role="status" aria-label={t('loading')} />
      )}
    </li>
  )
}
