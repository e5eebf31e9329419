import { dayNumber, weekStart } from '../calendar.ts'
import { instanceOf } from '../instance.ts'
import { minuteOf } from '../punch.ts'
import { type CheckName, checkNames } from '../row.ts'
import type { Shift } from '../shift.ts'
import { owedBreak } from './break-owed.ts'
import type { Checks } from './checks.ts'
import { aboveAverage } from './weekly-average.ts'

// Judges planned duty on the board before it is saved.

export interface PlannedShift {
  day: string
  shift: Shift & { version: number }
}

export interface BoardWarning {
  day: string
  check: CheckName
  minutes: number
}

interface PlannedDuty {
  day: string
  on: number
  off: number
  paid: number
  breaks: number
}

const placePlanned = (zone: string, planned: readonly PlannedShift[]): PlannedDuty[] =>
  planned
    .flatMap(({ day, shift }): PlannedDuty[] => {
      if (shift.kind === 'weekly') return []
      const instance = instanceOf(zone, dayNumber(day), shift)
      if (!instance) return []
      const breaks = shift.breaks.reduce((sum, { durationMinutes }) => sum + durationMinutes, 0)
      return [{ day, on: instance.on, off: instance.off, paid: instance.dutyMinutes, breaks }]
    })
    .sort((a, b) => a.on - b.on)

/**
 * The warnings about one person's planned duty, by day. Breaks count as long as the shift says. The average is judged
 * only for one week. `lastOut` is the last real out before the plan, in ms.
 */
export const warnAboutPlan = (
  zone: string,
  planned: readonly PlannedShift[],
  checks: Checks,
  { firstWeekday, lastOut }: { firstWeekday: number; lastOut?: number },
): BoardWarning[] => {
  const { dailyMaximum, restBetween, breakOwed, weeklyAverage } = checks
  const duties = placePlanned(zone, planned)
  const warnings: BoardWarning[] = []
  const warn = (day: string, check: CheckName, minutes: number) => {
    if (minutes > 0) warnings.push({ day, check, minutes })
  }
  const sum = (some: readonly PlannedDuty[]) => some.reduce((minutes, { paid }) => minutes + paid, 0)
  if (dailyMaximum !== undefined)
    for (const [day, ofDay] of Map.groupBy(duties, duty => duty.day))
      warn(day, 'overDailyMaximum', sum(ofDay) - dailyMaximum)
  if (restBetween !== undefined) {
    let out = lastOut === undefined ? Number.NEGATIVE_INFINITY : minuteOf(lastOut)
    for (const [day, ofDay] of Map.groupBy(duties, duty => duty.day)) {
      const on = Math.min(...ofDay.map(duty => duty.on))
      warn(day, 'shortRest', Math.min(restBetween, restBetween - (on - out)))
      out = Math.max(...ofDay.map(duty => duty.off))
    }
  }
  if (breakOwed !== undefined)
    for (const { day, paid, breaks } of duties) warn(day, 'breakOwed', owedBreak(paid, breakOwed) - breaks)
  if (weeklyAverage?.weeks === 1)
    for (const ofWeek of Map.groupBy(duties, duty => weekStart(dayNumber(duty.day), firstWeekday)).values())
      warn(ofWeek.at(-1)?.day ?? '', 'overWeeklyAverage', aboveAverage(sum(ofWeek), weeklyAverage.minutes, 7))
  return warnings.sort((a, b) =>
    a.day === b.day ? checkNames.indexOf(a.check) - checkNames.indexOf(b.check) : a.day < b.day ? -1 : 1,
  )
}
