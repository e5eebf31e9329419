import { planLimits } from '../../../shared/schedule/limit.ts'
import { call, type PathCall } from '../../api.ts'

export type DraftFilters = NonNullable<PathCall<'schedule/draft/grid'>['filters']>

/** The people with unpublished days, in portions of one call. */
export const readDrafted = async (filters: DraftFilters): Promise<string[][]> => {
  const people: string[] = []
  for (let page: string | undefined, isFirst = true; isFirst || page; isFirst = false) {
    const answer = await call('schedule/draft/grid', { filters, size: 200, ...(page && { page }) })
    people.push(...answer.list.map(({ employee }) => employee))
    page = answer.next
  }
  return Array.from({ length: Math.ceil(people.length / planLimits.employees) }, (_, i) =>
    people.slice(i * planLimits.employees, (i + 1) * planLimits.employees),
  )
}
