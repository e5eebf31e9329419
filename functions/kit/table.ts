import type { Actor } from '../../shared/audit.ts'
import { companyPrefix } from '../../shared/table.ts'
import { type Reader, readerOf } from './table/read.ts'
import { isMadeByTask } from './table/trail.ts'
import { entryOf, type Place, type Writer, writerOf } from './table/write.ts'

// The only door to the database. A table belongs to one company and prefixes every key with it, so no code can reach another
// company's items. The directory holds the few global pointers.

export { openCursor, sealCursor } from './table/cursor.ts'
export { type Item, localClient } from './table/engine.ts'
export type { Page, Part, Range, Where } from './table/read.ts'
export { type Arrival, hasCollided, inSaves, mostArrivals, mostWrites, save, saveEach } from './table/save.ts'
export type { Otherwise, Write } from './table/write.ts'

/** Reads and writes of one company's part of the table. */
export interface Table extends Reader, Writer {
  /** What the kit prefixes every key of this table with. */
  readonly prefix: string
  /** The employee or the API key whose changes these are; none of a job's. */
  readonly by: string | undefined
}

/** `prefix` is empty for the directory of global pointers. */
const open = (prefix: string, { actor, mayRewriteAudit }: Pick<Place, 'actor' | 'mayRewriteAudit'> = {}): Table => {
  const entry = entryOf({ prefix, actor }, change => isMadeByTask(actor, change))
  const place: Place = { prefix, actor, mayRewriteAudit, trail: actor && { actor, seen: new Map(), entry } }
  return { ...readerOf(place), ...writerOf(place), prefix, by: actor?.employee ?? actor?.apiKey?.id }
}

/**
 * Opened per call: it is a prefix and a few closures, and keeping one per company would keep tenants in memory. What an actor
 * changes of audited nouns is written down with the change.
 */
export const openTable = (company: string, actor?: Actor): Table => open(companyPrefix(company), { actor })

/** For `eraseFromAudit` alone, which takes out of the audit what the law says nobody may keep. */
export const openAudit = (company: string): Table => open(companyPrefix(company), { mayRewriteAudit: true })

let global: Table | undefined
/** Global pointers: accounts, e-mails, sessions, company numbers, serial numbers, connections. No company's data. */
export const directory = (): Table => {
  global ??= open('')
  return global
}
