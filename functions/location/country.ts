import { fold } from '../../shared/fold.ts'

// Countries by the platform's own names.

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const codes = letters.flatMap(first => letters.map(second => first + second))

const namesIn = (language: string) => new Intl.DisplayNames([language], { type: 'region', fallback: 'none' })

/** What a country is called; what is no code is a name already. */
export const countryName = (country: string, language: string): string =>
  /^[A-Z]{2}$/.test(country) ? (namesIn(language).of(country) ?? country) : country

/** Finds the code of a country by its name in a language or in English; what nobody knows stays the name it is. */
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
