import * as z from 'zod'
import type { Audited, Change } from './change.ts'
import { at, type Declarations, done, gridInput, gridOutput, id, nothing, version } from './contract.ts'
import type { Key } from './table.ts'
import {
  deliveryErrors,
  deliveryStates,
  replayDays,
  troubleOf,
  type WebhookChanged,
  type WebhookTroubled,
} from './webhooks/delivery.ts'
import { type EventGroup, eventGroups, toldTypes } from './webhooks/event.ts'

// The endpoints of a company's webhooks, each with its event groups and its own secret. Receivers verify deliveries by
// Standard Webhooks 1.0.0 (standardwebhooks.com).

export interface Webhook {
  id: string
  url: string
  events: EventGroup[]
  isOn: boolean
  /** The encrypted secret. The site showed it only once, at its creation. */
  secret: string
  /**
   * The previous secret, which also signs deliveries until `until`, so that the receiver can switch to the new secret.
   */
  former?: { sealed: string; until: string }
  /** When the server disabled the endpoint because of failures, and why. */
  disabled?: { at: string; because: 'gone' | 'failing' }
}

/** The most endpoints of a company. */
export const mostWebhooks = 4
export const deliveriesAtOnce = 5
/** The previous secret also signs for this many hours. */
export const formerSecretHours = 24

const audited: Audited<Webhook> = {
  noun: 'webhook',
  id: ({ id }) => id,
  name: ({ url }) => url,
}

export const webhookKey = (id: string): Key<Webhook> => ({ pk: 'WEBHOOK', sk: id, audited })

/** Disabling an endpoint because of failures raises a notice. Disabling by a person raises none. */
export const webhookFacts = ({ company, old, new: next }: Change<Webhook>): (WebhookChanged | WebhookTroubled)[] => [
  { type: 'webhook.changed', company },
  ...(next?.disabled && next.disabled.at !== old?.disabled?.at
    ? [troubleOf(company, next.id, next.disabled.because, next.disabled.at)]
    : []),
]

const form = {
  url: z.string().trim().min(1).max(2000).describe('https with a publicly reachable host'),
  events: z
    .array(z.enum(eventGroups))
    .max(eventGroups.length)
    .describe('event groups; the endpoint gets every event of a group'),
  isOn: z.boolean().default(true),
}

/** 24 to 64 bytes, as Standard Webhooks requires. */
const secret = z
  .string()
  .regex(/^(?!whsec_)[!-~]{24,64}$|^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/)
  .optional()
  .describe('24 to 64 characters, or `whsec_` and as many bytes in base64; if omitted, the server creates one')

const shownSecret = z
  .string()
  .describe('`whsec_` and the secret in base64, for verification by the receiver; shown only once')

const stored = {
  id,
  url: z.string(),
  events: z.array(z.enum(eventGroups)),
  isOn: z.boolean(),
  formerUntil: at.optional().describe('until then the previous secret also signs'),
  disabled: z
    .object({ at, because: z.enum(['gone', 'failing']) })
    .optional()
    .describe(
      'present if the server disabled it: the receiver answered 410 (`gone`), or failed for five days (`failing`)',
    ),
  failing: z
    .object({ since: at, failures: z.int() })
    .optional()
    .describe('time of the first failure in a row, and the number of failures'),
  version,
}

const delivery = {
  id,
  event: z.string().describe('the `webhook-id`'),
  type: z.string(),
  about: z.string().optional().describe('the person or terminal of the event; absent for a test'),
  state: z.enum(deliveryStates),
  toldAt: at,
  nextAt: at.optional().describe('time of the next try'),
  attempts: z
    .array(
      z.object({
        at,
        milliseconds: z.int(),
        status: z.int().optional(),
        error: z.enum(deliveryErrors).optional(),
        answer: z.string().optional().describe('beginning of the response body'),
      }),
    )
    .describe('earliest first'),
}

export const webhooksPaths = {
  'webhooks/show': {
    does: 'Returns whether webhooks are available.',
    who: 'administrator',
    input: nothing,
    output: z.object({ is_show: z.boolean() }),
  },
  'webhooks/get': {
    does: "Returns the company's first endpoint, if any.",
    who: 'administrator',
    input: nothing,
    output: z.object(stored).partial(),
  },
  'webhooks/update': {
    does: "Updates the company's first endpoint, or creates it; its secret stays unless a new one is given.",
    who: 'administrator',
    writes: true,
    answersSecret: true,
    input: z.strictObject({ ...form, secret, version: version.optional().describe('version of `webhooks/get`') }),
    output: z.object({ id, secret: shownSecret.optional(), version }),
  },
  'webhooks/endpoint/grid': {
    does: "Lists the company's endpoints in order of creation.",
    who: 'administrator',
    input: gridInput(z.strictObject({})),
    output: gridOutput(z.object(stored)),
  },
  'webhooks/endpoint/add': {
    does: 'Adds an endpoint and returns its secret, only once.',
    who: 'administrator',
    writes: true,
    answersSecret: true,
    input: z.strictObject({ ...form, secret }),
    output: z.object({ id, secret: shownSecret }),
  },
  'webhooks/endpoint/update': {
    does: 'Updates an endpoint; enabling it clears its failures.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id, version, ...form }),
    output: z.object({ version }),
  },
  'webhooks/endpoint/rotate': {
    does: 'Creates a new secret for an endpoint and returns it, only once; the previous one also signs for 24 hours.',
    who: 'administrator',
    writes: true,
    answersSecret: true,
    input: z.strictObject({ id, secret }),
    output: z.object({
      secret: shownSecret,
      formerUntil: at.optional().describe('until then the previous secret also signs'),
    }),
  },
  'webhooks/endpoint/delete': {
    does: 'Deletes an endpoint; no further events are sent.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id }),
    output: done,
  },
  'webhooks/endpoint/test': {
    does: 'Sends one `webhook.ping` to an endpoint; the log shows the result.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id }),
    output: z.object({ delivery: id }),
  },
  'webhooks/log/grid': {
    does: 'Lists the deliveries of an endpoint in the last 30 days, newest first, with the last response.',
    who: 'administrator',
    input: gridInput(
      z.strictObject({
        webhook: id,
        state: z.enum(deliveryStates).optional(),
        type: z.enum(toldTypes).optional().describe('only this event'),
      }),
    ),
    output: gridOutput(z.object(delivery)),
  },
  'webhooks/log/get': {
    does: 'Returns a delivery with its exact payload.',
    who: 'administrator',
    input: z.strictObject({ webhook: id, delivery: id }),
    output: z.object({ ...delivery, body: z.string().optional().describe('absent after its retention') }),
  },
  'webhooks/replay': {
    does: 'Resends a delivery with the same webhook-id and a full set of attempts.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ webhook: id, delivery: id }),
    output: done,
  },
  'webhooks/replay/failed': {
    does: `Resends all failed deliveries of an endpoint since a given time, up to ${replayDays} days ago; \`all\` includes delivered events.`,
    who: 'administrator',
    writes: true,
    input: z.strictObject({
      webhook: id,
      since: at,
      until: at.optional().describe('end of the range'),
      all: z.boolean().default(false).describe('whether to resend delivered events too; pending ones are sent anyway'),
      after: id.optional().describe('`after` of the previous answer'),
    }),
    output: z.object({
      count: z.int(),
      after: id.optional().describe('present if there may be more; repeat the call with it'),
    }),
  },
} as const satisfies Declarations
