import type { Change } from '../change.ts'
import type { Key } from '../table.ts'
import type { EventName, ping } from './event.ts'

// What is told to the endpoints of a company. An event is written down once, and with it a delivery for each endpoint that hears it;
// what is due stands apart by time, so that it is found without looking at what is done.

export type Told = EventName | typeof ping

/** What is sent, letter by letter the same at every try. */
export interface ToldEvent {
  /** Also the `webhook-id`. */
  event: string
  type: Told
  body: string
  expiresAt: number
}

/** Why there was no answer: no such name, none of the internet, no connection, no trust, too slow, or ended in the middle. */
export const deliveryErrors = ['dns', 'address', 'connect', 'tls', 'timeout', 'broken'] as const

export interface Attempt {
  at: string
  milliseconds: number
  status?: number
  error?: (typeof deliveryErrors)[number]
  /** The beginning of what was answered. */
  answer?: string
}

export const deliveryStates = ['due', 'done', 'failed'] as const

export interface Delivery {
  /** Ids sort by the moment they were made. */
  id: string
  webhook: string
  event: string
  type: Told
  state: (typeof deliveryStates)[number]
  /** Of those that are due. */
  nextAt?: string
  /** How often it was tried since it was told or replayed. */
  tries: number
  attempts: Attempt[]
  expiresAt: number
}

/** One that is due; `tries` as in the delivery. */
export interface DueDelivery {
  id: string
  event: string
  at: string
  tries: number
}

/** Global: where something is due, and when it is looked at again. */
export interface Delivering {
  company: string
  webhook: string
  at: string
}

/** How an endpoint has failed since it last answered as it should. */
export interface WebhookHealth {
  webhook: string
  failingSince: string
  /** The last time. */
  failedAt: string
  failures: number
}

/** How long it can be seen what became of a delivery. */
export const logDays = 30
/** What failed is replayed from so long ago at most. */
export const replayDays = 14

/** What was told of a person, so that it is found when they are erased. */
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
/** Held by the one who delivers to an endpoint; by nobody while the endpoint is left alone. */
export const deliveryLeaseKey = (webhook: string): Key<{ heldAt?: string; expiresAt: number }> => ({
  pk: 'DELIVERY_LEASE',
  sk: webhook,
})
export const webhookHealthKey = (webhook: string): Key<WebhookHealth> => ({ pk: 'WEBHOOK_HEALTH', sk: webhook })
export const deliveringKey = ({ company, webhook }: Pick<Delivering, 'company' | 'webhook'>): Key<Delivering> => ({
  pk: 'DELIVERING',
  sk: `${company}#${webhook}`,
})

/** This endpoint has something to be told now. */
export interface DeliveryDue {
  type: 'delivery.due'
  company: string
  webhook: string
}

/** What is put off is found by the clock. */
export const dueDeliveryFacts = (webhook: string, { company, old, new: now }: Change<DueDelivery>): DeliveryDue[] =>
  now && !old && now.tries === 0 ? [{ type: 'delivery.due', company, webhook }] : []

/** Who looks at what endpoints are told is to look again. */
export interface WebhookChanged {
  type: 'webhook.changed'
  company: string
}

/** What those who look after an endpoint have to know: something was given up, it fails for days, or was switched off. */
export const troubles = ['exhausted', 'halfway', 'failing', 'gone'] as const
export interface WebhookTroubled {
  type: 'webhook.troubled'
  company: string
  webhook: string
  trouble: (typeof troubles)[number]
  /** Tells it from the same trouble of another time; what is given up is told once in a while. */
  since: string
}

export const troubleOf = (
  company: string,
  webhook: string,
  trouble: WebhookTroubled['trouble'],
  since = '',
): WebhookTroubled => ({ type: 'webhook.troubled', company, webhook, trouble, since })

/** Whom a trouble was mailed to, or who is at it since when. */
export interface ToldTrouble {
  at: string
  isMailed?: true
  expiresAt: number
}
export const toldTroubleKey = (
  { webhook, trouble, since }: Pick<WebhookTroubled, 'webhook' | 'trouble' | 'since'>,
  employee: string,
): Key<ToldTrouble> => ({ pk: `TOLD_TROUBLE#${webhook}`, sk: `${trouble}#${since}#${employee}` })

/** What is told, and what becomes of it. */
export const deliveryFacts = ({ company, old, new: now }: Change<Delivery>): (WebhookChanged | WebhookTroubled)[] => {
  if (!now) return []
  const isExhausted = old?.state === 'due' && now.state === 'failed' && now.tries > delaysSeconds.length
  return [{ type: 'webhook.changed', company }, ...(isExhausted ? [troubleOf(company, now.webhook, 'exhausted')] : [])]
}

/** An endpoint that goes on failing says nothing new until there is little hope. */
export const webhookHealthFacts = ({
  company,
  old,
  new: now,
}: Change<WebhookHealth>): (WebhookChanged | WebhookTroubled)[] => {
  if (!old || !now) return [{ type: 'webhook.changed', company }]
  const isNews = isHalfHopeless(now) && !isHalfHopeless(old)
  return isNews ? [troubleOf(company, now.webhook, 'halfway', now.failingSince)] : []
}

/** Between two tries, in seconds: those of Standard Webhooks, 75 hours in all. */
export const delaysSeconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
/** As much longer or shorter, so that what failed together does not come again together. */
const jitter = 0.2
const mostRetryAfterSeconds = 3600

/**
 * After how many milliseconds to try again what was tried so often; undefined where that was the last time. `chance` is 0 to 1. A
 * receiver may ask for more time (`Retry-After`, in seconds), but not for more than an hour.
 */
export const nextTryMilliseconds = (
  tries: number,
  { chance, retryAfterSeconds = 0 }: { chance: number; retryAfterSeconds?: number | undefined },
): number | undefined => {
  const seconds = delaysSeconds[tries - 1]
  if (seconds === undefined) return undefined
  const asked = Math.min(retryAfterSeconds, mostRetryAfterSeconds)
  return Math.round(Math.max(seconds * (1 - jitter + 2 * jitter * chance), asked) * 1000)
}

/** What a `Retry-After` says, in seconds; undefined where it says nothing that can be read. `now` in ms. */
export const readRetryAfter = (text: string | undefined, now: number): number | undefined => {
  if (text === undefined) return undefined
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Number(text)
  const date = /^\s*[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000)
}

/** An endpoint that only failed for so long, and so often, is switched off. */
const hopeless = { failures: 20, milliseconds: 5 * 24 * 3600_000 }
const hasFailed = ({ failingSince, failedAt, failures }: WebhookHealth, part: number) =>
  failures >= hopeless.failures * part &&
  Date.parse(failedAt) - Date.parse(failingSince) >= hopeless.milliseconds * part
export const isHopeless = (health: WebhookHealth): boolean => hasFailed(health, 1)
/** Half of the way there is behind it: somebody is told while there is time. */
export const isHalfHopeless = (health: WebhookHealth): boolean => hasFailed(health, 0.5)
