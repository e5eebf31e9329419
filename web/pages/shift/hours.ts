import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { useLength } from '../../parts/day/day-bar.tsx'
import type { Shift } from './values.ts'

/** Describes the hours of a shift: its start and end, or its weekly length. */
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
