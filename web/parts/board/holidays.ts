import { useMemo } from 'react'
import { daysBetween, earlierDay, laterDay } from '../../../shared/local-day.ts'
import { useRead } from '../../read.ts'
import { useHolidayWords } from './holiday-words.ts'
import type { FreeDays, HolidayLook, Holidays } from './row.ts'

/** The company-wide holidays, and the free days of each department. A whole holiday hides a part of the same day. */
export const useHolidays = (from: string, to: string) => {
  const { data } = useRead('holiday/all', { from, to })
  const words = useHolidayWords()
  return useMemo(() => {
    const holidays = new Map<string, { name: string; look: HolidayLook }>()
    const freeDays = new Map<string, Map<string, HolidayLook>>()
    for (const { name, from: first, to: last, part, departments } of data?.list ?? []) {
      const look: HolidayLook = part ? 'half-holiday' : 'holiday'
      for (const day of daysBetween(laterDay(first, from), earlierDay(last, to))) {
        if (!departments && holidays.get(day)?.look !== 'holiday')
          holidays.set(day, { name: words.name(name, part), look })
        for (const id of departments ?? []) {
          const days = freeDays.get(id) ?? new Map<string, HolidayLook>()
          if (days.get(day) !== 'holiday') days.set(day, look)
          freeDays.set(id, days)
        }
      }
    }
    return { holidays: holidays as Holidays, freeDays: freeDays as FreeDays }
  }, [data, from, to, words])
}
