import type { Change } from '../change.ts'
import type { Key } from '../table.ts'
import type { EventName, ping } from './event.ts'

// Deliveries to the endpoints of a company. An event is stored once, with a delivery for each subscribed endpoint. Due
// deliveries have their own partition by time, so that a run need not read the completed ones.

export type Told = EventName | typeof ping

/** The payload, byte for byte the same at every attempt. */
export interface ToldEvent {
  /** Also the `webhook-id`. */
  event: string
  type: Told
  body: string
  expiresAt: number
}

/**
 * Why there was no response: unknown host, address not on the internet, no connection, untrusted certificate, timeout,
 * or a broken connection.
 */
export const deliveryErrors = ['dns', 'address', 'connect', 'tls', 'timeout', 'broken'] as const

export interface Attempt {
  at: string
  milliseconds: number
  status?: number
  error?: (typeof deliveryErrors)[number]
  /** The beginning of the response. */
  answer?: string
}

export const deliveryStates = ['due', 'done', 'failed'] as const

export interface Delivery {
  /** Ids sort by creation time. */
  id: string
  webhook: string
  event: string
  type: Told
  state: (typeof deliveryStates)[number]
  /** Present while the delivery is due. */
  nextAt?: string
  /** The number of attempts since the event or the last replay. */
  tries: number
  attempts: Attempt[]
  expiresAt: number
}

/** A due delivery; `tries` is as in the delivery. */
export interface DueDelivery {
  id: string
  event: string
  at: string
  tries: number
}

/** Global: an endpoint with due deliveries, and when a job checks it again. */
export interface Delivering {
  company: string
  webhook: string
  at: string
}

/** The failures of an endpoint since its last success. */
export interface WebhookHealth {
  webhook: string
  failingSince: string
  /** The last failure. */
  failedAt: string
  failures: number
}

/** Days for which deliveries are kept. */
export const logDays = 30
/** Failed deliveries can be replayed for this many days. */
export const replayDays = 14

/** The deliveries about a person, so that an erasure finds them. */
export interface ToldOf {
  event: string
  deliveries: Pick<Delivery, 'webhook' | 'id'>[]
  expiresAt: number
}
export const toldOfKey = (employee: string, event: string): Key<ToldOf> => ({ pk: `TOLD_OF#${employee}`, sk: event })

export const toldEventKey = (event: string): Key<ToldEvent> => ({ pk: `WEBHOOK_EVENT#${event}`, sk: '-' })
export const deliveryKey = (webhook: string, id: string): Key<Delivery> => ({ pk: `DELIVERY#${webhook}`, sk: id })
export const dueDeliveryKey = (webhook: string, { at, id }: Pick<DueDelivery, 'at' | 'id'>): Key<DueDelivery> => ({
  pk: `DUE_DELIVERY#${webhook}`,
  sk: `${at}#${id}`,
})
/** Held by the run that delivers to an endpoint; without `heldAt` no run does. */
export const deliveryLeaseKey = (webhook: string): Key<{ heldAt?: string; expiresAt: number }> => ({
  pk: 'DELIVERY_LEASE',
  sk: webhook,
})
export const webhookHealthKey = (webhook: string): Key<WebhookHealth> => ({ pk: 'WEBHOOK_HEALTH', sk: webhook })
export const deliveringKey = ({ company, webhook }: Pick<Delivering, 'company' | 'webhook'>): Key<Delivering> => ({
  pk: 'DELIVERING',
  sk: `${company}#${webhook}`,
})

/** This endpoint has a delivery that is due now. */
export interface DeliveryDue {
  type: 'delivery.due'
  company: string
  webhook: string
}

/** A postponed delivery raises no fact; the scheduled job finds it. */
export const dueDeliveryFacts = (webhook: string, { company, old, new: next }: Change<DueDelivery>): DeliveryDue[] =>
  next && !old && next.tries === 0 ? [{ type: 'delivery.due', company, webhook }] : []

/** Refreshes the pages that show endpoints. */
export interface WebhookChanged {
  type: 'webhook.changed'
  company: string
}

/**
 * Troubles of an endpoint that its administrators must know: a delivery given up, failures for days, or switched off.
 */
export const troubles = ['exhausted', 'halfway', 'failing', 'gone'] as const
export interface WebhookTroubled {
  type: 'webhook.troubled'
  company: string
  webhook: string
  trouble: (typeof troubles)[number]
  /** Distinguishes it from the same trouble at another time. A given-up delivery is reported only from time to time. */
  since: string
}

export const troubleOf = (
  company: string,
  webhook: string,
  trouble: WebhookTroubled['trouble'],
  since = '',
): WebhookTroubled => ({ type: 'webhook.troubled', company, webhook, trouble, since })

/** The mail about a trouble to one person; without `isMailed` a run has been sending it since `at`. */
export interface ToldTrouble {
  at: string
  isMailed?: true
  expiresAt: number
}
export const toldTroubleKey = (
  { webhook, trouble, since }: Pick<WebhookTroubled, 'webhook' | 'trouble' | 'since'>,
  employee: string,
): Key<ToldTrouble> => ({ pk: `TOLD_TROUBLE#${webhook}`, sk: `${trouble}#${since}#${employee}` })

/** Every change of a delivery refreshes the pages; the last failed attempt raises a trouble. */
export const deliveryFacts = ({ company, old, new: next }: Change<Delivery>): (WebhookChanged | WebhookTroubled)[] => {
  if (!next) return []
  const isExhausted = old?.state === 'due' && next.state === 'failed' && next.tries > delaysSeconds.length
  return [{ type: 'webhook.changed', company }, ...(isExhausted ? [troubleOf(company, next.webhook, 'exhausted')] : [])]
}

/** Continued failures raise no further fact until the endpoint is halfway to being switched off. */
export const webhookHealthFacts = ({
  company,
  old,
  new: next,
}: Change<WebhookHealth>): (WebhookChanged | WebhookTroubled)[] => {
  if (!old || !next) return [{ type: 'webhook.changed', company }]
  const isNews = isHalfHopeless(next) && !isHalfHopeless(old)
  return isNews ? [troubleOf(company, next.webhook, 'halfway', next.failingSince)] : []
}

/** The delays between attempts in seconds, as in Standard Webhooks: 75 hours in all. */
export const delaysSeconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
/** The delay varies by this share, so that failed deliveries do not all retry at once. */
const jitter = 0.2
const mostRetryAfterSeconds = 3600

/**
 * The delay in ms before the next attempt; undefined after the last one. `chance` is 0 to 1. A receiver may ask for
 * more time (`Retry-After`, in seconds), but at most for an hour.
 */
export const nextTryMilliseconds = (
  tries: number,
  { chance, retryAfterSeconds = 0 }: { chance: number; retryAfterSeconds?: number | undefined },
): number | undefined => {
  const seconds = delaysSeconds[tries - 1]
  if (seconds === undefined) return undefined
  const requestedSeconds = Math.min(retryAfterSeconds, mostRetryAfterSeconds)
  return Math.round(Math.max(seconds * (1 - jitter + 2 * jitter * chance), requestedSeconds) * 1000)
}

/** Parses a `Retry-After` header into seconds; undefined if it is unreadable. `now` in ms. */
export const readRetryAfter = (text: string | undefined, now: number): number | undefined => {
  if (text === undefined) return undefined
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Number(text)
  const date = /^\s*[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000)
}

/** An endpoint is switched off after this many failures in a row over this time. */
const hopeless = { failures: 20, milliseconds: 5 * 24 * 3600_000 }
const hasFailed = ({ failingSince, failedAt, failures }: WebhookHealth, part: number) =>
  failures >= hopeless.failures * part &&
  Date.parse(failedAt) - Date.parse(failingSince) >= hopeless.milliseconds * part
export const isHopeless = (health: WebhookHealth): boolean => hasFailed(health, 1)
/** The endpoint has half of these failures; its administrators get a warning while there is time. */
export const isHalfHopeless = (health: WebhookHealth): boolean => hasFailed(health, 0.5)
