import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import type { RowOf } from '../../read.ts'

export type HolidayPart = RowOf<'holiday/grid'>['part']

/** Returns functions that describe the free part of a holiday, alone and after the holiday's name. */
export const useHolidayWords = () => {
  const { t } = useTranslation('holiday')
  const formats = useFormats()
  return useMemo(() => {
    const part = (part: NonNullable<HolidayPart>): string => {
      if (part === 'half') return t('part.half')
      const { from, to } = part
      if (from && to) return `${formats.wallTime(from)} – ${formats.wallTime(to)}`
      return from
        ? t('part.from', { time: formats.wallTime(from) })
        : t('part.to', { time: formats.wallTime(to ?? '') })
    }
    return { part, name: (name: string, of?: HolidayPart) => (of ? `${name} (${part(of)})` : name) }
  }, [t, formats])
}
