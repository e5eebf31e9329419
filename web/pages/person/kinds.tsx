import { useTranslation } from 'react-i18next'
import { addDays } from '../../../shared/local-day.ts'
import { useFormats } from '../../format.ts'
import { KindDot, useReportKinds } from '../../parts/day/kinds.tsx'
import { useRead } from '../../read.ts'

/** The hour kinds of a person in the present month up to yesterday. */
export function KindTotals({ employee }: { employee: string }) {
  const { t } = useTranslation(['report', 'shell'])
  const formats = useFormats()
  const kinds = useReportKinds()
  const today = formats.today()
  const [from, to] = [`${today.slice(0, 7)}-01`, addDays(today, -1)]
  const { data } = useRead('report/total', kinds.length > 0 && from <= to ? { filters: { from, to, employee } } : null)
  const amounts = data?.kindAmounts ?? {}
  const shown = kinds.filter(({ code }) => (amounts[code] ?? 0) > 0)
  if (shown.length === 0) return null
  return (
    <dl className="person-totals person-kinds" aria-label={t('kinds')}>
      {shown.map(({ code, name, color, isExtra }) => (
        <div key={code}>
          <dt>
            <KindDot color={color} /> {name}
          </dt>
          <dd className="figure">
            {isExtra && '+ '}
            {formats.amount(amounts[code] ?? 0, 'work')}
            {'\u00a0'}
            {t(`shell:unit.${formats.unit('work')}`)}
          </dd>
        </div>
      ))}
    </dl>
  )
}
