import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { useAddress } from '../../parts/field/address.ts'
import { monthAfter } from '../timecard/days.ts'

/** The month of the page, in the address. The present month needs no parameter. */
export const useMonth = () => {
  const formats = useFormats()
  const { address, set } = useAddress()
  const present = formats.today().slice(0, 7)
  const month = address.get('month')?.match(/^\d{4}-(0[1-9]|1[0-2])$/)?.[0] ?? present
  return { month, present, pick: (next: string) => set({ month: next === present ? undefined : next }) }
}

export function MonthField({ month, onPick }: { month: string; onPick: (month: string) => void }) {
  const { t } = useTranslation('personal')
  const formats = useFormats()
  return (
    <div className="month-field">
      <Button
        look="quiet"
        square
        aria-label={t('timecard.previous')}
        icon={<ChevronLeft className="icon" />}
        onClick={() => onPick(monthAfter(month, -1))}
      />
      <h2 aria-live="polite">{formats.month(month)}</h2>
      <Button
        look="quiet"
        square
        aria-label={t('timecard.next')}
        icon={<ChevronRight className="icon" />}
        onClick={() => onPick(monthAfter(month, 1))}
      />
    </div>
  )
}
