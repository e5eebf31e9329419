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

// Measures the cost of a month. Employees and terminals send real requests to the real handlers. A meter between the
// handlers and the engine counts the units that the engine reports by AWS's formulas. Each punch takes effect before
// the next one is sent. Real simultaneous punches share work, so a real month never costs more.

/** Dollars, us-east-1, on demand, as published in November 2026. */
export const prices = {
  readUnit: 0.125e-6,
  writeUnit: 0.625e-6,
  byteMonth: 0.25e-9,
  /** Per call: a path, a websocket message in either direction, a bus event, a queue request, a function run. */
  ...{ path: 1e-6, message: 1e-6, fact: 1e-6, queue: 0.4e-6, run: 0.2e-6 },
  /** Per minute of an open websocket. */
  minute: 0.25e-6,
} as const

const countedNames = ['readUnit', 'writeUnit', 'path', 'message', 'fact', 'queue', 'run', 'minute'] as const
export type Count = Record<(typeof countedNames)[number], number>

const mapCounts = (countOf: (name: keyof Count) => number): Count =>
  Object.fromEntries(countedNames.map(name => [name, countOf(name)])) as Count
const zeroCount = (): Count => mapCounts(() => 0)
const sumCounts = (...all: Count[]): Count => mapCounts(name => all.reduce((sum, count) => sum + count[name], 0))
const scaleCount = (count: Count, by: number): Count => mapCounts(name => count[name] * by)
export const dollarsOf = (count: Count, bytes = 0): number =>
  countedNames.reduce((sum, name) => sum + count[name] * prices[name], bytes * prices.byteMonth)

interface Consumed {
  CapacityUnits?: number
}
interface EngineRequest {
  Key?: Record<string, AttributeValue>
  Item?: Record<string, AttributeValue>
  ExpressionAttributeValues?: Record<string, AttributeValue>
  RequestItems?: Record<string, { Keys?: Record<string, AttributeValue>[] }>
  TransactItems?: Record<string, EngineRequest>[]
}

/** The kinds of items that a request names. */
const nounsOf = (request: EngineRequest): string => {
  const keys = [
    request.Key?.pk ?? request.Item?.pk ?? request.ExpressionAttributeValues?.[':pk'],
    ...Object.values(request.RequestItems ?? {}).flatMap(({ Keys = [] }) => Keys.map(({ pk }) => pk)),
  ]
  const ownNouns = keys.flatMap(key =>
    key?.S === undefined ? [] : [key.S.replace(/^C#[^#]*#/, '').split('#')[0] ?? ''],
  )
  const innerNouns = (request.TransactItems ?? []).flatMap(item => Object.values(item).map(nounsOf))
  return [...new Set([...ownNouns, ...innerNouns])].sort().join(' ')
}

const readOperations = new Set(['GetItem', 'BatchGetItem', 'Query'])
const writeOperations = new Set([
  'PutItem',
  'BatchExecuteStatement',
  'UpdateItem',
  'DeleteItem',
  'TransactWriteItems',
  'BatchWriteItem',
])

/** A proxy before the engine and the other services. Responses lose their date, because the test uses another time. */
const openMeter = async (database: string, cloud: string) => {
  const count = zeroCount()
  /** Units by operation and kinds of items. */
  const byKind = new Map<string, { requests: number; units: number }>()
  let openRequests = 0
  let isStreamRead = false

  const forward = async (incoming: IncomingMessage, target: URL, body: Buffer) => {
    const headers = { ...incoming.headers, 'content-length': String(body.length) }
    const outgoing = request(target, { method: incoming.method ?? 'POST', headers })
    outgoing.end(body)
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    const { date: _, 'transfer-encoding': __, ...keptHeaders } = answer.headers
    return {
      status: answer.statusCode ?? 500,
      headers: keptHeaders,
      body: (await readBody(answer, 64 * 1024 * 1024)) as Buffer,
    }
  }
  const record = (operation: string, request: EngineRequest, answer: Awaited<ReturnType<typeof forward>>) => {
    const isWrite = writeOperations.has(operation)
    // The engine reports nothing for a write with a failed condition, which AWS charges anyway.
    let units = isWrite ? 1 : 0
    if (answer.status === 200) {
      const { ConsumedCapacity = [] } = JSON.parse(answer.body.toString()) as {
        ConsumedCapacity?: Consumed | Consumed[]
      }
      units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
    }
    count[isWrite ? 'writeUnit' : 'readUnit'] += units
    const kind = `${operation} ${nounsOf(request)}`
    const { requests, units: before } = byKind.get(kind) ?? { requests: 0, units: 0 }
    byKind.set(kind, { requests: requests + 1, units: before + units })
  }
  const server = createServer(async (incoming, response) => {
    response.sendDate = false
    openRequests++
    const body = (await readBody(incoming, 64 * 1024 * 1024)) ?? Buffer.alloc(0)
    const [service, operation = ''] = String(incoming.headers['x-amz-target'] ?? '').split('.')
    const isDatabase = service?.startsWith('DynamoDB') ?? false
    const target = new URL(incoming.url ?? '/', isDatabase ? database : cloud)
    const isMetered = isDatabase && (readOperations.has(operation) || writeOperations.has(operation))
    if (writeOperations.has(operation)) isStreamRead = false
    const engineRequest = isMetered ? (JSON.parse(body.toString()) as EngineRequest) : {}
    const forwardedBody = isMetered
      ? Buffer.from(JSON.stringify({ ...engineRequest, ReturnConsumedCapacity: 'INDEXES' }))
      : body
    const isStreamRequest = operation === 'GetRecords'
    if (isStreamRequest) isStreamRead = true
    const answer = await forward(incoming, target, forwardedBody)
    if (isMetered) record(operation, engineRequest, answer)
    if (writeOperations.has(operation)) isStreamRead = false
    if (isStreamRequest && !answer.body.includes('"Records":[]')) isStreamRead = false
    openRequests--
    response.writeHead(answer.status, answer.headers)
    response.end(answer.body)
  })
  const address = `http://127.0.0.1:${await listen(server, 0)}`
  return {
    ...{ address, count, byKind },
    /** Whether all requests have ended, and the stream was empty after the last write. */
    isAtRest: () => openRequests === 0 && isStreamRead,
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Moves the clock of the whole process to another time. The clock runs on from there. */
const openClock = () => {
  const RealDate = Date
  let ahead = 0
  const now = () => RealDate.now() + ahead
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values, newTarget) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
  return {
    set(at: string) {
      ahead = RealDate.parse(at) - RealDate.now()
    },
    stop() {
      globalThis.Date = RealDate
    },
  }
}

const zone = 'Etc/UTC'
const headers = { 'x-timezone': zone }
/** A month of 22 workdays that begins with a workday, a Tuesday. */
const month = '2027-06'
const instantAt = (day: string, time: string) => `${day}T${time}:00Z`
const [setupDay, planDay] = ['2027-05-28', '2027-05-29']
const [firstDay, secondDay, thirdDay] = ['2027-06-01', '2027-06-02', '2027-06-03'] as const
const daysOfMonth = Array.from({ length: 30 }, (_, n) => addDays(firstDay, n))
const isFree = (day: string) => [0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay())
const workdays = daysOfMonth.filter(day => !isFree(day))
const punchTimes = ['08:55', '12:05', '12:55', '18:05']
const maxPlanRows = 500
/** AWS ends a websocket after two hours at most. */
const registrationsPerMonth = 12 * daysOfMonth.length
const minutesPerMonth = daysOfMonth.length * 24 * 60

/** The size in bytes, as the engine counts it. */
const sizeOf = (value: AttributeValue): number => {
  if (value.S !== undefined) return Buffer.byteLength(value.S)
  if (value.N !== undefined) return Math.ceil(value.N.replace(/[-.]/g, '').length / 2) + 1
  if (value.B !== undefined) return value.B.length
  if (value.L) return 3 + value.L.reduce((sum, entry) => sum + 1 + sizeOf(entry), 0)
  if (value.M) return 3 + sizeOfItem(value.M) + Object.keys(value.M).length
  return 1
}
const sizeOfItem = (item: Record<string, AttributeValue>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOf(value), 0)
/** The engine’s overhead per item and per index entry. */
const overheadBytes = 100

export interface Month {
  people: number
  /** One employee’s month. */
  items: number
  bytes: number
  count: Count
  dollars: number
  /** The monthly cost of a terminal, besides its employees. */
  terminal: Count
  /** The monthly cost of the scheduled functions, which does not depend on the companies. */
  deployment: Count
  /** The cost of an employee’s month by part, and the requests by kind. */
  parts: Record<string, Count>
  byKind: [kind: string, requests: number, units: number][]
}

/**
 * Counts a month of this many employees. A workday, the following night and a manager’s view of the month are counted
 * once, and multiplied by their number. Only `punching` of the employees punch, because all punches cost the same.
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
  clock.set(instantAt(setupDay, '10:00'))
  const originalLog = console.log
  // The cost includes the log lines of the handlers, but the test does not print these lines.
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
  /** A queue costs one request to send each message, and requests to receive and delete ten messages at a time. */
  const withQueueCost =
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
      await Promise.all(
        Object.keys(jobs).map(async name => [name, withQueueCost(await load('events', name, undefined))]),
      ),
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
  const waitUntilRest = async () => {
    for (
      let restCount = 0;
      restCount < 3;
      restCount = meter.isAtRest() && world.bus.waiting() === 0 ? restCount + 1 : 0
    )
      await wait(5)
  }
  const countDuring = async (action: () => Promise<unknown>): Promise<Count> => {
    await waitUntilRest()
    const before = { ...count }
    await action()
    await waitUntilRest()
    return sumCounts(count, scaleCount(before, -1))
  }

  const address = world.environment.AWS_ENDPOINT_URL_S3 ?? ''
  const http = client(address)
  const directEngine = new DynamoDBClient(clientOf(world.database.endpoint))
  const weighCompany = async (company: string) => {
    const sum = { items: 0, bytes: 0 }
    let ExclusiveStartKey: Record<string, AttributeValue> | undefined
    do {
      const page = await directEngine.send(
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
    const owner = await register(http, { timezone: zone })
    const shift = { name: 'Day', onDuty: '09:00', offDuty: '18:00', punchStart: '06:00', punchEnd: '23:00' }
    const { id } = await http.call('shift/add', shift, owner)
    const { openTable, save } = await import('../../functions/kit/table.ts')
    const { addEmployee } = await import('../../functions/employee/store.ts')
    const table = openTable(owner.company)
    const idOf = (n: number) => `e${String(n).padStart(15, '0')}`
    const idleIds = Array.from({ length: people - punching }, (_, n) => idOf(n))
    for (const [n, id] of idleIds.entries())
      await save(
        ...addEmployee(table, {
          ...{ id, first_name: 'Person', last_name: `Number ${n}`, workno: String(10_000 + n), role: 3 },
          ...{ department: owner.department, hireDay: setupDay },
        }),
      )
    const workers: { id: string }[] = []
    for (let n = 0; n < punching; n++)
      workers.push(
        await invite(http, owner, {
          ...{ first_name: 'Worker', last_name: `Number ${n}`, workno: String(100 + n), department: owner.department },
          ...{ hireDay: setupDay, role: 3 },
        }),
      )
    const device = {
      serialNumber: 'COST0001',
      name: 'Door',
      department: owner.department,
      authentication: 'claim' as const,
    }
    await http.call('device/add', device, owner)
    const openTerminal = async () => {
      const terminal = await openSocket(address)
      terminal.say({ cmd: 'reg', sn: device.serialNumber, devinfo: {} })
      await terminal.hear({ cmd: 'getnewlog' }, 60)
      terminal.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] })
      await waitUntilRest()
      return terminal
    }
    let terminal = await openTerminal()
    const reconnect = async () => {
      terminal.close()
      terminal = await openTerminal()
    }
    const runNight = async (day: string) => {
      clock.set(instantAt(day, '00:15'))
      await close({ time: instantAt(day, '00:15') })
    }
    /** Signs in again, because a session expires before the end of the month. */
    const signIn = async () => {
      const { token } = await http.call('user/login', { email: owner.email, password: strongPassword }, {})
      return { token, headers }
    }
    // This night stores the headcount, and the number of parts of the following days.
    await countDuring(() => runNight(planDay))
    clock.set(instantAt(planDay, '10:00'))
    const emptySize = await weighCompany(owner.company)
    const planner = await signIn()
    const employees = [...workers.map(({ id }) => id), ...idleIds]
    const planningCount = await countDuring(async () => {
      for (let n = 0; n < people; n += maxPlanRows) {
        const rows = [
          {
            employees: employees.slice(n, n + maxPlanRows),
            cells: daysOfMonth.map(day => (isFree(day) ? [] : [0])),
          },
        ]
        await http.call('schedule/plan', { plan: { from: firstDay, shifts: [id], rows } }, planner)
        await waitUntilRest()
      }
    })
    let logIndex = 0
    const minuteAt = (day: string, time: string, n: number) =>
      new Date(Date.parse(instantAt(day, time)) + n * 60_000).toISOString()
    const sendPunches = async (day: string, time: string, numbers: number[]) => {
      const record = numbers.map(n => ({
        ...{
          enrollid: 100 + n,
          time: minuteAt(day, time, n).slice(0, 19).replace('T', ' '),
          mode: 8,
          inout: 0,
          event: 0,
        },
      }))
      terminal.say({ cmd: 'sendlog', count: record.length, logindex: logIndex++, record })
      await terminal.hear({ ret: 'sendlog' }, 60)
      // The response counts as a message too.
      count.message++
    }
    /** All workers punch. On the counted day the punches are a minute apart, and otherwise they are simultaneous. */
    const runWorkday = async (day: string, { isCounted }: { isCounted: boolean }) => {
      const sums: Count[] = []
      const indexes = [...workers.keys()]
      for (const time of punchTimes) {
        clock.set(instantAt(day, time))
        await reconnect()
        for (const numbers of isCounted ? indexes.map(n => [n]) : [indexes]) {
          clock.set(minuteAt(day, time, numbers.at(-1) ?? 0))
          sums.push(await countDuring(() => sendPunches(day, time, numbers)))
        }
      }
      return sumCounts(...sums)
    }
    const plannedSize = await weighCompany(owner.company)
    await countDuring(() => runNight(firstDay))
    // The days before and after the counted day have rows too.
    await runWorkday(firstDay, { isCounted: false })
    await countDuring(() => runNight(secondDay))
    const sizeBefore = await weighCompany(owner.company)
    const workingCount = await runWorkday(secondDay, { isCounted: true })
    const workedSize = await weighCompany(owner.company)
    const closingCount = await countDuring(() => runNight(thirdDay))
    const closedSize = await weighCompany(owner.company)

    clock.set(instantAt(thirdDay, '08:00'))
    const registrationCount = await countDuring(reconnect)
    /** The round serves the terminal in one of five minutes. The first such round also requests old records. */
    const runRound = async () => {
      for (let n = 0; n < pollMinutes; n++) await poll({ time: minuteAt(thirdDay, '08:30', n) })
      for (const ret of ['getnewlog', 'getalllog']) {
        await waitUntilRest()
        if (terminal.unheard.some(({ cmd }) => cmd === ret)) {
          await terminal.hear({ cmd: ret })
          terminal.say({ ret, result: true, count: 0, from: 0, to: 0, record: [] })
        }
      }
    }
    await runRound()
    const roundCount = await countDuring(runRound)
    const viewCount = await countDuring(async () => {
      const caller = await signIn()
      await http.call('auth/get', {}, caller)
      for (const path of [
        'dashboard/today',
        'dashboard/today/absent',
        'dashboard/yesterday',
        'dashboard/info',
        'dashboard/history',
      ] as const)
        await http.call(path, {}, caller)
      const filters = { from: firstDay, to: secondDay }
      await http.call('report/params', {}, caller)
      await http.call('report/grid', { filters, size: 100 }, caller)
      await http.call('report/total', { filters }, caller)
    })
    const askingWorkers = workers.slice(0, 10)
    const timecardCount = await countDuring(async () => {
      for (const n of askingWorkers.keys()) {
        const account = { code: owner.company_num, workno: String(100 + n), password: strongPassword }
        const { token } = await http.call('personal/login', account, {})
        await http.call('auth/get', {}, { token })
        await http.call('personal/report/timecard', { month }, { token })
      }
    })
    const countIdle = async (job: Lambda, time: string, everyMinutes: number) =>
      scaleCount(await countDuring(() => job({ time })), minutesPerMonth / everyMinutes)
    /**
     * The sweep fully checks a company in some hours of a day. In the remaining hours it only reads the state of the
     * company.
     */
    const hours = Array.from({ length: 24 }, (_, n) => minuteAt(thirdDay, '09:00', 60 * n))
    const sweepCount = await countDuring(async () => {
      for (const time of hours) await sweep({ time })
    })
    const readOnlySweepCount = await countDuring(() => sweep({ time: hours.at(-1) }))
    terminal.close()
    const emptyPollCount = await countDuring(() => poll({ time: instantAt(thirdDay, '08:15') }))
    const pollCount = sumCounts(roundCount, scaleCount(emptyPollCount, -pollMinutes))
    const deployment = sumCounts(
      await countIdle(close, instantAt(thirdDay, '08:15'), 15),
      await countIdle(mail, instantAt(thirdDay, '08:15'), 5),
      scaleCount(emptyPollCount, minutesPerMonth),
      await countIdle(redeliver, instantAt(thirdDay, '08:15'), 1),
      await countIdle(sweep, hours.at(-1) ?? '', 60),
    )

    const parts = {
      'planning the month': scaleCount(planningCount, 1 / people),
      'four punches on each workday': scaleCount(workingCount, workdays.length / punching),
      'the end of each day': scaleCount(closingCount, daysOfMonth.length / people),
      'a manager’s look on each workday': scaleCount(viewCount, workdays.length / people),
      'looking for what was lost': scaleCount(
        sumCounts(sweepCount, scaleCount(readOnlySweepCount, -hours.length)),
        daysOfMonth.length / people,
      ),
      'one’s own timecard': scaleCount(timecardCount, 1 / askingWorkers.length),
    }
    const sum = sumCounts(...Object.values(parts))
    const growthPerPerson = (name: 'items' | 'bytes') =>
      (plannedSize[name] - emptySize[name]) / people +
      ((workedSize[name] - sizeBefore[name]) / punching + (closedSize[name] - workedSize[name]) / people) *
        workdays.length
    const bytes = growthPerPerson('bytes')
    return {
      ...{ people, count: sum, parts, deployment, bytes, items: growthPerPerson('items') },
      dollars: dollarsOf(sum, bytes),
      terminal: sumCounts(
        scaleCount(registrationCount, registrationsPerMonth),
        scaleCount(pollCount, minutesPerMonth / pollMinutes),
        {
          ...zeroCount(),
          minute: minutesPerMonth,
        },
      ),
      byKind: [...meter.byKind].map(([kind, { requests, units }]) => [kind, requests, units]),
    }
  } finally {
    await stream.stop()
    await world.close()
    await meter.stop()
    directEngine.destroy()
    clock.stop()
    console.log = originalLog
  }
}
