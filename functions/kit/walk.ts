import type { Context } from 'aws-lambda'
import { zoneKey, zonesKey } from '../../shared/company.ts'
import type { Key } from '../../shared/table.ts'
import { type Trying, tryEach } from './each.ts'
import { directory, type Item, save } from './table.ts'

// How a job visits all companies. A failure stops no other company. The next run continues where this run ended, even
// if the cloud ended it.

/** The last item that the walk started. After a killed run, `inHand` contains the items it was working on. */
export type Stop<T> = T & { inHand?: T[] }

interface Walk<T> extends Omit<Trying<T>, 'nameOf' | 'raisesAlarm'> {
  /** Where the walk stores its position. */
  stopKey: Key<Stop<T>>
  /** All items in order, or only those after the given item. */
  items(after: T | undefined): AsyncIterable<T>
  isTimeUp(): boolean
  /** Stores failed items for a later retry, if the next walk would not contain them. */
  keep?(failed: T[]): Promise<void>
}

/** The time reserved for the longest work on one company and for the end of the run. */
const spareMilliseconds = 100_000

/** Whether the run must end before the cloud ends it. */
export const timeLimit = (context?: Pick<Context, 'getRemainingTimeInMillis'>) => (): boolean =>
  context !== undefined && context.getRemainingTimeInMillis() < spareMilliseconds

const portionSize = 32

const itemOf = <T extends object>({ version: _, inHand: __, ...item }: Item<Stop<T>>) => item as unknown as T

async function* inPortions<T>(items: AsyncIterable<T>): AsyncGenerator<[T, ...T[]]> {
  const portion: T[] = []
  const take = () => portion.splice(0) as [T, ...T[]]
  for await (const item of items) if (portion.push(item) === portionSize) yield take()
  if (portion.length > 0) yield take()
}

/**
 * Runs each item; a failure raises an alarm. Stores the position before each portion. If a portion kills the run, the
 * next run counts it as failed and continues after it.
 */
export const walk = async <T extends object>(
  { stopKey, items, isTimeUp, keep, ...trying }: Walk<T>,
  run: (item: T) => Promise<unknown>,
): Promise<{ begun: number; failed: number; isWhole: boolean }> => {
  const sum = { begun: 0, failed: 0, isWhole: true }
  const tryPortion = async (portion: T[], run: (item: T) => Promise<unknown>) => {
    const failed = await tryEach({ ...trying, nameOf: item => item, raisesAlarm: true }, portion, run)
    sum.failed += failed.length
    if (failed.length > 0) await keep?.(failed)
  }
  const stop = await directory().get(stopKey)
  await tryPortion(stop?.inHand ?? [], async () => {
    throw new Error('The run before ended while it was at this')
  })
  let last = stop && itemOf(stop)
  let isNoted = stop !== undefined
  for await (const portion of inPortions(items(last))) {
    await save(directory().put(stopKey, { ...(portion.at(-1) ?? portion[0]), inHand: portion }))
    isNoted = true
    await tryPortion(portion, async item => {
      if (sum.begun > 0 && isTimeUp()) sum.isWhole = false
      if (!sum.isWhole) return
      sum.begun++
      last = item
      await run(item)
    })
    if (sum.isWhole || !last) continue
    await save(directory().put(stopKey, last))
    return sum
  }
  if (isNoted) await save(directory().remove(stopKey))
  return sum
}

/** All companies by time zone, or only those after the given company. */
export async function* companiesBehind(
  after: { zone: string; company: string } | undefined,
  isMeant = (_zone: string): boolean => true,
): AsyncGenerator<{ zone: string; company: string }> {
  const zones = await directory().all<{ zone: string }>({ pk: zonesKey('').pk, ...(after && { from: after.zone }) })
  for (const { zone } of zones)
    if (isMeant(zone))
      for await (const { company } of directory().each<{ company: string }>({
        pk: zoneKey(zone, '').pk,
        ...(zone === after?.zone && { after: after.company }),
      }))
        yield { zone, company }
}
