import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { alarmNames } from '../../shared/alarm.ts'
import { zoneKey, zonesKey } from '../../shared/company.ts'
import { dueTerminalKey } from '../../shared/device/claim.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
import type { Fact } from '../../shared/fact.ts'
import type { schedules } from '../../shared/jobs.ts'
import { dueMailKey } from '../../shared/report/mail.ts'
import type { Key } from '../../shared/table.ts'
import { deliveringKey } from '../../shared/webhooks/delivery.ts'
import { webhookKey } from '../../shared/webhooks.ts'
import { rightBefore } from '../kit/right-before.ts'
import { openWorked, type Worked, zone } from '../kit/worked.ts'
import { type Deployment, functionsOf, nameIn, prepare, resourcesOf } from './deployment.ts'
import { matches, select } from './filter-pattern.ts'

// Tests alarms from log lines. The handlers write log lines in the format of the Lambda runtime, and the deployed
// filters match these lines.

const patch: { patchConsole(): void; setCurrentRequestId(id: string): void } = createRequire(import.meta.url)(
  '../given/lambda-log-patch.cjs',
)

interface Filter {
  FilterPattern: string
  MetricTransformations: { MetricName: string; MetricNamespace: string; MetricValue: string }[]
}

let deployment: Deployment
let worked: Awaited<ReturnType<typeof openWorked>>
let mine: Worked

beforeAll(async () => {
  deployment = await prepare()
  worked = await openWorked()
  process.env.WEBHOOK_LOOPBACK = 'on'
})
afterAll(async () => {
  await worked?.world.close()
  deployment?.remove()
})
beforeEach(async () => {
  mine = await worked.found(1)
})
afterEach(() => vi.restoreAllMocks())

const propertiesOf = (name: string) => {
  const deployed = functionsOf(deployment.app, deployment.bundles).get(name)
  if (!deployed) throw new Error(`No function is named ${name}`)
  return deployed.properties
}

/** The metric filters of a function's log. */
const filtersOf = (name: string): Filter[] => {
  const { LogGroup } = propertiesOf(name).LoggingConfig
  return resourcesOf(deployment.app, 'AWS::Logs::MetricFilter')
    .map(([, { Properties }]) => Properties)
    .filter(({ LogGroupName }) => nameIn(LogGroupName) === nameIn(LogGroup))
}

/** The lines that reach CloudWatch during a run of a handler, in the deployed log format. */
const linesOf = async (name: string, run: () => Promise<unknown>): Promise<string[]> => {
  const { LogFormat = 'Text', ApplicationLogLevel } = propertiesOf(name).LoggingConfig
  const originalConsole = { ...console }
  let written = ''
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation(text => {
    written += text
    return true
  })
  process.env.AWS_LAMBDA_LOG_FORMAT = LogFormat
  if (ApplicationLogLevel) process.env.AWS_LAMBDA_LOG_LEVEL = ApplicationLogLevel
  patch.patchConsole()
  patch.setCurrentRequestId('8286a188-ba32-4475-8077-530cd35c09a9')
  try {
    await run()
  } finally {
    Object.assign(console, originalConsole)
    stdout.mockRestore()
  }
  return written.split('\n').filter(line => line !== '')
}

const queued = (...facts: object[]) =>
  ({ Records: facts.map((detail, i) => ({ messageId: String(i), body: JSON.stringify({ detail }) })) }) as never

const unreadable = { dynamodb: { Keys: { pk: { S: 'C#c#X' } }, NewImage: { pk: { S: 'C#c#X' }, x: { Y: '?' } } } }

const change = async (...Records: object[]) => (await import('../../events/changes.ts')).handler({ Records } as never)

/** Holds a record of a terminal with an impossible time. */
const hold = async () => {
  const sn = 'HELD01'
  const device = { serialNumber: sn, name: 'Door', department: '', state: 'approved' }
  await worked.save(mine.table.insert(deviceKey(sn), device as unknown as Device))
  const fact: Fact = { type: 'record.held', company: mine.company, sn, receivedAt: new Date().toISOString() }
  await (await import('../../events/notify.ts')).handler(queued(fact))
}

/** Delivers one event to a receiver that responds with this status. */
const deliver = async (status: number) => {
  const { sealSecret } = await import('../../functions/webhooks/secret.ts')
  const { newWebhookSecret } = await import('../../functions/webhooks/signature.ts')
  const { pointAt, tellWebhooks } = await import('../../functions/webhooks/delivery.ts')
  const { company, table } = mine
  const webhook = 'w'.repeat(16)
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(status).end()
  })
  await new Promise<void>(done => void server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const secret = await sealSecret(company, webhook, newWebhookSecret())
  const endpoint = { id: webhook, url, events: ['employee' as const], isOn: true, secret }
  await worked.save(table.insert(webhookKey(webhook), endpoint))
  const event = { event: 'msg_1', type: 'employee.created' as const, body: '{}' }
  await worked.save(...tellWebhooks({ table, company }, event, [webhook]).writes)
  await pointAt(company, [webhook])
  await (await import('../../events/deliver.ts')).handler(queued({ type: 'delivery.due', company, webhook }))
  server.close()
}

/** Runs a scheduled job while the table fails the requests that `isRefused` selects. */
const fail = async (name: keyof typeof schedules, isRefused: (input: string) => boolean) => {
  rightBefore(isRefused, () => Promise.reject(new Error('Unreadable')), { isAlways: true })
  const { handler } =
    name === 'migrate' ? await import('../../infra/migrate/job.ts') : await import(`../../events/${name}.ts`)
  await handler({ time: iso(Date.now()) })
}
const iso = (at: number) => new Date(at).toISOString()
const keep = async <T extends object>(key: Key<T>, item: T) => {
  const { directory } = await import('../../functions/kit/table.ts')
  await worked.save(directory().put(key, item))
}
const isMine = (input: string) => input.includes(`C#${mine.company}#`)

const failClose = async () => {
  await keep(zonesKey(zone), { zone })
  await keep(zoneKey(zone, mine.company), mine)
  await keep({ pk: 'CLOSE', sk: '-' }, { until: iso(Date.now() - 48 * 3_600_000) })
  await fail('close', isMine)
}
const failSweep = async () => {
  await keep(zonesKey(zone), { zone })
  await keep(zoneKey(zone, mine.company), mine)
  await fail('sweep', isMine)
}
const failMigrate = async () => {
  await keep(zonesKey(zone), { zone })
  await keep(zoneKey(zone, mine.company), mine)
  await fail('migrate', isMine)
}
const failMail = async () => {
  const due = { at: '2026-01-01T00:00:00.000Z', company: mine.company, mail: 'm'.repeat(16) }
  await keep(dueMailKey(due), due)
  await fail('mail', isMine)
}
const failPoll = async () => {
  const due = { company: mine.company, serialNumber: 'LATE01', dueAt: '2026-01-01T00:00:00.000Z' }
  await keep(dueTerminalKey(due.serialNumber), due)
  await fail('poll', isMine)
}
const failRedeliver = async () => {
  const due = { company: mine.company, webhook: 'r'.repeat(16), at: '2026-01-01T00:00:00.000Z' }
  await keep(deliveringKey(due), due)
  vi.spyOn(EventBridgeClient.prototype, 'send').mockRejectedValue(new Error('Unreachable') as never)
  await fail('redeliver', () => false)
}

/** The metrics that filters must count, by function, each with code that causes a log line. */
const counted: [name: string, metric: string, run: () => Promise<unknown>][] = [
  ['changes', 'unreadable', () => change(unreadable)],
  ['notify', 'held', hold],
  ['deliver', 'sent', () => deliver(204)],
  ['deliver', 'refused', () => deliver(410)],
  ['close', 'failed', failClose],
  ['sweep', 'failed', failSweep],
  ['migrate', 'failed', failMigrate],
  ['mail', 'failed', failMail],
  ['poll', 'failed', failPoll],
  ['redeliver', 'failed', failRedeliver],
]

test.each(counted)('a filter counts the log line of %s as %s exactly once', async (name, metric, run) => {
  const filter = filtersOf(name).find(({ MetricTransformations: [first] }) => first?.MetricName === metric)
  if (!filter) throw new Error(`${name} has no such filter`)
  const lines = (await linesOf(name, run)).filter(line => matches(filter.FilterPattern, line))
  expect(lines).toHaveLength(1)
  const [{ MetricValue = '' } = {}] = filter.MetricTransformations
  if (MetricValue.startsWith('$')) expect(lines.map(line => select(MetricValue, line))).toEqual([1])
})

test('these tests cover every metric filter', () => {
  const deployed = [...Object.keys(deployment.bundles)].flatMap(name =>
    filtersOf(name).flatMap(({ MetricTransformations }) =>
      MetricTransformations.map(({ MetricName }) => `${name} ${MetricName}`),
    ),
  )
  expect(deployed.sort()).toEqual(counted.map(([name, metric]) => `${name} ${metric}`).sort())
  expect(resourcesOf(deployment.app, 'AWS::Logs::MetricFilter')).toHaveLength(counted.length)
})

test('a successful run raises no alarm', async () => {
  const lines = await linesOf('changes', () => change())
  expect(lines.map(line => select('$.message.job', line))).toEqual(['changes'])
  for (const { FilterPattern } of filtersOf('changes'))
    expect(lines.filter(line => matches(FilterPattern, line))).toEqual([])
})

test('every function logs JSON at level INFO, as the filters require', () => {
  for (const name of Object.keys(deployment.bundles))
    expect(propertiesOf(name).LoggingConfig, name).toMatchObject({ LogFormat: 'JSON', ApplicationLogLevel: 'INFO' })
  expect(Object.values(alarmNames)).toHaveLength(new Set(Object.values(alarmNames)).size)
})
