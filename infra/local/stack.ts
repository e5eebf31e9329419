import { appendFileSync, createWriteStream, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { groups } from '../../shared/api.ts'
import { type JobName, jobs, schedules } from '../../shared/jobs.ts'
import { calendarPath } from '../../shared/personal/calendar.ts'
import { prepareFonts } from '../fonts.ts'
import { preparePlaces } from '../places.ts'
import { openBus } from './bus.ts'
import { startClock } from './clock.ts'
import { startCloud } from './cloud.ts'
import { type Events, startEvents } from './events.ts'
import { bucket, openFiles } from './gateway/files.ts'
import { openOutbox } from './gateway/outbox.ts'
import { startGateway, terminalPath } from './gateway.ts'
import { type Lambda, loadAll, logLine } from './invoke.ts'
import { prepareSite } from './site.ts'
import { managedLimits, openSockets } from './socket.ts'
import { startDatabase } from './stack/database.ts'
import { openKey } from './stack/key.ts'
import { readStream } from './stream.ts'
import { stopSignals } from './terminal/process.ts'
import { noteRunning } from './terminal/running.ts'

// The whole product on this machine: the cloud's handlers and local versions of the AWS services.

const usage = `npm start -- [options]

  --port <n>      port of the server; 0 chooses a free one (8080)
  --data <path>   folder of all data (.data)
  --no-demo       without the demo company
  --plain-demo    the demo company with people, shifts and punches only
  --no-demo-terminal   without the demo company's simulated terminal
  --no-site       without the site: only paths, sockets and outbox
  --quiet         prints only errors
  --json          prints one line of JSON when it is ready
  --loopback      allows webhooks to this machine, also over http
  --harsh         for tests: delivers every event twice and in any order`

const root = fileURLToPath(new URL('../..', import.meta.url))
const table = 'attendance'
const keyId = 'local'
/**
 * Jobs with long computations, which wait up to `patientMilliseconds` while terminals wait for acknowledgements. Jobs
 * of the last run also wait until the first terminals have reconnected.
 */
const patient = ['recalculate', 'summarize', 'enlist'] as const satisfies JobName[]
const patientMilliseconds = 2000
const reconnectMilliseconds = 1500

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8080' },
      data: { type: 'string', default: '.data' },
      demo: { type: 'boolean', default: true },
      'plain-demo': { type: 'boolean', default: false },
      'demo-terminal': { type: 'boolean', default: true },
      site: { type: 'boolean', default: true },
      quiet: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      loopback: { type: 'boolean', default: false },
      harsh: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
    allowNegative: true,
  })
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new Error(`--port ${values.port} is not a port number.`)
  return { ...values, port, data: resolve(values.data) }
}

const prepareFolder = (data: string) => {
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 })
    const probe = join(data, '.writable')
    writeFileSync(probe, '')
    rmSync(probe)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error
    throw new Error(`The folder ${data} is not writable (${reason}): choose another one with --data.`, {
      cause: error,
    })
  }
}

/** Writes the handlers' log lines to a file, so that the console stays readable. Keeps one older file. */
const openLog = (file: string) => {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > 20 * 1024 * 1024) renameSync(file, `${file}.1`)
  return createWriteStream(file, { flags: 'a', mode: 0o600 })
}

const routesOf = (functions: Map<string, Lambda>) => {
  const routes = new Map<string, Lambda>()
  const add = (route: string, name: string) => {
    const lambda = functions.get(name)
    if (lambda) routes.set(route, lambda)
  }
  for (const [group, paths] of Object.entries(groups))
    for (const path of Object.keys(paths)) add(`POST /api/${path}`, group)
  for (const page of ['docs', 'openapi.json']) add(`GET /api/${page}`, 'docs')
  add(`GET ${calendarPath}`, 'calendar')
  for (const method of ['GET', 'POST']) add(`${method} ${terminalPath}`, 'iclock')
  return routes
}

/**
 * The handlers use the same variables as in the cloud. With these values the handlers cannot reach a real AWS account.
 */
const setEnvironment = (values: Record<string, string>) => {
  for (const name of ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'])
    delete process.env[name]
  Object.assign(process.env, values)
}

const start = async () => {
  const startedAt = performance.now()
  const options = readOptions()
  if (options.help) return console.log(usage)
  const { data, harsh, quiet } = options
  const isAlive = options.demo && !options['plain-demo']
  const print = (line: string) => process.stdout.write(`${line}\n`)
  const say = (line: string) => void (quiet || print(`  ${line}`))
  const complain = (sentence: string) => process.stderr.write(`! ${sentence}\n`)

  // A stop, or a failed start, stops the started parts in reverse order.
  const stops: (() => Promise<void>)[] = []
  const endAll = async () => {
    for (const end of stops.splice(0).toReversed()) await end()
  }
  let ending = false
  const stop = async (code: number) => {
    if (ending) process.exit(130)
    ending = true
    await endAll()
    say('stopped')
    process.exit(code)
  }

  try {
    say(`data is stored in ${data}`)
    prepareFolder(data)
    const gateway = await startGateway(options.port)
    for (const signal of stopSignals) process.on(signal, () => void stop(0))
    // When the parent process, such as a test, ends, this process stops.
    process.on('disconnect', () => void stop(0))

    const site = options.site ? prepareSite(root, say) : undefined
    // The code below awaits this promise. Until then its rejection must not count as unhandled.
    site?.catch(() => undefined)
    const database = await startDatabase({
      data,
      table,
      say,
      onEnd: reason => {
        complain(`The database engine stopped unexpectedly (${reason}); see ${join(data, 'engine.log')}.`)
        void stop(1)
      },
    })
    stops.push(database.stop)
    say(`the table is in ${database.file ?? database.endpoint}`)

    const key = await openKey(join(data, 'key'), { database, table })
    const outbox = openOutbox(join(data, 'outbox.jsonl'))
    const sockets = openSockets(managedLimits, complain)
    const bus = openBus({
      file: join(data, 'jobs.db'),
      harsh,
      deadLetter: letter => {
        const file = join(data, 'dead-letters.jsonl')
        appendFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), ...letter })}\n`, { mode: 0o600 })
        complain(`DEAD LETTER: the job ${letter.job} gave up on a message, see ${file}: ${letter.error.split('\n')[0]}`)
      },
    })
    const cloud = await startCloud({
      bus,
      busName: table,
      sockets,
      outbox,
      key,
      keyId,
      complain,
    })
    let events: Events | undefined
    stops.push(
      cloud.stop,
      async () => events?.stop(),
      () => bus.stop(2000),
    )
    const files = openFiles(join(data, 'files'), cloud)

    setEnvironment({
      DYNAMODB_ENDPOINT: database.endpoint,
      AWS_ENDPOINT_URL_EVENTBRIDGE: cloud.endpoint,
      AWS_ENDPOINT_URL_SESV2: cloud.endpoint,
      AWS_ENDPOINT_URL_KMS: cloud.endpoint,
      // A signed URL contains its address, so the address must be the site's.
      AWS_ENDPOINT_URL_S3: gateway.address,
      SOCKET_ENDPOINT: `${cloud.endpoint}/web`,
      AWS_REGION: 'local',
      AWS_ACCESS_KEY_ID: cloud.accessKeyId,
      AWS_SECRET_ACCESS_KEY: cloud.secretAccessKey,
      AWS_EC2_METADATA_DISABLED: 'true',
      TABLE: table,
      BUS: table,
      FILES: bucket,
      KEY_ID: keyId,
      MAIL_FROM: 'attendance@example.com',
      // The demo company has a webhook whose receiver is this stack.
      ...((options.loopback || isAlive) && { WEBHOOK_LOOPBACK: 'on' }),
      SITE: gateway.address,
      PLACES: preparePlaces(join(root, '.build')),
      FONTS: prepareFonts(join(root, '.build')),
    })
    const log = openLog(join(data, 'log.jsonl'))
    console.log = (message: unknown) => log.write(`${logLine(message)}\n`)
    const [functions, started] = await Promise.all([
      loadAll('functions', [...Object.keys(groups), 'socket', 'calendar', 'docs', 'iclock']),
      startEvents({
        log: line => log.write(`${line}\n`),
        onEnd: reason => {
          complain(`The worker thread of the jobs stopped unexpectedly: ${reason}`)
          void stop(1)
        },
      }),
    ])
    events = started
    const { handlers } = started
    const pick = (names: object) => Object.fromEntries([...handlers].filter(([name]) => name in names))
    const changes = handlers.get('changes')
    const socket = functions.get('socket')
    if (!changes || !socket) throw new Error('functions/socket.ts or events/changes.ts is missing.')

    // Before the jobs, which expect the newest form of the stored items.
    const { migrateHere } = await import('./migrate.ts')
    await migrateHere(say, complain, join(data, 'log.jsonl'))

    const isOpen = Promise.withResolvers<void>()
    const reconnected = bus.waiting() > 0 ? isOpen.promise.then(() => wait(reconnectMilliseconds)) : undefined
    const afterTerminals = (name: JobName): Record<string, Lambda> => {
      const job = handlers.get(name)
      if (!job) return {}
      return {
        [name]: async event => {
          await reconnected
          await sockets.calm(patientMilliseconds)
          return job(event)
        },
      }
    }
    bus.start(Object.assign(pick(jobs), ...patient.map(afterTerminals)))
    stops.push(readStream({ database, table, bus, changes, calm: sockets.calm, complain }).stop)
    sockets.serve(socket)
    stops.push(sockets.stop)
    const { demo, printSignIn } = await import('./demo.ts')
    const signIns = options.demo ? await demo(say, { isPlain: !isAlive }) : []
    const builtSite = await site
    gateway.serve({
      routes: routesOf(functions),
      signIns,
      sockets,
      outbox,
      files,
      complain,
      ...(builtSite !== undefined && { site: builtSite }),
    })
    stops.push(gateway.stop)
    if (isAlive) {
      const { startLife } = await import('./demo/life.ts')
      const hasTerminal = options['demo-terminal']
      stops.push(startLife({ address: gateway.address, data, hasTerminal, say, complain }).stop)
    }
    const removeNote = noteRunning({ process: process.pid, address: gateway.address, data, startedAt: Date.now() })
    stops.push(async () => removeNote())
    isOpen.resolve()
    stops.push(startClock(pick(schedules), complain).stop)

    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    if (!quiet) {
      print(`\n  ${gateway.address}`)
      print(`  ${gateway.address}/outbox     mail that the cloud would send`)
      print(`  ${gateway.address}/api/docs   the API\n`)
      for (const signIn of signIns) print(`  ${printSignIn(signIn)}`)
      print(`\n  Ready after ${seconds} s. Press Ctrl-C to stop.`)
    }
    if (options.json || options.port === 0) print(JSON.stringify({ ready: true, address: gateway.address }))
  } catch (error) {
    await endAll()
    throw error
  }
}

// An unhandled rejection concerns one handler and must not end the others.
process.on('unhandledRejection', error => {
  process.stderr.write(`! Unhandled promise rejection: ${error instanceof Error ? error.stack : error}\n`)
})

try {
  await start()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
