import { randomInt } from 'node:crypto'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { type Actor, type AuditEntry, type AuditedChange, auditKey, auditPks } from '../../../shared/audit.ts'
import type { Audited } from '../../../shared/change.ts'
import type { Code, Fields } from '../../../shared/errors.ts'
import { type IndexName, type Key, type Places, type Tally, tableSchema } from '../../../shared/table.ts'
import { environment } from '../environment.ts'
import { newId } from '../id.ts'
import { client, type Item, nowSeconds } from './engine.ts'

/** The error of a failed condition. */
export interface Otherwise {
  code: Code
  fields?: Fields
}

interface Condition {
  expression: string
  names: Record<string, string>
  values?: Record<string, unknown>
}

/** One write with its table and condition. `save` executes several writes together or none. */
export interface Write {
  put?: Record<string, unknown>
  remove?: { pk: string; sk: string }
  condition?: Condition
  check?: { pk: string; sk: string }
  /** Numbers to add to one part of a tally. */
  tally?: { pk: string; sk: string; by: Record<string, number> }
  /** Marks a check that only requires that the item exists and stays. */
  isRequirement?: true
  audit?: AuditedWrite
  otherwise: Otherwise
}

/** A write of an audited noun by an actor. The save also stores `before` and `after` in the audit. */
export interface AuditedWrite {
  trail: Trail
  audited: Audited<never>
  /** The version to replace or remove, if known; undefined if the item must be new. */
  version?: number | 'unknown'
}

/** The actor of a table, and the audited items that it has read, as the state before a change. */
export interface Trail {
  actor: Actor
  /** The items as JSON, so that a caller's later changes to an item do not alter them. */
  seen: Map<string, string>
  entry(changes: AuditedChange[]): Write
}

/** One company's part of the table and its caller. The directory has an empty prefix. */
export interface Place {
  prefix: string
  actor?: Actor | undefined
  trail?: Trail | undefined
  /** Allows writes to the audit itself; for erasures only. */
  mayRewriteAudit?: true | undefined
}

export const storedAt = ({ prefix }: Place, { pk, sk }: Key) => ({ pk: prefix + pk, sk })

export const hasVersion = (version: number): Condition => ({
  expression: '#version = :version',
  names: { '#version': 'version' },
  values: { ':version': version },
})

export const isNew: Condition = { expression: 'attribute_not_exists(#pk)', names: { '#pk': 'pk' } }

export const changedMeanwhile: Otherwise = { code: 60006 }

export interface Writer {
  /** Inserts an item that must not exist. */
  insert<T extends object>(key: Key<T>, item: T, otherwise?: Otherwise): Write
  /** Replaces an item that must still have the version read. */
  replace<T extends object>(key: Key<T>, item: Item<T>, otherwise?: Otherwise): Write
  /** Writes an item unconditionally. */
  put<T extends object>(key: Key<T>, item: T): Write
  /**
   * Writes an item unconditionally with a random version, so that earlier readers can neither replace nor remove it.
   */
  putAnew<T extends object>(key: Key<T>, item: T): Write
  /** Like `putAnew`, for an item that must not exist. */
  insertAnew<T extends object>(key: Key<T>, item: T): Write
  /** Removes an item. With `version`, requires that the item still has that version. */
  remove(key: Key, version?: number, otherwise?: Otherwise): Write
  /** Requires that the item exists without a deletion mark. */
  require(key: Key, otherwise: Otherwise): Write
  /** Requires that the item is unchanged since the caller read it, or still missing. */
  unchanged(key: Key, item: { version: number } | undefined, otherwise?: Otherwise): Write
  /** Adds to a number and returns the sum. Use it to count attempts, never for a number that affects pay. */
  add(key: Key, by: number, expiresAt: number): Promise<number>
  /**
   * Adds to numbers within a save. A tally has no condition of its own, so save it with a write whose condition holds
   * only once.
   */
  tally<T extends Tally>(key: Key<T>, by: Record<Exclude<keyof T & string, 'of'>, number>): Write
  /** Audits an event without a change, such as reading a secret. */
  note(change: AuditedChange): Write
}

/** Throws for a write to the audit, which only `save` and erasures may make. */
const mayWrite = ({ mayRewriteAudit }: Place, { pk }: Key) => {
  if (auditPks.includes(pk) && !mayRewriteAudit) throw new Error('The audit is only ever added to.')
}

const itemAt = <T extends object>(place: Place, key: Key<T>, item: T, version: number) => {
  const places: Places = { ...key, ...key.places?.(item) }
  const keys: Record<string, unknown> = { ...item, ...storedAt(place, key), version }
  for (const [index, { partitionKey, sortKey }] of Object.entries(tableSchema.indexes)) {
    const at = places[index as IndexName]
    if (at) {
      keys[partitionKey] = place.prefix + at.pk
      keys[sortKey] = at.sk
    }
  }
  if (places.search !== undefined) keys[tableSchema.search] = places.search
  return keys
}

/** Returns a function that writes audit entries. `isByTask` says whether the caller's task made a change. */
export const entryOf =
  (place: Place, isByTask: (change: AuditedChange) => boolean) =>
  (changes: AuditedChange[]): Write => {
    const { task, ...who } = place.actor ?? {}
    const item: AuditEntry = {
      id: newId(),
      at: new Date().toISOString(),
      ...who,
      ...(task && changes.every(isByTask) && { task }),
      changes,
      nouns: [...new Set(changes.map(({ noun }) => noun))],
      objects: [...new Set(changes.map(({ id }) => id))],
    }
    return { put: itemAt(place, auditKey(item), item, 1), condition: isNew, otherwise: changedMeanwhile }
  }

/** DynamoDB deletes expired items late, so an expired item counts as missing. */
const isMissing = (): Condition => ({
  expression: 'attribute_not_exists(#pk) OR #expiry < :now',
  names: { '#pk': 'pk', '#expiry': tableSchema.expiry },
  values: { ':now': nowSeconds() },
})

const isStaying: Condition = {
  expression: 'attribute_exists(#pk) AND attribute_not_exists(#leaving)',
  names: { '#pk': 'pk', '#leaving': tableSchema.leaving },
}

const addTo = async (place: Place, key: Key, by: number, expiresAt: number): Promise<number> => {
  const { Attributes } = await client.send(
    new UpdateCommand({
      TableName: environment('TABLE'),
      Key: storedAt(place, key),
      UpdateExpression: 'ADD #count :by SET #expiry = :expiry',
      ExpressionAttributeNames: { '#count': 'count', '#expiry': tableSchema.expiry },
      ExpressionAttributeValues: { ':by': by, ':expiry': expiresAt },
      ReturnValues: 'UPDATED_NEW',
    }),
  )
  return Number(Attributes?.count ?? 0)
}

export const writerOf = (place: Place): Writer => {
  const { actor, trail } = place
  const stored = (key: Key) => {
    mayWrite(place, key)
    return storedAt(place, key)
  }
  const auditOf = ({ audited }: Key, version?: AuditedWrite['version']) =>
    trail && audited ? { audit: { trail, audited, ...(version !== undefined && { version }) } } : {}
  const putAs = <T extends object>(key: Key<T>, item: T, version: number, otherwise = changedMeanwhile) => {
    mayWrite(place, key)
    return { put: itemAt(place, key, item, version), otherwise }
  }
  return {
    insert: (key, item, otherwise) => ({ ...putAs(key, item, 1, otherwise), condition: isMissing(), ...auditOf(key) }),
    replace: (key, item, otherwise) => ({
      ...putAs(key, item, item.version + 1, otherwise),
      condition: hasVersion(item.version),
      ...auditOf(key, item.version),
    }),
    put: (key, item) => ({ ...putAs(key, item, 1), ...auditOf(key, 'unknown') }),
    putAnew: (key, item) => ({ ...putAs(key, item, randomInt(2 ** 47)), ...auditOf(key, 'unknown') }),
    insertAnew: (key, item) => ({ ...putAs(key, item, randomInt(2 ** 47)), condition: isMissing(), ...auditOf(key) }),
    remove: (key, version, otherwise = changedMeanwhile) => ({
      remove: stored(key),
      ...(version !== undefined && { condition: hasVersion(version) }),
      otherwise,
      ...auditOf(key, version ?? 'unknown'),
    }),
    require: (key, otherwise) => ({
      check: storedAt(place, key),
      condition: isStaying,
      isRequirement: true,
      otherwise,
    }),
    unchanged: (key, item, otherwise = changedMeanwhile) => ({
      check: storedAt(place, key),
      condition: item ? hasVersion(item.version) : isNew,
      otherwise,
    }),
    async add(key, by, expiresAt) {
      mayWrite(place, key)
      return addTo(place, key, by, expiresAt)
    },
    tally: (key, by) => ({ tally: { ...stored(key), by }, otherwise: changedMeanwhile }),
    note(change) {
      if (!actor || !trail) throw new Error('Nobody works with this table whom the audit could name.')
      return trail.entry([change])
    },
  }
}
