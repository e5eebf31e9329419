import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

// Standard Webhooks 1.0.0: what is sent is signed with its id and the moment of sending, so that a receiver knows who sent it, that
// nobody changed it, and whether it is too old.

const prefix = 'whsec_'

/** A new secret, as it is shown. */
export const newWebhookSecret = (): string => prefix + randomBytes(32).toString('base64')

/**
 * A secret somebody chose, as it is shown: what is no base64 yet stands for its own letters, and what is lacks no padding, for not
 * every receiver reads it without.
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

/** Signs with every secret given: the receiver is content with any one that it knows. */
export const sign = (
  secrets: readonly string[],
  { id, at, body }: { id: string; at: number; body: string },
): Signed => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at / 1000)),
  'webhook-signature': secrets.map(secret => new Webhook(secret).sign(id, new Date(at), body)).join(' '),
})
