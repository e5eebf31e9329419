import { eraseFromWebhooks } from '../functions/erasure/webhooks.ts'
import { job, type Told, tryCompanies, tryFacts } from '../functions/kit/job.ts'
import { wasSlower } from '../functions/kit/table/change.ts'
import { openTable, save } from '../functions/kit/table.ts'
import { bodyOfEvent, eventIdOf, tellingOf } from '../functions/webhooks/body.ts'
import { pointAt, tellWebhooks } from '../functions/webhooks/delivery.ts'
import { hears, readWebhooks } from '../functions/webhooks/store.ts'
import { jobs } from '../shared/jobs.ts'
import type { Happened } from '../shared/webhooks/event.ts'

// Stores each event once for the endpoints that want it. The job `deliver` sends it.

const eventsAtOnce = 8

type Webhooks = ReturnType<typeof readWebhooks>

/** Returns the endpoints for which it stored the event. */
const announce = async (told: Happened, known: Map<string, Webhooks>): Promise<string[]> => {
  const { company } = told
  const table = openTable(company)
  const all = known.get(company) ?? readWebhooks(table)
  known.set(company, all)
  const webhooks = (await all).filter(webhook => hears(webhook, told))
  if (webhooks.length === 0) return []
  const telling = await tellingOf(table, told)
  if (!telling) return []
  const { employee } = telling
  const event = eventIdOf(told)
  const ids = webhooks.map(({ id }) => id)
  const { writes } = tellWebhooks(
    { table, company },
    { event, type: told.event, body: bodyOfEvent(told, telling), employee },
    ids,
  )
  try {
    await save(...writes)
  } catch (error) {
    // The event is a duplicate and already stored.
    if (!wasSlower(error)) throw error
  }
  // An erasure that ran meanwhile did not find this event yet.
  if (employee !== undefined) await eraseFromWebhooks(table, employee, event)
  return ids
}

export const handler = job('announce', jobs.announce.facts, async (told: Told<Happened>[]) => {
  const webhooks = new Map<string, Webhooks>()
  const written = new Map<string, Set<string>>()
  const failed = await tryFacts('announce', eventsAtOnce, told, async fact => {
    const ids = await announce(fact, webhooks)
    written.set(fact.company, new Set([...(written.get(fact.company) ?? []), ...ids]))
  })
  // Use one query for all events of a batch, because most belong to one company.
  const unpointed = await tryCompanies('announce', told, company => pointAt(company, [...(written.get(company) ?? [])]))
  return [...failed, ...unpointed]
})
