import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

// Standard Webhooks 1.0.0: the signature covers the body, its id and the time of sending. So a receiver can verify the
// sender, the content and the age.

const prefix = 'whsec_'

/** A new secret in its shown form. */
export const newWebhookSecret = (): string => prefix + randomBytes(32).toString('base64')

/**
 * The shown form of a typed secret. Encodes text without the prefix as base64. Adds the padding of base64, because some
 * receivers need it.
 */
export const shownSecretOf = (typed: string): string => {
  const bytes = typed.startsWith(prefix) ? Buffer.from(typed.slice(prefix.length), 'base64') : Buffer.from(typed)
  return prefix + bytes.toString('base64')
}

export interface Signed {
  'webhook-id': string
  /** Seconds since 1970. */
  'webhook-timestamp': string
  'webhook-signature': string
}

/** Signs with every secret. The receiver accepts any signature that it can verify. */
export const sign = (
  secrets: readonly string[],
  { id, at, body }: { id: string; at: number; body: string },
): Signed => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at / 1000)),
  'webhook-signature': secrets.map(secret => new Webhook(secret).sign(id, new Date(at), body)).join(' '),
})
