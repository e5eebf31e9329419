import { useTranslation } from 'react-i18next'
import type { Measure } from '../../../shared/attendance/rounding.ts'
import type { FigureName } from '../../../shared/figure.ts'
import { measureOf } from '../../../shared/measure.ts'
import type { PathOutput } from '../../api.ts'
import { useFormats } from '../../format.ts'

/** A day of one employee with everything that explains its figures. */
export type Explained = PathOutput<'personal/report/record'>['list'][number]

/** Returns a function that formats minutes of a measure in the company's unit, with the unit. */
export const useMeasureText = () => {
  const { t } = useTranslation('shell')
  const formats = useFormats()
  return (minutes: number, measure: Measure) =>
    `${formats.duration(minutes, measure)}\u00a0${t(`unit.${formats.unit(measure)}`)}`
}

/** Returns a function that formats minutes of a figure. */
export const useAmount = () => {
  const text = useMeasureText()
  return (minutes: number, name: FigureName) => text(minutes, measureOf[name])
}
