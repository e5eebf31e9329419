import dayjs from 'dayjs'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { dayName, dayNumber, weekStart } from '../../../shared/attendance/calendar.ts'
import { addDays, addMonths, countDays } from '../../../shared/local-day.ts'
import { type Period, periodBefore, periodOf } from '../../../shared/pay-period.ts'
import { useFormats } from '../../format.ts'
import { usePerson } from '../../session.tsx'
import { dayAt, useAddress } from '../field/address.ts'
import { DayField } from '../field/day-field.tsx'
import { SelectField } from '../field/field.tsx'

const lengths = { '1w': [1, 'week'], '1m': [1, 'month'], '2m': [2, 'month'], '3m': [3, 'month'] } as const
const presetNames = [
  ...(['1w', '1m', '2m', '3m'] as const),
  ...(['thisWeek', 'lastWeek', 'thisMonth', 'lastMonth', 'thisPay', 'lastPay'] as const),
]
type Preset = (typeof presetNames)[number]

const startOf = (length: keyof typeof lengths, to: string) => {
  const [count, unit] = lengths[length]
  return dayjs(to).subtract(count, unit).add(1, 'day').format('YYYY-MM-DD')
}
const monthOf = (day: string): Period => {
  const from = `${day.slice(0, 7)}-01`
  return { from, to: addDays(addMonths(from, 1), -1) }
}

/** The days of each preset, up to today. */
const usePresets = (today: string): Record<Preset, Period> => {
  const { firstWeekday, payPeriod } = usePerson()
  const upToToday = ({ from, to }: Period) => ({ from, to: to > today ? today : to })
  const week = dayName(weekStart(dayNumber(today), firstWeekday))
  const month = monthOf(today)
  const pay = periodOf(payPeriod, today)
  const last = (length: keyof typeof lengths) => ({ from: startOf(length, today), to: today })
  return {
    ...{ '1w': last('1w'), '1m': last('1m'), '2m': last('2m'), '3m': last('3m') },
    thisWeek: { from: week, to: today },
    lastWeek: { from: addDays(week, -7), to: addDays(week, -1) },
    thisMonth: upToToday(month),
    lastMonth: monthOf(addDays(month.from, -1)),
    thisPay: upToToday(pay),
    lastPay: periodBefore(payPeriod, pay),
  }
}

/**
 * The date range of a list, stored in the address so that a link or the back button restores it. A range longer than
 * `mostDays` is shortened: choosing one end moves the other.
 */
export const useRange = (first: Preset = '1w', mostDays = Number.POSITIVE_INFINITY) => {
  const formats = useFormats()
  const { address: search, set } = useAddress()
  const today = formats.today()
  const presets = usePresets(today)
  const to = dayAt(search, 'to') ?? (search.has('from') ? today : presets[first].to)
  const from = dayAt(search, 'from') ?? (first in lengths ? startOf(first as '1w', to) : presets[first].from)
  const isTooLong = (from: string, to: string) => countDays(from, to) > mostDays
  const begin = (day: string) => set({ from: day, to: isTooLong(day, to) ? addDays(day, mostDays - 1) : to })
  const end = (day: string) => set({ from: isTooLong(from, day) ? addDays(day, 1 - mostDays) : from, to: day })
  const [picked, setPicked] = useState<Preset>()
  const isChosen = (name: Preset) => presets[name].from === from && presets[name].to === to
  // Several presets may mean the same days. The select then shows what the user picked, or the first one of the page.
  const preset = [...(picked ? [picked] : []), first, ...presetNames].find(isChosen)
  const pick = (name: Preset) => {
    setPicked(name)
    const { from, to } = presets[name]
    set({ from, to: to === today ? undefined : to })
  }
  return { from, to, today, search, set, begin, end, presets, preset, pick }
}
export type DayRange = ReturnType<typeof useRange>

/** A choice of days: one week or one, two or three months up to today, a calendar or pay period, or any two days. */
export function Range({ range }: { range: DayRange }) {
  const { t } = useTranslation()
  const { from, to, today, begin, end, preset, pick } = range
  return (
    <>
      <SelectField
        className="length"
        label={t('range.label')}
        value={preset ?? ''}
        onText={value => {
          const chosen = presetNames.find(name => name === value)
          if (chosen) pick(chosen)
        }}
        options={[
          ...(preset ? [] : [['', t('range.own')] as const]),
          ...presetNames.map(name => [name, t(`range.${name}`)] as const),
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
