import { setTimeout as wait } from 'node:timers/promises'
import { iso } from '../../shared/local-day.ts'
import {
  type Punch,
  positionOf,
  punchKey,
  type RecordMark,
  receivedPk,
  recordMarkKey,
  settleSeconds,
  storedAtOf,
} from '../../shared/punch.ts'
import { atOnce } from '../kit/each.ts'
import { again, change } from '../kit/table/change.ts'
import { type Item, save, type Table } from '../kit/table.ts'

// The order of `record/since`. A punch stands where its writer's clock put it. Clocks step back and differ between machines, so
// the order does not rest on them: a reader marks how far it reads before it reads, and a writer stays behind that mark.

/** An index follows its table within this time. */
const indexLagMilliseconds = 1000
/** Younger punches are not listed yet, so that a writer rarely meets the mark. */
const settleMilliseconds = settleSeconds * 1000
const movedAtOnce = 8

/** Just behind a mark, which starts with an instant; punches behind the same mark stand by the clock among themselves. */
const justBehind = (mark: string, now: number) => `${iso(Date.parse(mark.slice(0, iso(0).length)) + 1)}@${iso(now)}`

/** Where a punch stored now stands: by the clock, unless the mark is further. */
export const positionNow = async (table: Table, now: number): Promise<Pick<Punch, 'position'>> => {
  const { upTo = '' } = (await table.get(recordMarkKey)) ?? {}
  return upTo > iso(now) ? { position: justBehind(upTo, now) } : {}
}

/** Moves stored punches behind the mark where a reader passed them while they were being stored. */
export const moveOvertaken = async (table: Table, stored: readonly Punch[]): Promise<void> => {
  const { upTo } = (stored.length > 0 && (await table.get(recordMarkKey))) || {}
  if (upTo === undefined) return
  const overtaken = stored.filter(punch => positionOf(punch) <= upTo)
  const moved = await atOnce(movedAtOnce, overtaken, punch =>
    change(table, punchKey(punch), current =>
      positionOf(current) <= upTo ? { ...current, position: justBehind(upTo, Date.now()) } : undefined,
    ),
  )
  // The mark may have gone on while they moved.
  await moveOvertaken(
    table,
    moved.filter(punch => punch !== undefined),
  )
}

const markUpTo = (table: Table, mark: Partial<RecordMark>): Promise<void> =>
  again(async () => {
    const before = await table.get(recordMarkKey)
    const { upTo = '', settled = '' } = mark
    const after = {
      upTo: upTo > (before?.upTo ?? '') ? upTo : (before?.upTo ?? ''),
      settled: settled > (before?.settled ?? '') ? settled : (before?.settled ?? ''),
    }
    if (before?.upTo === after.upTo && before.settled === after.settled) return
    await save(
      before ? table.replace(recordMarkKey, { ...after, version: before.version }) : table.insert(recordMarkKey, after),
    )
  })

/** Closes the order up to a position: nothing comes before it any more, and the index shows everything that is there. */
const closeUpTo = async (table: Table, position: string): Promise<void> => {
  await markUpTo(table, { upTo: position })
  await wait(indexLagMilliseconds)
  await markUpTo(table, { settled: position })
}

interface Row {
  item: Item<Punch>
  at: string
}

/** The punches behind a position, but for those from the first on that was stored within the last minute. */
const readBehind = async (
  table: Table,
  range: { after?: string | undefined; to?: string; size: number },
  now: number,
) => {
  // The row at `after` may come along and is left out.
  const { rows } = await table.part<Punch>({ index: 'byDay', pk: receivedPk, ...range, size: range.size + 1 })
  const first = rows.findIndex(({ item }) => Math.abs(now - Date.parse(storedAtOf(item))) < settleMilliseconds)
  return first < 0 ? rows : rows.slice(0, first)
}

/** The last position the clock calls settled: closing the order up to there serves the pages to come. */
const lastByClock = async (table: Table, now: number): Promise<string> => {
  const range = { index: 'byDay', pk: receivedPk, to: iso(now - settleMilliseconds), reverse: true, size: 1 } as const
  return (await table.part<Punch>(range)).rows[0]?.at ?? ''
}

/** A page of punches behind a cursor, in an order that nothing is put into afterwards. */
export const readSince = async (
  table: Table,
  { after, size }: { after: string | undefined; size: number },
  now = Date.now(),
): Promise<{ rows: Row[]; isMore: boolean }> => {
  const { settled = '' } = (await table.get(recordMarkKey)) ?? {}
  // One more tells that there is more.
  let rows = await readBehind(table, { after, size: size + 1 }, now)
  const last = rows.at(-1)?.at ?? after
  if (last !== undefined && last > settled) {
    const byClock = rows.length > size ? await lastByClock(table, now) : ''
    await closeUpTo(table, byClock > last ? byClock : last)
    rows = await readBehind(table, { after, to: last, size: size + 1 }, now)
  }
  return { rows: rows.slice(0, size), isMore: rows.length > size }
}
