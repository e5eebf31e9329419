import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { prepareFonts } from '../../infra/fonts.ts'
import { type Bus, openBus } from '../../infra/local/bus.ts'
import { type Cloud, startCloud } from '../../infra/local/cloud.ts'
import { bucket, openFiles } from '../../infra/local/gateway/files.ts'
import { type Outbox, openOutbox } from '../../infra/local/gateway/outbox.ts'
import { startGateway } from '../../infra/local/gateway.ts'
import type { Lambda } from '../../infra/local/invoke.ts'
import { managedLimits, openSockets } from '../../infra/local/socket.ts'
import { type Database, startDatabase } from '../../infra/local/stack/database.ts'
import { openKey } from '../../infra/local/stack/key.ts'
import { preparePlaces } from '../../infra/places.ts'
import { temporaryFolder } from './stack.ts'

// The local services around the functions: table, bus, mail, key, files and sockets. The tests call the functions
// themselves.

const table = 'attendance'

export interface World {
  data: string
  table: string
  database: Database
  bus: Bus
  cloud: Cloud
  outbox: Outbox
  /** The environment variables of a function. */
  environment: Record<string, string>
  /** Starts to serve functions: one per route, and one for the websocket. */
  serve(routes: Map<string, Lambda>, socket: Lambda): void
  close(): Promise<void>
}

export const openWorld = async (data = temporaryFolder()): Promise<World> => {
  const complain = (sentence: string) => console.error(sentence)
  const database = await startDatabase({ data, table, say: () => undefined, onEnd: complain })
  const outbox = openOutbox(join(data, 'outbox.jsonl'))
  const bus = openBus({ file: join(data, 'jobs.db'), harsh: false, deadLetter: ({ error }) => complain(error) })
  const sockets = openSockets(managedLimits, complain)
  const cloud = await startCloud({
    bus,
    busName: table,
    sockets,
    outbox,
    key: await openKey(join(data, 'key'), { database, table }),
    keyId: 'local',
    complain,
  })
  const gateway = await startGateway(0)
  const files = openFiles(join(data, 'files'), cloud)
  gateway.serve({ routes: new Map(), sockets, outbox, files, complain })
  return {
    data,
    table,
    database,
    bus,
    cloud,
    outbox,
    environment: {
      DYNAMODB_ENDPOINT: database.endpoint,
      AWS_ENDPOINT_URL_EVENTBRIDGE: cloud.endpoint,
      AWS_ENDPOINT_URL_SESV2: cloud.endpoint,
      AWS_ENDPOINT_URL_KMS: cloud.endpoint,
      AWS_ENDPOINT_URL_S3: gateway.address,
      SOCKET_ENDPOINT: `${cloud.endpoint}/web`,
      AWS_REGION: 'local',
      AWS_ACCESS_KEY_ID: cloud.accessKeyId,
      AWS_SECRET_ACCESS_KEY: cloud.secretAccessKey,
      TABLE: table,
      BUS: table,
      FILES: bucket,
      KEY_ID: 'local',
      MAIL_FROM: 'hours@example.com',
      SITE: 'https://d111111abcdef8.cloudfront.net',
      PLACES: preparePlaces('.build'),
      FONTS: prepareFonts('.build'),
    },
    serve(routes, socket) {
      sockets.serve(socket)
      gateway.serve({ routes, sockets, outbox, files, complain })
    },
    async close() {
      await gateway.stop()
      await bus.stop(0)
      await cloud.stop()
      await sockets.stop()
      await database.stop()
      rmSync(data, { recursive: true, force: true })
    },
  }
}
