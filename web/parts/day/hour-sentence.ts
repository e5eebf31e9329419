import type { TFunction } from 'i18next'
import { type HourReason, reasonsOf } from '../../../shared/attendance/hours/explain.ts'
import type { HourConditions } from '../../../shared/attendance/hours/set.ts'
import type { Formats } from '../../format.ts'

// The conditions of hour kinds as sentences. The editor of the rules and the explanation of a day use the same words.

export interface HourWords {
  /** The conditions of a rule in one line: “on Sunday by the clock, beyond 8 h of the day”. */
  conditions: (rule: HourConditions & { weekOver?: number }, isExtra: boolean) => string
  reasons: (reasons: readonly HourReason[], isExtra: boolean) => string
  /** Whole hours as hours, all other durations as minutes, as labour laws write them. */
  time: (minutes: number) => string
  weekday: (weekday: number) => string
  shortWeekday: (weekday: number) => string
  /** The end of the sentence of a rule that gives way to other kinds. */
  unless: (kinds: readonly string[]) => string
  /** The text between two conditions. */
  join: string
}

export const hourWordsOf = (
  t: TFunction<readonly ['hour-rule', 'shell']>,
  language: string,
  { number, wallTime }: Pick<Formats, 'number' | 'wallTime'>,
): HourWords => {
  const list = new Intl.ListFormat(language, { type: 'conjunction' })
  const name = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' })
  // The first of November 2026 is a Sunday.
  const dateOf = (day: number) => Date.UTC(2026, 10, 1 + day)
  const weekday = (day: number) => name.format(dateOf(day))
  const short = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' })
  const time = (minutes: number) =>
    minutes > 0 && minutes % 60 === 0
      ? `${number(minutes / 60)}\u00a0${t('shell:unit.hours')}`
      : `${number(minutes)}\u00a0${t('shell:unit.minutes')}`
  const reason = ({ condition, values }: HourReason, isExtra: boolean): string => {
    const by = values.by === 'day' ? 'day' : 'clock'
    switch (condition) {
      case 'holiday':
        return t(`holiday.${by}`)
      case 'weekdays':
        return t(`weekdays.${by}`, { days: list.format(String(values.weekdays).split(',').map(Number).map(weekday)) })
      case 'window': {
        const [from, to, least] = [wallTime(String(values.from)), wallTime(String(values.to)), Number(values.least)]
        return least > 0 ? t('windowLeast', { from, to, least: time(least) }) : t('window', { from, to })
      }
      case 'dayOver':
        return t('dayOver', { time: time(Number(values.minutes)) })
      case 'weekOver':
        return t('weekOver', { time: time(Number(values.minutes)) })
      case 'consecutiveDay':
        return t('consecutiveDay', { day: number(Number(values.day)) })
      case 'overtime':
      case 'rest':
      case 'begunDayBefore':
        return t(condition)
      case 'otherwise':
        return t(isExtra ? 'always' : 'otherwise')
    }
  }
  const reasons: HourWords['reasons'] = (all, isExtra) => all.map(one => reason(one, isExtra)).join(t('join'))
  return {
    conditions: (rule, isExtra) => reasons(reasonsOf(rule), isExtra),
    ...{ reasons, time, weekday, join: t('join') },
    shortWeekday: day => short.format(dateOf(day)),
    unless: kinds => t('unless', { kinds: list.format(kinds) }),
  }
}
