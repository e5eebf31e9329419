import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../parts/button.tsx'
import type { FromList } from '../../parts/person-link.tsx'
import { useLocation, usePageNavigate } from '../../parts/shell/router.ts'

/** The people before and after this one in the list from which the user came. The open tab stays. */
export const useNeighbours = (id: string) => {
  const navigate = usePageNavigate()
  const { state, search }: { state: FromList | null; search: string } = useLocation()
  const people = state?.people ?? []
  const at = people.indexOf(id)
  const tab = new URLSearchParams(search).get('tab')
  const goTo = (person: string | undefined) =>
    person === undefined
      ? undefined
      : () => navigate(`/employee/${person}${tab ? `?tab=${tab}` : ''}`, { replace: true, state })
  return {
    place: at + 1,
    count: at < 0 ? 0 : people.length,
    previous: goTo(at < 0 ? undefined : people[at - 1]),
    next: goTo(at < 0 ? undefined : people[at + 1]),
  }
}

export function Neighbours({ place, count, previous, next }: ReturnType<typeof useNeighbours>) {
  const { t } = useTranslation('person')
  if (count < 2) return null
  return (
    <nav className="person-steps" aria-label={t('steps.label')}>
      <Button
        look="quiet"
        square
        aria-label={t('steps.previous')}
        aria-keyshortcuts="["
        disabled={!previous}
        icon={<ChevronLeft className="icon" />}
        onClick={previous}
      />
      <span className="figure muted">{t('steps.place', { place, count })}</span>
      <Button
        look="quiet"
        square
        aria-label={t('steps.next')}
        aria-keyshortcuts="]"
        disabled={!next}
        icon={<ChevronRight className="icon" />}
        onClick={next}
      />
    </nav>
  )
}
