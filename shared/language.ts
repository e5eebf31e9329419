import * as z from 'zod'

/** The languages of the interface and of mails. */
export const languages = ['en', 'zh', 'es', 'el'] as const
export type Language = (typeof languages)[number]
export const language = z.enum(languages)

/** What is kept of the language somebody read when they came: mails are in it. English needs no word. */
export const languageToKeep = (read: string): { language?: Language } => {
  const { data } = language.safeParse(read)
  return data === undefined || data === 'en' ? {} : { language: data }
}
