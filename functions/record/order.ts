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

// The order of `record/since`. The writer's clock orders punches, but clocks step back and differ. So a reader stores a
// mark before it reads, and writers store their punches behind the mark.

/** The longest delay of an index behind its table. */
const indexLagMilliseconds = 1000
/** Readers skip younger punches for now, so that writers rarely meet the mark. */
const settleMilliseconds = settleSeconds * 1000
const movedAtOnce = 8

/** A position just behind a mark, which begins with an instant. The clock orders the punches behind one mark. */
const justBehind = (mark: string, now: number) => `${iso(Date.parse(mark.slice(0, iso(0).length)) + 1)}@${iso(now)}`

/** The position of a punch stored now: by the clock, or behind the mark if the mark is further. */
export const positionNow = async (table: Table, now: number): Promise<Pick<Punch, 'position'>> => {
  const { upTo = '' } = (await table.get(recordMarkKey)) ?? {}
  return upTo > iso(now) ? { position: justBehind(upTo, now) } : {}
}

/** Moves stored punches behind the mark if a reader passed them during the save. */
export const moveOvertaken = async (table: Table, stored: readonly Punch[]): Promise<void> => {
  const { upTo } = (stored.length > 0 && (await table.get(recordMarkKey))) || {}
  if (upTo === undefined) return
  const overtaken = stored.filter(punch => positionOf(punch) <= upTo)
  const moved = await atOnce(movedAtOnce, overtaken, punch =>
    change(table, punchKey(punch), current =>
      positionOf(current) <= upTo ? { ...current, position: justBehind(upTo, Date.now()) } : undefined,
    ),
  )
  // A reader may have moved the mark meanwhile, so check again.
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

/**
 * Closes the order up to a position, so that later punches get positions behind it. Waits until the index is complete
 * up to the position.
 */
const closeUpTo = async (table: Table, position: string): Promise<void> => {
  await markUpTo(table, { upTo: position })
  await wait(indexLagMilliseconds)
  await markUpTo(table, { settled: position })
}

interface Row {
  item: Item<Punch>
  at: string
}

/** The punches behind a cursor, up to the first one of the last minute. */
const readBehind = async (
  table: Table,
  range: { after?: string | undefined; to?: string; size: number },
  now: number,
) => {
  // Read one more row, because the range may include the row at `after`.
  const { rows } = await table.part<Punch>({ index: 'byDay', pk: receivedPk, ...range, size: range.size + 1 })
  const first = rows.findIndex(({ item }) => Math.abs(now - Date.parse(storedAtOf(item))) < settleMilliseconds)
  return first < 0 ? rows : rows.slice(0, first)
}

/** The last position that the clock considers settled. Closing up to this position serves the following pages, too. */
const lastByClock = async (table: Table, now: number): Promise<string> => {
  const range = { index: 'byDay', pk: receivedPk, to: iso(now - settleMilliseconds), reverse: true, size: 1 } as const
  return (await table.part<Punch>(range)).rows[0]?.at ?? ''
}

/** A page of punches behind a cursor. After the answer, no punch gets a position before the end of the page. */
export const readSince = async (
  table: Table,
  { after, size }: { after: string | undefined; size: number },
  now = Date.now(),
): Promise<{ rows: Row[]; isMore: boolean }> => {
  const { settled = '' } = (await table.get(recordMarkKey)) ?? {}
  // One extra row shows whether there are more punches.
  let rows = await readBehind(table, { after, size: size + 1 }, now)
  const last = rows.at(-1)?.at ?? after
  if (last !== undefined && last > settled) {
    const byClock = rows.length > size ? await lastByClock(table, now) : ''
    await closeUpTo(table, byClock > last ? byClock : last)
    rows = await readBehind(table, { after, to: last, size: size + 1 }, now)
  }
  return { rows: rows.slice(0, size), isMore: rows.length > size }
}
