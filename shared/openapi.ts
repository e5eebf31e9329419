import * as z from 'zod'
import { groups } from './api.ts'
import type { Declaration, Who } from './contract.ts'
import { errors } from './errors.ts'
import { permissions } from './permissions.ts'

// The API description, OpenAPI 3.1, out of the declarations and nothing else.

const whoWords = (who: Who): string => {
  switch (who) {
    case 'anyone':
      return 'Anyone, without signing in.'
    case 'signedIn':
      return 'Anyone signed in.'
    case 'manager':
      return 'Anyone signed in on the management side.'
    case 'administrator':
      return 'The system administrator.'
    case 'employee':
      return 'Anyone signed in on the employee side.'
    default:
      return `Who has permission ${who.map(number => `${number} (${permissions[number].name})`).join(' or ')}.`
  }
}

const schema = (type: z.ZodType, io: 'input' | 'output') => {
  const { $schema: _, ...rest } = z.toJSONSchema(type, { io, unrepresentable: 'any' })
  return rest
}

const header = (name: string, description: string, required = false, example?: string) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string', ...(example && { default: example }) },
})

const language = header('X-Language', 'Language of sentences: en, zh, es or el.', false, 'en')
const apiVersion = header('X-Api-Version', 'Major version of this description.', false, '2.0')
const token = header('X-Token', 'The token of the sign-in.', true)
const timezone = header(
  'X-Timezone',
  'IANA time zone of the browser; it must agree with the company’s.',
  true,
  'Europe/Athens',
)
const idempotencyKey = header(
  'Idempotency-Key',
  'The same key and body within 24 hours get the first answer; the same key with another body is refused (60007).',
)

const operation = (path: string, group: string, { does, who, input, output, writes, needsTimezone }: Declaration) => ({
  operationId: path,
  tags: [group],
  summary: does,
  description: whoWords(who),
  parameters: [
    apiVersion,
    language,
    ...(who === 'anyone' ? [] : [token]),
    ...(needsTimezone ? [timezone] : []),
    ...(writes ? [idempotencyKey] : []),
  ],
  requestBody: { required: true, content: { 'application/json': { schema: schema(input, 'input') } } },
  responses: {
    200: {
      description: 'Success is code 0; any other code of the catalogue is a refusal.',
      content: {
        'application/json': {
          schema: {
            oneOf: [
              {
                type: 'object',
                required: ['code', 'data'],
                properties: { code: { const: 0 }, data: schema(output, 'output') },
              },
              { $ref: '#/components/schemas/Refusal' },
            ],
          },
        },
      },
    },
    413: { $ref: '#/components/responses/Refusal' },
    429: { $ref: '#/components/responses/Refusal' },
    500: { $ref: '#/components/responses/Refusal' },
  },
})

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
  components: {
    schemas: {
      Refusal: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'integer', enum: Object.keys(errors).map(Number), description: catalogue },
          message: { type: 'string' },
          fields: {
            type: 'object',
            description: 'A code of the catalogue for each field that is wrong.',
            additionalProperties: { type: 'integer' },
          },
          about: { description: 'More than a field’s name can say, such as the entries of a schedule conflict.' },
          requestId: { type: 'string' },
        },
      },
    },
    responses: {
      Refusal: {
        description: 'The same body, where the status line is used: 413 too large, 429 too many tries, 500 our fault.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
      },
    },
  },
})
