import el from '../../shared/locales/el/mail.json' with { type: 'json' }
import en from '../../shared/locales/en/mail.json' with { type: 'json' }
import es from '../../shared/locales/es/mail.json' with { type: 'json' }
import zh from '../../shared/locales/zh/mail.json' with { type: 'json' }

// Texts outside the site (mails, files), from the site's own catalogues. The i18n library would be a tenth of this
// Lambda, and these texts only need placeholders.

const catalogues: Record<string, typeof en> = { en, zh, es, el }

/** One mail with its placeholders filled in, in the given language or in English. */
export const say = (
  language: string,
  mail: keyof typeof en,
  values: Record<string, string | number>,
): { subject: string; text: string } => {
  const { subject, text } = (catalogues[language] ?? en)[mail]
  return { subject: fill(subject, values), text: fill(text, values) }
}

/** Replaces each `{{name}}` in a text with the value of that name. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''))

let compare: Intl.Collator['compare'] | undefined

/**
 * Compares names, with the numbers in them by size. Creates the collator at the first use, because that takes 4 ms of a
 * cold start.
 */
export const inOrder = (a: string, b: string): number => {
  compare ??= new Intl.Collator('en', { numeric: true }).compare
  return compare(a, b)
}
