import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mostCounted } from '../../../shared/exception-limit.ts'
import { addDays } from '../../../shared/local-day.ts'
import type { useRange } from '../../parts/list/range.tsx'
import { type List, useRareRead } from '../../read.ts'
import type { Raised } from './words.ts'

/** The list shows at most this many days before today. */
const mostDaysBack = 365
const steadyMilliseconds = 4000

/** A count that grows only after a moment. The menu's count follows the list a little later. */
const useSteady = (count: number) => {
  const [steady, setSteady] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => setSteady(count), steadyMilliseconds)
    return () => clearTimeout(timer)
  }, [count])
  return Math.min(steady, count)
}

/** How many open exceptions the list shows, and which of them and of all others the menu counts. */
export function OpenNote({
  list,
  range,
}: {
  list: Pick<List<Raised>, 'rows' | 'count'>
  range: ReturnType<typeof useRange>
}) {
  const { t } = useTranslation('exception')
  const counted = useRareRead('exception/count', {}).data?.count ?? 0
  const { rows = [], count } = list
  const locked = rows.filter(({ isLocked }) => isLocked).length
  const waiting = rows.length - locked
  const beyond = useSteady(count === undefined ? 0 : Math.max(0, counted - waiting))
  const first = addDays(range.today, -mostDaysBack)
  const isNarrow =
    range.from > first ||
    range.to < range.today ||
    ['department', 'employee', 'type', 'manager'].some(name => range.search.has(name))
  if (count === undefined || (count === 0 && beyond === 0)) return t('note')
  return (
    <>
      {[
        t('count', { count: waiting }),
        ...(locked > 0 ? [t('lockedCount', { count: locked })] : []),
        ...(beyond > 0 ? [counted < mostCounted ? t('beyond', { count: beyond }) : t('beyondMany')] : []),
      ].join(' · ')}
      {beyond > 0 && isNarrow && (
        <>
          {' '}
          <button
            type="button"
            className="link"
            onClick={() =>
              range.set({
                ...{ from: first, to: undefined },
                ...{ department: undefined, employee: undefined, type: undefined, manager: undefined },
              })
            }
          >
            {t('showAll')}
          </button>
        </>
      )}
    </>
  )
}
