import { replayDays } from '../../shared/webhooks/delivery.ts'
import { type EventGroup, groupOf, type Happened } from '../../shared/webhooks/event.ts'
import { type Webhook, webhookKey } from '../../shared/webhooks.ts'
import { isDeveloperMode } from '../kit/developer-mode.ts'
import type { Item, Table } from '../kit/table.ts'

/** The endpoints of a company in order of creation. */
export const readWebhooks = (table: Table): Promise<Item<Webhook>[]> => table.all<Webhook>({ pk: webhookKey('').pk })

const replayMilliseconds = replayDays * 24 * 3600_000

/**
 * Whether the server stores events for an endpoint. Without developer mode it stores none, because no user could
 * disable the endpoint there. An automatically disabled endpoint still gets events, as undelivered, for as long as
 * users can replay them.
 */
export const hears = (
  { isOn, disabled, events }: Pick<Webhook, 'isOn' | 'disabled' | 'events'>,
  { event }: Pick<Happened, 'event'>,
) => {
  const group: EventGroup | undefined = groupOf(event)
  const isKept = disabled !== undefined && Date.now() - Date.parse(disabled.at) < replayMilliseconds
  return isDeveloperMode() && (isOn || isKept) && group !== undefined && events.includes(group)
}
