import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { deviceKey } from '../../shared/device/key.ts'
import { pollMinutes } from '../../shared/device.ts'
import { erasedFirstName } from '../../shared/erasure.ts'
import { webhookHealthKey } from '../../shared/webhooks/delivery.ts'
import { webhookKey } from '../../shared/webhooks.ts'
import { type Client, client, eventually, type Registered, register } from '../kit/client.ts'
import { type Answer, openReceiver } from '../kit/receiver.ts'
import { openSocket } from '../kit/socket.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// Webhook deliveries to real receivers on this machine. The bus delivers each event twice and in any order. The
// Standard Webhooks library verifies every request.

let world: StackWithTable
let http: Client
let boss: Registered
const begun: (() => unknown)[] = []

beforeAll(async () => {
  world = await startStackWithTable({ WEBHOOK_LOOPBACK: 'on' }, { harsh: true })
  begun.push(world.stop)
  // The handlers that this file runs need the environment of the stack, for the same table.
  Object.assign(process.env, { DYNAMODB_ENDPOINT: world.endpoint, TABLE: 'attendance', AWS_REGION: 'local' })
  http = client(world.stack.address)
  boss = await register(http)
})
afterAll(async () => {
  for (const end of begun.toReversed()) await end()
})

/** Opens a receiver of the company and closes it at the end. */
const receive = async (events: PathCall<'webhooks/endpoint/add'>['events'], answer?: Answer) => {
  const receiver = await openReceiver({ http, boss }, events, answer)
  begun.push(receiver.close)
  return receiver
}

let number = 100
const hire = async () => {
  const workno = String(number++)
  const person = { first_name: 'Ada', last_name: 'Byron', workno, department: boss.department }
  return { workno, ...(await http.call('employee/add', person, boss)) }
}

describe('an endpoint', () => {
  test('receives only its chosen events, signed and once each', async () => {
    const receiver = await receive(['employee'])
    const other = await receive(['terminal'])
    const { id, workno } = await hire()
    // The company is seconds old, so the event of its owner may still be on its way.
    const isOfOwner = ({ data }: (typeof receiver.heard)[number]) => JSON.stringify(data).includes(boss.owner)
    const heardOfOthers = async () => receiver.heard.filter(event => !isOfOwner(event))
    await eventually(heardOfOthers, heard =>
      expect(heard).toMatchObject([{ type: 'employee.created', data: { employee: { id, workno } } }]),
    )
    await http.call('employee/delete', { id }, boss)
    const [, deleted] = await eventually(heardOfOthers, ({ length }) => expect(length).toBe(2))
    expect(deleted).toMatchObject({ type: 'employee.deleted', data: { employee: { workno, first_name: 'Ada' } } })
    const { heard } = receiver
    expect(heard.filter(isOfOwner).length).toBeLessThanOrEqual(1)
    const log = await eventually(receiver.log, list =>
      expect(list.map(({ state }) => state)).toEqual(heard.map(() => 'done')),
    )
    expect(log.map(({ event }) => event).toSorted()).toEqual(heard.map(event => event.id).toSorted())
    expect(log[0]?.attempts).toMatchObject([{ status: 200, answer: 'thanks' }])
    expect(other.heard).toEqual([])
    const filters = { webhook: receiver.id, type: 'employee.deleted' as const }
    const { list } = await http.call('webhooks/log/grid', { filters }, boss)
    expect(list).toMatchObject([{ type: 'employee.deleted' }])
    await receiver.remove()
    // The delivery log of a removed endpoint is no longer available.
    expect(await http.call('webhooks/log/grid', { filters }, boss)).toEqual({ list: [] })
    await other.remove()
  })

  test('gets a failed event again after five seconds, with the same id', async () => {
    const receiver = await receive(['employee'], (response, { length }) => {
      response.statusCode = length === 1 ? 500 : 204
      response.end()
    })
    await hire()
    const [initial, retry] = await eventually(
      async () => receiver.heard,
      ({ length }) => expect(length).toBe(2),
      30,
    )
    expect(retry).toMatchObject({ id: initial?.id, body: initial?.body })
    const [entry] = await eventually(receiver.log, ([first]) => expect(first?.state).toBe('done'))
    expect(entry?.attempts).toMatchObject([{ status: 500 }, { status: 204 }])
    await receiver.remove()
  })

  test('is disabled after status 410, and an administrator can send its missed events again', async () => {
    let status = 410
    const receiver = await receive(['employee'], response => {
      response.statusCode = status
      response.end()
    })
    await hire()
    const off = await eventually(
      async () => (await http.call('webhooks/endpoint/grid', {}, boss)).list.find(({ id }) => id === receiver.id),
      endpoint => expect(endpoint).toMatchObject({ isOn: false, disabled: { because: 'gone' } }),
    )
    const { list: audited } = await http.call('audit/grid', { filters: { object: receiver.id } }, boss)
    expect(audited[0]).toMatchObject({ job: 'deliver', changes: [{ change: 'changed', fields: { isOn: {} } }] })
    const since = new Date(Date.now() - 3600_000).toISOString()
    const refused = await http.ask('webhooks/replay/failed', { webhook: receiver.id, since }, boss)
    expect(refused).toMatchObject({ code: 60073, fields: { webhook: 60073 } })
    status = 200
    const { id, url } = receiver
    await http.call('webhooks/endpoint/update', { id, url, events: ['employee'], version: off?.version ?? 0 }, boss)
    await eventually(receiver.log, ([first]) => expect(first?.state).toBe('failed'))
    expect(await http.call('webhooks/replay/failed', { webhook: id, since }, boss)).toEqual({ count: 1 })
    const [entry] = await eventually(receiver.log, ([first]) => expect(first?.state).toBe('done'))
    expect(receiver.heard[1]).toMatchObject({ id: receiver.heard[0]?.id, body: receiver.heard[0]?.body })
    expect(entry?.attempts.map(attempt => attempt.status)).toEqual([410, 200])
    await receiver.remove()
  })

  test('starts without failures after the single-webhook path enables it again', async () => {
    const owner = await register(http)
    const receiver = await openReceiver({ http, boss: owner }, ['employee'], response => {
      response.statusCode = 410
      response.end()
    })
    begun.push(receiver.close)
    const person = { first_name: 'Ada', last_name: 'Byron', workno: '77', department: owner.department }
    await http.call('employee/add', person, owner)
    const get = () => http.call('webhooks/get', {}, owner)
    const off = await eventually(get, endpoint => expect(endpoint).toMatchObject({ disabled: { because: 'gone' } }))
    await eventually(
      () => world.look(webhookHealthKey(receiver.id), owner.company),
      // The event of the owner may have failed too.
      health => expect(health?.failures).toBeGreaterThan(0),
    )
    const { url } = receiver
    await http.call('webhooks/update', { url, events: ['employee'], version: off.version ?? 0 }, owner)
    const on = await get()
    expect(on.isOn).toBe(true)
    expect(on).not.toHaveProperty('failing')
    await receiver.remove()
  })

  test('starts without failures after its address changes', async () => {
    const receiver = await receive(['employee'], response => response.writeHead(500).end())
    const { id, url } = receiver
    const ago = (hours: number) => new Date(Date.now() - hours * 3600_000).toISOString()
    // One more failure would disable the endpoint.
    const health = { webhook: id, failingSince: ago(125), failedAt: ago(6), failures: 30, version: 30 }
    await world.set(webhookHealthKey(id), health, boss.company)
    const look = async () =>
      (await http.call('webhooks/endpoint/grid', {}, boss)).list.find(endpoint => endpoint.id === id)
    const { version = 0, failing } = (await look()) ?? {}
    expect(failing).toBeDefined()
    const moved = { id, url: url.replace('/hook', '/new'), events: ['employee' as const], isOn: true, version }
    await http.call('webhooks/endpoint/update', moved, boss)
    expect(await look()).not.toHaveProperty('failing')
    await hire()
    // The count of failures starts again here.
    const updated = await eventually(look, endpoint => expect(endpoint).toHaveProperty('failing'))
    expect(updated).toMatchObject({ isOn: true })
    expect(Date.parse(updated?.failing?.since ?? '')).toBeGreaterThan(Date.parse(health.failedAt))
    await receiver.remove()
  })

  test('gets events missed while failures disabled it, but not while an administrator disabled it', async () => {
    let status = 410
    const receiver = await receive(['employee'], response => {
      response.statusCode = status
      response.end()
    })
    const { id, url } = receiver
    const look = async () =>
      (await http.call('webhooks/endpoint/grid', {}, boss)).list.find(endpoint => endpoint.id === id)
    const set = async (isOn: boolean) => {
      const { version = 0 } = (await look()) ?? {}
      await http.call('webhooks/endpoint/update', { id, url, events: ['employee'], isOn, version }, boss)
    }
    await hire()
    await eventually(look, endpoint => expect(endpoint).toMatchObject({ isOn: false, disabled: { because: 'gone' } }))
    await hire()
    const missed = await eventually(receiver.log, list =>
      expect(list.map(({ state, attempts }) => [state, attempts.length])).toEqual([
        ['failed', 0],
        ['failed', 1],
      ]),
    )
    expect(receiver.heard).toHaveLength(1)
    status = 200
    await set(true)
    const since = new Date(Date.now() - 3600_000).toISOString()
    expect(await http.call('webhooks/replay/failed', { webhook: id, since }, boss)).toEqual({ count: 2 })
    await eventually(receiver.log, list => expect(list.map(({ state }) => state)).toEqual(['done', 'done']))
    const ids = receiver.heard.slice(1).map(event => event.id)
    expect(ids.toSorted()).toEqual(missed.map(({ event }) => event).toSorted())

    await set(false)
    const other = await receive(['employee'])
    await hire()
    await eventually(other.log, list => expect(list.map(({ state }) => state)).toEqual(['done']))
    expect(await receiver.log()).toHaveLength(2)
    await receiver.remove()
    await other.remove()
  })

  test('receives a failed event once, even if several administrators replay it at the same time', async () => {
    let status = 410
    const receiver = await receive(['employee'], response => response.writeHead(status).end())
    const { id, url } = receiver
    const look = async () =>
      (await http.call('webhooks/endpoint/grid', {}, boss)).list.find(endpoint => endpoint.id === id)
    const count = 24
    for (let i = 0; i < count; i++) await hire()
    await eventually(receiver.log, list => expect(list.map(({ state }) => state)).toEqual(Array(count).fill('failed')))
    status = 204
    const { version = 0 } = (await look()) ?? {}
    await http.call('webhooks/endpoint/update', { id, url, events: ['employee'], isOn: true, version }, boss)
    const since = new Date(Date.now() - 3600_000).toISOString()
    const refused = receiver.heard.length
    const ask = () => http.call('webhooks/replay/failed', { webhook: id, since }, boss)
    const answers = await Promise.all([ask(), ask(), ask()])
    expect(answers.reduce((sum, answer) => sum + answer.count, 0)).toBe(count)
    await eventually(receiver.log, list => expect(list.map(({ state }) => state)).toEqual(Array(count).fill('done')))
    expect(receiver.heard).toHaveLength(refused + count)
    await receiver.remove()
  })

  test('replays a range, on request including delivered events', async () => {
    const receiver = await receive(['employee'])
    const webhook = receiver.id
    for (let i = 0; i < 3; i++) await hire()
    const allDone = (list: readonly { state: string }[]) =>
      expect(list.map(({ state }) => state)).toEqual(Array(3).fill('done'))
    const log = await eventually(receiver.log, allDone)
    const times = log.map(({ toldAt }) => toldAt).sort()
    const [since = '', until = ''] = times
    const ask = (more: object) => http.call('webhooks/replay/failed', { webhook, since, ...more }, boss)
    expect(await ask({})).toEqual({ count: 0 })
    expect(await ask({ until })).toEqual({ count: 0 })
    const within = log.filter(({ toldAt }) => toldAt <= until)
    expect(await ask({ until, all: true })).toEqual({ count: within.length })
    await eventually(
      async () => receiver.heard,
      heard => expect(heard).toHaveLength(3 + within.length),
    )
    expect(
      receiver.heard
        .slice(3)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(within.map(({ event }) => event).sort())
    await eventually(receiver.log, allDone)
    // A continued replay starts after the last event it sent.
    const newest =
      log
        .map(({ id }) => id)
        .sort()
        .at(-1) ?? ''
    expect(await ask({ all: true, after: newest })).toEqual({ count: 0 })
    const early = new Date(Date.parse(since) - 1).toISOString()
    const refused = await http.ask('webhooks/replay/failed', { webhook, since, until: early }, boss)
    expect(refused).toMatchObject({ code: 10002, fields: { until: 10002 } })
    await receiver.remove()
  })

  test('logs a redirect without following the redirect, and the details contain the test event', async () => {
    const receiver = await receive([], response => {
      response.writeHead(308, { location: `${world.stack.address}/api/docs` })
      response.end('x'.repeat(100_000))
    })
    const { delivery } = await http.call('webhooks/endpoint/test', { id: receiver.id }, boss)
    const [entry] = await eventually(receiver.log, ([first]) => expect(first?.state).toBe('failed'))
    expect(entry).toMatchObject({ id: delivery, type: 'webhook.ping', attempts: [{ status: 308 }] })
    expect(entry?.attempts[0]?.answer).toHaveLength(2048)
    const { body = '' } = await http.call('webhooks/log/get', { webhook: receiver.id, delivery }, boss)
    expect(JSON.parse(body)).toMatchObject({ type: 'webhook.ping', data: { webhook: receiver.id } })
    // The list contains only the last response of a delivery. The details contain all responses.
    await http.call('webhooks/replay', { webhook: receiver.id, delivery }, boss)
    const [again] = await eventually(receiver.log, ([first]) => expect(first?.attempts).toHaveLength(2))
    expect(again?.attempts.map(({ answer }) => answer?.length)).toEqual([undefined, 2048])
    const { attempts } = await http.call('webhooks/log/get', { webhook: receiver.id, delivery }, boss)
    expect(attempts.map(({ answer }) => answer?.length)).toEqual([2048, 2048])
    await receiver.remove()
  })

  test('gets no event after its address becomes private', async () => {
    const receiver = await receive([])
    await world.set(webhookKey(receiver.id), { url: 'https://10.0.0.1/' }, boss.company)
    await http.call('webhooks/endpoint/test', { id: receiver.id }, boss)
    const [entry] = await eventually(receiver.log, ([first]) => expect(first?.state).toBe('failed'))
    expect(entry?.attempts).toMatchObject([{ error: 'address' }])
    await receiver.remove()
  })

  test('does not delay another endpoint when it hangs', async () => {
    const hanging = await receive(['employee'], () => undefined)
    const quick = await receive(['employee'])
    for (let count = 0; count < 4; count++) await hire()
    await eventually(
      async () => quick.heard,
      ({ length }) => expect(length).toBe(4),
    )
    await eventually(
      async () => hanging.heard,
      ({ length }) => expect(length).toBeGreaterThan(0),
    )
    expect((await hanging.log()).map(({ state }) => state)).toEqual(['due', 'due', 'due', 'due'])
    await hanging.remove()
    await quick.remove()
  })

  test('receives no data of an erased employee, and its log drops that data', async () => {
    const receiver = await receive(['employee'], (response, heard) => response.end(heard.at(-1)?.body))
    const names = { first_name: 'Zenobia', last_name: 'Quill', position: 'Zenobia’s own', tel: '+30 Zenobia' }
    const workno = String(number++)
    const { id } = await http.call('employee/add', { ...names, workno, department: boss.department }, boss)
    const [entry] = await eventually(receiver.log, ([first]) => expect(first).toMatchObject({ state: 'done' }))
    expect(entry?.attempts[0]?.answer).toContain('Zenobia')
    await http.call('employee/erase', { id }, boss)
    await eventually(
      async () => JSON.stringify(await world.everything()),
      all => expect(all).not.toContain('Zenobia'),
    )
    const webhook = receiver.id
    const { body = '' } = await http.call('webhooks/log/get', { webhook, delivery: entry?.id ?? '' }, boss)
    expect(JSON.parse(body)).toMatchObject({ type: 'employee.created', data: { employee: { id, workno } } })
    await http.call('webhooks/replay', { webhook, delivery: entry?.id ?? '' }, boss)
    const heard = await eventually(
      async () => receiver.heard.filter(event => event.id === entry?.event),
      ({ length }) => expect(length).toBe(2),
    )
    expect(heard[1]?.body).toBe(body)
    await eventually(
      async () => receiver.heard.find(({ type }) => type === 'employee.deleted'),
      gone => expect(gone).toMatchObject({ data: { employee: { id, workno, first_name: erasedFirstName } } }),
    )
    expect(receiver.refused).toEqual([])
    await receiver.remove()
  })

  test('gets one event about an offline terminal, and none about a short disconnection', async () => {
    const receiver = await receive(['terminal'])
    const serialNumber = `AWAY-${randomUUID().slice(0, 12)}`.toUpperCase()
    const gate = { serialNumber, name: 'Gate', department: boss.department }
    const { serverPath } = await http.call('device/add', gate, boss)
    const key = deviceKey(serialNumber)
    const join = async () => {
      const terminal = await openSocket(http.address, { path: serverPath })
      begun.push(terminal.close)
      terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
      expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
      return terminal
    }
    const goAway = async (terminal: Awaited<ReturnType<typeof join>>) => {
      terminal.close()
      await eventually(
        () => world.look(key, boss.company),
        device => expect(device).not.toHaveProperty('connection'),
      )
    }
    /** Runs the poll rounds at once, because the scheduler of the stack would take minutes. */
    const pollRound = async () => {
      const { handler } = await import('../../events/poll.ts')
      for (let n = 0; n < pollMinutes; n++) await handler({ time: new Date(Date.now() + n * 60_000).toISOString() })
    }
    await goAway(await join())
    await pollRound()
    const terminal = await join()
    await goAway(terminal)
    await world.set(key, { lastSeenAt: new Date(Date.now() - 12 * 60_000).toISOString() }, boss.company)
    await pollRound()
    const received = () =>
      Promise.resolve(receiver.heard.map(({ type, data }) => [type, data.serial_number, data.online]))
    const before = [
      ['terminal.registered', serialNumber, true],
      ['terminal.online', serialNumber, true],
      ['terminal.offline', serialNumber, false],
    ]
    await eventually(received, list => expect(list.toSorted()).toEqual(before.toSorted()))
    await join()
    await eventually(received, list =>
      expect(list.toSorted()).toEqual([...before, ['terminal.online', serialNumber, true]].toSorted()),
    )
    expect(receiver.refused).toEqual([])
    await receiver.remove()
  })
})
