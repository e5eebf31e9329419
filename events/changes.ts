import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { publish } from '../functions/kit/bus.ts'
import { tryEach } from '../functions/kit/each.ts'
import { log } from '../functions/kit/log.ts'
import { openTable } from '../functions/kit/table.ts'
import { hears, readWebhooks } from '../functions/webhooks/store.ts'
import { alarmNames } from '../shared/alarm.ts'
import { type Fact, factsOf } from '../shared/fact.ts'
import { readStored } from '../shared/table.ts'

// The table's stream is the outbox. Each write gives its event, and no event exists without its write, so no event is
// lost.

const companiesAtOnce = 16

type Image = Parameters<typeof unmarshall>[0]
const read = (image: unknown) => (image ? readStored(unmarshall(image as Image)) : undefined)

/** Logs and skips an unreadable record, which would otherwise return for a day and block all later records. */
const factsOfRecord = ({ dynamodb }: DynamoDBRecord): Fact[] => {
  try {
    const [old, now] = [read(dynamodb?.OldImage), read(dynamodb?.NewImage)]
    const { company, pk } = now ?? old ?? {}
    if (company === undefined || pk === undefined) return []
    const at = new Date((dynamodb?.ApproximateCreationDateTime ?? 0) * 1000).toISOString()
    return factsOf(pk, { company, at, ...(old && { old: old.item }), ...(now && { new: now.item }) })
  } catch (error) {
    log({ job: 'changes', alarm: alarmNames.unreadable, unreadable: dynamodb?.Keys, fault: String(error) })
    return []
  }
}

/** Puts webhook events on the bus only if an endpoint wants them, because most companies have no endpoint. */
const heard = async (facts: Fact[]): Promise<Fact[]> => {
  const companies = new Set(facts.flatMap(fact => (fact.type === 'event.happened' ? [fact.company] : [])))
  const webhooks = new Map<string, Awaited<ReturnType<typeof readWebhooks>>>()
  const trying = { job: 'changes', atOnce: companiesAtOnce, nameOf: (company: string) => ({ company }) }
  // An unreadable company must not block the stream. Publish its events; the job `announce` retries.
  const unread = await tryEach(trying, [...companies], async company => {
    webhooks.set(company, await readWebhooks(openTable(company)))
  })
  return facts.filter(
    fact =>
      fact.type !== 'event.happened' ||
      unread.includes(fact.company) ||
      webhooks.get(fact.company)?.some(webhook => hears(webhook, fact)),
  )
}

/**
 * Publishes the facts of stream records on the bus. After a failure, returns the first unpublished record. The stream
 * delivers that record and the later ones again, and duplicates are harmless.
 */
export const handler = async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const startedAt = performance.now()
  const facts = Records.flatMap(factsOfRecord)
  // Publish equal events of a batch once.
  const once = [...new Map(facts.map(fact => [JSON.stringify(fact), fact])).values()]
  try {
    await publish(await heard(once))
  } catch (error) {
    log({ job: 'changes', records: Records.length, fault: String(error) })
    return { batchItemFailures: [{ itemIdentifier: Records[0]?.dynamodb?.SequenceNumber ?? '' }] }
  }
  log({ job: 'changes', records: Records.length, facts: once.length, ms: Math.round(performance.now() - startedAt) })
  return { batchItemFailures: [] }
}
