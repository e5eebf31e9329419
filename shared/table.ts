import type { Audited } from './change.ts'

// The single table. Every access pattern of the product is a key template beside its shape in `shared/<noun>.ts`. This
// file holds only the table's own attributes and indexes. The cloud stack, the local engine and the kit all read it.

/** An item's keys in the indexes, and the folded text for searches. */
export interface Places {
  byDay?: { pk: string; sk: string }
  byName?: { pk: string; sk: string }
  byNumber?: { pk: string; sk: string }
  /** The folded text. A search matches any part of it. */
  search?: string
}

/**
 * A noun's key. `pk` lacks the company, which the opened table prefixes. If the index keys depend on the item's
 * content, `places` derives them at every write, so no writer can forget them. `of` exists only for the compiler: a
 * read by key returns the noun's declared shape.
 */
export interface Key<T = unknown> extends Places {
  pk: string
  sk: string
  places?(item: T): Places
  /** The noun under which the audit records changes of the item. */
  audited?: Audited<never>
  of?: T
}

export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /**
   * Epoch seconds. The engine deletes items late or, locally, never, so readers compare this attribute with the clock.
   */
  expiry: 'expiresAt',
  /**
   * Marks an item as deleting before the check for references. Inserts require an unmarked item, so the check finds all
   * references.
   */
  leaving: 'leavingAt',
  /** The text that searches match. */
  search: 'searchText',
  indexes: {
    /**
     * Employee-days of a company on one day and part: `DAY#<day>#<part>` / `<employee>#<shift>`. Also requests by
     * state, and punches in the order of arrival: `RECEIVED` / `<position>#<punch>`.
     */
    byDay: { partitionKey: 'dayPk', sortKey: 'daySk' },
    /**
     * The employees of a company and of each department in name order: `EMPLOYEE`, `DEPARTMENT_EMPLOYEE#<department>`.
     */
    byName: { partitionKey: 'namePk', sortKey: 'nameSk' },
    /** The employees of a company and of each department in the order of employee IDs. */
    byNumber: { partitionKey: 'numberPk', sortKey: 'numberSk' },
  },
} as const

/**
 * The number of parts of a counter with many concurrent writers. Each transaction adds to a different part, so that
 * writers do not wait for each other. Readers add the parts.
 */
export const tallyParts = 8
export interface Tally {
  /** The sort key, which all parts share. */
  of: string
}

export type IndexName = keyof typeof tableSchema.indexes

/** The prefix of every key of a company's data. No global item's key starts with it. */
export const companyPrefix = (company: string) => `C#${company}#`

/** Splits a stored partition key into its company and the noun's own key. A global item has no company. */
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
  const attributes: Record<string, unknown> = {}
  for (const name in item) if (!ownAttributes.has(name)) attributes[name] = item[name]
  return attributes
}

/** Splits a stored item, such as an item from the table stream, into company, partition key and content. */
export const readStored = (item: Record<string, unknown>) => ({ ...splitKey(String(item.pk)), item: stripKeys(item) })
