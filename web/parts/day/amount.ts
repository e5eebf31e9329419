import { useTranslation } from 'react-i18next'
import type { FigureName } from '../../../shared/figure.ts'
import { measureOf } from '../../../shared/measure.ts'
import type { PathOutput } from '../../api.ts'
import { useFormats } from '../../format.ts'

/** A day of one employee with everything that explains its figures. */
export type Explained = PathOutput<'personal/report/record'>['list'][number]

/** Formats minutes in the company's unit, with the unit. */
export const useAmount = () => {
  const { t } = useTranslation('shell')
  const formats = useFormats()
  return (minutes: number, name: FigureName) => {
    const measure = measureOf[name]
    return `${formats.duration(minutes, measure)}\u00a0${t(`unit.${formats.unit(measure)}`)}`
  }
}
