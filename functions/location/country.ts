import { fold } from '../../shared/fold.ts'

// Country names come from the runtime's `Intl.DisplayNames`.

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const codes = letters.flatMap(first => letters.map(second => first + second))

const namesIn = (language: string) => new Intl.DisplayNames([language], { type: 'region', fallback: 'none' })

/** The name of a country code. Returns other text unchanged. */
export const countryName = (country: string, language: string): string =>
  /^[A-Z]{2}$/.test(country) ? (namesIn(language).of(country) ?? country) : country

/** Finds a country code by its name in a language or in English. Returns an unknown name unchanged. */
export const countryFinder = (language: string) => {
  const byName = new Map(
    ['en', language].flatMap(language => {
      const names = namesIn(language)
      return codes.flatMap((code): [string, string][] => {
        const name = names.of(code)
        return name === undefined ? [] : [[fold(name), code]]
      })
    }),
  )
  return (text: string): string => byName.get(fold(text)) ?? text
}
