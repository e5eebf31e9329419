import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { Fact } from '../../shared/fact.ts'
import { source } from '../../shared/jobs.ts'
import { environment } from './environment.ts'

const bus = new EventBridgeClient()

/**
 * Puts events on the bus, ten at a time. Throws after sending all if the bus rejected some, so that the caller
 * retries.
 */
export const publish = async (facts: Fact[]): Promise<void> => {
  let refused = 0
  for (let i = 0; i < facts.length; i += 10) {
    const { FailedEntryCount } = await bus.send(
      new PutEventsCommand({
        Entries: facts.slice(i, i + 10).map(fact => ({
          EventBusName: environment('BUS'),
          Source: source,
          DetailType: fact.type,
          Detail: JSON.stringify(fact),
        })),
      }),
    )
    refused += FailedEntryCount ?? 0
  }
  if (refused > 0) throw new Error(`The bus did not accept ${refused} facts`)
}
