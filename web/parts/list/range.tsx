import dayjs from 'dayjs'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { dayAt, useAddress } from '../field/address.ts'
import { DayField } from '../field/day-field.tsx'
import { SelectField } from '../field/field.tsx'

const lengths = { '1w': [1, 'week'], '1m': [1, 'month'], '2m': [2, 'month'], '3m': [3, 'month'] } as const
const lengthNames = ['1w', '1m', '2m', '3m'] as const

const startOf = (length: (typeof lengthNames)[number], to: string) => {
  const [count, unit] = lengths[length]
  return dayjs(to).subtract(count, unit).add(1, 'day').format('YYYY-MM-DD')
}

const dayAfter = (day: string, count: number) => dayjs(day).add(count, 'day').format('YYYY-MM-DD')

/**
 * The date range of a list. The address stores it, so that a link or the back button restores it. If a range is longer
 * than `mostDays`, choosing one end moves the other end.
 */
export const useRange = (first: (typeof lengthNames)[number] = '1w', mostDays = Number.POSITIVE_INFINITY) => {
  const formats = useFormats()
  const { address: search, set } = useAddress()
  const today = formats.today()
  const to = dayAt(search, 'to') ?? today
  const from = dayAt(search, 'from') ?? startOf(first, to)
  const isTooLong = (from: string, to: string) => dayjs(to).diff(from, 'day') >= mostDays
  const begin = (day: string) => set({ from: day, to: isTooLong(day, to) ? dayAfter(day, mostDays - 1) : to })
  const end = (day: string) => set({ from: isTooLong(from, day) ? dayAfter(day, 1 - mostDays) : from, to: day })
  return { from, to, today, search, set, begin, end }
}

/** A choice of one week, one, two or three months up to today, or any two days. */
export function Range({ range }: { range: ReturnType<typeof useRange> }) {
  const { t } = useTranslation()
  const { from, to, today, set, begin, end } = range
  const length = lengthNames.find(name => to === today && from === startOf(name, today))
  return (
    <>
      <SelectField
        className="length"
        label={t('range.label')}
        value={length ?? ''}
        onText={value => {
          const chosen = lengthNames.find(name => name === value)
          if (chosen) set({ from: startOf(chosen, today), to: undefined })
        }}
        options={[
          ...(length ? [] : [['', t('range.own')] as const]),
          ...lengthNames.map(name => [name, t(`range.${name}`)] as const),
        ]}
      />
      <div className="days">
        <DayField label={t('from')} value={from} most={to} onText={day => day && begin(day)} />
        <span aria-hidden="true">–</span>
        <DayField label={t('to')} value={to} least={from} most={today} onText={day => day && end(day)} />
      </div>
    </>
  )
}
