import el from '../../shared/locales/el/webhook-mail.json' with { type: 'json' }
import en from '../../shared/locales/en/webhook-mail.json' with { type: 'json' }
import es from '../../shared/locales/es/webhook-mail.json' with { type: 'json' }
import zh from '../../shared/locales/zh/webhook-mail.json' with { type: 'json' }
import type { WebhookTroubled } from '../../shared/webhooks/delivery.ts'
import { fill } from '../kit/words.ts'

const catalogues: Record<string, typeof en> = { en, zh, es, el }

/** The mail about trouble with an endpoint, in English for a language without texts. */
export const sayTrouble = (
  language: string,
  trouble: WebhookTroubled['trouble'],
  values: { name: string; company: string; host: string; url: string },
): { subject: string; text: string } => {
  const words = catalogues[language] ?? en
  const { subject, sentence, hint } = words[trouble]
  const filled = { sentence: fill(sentence, values), hint: fill(hint, values) }
  return { subject: fill(subject, values), text: fill(words.text, { ...values, ...filled }) }
}
