import { Problem } from '../shared/errors.ts'
import { formerSecretHours, mostWebhooks, type Webhook, webhookKey, webhooksPaths } from '../shared/webhooks.ts'
import type { Caller } from './kit/caller.ts'
import { isDeveloperMode, needDeveloperMode } from './kit/developer-mode.ts'
import { newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { type Item, save } from './kit/table.ts'
import { readWebhooks, sealSecret } from './kit/webhook.ts'
import { isOpenUrl } from './kit/webhook-address.ts'
import { newWebhookSecret, shownSecretOf } from './kit/webhook-signature.ts'

const findWebhook = async ({ table }: Caller, id: string): Promise<Item<Webhook>> => {
  needDeveloperMode()
  const webhook = await table.get(webhookKey(id))
  if (!webhook) throw new Problem(60004, { id: 60004 })
  return webhook
}

type Form = Pick<Webhook, 'url' | 'events' | 'isOn'>

/** What a form says; throws 10002 where the address is none of the internet. */
const read = ({ url, events, isOn }: Form): Form => {
  if (!isOpenUrl(url)) throw new Problem(10002, { url: 10002 })
  return { url: new URL(url).href, events: [...new Set(events)], isOn }
}

const show = ({ id, url, events, isOn, disabled, former, version }: Item<Webhook>) => ({
  ...{ id, url, events, isOn, version },
  ...(disabled && { disabled }),
  ...(former && former.until > new Date().toISOString() && { formerUntil: former.until }),
})

const add = async ({ table, company }: Caller, form: Form, typed?: string) => {
  const webhook = read(form)
  if ((await readWebhooks(table)).length >= mostWebhooks) throw new Problem(60002)
  const secret = typed === undefined ? newWebhookSecret() : shownSecretOf(typed)
  const id = newId()
  await save(table.insert(webhookKey(id), { id, ...webhook, secret: await sealSecret(company, id, secret) }))
  return { id, secret }
}

/** Whoever switches an endpoint on begins anew: why it was off counts no more. */
const changed = ({ disabled, ...webhook }: Item<Webhook>, form: Form): Item<Webhook> => ({
  ...webhook,
  ...read(form),
  ...(disabled && !form.isOn && { disabled }),
})

/** The webhook with another secret; the one it had signs as well for a while. */
const withSecret = async (company: string, webhook: Item<Webhook>, secret: string): Promise<Item<Webhook>> => ({
  ...webhook,
  secret: await sealSecret(company, webhook.id, secret),
  former: { sealed: webhook.secret, until: new Date(Date.now() + formerSecretHours * 3600_000).toISOString() },
})

export const handler = lambda(webhooksPaths, {
  'webhooks/show': async () => ({ is_show: isDeveloperMode() }),

  'webhooks/get': async (_, { table }) => {
    needDeveloperMode()
    const [first] = await readWebhooks(table)
    return first ? show(first) : {}
  },

  'webhooks/update': async ({ secret: typed, version, ...form }, caller) => {
    needDeveloperMode()
    const { table, company } = caller
    const [first] = await readWebhooks(table)
    if (first?.version !== version) throw new Problem(60006)
    if (!first) return { ...(await add(caller, form, typed)), version: 1 }
    const secret = typed === undefined ? undefined : shownSecretOf(typed)
    const now = changed(first, form)
    await save(table.replace(webhookKey(first.id), secret === undefined ? now : await withSecret(company, now, secret)))
    return { id: first.id, ...(secret !== undefined && { secret }), version: first.version + 1 }
  },

  'webhooks/endpoint/grid': async ({ size, page }, { table }) => {
    needDeveloperMode()
    const webhooks = await readWebhooks(table)
    const { list, ...rest } = await table.slice(webhooks, { name: 'webhooks', size, page })
    return { list: list.map(webhook => show(webhook)), count: webhooks.length, ...rest }
  },

  'webhooks/endpoint/add': async ({ secret, ...form }, caller) => {
    needDeveloperMode()
    return add(caller, form, secret)
  },

  'webhooks/endpoint/update': async ({ id, version, ...form }, caller) => {
    const webhook = await findWebhook(caller, id)
    await save(caller.table.replace(webhookKey(id), { ...changed(webhook, form), version }))
    return { version: version + 1 }
  },

  'webhooks/endpoint/rotate': async ({ id, secret: typed }, caller) => {
    const webhook = await findWebhook(caller, id)
    const secret = typed === undefined ? newWebhookSecret() : shownSecretOf(typed)
    const now = await withSecret(caller.company, webhook, secret)
    await save(caller.table.replace(webhookKey(id), now))
    return { secret, formerUntil: now.former?.until ?? '' }
  },

  'webhooks/endpoint/delete': async ({ id }, caller) => {
    const webhook = await findWebhook(caller, id)
    await save(caller.table.remove(webhookKey(id), webhook.version))
    return {}
  },
})
