import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type { Fact, FactType } from '../../shared/fact.ts'
import { tryEach } from './each.ts'
import { faultOf, log } from './log.ts'

const companiesAtOnce = 4

/** An event and its message. */
export interface Told<F> {
  fact: F
  message: string
}

/** Runs groups of events together; returns the messages of the failed ones, and only those are delivered again. */
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

/** The same, separately for each company. */
export const tryCompanies = <F extends { company: string }>(
  name: string,
  told: Told<F>[],
  run: (company: string, facts: Told<F>[]) => Promise<unknown>,
): Promise<string[]> =>
  tryGroups(name, companiesAtOnce, Map.groupBy(told, ({ fact }) => fact.company).values(), async group => {
    const [first] = group
    if (first) await run(first.fact.company, group)
  })

/** The same, separately for each event. */
export const tryFacts = <F>(
  name: string,
  atOnce: number,
  told: Told<F>[],
  run: (fact: F) => Promise<unknown>,
): Promise<string[]> =>
  tryGroups(
    name,
    atOnce,
    told.map(one => [one]),
    async group => {
      for (const { fact } of group) await run(fact)
    },
  )

const read = ({ body }: SQSRecord) => (JSON.parse(body) as { detail: Fact }).detail

/**
 * A job behind a queue: `run` gets the events of a batch and returns the messages to deliver again. An unreadable
 * message fails alone; an exception fails the whole batch.
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
      log({ job: name, fault: faultOf(error) })
    }
    log({ job: name, facts: Records.length, failed: failed.length, ms: Math.round(performance.now() - startedAt) })
    return { batchItemFailures: [...new Set(failed)].map(itemIdentifier => ({ itemIdentifier })) }
  }
}
