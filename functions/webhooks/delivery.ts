import {
  type Delivery,
  deliveringKey,
  deliveryKey,
  dueDeliveryKey,
  logDays,
  type Told,
  type ToldEvent,
  toldEventKey,
  toldOfKey,
} from '../../shared/webhooks/delivery.ts'
import { newId } from '../kit/id.ts'
import { directory, type Item, save, type Table, type Write } from '../kit/table.ts'

// What is to be told to endpoints, written down before anybody sends it: nothing that was written is forgotten, and what was sent
// without being ticked off is sent again, by the same id.

interface Outbox {
  table: Table
  company: string
}

const expiry = (now: number) => Math.floor(now / 1000) + logDays * 24 * 3600

const dueWrite = ({ table }: Outbox, { webhook, id, event }: Pick<Delivery, 'webhook' | 'id' | 'event'>, at: string) =>
  table.put(dueDeliveryKey(webhook, { at, id }), { id, event, at, tries: 0 })

/**
 * Says for the clock that something is due to endpoints, once that is written down. Not in one save with it: everything that happens
 * in a company writes the same pointers, and such saves would stand in each other's way.
 */
export const pointAt = async (company: string, webhooks: string[]): Promise<void> => {
  const at = new Date().toISOString()
  // Whoever finds nothing due and takes the pointer away finds that it is another one.
  const point = (webhook: string) => directory().putAnew(deliveringKey({ company, webhook }), { company, webhook, at })
  await Promise.all(webhooks.map(webhook => save(point(webhook))))
}

/**
 * An event for some endpoints, and of whom it tells; refused with 60006 where it was written down before. `pointAt` comes after it,
 * also where it was.
 */
export const tellWebhooks = (
  { table, company }: Outbox,
  { event, type, body, employee }: { event: string; type: Told; body: string; employee?: string | undefined },
  webhooks: string[],
): { writes: Write[]; ids: string[] } => {
  const now = Date.now()
  const nextAt = new Date(now).toISOString()
  const told: ToldEvent = { event, type, body, expiresAt: expiry(now) }
  const ids = webhooks.map(() => newId(now))
  const writes = webhooks.flatMap((webhook, i) => {
    const id = ids[i] ?? ''
    const delivery: Delivery = {
      ...{ id, webhook, event, type, state: 'due', nextAt, tries: 0, attempts: [] },
      expiresAt: told.expiresAt,
    }
    return [table.insert(deliveryKey(webhook, id), delivery), dueWrite({ table, company }, delivery, nextAt)]
  })
  const { expiresAt } = told
  const deliveries = webhooks.map((webhook, i) => ({ webhook, id: ids[i] ?? '' }))
  const of = employee === undefined ? [] : [table.put(toldOfKey(employee, event), { event, deliveries, expiresAt })]
  return { writes: [table.insert(toldEventKey(event), told), ...of, ...writes], ids }
}

/** A delivery that is over begins anew; `pointAt` comes after it. */
export const replay = (outbox: Outbox, delivery: Item<Delivery>): Write[] => {
  const nextAt = new Date().toISOString()
  const { webhook, id } = delivery
  return [
    outbox.table.replace(deliveryKey(webhook, id), { ...delivery, state: 'due', nextAt, tries: 0 }),
    dueWrite(outbox, delivery, nextAt),
  ]
}
