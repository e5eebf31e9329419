import { readingAt } from '../shared/attendance/zone.ts'
import { timezonePaths } from '../shared/timezone.ts'
import { listZones } from '../shared/zone-name.ts'
import { lambda } from './kit/lambda.ts'

// Zones and their names come from the runtime. The runtime names a zone by its country if the country has only one
// zone, or else by its city. Each language adds its word for "time" around that name.

// The regionless variants of English and Spanish have fewer zone abbreviations, which would hide the place.
const english = { locale: 'en-001', around: /^(.+) Time$/ }
const wording: Record<string, typeof english> = {
  en: english,
  zh: { locale: 'zh', around: /^(.+)时间$/ },
  es: { locale: 'es-419', around: /^hora de (.+)$/ },
  el: { locale: 'el', around: /^Ώρα \((.+)\)$/ },
}

const nameIn = (locale: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale, options).formatToParts(0).find(({ type }) => type === 'timeZoneName')?.value ?? ''

/** The place in a zone's name in a language, if the name contains a place. */
const placeIn = (language: string, zone: string): string | undefined => {
  const { locale, around } = wording[language] ?? english
  return around.exec(nameIn(locale, { timeZone: zone, timeZoneName: 'shortGeneric' }))?.[1]
}

/** Country codes by English names. */
const readCountries = () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const codes = letters.flatMap(first => letters.map(second => first + second))
  return new Map(codes.flatMap(code => (names.of(code) ? [[names.of(code), code] as const] : [])))
}

/** The city in a zone's id, as readable text. */
const cityOf = (zone: string) => (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ')

/** Zone names like `Ελλάδα · Athens`: the place in the caller's language, and the well-known city of the zone. */
const nameZones = (language: string): { id: string; name: string }[] => {
  const regions = new Intl.DisplayNames(language, { type: 'region' })
  const countries = readCountries()
  const placeOf = (zone: string) => {
    const country = countries.get(placeIn('en', zone))
    return placeIn(language, zone) ?? (country && regions.of(country))
  }
  return listZones().map(id => {
    if (id === 'UTC') return { id, name: nameIn(language, { timeZone: id, timeZoneName: 'long' }) }
    const [place, city] = [placeOf(id), cityOf(id)]
    return { id, name: !place ? city : place.includes(city) ? place : `${place} · ${city}` }
  })
}

const zonesByLanguage = new Map<string, ReturnType<typeof nameZones>>()
/** The cached zones: finding their names is slow, and the names do not change while a process lives. */
const zonesIn = (language: string) => {
  const zones = zonesByLanguage.get(language) ?? nameZones(language)
  zonesByLanguage.set(language, zones)
  return zones
}

export const handler = lambda(timezonePaths, {
  'timezone/list': async (_, { language }) => {
    const minute = Math.floor(Date.now() / 60_000)
    const { compare } = new Intl.Collator(language)
    const list = zonesIn(language).map(zone => ({ ...zone, offsetMinutes: readingAt(zone.id, minute) - minute }))
    return {
      list: list.sort((one, other) => one.offsetMinutes - other.offsetMinutes || compare(one.name, other.name)),
    }
  },
})
