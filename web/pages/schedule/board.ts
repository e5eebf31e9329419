import { useDeferredValue, useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays, daysBetween } from '../../../shared/local-day.ts'
import { useFormats } from '../../format.ts'
import { withDraft } from '../../parts/board/draft.ts'
import { type KnownPeople, meansSameHours, type Plan } from '../../parts/board/plan.ts'
import { makeJudge } from '../../parts/board/plan-conflict.ts'
import { countHeld, countPlanned, type DayCounts } from '../../parts/board/plan-count.ts'
import type { BoardRow, BoardShift } from '../../parts/board/row.ts'
import { hoursText } from '../../parts/field/read-hours.ts'
import { planningOf } from '../../plans.ts'
import { useList, useRead } from '../../read.ts'
import { withoutEmpty } from '../../without-empty.ts'
import { knownOf } from './held.ts'

// The data of the board: the server's rows together with the plan.

/** The board reads this many people without scrolling, so that users can select and count a whole company. */
const mostReadAhead = 1000

const shownOf = (
  shift: Pick<BoardShift, 'id' | 'name' | 'color' | 'onDuty' | 'offDuty'>,
  hours: string,
): BoardShift => ({
  ...shift,
  ...{ hours, words: `${shift.name} ${hours}`, letters: [...shift.name].slice(0, 2).join('') },
})

/** The shifts in the order of their addition, so that a number key always means the same shift. */
export const useShifts = () => {
  const { t } = useTranslation('shift')
  const formats = useFormats()
  const { data } = useRead('shift/all', {})
  return useMemo(() => {
    const hoursOf = ({ onDuty, offDuty, targetMinutes }: NonNullable<typeof data>['list'][number]) =>
      targetMinutes === undefined
        ? `${formats.wallTime(onDuty)}–${formats.wallTime(offDuty)}`
        : t('weekly.short', { hours: hoursText(targetMinutes) })
    const palette = data?.list.map(shift => shownOf(shift, hoursOf(shift)))
    return { palette, shifts: new Map<string, BoardShift>(palette?.map(shift => [shift.id, shift])) }
  }, [data, formats, t])
}

/** The rows of the board, with one more day on each side because a night shift reaches into the next day. */
export const useRows = (
  owner: string,
  range: { from: string; to: string },
  filters: { search: string; department: string; shift: string },
) => {
  const [from, to] = [addDays(range.from, -1), addDays(range.to, 1)]
  const list = useList('schedule/grid', { from, to, ...withoutEmpty(filters) }, { size: 200 })
  const { rows: read, hasMore, more, isLoading, error } = list
  const rows = useMemo(() => read?.map(withDraft), [read])
  useEffect(() => {
    if (hasMore && !error && rows && rows.length < mostReadAhead) more()
  })
  useEffect(() => {
    // While loading, the rows still belong to the previous days.
    if (!rows || isLoading) return
    const days = daysBetween(from, to)
    planningOf(owner).learn(rows.map(row => knownOf(row, days)))
  }, [rows, isLoading, from, to, owner])
  return { ...list, rows: rows as readonly BoardRow[] | undefined }
}

/** The number of working people per day, with the plan. The server counts them until the board has all rows. */
export const useCounts = (
  rows: readonly BoardRow[] | undefined,
  days: readonly string[],
  isPart: boolean,
  filters: { search: string; department: string },
  plan: Plan,
  people: KnownPeople,
): DayCounts => {
  const [from, to] = [days[0] ?? '', days.at(-1) ?? '']
  const { data } = useRead('schedule/summary', isPart ? { from, to, ...withoutEmpty(filters) } : null)
  const storedCounts = useMemo(() => {
    if (!isPart || !data) return countHeld(rows ?? [], days)
    const column = new Map(days.map((day, index) => [day, index]))
    const shifts = new Map<string, number[]>()
    const totals = days.map(() => 0)
    const away = days.map(() => 0)
    for (const { day, employees } of data.away) away[column.get(day) ?? 0] = employees
    for (const { day, shift, employees } of data.list) {
      const index = column.get(day) ?? 0
      const counts = shifts.get(shift) ?? days.map(() => 0)
      counts[index] = employees
      shifts.set(shift, counts)
      totals[index] = (totals[index] ?? 0) + employees
    }
    return { people: totals, shifts, away }
  }, [isPart, data, rows, days])
  const shownEmployees = useMemo(() => new Set(rows?.map(({ employee }) => employee)), [rows])
  // The counts may lag behind, so that a painted cell appears at once.
  const deferredPlan = useDeferredValue(plan)
  return useMemo(
    () => countPlanned(storedCounts, deferredPlan, people, days, employee => shownEmployees.has(employee)),
    [storedCounts, deferredPlan, people, days, shownEmployees],
  )
}

/** The changes and conflicts of the plan, per employee and in total. */
export const useJudged = (plan: Plan, people: KnownPeople, zone: string, shifts: ReadonlyMap<string, BoardShift>) => {
  const judge = useMemo(() => makeJudge({ zone, shifts }), [zone, shifts])
  return useMemo(() => {
    const judged = judge(plan, people)
    const judgements = [...judged.values()]
    return {
      judged,
      changedDays: judgements.reduce((sum, { changedDays }) => sum + changedDays, 0),
      replacedDays: judgements.reduce((sum, { replacedDays }) => sum + replacedDays, 0),
      conflicts: judgements.flatMap(({ conflicts }) => conflicts),
    }
  }, [judge, plan, people])
}

/** The time zone of the browser, if its hours differ from the company's on a visible or planned day. */
export const useOtherZone = (zone: string, days: readonly string[], plan: Plan, today: string): string | undefined => {
  const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return useMemo(
    () => (meansSameHours(browserZone, zone, { days, plan, today }) ? undefined : browserZone),
    [browserZone, zone, days, plan, today],
  )
}

/** Names of weeks in the language of the page. */
export const useWeekNames = () => {
  const { t } = useTranslation('schedule')
  return useMemo(() => (number: number) => ({ name: t('week.name', { number }), short: String(number) }), [t])
}
