import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type GlobalSecondaryIndex,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { tableSchema } from '../../../shared/table.ts'
import { endProcess, namesFolder, readProcess } from '../process.ts'

// The table on this machine: an embedded engine with one file in the data folder, or any DynamoDB at
// `DYNAMODB_ENDPOINT`. `DYNAMODB_LOCAL` can name the folder of Amazon's DynamoDB Local, which replaces the embedded
// engine. The engine is a separate process, so the next start ends the engine of a crashed stack.

export interface Database {
  endpoint: string
  /** The file of the embedded engine. */
  file?: string
  streamArn: string
  /** Whether the table was empty at the start. */
  isEmpty: boolean
  stop(): Promise<void>
}

/** The platforms of the embedded engine. Each has its own package among the optional dependencies. */
export const enginePlatforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64']
/** The time limit for any engine to start. The embedded engine needs some hundredths of a second. */
const startMilliseconds = 30_000

const otherEngine =
  'start any DynamoDB, for example "docker run -p 8000:8000 amazon/dynamodb-local", and set DYNAMODB_ENDPOINT=http://127.0.0.1:8000.'

/**
 * The path of the engine's program. `locate` returns the path of a file in a package, and throws for a missing package.
 */
export const findEngine = (
  platform = `${process.platform}-${process.arch}`,
  locate: (file: string) => string = createRequire(import.meta.url).resolve,
): string => {
  if (!enginePlatforms.includes(platform))
    throw new Error(`There is no database engine for ${platform}: ${otherEngine}`)
  try {
    const folder = dirname(locate(`@dynoxide/${platform}/package.json`))
    return join(folder, platform.startsWith('win32') ? 'dynoxide.exe' : 'dynoxide')
  } catch {
    throw new Error(
      `The database engine for ${platform} is not installed: run "npm ci" with optional dependencies, or ${otherEngine}`,
    )
  }
}

interface Engine {
  command: string
  arguments: string[]
  /** The database file of the embedded engine. */
  file?: string
}

const engineIn = (data: string, port: number): Engine => {
  const folder = process.env.DYNAMODB_LOCAL
  if (folder === undefined) {
    const file = join(data, 'table.db')
    return { command: findEngine(), arguments: ['serve', '--port', String(port), '--db-path', file], file }
  }
  const program = ['-cp', join(folder, '*'), 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner']
  const options = ['-port', String(port), '-dbPath', data, '-sharedDb']
  return { command: 'java', arguments: ['-Xmx512m', `-Djava.library.path=${folder}`, ...program, ...options] }
}

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  await new Promise(closed => server.close(closed))
  return typeof address === 'object' && address ? address.port : 0
}

const answers = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1', () => socket.destroy(resolve(true) ?? undefined))
    socket.on('error', () => resolve(false))
  })

/** The file in a data folder with the process ids of its stack and engine. */
const noteIn = (data: string) => join(data, 'stack.json')

const readNote = (data: string): { stack: number; engine: number } | undefined => {
  try {
    return JSON.parse(readFileSync(noteIn(data), 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Claims the data folder: ends the engine of a crashed stack, and throws if the stack still runs. An engine has the
 * folder on its command line. A running stack is the parent of its engine.
 */
const takeFolder = async (data: string, say: (line: string) => void) => {
  const note = readNote(data)
  const engine = note && readProcess(note.engine)
  if (!note || !engine || !namesFolder(engine.command, data)) return
  if (engine.parent === note.stack && readProcess(note.stack))
    throw new Error(
      `Another stack (process ${note.stack}) uses ${data}: stop it, or choose another folder with --data.`,
    )
  say(`stopping the engine of a crashed stack (process ${note.engine})`)
  await endProcess(note.engine)
}

const startEngine = async (data: string, onEnd: (reason: string) => void) => {
  const logFile = join(data, 'engine.log')
  const port = await freePort()
  const { command, arguments: options, file } = engineIn(data, port)
  const log = openSync(logFile, 'w')
  // A separate process group, because Ctrl-C must reach only the stack. The stack stops the engine last.
  const engine = spawn(command, options, { stdio: ['ignore', log, log], detached: true, windowsHide: true })
  closeSync(log)
  let expected = true
  let ended = false
  const hasEnded = new Promise<void>(resolve => {
    const end = (reason: string) => {
      ended = true
      resolve()
      if (!expected) onEnd(reason)
    }
    engine.on('error', error => end(error.message))
    engine.on('exit', (code, signal) => end(`${signal ?? `code ${code}`}`))
  })
  writeFileSync(noteIn(data), JSON.stringify({ stack: process.pid, engine: engine.pid }))
  const until = Date.now() + startMilliseconds
  while (!(await answers(port))) {
    if (ended || Date.now() > until) {
      const [lastLine] = readFileSync(logFile, 'utf8').trim().split('\n').slice(-1)
      engine.kill('SIGKILL')
      throw new Error(`The database engine does not start${lastLine ? `: ${lastLine}` : ''} (${command}).`)
    }
    await wait(5)
  }
  expected = false
  return {
    endpoint: `http://127.0.0.1:${port}`,
    ...(file && { file }),
    async stop() {
      expected = true
      if (engine.pid !== undefined && !ended) await endProcess(engine.pid)
      await hasEnded
      rmSync(noteIn(data), { force: true })
    },
  }
}

const keys = ({ partitionKey, sortKey }: { partitionKey: string; sortKey: string }) => [
  { AttributeName: partitionKey, KeyType: 'HASH' as const },
  { AttributeName: sortKey, KeyType: 'RANGE' as const },
]

const attributes = [tableSchema, ...Object.values(tableSchema.indexes)]
  .flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey])
  .map(AttributeName => ({ AttributeName, AttributeType: 'S' as const }))

const indexes = Object.entries(tableSchema.indexes).map(
  ([IndexName, index]): GlobalSecondaryIndex => ({
    IndexName,
    KeySchema: keys(index),
    Projection: { ProjectionType: 'ALL' },
  }),
)

/** Creates the table, or adds missing indexes to an older table. */
const prepareTable = async (client: DynamoDBClient, name: string): Promise<Pick<Database, 'streamArn' | 'isEmpty'>> => {
  const describe = async () => (await client.send(new DescribeTableCommand({ TableName: name }))).Table
  const active = async () => {
    for (;;) {
      const table = await describe()
      const parts = [table?.TableStatus, ...(table?.GlobalSecondaryIndexes ?? []).map(index => index.IndexStatus)]
      if (parts.every(status => status === 'ACTIVE')) return table
      await wait(200)
    }
  }
  const existing = await describe().catch(error => {
    if (error.name === 'ResourceNotFoundException') return undefined
    throw error
  })
  if (!existing) {
    await client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: keys(tableSchema),
        AttributeDefinitions: attributes,
        GlobalSecondaryIndexes: indexes,
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      }),
    )
    await active()
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName: name,
        TimeToLiveSpecification: { AttributeName: tableSchema.expiry, Enabled: true },
      }),
    )
  }
  const present = new Set(existing?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName))
  for (const index of existing ? indexes.filter(({ IndexName }) => !present.has(IndexName)) : []) {
    await client.send(
      new UpdateTableCommand({
        TableName: name,
        AttributeDefinitions: attributes,
        GlobalSecondaryIndexUpdates: [{ Create: index }],
      }),
    )
    await active()
  }
  const table = await active()
  if (!table?.LatestStreamArn) throw new Error(`The table ${name} has no stream; the local stack needs one.`)
  return { streamArn: table.LatestStreamArn, isEmpty: !existing?.ItemCount }
}

/**
 * Adds an index to the engine's file, so that the cost of a write stays constant over a day. Without the index, each
 * write reads all records of the stream to find the newest. If the engine's file has an unexpected format, it changes
 * nothing.
 */
const addStreamIndex = (file: string, say: (line: string) => void) => {
  const engine = new DatabaseSync(file, { timeout: 1000 })
  try {
    engine.exec(
      'CREATE INDEX IF NOT EXISTS app_stream_seq ON _stream_records(table_name, CAST(sequence_number AS INTEGER))',
    )
  } catch (error) {
    say(`cannot index the engine's stream, so writes become slower: ${error}`)
  } finally {
    engine.close()
  }
}

/**
 * Local engines check no signature. Some engines keep separate tables per key and region, so all clients use one key
 * and one region.
 */
export const clientOf = (endpoint: string) => ({
  endpoint,
  region: 'local',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
})

/** Calls `onEnd` with the reason if our engine ends unexpectedly. */
export const startDatabase = async (options: {
  data: string
  table: string
  say: (line: string) => void
  onEnd: (reason: string) => void
}): Promise<Database> => {
  const externalEndpoint = process.env.DYNAMODB_ENDPOINT
  if (!externalEndpoint) await takeFolder(options.data, options.say)
  const engine = externalEndpoint
    ? { endpoint: externalEndpoint, stop: async () => undefined }
    : await startEngine(options.data, options.onEnd)
  const client = new DynamoDBClient({ ...clientOf(engine.endpoint), maxAttempts: 1 })
  try {
    const prepared = await prepareTable(client, options.table)
    if (engine.file) addStreamIndex(engine.file, options.say)
    return { ...engine, ...prepared }
  } catch (error) {
    await engine.stop()
    const reason = error instanceof Error ? error.message || error.name : String(error)
    throw new Error(`Cannot prepare the table at ${engine.endpoint}: ${reason}`, { cause: error })
  } finally {
    client.destroy()
  }
}
