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

// The outbox of webhooks. The server stores each delivery before sending it, so that none is lost. The server repeats a
// delivery without a stored result, with its first id.

interface Outbox {
  table: Table
  company: string
}

const expiry = (now: number) => Math.floor(now / 1000) + logDays * 24 * 3600

const dueWrite = ({ table }: Outbox, { webhook, id, event }: Pick<Delivery, 'webhook' | 'id' | 'event'>, at: string) =>
  table.put(dueDeliveryKey(webhook, { at, id }), { id, event, at, tries: 0 })

/**
 * Tells the scheduled job that endpoints have due deliveries. Call it after their save. All events of a company write
 * these pointers, so calls within the save would conflict.
 */
export const pointAt = async (company: string, webhooks: string[]): Promise<void> => {
  const at = new Date().toISOString()
  // A new version makes a concurrent removal of the old pointer fail.
  const point = (webhook: string) => directory().putAnew(deliveringKey({ company, webhook }), { company, webhook, at })
  await Promise.all(webhooks.map(webhook => save(point(webhook))))
}

/**
 * The writes of an event for some endpoints, and of the person whom the event concerns. Saving them throws 60006 if the
 * event is already stored. The caller calls `pointAt` afterwards in both cases.
 */
export const tellWebhooks = (
  { table, company }: Outbox,
  { event, type, body, employee }: { event: string; type: Told; body: string; employee?: string | undefined },
  webhooks: string[],
): { writes: Write[]; ids: string[] } => {
  const now = Date.now()
  const nextAt = new Date(now).toISOString()
  const toldEvent: ToldEvent = { event, type, body, expiresAt: expiry(now) }
  const ids = webhooks.map(() => newId(now))
  const writes = webhooks.flatMap((webhook, i) => {
    const id = ids[i] ?? ''
    const delivery: Delivery = {
      ...{ id, webhook, event, type, state: 'due', nextAt, tries: 0, attempts: [] },
      expiresAt: toldEvent.expiresAt,
    }
    return [table.insert(deliveryKey(webhook, id), delivery), dueWrite({ table, company }, delivery, nextAt)]
  })
  const { expiresAt } = toldEvent
  const deliveries = webhooks.map((webhook, i) => ({ webhook, id: ids[i] ?? '' }))
  const ofEmployee =
    employee === undefined ? [] : [table.put(toldOfKey(employee, event), { event, deliveries, expiresAt })]
  return { writes: [table.insert(toldEventKey(event), toldEvent), ...ofEmployee, ...writes], ids }
}

/** The writes that make a finished delivery due again. The caller calls `pointAt` afterwards. */
export const replay = (outbox: Outbox, delivery: Item<Delivery>): Write[] => {
  const nextAt = new Date().toISOString()
  const { webhook, id } = delivery
  return [
    outbox.table.replace(deliveryKey(webhook, id), { ...delivery, state: 'due', nextAt, tries: 0 }),
    dueWrite(outbox, delivery, nextAt),
  ]
}
