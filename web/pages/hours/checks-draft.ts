import type { HourSetForm } from '../../../shared/hours/form.ts'
import { hoursText, readHours } from '../../parts/field/read-hours.ts'

// The working-time checks of a set while a user edits them. An empty text switches a check off.

type Checks = NonNullable<HourSetForm['checks']>

export interface DraftBreak {
  key: string
  after: string
  minutes: string
}

export interface DraftChecks {
  dailyMaximum: string
  restBetween: string
  breaks: readonly DraftBreak[]
  average: string
  weeks: string
}

export const mostBreaks = 5
const mostWeeks = 52

/** Minutes of typed hours; 0 for other texts. */
export const minutesOf = (text: string) => readHours(text) || 0
/** Whether typed hours are at least a minute and at most `most` minutes. */
export const isWithin = (text: string, most: number) => minutesOf(text) > 0 && minutesOf(text) <= most

const textOf = (minutes: number | undefined) => (minutes === undefined ? '' : hoursText(minutes))

export const draftChecks = (checks: Checks = {}, nextKey: () => string): DraftChecks => ({
  dailyMaximum: textOf(checks.dailyMaximum),
  restBetween: textOf(checks.restBetween),
  breaks: (checks.breakOwed ?? []).map(({ afterMinutes, breakMinutes }) => ({
    ...{ key: nextKey(), after: hoursText(afterMinutes), minutes: String(breakMinutes) },
  })),
  average: textOf(checks.weeklyAverage?.minutes),
  weeks: String(checks.weeklyAverage?.weeks ?? 24),
})

/** The checks of the form; undefined if all are off. */
export const formChecks = (draft: DraftChecks): Checks | undefined => {
  const [dailyMaximum, restBetween, average] = [draft.dailyMaximum, draft.restBetween, draft.average].map(minutesOf)
  const checks: Checks = {
    ...(dailyMaximum && { dailyMaximum }),
    ...(restBetween && { restBetween }),
    ...(draft.breaks.length > 0 && {
      breakOwed: draft.breaks.map(({ after, minutes }) => ({
        ...{ afterMinutes: minutesOf(after), breakMinutes: Number(minutes) || 0 },
      })),
    }),
    ...(average && { weeklyAverage: { minutes: average, weeks: Number(draft.weeks) || 0 } }),
  }
  return Object.keys(checks).length > 0 ? checks : undefined
}

const isCount = (text: string, most: number) =>
  /^\d{1,4}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= most

/** The faults of the checks by field, as the API names them. */
export const checkFaults = ({ breaks, average, weeks, ...hours }: DraftChecks): [string, number][] => {
  const isWrong = (text: string, most: number) => text.trim() !== '' && !isWithin(text, most)
  return [
    ...(['dailyMaximum', 'restBetween'] as const)
      .filter(name => isWrong(hours[name], 1440))
      .map((name): [string, number] => [`checks.${name}`, 10002]),
    ...breaks.flatMap(({ after, minutes }, at): [string, number][] => [
      ...(isWithin(after, 1440) ? [] : [[`checks.breakOwed.${at}.afterMinutes`, 10002] as [string, number]]),
      ...(isCount(minutes, 1440) ? [] : [[`checks.breakOwed.${at}.breakMinutes`, 10002] as [string, number]]),
    ]),
    ...(isWrong(average, 10_080) ? [['checks.weeklyAverage.minutes', 10002] as [string, number]] : []),
    ...(average.trim() !== '' && !isCount(weeks, mostWeeks)
      ? [['checks.weeklyAverage.weeks', 10002] as [string, number]]
      : []),
  ]
}
