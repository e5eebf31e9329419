import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type { Fact, FactType } from '../../shared/fact.ts'
import { tryEach } from './each.ts'
import { faultOf, log } from './log.ts'

const companiesAtOnce = 4

/** An event and the id of its queue message. */
export interface Told<F> {
  fact: F
  message: string
}

/**
 * Runs groups of events and returns the message ids of the failed groups. The queue delivers only these messages again.
 */
export const tryGroups = async <F>(
  name: string,
  atOnce: number,
  groups: Iterable<Told<F>[]>,
  run: (group: Told<F>[]) => Promise<unknown>,
): Promise<string[]> => {
  const nameOf = (group: Told<F>[]) => ({ fact: group[0]?.fact, facts: group.length })
  const failed = await tryEach({ job: name, atOnce, nameOf }, [...groups], run)
  return failed.flatMap(group => group.map(({ message }) => message))
}

/** Like `tryGroups`, with one group for each company. */
export const tryCompanies = <F extends { company: string }>(
  name: string,
  facts: Told<F>[],
  run: (company: string, facts: Told<F>[]) => Promise<unknown>,
): Promise<string[]> =>
  tryGroups(name, companiesAtOnce, Map.groupBy(facts, ({ fact }) => fact.company).values(), async group => {
    const [first] = group
    if (first) await run(first.fact.company, group)
  })

/** Like `tryGroups`, with one group for each event. */
export const tryFacts = <F>(
  name: string,
  atOnce: number,
  facts: Told<F>[],
  run: (fact: F) => Promise<unknown>,
): Promise<string[]> =>
  tryGroups(
    name,
    atOnce,
    facts.map(entry => [entry]),
    async group => {
      for (const { fact } of group) await run(fact)
    },
  )

const read = ({ body }: SQSRecord) => (JSON.parse(body) as { detail: Fact }).detail

/**
 * A job behind a queue: `run` gets the events of a batch and returns the ids of the messages to deliver again. An
 * unreadable message fails alone; an exception fails the whole batch.
 */
export const job = <T extends FactType>(
  name: string,
  types: readonly T[],
  run: (facts: Told<Extract<Fact, { type: T }>>[]) => Promise<string[]>,
) => {
  type JobFact = Extract<Fact, { type: T }>
  const isJobFact = (fact: Fact): fact is JobFact => (types as readonly string[]).includes(fact.type)
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const startedAt = performance.now()
    const failed: string[] = []
    const facts: Told<JobFact>[] = []
    for (const record of Records) {
      try {
        const fact = read(record)
        if (isJobFact(fact)) facts.push({ fact, message: record.messageId })
      } catch (error) {
        failed.push(record.messageId)
        log({ job: name, message: record.messageId, fault: String(error) })
      }
    }
    try {
      failed.push(...(await run(facts)))
    } catch (error) {
      failed.push(...facts.map(({ message }) => message))
      log({ job: name, fault: faultOf(error) })
    }
    log({ job: name, facts: Records.length, failed: failed.length, ms: Math.round(performance.now() - startedAt) })
    return { batchItemFailures: [...new Set(failed)].map(itemIdentifier => ({ itemIdentifier })) }
  }
}
