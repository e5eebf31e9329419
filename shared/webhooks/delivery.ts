import type { Change } from '../change.ts'
import type { Key } from '../table.ts'
import type { EventName, ping } from './event.ts'

// Deliveries to the endpoints of a company. The server stores an event once, with a delivery for each subscribed
// endpoint. Due deliveries have their own partition by time, so that a run need not read the completed deliveries.

export type Told = EventName | typeof ping

/** The payload, which is byte for byte equal at every attempt. */
export interface ToldEvent {
  /** The event's id, which is also the `webhook-id`. */
  event: string
  type: Told
  body: string
  expiresAt: number
}

/**
 * Why no response arrived: unknown host, private address, no connection, untrusted certificate, timeout, or broken
 * connection.
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
  /** The id. Ids sort by creation time. */
  id: string
  webhook: string
  event: string
  type: Told
  state: (typeof deliveryStates)[number]
  /** The time of the next attempt. Present while the delivery is due. */
  nextAt?: string
  /** The number of attempts since the event or the last replay. */
  tries: number
  attempts: Attempt[]
  expiresAt: number
}

/** A due delivery. `tries` equals the delivery's. */
export interface DueDelivery {
  id: string
  event: string
  at: string
  tries: number
}

/** Global: an endpoint with due deliveries, and the time at which a job checks the endpoint again. */
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

/** Days for which the server keeps deliveries. */
export const logDays = 30
/** Days for which a manager can replay a failed delivery. */
export const replayDays = 14

/** The deliveries with data of a person, so that an erasure finds them. */
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
/** The lease of the run that delivers to an endpoint. Without `heldAt`, no run holds it. */
export const deliveryLeaseKey = (webhook: string): Key<{ heldAt?: string; expiresAt: number }> => ({
  pk: 'DELIVERY_LEASE',
  sk: webhook,
})
export const webhookHealthKey = (webhook: string): Key<WebhookHealth> => ({ pk: 'WEBHOOK_HEALTH', sk: webhook })
export const deliveringKey = ({ company, webhook }: Pick<Delivering, 'company' | 'webhook'>): Key<Delivering> => ({
  pk: 'DELIVERING',
  sk: `${company}#${webhook}`,
})

/** The endpoint has a due delivery. */
export interface DeliveryDue {
  type: 'delivery.due'
  company: string
  webhook: string
}

/** A postponed delivery raises no fact, because the scheduled job finds it. */
export const dueDeliveryFacts = (webhook: string, { company, old, new: next }: Change<DueDelivery>): DeliveryDue[] =>
  next && !old && next.tries === 0 ? [{ type: 'delivery.due', company, webhook }] : []

/** Refreshes the pages that show endpoints. */
export interface WebhookChanged {
  type: 'webhook.changed'
  company: string
}

/** Problems that administrators must know. A delivery failed for good, or an endpoint fails for days or is disabled. */
export const troubles = ['exhausted', 'halfway', 'failing', 'gone'] as const
export interface WebhookTroubled {
  type: 'webhook.troubled'
  company: string
  webhook: string
  trouble: (typeof troubles)[number]
  /**
   * Distinguishes this trouble from the same trouble at another time. The server reports failed deliveries only from
   * time to time.
   */
  since: string
}

export const troubleOf = (
  company: string,
  webhook: string,
  trouble: WebhookTroubled['trouble'],
  since = '',
): WebhookTroubled => ({ type: 'webhook.troubled', company, webhook, trouble, since })

/** The mail about a trouble to one person. Without `isMailed`, a run has been sending the mail since `at`. */
export interface ToldTrouble {
  at: string
  isMailed?: true
  expiresAt: number
}
export const toldTroubleKey = (
  { webhook, trouble, since }: Pick<WebhookTroubled, 'webhook' | 'trouble' | 'since'>,
  employee: string,
): Key<ToldTrouble> => ({ pk: `TOLD_TROUBLE#${webhook}`, sk: `${trouble}#${since}#${employee}` })

/** Every change of a delivery refreshes the pages. The last failed attempt raises a trouble. */
export const deliveryFacts = ({ company, old, new: next }: Change<Delivery>): (WebhookChanged | WebhookTroubled)[] => {
  if (!next) return []
  const isExhausted = old?.state === 'due' && next.state === 'failed' && next.tries > delaysSeconds.length
  return [{ type: 'webhook.changed', company }, ...(isExhausted ? [troubleOf(company, next.webhook, 'exhausted')] : [])]
}

/** After the first failure, further failures raise no fact until half of the failures that disable the endpoint. */
export const webhookHealthFacts = ({
  company,
  old,
  new: next,
}: Change<WebhookHealth>): (WebhookChanged | WebhookTroubled)[] => {
  if (!old || !next) return [{ type: 'webhook.changed', company }]
  const isNews = isHalfHopeless(next) && !isHalfHopeless(old)
  return isNews ? [troubleOf(company, next.webhook, 'halfway', next.failingSince)] : []
}

/** The delays between attempts in seconds, as in Standard Webhooks; 75 hours in total. */
export const delaysSeconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
/** The share by which a delay varies, so that failed deliveries do not all retry at once. */
const jitter = 0.2
const mostRetryAfterSeconds = 3600

/**
 * The delay in ms before the next attempt. Undefined after the last attempt. `chance` is 0 to 1. A receiver may request
 * a longer delay (`Retry-After`, in seconds), but at most an hour.
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

/** Parses a `Retry-After` header into seconds. Undefined if the header is invalid. `now` is in ms. */
export const readRetryAfter = (text: string | undefined, now: number): number | undefined => {
  if (text === undefined) return undefined
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Number(text)
  const date = /^\s*[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000)
}

/** The server disables an endpoint after this many consecutive failures over this time. */
const hopeless = { failures: 20, milliseconds: 5 * 24 * 3600_000 }
const hasFailed = ({ failingSince, failedAt, failures }: WebhookHealth, part: number) =>
  failures >= hopeless.failures * part &&
  Date.parse(failedAt) - Date.parse(failingSince) >= hopeless.milliseconds * part
export const isHopeless = (health: WebhookHealth): boolean => hasFailed(health, 1)
/** Whether the endpoint has half of these failures. Administrators then get a warning in time. */
export const isHalfHopeless = (health: WebhookHealth): boolean => hasFailed(health, 0.5)
