import { type EventGroup, groupOf, type Happened } from '../../shared/webhook-event.ts'
import { type Webhook, webhookKey } from '../../shared/webhooks.ts'
import type { Item, Table } from './table.ts'

/** The endpoints of a company, in the order they were made. */
export const readWebhooks = (table: Table): Promise<Item<Webhook>[]> => table.all<Webhook>({ pk: webhookKey('').pk })

/** Whether an endpoint hears an event. */
export const hears = ({ isOn, events }: Pick<Webhook, 'isOn' | 'events'>, { event }: Pick<Happened, 'event'>) => {
  const group: EventGroup | undefined = groupOf(event)
  return isOn && group !== undefined && events.includes(group)
}
