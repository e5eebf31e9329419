import el from '../../shared/locales/el/mail.json' with { type: 'json' }
import en from '../../shared/locales/en/mail.json' with { type: 'json' }
import es from '../../shared/locales/es/mail.json' with { type: 'json' }
import zh from '../../shared/locales/zh/mail.json' with { type: 'json' }

// Texts outside the site (mails, files), from the site's own catalogues. The i18n library would be a tenth of this
// Lambda, and these texts only need placeholders.

const catalogues: Record<string, typeof en> = { en, zh, es, el }

/** One mail in a language, or in English, with its placeholders filled in. */
export const say = (
  language: string,
  mail: keyof typeof en,
  values: Record<string, string | number>,
): { subject: string; text: string } => {
  const { subject, text } = (catalogues[language] ?? en)[mail]
  return { subject: fill(subject, values), text: fill(text, values) }
}

/** A text with `{{name}}` replaced by the value of that name. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''))

let compare: Intl.Collator['compare'] | undefined

/**
 * Sorts names, with the numbers in them by size. Creating the collator takes 4 ms, so the first use pays for it, not
 * the cold start.
 */
export const inOrder = (a: string, b: string): number => {
  compare ??= new Intl.Collator('en', { numeric: true }).compare
  return compare(a, b)
}
