import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { useMayOpen } from '../../menu.ts'
import { Link } from '../../parts/shell/router.ts'

/** The scheduled time that no paid column contains, with a link to its exceptions. */
export function UnresolvedNotice(props: {
  /** As printed, in the company’s unit. */
  amount: number
  range: { from: string; to: string }
}) {
  const { t } = useTranslation(['report', 'shell'])
  const formats = useFormats()
  const mayOpen = useMayOpen()
  const { amount, range } = props
  if (amount === 0) return null
  const time = `${formats.amount(amount, 'absence')}\u00a0${t(`shell:unit.${formats.unit('absence')}`)}`
  return (
    <p className="notice warn unresolved">
      <TriangleAlert className="icon" aria-hidden="true" />
      <span>{t('unresolved.text', { time })}</span>
      {mayOpen('/exception') && (
        <Link className="button" to={`/exception?${new URLSearchParams(range)}`}>
          {t('unresolved.fix')}
        </Link>
      )}
    </p>
  )
}
