import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'

/** The languages of the interface, each under its own name. */
export const languages = { en: 'English', zh: '中文', es: 'Español', el: 'Ελληνικά' } as const
export type Language = keyof typeof languages

export const isLanguage = (word: string): word is Language => word in languages

/** The first language of the browser that we support. Variants such as `es-MX` count as their base language. */
const preferred = (): Language => {
  const candidates = [localStorage.getItem('language') ?? '', ...navigator.languages]
  return candidates.map(candidate => candidate.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en'
}

/** A browser loads only the file list of its own language. */
const files = {
  en: () => import('./languages/en.ts'),
  zh: () => import('./languages/zh.ts'),
  es: () => import('./languages/es.ts'),
  el: () => import('./languages/el.ts'),
}

const textsOf = async (language: string, noun: string) => {
  const { default: nouns } = await files[isLanguage(language) ? language : 'en']()
  const load = nouns[`../../shared/locales/${language}/${noun}.json`]
  if (!load) throw new Error(`There is no ${language}/${noun}.json`)
  return load()
}

/** Loads one namespace of one language as a separate small file when a page needs it. */
const lazyFiles = {
  type: 'backend' as const,
  init: () => {},
  read: (language: string, noun: string, done: (error: Error | null, texts?: Record<string, unknown>) => void) => {
    textsOf(language, noun).then(texts => done(null, texts), done)
  },
}

const markDocument = (language: string) => {
  document.documentElement.lang = language
}
i18next.on('languageChanged', markDocument)

export const startLanguage = () =>
  i18next
    .use(lazyFiles)
    .use(initReactI18next)
    .init({
      lng: preferred(),
      fallbackLng: 'en',
      supportedLngs: Object.keys(languages),
      ns: ['shell', 'error'],
      defaultNS: 'shell',
      interpolation: { escapeValue: false },
    })

export const chooseLanguage = (language: Language) => {
  localStorage.setItem('language', language)
  return i18next.changeLanguage(language)
}
