import * as z from 'zod'
import { groups } from './api.ts'
import { apiKeyPrefix, callsPerMinute } from './apikey.ts'
import { type Declaration, opensToKeys, type Who } from './contract.ts'
import { errors } from './errors.ts'
import { permissions } from './permissions.ts'
import { groupOf, ping } from './webhooks/event.ts'
import { eventBody, eventData, eventSamples, eventWords, sampleCompany, sampleTimestamp } from './webhooks/shape.ts'

// The API description in OpenAPI 3.1, which this file derives only from the declarations.

const callersText = (who: Who): string => {
  switch (who) {
    case 'anyone':
      return 'Anyone, without a sign-in.'
    case 'signedIn':
      return 'Every signed-in caller.'
    case 'manager':
      return 'Every caller on the management side.'
    case 'administrator':
      return 'System administrators.'
    case 'employee':
      return 'Every caller on the employee side.'
    default:
      return `Callers with permission ${who.map(number => `${number} (${permissions[number].name})`).join(' or ')}.`
  }
}

/** Requires filters that have a required field: the server refuses their default `{}`. */
const requireFilters: z.core.ToJSONSchemaParams['override'] = ({ jsonSchema }) => {
  const filters = jsonSchema.properties?.filters
  if (typeof filters !== 'object' || filters.default === undefined || !filters.required?.length) return
  delete filters.default
  jsonSchema.required = [...(jsonSchema.required ?? []), 'filters']
}

const schema = (type: z.ZodType, io: 'input' | 'output') => {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(type, { io, unrepresentable: 'any', override: requireFilters })
  return jsonSchema
}

const header = (name: string, description: string, required = false, example?: string) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string', ...(example && { default: example }) },
})

const language = header('X-Language', 'Language of texts: en, zh, es or el.', false, 'en')
const apiVersion = header('X-Api-Version', 'Major version of this description.', false, '2.0')
const timezone = header(
  'X-Timezone',
  'IANA time zone of the browser; it must agree with the company’s.',
  true,
  'Europe/Athens',
)
const idempotencyKey = header(
  'Idempotency-Key',
  'The same key and body within 24 hours return the first answer; the same key with another body is rejected (60007).',
)

/** Says whether API keys can call a path, where a reader might expect it. */
const apiKeyText = (declaration: Declaration): string => {
  if (opensToKeys(declaration))
    return declaration.writes ? ' Also with an API key that may write.' : ' Also with an API key.'
  return declaration.who === 'manager' || Array.isArray(declaration.who) ? ' Not with an API key.' : ''
}

/** A caller needs one of these schemes. */
const securityOf = (declaration: Declaration) => {
  const token = { token: [] as string[] }
  return declaration.who === 'anyone' ? [] : opensToKeys(declaration) ? [token, { key: [] as string[] }] : [token]
}

const operation = (path: string, group: string, declaration: Declaration) => ({
  operationId: path,
  tags: [group],
  summary: declaration.does,
  description: callersText(declaration.who) + apiKeyText(declaration),
  security: securityOf(declaration),
  parameters: [
    apiVersion,
    language,
    ...(declaration.needsTimezone ? [timezone] : []),
    ...(declaration.writes ? [idempotencyKey] : []),
  ],
  requestBody: { required: true, content: { 'application/json': { schema: schema(declaration.input, 'input') } } },
  responses: {
    200: {
      description: 'Code 0 means success; any other code of the catalogue is an error.',
      content: {
        'application/json': {
          schema: {
            oneOf: [
              {
                type: 'object',
                required: ['code', 'data'],
                properties: { code: { const: 0 }, data: schema(declaration.output, 'output') },
              },
              { $ref: '#/components/schemas/Refusal' },
            ],
          },
        },
      },
    },
    413: { $ref: '#/components/responses/Refusal' },
    429: { $ref: '#/components/responses/TooOften' },
    500: { $ref: '#/components/responses/Refusal' },
  },
})

const webhookHeaders = [
  header('webhook-id', 'Id of the event, the same for every try.', true),
  header('webhook-timestamp', 'Time of this try in epoch seconds; reject tries older than five minutes.', true),
  header(
    'webhook-signature',
    '`v1,` and the base64 of the HMAC-SHA256 of `<id>.<timestamp>.<body>` with the secret after `whsec_`. For a day after a new secret there are two signatures, separated by a space.',
    true,
  ),
]

const subscriptionText = (event: keyof typeof eventData): string => {
  const group = event === ping ? undefined : groupOf(event)
  return group ? `Sent to endpoints with the group \`${group}\`.` : 'Sent by the test of an endpoint.'
}

/** One webhook event with a sample. */
const webhook = (event: keyof typeof eventData) => ({
  // Client generators name a function after it.
  operationId: `webhook_${event.replaceAll('.', '_')}`,
  tags: ['webhooks'],
  summary: eventWords[event],
  description: subscriptionText(event),
  security: [{ signature: [] as string[] }],
  parameters: webhookHeaders,
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: schema(eventBody.extend({ type: z.literal(event), data: eventData[event] }), 'output'),
        example: { type: event, timestamp: sampleTimestamp, company_id: sampleCompany, data: eventSamples[event] },
      },
    },
  },
  responses: {
    '2XX': {
      description:
        event === ping
          ? 'Received. A test is sent only once.'
          : 'Received, and not sent again. After any other answer, or none within 15 seconds, the server retries ten times within 75 hours.',
    },
    410: { description: 'The receiver no longer exists: the server disables the endpoint.' },
  },
})

const eventNames = Object.keys(eventData) as (keyof typeof eventData)[]

const catalogue = Object.entries(errors)
  .map(([code, meaning]) => `${code}: ${meaning}`)
  .join('\n')

/** The whole document, as plain JSON. */
export const openapi = () => ({
  openapi: '3.1.0',
  info: {
    title: 'Time and attendance',
    version: '2.0',
    description:
      'Every call is a POST of JSON. Answers are HTTP 200 with `{code, data}`; refusals carry `{code, message, fields}`.',
  },
  servers: [{ url: '/api' }],
  tags: Object.keys(groups).map(name => ({ name })),
  paths: Object.fromEntries(
    Object.entries(groups).flatMap(([group, paths]) =>
      Object.entries(paths as Record<string, Declaration>).map(([path, declaration]) => [
        `/${path}`,
        { post: operation(path, group, declaration) },
      ]),
    ),
  ),
  webhooks: Object.fromEntries(eventNames.map(event => [event, { post: webhook(event) }])),
  components: {
    securitySchemes: {
      token: { type: 'apiKey', in: 'header', name: 'X-Token', description: 'The token of a sign-in.' },
      signature: {
        type: 'apiKey',
        in: 'header',
        name: 'webhook-signature',
        description: 'The server signs each webhook event with the secret of the endpoint (Standard Webhooks 1.0.0).',
      },
      key: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: `${apiKeyPrefix}…`,
        description: `An API key of the company from the page “Application”, also accepted in X-Token. Limit: ${callsPerMinute} calls per minute (60008).`,
      },
    },
    schemas: {
      Refusal: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'integer', enum: Object.keys(errors).map(Number), description: catalogue },
          message: { type: 'string' },
          fields: {
            type: 'object',
            description: 'A code of the catalogue for each invalid field.',
            additionalProperties: { type: 'integer' },
          },
          about: { description: 'Further details, such as the entries of a schedule conflict.' },
          requestId: { type: 'string' },
        },
      },
    },
    responses: {
      Refusal: {
        description: 'The same body with another status: 413 too large, 500 server error.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
      },
      TooOften: {
        description: 'The same body: too many calls (60008).',
        headers: {
          'Retry-After': {
            description: 'Seconds to wait before a retry.',
            schema: { type: 'integer', minimum: 1 },
          },
        },
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
      },
    },
  },
})
