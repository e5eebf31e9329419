import { createInstance, type ParseKeys } from 'i18next'
import el from '../../shared/locales/el/mail.json' with { type: 'json' }
import en from '../../shared/locales/en/mail.json' with { type: 'json' }
import es from '../../shared/locales/es/mail.json' with { type: 'json' }
import zh from '../../shared/locales/zh/mail.json' with { type: 'json' }

// What people read from us outside the site, in their language: the same catalogues and the same library as the site's.

const words = createInstance()
void words.init({
  resources: { en: { mail: en }, zh: { mail: zh }, es: { mail: es }, el: { mail: el } },
  fallbackLng: 'en',
  defaultNS: 'mail',
  // Mails are plain text.
  interpolation: { escapeValue: false },
  initAsync: false,
})

/** The sentence of a key, `code.subject`, in a language, with its values put in. */
export const say = (language: string, key: ParseKeys<'mail'>, values: Record<string, string | number>): string =>
  words.getFixedT(language, 'mail')(key, values)
