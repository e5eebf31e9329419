import { afterAll, beforeAll, expect, test } from 'vitest'
import { employeeKey } from '../../shared/employee.ts'
import { type DueDelivery, dueDeliveryKey, toldTroubleKey, webhookHealthKey } from '../../shared/webhooks/delivery.ts'
import { type Client, client, eventually, type Registered, register } from '../kit/client.ts'
import { openReceiver } from '../kit/receiver.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// The administrator of an endpoint gets each failure notice once, however often the bus repeats the event. The test
// sets times back in the table.

let world: StackWithTable
let http: Client
let boss: Registered
let number = 100
const cleanups: (() => unknown)[] = []

beforeAll(async () => {
  world = await startStackWithTable({ WEBHOOK_LOOPBACK: 'on', WEBHOOK_MOST_DELAY_SECONDS: '1' }, { harsh: true })
  cleanups.push(world.stop)
  http = client(world.stack.address)
  boss = await register(http)
})
afterAll(async () => {
  for (const end of cleanups.toReversed()) await end()
})

/** An endpoint that refuses every event. */
const openFailing = async (status = () => 500) => {
  const receiver = await openReceiver({ http, boss }, ['employee'], response => response.writeHead(status()).end())
  cleanups.push(receiver.close)
  return { ...receiver, host: new URL(receiver.url).host }
}

const hire = () =>
  http.call(
    'employee/add',
    { first_name: 'Ada', last_name: 'Byron', workno: String(number++), department: boss.department },
    boss,
  )

const mailsOf = async (host: string) =>
  (await world.stack.outbox()).filter(({ to, text }) => to === boss.email && text.includes(host))

const ago = (days: number) => new Date(Date.now() - days * 24 * 3600_000).toISOString()

test('the administrator gets one mail halfway to the disabling and one at the disabling', async () => {
  const { id, host, remove } = await openFailing()
  await hire()
  await eventually(
    () => world.look(webhookHealthKey(id), boss.company),
    health => expect(health?.failures).toBeGreaterThan(0),
  )
  await world.set(webhookHealthKey(id), { failingSince: ago(4), failures: 7 }, boss.company)
  const [half] = await eventually(
    () => mailsOf(host),
    ({ length }) => expect(length).toBe(1),
    20,
  )
  expect(half?.subject).toBe(`${host} has been failing for days`)
  expect(half?.text).toContain('/system/Application')
  await world.set(webhookHealthKey(id), { failingSince: ago(6), failures: 18 }, boss.company)
  const mails = await eventually(
    () => mailsOf(host),
    ({ length }) => expect(length).toBe(2),
    20,
  )
  expect(mails[1]).toMatchObject({
    subject: `Webhook endpoint ${host} was disabled`,
    text: expect.stringContaining('accepted nothing for five days'),
  })
  const { list } = await http.call('webhooks/endpoint/grid', {}, boss)
  expect(list.find(endpoint => endpoint.id === id)).toMatchObject({ isOn: false, disabled: { because: 'failing' } })
  await remove()
})

test('the administrator gets one mail about the first exhausted delivery, and one about a gone endpoint, in their language', async () => {
  let status = 500
  const { id, host, log, remove } = await openFailing(() => status)
  await world.set(employeeKey(boss.owner), { language: 'el' }, boss.company)
  const { pk } = dueDeliveryKey(id, { at: '', id: '' })
  // Plants the claim of a job that crashed. The next job still sends the mail.
  const claimed = toldTroubleKey({ webhook: id, trouble: 'exhausted', since: '' }, boss.owner)
  const claim = { at: ago(1), version: 1, expiresAt: Math.floor(Date.now() / 1000) + 3600 }
  await world.set(claimed, claim, boss.company)
  /** Makes the next try the tenth and last. */
  const exhaustDelivery = async () => {
    const { length } = (await log()).filter(({ state }) => state === 'failed')
    await hire()
    await eventually(
      async () => {
        for (const item of await world.everything())
          if (String(item.pk).endsWith(pk)) {
            const due = item as unknown as DueDelivery
            await world.set(dueDeliveryKey(id, due), { tries: 9 }, boss.company)
          }
        return (await log()).filter(({ state }) => state === 'failed')
      },
      failed => expect(failed.length).toBeGreaterThan(length),
      20,
    )
  }
  await exhaustDelivery()
  const [first] = await eventually(
    () => mailsOf(host),
    ({ length }) => expect(length).toBe(1),
  )
  expect(first?.subject).toBe(`Απέτυχαν παραδόσεις προς ${host}`)
  await exhaustDelivery()
  status = 410
  await hire()
  const mails = await eventually(
    () => mailsOf(host),
    list => expect(list.some(({ text }) => text.includes('410'))).toBe(true),
  )
  expect(mails.map(({ subject }) => subject)).toEqual([
    first?.subject,
    `Το σημείο σύνδεσης webhook ${host} απενεργοποιήθηκε`,
  ])
  await remove()
})
