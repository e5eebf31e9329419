import type { HolidayPart } from '../../shared/attendance/part-holiday.ts'
import { readingAt } from '../../shared/attendance/zone.ts'
import { holidayDays } from '../../shared/holiday/found.ts'
import { countDays } from '../../shared/local-day.ts'

// Public holidays of the world, from a package with their rules. The package is large, so it lies beside the function
// and loads on the first request.

export interface PublicHoliday {
  name: string
  from: string
  to: string
  part?: HolidayPart
}

const load = async () => (await import('date-holidays')).default

/** The clock of a zone at an instant, `YYYY-MM-DDTHH:MM`. */
const readingOf = (zone: string, at: Date) =>
  new Date(readingAt(zone, Math.floor(at.getTime() / 60_000)) * 60_000).toISOString().slice(0, 16)

const sorted = (names: Record<string, string>, language: string) => {
  const { compare } = new Intl.Collator(language, { numeric: true })
  return Object.entries(names)
    .map(([id, name]) => ({ id, name }))
    .sort((a, b) => compare(a.name, b.name))
}

/** The supported countries, named and ordered in a language, with the states that have their own rules. */
export const holidayCountries = async (language: string) => {
  const Holidays = await load()
  const calendar = new Holidays()
  const names = new Intl.DisplayNames(language, { type: 'region' })
  const countries = Object.keys(calendar.getCountries('en')).map(id => [id, names.of(id) ?? id] as const)
  return sorted(Object.fromEntries(countries), language).map(country => ({
    ...country,
    states: sorted(calendar.getStates(country.id, language) ?? {}, language),
  }))
}

/**
 * The public holidays of a country or state in a year, by day; undefined for an unknown place. A holiday that begins at
 * sunset counts from the next date, as people name it.
 */
export const publicHolidays = async (
  { country, state, year }: { country: string; state?: string | undefined; year: number },
  language: string,
): Promise<PublicHoliday[] | undefined> => {
  const Holidays = await load()
  const calendar = new Holidays()
  if (!(country in calendar.getCountries('en'))) return undefined
  if (state !== undefined && !(state in (calendar.getStates(country, 'en') ?? {}))) return undefined
  if (state === undefined) calendar.init(country)
  else calendar.init(country, state)
  const publicDays = calendar.getHolidays(year, language).filter(({ type }) => type === 'public')
  const [zone = 'UTC'] = calendar.getTimezones()
  const holidays = publicDays.flatMap(({ name, date, start, end }): PublicHoliday[] => {
    const days = holidayDays({ date: date.slice(0, 10), start: readingOf(zone, start), end: readingOf(zone, end) })
    const [first, last] = [days[0], days.at(-1)]
    return first && last ? [{ name, from: first.day, to: last.day, ...(first.part && { part: first.part }) }] : []
  })
  const isNew = ({ name, from }: PublicHoliday, i: number) =>
    holidays.findIndex(other => other.name === name && other.from === from) === i
  return holidays
    .filter(isNew)
    .filter(({ from, to }) => countDays(from, to) > 0)
    .sort((a, b) => (a.from < b.from ? -1 : 1))
}
