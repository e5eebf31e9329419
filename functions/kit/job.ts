import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type { Fact, FactType } from '../../shared/fact.ts'
import { log } from './log.ts'

/** A fact and the message it came in. */
export interface Told<F> {
  fact: F
  message: string
}

const read = ({ body }: SQSRecord) => (JSON.parse(body) as { detail: Fact }).detail

/**
 * One job fed by a queue: `run` gets the facts of a batch and answers the messages that failed and are to come again. A
 * message that cannot be read fails alone; what `run` throws fails the whole batch.
 */
export const job = <T extends FactType>(
  name: string,
  types: readonly T[],
  run: (told: Told<Extract<Fact, { type: T }>>[]) => Promise<string[]>,
) => {
  type Mine = Extract<Fact, { type: T }>
  const isMine = (fact: Fact): fact is Mine => (types as readonly string[]).includes(fact.type)
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const startedAt = performance.now()
    const failed: string[] = []
    const told: Told<Mine>[] = []
    for (const record of Records) {
      try {
        const fact = read(record)
        if (isMine(fact)) told.push({ fact, message: record.messageId })
      } catch (error) {
        failed.push(record.messageId)
        log({ job: name, message: record.messageId, fault: String(error) })
      }
    }
    try {
      failed.push(...(await run(told)))
    } catch (error) {
      failed.push(...told.map(({ message }) => message))
      log({ job: name, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
    log({ job: name, facts: Records.length, failed: failed.length, ms: Math.round(performance.now() - startedAt) })
    return { batchItemFailures: [...new Set(failed)].map(itemIdentifier => ({ itemIdentifier })) }
  }
}
