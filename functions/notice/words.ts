import { formatDay } from '../../shared/date-format.ts'
import el from '../../shared/locales/el/notice.json' with { type: 'json' }
import en from '../../shared/locales/en/notice.json' with { type: 'json' }
import es from '../../shared/locales/es/notice.json' with { type: 'json' }
import zh from '../../shared/locales/zh/notice.json' with { type: 'json' }
import { sentenceOf } from '../../shared/notice/sentence.ts'
import type { NoticeEvent } from '../../shared/notice.ts'
import { fill } from '../kit/words.ts'

// The mail of a notice uses the texts of the site.

const catalogues: Record<string, typeof en> = { en, zh, es, el }

/** Subject and text, in English for a language without texts. */
export const sayNotice = (
  language: string,
  notice: NoticeEvent,
  values: { name: string; first_name: string; company: string; dateFormat: string; url: string },
): { subject: string; text: string } => {
  const words = catalogues[language] ?? en
  const { day, toDay, type } = notice
  const [first, last] = [day, toDay].map(date => formatDay(date, values.dateFormat)) as [string, string]
  const days = first === last ? first : `${first} – ${last}`
  const what = type === undefined ? days : `${words.type[type]}, ${days}`
  const subject = fill(words.say[sentenceOf(notice)], { name: values.name, days, what })
  const hint = notice.kind === 'punch.forgotten' ? words.mail.forgotten : words.mail.open
  const { first_name, company, url } = values
  return { subject, text: fill(words.mail.text, { first_name, company, url, sentence: subject, hint }) }
}
