import { ChevronLeft, ChevronRight } from 'lucide-react'
import { memo, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { dayNumber, weekday } from '../../../shared/attendance/calendar.ts'
import { addDays, addMonths, countDays, earlierDay } from '../../../shared/local-day.ts'
import { mostBoardDays } from '../../../shared/schedule/limit.ts'
import { type Formats, useFormats } from '../../format.ts'
import { headOf } from '../../parts/board/heads.ts'
import type { Head, Holidays } from '../../parts/board/row.ts'
import { Button } from '../../parts/button.tsx'
import { dayAt } from '../../parts/field/address.ts'
import { DayField } from '../../parts/field/day-field.tsx'
import { SelectField } from '../../parts/field/field.tsx'
import { useSearchParams } from '../../parts/shell/router.ts'
import { weekOf } from './weeks.ts'

// The range of the board: a month, a week, two weeks or any days. The address holds the range, so that a link or the
// back button restores it.

export const views = ['month', 'week', 'weeks', 'own'] as const
export type View = (typeof views)[number]

/** The board also reads the day before and the day after. */
const mostDays = mostBoardDays - 2

const monthEnd = (month: string) => addDays(addMonths(`${month}-01`, 1), -1)

/** The ISO 8601 number of the week with this first day. Week 1 contains the year's first Thursday. */
const weekNumber = (first: string) => {
  const thursday = addDays(first, (4 - weekday(dayNumber(first)) + 7) % 7)
  return Math.ceil(countDays(`${thursday.slice(0, 4)}-01-01`, thursday) / 7)
}

const rangeIn = (
  address: URLSearchParams,
  { today, firstWeekday }: { today: string; firstWeekday: number },
): { view: View; from: string; to: string } => {
  const [week, weeks, from, to] = ['week', 'weeks', 'from', 'to'].map(name => dayAt(address, name))
  const firstOfWeek = weekOf(week ?? weeks ?? today, firstWeekday)
  if (week) return { view: 'week', from: firstOfWeek, to: addDays(firstOfWeek, 6) }
  if (weeks) return { view: 'weeks', from: firstOfWeek, to: addDays(firstOfWeek, 13) }
  if (from && to && from <= to) return { view: 'own', from, to: earlierDay(to, addDays(from, mostDays - 1)) }
  const month = address.get('month')?.match(/^\d{4}-(0[1-9]|1[0-2])$/)?.[0] ?? today.slice(0, 7)
  return { view: 'month', from: `${month}-01`, to: monthEnd(month) }
}

const addressOf = (view: View, from: string, to: string): Record<string, string> =>
  view === 'month' ? { month: from.slice(0, 7) } : view === 'own' ? { from, to } : { [view]: from }

export const useView = () => {
  const formats = useFormats()
  const [address, setAddress] = useSearchParams()
  const { firstWeekday } = formats
  const today = formats.today()
  const { view, from, to } = rangeIn(address, { today, firstWeekday })
  const actions = useMemo(() => {
    const go = (next: Record<string, string>) =>
      setAddress(
        previous => {
          const kept = [...previous].filter(([name]) => !['month', 'week', 'weeks', 'from', 'to'].includes(name))
          return { ...Object.fromEntries(kept), ...next }
        },
        { replace: true },
      )
    const count = countDays(from, to)
    return {
      show: (view: View) => {
        // Keeps today in view if the current range contains it.
        const day = today >= from && today <= to ? today : from
        go(view === 'own' ? { from, to } : addressOf(view, view === 'month' ? day : weekOf(day, firstWeekday), to))
      },
      range: (from: string, to: string) => go({ from, to }),
      move: (by: -1 | 1) =>
        view === 'month'
          ? go({ month: addMonths(from, by).slice(0, 7) })
          : go(addressOf(view, addDays(from, by * count), addDays(to, by * count))),
      today: () =>
        view === 'own' ? go({ from: today, to: addDays(today, count - 1) }) : go(addressOf(view, today, today)),
    }
  }, [view, from, to, today, firstWeekday, setAddress])
  return { view, from, to, today, actions }
}

/** The column heads of the days. */
export const headsOf = (
  days: readonly string[],
  today: string,
  formats: Formats,
  weekNames: (number: number) => Pick<Head['week'], 'name' | 'short'>,
  holidays: Holidays,
): Head[] =>
  days.map(day => {
    const week = weekOf(day, formats.firstWeekday)
    return { ...headOf(day, today, formats, holidays), week: { key: week, ...weekNames(weekNumber(week)) } }
  })

export const ViewPicker = memo(function ViewPicker(props: {
  view: View
  from: string
  to: string
  actions: ReturnType<typeof useView>['actions']
}) {
  const { t } = useTranslation(['schedule', 'shell'])
  const formats = useFormats()
  const { view, from, to, actions } = props
  const name =
    view === 'month'
      ? formats.month(from.slice(0, 7))
      : view === 'week'
        ? t('week.name', { number: weekNumber(from) })
        : `${formats.day(from)} – ${formats.day(to)}`
  return (
    <>
      <div className="span">
        <Button
          look="quiet"
          square
          aria-label={t(`view.previous.${view}`)}
          icon={<ChevronLeft className="icon" />}
          onClick={() => actions.move(-1)}
        />
        <strong aria-live="polite" className={view === 'weeks' || view === 'own' ? 'figure' : undefined}>
          {name}
        </strong>
        <Button
          look="quiet"
          square
          aria-label={t(`view.next.${view}`)}
          icon={<ChevronRight className="icon" />}
          onClick={() => actions.move(1)}
        />
        <Button onClick={actions.today}>{t('view.today')}</Button>
      </div>
      <SelectField
        className="length"
        label={t('view.label')}
        value={view}
        onText={value => {
          const chosen = views.find(name => name === value)
          if (chosen) actions.show(chosen)
        }}
        options={views.map(name => [name, t(`view.${name}`)] as const)}
      />
      {view === 'own' && (
        <div className="days">
          <DayField
            label={t('shell:from')}
            value={from}
            onText={day => day && actions.range(day, day > to || countDays(day, to) > mostDays ? addDays(day, 27) : to)}
          />
          <span aria-hidden="true">–</span>
          <DayField
            label={t('shell:to')}
            value={to}
            least={from}
            most={addDays(from, mostDays - 1)}
            onText={day => day && actions.range(from, day)}
          />
        </div>
      )}
    </>
  )
})
