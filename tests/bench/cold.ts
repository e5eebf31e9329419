import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildFunctions, buildOthers } from '../../infra/build.ts'
import { type Lambda, loadLambda } from '../../infra/local/invoke.ts'
import { client, register } from '../kit/client.ts'
import { openWorld } from '../kit/world.ts'
import type { Report } from './main.ts'

// Measures the load time of each function’s bundle, against a bundle with only the function’s AWS clients. Also
// measures the time that a function spends on a call besides its table requests.

const build = '.build/cold'
const rounds = 16

/**
 * The code of a bare handler per client. The handler creates the client, and imports the commands that the product
 * uses.
 */
const bareParts: Record<string, [imports: string, made: string]> = {
  '@aws-sdk/client-dynamodb': [
    `import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { BatchGetCommand, DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'`,
    `[DynamoDBDocumentClient.from(new DynamoDBClient(process.env.DYNAMODB_ENDPOINT ? { endpoint: process.env.DYNAMODB_ENDPOINT } : {})), GetCommand, BatchGetCommand, DeleteCommand, PutCommand, QueryCommand, TransactWriteCommand, UpdateCommand]`,
  ],
  '@aws-sdk/client-kms': [
    `import { DecryptCommand, EncryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms'`,
    '[new KMSClient({}), DecryptCommand, EncryptCommand, GenerateDataKeyCommand]',
  ],
  '@aws-sdk/client-sesv2': [
    `import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'`,
    '[new SESv2Client({}), SendEmailCommand]',
  ],
  '@aws-sdk/client-eventbridge': [
    `import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'`,
    '[new EventBridgeClient({}), PutEventsCommand]',
  ],
  '@aws-sdk/client-apigatewaymanagementapi': [
    `import { ApiGatewayManagementApiClient, DeleteConnectionCommand, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi'`,
    '[new ApiGatewayManagementApiClient({ endpoint: "https://example.com" }), DeleteConnectionCommand, PostToConnectionCommand]',
  ],
}

/** A handler that creates all given clients, and reads an item if the table’s client is among them. */
const bareSource = (clients: string[]) => {
  const parts = clients.map(name => bareParts[name] ?? ['', '[]'])
  return `${parts.map(([imports]) => imports).join('\n')}
const made = [${parts.map(([, made]) => made).join(', ')}]
export const handler = async () => {
  const [[table, Get] = []] = made
  return table && (await table.send(new Get({ TableName: process.env.TABLE, Key: { pk: 'BARE', sk: '-' }, ConsistentRead: true })))
}
`
}

const environment = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'cold', AWS_SECRET_ACCESS_KEY: 'cold' }

const load = (bundle: string, env: NodeJS.ProcessEnv = environment): ChildProcess =>
  fork('tests/infra/load.ts', [bundle], { env, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })

const loadMs = async (bundle: string): Promise<number> => {
  const child = load(bundle)
  const [{ loadMs }] = await once(child, 'message')
  child.kill('SIGKILL')
  return loadMs
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const bundleOf = (name: string) => join(process.cwd(), build, 'functions', name, 'index.cjs')
const bareOf = (clients: string[]) =>
  clients.length === 0 ? 'bare-none' : `bare-${clients.map(name => name.slice(16)).join('-')}`

const cold = async (report: Report) => {
  const contents = await buildFunctions(build)
  const clientsOf = (name: string) => Object.keys(bareParts).filter(client => contents[name]?.holds.includes(client))
  const sets = new Map(Object.keys(contents).map(name => [bareOf(clientsOf(name)), clientsOf(name)]))
  const sources = join(build, 'bare')
  mkdirSync(sources, { recursive: true })
  for (const [name, clients] of sets) writeFileSync(join(sources, `${name}.ts`), bareSource(clients))
  await buildOthers(
    [...sets.keys()].map(name => ({ in: join(sources, `${name}.ts`), out: name })),
    build,
  )
  const times = new Map<string, [own: number, bare: number][]>()
  // The bundles alternate, and each goes first every other time, so that other load on the machine slows both equally.
  for (let round = 0; round < rounds; round++)
    for (const name of Object.keys(contents)) {
      const [ownBundle, bareBundle] = [bundleOf(name), bundleOf(bareOf(clientsOf(name)))]
      const [first, second] = round % 2 === 0 ? [ownBundle, bareBundle] : [bareBundle, ownBundle]
      const [firstMs, secondMs] = [await loadMs(first), await loadMs(second)]
      times.set(name, [...(times.get(name) ?? []), first === ownBundle ? [firstMs, secondMs] : [secondMs, firstMs]])
    }
  for (const [name, { bytes }] of Object.entries(contents)) {
    const pairs = times.get(name) ?? []
    report(`${name}: size`, bytes / 1024, 'KB')
    report(`${name}: cold import`, median(pairs.map(([own]) => own)), 'ms')
    // The API description has no AWS client, and an empty bundle loads at once.
    if (clientsOf(name).length > 0)
      report(`${name}: cold import against a bare handler’s`, median(pairs.map(([own, bare]) => own / bare)), 'times', {
        atMost: 1.5,
      })
  }
}

const warm = async (report: Report) => {
  const contents = await buildFunctions(build)
  const sources = join(build, 'bare')
  mkdirSync(sources, { recursive: true })
  writeFileSync(join(sources, 'bare.ts'), bareSource(['@aws-sdk/client-dynamodb']))
  await buildOthers([{ in: join(sources, 'bare.ts'), out: 'bare' }], build)
  const world = await openWorld()
  // Drops the log lines of the handlers, because the output contains only figures.
  const originalLog = console.log
  console.log = () => undefined
  try {
    Object.assign(process.env, world.environment)
    const routes = new Map<string, Lambda>()
    for (const path of ['user/register/code', 'user/register', 'auth/get', 'department/all']) {
      const lambda = await loadLambda('functions', path.split('/')[0] ?? '')
      if (lambda) routes.set(`POST /api/${path}`, lambda)
    }
    world.serve(routes, async () => undefined)
    const { token } = await register(client(world.environment.AWS_ENDPOINT_URL_S3 ?? ''))
    console.log = originalLog
    const measure = async (name: string, event: object) => {
      const child = load(bundleOf(name), { ...world.environment })
      await once(child, 'message')
      child.send({ event, times: 400 })
      const [result] = await once(child, 'message')
      child.kill('SIGKILL')
      return result as { answer: { body: string }; ownMs: number; requests: number }
    }
    const template = JSON.parse(readFileSync('tests/given/events/http.json', 'utf8'))
    const call = (path: string) => ({
      ...template,
      routeKey: `POST /api/${path}`,
      rawPath: `/api/${path}`,
      headers: { ...template.headers, 'x-token': token },
      body: '{}',
    })
    const bareCall = await measure('bare', {})
    report('bare: its own time for each question to the table', bareCall.ownMs / bareCall.requests, 'ms')
    for (const [name, path] of [
      ['timezone', 'timezone/list'],
      ['auth', 'auth/get'],
      ['department', 'department/all'],
    ] as const) {
      if (!contents[name]) throw new Error(`No ${name}`)
      const { answer, ownMs, requests } = await measure(name, call(path))
      if (JSON.parse(answer.body).code !== 0) throw new Error(`${path} answered ${answer.body}`)
      report(`${path}: questions to the table`, requests, 'requests')
      report(
        `${path}: its own time, beyond its questions’`,
        ownMs - (requests * bareCall.ownMs) / bareCall.requests,
        'ms',
        {
          atMost: 1,
        },
      )
    }
  } finally {
    await world.close()
  }
}

export const bench = { cold, warm }

process.once('exit', () => rmSync(build, { recursive: true, force: true }))
