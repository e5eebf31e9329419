import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import {
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { globalConfig } from 'zod/v4/core'
import { readSheet } from '../../functions/sheet/read.ts'
import { writeSheet } from '../../functions/sheet/write.ts'
import { clientOf } from '../../infra/local/stack/database.ts'
import { groups } from '../../shared/api.ts'
import type { Declarations } from '../../shared/contract.ts'
import { jobs } from '../../shared/jobs.ts'
import { newestMigration } from '../../shared/migration.ts'
import { strongPassword } from '../kit/client.ts'
import { jpeg } from '../kit/picture.ts'
import { upload } from '../kit/upload.ts'
import { openWorld, type World } from '../kit/world.ts'
import { type Deployment, functionsOf, prepare, rightsOf } from './deployment.ts'
import { type Gate, isAllowed, openGate } from './permission.ts'

// Runs each deployed bundle in its own process, with only the environment of its function. Sends recorded AWS events to
// the bundle. The table is a real engine behind a gate that enforces the role of each function. Bus, mail, key and
// sockets come from the local stack.

const recorded = (name: string) => JSON.parse(readFileSync(`tests/given/events/${name}.json`, 'utf8'))

let deployment: Deployment
let world: World
let gate: Gate
const closers: (() => unknown)[] = []

beforeAll(async () => {
  deployment = await prepare()
  closers.push(() => deployment.remove())
  world = await openWorld()
  closers.push(world.close)
  const roles = new Map(
    [...functionsOf(deployment.app, deployment.bundles)].map(([name, { properties }]) => [
      name,
      rightsOf(deployment.app, properties.Role),
    ]),
  )
  gate = await openGate(world.database.endpoint, name => roles.get(name) ?? [])
  closers.push(gate.close)
})

afterAll(async () => {
  for (const close of closers.toReversed()) await close()
})

/** Variables of the Lambda service and of this machine. All other variables must come from the template. */
const ambient = /^(AWS_|DYNAMODB_ENDPOINT$)/

const environmentOf = (name: string) => {
  const granted = functionsOf(deployment.app, deployment.bundles).get(name)?.properties.Environment.Variables ?? {}
  const deployed = {
    ...world.environment,
    DYNAMODB_ENDPOINT: gate.of(name),
    DISTRIBUTION_SECRET: recorded('http').headers['x-distribution-secret'],
  }
  return Object.fromEntries(
    Object.entries(deployed).filter(([variable]) => ambient.test(variable) || variable in granted),
  )
}

interface Answer {
  statusCode?: number
  headers?: Record<string, string>
  body: string
}

const bundleOf = (name: string) => join(deployment.folder, 'functions', name, 'index.cjs')

/** Loads a bundle in a new process and sends it events in sequence. Returns its response to each. */
const invoke = async <E extends object[]>(name: string, ...events: E): Promise<{ [I in keyof E]: Answer }> => {
  const child: ChildProcess = fork('tests/infra/runtime.ts', [bundleOf(name)], {
    env: environmentOf(name),
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  try {
    const answers: unknown[] = []
    for (const event of events) {
      const ended = once(child, 'exit').then(() => [{ fault: `${name} ended by itself` }])
      child.send(event)
      const [message] = await Promise.race([once(child, 'message'), ended])
      expect(message, name).not.toHaveProperty('fault')
      answers.push(message.answer)
    }
    return answers as { [I in keyof E]: Answer }
  } finally {
    child.kill('SIGKILL')
  }
}

/** The event of a path as API Gateway sends it behind the distribution. */
const call = (path: string, body: object = {}, method = 'POST') => {
  const event = recorded('http')
  const routeKey = `${method} /api/${path}`
  const { requestContext } = event
  return {
    ...event,
    routeKey,
    rawPath: `/api/${path}`,
    requestContext: { ...requestContext, routeKey, http: { ...requestContext.http, method, path: `/api/${path}` } },
    body: JSON.stringify(body),
  }
}

const kilobytes = 1024

test('the code that a function loads at start is smaller than 450 KB', () => {
  const large = Object.entries(deployment.bundles).filter(([, { bytes }]) => bytes >= 450 * kilobytes)
  expect(large.map(([name, { bytes }]) => `${name} ${bytes}`)).toEqual([])
})

test('the sheet function with all its parts is smaller than 720 KB', () => {
  const files = globSync('*.cjs', { cwd: dirname(bundleOf('sheet')) })
  expect(files.length).toBeGreaterThan(1)
  const bytes = files.map(file => statSync(join(dirname(bundleOf('sheet')), file)).size)
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(720 * kilobytes)
})

test('bundles create shapes only when a call needs them, except for the API description', () => {
  const load = createRequire(import.meta.url)
  const making = new Set<string>()
  for (const name of Object.keys(deployment.bundles)) {
    // zod calls `postProcessor` for each new shape.
    globalConfig.postProcessor = () => making.add(name)
    load(bundleOf(name))
  }
  delete globalConfig.postProcessor
  expect([...making]).toEqual(['docs'])
})

describe('paths', () => {
  test.each(Object.entries<Declarations>(groups))(
    '%s rejects unknown paths and callers without a session',
    async (group, paths) => {
      const [guarded = ''] = Object.keys(paths).filter(path => paths[path]?.who !== 'anyone')
      const [unknown, stranger] = await invoke(group, call(`${group}/nothing`), call(guarded || `${group}/nothing`))
      expect(unknown).toMatchObject({ statusCode: 404 })
      expect(JSON.parse(unknown.body)).toMatchObject({ code: 60009 })
      if (guarded) {
        expect(stranger).toMatchObject({ statusCode: 200, headers: { 'cache-control': 'no-store' } })
        expect(JSON.parse(stranger.body)).toMatchObject({ code: 101 })
      }
    },
  )

  test('an unknown path gets the error of the catalogue', async () => {
    const [answer] = await invoke('auth', recorded('http'))
    expect(answer).toMatchObject({ statusCode: 404 })
    expect(JSON.parse(answer.body)).toMatchObject({ code: 60009 })
  })

  test('a function reads a token from the table and mails a code', async () => {
    const event = call('auth/get')
    const [unknown] = await invoke('auth', { ...event, headers: { ...event.headers, 'x-token': 'nobody’s' } })
    expect(JSON.parse(unknown.body)).toMatchObject({ code: 101 })
    const email = 'olga@example.com'
    const [mailed] = await invoke('user', call('user/register/code', { email }))
    expect(JSON.parse(mailed.body)).toMatchObject({ code: 0 })
    expect(world.outbox.list()).toMatchObject([{ from: 'hours@example.com', to: email }])
  })

  test('an unknown account gets the error of a wrong password', async () => {
    const [answer] = await invoke('user', call('user/login', { email: 'nobody@example.com', password: 'Rhubarb#42' }))
    expect(JSON.parse(answer.body)).toMatchObject({ code: 21014 })
  })

  test('the description of the API is a page and a document', async () => {
    const [page, document] = await invoke('docs', call('docs', {}, 'GET'), call('openapi.json', {}, 'GET'))
    expect(page).toMatchObject({ statusCode: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
    expect(JSON.parse(document.body)).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) })
  })
})

/** The data of a successful response of a path. */
const data = async (path: string, input: object, token = '') => {
  const event = call(path, input)
  const [group = ''] = path.split('/')
  const [{ body }] = await invoke(group, { ...event, headers: { ...event.headers, 'x-token': token } })
  const answer = JSON.parse(body)
  expect(answer, path).toMatchObject({ code: 0 })
  return answer.data
}

/** Registers a company and returns the owner's token. */
const register = async (email: string): Promise<string> => {
  const { nonce } = await data('user/register/code', { email })
  const registration = {
    email,
    nonce,
    code: /\d{6}/.exec(world.outbox.list().at(-1)?.text ?? '')?.[0],
    password: strongPassword,
    confirm_password: strongPassword,
    first_name: 'Olga',
    last_name: 'Owner',
    company_name: 'Olive',
    timezone: 'Europe/Athens',
    terms: true,
  }
  return (await data('user/register', registration)).token
}

test('the role of a read-only group allows all its paths', async () => {
  const token = await register('reader@example.com')
  const readers = Object.entries<Declarations>(groups).filter(([, paths]) =>
    Object.values(paths).every(({ writes }) => !writes),
  )
  const inputs: Record<string, object> = {
    'location/state': { country_id: 'GR' },
    'location/city': { state_id: 'GR-I' },
    'task/get': { id: '0'.repeat(16) },
  }
  // A missing task proves that the function has read the table.
  const codes: Record<string, number> = { 'task/get': 60004 }
  for (const [group, paths] of readers) {
    const names = Object.keys(paths)
    const calls = names.map(path => {
      const event = call(path, inputs[path] ?? {})
      return { ...event, headers: { ...event.headers, 'x-token': token } }
    })
    const answers = await invoke(group, ...calls)
    for (const [n, path] of names.entries())
      expect(JSON.parse(answers[n]?.body ?? ''), path).toMatchObject({ code: codes[path] ?? 0 })
  }
})

test('a role allows a function only the function’s own actions, keys and indexes', () => {
  const roleOf = (name: string) => {
    const deployed = functionsOf(deployment.app, deployment.bundles).get(name)
    return rightsOf(deployment.app, deployed?.properties.Role)
  }
  const may = (name: string, action: string, key: string, index?: string) =>
    isAllowed(roleOf(name), { action, keys: [key], ...(index && { index }) })
  expect(may('user', 'GetItem', 'ACCOUNT#ann')).toBe(true)
  expect(may('department', 'GetItem', 'ACCOUNT#ann')).toBe(false)
  expect(may('department', 'PutItem', 'C#one#DEPARTMENT')).toBe(true)
  expect(may('dashboard', 'GetItem', 'C#one#DEPARTMENT')).toBe(true)
  expect(may('dashboard', 'PutItem', 'C#one#DEPARTMENT')).toBe(false)
  expect(may('department', 'DeleteItem', 'C#one#AUDIT')).toBe(false)
  expect(may('department', 'Query', 'C#one#DAY#2026-01-01#0', 'byDay')).toBe(false)
  expect(may('report', 'Query', 'C#one#DAY#2026-01-01#0', 'byDay')).toBe(true)
  expect(may('report', 'Scan', '')).toBe(false)
})

test('an owner uploads, shows and deletes a photo', async () => {
  const token = await register('photo@example.com')
  const employee = (path: string, input: object) => data(`employee/${path}`, input, token)
  const read = async () => (await employee('grid', {})).list[0]
  const { id } = await read()
  const form = await employee('photo', { id, type: 'image/jpeg' })
  expect(await upload(form, jpeg)).toEqual({ status: 204 })
  await employee('photo/save', { id, upload: form.upload })
  const shown = await fetch((await read()).photo)
  expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
  await employee('photo/delete', { id })
  expect(await read()).not.toHaveProperty('photo')
})

test('the job imports an uploaded sheet and exports a workbook', async () => {
  const token = await register('sheet@example.com')
  const { company, employee } = await data('auth/get', {}, token)
  const perform = async (path: string, input: object) => {
    const { task } = await data(path, input, token)
    const event = recorded('queue')
    const detail = { type: 'sheet.due', company: company.id, employee: employee.id, task }
    const Records = [{ ...event.Records[0], body: JSON.stringify({ detail }) }]
    expect(await invoke('sheet', { Records })).toEqual([{ batchItemFailures: [] }])
    return data('task/get', { id: task }, token)
  }
  const { upload: sent, ...form } = await data('task/upload', { type: 'xlsx' }, token)
  const headings = ['first_name', 'last_name', 'workno', 'department']
  const rows = [['Ann', 'Lee', 7, 'Olive']]
  const sheet = await writeSheet('xlsx', { headings, rows, dateFormat: 'YYYY-MM-DD' })
  expect(await upload(form, sheet)).toEqual({ status: 204 })
  expect(await perform('employee/import', { upload: sent, dryRun: false })).toMatchObject({
    state: 'done',
    rowCount: 1,
  })
  const { state, file } = await perform('employee/export', { type: 'xlsx', filters: {} })
  expect(state).toBe('done')
  const loaded = await fetch(file.url)
  expect(loaded.headers.get('content-disposition')).toContain('attachment')
  const { rows: read } = await readSheet(new Uint8Array(await loaded.arrayBuffer()))
  expect(read.map(row => row.slice(0, 4))).toEqual([
    ['First name', 'Last name', 'Employee ID', 'Department'],
    ['Ann', 'Lee', '7', 'Olive'],
    ['Olga', 'Owner', '1', 'Olive'],
  ])
})

test('the deployment contains the states and cities beside the only function that reads them', async () => {
  const functions = functionsOf(deployment.app, deployment.bundles)
  const places = [...functions].map(([name, { properties }]) => [name, properties.Environment.Variables.PLACES])
  expect(places.filter(([, place]) => place)).toEqual([['location', '/var/task/places.txt']])
  const file = readFileSync(join(deployment.folder, 'functions', 'location', 'places.txt'), 'utf8')
  expect(file).toContain('Open Database License')
  expect(file).toBe(readFileSync(world.environment.PLACES ?? '', 'utf8'))
  const { list } = await data('location/state', { country_id: 'GR' }, await register('places@example.com'))
  expect(list).toContainEqual({ id: 'GR-I', name: 'Attica', native: 'Αττική' })
})

test('a function loads a part of its code on demand', async () => {
  const token = await register('parts@example.com')
  const { employee } = await data('auth/get', {}, token)
  const event = call('record/preview', { employee: employee.id, action: 'add', date: '2026-11-02', time: '09:00' })
  const [{ body }] = await invoke('record', { ...event, headers: { ...event.headers, 'x-token': token } })
  expect(JSON.parse(body)).toMatchObject({ code: 60088 })
})

test('the socket accepts a connection, refuses an unclaimed terminal, and handles its disconnect', async () => {
  const [connected, answered, left] = await invoke(
    'socket',
    recorded('socket-connect'),
    recorded('socket-message'),
    recorded('socket-disconnect'),
  )
  expect(connected).toMatchObject({ statusCode: 200 })
  expect(JSON.parse(answered.body)).toMatchObject({ ret: 'reg', result: false })
  expect(left).toMatchObject({ statusCode: 200 })
})

test('the socket echoes the first subprotocol that a client offers, and no subprotocol without an offer', async () => {
  const event = recorded('socket-connect')
  const offering = (offered: string) => ({ ...event, headers: { ...event.headers, 'Sec-WebSocket-Protocol': offered } })
  const answers = await invoke('socket', event, offering('chat'), offering('json.v2, chat'))
  expect(answers.map(({ headers }) => headers?.['Sec-WebSocket-Protocol'])).toEqual([undefined, 'chat', 'json.v2'])
})

test('a path reads a body that API Gateway has encoded as Base64', async () => {
  const event = call('user/login', { email: 'nobody@example.com', password: 'Rhubarb#42' })
  const encoded = { ...event, body: Buffer.from(event.body).toString('base64'), isBase64Encoded: true }
  const [plain, decoded] = await invoke('user', event, encoded)
  expect(JSON.parse(plain.body).code).toBe(21014)
  expect(decoded.body).toBe(plain.body)
})

test('every path refuses an unclaimed HTTP terminal with the same answer', async () => {
  const event = recorded('http')
  const { http } = event.requestContext
  const visit = (method: string, rawPath: string, body = '') => ({
    ...event,
    ...{ routeKey: `${method} /iclock/{path+}`, rawPath, rawQueryString: 'SN=BUNDLE1&options=all' },
    requestContext: { ...event.requestContext, http: { ...http, method, path: rawPath } },
    // API Gateway encodes bodies without a text type.
    ...{ body: Buffer.from(body).toString('base64'), isBase64Encoded: true },
  })
  const [polled, delivered, unknown] = await invoke(
    'iclock',
    visit('GET', '/iclock/cdata'),
    visit('POST', '/iclock/123/secret/iclock/cdata.aspx', '1\t2026-03-02 08:56:12\t0\t1\n'),
    visit('GET', '/iclock/nothing'),
  )
  expect([polled.statusCode, delivered.statusCode, unknown.statusCode]).toEqual([403, 403, 404])
  expect(delivered).toMatchObject({ headers: { 'content-type': 'text/plain; charset=utf-8' }, body: polled.body })
})

test('behind the distribution, a function sees the address of the caller, not of the edge', async () => {
  const client = new DynamoDBClient(clientOf(world.database.endpoint))
  const itemsOf = async (pk: string) => {
    const ExpressionAttributeValues = { ':pk': { S: pk } }
    const query = { TableName: world.table, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues }
    return (await client.send(new QueryCommand(query))).Items
  }
  const event = recorded('socket-connect')
  await invoke('socket', event)
  expect(await itemsOf(`CONNECTION#${event.requestContext.connectionId}`)).toMatchObject([{ ip: { S: '2001:db8::7' } }])
  await invoke('user', call('user/login', { email: 'nobody@example.com', password: 'Rhubarb#42' }))
  expect(await itemsOf('RATE#sign-in-ip#203.0.113.7')).not.toEqual([])
  expect(await itemsOf('RATE#sign-in-ip#130.176.1.1')).toEqual([])
  client.destroy()
})

test('a change of the table becomes a fact on the bus, and an irrelevant change does not', async () => {
  const before = world.bus.waiting()
  const [answer] = await invoke('changes', recorded('stream'))
  expect(answer).toEqual({ batchItemFailures: [] })
  expect(world.bus.waiting() - before).toBe(Object.values(jobs).filter(wakes('department.changed')).length)
})

const wakes = (fact: string) => (job: { facts: readonly string[] }) => job.facts.includes(fact)

test.each(Object.keys(jobs))('%s ignores an unknown fact and fails an invalid message', async name => {
  const event = recorded('queue')
  const [answer] = await invoke(name, event)
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: event.Records[1].messageId }] })
})

test('the scheduled close job closes days up to its quarter hour', async () => {
  const event = recorded('schedule')
  await invoke('close', event)
  const client = new DynamoDBClient(clientOf(world.database.endpoint))
  const { Item } = await client.send(
    new GetItemCommand({ TableName: world.table, Key: { pk: { S: 'CLOSE' }, sk: { S: '-' } } }),
  )
  client.destroy()
  expect(Item).toMatchObject({ until: { S: new Date(event.time).toISOString() } })
})

test('the migration job brings a company of older code to the last number', async () => {
  const { company } = await data('auth/get', {}, await register('older@example.com'))
  const client = new DynamoDBClient(clientOf(world.database.endpoint))
  const place = { TableName: world.table, Key: { pk: { S: `C#${company.id}#MIGRATION` }, sk: { S: '-' } } }
  await client.send(new DeleteItemCommand(place))
  const summary = { pk: { S: `C#${company.id}#SUMMARY#company` }, sk: { S: '2026-11-02' }, version: { N: '1' } }
  await client.send(new PutItemCommand({ TableName: world.table, Item: summary }))
  await invoke('migrate', recorded('schedule'))
  const { Item } = await client.send(new GetItemCommand(place))
  expect(Item).toMatchObject({ number: { N: String(newestMigration) } })
  const { Item: summed } = await client.send(
    new GetItemCommand({ TableName: world.table, Key: { pk: summary.pk, sk: summary.sk } }),
  )
  client.destroy()
  expect(summed).toMatchObject({ figures: { M: { workMinutes: { N: '0' } } } })
})

test('in all these tests, the gate has refused no action of a function', () => {
  expect(gate.refused).toEqual([])
})
