import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'

interface Limit {
  carriedUntil?: string | undefined
  expiringDays?: number | undefined
  expiredDays?: number | undefined
}

/** The carried days that will end or have ended, with their last day. */
export function CarriedEnd({ limit }: { limit: Limit | undefined }) {
  const { t } = useTranslation('leave')
  const formats = useFormats()
  const { carriedUntil, expiringDays = 0, expiredDays = 0 } = limit ?? {}
  const count = expiringDays || expiredDays
  if (!carriedUntil || count === 0) return null
  return (
    <small className="muted carried-end">
      {t(expiringDays > 0 ? 'carriedEnd.coming' : 'carriedEnd.past', { count, day: formats.day(carriedUntil) })}
    </small>
  )
}
