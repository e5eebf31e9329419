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

// Delivers to one endpoint. Whoever does holds its lease, so an endpoint never has more under way than it may, however often the bus
// says that something is due; what is left when the time is up is found by the clock.

/** So long deliveries are begun; the last may take as long again as an answer may. */
const runMilliseconds = 45_000
/** Held anew all the time; whose lease was not for so long has crashed, and somebody else goes on. */
const renewMilliseconds = 300
const crashedMilliseconds = 5 * renewMilliseconds
/** A lease is cleared away by then, if nobody needs it before. */
const leaseSeconds = 60
/** What is due so soon is waited for. */
const soonMilliseconds = 6000
/** While something is waited for, what has come meanwhile is looked for as often. */
const lookMilliseconds = 500
/**
 * Whoever did not answer in time so often in a row is left alone for a while: it would only take the place of others. Of one that
 * answers mostly, all that is under way may hang at once.
 */
const mostHung = 2 * deliveriesAtOnce
/** What was answered is written down while the next is sent, but no more of it than this. */
const mostUnderWay = 4 * deliveriesAtOnce
const restSeconds = 60
const portion = 50
const mostAttempts = 50

/** Who tries a thing out cannot wait for days: so long is the longest wait until the next try, in seconds. */
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
  /** Somebody else has it now, for it was not held in time. */
  isLost(): boolean
  /** Nobody takes it for so long; none to give it back at once. */
  end(restSeconds?: number): Promise<void>
}

/** Takes the lease; undefined where somebody delivers. One whose holder was not heard of for a while is waited for. */
const takeLease = async ({ table, webhook }: Place): Promise<Lease | undefined> => {
  const key = deliveryLeaseKey(webhook)
  let askedAt = 0
  const lease = () => {
    askedAt = performance.now()
    return { heldAt: new Date().toISOString(), expiresAt: secondsFromNow(leaseSeconds) }
  }
  let version = 1
  while (!(await saves(table.insert(key, lease())))) {
    const held = await table.get(key)
    if (!held) continue
    if (held.heldAt === undefined) return undefined
    const age = Date.now() - Date.parse(held.heldAt)
    if (age < 2 * renewMilliseconds) return undefined
    if (age < crashedMilliseconds) await wait(crashedMilliseconds - age)
    else if (await saves(table.replace(key, { ...lease(), version: held.version }))) {
      version = held.version + 1
      break
    }
  }
  let isLost = false
  let renewedAt = askedAt
  let renewing: Promise<void> | undefined
  // Whoever slept so long has been taken for crashed, and what stands there may look like theirs.
  const hasSlept = () => performance.now() - renewedAt > crashedMilliseconds
  const renew = async () => {
    if (hasSlept()) isLost = true
    if (isLost) return
    // What could not be written is tried again, when it may be somebody else's.
    const isMine = await saves(table.replace(key, { ...lease(), version })).catch(() => undefined)
    if (isMine) {
      version++
      renewedAt = askedAt
    }
    if (isMine === false) isLost = true
  }
  const timer = setInterval(() => {
    renewing ??= renew().finally(() => {
      renewing = undefined
    })
  }, renewMilliseconds)
  return {
    // Whoever cannot renew it begins nothing more before others take it for crashed.
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

/** Ticks a delivery off, or puts it off; what somebody did with it meanwhile stands. */
const settle = async (
  { table, webhook }: Place,
  due: DueDelivery,
  delivery: Item<Delivery>,
  sent: Sent | undefined,
): Promise<void> => {
  const { nextAt: _, ...rest } = delivery
  const { retryAfterSeconds, ...attempt } = sent ?? {}
  // What was not sent is no try: an endpoint that was switched off has exhausted nothing.
  const tries = due.tries + (sent ? 1 : 0)
  const isOver = !sent || isTaken(sent) || sent.status === 410 || delivery.type === ping
  const delay = isOver ? undefined : nextTryMilliseconds(tries, { chance: Math.random(), retryAfterSeconds })
  const at =
    delay === undefined ? undefined : new Date(Date.now() + Math.min(delay, mostDelaySeconds() * 1000)).toISOString()
  const state = at ? 'due' : sent && isTaken(sent) ? 'done' : 'failed'
  const attempts = [...delivery.attempts, ...(sent ? [attempt as Attempt] : [])].slice(-mostAttempts)
  await saves(
    table.replace(deliveryKey(webhook, delivery.id), { ...rest, state, tries, attempts, ...(at && { nextAt: at }) }),
    table.remove(dueDeliveryKey(webhook, due)),
    ...(at ? [table.insert(dueDeliveryKey(webhook, { at, id: due.id }), { ...due, at, tries })] : []),
  )
}

/** What was sent, and where to: the endpoint may have been given another address meanwhile. */
type Tried = Sent & { url: string }

/** Switches the endpoint off, as long as it is where it was sent to; `along` is written with it. */
const disable = ({ table, webhook }: Place, url: string, because: 'gone' | 'failing', ...along: Write[]) =>
  change(
    table,
    webhookKey(webhook),
    endpoint =>
      endpoint.isOn && endpoint.url === url
        ? { ...endpoint, isOn: false, disabled: { at: new Date().toISOString(), because } }
        : undefined,
    (_, now) => [table.replace(webhookKey(webhook), now), ...along],
  )

/** Keeps how an endpoint fares, and switches it off where there is no hope. */
const judge = async (place: Place, all: Tried[]): Promise<void> => {
  if (all.length === 0) return
  const { company, table, webhook } = place
  const key = webhookHealthKey(webhook)
  const [before, endpoint] = await Promise.all([table.get(key), table.get(webhookKey(webhook))])
  // What was sent to the address before says nothing of the one it has now.
  const sent = all.filter(({ url }) => url === endpoint?.url)
  const last = sent.at(-1)
  if (!last) return
  // Whoever runs the deployment hears where most is not taken: what one receiver refuses is told to its own company.
  log({ job: 'deliver', company, webhook, sent: sent.length, refused: sent.filter(one => !isTaken(one)).length })
  if (sent.some(isTaken)) {
    if (before) await saves(table.remove(key, before.version))
    return
  }
  const failedAt = new Date().toISOString()
  const failures = (before?.failures ?? 0) + sent.length
  const health = { webhook, failingSince: before?.failingSince ?? failedAt, failedAt, failures }
  const { version } = before ?? {}
  // Whoever switched it on meanwhile has begun anew, and what failed before counts no more.
  if (isHopeless(health))
    await disable(place, last.url, 'failing', table.remove(key, version)).catch(error => {
      if (!wasSlower(error)) throw error
    })
  else
    await saves(
      version ? table.replace(key, { ...health, version }) : table.insert(key, health),
      // Of one that was deleted meanwhile nothing is left.
      table.require(webhookKey(webhook), { code: 60006 }),
    )
}

/** Opens the secrets that sign, once for each state of the endpoint. */
const openSigning = (company: string) => {
  const opened = new Map<number, Promise<string[]>>()
  return (endpoint: Item<Webhook>): Promise<string[]> => {
    const secrets = opened.get(endpoint.version) ?? openSecrets(company, endpoint, Date.now())
    opened.set(endpoint.version, secrets)
    return secrets
  }
}

/**
 * Sends what is due as the endpoint and the delivery stand now; what came of it is undefined where nothing is to be sent. `onAnswer`
 * is told once nothing of it is at the endpoint any more.
 */
const deliver = async (
  place: Place,
  due: Item<DueDelivery>,
  { signing, onAnswer }: { signing: (endpoint: Item<Webhook>) => Promise<string[]>; onAnswer: () => void },
): Promise<Tried | undefined> => {
  const { table, webhook } = place
  const [endpoint, delivery, told] = (await table.getMany<unknown>([
    webhookKey(webhook),
    deliveryKey(webhook, due.id),
    toldEventKey(due.event),
  ])) as [Item<Webhook> | undefined, Item<Delivery> | undefined, Item<ToldEvent> | undefined]
  if (delivery?.state !== 'due' || delivery.nextAt !== due.at) {
    // What is no longer due, or was put off since, leaves only its place.
    await save(table.remove(dueDeliveryKey(webhook, due)))
    return undefined
  }
  const isMeant = isDeveloperMode() && endpoint && told && (endpoint.isOn || delivery.type === ping)
  const { body = '' } = told ?? {}
  const signed = isMeant && sign(await signing(endpoint), { id: due.event, at: Date.now(), body })
  const sent = signed ? await post(endpoint.url, { ...signed }, body) : undefined
  onAnswer()
  await settle(place, due, delivery, sent)
  if (!sent || !endpoint) return undefined
  const tried = { ...sent, url: endpoint.url }
  if (sent.status === 410) await disable(place, tried.url, 'gone')
  // A test tells nothing of how the endpoint fares.
  return delivery.type === ping ? undefined : tried
}

interface Left {
  /** What is due, the earliest first. */
  due: Item<DueDelivery>[]
  /** Where something is due, as it was read before. */
  pointer: Item<Delivering> | undefined
}

/** Whoever tells something after this look has the pointer written anew. */
const look = async (place: Place): Promise<Left> => {
  const pointer = await directory().get(deliveringKey(place))
  return { pointer, due: await readDue(place) }
}

/** Delivers what is due, always as much at once as there may be: one that waits for its answer holds up no other. */
const deliverDue = async (place: Place, until: number, lease: Lease): Promise<Left & { isSlow: boolean }> => {
  const underWay = new Map<string, Promise<void>>()
  const signing = openSigning(place.company)
  const faults: unknown[] = []
  const sent: Tried[] = []
  let hung = 0
  let ready: Item<DueDelivery>[] = []
  let left: Left | undefined
  /** Those that were not answered yet; of the others only what came of it is still being written. */
  const atEndpoint = new Map<string, Promise<void>>()
  const begin = (due: Item<DueDelivery>) => {
    const answer = Promise.withResolvers<void>()
    atEndpoint.set(due.id, answer.promise)
    const onAnswer = () => {
      atEndpoint.delete(due.id)
      answer.resolve()
    }
    const run = deliver(place, due, { signing, onAnswer })
      .then(one => {
        if (!one) return
        sent.push(one)
        hung = isHung(one) ? hung + 1 : 0
      })
      .catch(fault => void faults.push(fault))
      .then(() => {
        onAnswer()
        underWay.delete(due.id)
      })
    underWay.set(due.id, run)
  }
  const mayGoOn = () => Date.now() < until && !lease.isLost() && hung < mostHung && faults.length === 0
  try {
    while (!left && mayGoOn()) {
      const isFull = underWay.size === mostUnderWay
      const hasRoom = !isFull && atEndpoint.size < deliveriesAtOnce
      const next = hasRoom ? ready.shift() : undefined
      if (next) begin(next)
      else if (!hasRoom) await Promise.race(isFull ? underWay.values() : atEndpoint.values())
      else {
        await judge(place, sent.splice(0))
        const found = await look(place)
        const waiting = found.due.filter(({ id }) => !underWay.has(id))
        const now = Date.now()
        ready = waiting.filter(({ at }) => Date.parse(at) <= now)
        const early = waiting[0] ? Date.parse(waiting[0].at) - now : Number.POSITIVE_INFINITY
        if (underWay.size === 0 && early > soonMilliseconds) left = found
        else if (ready.length === 0) await Promise.race([...underWay.values(), wait(Math.min(early, lookMilliseconds))])
      }
    }
  } finally {
    // Nothing is at the endpoint any more when the lease is given back, whatever went wrong.
    await Promise.all(underWay.values())
  }
  await judge(place, sent)
  if (faults.length > 0) throw faults[0]
  return { ...(left ?? (await look(place))), isSlow: hung >= mostHung }
}

/** Writes down when the clock has to look again, unless somebody did since. */
const pointTo = async (place: Place, pointer: Item<Delivering> | undefined, at: string | undefined): Promise<void> => {
  const key = deliveringKey(place)
  const { company, webhook } = place
  if (at === undefined) await (pointer && saves(directory().remove(key, pointer.version)))
  else if (!pointer) await saves(directory().insert(key, { company, webhook, at }))
  else await saves(directory().replace(key, { ...pointer, at }))
}

/** Tells an endpoint all that is due to it. */
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
      const rested = new Date(Date.now() + (restSeconds + 1) * 1000).toISOString()
      await pointTo(place, pointer, isSlow && due.length > 0 ? rested : due[0]?.at)
    } finally {
      await lease.end(rest)
    }
    // What came while the lease was held was told to nobody.
    const [first] = await readDue(place)
    if (rest !== undefined || !first || Date.now() > until || Date.parse(first.at) > Date.now()) return
  }
}
