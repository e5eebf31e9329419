import { replayDays } from '../../shared/webhooks/delivery.ts'
import { type EventGroup, groupOf, type Happened } from '../../shared/webhooks/event.ts'
import { type Webhook, webhookKey } from '../../shared/webhooks.ts'
import { isDeveloperMode } from '../kit/developer-mode.ts'
import type { Item, Table } from '../kit/table.ts'

/** The endpoints of a company in order of creation. */
export const readWebhooks = (table: Table): Promise<Item<Webhook>[]> => table.all<Webhook>({ pk: webhookKey('').pk })

const replayMilliseconds = replayDays * 24 * 3600_000

/**
 * Whether events are stored for an endpoint. Never without developer mode, because nobody could disable the endpoint there.
 * An automatically disabled endpoint still gets them, as undelivered, for as long as they can be replayed.
 */
export const hears = (
  { isOn, disabled, events }: Pick<Webhook, 'isOn' | 'disabled' | 'events'>,
  { event }: Pick<Happened, 'event'>,
) => {
  const group: EventGroup | undefined = groupOf(event)
  const isKept = disabled !== undefined && Date.now() - Date.parse(disabled.at) < replayMilliseconds
  return isDeveloperMode() && (isOn || isKept) && group !== undefined && events.includes(group)
}
