import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { type AttributeValue, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { listen, readBody } from '../../infra/local/gateway/http.ts'
import { type Lambda, loadLambda } from '../../infra/local/invoke.ts'
import { clientOf } from '../../infra/local/stack/database.ts'
import { readStream } from '../../infra/local/stream.ts'
import { groups } from '../../shared/api.ts'
import { pollMinutes } from '../../shared/device.ts'
import { jobs } from '../../shared/jobs.ts'
import { addDays } from '../../shared/local-day.ts'
import { companyPrefix, tableSchema } from '../../shared/table.ts'
import { client, invite, register, strongPassword } from './client.ts'
import { openSocket } from './socket.ts'
import { openWorld } from './world.ts'

// What a month costs, counted: real requests of real people and terminals to the real handlers, with a meter before the engine,
// which answers what it consumed by AWS's formulas. Every punch comes alone, and everything it causes has come to rest before
// the next: where many come at once some work is shared, so a month never costs more.

/** Dollars, us-east-1, on demand, as published in November 2026. */
export const prices = {
  readUnit: 0.125e-6,
  writeUnit: 0.625e-6,
  byteMonth: 0.25e-9,
  /** Of a call: a path, a message of a websocket in either direction, a fact on the bus, a request to a queue, a function's run. */
  ...{ path: 1e-6, message: 1e-6, fact: 1e-6, queue: 0.4e-6, run: 0.2e-6 },
  /** Of an open websocket. */
  minute: 0.25e-6,
} as const

const counted = ['readUnit', 'writeUnit', 'path', 'message', 'fact', 'queue', 'run', 'minute'] as const
export type Count = Record<(typeof counted)[number], number>

const map = (make: (name: keyof Count) => number): Count =>
  Object.fromEntries(counted.map(name => [name, make(name)])) as Count
const nothing = (): Count => map(() => 0)
const plus = (...all: Count[]): Count => map(name => all.reduce((sum, one) => sum + one[name], 0))
const times = (one: Count, by: number): Count => map(name => one[name] * by)
export const dollarsOf = (count: Count, bytes = 0): number =>
  counted.reduce((sum, name) => sum + count[name] * prices[name], bytes * prices.byteMonth)

interface Consumed {
  CapacityUnits?: number
}
interface Asked {
  Key?: Record<string, AttributeValue>
  Item?: Record<string, AttributeValue>
  ExpressionAttributeValues?: Record<string, AttributeValue>
  RequestItems?: Record<string, { Keys?: Record<string, AttributeValue>[] }>
  TransactItems?: Record<string, Asked>[]
}

/** What kinds of things a request is about. */
const nounsOf = (asked: Asked): string => {
  const keys = [
    asked.Key?.pk ?? asked.Item?.pk ?? asked.ExpressionAttributeValues?.[':pk'],
    ...Object.values(asked.RequestItems ?? {}).flatMap(({ Keys = [] }) => Keys.map(({ pk }) => pk)),
  ]
  const own = keys.flatMap(key => (key?.S === undefined ? [] : [key.S.replace(/^C#[^#]*#/, '').split('#')[0] ?? '']))
  const inner = (asked.TransactItems ?? []).flatMap(item => Object.values(item).map(nounsOf))
  return [...new Set([...own, ...inner])].sort().join(' ')
}

const reading = new Set(['GetItem', 'BatchGetItem', 'Query'])
const writing = new Set([
  'PutItem',
  'BatchExecuteStatement',
  'UpdateItem',
  'DeleteItem',
  'TransactWriteItems',
  'BatchWriteItem',
])

/** Stands before the engine and the other services, and passes everything on; no answer says what time it is really. */
const openMeter = async (database: string, cloud: string) => {
  const count = nothing()
  /** Units by operation and the kinds of things it was about. */
  const byKind = new Map<string, { requests: number; units: number }>()
  let open = 0
  let isRead = false

  const pass = async (incoming: IncomingMessage, target: URL, body: Buffer) => {
    const headers = { ...incoming.headers, 'content-length': String(body.length) }
    const outgoing = request(target, { method: incoming.method ?? 'POST', headers })
    outgoing.end(body)
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    const { date: _, 'transfer-encoding': __, ...rest } = answer.headers
    return {
      status: answer.statusCode ?? 500,
      headers: rest,
      body: (await readBody(answer, 64 * 1024 * 1024)) as Buffer,
    }
  }
  const meter = (operation: string, asked: Asked, answer: Awaited<ReturnType<typeof pass>>) => {
    const isWrite = writing.has(operation)
    // The engine says nothing of a write whose condition failed; it is paid all the same.
    let units = isWrite ? 1 : 0
    if (answer.status === 200) {
      const { ConsumedCapacity = [] } = JSON.parse(answer.body.toString()) as {
        ConsumedCapacity?: Consumed | Consumed[]
      }
      units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
    }
    count[isWrite ? 'writeUnit' : 'readUnit'] += units
    const kind = `${operation} ${nounsOf(asked)}`
    const { requests, units: before } = byKind.get(kind) ?? { requests: 0, units: 0 }
    byKind.set(kind, { requests: requests + 1, units: before + units })
  }
  const server = createServer(async (incoming, response) => {
    response.sendDate = false
    open++
    const body = (await readBody(incoming, 64 * 1024 * 1024)) ?? Buffer.alloc(0)
    const [service, operation = ''] = String(incoming.headers['x-amz-target'] ?? '').split('.')
    const isDatabase = service?.startsWith('DynamoDB') ?? false
    const target = new URL(incoming.url ?? '/', isDatabase ? database : cloud)
    const isMetered = isDatabase && (reading.has(operation) || writing.has(operation))
    if (writing.has(operation)) isRead = false
    const asked = isMetered ? (JSON.parse(body.toString()) as Asked) : {}
    const sent = isMetered ? Buffer.from(JSON.stringify({ ...asked, ReturnConsumedCapacity: 'INDEXES' })) : body
    const wasRead = operation === 'GetRecords'
    if (wasRead) isRead = true
    const answer = await pass(incoming, target, sent)
    if (isMetered) meter(operation, asked, answer)
    if (writing.has(operation)) isRead = false
    if (wasRead && !answer.body.includes('"Records":[]')) isRead = false
    open--
    response.writeHead(answer.status, answer.headers)
    response.end(answer.body)
  })
  const address = `http://127.0.0.1:${await listen(server, 0)}`
  return {
    ...{ address, count, byKind },
    /** Whether nothing is asked for, and the stream was found empty since the last write. */
    isAtRest: () => open === 0 && isRead,
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** The whole process lives at another time, which goes on from there. */
const openClock = () => {
  const Real = Date
  let ahead = 0
  const now = () => Real.now() + ahead
  globalThis.Date = new Proxy(Real, {
    construct: (target, given, to) => Reflect.construct(target, given.length === 0 ? [now()] : given, to),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
  return {
    set(at: string) {
      ahead = Real.parse(at) - Real.now()
    },
    stop() {
      globalThis.Date = Real
    },
  }
}

const zone = 'Etc/UTC'
const headers = { 'x-timezone': zone }
/** A month of 22 workdays that begins with one, on a Tuesday. */
const month = '2027-06'
const at = (day: string, time: string) => `${day}T${time}:00Z`
const [setupDay, planDay] = ['2027-05-28', '2027-05-29']
const [firstDay, secondDay, thirdDay] = ['2027-06-01', '2027-06-02', '2027-06-03'] as const
const daysOfMonth = Array.from({ length: 30 }, (_, n) => addDays(firstDay, n))
const isFree = (day: string) => [0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay())
const workdays = daysOfMonth.filter(day => !isFree(day))
const punchTimes = ['08:55', '12:05', '12:55', '18:05']
const planMost = 500
/** A websocket lives two hours at most. */
const registrationsPerMonth = 12 * daysOfMonth.length
const minutesPerMonth = daysOfMonth.length * 24 * 60

/** Bytes as the engine counts them. */
const sizeOf = (value: AttributeValue): number => {
  if (value.S !== undefined) return Buffer.byteLength(value.S)
  if (value.N !== undefined) return Math.ceil(value.N.replace(/[-.]/g, '').length / 2) + 1
  if (value.B !== undefined) return value.B.length
  if (value.L) return 3 + value.L.reduce((sum, one) => sum + 1 + sizeOf(one), 0)
  if (value.M) return 3 + sizeOfItem(value.M) + Object.keys(value.M).length
  return 1
}
const sizeOfItem = (item: Record<string, AttributeValue>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOf(value), 0)
/** What an item and each of its entries in an index are stored with. */
const overheadBytes = 100

export interface Month {
  people: number
  /** Of one employee's month. */
  items: number
  bytes: number
  count: Count
  dollars: number
  /** What a month of it costs beside that. */
  terminal: Count
  /** What runs by the clock, whoever is in it. */
  deployment: Count
  /** Of which part of an employee's month that is; and what was asked for most. */
  parts: Record<string, Count>
  byKind: [kind: string, requests: number, units: number][]
}

/**
 * Counts a month of so many people. A workday, the night after it and a look of everybody's at their month are counted as they
 * are and taken as often as the month has them; `punching` of the people punch, for one does as another.
 */
export const countMonth = async (people: number, { punching = people } = {}): Promise<Month> => {
  const clock = openClock()
  const world = await openWorld()
  const meter = await openMeter(world.database.endpoint, world.cloud.endpoint)
  const { count } = meter
  Object.assign(process.env, world.environment, {
    DYNAMODB_ENDPOINT: meter.address,
    AWS_ENDPOINT_URL_EVENTBRIDGE: meter.address,
    AWS_ENDPOINT_URL_SESV2: meter.address,
    AWS_ENDPOINT_URL_KMS: meter.address,
    SOCKET_ENDPOINT: `${meter.address}/web`,
  })
  clock.set(at(setupDay, '10:00'))
  const print = console.log
  // The handlers write a line each; it is written, but no figure.
  console.log = () => undefined

  const load = async (room: 'functions' | 'events', name: string, kind: 'path' | 'message' | undefined) => {
    const lambda = await loadLambda(room, name)
    if (!lambda) throw new Error(`${room}/${name}.ts is missing`)
    const metered: Lambda = event => {
      count.run++
      if (kind) count[kind]++
      return lambda(event)
    }
    return metered
  }
  /** A queue is asked for a message, told that it is done with, and was given it before; ten at once at most. */
  const queued =
    (run: Lambda): Lambda =>
    event => {
      const { length } = (event as { Records: unknown[] }).Records
      count.queue += length + 2 * Math.ceil(length / 10)
      return run(event)
    }
  const { put } = world.bus
  world.bus.put = entries => {
    count.fact += entries.length
    put(entries)
  }
  const routes = new Map<string, Lambda>()
  for (const [group, paths] of Object.entries(groups)) {
    const lambda = await load('functions', group, 'path')
    for (const path of Object.keys(paths)) routes.set(`POST /api/${path}`, lambda)
  }
  world.serve(routes, await load('functions', 'socket', 'message'))
  world.bus.start(
    Object.fromEntries(
      await Promise.all(Object.keys(jobs).map(async name => [name, queued(await load('events', name, undefined))])),
    ),
  )
  const database = { ...world.database, endpoint: meter.address }
  const stream = readStream({
    ...{ database, table: world.table, bus: world.bus, complain: console.error },
    changes: await load('events', 'changes', undefined),
  })
  const [close, mail, poll, redeliver, sweep] = [
    await load('events', 'close', undefined),
    await load('events', 'mail', undefined),
    await load('events', 'poll', undefined),
    await load('events', 'redeliver', undefined),
    await load('events', 'sweep', undefined),
  ]
  const rest = async () => {
    for (let calm = 0; calm < 3; calm = meter.isAtRest() && world.bus.waiting() === 0 ? calm + 1 : 0) await wait(5)
  }
  const during = async (run: () => Promise<unknown>): Promise<Count> => {
    await rest()
    const before = { ...count }
    await run()
    await rest()
    return plus(count, times(before, -1))
  }

  const address = world.environment.AWS_ENDPOINT_URL_S3 ?? ''
  const http = client(address)
  const bare = new DynamoDBClient(clientOf(world.database.endpoint))
  const weigh = async (company: string) => {
    const sum = { items: 0, bytes: 0 }
    let ExclusiveStartKey: Record<string, AttributeValue> | undefined
    do {
      const page = await bare.send(
        new ScanCommand({ TableName: world.table, ...(ExclusiveStartKey && { ExclusiveStartKey }) }),
      )
      for (const item of page.Items ?? []) {
        if (!item.pk?.S?.startsWith(companyPrefix(company))) continue
        const copies = Object.values(tableSchema.indexes).filter(({ partitionKey }) => item[partitionKey]).length
        sum.items++
        sum.bytes += (1 + copies) * (sizeOfItem(item) + overheadBytes)
      }
      ExclusiveStartKey = page.LastEvaluatedKey
    } while (ExclusiveStartKey)
    return sum
  }

  try {
    const mine = await register(http, { timezone: zone })
    const shift = { name: 'Day', onDuty: '09:00', offDuty: '18:00', punchStart: '06:00', punchEnd: '23:00' }
    const { id } = await http.call('shift/add', shift, mine)
    const { openTable, save } = await import('../../functions/kit/table.ts')
    const { addEmployee } = await import('../../functions/employee/store.ts')
    const table = openTable(mine.company)
    const idOf = (n: number) => `e${String(n).padStart(15, '0')}`
    const named = Array.from({ length: people - punching }, (_, n) => idOf(n))
    for (const [n, id] of named.entries())
      await save(
        ...addEmployee(table, {
          ...{ id, first_name: 'Person', last_name: `Number ${n}`, workno: String(10_000 + n), role: 3 },
          ...{ department: mine.department, hireDay: setupDay },
        }),
      )
    const workers: { id: string }[] = []
    for (let n = 0; n < punching; n++)
      workers.push(
        await invite(http, mine, {
          ...{ first_name: 'Worker', last_name: `Number ${n}`, workno: String(100 + n), department: mine.department },
          ...{ hireDay: setupDay, role: 3 },
        }),
      )
    const device = {
      serialNumber: 'COST0001',
      name: 'Door',
      department: mine.department,
      authentication: 'claim' as const,
    }
    await http.call('device/add', device, mine)
    const openTerminal = async () => {
      const terminal = await openSocket(address)
      terminal.say({ cmd: 'reg', sn: device.serialNumber, devinfo: {} })
      await terminal.hear({ cmd: 'getnewlog' }, 60)
      terminal.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] })
      await rest()
      return terminal
    }
    let terminal = await openTerminal()
    const reconnect = async () => {
      terminal.close()
      terminal = await openTerminal()
    }
    const night = async (day: string) => {
      clock.set(at(day, '00:15'))
      await close({ time: at(day, '00:15') })
    }
    /** A session is over long before the month is. */
    const signIn = async () => {
      const { token } = await http.call('user/login', { email: mine.email, password: strongPassword }, {})
      return { token, headers }
    }
    // By now it is known how many people there are, and how many parts the days to come are kept in.
    await during(() => night(planDay))
    clock.set(at(planDay, '10:00'))
    const empty = await weigh(mine.company)
    const planner = await signIn()
    const employees = [...workers.map(({ id }) => id), ...named]
    const planning = await during(async () => {
      for (let n = 0; n < people; n += planMost) {
        const rows = [
          {
            employees: employees.slice(n, n + planMost),
            cells: daysOfMonth.map(day => (isFree(day) ? [] : [0])),
          },
        ]
        await http.call('schedule/plan', { plan: { from: firstDay, shifts: [id], rows } }, planner)
        await rest()
      }
    })
    let logIndex = 0
    const minute = (day: string, time: string, n: number) =>
      new Date(Date.parse(at(day, time)) + n * 60_000).toISOString()
    const send = async (day: string, time: string, numbers: number[]) => {
      const record = numbers.map(n => ({
        ...{
          enrollid: 100 + n,
          time: minute(day, time, n).slice(0, 19).replace('T', ' '),
          mode: 8,
          inout: 0,
          event: 0,
        },
      }))
      terminal.say({ cmd: 'sendlog', count: record.length, logindex: logIndex++, record })
      await terminal.hear({ ret: 'sendlog' }, 60)
      // The answer is a message too.
      count.message++
    }
    /** Everybody punches, one in each minute, or all at once where nobody counts. */
    const work = async (day: string, { isCounted }: { isCounted: boolean }) => {
      const sums: Count[] = []
      const all = [...workers.keys()]
      for (const time of punchTimes) {
        clock.set(at(day, time))
        await reconnect()
        for (const numbers of isCounted ? all.map(n => [n]) : [all]) {
          clock.set(minute(day, time, numbers.at(-1) ?? 0))
          sums.push(await during(() => send(day, time, numbers)))
        }
      }
      return plus(...sums)
    }
    const planned = await weigh(mine.company)
    await during(() => night(firstDay))
    // A day that had rows before it, and has some after it.
    await work(firstDay, { isCounted: false })
    await during(() => night(secondDay))
    const before = await weigh(mine.company)
    const working = await work(secondDay, { isCounted: true })
    const worked = await weigh(mine.company)
    const closing = await during(() => night(thirdDay))
    const closed = await weigh(mine.company)

    clock.set(at(thirdDay, '08:00'))
    const registration = await during(reconnect)
    /** It is looked after in one of five minutes, and asked in the first such round whether it kept anything back as well. */
    const lookAfter = async () => {
      for (let n = 0; n < pollMinutes; n++) await poll({ time: minute(thirdDay, '08:30', n) })
      for (const ret of ['getnewlog', 'getalllog']) {
        await rest()
        if (terminal.unheard.some(({ cmd }) => cmd === ret)) {
          await terminal.hear({ cmd: ret })
          terminal.say({ ret, result: true, count: 0, from: 0, to: 0, record: [] })
        }
      }
    }
    await lookAfter()
    const lookedAfter = await during(lookAfter)
    const looking = await during(async () => {
      const signed = await signIn()
      await http.call('auth/get', {}, signed)
      for (const path of [
        'dashboard/today',
        'dashboard/today/absent',
        'dashboard/yesterday',
        'dashboard/info',
        'dashboard/history',
      ] as const)
        await http.call(path, {}, signed)
      const filters = { from: firstDay, to: secondDay }
      await http.call('report/params', {}, signed)
      await http.call('report/grid', { filters, size: 100 }, signed)
      await http.call('report/total', { filters }, signed)
    })
    const asked = workers.slice(0, 10)
    const timecards = await during(async () => {
      for (const n of asked.keys()) {
        const account = { code: mine.company_num, workno: String(100 + n), password: strongPassword }
        const { token } = await http.call('personal/login', account, {})
        await http.call('auth/get', {}, { token })
        await http.call('personal/report/timecard', { month }, { token })
      }
    })
    const idle = async (run: Lambda, time: string, everyMinutes: number) =>
      times(await during(() => run({ time })), minutesPerMonth / everyMinutes)
    /** A company is looked over in some hours of a day, and only glanced at in the others. */
    const hours = Array.from({ length: 24 }, (_, n) => minute(thirdDay, '09:00', 60 * n))
    const sweeping = await during(async () => {
      for (const time of hours) await sweep({ time })
    })
    const glance = await during(() => sweep({ time: hours.at(-1) }))
    terminal.close()
    const pollingNobody = await during(() => poll({ time: at(thirdDay, '08:15') }))
    const polling = plus(lookedAfter, times(pollingNobody, -pollMinutes))
    const deployment = plus(
      await idle(close, at(thirdDay, '08:15'), 15),
      await idle(mail, at(thirdDay, '08:15'), 5),
      times(pollingNobody, minutesPerMonth),
      await idle(redeliver, at(thirdDay, '08:15'), 1),
      await idle(sweep, hours.at(-1) ?? '', 60),
    )

    const parts = {
      'planning the month': times(planning, 1 / people),
      'four punches on each workday': times(working, workdays.length / punching),
      'the end of each day': times(closing, daysOfMonth.length / people),
      'a manager’s look on each workday': times(looking, workdays.length / people),
      'looking for what was lost': times(plus(sweeping, times(glance, -hours.length)), daysOfMonth.length / people),
      'one’s own timecard': times(timecards, 1 / asked.length),
    }
    const sum = plus(...Object.values(parts))
    const perPerson = (name: 'items' | 'bytes') =>
      (planned[name] - empty[name]) / people +
      ((worked[name] - before[name]) / punching + (closed[name] - worked[name]) / people) * workdays.length
    const bytes = perPerson('bytes')
    return {
      ...{ people, count: sum, parts, deployment, bytes, items: perPerson('items') },
      dollars: dollarsOf(sum, bytes),
      terminal: plus(times(registration, registrationsPerMonth), times(polling, minutesPerMonth / pollMinutes), {
        ...nothing(),
        minute: minutesPerMonth,
      }),
      byKind: [...meter.byKind].map(([kind, { requests, units }]) => [kind, requests, units]),
    }
  } finally {
    await stream.stop()
    await world.close()
    await meter.stop()
    bare.destroy()
    clock.stop()
    console.log = print
  }
}
