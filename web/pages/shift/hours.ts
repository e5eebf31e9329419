import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { useLength } from '../../parts/day/day-bar.tsx'
import type { Shift } from './values.ts'

/** When a shift is worked, in a few words: from when to when, or how long in a week. */
export const useHours = () => {
  const { t } = useTranslation('shift')
  const formats = useFormats()
  const lengthOf = useLength()
  return useCallback(
    ({ kind, weekly, onDuty, offDuty }: Pick<Shift, 'kind' | 'weekly' | 'onDuty' | 'offDuty'>) => {
      if (kind === 'weekly') return t('weekly.hours', { hours: lengthOf(weekly?.targetMinutes ?? 0) })
      const to = formats.wallTime(offDuty.slice(0, 5))
      return `${formats.wallTime(onDuty)} – ${offDuty.length > 5 ? t('hoursNextDay', { time: to }) : to}`
    },
    [t, formats, lengthOf],
  )
}
