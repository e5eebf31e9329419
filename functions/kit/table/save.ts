import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { BatchExecuteStatementCommand, DeleteCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { Problem } from '../../../shared/errors.ts'
import { tallyParts } from '../../../shared/table.ts'
import { environment } from '../environment.ts'
import { client, nameOf, placeOf, readAll } from './engine.ts'
import { collectAudit, isOneByOne, isTaskNoun } from './trail.ts'
import { changedMeanwhile, type Otherwise, type Write } from './write.ts'

/**
 * Reduces writes to one operation for each item, as the engine requires. Merges equal checks, drops checks of inserted
 * items, and sums additions to a tally.
 */
const withoutNeedless = (writes: Write[]): Write[] => {
  const seen = new Set(writes.flatMap(({ put }) => (put ? [placeOf(put as { pk: string; sk: string })] : [])))
  const sums = new Map<string, NonNullable<Write['tally']>>()
  const needed = writes.filter(({ check, isRequirement, tally }) => {
    if (tally) {
      const by = sums.get(placeOf(tally))?.by ?? {}
      const names = Object.keys({ ...by, ...tally.by })
      const sum = Object.fromEntries(names.map(name => [name, (by[name] ?? 0) + (tally.by[name] ?? 0)]))
      sums.set(placeOf(tally), { ...tally, by: sum })
      return false
    }
    if (!check || !isRequirement) return true
    const isNeeded = !seen.has(placeOf(check))
    seen.add(placeOf(check))
    return isNeeded
  })
  for (const tally of sums.values())
    if (Object.values(tally.by).some(number => number !== 0)) needed.push({ tally, otherwise: changedMeanwhile })
  return needed
}

/** The limit of one save: the engine takes 100 writes, and the audit needs one of them. */
export const mostWrites = 99

/**
 * The items that a list of writes touches, because the engine takes one operation for each item. A separate audit entry
 * is one more item.
 */
const placesOf = (writes: Write[]): Set<string> =>
  new Set(
    writes.flatMap(({ put, remove, check, tally, audit }) => {
      const place = placeOf((put ?? remove ?? check ?? tally) as { pk: string; sk: string })
      const hasOwnEntry = audit && isTaskNoun(audit.trail.actor, audit.audited.noun) && isOneByOne(audit.audited.noun)
      return hasOwnEntry ? [place, `told ${place}`] : [place]
    }),
  )

/** Groups items into saves, in order. Each save has room for `others` further writes. */
export const inSaves = <T>(list: readonly T[], writesOf: (item: T) => Write[], others = 0): T[][] => {
  const saves: T[][] = []
  let places = new Set<string>()
  for (const item of list) {
    const needed = placesOf(writesOf(item))
    const together = places.union(needed)
    const hasRoom = saves.length > 0 && together.size <= mostWrites - others
    places = hasRoom ? together : needed
    if (!hasRoom) saves.push([])
    saves.at(-1)?.push(item)
  }
  return saves
}

/**
 * Saves all writes or none. A failed condition throws that write's `otherwise`. Retries a few times after a collision
 * with another transaction. Audits changes of audited nouns in the same transaction. Too many writes for one
 * transaction are a coding error and save nothing; split them (`mostWrites`).
 */
export const save = async (...all: Write[]): Promise<void> => {
  const needed = all.length > 1 ? withoutNeedless(all) : all
  // Skip the audit: most saves are single punches without an actor.
  if (!needed.some(({ audit }) => audit)) return carryOut(needed)
  const { entries, saved } = await collectAudit(needed)
  const writes = [...needed, ...entries]
  if (writes.length > 100) throw new Error(`${needed.length} writes and ${entries.length} of the audit are too many.`)
  await carryOut(writes)
  saved()
}

/** The result of inserting an item; after `failed` the item may be stored or not. */
export type Arrival = 'stored' | 'known' | 'failed'

/** The engine's limit of one batch. */
export const mostArrivals = 25

/**
 * Inserts items independently in one request: an existing item does not affect the other inserts. Only for items that
 * never expire and are not audited. Throws if the whole request failed.
 */
export const saveEach = async (writes: Write[]): Promise<Arrival[]> => {
  if (writes.some(({ audit }) => audit)) throw new Error('The audit is told by `save` alone.')
  const TableName = environment('TABLE')
  const statementOf = ({ put = {} }: Write) => {
    const attributes = Object.entries(put).filter(([, value]) => value !== undefined)
    return {
      Statement: `INSERT INTO "${TableName}" VALUE {${attributes.map(([name]) => `'${name}': ?`).join(', ')}}`,
      Parameters: attributes.map(([, value]) => value),
    }
  }
  const places = writes.map(({ put }) => placeOf(put as { pk: string; sk: string }))
  const firstOf = places.map(place => places.indexOf(place))
  // A batch may name an item only once. Insert the first of two equal items, and count the second as known.
  const distinct = [...new Set(firstOf)]
  const { Responses = [] } = await client.send(
    new BatchExecuteStatementCommand({ Statements: distinct.map(i => statementOf(writes[i] as Write)) }),
  )
  const arrivals = new Map(
    distinct.map((i, n): [number, Arrival] => {
      const answer = Responses[n]
      if (answer?.Error?.Code === 'DuplicateItem') return [i, 'known']
      return [i, answer && !answer.Error ? 'stored' : 'failed']
    }),
  )
  return firstOf.map((first, i) => {
    const arrival = arrivals.get(first) ?? 'failed'
    return first !== i && arrival === 'stored' ? 'known' : arrival
  })
}

/** Whether the engine refused a save only because another transaction held one of its items. */
export const hasCollided = (error: unknown): boolean => {
  if (nameOf(error) === 'TransactionConflictException') return true
  const { CancellationReasons: reasons = [] } = Object(error) as { CancellationReasons?: { Code?: string }[] }
  const codes = reasons.map(({ Code = 'None' }) => Code).filter(code => code !== 'None')
  return codes.length > 0 && codes.every(code => code === 'TransactionConflict')
}

const mostTries = 5

/** The wait before the retry after a collision. */
const pause = (tries: number) => wait(20 * 2 ** tries * (0.5 + Math.random() / 2))

/** The tally part for the next addition. It rotates, so that parallel saves use different parts. */
let turn = randomInt(tallyParts)

const updateOf = ({ pk, sk, by }: NonNullable<Write['tally']>) => {
  const numbers = Object.entries(by)
  return {
    Key: { pk, sk: `${sk}#${turn % tallyParts}` },
    UpdateExpression: `SET #of = :of ADD ${numbers.map((_, i) => `#n${i} :n${i}`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries([['#of', 'of'], ...numbers.map(([name], i) => [`#n${i}`, name])]),
    ExpressionAttributeValues: Object.fromEntries([[':of', sk], ...numbers.map(([, number], i) => [`:n${i}`, number])]),
  }
}

const conditionOf = (write: Write) =>
  write.condition && {
    ConditionExpression: write.condition.expression,
    ExpressionAttributeNames: write.condition.names,
    ...(write.condition.values && { ExpressionAttributeValues: write.condition.values }),
  }

const problem = ({ code, fields }: Otherwise) => new Problem(code, fields)

/**
 * Whether a refused put is stored after all: the engine executed the first attempt, but its answer got lost. The SDK's
 * next attempt then met the item of the first attempt.
 */
const isStoredAlready = async (item: Record<string, unknown>, error: unknown): Promise<boolean> => {
  const { attempts = 1 } = (error as { $metadata?: { attempts?: number } }).$metadata ?? {}
  if (attempts === 1) return false
  const place = { pk: String(item.pk), sk: String(item.sk) }
  // The engine stores no undefined attributes.
  return isDeepStrictEqual((await readAll([place])).get(placeOf(place)), JSON.parse(JSON.stringify(item)))
}

export const carryOut = async (writes: Write[]): Promise<void> => {
  const [only] = writes
  const TableName = environment('TABLE')
  if (only && writes.length === 1 && !only.check && !only.tally) {
    for (let tries = 1; ; tries++) {
      try {
        if (only.put) await client.send(new PutCommand({ TableName, Item: only.put, ...conditionOf(only) }))
        else if (only.remove)
          await client.send(new DeleteCommand({ TableName, Key: only.remove, ...conditionOf(only) }))
        return
      } catch (error) {
        if (nameOf(error) === 'ConditionalCheckFailedException') {
          if (only.put && (await isStoredAlready(only.put, error))) return
          throw problem(only.otherwise)
        }
        // Another transaction holds the item.
        if (nameOf(error) !== 'TransactionConflictException' || tries === mostTries) throw error
        await pause(tries)
      }
    }
  }
  const operationOf = (write: Write) =>
    write.put
      ? { Put: { TableName, Item: write.put, ...conditionOf(write) } }
      : write.remove
        ? { Delete: { TableName, Key: write.remove, ...conditionOf(write) } }
        : write.tally
          ? { Update: { TableName, ...updateOf(write.tally) } }
          : {
              ConditionCheck: {
                TableName,
                Key: write.check,
                ConditionExpression: write.condition?.expression ?? '',
                ExpressionAttributeNames: write.condition?.names ?? {},
                ...(write.condition?.values && { ExpressionAttributeValues: write.condition.values }),
              },
            }
  for (let tries = 1; ; tries++) {
    turn++
    try {
      await client.send(new TransactWriteCommand({ TransactItems: writes.map(operationOf) }))
      return
    } catch (error) {
      if (nameOf(error) !== 'TransactionCanceledException') throw error
      const reasons = (error as { CancellationReasons?: { Code?: string }[] }).CancellationReasons ?? []
      const failed = reasons.findIndex(reason => reason.Code === 'ConditionalCheckFailed')
      const write = writes[failed]
      if (write) throw problem(write.otherwise)
      if (tries === mostTries) throw error
      await pause(tries)
    }
  }
}
