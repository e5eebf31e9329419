import { useMemo } from 'react'
import { daysBetween, earlierDay, laterDay } from '../../../shared/local-day.ts'
import { useRead } from '../../read.ts'
import type { FreeDays } from './row.ts'

/** The names of company-wide holidays, and the free days of each department. */
export const useHolidays = (from: string, to: string) => {
  const { data } = useRead('holiday/all', { from, to })
  return useMemo(() => {
    const [holidays, freeDays] = [new Map<string, string>(), new Map<string, Set<string>>()]
    for (const { name, from: first, to: last, departments } of data?.list ?? [])
      for (const day of daysBetween(laterDay(first, from), earlierDay(last, to))) {
        if (!departments) holidays.set(day, name)
        for (const id of departments ?? []) freeDays.set(id, (freeDays.get(id) ?? new Set()).add(day))
      }
    return { holidays: holidays as ReadonlyMap<string, string>, freeDays: freeDays as FreeDays }
  }, [data, from, to])
}
