import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Statement } from './deployment.ts'

// A gate between the functions and the table checks roles as AWS does. Each function calls the gate under its own name.
// The gate refuses an action that the templates do not allow.

type Values = Record<string, { S?: string }>

interface Operation {
  action: string
  index?: string
  /** The partition keys of the operation. */
  keys: string[]
}

interface Call {
  IndexName?: string
  Key?: Values
  Item?: Values
  ExpressionAttributeValues?: Values
  RequestItems?: Record<string, { Keys: Values[] }>
  TransactItems?: Record<string, Call>[]
}

const keyOf = (values: Values = {}) => values.pk?.S ?? ''

/** The actions of a call, with their IAM names. */
const operationsOf = (call: string, body: Call): Operation[] => {
  if (call === 'TransactWriteItems')
    return (body.TransactItems ?? []).flatMap(item =>
      Object.entries(item).flatMap(([kind, write]) =>
        operationsOf(kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`, write),
      ),
    )
  if (call === 'BatchGetItem')
    return [{ action: call, keys: Object.values(body.RequestItems ?? {}).flatMap(({ Keys }) => Keys.map(keyOf)) }]
  if (call === 'Query')
    return [
      {
        action: call,
        keys: [body.ExpressionAttributeValues?.[':pk']?.S ?? ''],
        ...(body.IndexName && { index: body.IndexName }),
      },
    ]
  return [{ action: call, keys: [keyOf(body.Key ?? body.Item)] }]
}

/** In key patterns, `*` is the only special character. */
const matches = (pattern: string, text: string) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text)

const isAbout = ({ actions, resources }: Statement, { action, index }: Operation) =>
  actions.includes(`dynamodb:${action}`) &&
  resources.some(resource => {
    const [, named] = /\/index\/(\w+)/.exec(JSON.stringify(resource)) ?? []
    return named === index
  })

type Conditions = Record<string, Record<string, string[]> | undefined>
const leading = 'dynamodb:LeadingKeys'

export const isAllowed = (rights: Statement[], operation: Operation): boolean => {
  const about = rights.filter(right => isAbout(right, operation))
  const hasKey = (right: Statement, operator: string) => {
    const patterns = (right.condition as Conditions | undefined)?.[operator]?.[leading] ?? []
    return (key: string) => patterns.some(pattern => matches(pattern, key))
  }
  return (
    about.some(right => right.effect === 'Allow' && operation.keys.every(hasKey(right, 'ForAllValues:StringLike'))) &&
    !about.some(right => right.effect === 'Deny' && operation.keys.some(hasKey(right, 'ForAnyValue:StringLike')))
  )
}

export interface Gate {
  /** The endpoint of the table for a function. */
  of(name: string): string
  /** The refused operations. */
  refused: string[]
  close(): void
}

/** Gives functions access to the table at `endpoint`, each with the rights of its role. */
export const openGate = async (endpoint: string, rightsOf: (name: string) => Statement[]): Promise<Gate> => {
  const refused: string[] = []
  const server = createServer(async (incoming, outgoing) => {
    const name = incoming.url?.split('/')[1] ?? ''
    const [, call = ''] = String(incoming.headers['x-amz-target']).split('.')
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const rights = rightsOf(name)
    const denied = operationsOf(call, JSON.parse(body.toString())).filter(operation => !isAllowed(rights, operation))
    if (denied.length > 0) {
      refused.push(...denied.map(({ action, index, keys }) => [name, action, index, ...keys].filter(Boolean).join(' ')))
      const message = `${name} is not authorized to perform: dynamodb:${denied[0]?.action}`
      outgoing.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' })
      return outgoing.end(JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message }))
    }
    const { host: _, ...headers } = incoming.headers
    request(endpoint, { method: 'POST', headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    }).end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    of: name => `http://127.0.0.1:${port}/${name}`,
    refused,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
