import { setTimeout as wait } from 'node:timers/promises'
import {
  type Attempt,
  type Delivery,
  type DueDelivery,
  deliveringKey,
  deliveryKey,
  deliveryLeaseKey,
  dueDeliveryKey,
  isHopeless,
  nextTryMilliseconds,
  type ToldEvent,
  toldEventKey,
  webhookHealthKey,
} from '../../shared/delivery.ts'
import { ping } from '../../shared/webhook-event.ts'
import { deliveriesAtOnce, type Webhook, webhookKey } from '../../shared/webhooks.ts'
import { wasSlower } from './again.ts'
import { atOnce } from './at-once.ts'
import { change } from './change.ts'
import { directory, type Item, openTable, save, type Table } from './table.ts'
import { openSecrets } from './webhook-secret.ts'
import { isTaken, post, type Sent } from './webhook-send.ts'
import { sign } from './webhook-signature.ts'

// Delivers to one endpoint. Whoever does holds its lease, so an endpoint never has more under way than it may, however often the bus
// says that something is due; what is left when the time is up is found by the clock.

/** So long deliveries are begun; the last may take as long again as an answer may. */
const runMilliseconds = 45_000
const leaseSeconds = 75
/** What is due so soon is waited for. */
const soonMilliseconds = 6000
const portion = 50
const mostAttempts = 50

interface Place {
  table: Table
  company: string
  webhook: string
}

const duePk = (webhook: string) => dueDeliveryKey(webhook, { at: '', id: '' }).pk

const readDue = async ({ table, webhook }: Place) =>
  (await table.page<DueDelivery>({ pk: duePk(webhook), size: portion })).list

const takeLease = async ({ table, webhook }: Place): Promise<boolean> => {
  try {
    const expiresAt = Math.floor(Date.now() / 1000) + leaseSeconds
    await save(table.insert(deliveryLeaseKey(webhook), { expiresAt }))
    return true
  } catch (error) {
    if (wasSlower(error)) return false
    throw error
  }
}

/** Ticks a delivery off, or puts it off; what somebody did with it meanwhile stands. */
const settle = async (
  { table, webhook }: Place,
  due: DueDelivery,
  delivery: Item<Delivery>,
  sent: Sent | undefined,
): Promise<void> => {
  const { nextAt: _, ...rest } = delivery
  const { retryAfterSeconds, ...attempt } = sent ?? {}
  const tries = due.tries + 1
  const isOver = !sent || isTaken(sent) || sent.status === 410 || delivery.type === ping
  const delay = isOver ? undefined : nextTryMilliseconds(tries, { chance: Math.random(), retryAfterSeconds })
  const at = delay === undefined ? undefined : new Date(Date.now() + delay).toISOString()
  const state = at ? 'due' : sent && isTaken(sent) ? 'done' : 'failed'
  const attempts = [...delivery.attempts, ...(sent ? [attempt as Attempt] : [])].slice(-mostAttempts)
  try {
    await save(
      table.replace(deliveryKey(webhook, delivery.id), { ...rest, state, tries, attempts, ...(at && { nextAt: at }) }),
      table.remove(dueDeliveryKey(webhook, due)),
      ...(at ? [table.insert(dueDeliveryKey(webhook, { at, id: due.id }), { id: due.id, at, tries })] : []),
    )
  } catch (error) {
    if (!wasSlower(error)) throw error
  }
}

const send = async (endpoint: Webhook, secrets: string[], told: ToldEvent): Promise<Sent> => {
  const signed = sign(secrets, { id: told.event, at: Date.now(), body: told.body })
  return post(endpoint.url, { ...signed }, told.body)
}

/** Keeps how an endpoint fares, and switches it off where there is no hope; a test tells nothing of that. */
const judge = async ({ table, webhook }: Place, sent: Sent[]): Promise<void> => {
  if (sent.length === 0) return
  const key = webhookHealthKey(webhook)
  const before = await table.get(key)
  const now = Date.now()
  const at = new Date(now).toISOString()
  const disable = (because: 'gone' | 'failing') =>
    change(table, webhookKey(webhook), endpoint =>
      endpoint.isOn ? { ...endpoint, isOn: false, disabled: { at, because } } : undefined,
    )
  if (sent.some(({ status }) => status === 410)) await disable('gone')
  if (sent.some(isTaken)) {
    if (before) await save(table.remove(key))
    return
  }
  const health = { failingSince: before?.failingSince ?? at, failures: (before?.failures ?? 0) + sent.length }
  if (isHopeless(health, now)) {
    await disable('failing')
    await save(table.remove(key))
  } else await save(table.put(key, health))
}

/** Delivers what is due, and answers when there is something to do again. */
const deliverDue = async (place: Place, until: number): Promise<string | undefined> => {
  const { table, company, webhook } = place
  for (;;) {
    const [endpoint, waiting] = await Promise.all([table.get(webhookKey(webhook)), readDue(place)])
    const [first] = waiting
    if (!first) return undefined
    const now = Date.now()
    const early = Date.parse(first.at) - now
    if (now > until || early > soonMilliseconds) return first.at
    if (early > 0) {
      await wait(early)
      continue
    }
    const ready = waiting.filter(({ at }) => Date.parse(at) <= now).slice(0, deliveriesAtOnce * 2)
    const secrets = endpoint ? await openSecrets(company, endpoint, now) : []
    const counted: Sent[] = []
    await atOnce(deliveriesAtOnce, ready, async due => {
      const delivery = await table.get(deliveryKey(webhook, due.id))
      // What is no longer due leaves only its place.
      if (delivery?.state !== 'due') return save(table.remove(dueDeliveryKey(webhook, due)))
      const isMeant = endpoint && (endpoint.isOn || delivery.type === ping)
      const told = isMeant ? await table.get(toldEventKey(delivery.event)) : undefined
      const sent = endpoint && told ? await send(endpoint, secrets, told) : undefined
      if (sent && delivery.type !== ping) counted.push(sent)
      await settle(place, due, delivery, sent)
    })
    await judge(place, counted)
  }
}

/** Tells an endpoint all that is due to it. */
export const deliverTo = async (company: string, webhook: string): Promise<void> => {
  const table = openTable(company, { job: 'deliver' })
  const place: Place = { table, company, webhook }
  const until = Date.now() + runMilliseconds
  for (;;) {
    if (!(await takeLease(place))) return
    const next = await deliverDue(place, until)
    const key = deliveringKey({ company, webhook })
    await save(next === undefined ? directory().remove(key) : directory().put(key, { company, webhook, at: next }))
    await save(table.remove(deliveryLeaseKey(webhook)))
    // What came while the lease was held was told to nobody.
    const [first] = await readDue(place)
    if (!first || Date.now() > until || Date.parse(first.at) > Date.now()) return
  }
}
