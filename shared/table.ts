import type { Audited } from './change.ts'

// The one table. Every access pattern of the product is a key template beside its shape in `shared/<noun>.ts`; this file
// holds only what the table itself must know. The cloud stack, the local engine and the kit all read it.

/** Where in the indexes an item stands, and by which folded text it is found. */
export interface Places {
  byDay?: { pk: string; sk: string }
  byName?: { pk: string; sk: string }
  byNumber?: { pk: string; sk: string }
  /** Folded; a list is searched for what it contains. */
  search?: string
}

/**
 * A key as a noun writes it: `pk` without the company, which the opened table puts in front, and the item's places in the
 * indexes. Where those follow from what the item holds, `places` makes them of whatever is written, so that no writer can
 * forget one. `of` exists for the compiler alone: reading by a key gives the shape its noun declared.
 */
export interface Key<T = unknown> extends Places {
  pk: string
  sk: string
  places?(item: T): Places
  /** Where changes of the item are written down. */
  audited?: Audited<never>
  of?: T
}

export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Epoch seconds. Deletion by the engine is late or, locally, absent: readers compare it with the clock themselves. */
  expiry: 'expiresAt',
  /**
   * Set on an item that is being deleted, before anybody looks whether something still hangs on it: whoever hangs something
   * on it from then on is refused, so that what the look finds is all there is.
   */
  leaving: 'leavingAt',
  /** What a search looks into. */
  search: 'searchText',
  indexes: {
    /**
     * All employee-days of one company on one day and part: `DAY#<day>#<part>` / `<employee>#<shift>`; requests by their state, and
     * punches in the order they came in: `RECEIVED` / `<position>#<punch>`.
     */
    byDay: { partitionKey: 'dayPk', sortKey: 'daySk' },
    /** The people of a company, and those of each department, in the order of their names: `EMPLOYEE`, `DEPARTMENT_EMPLOYEE#<department>`. */
    byName: { partitionKey: 'namePk', sortKey: 'nameSk' },
    /** The same people in the order of their numbers. */
    byNumber: { partitionKey: 'numberPk', sortKey: 'numberSk' },
  },
} as const

/**
 * Numbers many add to at once: an item of them is kept in so many parts, of which each save adds to another, so that savers need
 * not wait for each other; what is read is the sum.
 */
export const tallyParts = 8
export interface Tally {
  /** The sort key all parts have in common. */
  of: string
}

export type IndexName = keyof typeof tableSchema.indexes

/** Every key of a company's data starts with this; no global item's key does. */
export const companyPrefix = (company: string) => `C#${company}#`

/** Takes a stored partition key apart: the company it belongs to (none for a global item) and the key as its noun wrote it. */
export const splitKey = (storedPk: string): { company?: string; pk: string } => {
  if (!storedPk.startsWith('C#')) return { pk: storedPk }
  const end = storedPk.indexOf('#', 2)
  return { company: storedPk.slice(2, end), pk: storedPk.slice(end + 1) }
}

const ownAttributes = new Set<string>([
  ...[tableSchema, ...Object.values(tableSchema.indexes)].flatMap(({ partitionKey, sortKey }) => [
    partitionKey,
    sortKey,
  ]),
  tableSchema.search,
])

/** An item without the table's own attributes, with its version. */
export const stripKeys = (item: Record<string, unknown>): Record<string, unknown> => {
  const rest: Record<string, unknown> = {}
  for (const name in item) if (!ownAttributes.has(name)) rest[name] = item[name]
  return rest
}

/** A stored item of the stream or another raw source, taken apart: whose it is, its kind's key, and its content. */
export const readStored = (item: Record<string, unknown>) => ({ ...splitKey(String(item.pk)), item: stripKeys(item) })
