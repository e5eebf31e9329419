import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { LeftOut } from '../../../shared/report/left-out.ts'
import { leaveTypeOf } from '../../../shared/report/template-column.ts'
import { useAmount } from '../../parts/day/amount.ts'
import { useColumnTitle } from './template-columns.tsx'

const figureOf = { work: 'workMinutes', unscheduled: 'unscheduledMinutes', overtime: 'overtimeMinutes' } as const

/** Warns of the hours of a period that the file of a template does not contain. */
export function LeftOutHours({ leftOut }: { leftOut: readonly LeftOut[] | undefined }) {
  const { t } = useTranslation('report-template')
  const titleOf = useColumnTitle()
  const amount = useAmount()
  if (!leftOut || leftOut.length === 0) return null
  const figure = (measure: string) =>
    leaveTypeOf(measure) ? 'leaveMinutes' : (figureOf[measure as keyof typeof figureOf] ?? 'workMinutes')
  const list = leftOut.map(({ measure, minutes }) => `${titleOf(measure)} ${amount(minutes, figure(measure))}`)
  return (
    <p className="notice warn" role="status">
      <TriangleAlert className="icon" aria-hidden="true" />
      <span>{t('leftOut', { list: list.join(' · ') })}</span>
    </p>
  )
}
