import el from '../../shared/locales/el/mail.json' with { type: 'json' }
import en from '../../shared/locales/en/mail.json' with { type: 'json' }
import es from '../../shared/locales/es/mail.json' with { type: 'json' }
import zh from '../../shared/locales/zh/mail.json' with { type: 'json' }

// What people read from us outside the site, in their language, from the site's own catalogues. The site's library would
// be a tenth of this Lambda; mails need nothing of it but values put into sentences.

const catalogues: Record<string, typeof en> = { en, zh, es, el }

/** One mail in a language, English where we do not speak it, with `{{name}}` replaced by the value of that name. */
export const say = (
  language: string,
  mail: keyof typeof en,
  values: Record<string, string | number>,
): { subject: string; text: string } => {
  const { subject, text } = (catalogues[language] ?? en)[mail]
  return { subject: fill(subject, values), text: fill(text, values) }
}

/** A text of a catalogue with `{{name}}` replaced by the value of that name. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''))

let compare: Intl.Collator['compare'] | undefined

/** The order of names, with numbers in them by their size. To make it takes 4 ms: the first who asks waits for it, no cold start. */
export const inOrder = (one: string, other: string): number => {
  compare ??= new Intl.Collator('en', { numeric: true }).compare
  return compare(one, other)
}
