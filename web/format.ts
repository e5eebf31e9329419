import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDay } from '../shared/date-format.ts'
import { fromCelsius, unitNames } from '../shared/degrees.ts'
import { leaveYearOf } from '../shared/leave/year.ts'
import { clockText } from '../shared/report/print-minutes.ts'
import type { Person } from './session.tsx'
import { usePerson } from './session.tsx'

// Days, times, durations and temperatures in the format of the person's company and in the person's language.

export type Measure = 'work' | 'overtime' | 'late' | 'early' | 'absence'
const measures: readonly Measure[] = ['work', 'overtime', 'late', 'early', 'absence']

/** `YYYY-MM-DD` of an instant in a zone. */
export const dayIn = (timezone: string, at = new Date()) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: timezone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(at)

/** `HH:MM` of an instant in a zone, in the format of the API. */
export const timeIn = (timezone: string, at: string | Date) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: timezone, hour: '2-digit', minute: '2-digit' }).format(new Date(at))

/** A local date as an instant at noon UTC. `Intl` formats it in UTC. */
const noonOf = (day: string) => new Date(`${day}T12:00:00Z`)

export const formatsOf = (
  person: Pick<
    Person,
    'dateformat' | 'timeformat' | 'timeUnit' | 'minutesAs' | 'firstWeekday' | 'leaveYearMonth' | 'temp_unit' | 'company'
  >,
  language: string,
) => {
  const { timezone } = person.company
  const is12Hours = person.timeformat.includes('A')
  const number = new Intl.NumberFormat(language)
  const tenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
  const hours = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  const weekday = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' })
  const narrow = new Intl.DateTimeFormat(language, { weekday: 'narrow', timeZone: 'UTC' })
  const long = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })
  const short = new Intl.DateTimeFormat(language, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })
  const monthOnly = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' })
  const monthName = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' })

  const day = (value: string) => formatDay(value, person.dateformat)
  /** `HH:mm` in a zone, or with a.m. and p.m. if the company uses 12 hours. */
  const clock = (zone: string, withSeconds: boolean) =>
    new Intl.DateTimeFormat(language, {
      timeZone: zone,
      hour: '2-digit',
      minute: '2-digit',
      ...(withSeconds && { second: '2-digit' }),
      hourCycle: is12Hours ? 'h12' : 'h23',
    })
  const time = (at: string | Date, zone = timezone) => clock(zone, false).format(new Date(at))
  /** The wall time of a shift, `22:00` or `06:00+1`. */
  const wallTime = (value: string) => {
    const clockTime = time(`2000-01-01T${value.slice(0, 5)}:00Z`, 'UTC')
    return value.length > 5 ? `${clockTime} ${value.slice(5)}` : clockTime
  }
  const isClock = person.minutesAs === 'clock'
  const minutes = (value: number) => (isClock ? clockText(Math.round(value)) : number.format(Math.round(value)))
  const isHours = (measure: Measure) => person.timeUnit[measures.indexOf(measure)] === 1
  return {
    timezone,
    /** The first weekday of the company's weeks: 0 Sunday … 6 Saturday. */
    firstWeekday: person.firstWeekday,
    today: () => dayIn(timezone),
    number: (value: number) => number.format(value),
    tenths: (value: number) => tenths.format(value),
    /** A stored temperature in Celsius, converted to the person's unit. */
    degrees: (celsius: number) => tenths.format(fromCelsius(celsius, person.temp_unit)),
    degreesUnit: unitNames[person.temp_unit],
    percent: (value: number) => new Intl.NumberFormat(language, { style: 'percent' }).format(value / 100),
    day,
    dayAndTime: (at: string, zone = timezone) => `${day(dayIn(zone, new Date(at)))} ${time(at, zone)}`,
    shortDay: (value: string) => short.format(noonOf(value)),
    longDay: (value: string) => long.format(noonOf(value)),
    weekday: (value: string) => weekday.format(noonOf(value)),
    weekdayLetter: (value: string) => narrow.format(noonOf(value)),
    /** The name of a month without its year, 1 January … 12 December. */
    monthOfYear: (month: number) => monthOnly.format(Date.UTC(2026, month - 1, 15)),
    leaveYearOf: (value: string) => leaveYearOf(value, person.leaveYearMonth),
    /** `2026`, or `2026/27` if the leave year does not begin in January. */
    leaveYear: (year: number) =>
      person.leaveYearMonth === 1 ? String(year) : `${year}/${String((year + 1) % 100).padStart(2, '0')}`,
    month: (value: string) => monthName.format(noonOf(`${value}-01`)),
    time,
    timeWithSeconds: (at: string, zone = timezone) => clock(zone, true).format(new Date(at)),
    wallTime,
    is12Hours,
    /** The label of a full hour on a scale, from 0 to 23. */
    hour: (value: number) =>
      is12Hours
        ? new Intl.DateTimeFormat(language, { timeZone: 'UTC', hour: 'numeric', hourCycle: 'h12' }).format(
            value * 3_600_000,
          )
        : String(value).padStart(2, '0'),
    /** Minutes in the unit the company chose for this measure: hours with two decimals, `7:30`, or minutes. */
    duration: (value: number, measure: Measure) => (isHours(measure) ? hours.format(value / 60) : minutes(value)),
    /** An amount in the measure's unit: hours with two decimals, or minutes. */
    amount: (value: number, measure: Measure) => (isHours(measure) ? hours.format(value) : minutes(value)),
    /** Seconds as hours with two decimals. */
    hours: (seconds: number) => hours.format(seconds / 3600),
    seconds: (value: number) =>
      new Intl.NumberFormat(language, { style: 'unit', unit: 'second', unitDisplay: 'narrow' }).format(value),
    isHours,
    unit: (measure: Measure) => (isHours(measure) || isClock ? 'hours' : 'minutes'),
    ago: (at: string) => {
      const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
      const minutes = Math.round((Date.parse(at) - Date.now()) / 60_000)
      if (Math.abs(minutes) < 60) return relative.format(minutes, 'minute')
      if (Math.abs(minutes) < 1440) return relative.format(Math.round(minutes / 60), 'hour')
      return relative.format(Math.round(minutes / 1440), 'day')
    },
  } as const
}

export const useFormats = () => {
  const { i18n } = useTranslation()
  const person = usePerson()
  return useMemo(() => formatsOf(person, i18n.language), [person, i18n.language])
}
export type Formats = ReturnType<typeof useFormats>
