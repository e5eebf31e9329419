// The one table. Every access pattern of the product is a key template beside its shape in `shared/<noun>.ts`; this file
// holds only what the table itself must know. The cloud stack, the local engine and the kit all read it.

/** A key as a noun writes it: `pk` without the company, which the opened table puts in front. */
export interface Key {
  pk: string
  sk: string
}

export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Epoch seconds. Deletion by the engine is late or, locally, absent: readers compare it with the clock themselves. */
  expiry: 'expiresAt',
  indexes: {
    /** All employee-days of one company on one day and shard: `<company>#DAY#<day>#<shard>` / `<employee>#<shift>`. */
    byDay: { partitionKey: 'dayPk', sortKey: 'daySk' },
  },
} as const

export type IndexName = keyof typeof tableSchema.indexes

/** Every key of a company's data starts with this. */
export const companyPrefix = (company: string) => `C#${company}#`

/** The company a stored partition key belongs to, or undefined for a global item. */
export const companyOf = (storedPk: string) => (storedPk.startsWith('C#') ? storedPk.split('#', 2)[1] : undefined)
