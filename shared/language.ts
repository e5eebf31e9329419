import * as z from 'zod'

/** The languages of the interface and of mails. */
export const languages = ['en', 'zh', 'es', 'el'] as const
export type Language = (typeof languages)[number]
export const language = z.enum(languages)

/**
 * The stored language of a person's mails, from the language of the page. English is the default, so it needs no
 * storage.
 */
export const languageToKeep = (pageLanguage: string): { language?: Language } => {
  const { data } = language.safeParse(pageLanguage)
  return data === undefined || data === 'en' ? {} : { language: data }
}
