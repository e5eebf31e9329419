import type { Actor } from '../../shared/audit.ts'
import { companyPrefix } from '../../shared/table.ts'
import { type Reader, readerOf } from './table/read.ts'
import { isMadeByTask } from './table/trail.ts'
import { entryOf, type Place, type Writer, writerOf } from './table/write.ts'

// The only access to the database. A table belongs to one company and prefixes every key with the company's id. So no
// code can reach another company's items. The directory holds the few global pointers.

export { openCursor, sealCursor } from './table/cursor.ts'
export { type Item, localClient } from './table/engine.ts'
export type { Page, Part, Range, Where } from './table/read.ts'
export { type Arrival, hasCollided, inSaves, mostArrivals, mostWrites, save, saveEach } from './table/save.ts'
export type { Otherwise, Write } from './table/write.ts'

/** Reads and writes one company's part of the table. */
export interface Table extends Reader, Writer {
  /** The prefix of every key of this table. */
  readonly prefix: string
  /** The employee or API key that makes the changes; undefined for jobs. */
  readonly by: string | undefined
}

/** Opens one part of the table. `prefix` is empty for the directory of global pointers. */
const open = (prefix: string, { actor, mayRewriteAudit }: Pick<Place, 'actor' | 'mayRewriteAudit'> = {}): Table => {
  const entry = entryOf({ prefix, actor }, change => isMadeByTask(actor, change))
  const place: Place = { prefix, actor, mayRewriteAudit, trail: actor && { actor, seen: new Map(), entry } }
  return { ...readerOf(place), ...writerOf(place), prefix, by: actor?.employee ?? actor?.apiKey?.id }
}

/**
 * Opens a company's table for one call. An open table is a prefix and a few closures, and a cache would keep tenants in
 * memory. `save` audits an actor's changes of audited nouns in the transaction of the change.
 */
export const openTable = (company: string, actor?: Actor): Table => open(companyPrefix(company), { actor })

/** For `eraseFromAudit` only, which removes data that the law forbids to keep. */
export const openAudit = (company: string): Table => open(companyPrefix(company), { mayRewriteAudit: true })

let global: Table | undefined
/**
 * The part with global pointers: accounts, e-mails, sessions, company numbers, serial numbers, connections. Contains no
 * company data.
 */
export const directory = (): Table => {
  global ??= open('')
  return global
}
