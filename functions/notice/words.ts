import { formatDay } from '../../shared/date-format.ts'
import elLeave from '../../shared/locales/el/leave.json' with { type: 'json' }
import el from '../../shared/locales/el/notice.json' with { type: 'json' }
import enLeave from '../../shared/locales/en/leave.json' with { type: 'json' }
import en from '../../shared/locales/en/notice.json' with { type: 'json' }
import esLeave from '../../shared/locales/es/leave.json' with { type: 'json' }
import es from '../../shared/locales/es/notice.json' with { type: 'json' }
import zhLeave from '../../shared/locales/zh/leave.json' with { type: 'json' }
import zh from '../../shared/locales/zh/notice.json' with { type: 'json' }
import { daysText, sentenceOf } from '../../shared/notice/sentence.ts'
import type { NoticeEvent } from '../../shared/notice.ts'
import { type Request, requestTypes } from '../../shared/request.ts'
import { fill } from '../kit/words.ts'

// The mail of a notice uses the texts of the site.

const catalogues: Record<string, typeof en> = { en, zh, es, el }
const leaveCatalogues: Record<string, Pick<typeof enLeave, 'type'>> = {
  en: enLeave,
  zh: zhLeave,
  es: esLeave,
  el: elLeave,
}

/** The kind of a request; for leave, the leave type. */
const kindOf = (language: string, { type, leaveType }: NoticeEvent): string | undefined => {
  const words = leaveCatalogues[language] ?? enLeave
  if (leaveType !== undefined && leaveType in words.type) return words.type[`${leaveType as 1}`]
  return type && (catalogues[language] ?? en).type[type]
}

const minuteMilliseconds = 60_000

/** The days of a request for whole days, or the hours of another. A missing punch has neither. */
const lengthOf = (request: Request): ['days' | 'hours', number] | undefined => {
  if (request.type === requestTypes.shift) return undefined
  if (request.type === requestTypes.leave)
    return request.from === undefined ? ['days', request.total.days] : ['hours', request.total.minutes / 60]
  return ['hours', (Date.parse(request.to) - Date.parse(request.from)) / minuteMilliseconds / 60]
}

/** A line each for the length, the employee's note and the reason of the decision. */
const detailsOf = (language: string, { kind }: NoticeEvent, request: Request): string[] => {
  const words = (catalogues[language] ?? en).mail
  const length = lengthOf(request)
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 2 })
  const reason = kind === 'request.decided' ? request.steps.at(-1)?.reason : undefined
  return [
    ...(length ? [fill(words[length[0]], { value: number.format(length[1]) })] : []),
    ...(request.notes ? [fill(words.notes, { value: request.notes })] : []),
    ...(reason ? [fill(words.reason, { value: reason })] : []),
  ]
}

/** Subject and text, in English for a language without texts. */
export const sayNotice = (
  language: string,
  notice: NoticeEvent,
  values: {
    name: string
    first_name: string
    company: string
    dateFormat: string
    url: string
    request?: Request | undefined
  },
): { subject: string; text: string } => {
  const words = catalogues[language] ?? en
  const kind = kindOf(language, notice)
  const days = daysText(notice, day => formatDay(day, values.dateFormat))
  const what = kind === undefined ? days : `${kind}, ${days}`
  const subject = fill(words.say[sentenceOf(notice)], { name: values.name, days, what })
  const hint = notice.kind === 'punch.forgotten' ? words.mail.forgotten : words.mail.open
  const { first_name, company, url, request } = values
  const details = request ? detailsOf(language, notice, request).join('\n') : ''
  const text = fill(words.mail.text, {
    ...{ first_name, company, url, sentence: subject },
    hint: details ? `${details}\n\n${hint}` : hint,
  })
  return { subject, text }
}
