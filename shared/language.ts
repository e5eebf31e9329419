import * as z from 'zod'

/** The languages of the interface and of mails. */
export const languages = ['en', 'zh', 'es', 'el'] as const
export type Language = (typeof languages)[number]
export const language = z.enum(languages)
