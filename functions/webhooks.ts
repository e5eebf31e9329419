import { Problem } from '../shared/errors.ts'
import {
  type Delivery,
  deliveryKey,
  replayDays,
  type ToldEvent,
  toldEventKey,
  type WebhookHealth,
  webhookHealthKey,
} from '../shared/webhooks/delivery.ts'
import { ping } from '../shared/webhooks/event.ts'
import { formerSecretHours, mostWebhooks, type Webhook, webhookKey, webhooksPaths } from '../shared/webhooks.ts'
import type { Caller } from './kit/caller.ts'
import { isDeveloperMode, needDeveloperMode } from './kit/developer-mode.ts'
import { atOnce } from './kit/each.ts'
import { newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { addAtMost, saves } from './kit/table/change.ts'
import { readList } from './kit/table/list.ts'
import { type Item, save, type Table, type Where, type Write } from './kit/table.ts'
import { isOpenUrl } from './webhooks/address.ts'
import { aboutOf, bodyOf } from './webhooks/body.ts'
import { pointAt, replay, tellWebhooks } from './webhooks/delivery.ts'
import { openSecrets, sealSecret } from './webhooks/secret.ts'
import { newWebhookSecret, shownSecretOf } from './webhooks/signature.ts'
import { readWebhooks } from './webhooks/store.ts'

const findWebhook = async ({ table }: Caller, id: string, field = 'id'): Promise<Item<Webhook>> => {
  needDeveloperMode()
  const webhook = await table.get(webhookKey(id))
  if (!webhook) throw new Problem(60004, { [field]: 60004 })
  return webhook
}

type Form = Pick<Webhook, 'url' | 'events' | 'isOn'>

/** The attributes of a form. Throws 10002 at `url` unless the URL may point to the internet. */
const readForm = ({ url, events, isOn }: Form): Form => {
  if (!isOpenUrl(url)) throw new Problem(10002, { url: 10002 })
  return { url: new URL(url).href, events: [...new Set(events)], isOn }
}

/** The end of the former secret, while that secret still signs. */
const formerOf = ({ former }: Pick<Webhook, 'former'>) =>
  former && former.until > new Date().toISOString() ? { formerUntil: former.until } : {}

const show = ({ id, url, events, isOn, disabled, former, version }: Item<Webhook>, health?: WebhookHealth) => ({
  ...{ id, url, events, isOn, version },
  ...(disabled && { disabled }),
  ...(isOn && health && { failing: { since: health.failingSince, failures: health.failures } }),
  ...(former && formerOf({ former })),
})

const add = async ({ table, company }: Caller, form: Form, typed?: string, most = mostWebhooks) => {
  const webhook = readForm(form)
  const secret = typed === undefined ? newWebhookSecret() : shownSecretOf(typed)
  const id = newId()
  const sealed = await sealSecret(company, id, secret)
  await addAtMost(table, 'webhook', async () => {
    if ((await readWebhooks(table)).length >= most) throw new Problem(60072, { url: 60072 })
    return [table.insert(webhookKey(id), { id, ...webhook, secret: sealed })]
  })
  return { id, secret }
}

/** The endpoint with the form's attributes. Enabling the endpoint clears the reason of an earlier disabling. */
const applyForm = ({ disabled, ...webhook }: Item<Webhook>, form: Form): Item<Webhook> => ({
  ...webhook,
  ...readForm(form),
  ...(disabled && !form.isOn && { disabled }),
})

/** Clears the failures of an endpoint when a user enables it or changes its URL. */
const clearHealth = (table: Table, before: Item<Webhook>, after: Item<Webhook>): Write[] =>
  after.isOn && (!before.isOn || after.url !== before.url) ? [table.remove(webhookHealthKey(after.id))] : []

/** The webhook with another secret. The former secret also signs for a while. An equal secret changes nothing. */
const withSecret = async (company: string, webhook: Item<Webhook>, secret: string): Promise<Item<Webhook>> => {
  const [present] = await openSecrets(company, webhook, Date.now())
  if (secret === present) return webhook
  const sealed = await sealSecret(company, webhook.id, secret)
  const until = new Date(Date.now() + formerSecretHours * 3600_000).toISOString()
  return { ...webhook, secret: sealed, former: { sealed: webhook.secret, until } }
}

const findDelivery = async ({ table }: Caller, webhook: string, id: string): Promise<Item<Delivery>> => {
  const delivery = await table.get(deliveryKey(webhook, id))
  if (!delivery) throw new Problem(60004, { delivery: 60004 })
  return delivery
}

/** Throws 60073 for a disabled endpoint, which would get nothing. */
const requireOn = async (caller: Caller, webhook: string): Promise<void> => {
  const { isOn } = await findWebhook(caller, webhook, 'webhook')
  if (!isOn) throw new Problem(60073, { webhook: 60073 })
}

/** An id begins with its creation time, in this many letters. */
const timeLetters = 9
const timeOf = (milliseconds: number) => milliseconds.toString(36).padStart(timeLetters, '0')
const createdAt = (id: string) => new Date(Number.parseInt(id.slice(0, timeLetters), 36)).toISOString()

const showDelivery = (
  { id, event, type, state, nextAt, attempts }: Item<Delivery>,
  toldEvent: ToldEvent | undefined,
) => {
  const about = toldEvent && aboutOf(toldEvent.body)
  return {
    ...{ id, event, type, state, attempts, toldAt: createdAt(id) },
    ...(about && { about }),
    ...(nextAt !== undefined && { nextAt }),
  }
}

/** A delivery as lists show it, with only the last answer. The answers of many tries would exceed a response. */
const listDelivery = (delivery: Item<Delivery>, toldEvent: ToldEvent | undefined) => {
  const { attempts, ...shown } = showDelivery(delivery, toldEvent)
  const last = attempts.length - 1
  return {
    ...shown,
    attempts: attempts.map(({ answer, ...attempt }, i) => ({ ...attempt, ...(i === last && answer && { answer }) })),
  }
}

const mostReplayed = 200
const replaysAtOnce = 8
/** The most time to search for failed deliveries, a thousand at a time. The caller continues after the last one. */
const mostReadMilliseconds = 8000
const readTogether = 1000
const dayMilliseconds = 24 * 3600_000

export const handler = lambda(webhooksPaths, {
  'webhooks/show': async () => ({ is_show: isDeveloperMode() }),

  'webhooks/get': async (_, { table }) => {
    needDeveloperMode()
    const [first] = await readWebhooks(table)
    return first ? show(first, await table.get(webhookHealthKey(first.id))) : {}
  },

  'webhooks/update': async ({ secret: typed, version, ...form }, caller) => {
    needDeveloperMode()
    const { table, company } = caller
    const [first] = await readWebhooks(table)
    if (first?.version !== version) throw new Problem(60006)
    if (!first) return { ...(await add(caller, form, typed, 1)), version: 1 }
    const secret = typed === undefined ? undefined : shownSecretOf(typed)
    const next = applyForm(first, form)
    const replaced = secret === undefined ? next : await withSecret(company, next, secret)
    await save(table.replace(webhookKey(first.id), replaced), ...clearHealth(table, first, replaced))
    return { id: first.id, ...(replaced.secret !== first.secret && { secret }), version: first.version + 1 }
  },

  'webhooks/endpoint/grid': async ({ size, page }, { table }) => {
    needDeveloperMode()
    const webhooks = await readWebhooks(table)
    const { list, ...rest } = await table.slice(webhooks, { name: 'webhooks', size, page })
    const healths = await table.getMany(list.map(({ id }) => webhookHealthKey(id)))
    return { list: list.map((webhook, i) => show(webhook, healths[i])), count: webhooks.length, ...rest }
  },

  'webhooks/endpoint/add': async ({ secret, ...form }, caller) => {
    needDeveloperMode()
    return add(caller, form, secret)
  },

  'webhooks/endpoint/update': async ({ id, version, ...form }, caller) => {
    const webhook = await findWebhook(caller, id)
    const next = applyForm(webhook, form)
    await save(caller.table.replace(webhookKey(id), { ...next, version }), ...clearHealth(caller.table, webhook, next))
    return { version: version + 1 }
  },

  'webhooks/endpoint/rotate': async ({ id, secret: typed }, caller) => {
    const webhook = await findWebhook(caller, id)
    const secret = typed === undefined ? newWebhookSecret() : shownSecretOf(typed)
    const next = await withSecret(caller.company, webhook, secret)
    if (next !== webhook) await save(caller.table.replace(webhookKey(id), next))
    return { secret, ...formerOf(next) }
  },

  'webhooks/endpoint/delete': async ({ id }, caller) => {
    const webhook = await findWebhook(caller, id)
    await save(caller.table.remove(webhookKey(id), webhook.version), caller.table.remove(webhookHealthKey(id)))
    return {}
  },

  'webhooks/endpoint/test': async ({ id }, caller) => {
    await findWebhook(caller, id)
    const happened = { event: ping, company: caller.company, at: new Date().toISOString() } as const
    const testEvent = { event: `msg_${newId()}`, type: ping, body: bodyOf(happened, { webhook: id }) } as const
    const { writes, ids } = tellWebhooks(caller, testEvent, [id])
    await save(...writes)
    await pointAt(caller.company, [id])
    return { delivery: ids[0] ?? '' }
  },

  'webhooks/log/grid': async ({ filters: { webhook, state, type }, size, page }, caller) => {
    needDeveloperMode()
    const { table } = caller
    const listed = { name: `webhooks/log ${webhook} ${state} ${type}`, size, page }
    // The log of a deleted endpoint is empty.
    if (!(await table.get(webhookKey(webhook)))) return table.slice([], listed)
    const where: Where[] = Object.entries({ state, type }).flatMap(([name, value]): Where[] =>
      value === undefined ? [] : [[name, '=', value]],
    )
    const { list, ...rest } = await readList<Delivery>(table, {
      ranges: [{ pk: deliveryKey(webhook, '').pk, reverse: true, where }],
      ...listed,
    })
    // The subject's name comes from the sent body, also after an erasure of the person.
    const toldEvents = await table.getMany(list.map(({ event }) => toldEventKey(event)))
    return { list: list.map((delivery, i) => listDelivery(delivery, toldEvents[i])), ...rest }
  },

  'webhooks/log/get': async ({ webhook, delivery: id }, caller) => {
    await findWebhook(caller, webhook, 'webhook')
    const delivery = await findDelivery(caller, webhook, id)
    const toldEvent = await caller.table.get(toldEventKey(delivery.event))
    return { ...showDelivery(delivery, toldEvent), ...(toldEvent && { body: toldEvent.body }) }
  },

  'webhooks/replay': async ({ webhook, delivery: id }, caller) => {
    await requireOn(caller, webhook)
    const delivery = await findDelivery(caller, webhook, id)
    if (delivery.state === 'due') throw new Problem(60006)
    await save(...replay(caller, delivery))
    await pointAt(caller.company, [webhook])
    return {}
  },

  'webhooks/replay/failed': async ({ webhook, since, until, all, after: startAfter }, caller) => {
    await requireOn(caller, webhook)
    const from = Date.parse(since)
    const to = until === undefined ? Date.now() : Date.parse(until)
    // A continuation repeats the range of its first call, so that range may be older than the limit.
    if (startAfter === undefined && from < Date.now() - replayDays * dayMilliseconds)
      throw new Problem(10002, { since: 10002 })
    if (to < from) throw new Problem(10002, { until: 10002 })
    const endsAt = Date.now() + mostReadMilliseconds
    const matching: Item<Delivery>[] = []
    // A continuation starts after the deliveries already replayed, so that it sends none twice.
    const last = timeOf(to + 1)
    const first = timeOf(from)
    let after = startAfter !== undefined && startAfter > first ? startAfter : undefined
    do {
      if (after !== undefined && after >= last) after = undefined
      else {
        const { rows, reached } = await caller.table.part<Delivery>({
          ...{ pk: deliveryKey(webhook, '').pk, from: first, to: last, after },
          ...(!all && { where: [['state', '=', 'failed']] }),
          size: readTogether,
        })
        matching.push(...rows.map(({ item }) => item).filter(({ state, type }) => state !== 'due' && type !== ping))
        after = reached
      }
    } while (after !== undefined && matching.length < mostReplayed && Date.now() < endsAt)
    const batch = matching.slice(0, mostReplayed)
    // A concurrent change of a delivery wins.
    const replayed = await atOnce(replaysAtOnce, batch, delivery => saves(...replay(caller, delivery)))
    if (batch.length > 0) await pointAt(caller.company, [webhook])
    const next = matching.length > mostReplayed ? batch.at(-1)?.id : after
    return { count: replayed.filter(Boolean).length, ...(next !== undefined && { after: next }) }
  },
})
