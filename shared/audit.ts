import * as z from 'zod'
import {
  auditedFields,
  type Fields,
  fieldOf,
  nameOfEntries,
  type ReferenceKind,
  readDeclared,
  referenceKinds,
} from './audit/field.ts'
import { type Audited, type AuditedNoun, auditedNouns } from './change.ts'
import { at, type Declarations, day, gridInput, gridOutput, id } from './contract.ts'
import { type Key, tableSchema } from './table.ts'
import { rowsOf } from './task.ts'

// Records who changed which object, when, and the old and new values. The change and its audit entry share a
// transaction, so neither exists without the other. The server never changes or deletes entries.

/**
 * The actor of a change. A person or an API key acts through a call from an address. A terminal or a job acts without a
 * call.
 */
export interface Actor {
  employee?: string
  /** The API key of a calling program, with the key's name at that time. */
  apiKey?: { id: string; name: string }
  device?: string
  job?: string
  ip?: string
  path?: string
  requestId?: string
  /**
   * The task of a change of hundreds of objects. The task has one entry, and the entries of its objects are lines under
   * the task.
   */
  task?: string
}

export interface AuditedField {
  before?: unknown
  after?: unknown
}

export interface AuditedChange {
  noun: AuditedNoun
  /** The object's id, and its name at that time. For a schedule, the employee's id and name. */
  id: string
  name: string
  /** `read` means that a person viewed data whose reading the audit records. */
  change: 'added' | 'changed' | 'removed' | 'read'
  fields: Record<string, AuditedField>
  /** The number of objects in one change. `id` is then the task, whose lines list the objects. */
  count?: number
}

/** All changes of one save. */
export interface AuditEntry extends Actor {
  id: string
  at: string
  changes: AuditedChange[]
  /** Filters of the list of entries. */
  nouns: AuditedNoun[]
  objects: string[]
}

export const auditPk = 'AUDIT'
/** The lines of imports have their own partition by task, so that listing the entries does not read them. */
export const auditLinesPk = 'AUDIT_LINES'
/** The append-only partitions. */
export const auditPks = [auditPk, auditLinesPk]

/**
 * The sort-key prefix of a task's lines, from the id of the task or of an object that it created. Both ids begin with
 * the moment of the task's request (`newId`), so that both lists have the same order.
 */
export const auditLines = (id: string): string =>
  `${new Date(Number.parseInt(id.slice(0, 9), 36)).toISOString()}#${rowsOf(id)}#`

/** The lines of a task follow the order of its rows. An entry with several rows has the position of its first row. */
export const auditKey = ({
  at,
  id,
  task,
  objects: [first = ''],
}: Pick<AuditEntry, 'at' | 'id' | 'task' | 'objects'>): Key<AuditEntry> =>
  task === undefined
    ? { pk: auditPk, sk: `${at}#${id}` }
    : { pk: auditLinesPk, sk: `${auditLines(task)}${first}#${at}#${id}` }

/** The nouns that concern a person. A schedule holds days and shifts. */
export const tellsOfPerson: ReadonlySet<AuditedNoun> = new Set([
  'absence',
  'employee',
  'credential',
  'delegation',
  'correction',
  'dayNote',
  'exception',
  'invitation',
  'leave',
  'request',
])

/** Replaces a secret value in the audit. */
export const masked = '•••'

/** Finds secrets by name inside declared fields. Timestamps and booleans are no secrets. */
const secretName = /(passw|pwd|secret|token|hash|card|template|finger|face|seal)/i
const isSecret = (name: string, value: unknown) =>
  typeof value !== 'boolean' && secretName.test(name) && !name.endsWith('At')

const isMasked = (name: string, fields: Fields) => {
  const field = readDeclared(name, fields)
  return typeof field === 'object' && field.shows === 'masked'
}

/** Masks secrets in a value at any depth, by declaration or by name. */
const mask = (name: string, value: unknown, fields: Fields): unknown => {
  if (isMasked(name, fields) || isSecret(name, value)) return masked
  if (Array.isArray(value)) return value.map(entry => mask(name, entry, fields))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([inner, entry]) => [inner, mask(inner, entry, fields)]))
  return value
}

/** Serialises a value in a fixed key order, because the table does not preserve the order of keys. */
const serialise = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([first], [second]) => (first < second ? -1 : 1)))
      : inner,
  ) ?? ''

/** The change between two states of an object; undefined if no audited field changed. */
export const changeBetween = (
  audited: Audited<never>,
  before: object | undefined,
  after: object | undefined,
  declared: Fields = auditedFields[audited.noun],
): AuditedChange | undefined => {
  const { noun, ...of } = audited as Audited<Record<string, unknown>>
  const object = (after ?? before) as Record<string, unknown> | undefined
  if (!object) return undefined
  const entriesOf = nameOfEntries(declared)
  const fieldsOf = (state: object | undefined): Record<string, unknown> => {
    const { version: _v, id: _i, [tableSchema.leaving]: _l, ...attributes } = (state ?? {}) as Record<string, unknown>
    if (entriesOf === undefined) return attributes
    const { [entriesOf]: entries, ...others } = attributes
    return { ...others, ...(entries as object | undefined) }
  }
  const [old, next] = [fieldsOf(before), fieldsOf(after)]
  const fields: Record<string, AuditedField> = {}
  for (const name of Object.keys({ ...old, ...next })) {
    if (declared[name] === 'untold' || serialise(old[name]) === serialise(next[name])) continue
    fields[name] = {
      ...(old[name] !== undefined && { before: mask(name, old[name], declared) }),
      ...(next[name] !== undefined && { after: mask(name, next[name], declared) }),
    }
  }
  if (before && after && Object.keys(fields).length === 0) return undefined
  return {
    noun,
    id: of.id(object),
    name: of.name(object),
    change: before && after ? 'changed' : after ? 'added' : 'removed',
    fields,
  }
}

/** The kind of object that a field refers to by id, so that readers see names. Undefined for other fields. */
export const referredBy = (noun: AuditedNoun, name: string): ReferenceKind | undefined => {
  const kind = fieldOf(noun, name)?.kind
  return referenceKinds.find(referenceKind => referenceKind === kind)
}

const field = z.object({ before: z.unknown().optional(), after: z.unknown().optional() })

const change = z.object({
  noun: z.enum(auditedNouns),
  id: z.string(),
  name: z.string().describe('name of the object at that time'),
  change: z.enum(['added', 'changed', 'removed', 'read']),
  fields: z.record(z.string(), field).describe('by field name, the values before and after; secrets show as •••'),
  count: z
    .int()
    .optional()
    .describe('number of objects changed together; `id` is then the task, whose own entries list each object'),
})

export const auditPaths = {
  'audit/grid': {
    does: 'Lists audit entries, newest first; a filter by noun or object leaves out other changes of the same save. An import is one row with a count, unless the filter has an object or a search text.',
    who: 'administrator',
    input: gridInput(
      z.strictObject({
        from: day.optional().describe('in the company’s time zone'),
        to: day.optional().describe('inclusive'),
        noun: z.enum(auditedNouns).optional(),
        employee: id.optional().describe('the author'),
        object: z.string().min(1).max(64).optional().describe('id of the changed object'),
        task: id.optional().describe('only changes of this task, in the order of its rows, on any day'),
        search: z
          .string()
          .trim()
          .max(100)
          .optional()
          .describe('part of the name of the object or its person, or of a new value'),
      }),
    ),
    output: gridOutput(
      z.object({
        id,
        at,
        employee: id.optional(),
        apiKey: id.optional().describe('the API key, if a program made the change'),
        device: z.string().optional(),
        job: z.string().optional(),
        name: z.string().optional().describe('name of the author, also a former employee, or of the API key'),
        ip: z.string().optional(),
        path: z.string().optional(),
        changes: z.array(change),
        names: z
          .record(z.string(), z.string())
          .describe('current names of referenced objects by id, without deleted ones'),
      }),
    ),
  },
} as const satisfies Declarations
