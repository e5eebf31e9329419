import { replayDays } from '../../shared/webhooks/delivery.ts'
import { type EventGroup, groupOf, type Happened } from '../../shared/webhooks/event.ts'
import { type Webhook, webhookKey } from '../../shared/webhooks.ts'
import { isDeveloperMode } from '../kit/developer-mode.ts'
import type { Item, Table } from '../kit/table.ts'

/** The endpoints of a company, in the order they were made. */
export const readWebhooks = (table: Table): Promise<Item<Webhook>[]> => table.all<Webhook>({ pk: webhookKey('').pk })

const replayMilliseconds = replayDays * 24 * 3600_000

/**
 * Whether an endpoint hears an event; none does where they are not offered, for nobody could switch it off. What happens while one is
 * off that nobody switched off is written down for it all the same, as not delivered, for as long as it may be sent again.
 */
export const hears = (
  { isOn, disabled, events }: Pick<Webhook, 'isOn' | 'disabled' | 'events'>,
  { event }: Pick<Happened, 'event'>,
) => {
  const group: EventGroup | undefined = groupOf(event)
  const isKept = disabled !== undefined && Date.now() - Date.parse(disabled.at) < replayMilliseconds
  return isDeveloperMode() && (isOn || isKept) && group !== undefined && events.includes(group)
}
