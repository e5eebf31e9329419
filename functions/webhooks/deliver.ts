import { setTimeout as wait } from 'node:timers/promises'
import {
  type Attempt,
  type Delivering,
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
} from '../../shared/webhooks/delivery.ts'
import { ping } from '../../shared/webhooks/event.ts'
import { deliveriesAtOnce, type Webhook, webhookKey } from '../../shared/webhooks.ts'
import { isDeveloperMode } from '../kit/developer-mode.ts'
import { log } from '../kit/log.ts'
import { change, saves, wasSlower } from '../kit/table/change.ts'
import { directory, type Item, openTable, save, type Table, type Write } from '../kit/table.ts'
import { openSecrets } from './secret.ts'
import { isHung, isTaken, post, type Sent } from './send.ts'
import { sign } from './signature.ts'

// Delivers to one endpoint under its lease. So an endpoint never has too many deliveries under way, however often the
// bus reports due ones. The scheduled job finds the deliveries left when the time is up.

/** The time in which deliveries begin. The last delivery may take one answer timeout longer. */
const runMilliseconds = 45_000
/**
 * The interval at which a run renews its lease. After `crashedMilliseconds` without a renewal another run may take the
 * lease.
 */
const renewMilliseconds = 300
const crashedMilliseconds = 5 * renewMilliseconds
/** An abandoned lease expires after this time. */
const leaseSeconds = 60
/** A run waits for deliveries due within this time. */
const soonMilliseconds = 6000
/** The interval to check for new deliveries while waiting. */
const lookMilliseconds = 500
/**
 * After this many timeouts in a row an endpoint rests for a while, because it would only block other endpoints. The
 * factor two allows one timeout of all deliveries under way to a mostly working endpoint.
 */
const mostHung = 2 * deliveriesAtOnce
/** The most deliveries under way. The run stores results while the next deliveries go out. */
const mostUnderWay = 4 * deliveriesAtOnce
const restSeconds = 60
const portion = 50
const mostAttempts = 50

/** The longest wait until the next try in seconds. Local tests set a low value. */
const mostDelaySeconds = () => Number(process.env.WEBHOOK_MOST_DELAY_SECONDS ?? Number.POSITIVE_INFINITY)

interface Place {
  table: Table
  company: string
  webhook: string
}

const duePk = (webhook: string) => dueDeliveryKey(webhook, { at: '', id: '' }).pk

const readDue = async ({ table, webhook }: Place) =>
  (await table.page<DueDelivery>({ pk: duePk(webhook), size: portion })).list

const secondsFromNow = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

interface Lease {
  /** Whether another run may have the lease, because this run did not renew it in time. */
  isLost(): boolean
  /** Ends the lease. With `restSeconds` the lease stays blocked for that time. */
  end(restSeconds?: number): Promise<void>
}

/**
 * Takes the lease. Returns undefined while another run holds it. Waits for a lease whose holder has probably crashed.
 */
const takeLease = async ({ table, webhook }: Place): Promise<Lease | undefined> => {
  const key = deliveryLeaseKey(webhook)
  let requestedAt = 0
  const newLease = () => {
    requestedAt = performance.now()
    return { heldAt: new Date().toISOString(), expiresAt: secondsFromNow(leaseSeconds) }
  }
  let version = 1
  while (!(await saves(table.insert(key, newLease())))) {
    const held = await table.get(key)
    if (!held) continue
    if (held.heldAt === undefined) return undefined
    const age = Date.now() - Date.parse(held.heldAt)
    if (age < 2 * renewMilliseconds) return undefined
    if (age < crashedMilliseconds) await wait(crashedMilliseconds - age)
    else if (await saves(table.replace(key, { ...newLease(), version: held.version }))) {
      version = held.version + 1
      break
    }
  }
  let isLost = false
  let renewedAt = requestedAt
  let renewing: Promise<void> | undefined
  // The process may have slept. Then another run may hold the lease, by chance with the version that this run expects.
  const hasSlept = () => performance.now() - renewedAt > crashedMilliseconds
  const renew = async () => {
    if (hasSlept()) isLost = true
    if (isLost) return
    // After an error the next renewal tries again; `isLost` limits how long.
    const isMine = await saves(table.replace(key, { ...newLease(), version })).catch(() => undefined)
    if (isMine) {
      version++
      renewedAt = requestedAt
    }
    if (isMine === false) isLost = true
  }
  const timer = setInterval(() => {
    renewing ??= renew().finally(() => {
      renewing = undefined
    })
  }, renewMilliseconds)
  return {
    // Without a renewal this run stops before other runs regard it as crashed.
    isLost: () => isLost || performance.now() - renewedAt > 3 * renewMilliseconds,
    async end(rest) {
      clearInterval(timer)
      await renewing
      if (isLost || hasSlept()) return
      await saves(
        rest === undefined
          ? table.remove(key, version)
          : table.replace(key, { expiresAt: secondsFromNow(rest), version }),
      )
    },
  }
}

/** Stores the result of a delivery and its next try. A concurrent change of the delivery wins. */
const settle = async (
  { table, webhook }: Place,
  due: DueDelivery,
  delivery: Item<Delivery>,
  sent: Sent | undefined,
): Promise<void> => {
  const { nextAt: _, ...settled } = delivery
  const { retryAfterSeconds, ...attempt } = sent ?? {}
  // Count only a sent delivery as a try, so that a disabled endpoint uses up no tries.
  const tries = due.tries + (sent ? 1 : 0)
  const isOver = !sent || isTaken(sent) || sent.status === 410 || delivery.type === ping
  const delay = isOver ? undefined : nextTryMilliseconds(tries, { chance: Math.random(), retryAfterSeconds })
  const at =
    delay === undefined ? undefined : new Date(Date.now() + Math.min(delay, mostDelaySeconds() * 1000)).toISOString()
  const state = at ? 'due' : sent && isTaken(sent) ? 'done' : 'failed'
  const attempts = [...delivery.attempts, ...(sent ? [attempt as Attempt] : [])].slice(-mostAttempts)
  await saves(
    table.replace(deliveryKey(webhook, delivery.id), { ...settled, state, tries, attempts, ...(at && { nextAt: at }) }),
    table.remove(dueDeliveryKey(webhook, due)),
    ...(at ? [table.insert(dueDeliveryKey(webhook, { at, id: due.id }), { ...due, at, tries })] : []),
  )
}

/** An attempt with its URL, because the endpoint may have another URL by now. */
type Tried = Sent & { url: string }

/** Disables the endpoint if it still has the URL of the attempt. The save includes `along`. */
const disable = ({ table, webhook }: Place, url: string, because: 'gone' | 'failing', ...along: Write[]) =>
  change(
    table,
    webhookKey(webhook),
    endpoint =>
      endpoint.isOn && endpoint.url === url
        ? { ...endpoint, isOn: false, disabled: { at: new Date().toISOString(), because } }
        : undefined,
    (_, endpoint) => [table.replace(webhookKey(webhook), endpoint), ...along],
  )

/** Stores the health of an endpoint, and disables a hopeless endpoint. */
const judge = async (place: Place, all: Tried[]): Promise<void> => {
  if (all.length === 0) return
  const { company, table, webhook } = place
  const key = webhookHealthKey(webhook)
  const [before, endpoint] = await Promise.all([table.get(key), table.get(webhookKey(webhook))])
  // Attempts at a former URL say nothing about the current one.
  const sent = all.filter(({ url }) => url === endpoint?.url)
  const last = sent.at(-1)
  if (!last) return
  // The operator's alarm counts these lines over all companies. The company's administrators get a mail about a single
  // receiver.
  log({
    job: 'deliver',
    company,
    webhook,
    sent: sent.length,
    refused: sent.filter(attempt => !isTaken(attempt)).length,
  })
  if (sent.some(isTaken)) {
    if (before) await saves(table.remove(key, before.version))
    return
  }
  const failedAt = new Date().toISOString()
  const failures = (before?.failures ?? 0) + sent.length
  const health = { webhook, failingSince: before?.failingSince ?? failedAt, failedAt, failures }
  const { version } = before ?? {}
  // A user who enabled the endpoint meanwhile has cleared its failures, so this save fails.
  if (isHopeless(health))
    await disable(place, last.url, 'failing', table.remove(key, version)).catch(error => {
      if (!wasSlower(error)) throw error
    })
  else
    await saves(
      version ? table.replace(key, { ...health, version }) : table.insert(key, health),
      // An endpoint deleted meanwhile must leave no health behind.
      table.require(webhookKey(webhook), { code: 60006 }),
    )
}

/** Decrypts the signing secrets, once per version of the endpoint. */
const openSigning = (company: string) => {
  const opened = new Map<number, Promise<string[]>>()
  return (endpoint: Item<Webhook>): Promise<string[]> => {
    const secrets = opened.get(endpoint.version) ?? openSecrets(company, endpoint, Date.now())
    opened.set(endpoint.version, secrets)
    return secrets
  }
}

/**
 * Sends a due delivery with the current data of the endpoint. Returns undefined if there is nothing to send. Calls
 * `onAnswer` when the endpoint has answered.
 */
const deliver = async (
  place: Place,
  due: Item<DueDelivery>,
  { signing, onAnswer }: { signing: (endpoint: Item<Webhook>) => Promise<string[]>; onAnswer: () => void },
): Promise<Tried | undefined> => {
  const { table, webhook } = place
  const [endpoint, delivery, toldEvent] = (await table.getMany<unknown>([
    webhookKey(webhook),
    deliveryKey(webhook, due.id),
    toldEventKey(due.event),
  ])) as [Item<Webhook> | undefined, Item<Delivery> | undefined, Item<ToldEvent> | undefined]
  if (delivery?.state !== 'due' || delivery.nextAt !== due.at) {
    // The delivery is settled or postponed, so remove this stale entry.
    await save(table.remove(dueDeliveryKey(webhook, due)))
    return undefined
  }
  const maySend = isDeveloperMode() && endpoint && toldEvent && (endpoint.isOn || delivery.type === ping)
  const { body = '' } = toldEvent ?? {}
  const signed = maySend && sign(await signing(endpoint), { id: due.event, at: Date.now(), body })
  const sent = signed ? await post(endpoint.url, { ...signed }, body) : undefined
  onAnswer()
  await settle(place, due, delivery, sent)
  if (!sent || !endpoint) return undefined
  const tried = { ...sent, url: endpoint.url }
  if (sent.status === 410) await disable(place, tried.url, 'gone')
  // A test does not count for the health of the endpoint.
  return delivery.type === ping ? undefined : tried
}

interface Remaining {
  /** The due deliveries, the earliest first. */
  due: Item<DueDelivery>[]
  /** The pointer of the scheduled job, read before the due deliveries. */
  pointer: Item<Delivering> | undefined
}

/** Reads the pointer first: a delivery added after that replaces the pointer, so that a stale write fails. */
const readRemaining = async (place: Place): Promise<Remaining> => {
  const pointer = await directory().get(deliveringKey(place))
  return { pointer, due: await readDue(place) }
}

/** Delivers with the highest allowed concurrency, so that a slow answer delays no other delivery. */
const deliverDue = async (place: Place, until: number, lease: Lease): Promise<Remaining & { isSlow: boolean }> => {
  const underWay = new Map<string, Promise<void>>()
  const signing = openSigning(place.company)
  const faults: unknown[] = []
  const sent: Tried[] = []
  let hangs = 0
  let ready: Item<DueDelivery>[] = []
  let remaining: Remaining | undefined
  /** Deliveries without an answer yet. The run is only storing the other deliveries under way. */
  const atEndpoint = new Map<string, Promise<void>>()
  const begin = (due: Item<DueDelivery>) => {
    const answer = Promise.withResolvers<void>()
    atEndpoint.set(due.id, answer.promise)
    const onAnswer = () => {
      atEndpoint.delete(due.id)
      answer.resolve()
    }
    const run = deliver(place, due, { signing, onAnswer })
      .then(tried => {
        if (!tried) return
        sent.push(tried)
        hangs = isHung(tried) ? hangs + 1 : 0
      })
      .catch(fault => void faults.push(fault))
      .then(() => {
        onAnswer()
        underWay.delete(due.id)
      })
    underWay.set(due.id, run)
  }
  const mayGoOn = () => Date.now() < until && !lease.isLost() && hangs < mostHung && faults.length === 0
  try {
    while (!remaining && mayGoOn()) {
      const isFull = underWay.size === mostUnderWay
      const hasRoom = !isFull && atEndpoint.size < deliveriesAtOnce
      const next = hasRoom ? ready.shift() : undefined
      if (next) begin(next)
      else if (!hasRoom) await Promise.race(isFull ? underWay.values() : atEndpoint.values())
      else {
        await judge(place, sent.splice(0))
        const current = await readRemaining(place)
        const waiting = current.due.filter(({ id }) => !underWay.has(id))
        const now = Date.now()
        ready = waiting.filter(({ at }) => Date.parse(at) <= now)
        const untilNext = waiting[0] ? Date.parse(waiting[0].at) - now : Number.POSITIVE_INFINITY
        if (underWay.size === 0 && untilNext > soonMilliseconds) remaining = current
        else if (ready.length === 0)
          await Promise.race([...underWay.values(), wait(Math.min(untilNext, lookMilliseconds))])
      }
    }
  } finally {
    // The lease must not end while deliveries are under way, also after an error.
    await Promise.all(underWay.values())
  }
  await judge(place, sent)
  if (faults.length > 0) throw faults[0]
  return { ...(remaining ?? (await readRemaining(place))), isSlow: hangs >= mostHung }
}

/** Stores when the scheduled job must check again, unless another run has stored a time since. */
const pointTo = async (place: Place, pointer: Item<Delivering> | undefined, at: string | undefined): Promise<void> => {
  const key = deliveringKey(place)
  const { company, webhook } = place
  if (at === undefined) await (pointer && saves(directory().remove(key, pointer.version)))
  else if (!pointer) await saves(directory().insert(key, { company, webhook, at }))
  else await saves(directory().replace(key, { ...pointer, at }))
}

/** Delivers everything that is due to an endpoint. */
export const deliverTo = async (company: string, webhook: string): Promise<void> => {
  const place: Place = { table: openTable(company, { job: 'deliver' }), company, webhook }
  const until = Date.now() + runMilliseconds
  for (;;) {
    const lease = await takeLease(place)
    if (!lease) return
    let rest: number | undefined
    try {
      const { pointer, due, isSlow } = await deliverDue(place, until, lease)
      rest = isSlow ? restSeconds : undefined
      const restedAt = new Date(Date.now() + (restSeconds + 1) * 1000).toISOString()
      await pointTo(place, pointer, isSlow && due.length > 0 ? restedAt : due[0]?.at)
    } finally {
      await lease.end(rest)
    }
    // Check again, because triggers during this run found the lease taken.
    const [first] = await readDue(place)
    if (rest !== undefined || !first || Date.now() > until || Date.parse(first.at) > Date.now()) return
  }
}
