import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { Fact } from '../../shared/fact.ts'
import { source } from '../../shared/jobs.ts'
import { environment } from './environment.ts'

const bus = new EventBridgeClient()

/** Puts facts on the bus, ten at a time as it takes them. Throws where one was not accepted, so that the caller tries again. */
export const publish = async (facts: Fact[]): Promise<void> => {
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
    if (FailedEntryCount) throw new Error(`The bus did not accept ${FailedEntryCount} facts`)
  }
}
