import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { List } from '../../read.ts'
import './list-end.css'

/** The end of a list, which loads the next page when it becomes visible. */
export function ListEnd({ list }: { list: Pick<List<unknown>, 'rows' | 'hasMore' | 'more' | 'error' | 'readAgain'> }) {
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
        isVisible && <span className="spinner" role="status" aria-label={t('loading')} />
      )}
    </li>
  )
}
