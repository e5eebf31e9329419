import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { addMonths } from '../../../shared/local-day.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../button.tsx'
import { useAddress } from './address.ts'
import './month-field.css'

/** The month of a page, in the address. The present month needs no parameter. */
export const useMonth = () => {
  const formats = useFormats()
  const { address, set } = useAddress()
  const present = formats.today().slice(0, 7)
  const month = address.get('month')?.match(/^\d{4}-(0[1-9]|1[0-2])$/)?.[0] ?? present
  return { month, present, pick: (next: string) => set({ month: next === present ? undefined : next }) }
}

/** A month as `YYYY-MM`, with buttons for the month before and after. */
export function MonthField({ month, onPick }: { month: string; onPick: (month: string) => void }) {
  const { t } = useTranslation('shell')
  const formats = useFormats()
  const move = (count: number) => onPick(addMonths(`${month}-01`, count).slice(0, 7))
  return (
    <div className="month-field">
      <Button
        square
        aria-label={t('calendar.previous')}
        icon={<ChevronLeft className="icon" />}
        onClick={() => move(-1)}
      />
      <h2 aria-live="polite">{formats.month(month)}</h2>
      <Button square aria-label={t('calendar.next')} icon={<ChevronRight className="icon" />} onClick={() => move(1)} />
    </div>
  )
}
