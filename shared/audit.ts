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

// Who changed what, when, from what to what. An entry is written in the same transaction as the change it tells of, so that
// there is neither a change without an entry nor an entry without its change; it is never changed and never deleted.

/** Who changes something: a person or an API key, from where and by which call; or a terminal or a job, which do what nobody asks for. */
export interface Actor {
  employee?: string
  /** A program that calls with an API key of the company, as it was called then. */
  apiKey?: { id: string; name: string }
  device?: string
  job?: string
  ip?: string
  path?: string
  requestId?: string
  /** The task by which hundreds of objects are changed: they are told under it, and it is told in one line itself. */
  task?: string
}

export interface AuditedField {
  before?: unknown
  after?: unknown
}

export interface AuditedChange {
  noun: AuditedNoun
  /** The object's id, and how it was called then; a schedule is its employee's. */
  id: string
  name: string
  /** `read`: nothing changed, but somebody was shown what is told to nobody without a trace. */
  change: 'added' | 'changed' | 'removed' | 'read'
  fields: Record<string, AuditedField>
  /** So many objects at once: `id` is the task's, under which they are told one by one. */
  count?: number
}

/** All that one save changed. */
export interface AuditEntry extends Actor {
  id: string
  at: string
  changes: AuditedChange[]
  /** What a list of entries is narrowed by. */
  nouns: AuditedNoun[]
  objects: string[]
}

export const auditPk = 'AUDIT'
/** Whoever lists what happened need not walk over what an import did row by row: that stands apart, task by task. */
export const auditLinesPk = 'AUDIT_LINES'
/** All that is only ever added to. */
export const auditPks = [auditPk, auditLinesPk]

/**
 * Where the lines of a task stand, by its id or that of anything it made. It is the moment the task was asked for, which both
 * begin with (`newId`), so that both lists are in one order.
 */
export const auditLines = (id: string): string =>
  `${new Date(Number.parseInt(id.slice(0, 9), 36)).toISOString()}#${rowsOf(id)}#`

/** The lines of a task are in the order of what it made: one entry after the other, each by the first of its rows. */
export const auditKey = ({
  at,
  id,
  task,
  objects: [first = ''],
}: Pick<AuditEntry, 'at' | 'id' | 'task' | 'objects'>): Key<AuditEntry> =>
  task === undefined
    ? { pk: auditPk, sk: `${at}#${id}` }
    : { pk: auditLinesPk, sk: `${auditLines(task)}${first}#${at}#${id}` }

/** The nouns by which a person is told of; a schedule holds days and shifts. */
export const tellsOfPerson: ReadonlySet<AuditedNoun> = new Set([
  'employee',
  'credential',
  'delegation',
  'correction',
  'exception',
  'invitation',
  'leave',
  'request',
])

/** What stands for a value nobody is to read in the audit. */
export const masked = '•••'

/** Caught by its name inside of what is declared; when something was set is no secret, nor is whether it is kept. */
const secretName = /(passw|pwd|secret|token|hash|card|template|finger|face|seal)/i
const isSecret = (name: string, value: unknown) =>
  typeof value !== 'boolean' && secretName.test(name) && !name.endsWith('At')

const isMasked = (name: string, fields: Fields) => {
  const field = readDeclared(name, fields)
  return typeof field === 'object' && field.shows === 'masked'
}

/** A value as it may be told: without what is declared or says by its name that it is a secret, at any depth. */
const tell = (name: string, value: unknown, fields: Fields): unknown => {
  if (isMasked(name, fields) || isSecret(name, value)) return masked
  if (Array.isArray(value)) return value.map(entry => tell(name, entry, fields))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([inner, entry]) => [inner, tell(inner, entry, fields)]))
  return value
}

/** Two values are one where only the order of their entries' names differs: the engine keeps none. */
const wordsOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  ) ?? ''

/** What changed between two states of an object, undefined where nothing did that is to be told. */
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
    const { version: _v, id: _i, [tableSchema.leaving]: _l, ...rest } = (state ?? {}) as Record<string, unknown>
    if (entriesOf === undefined) return rest
    const { [entriesOf]: entries, ...others } = rest
    return { ...others, ...(entries as object | undefined) }
  }
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  const fields: Record<string, AuditedField> = {}
  for (const name of Object.keys({ ...old, ...now })) {
    if (declared[name] === 'untold' || wordsOf(old[name]) === wordsOf(now[name])) continue
    fields[name] = {
      ...(old[name] !== undefined && { before: tell(name, old[name], declared) }),
      ...(now[name] !== undefined && { after: tell(name, now[name], declared) }),
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

/** The objects whose ids a field holds: ids say nothing to who reads them. Undefined where it holds none. */
export const referredBy = (noun: AuditedNoun, name: string): ReferenceKind | undefined => {
  const kind = fieldOf(noun, name)?.kind
  return referenceKinds.find(one => one === kind)
}

const field = z.object({ before: z.unknown().optional(), after: z.unknown().optional() })

const change = z.object({
  noun: z.enum(auditedNouns),
  id: z.string(),
  name: z.string().describe('how the object was called then'),
  change: z.enum(['added', 'changed', 'removed', 'read']),
  fields: z
    .record(z.string(), field)
    .describe('by name, what was there and what came in its place; a secret is told as •••'),
  count: z
    .int()
    .optional()
    .describe('so many objects at once: the id is that of the task under which they are told one by one'),
})

export const auditPaths = {
  'audit/grid': {
    does: 'Lists audit entries, newest first; a filter by noun or object leaves out other changes of the same save. An import is one row with a count, unless an object or words are searched for.',
    who: 'administrator',
    input: gridInput(
      z.strictObject({
        from: day.optional().describe('in the zone of the company'),
        to: day.optional().describe('this day counts'),
        noun: z.enum(auditedNouns).optional(),
        employee: id.optional().describe('who did it'),
        object: z.string().min(1).max(64).optional().describe('the id of what was changed'),
        task: id
          .optional()
          .describe('all that this task changed, on whatever day and in the order of its rows, and nothing else'),
        search: z
          .string()
          .trim()
          .max(100)
          .optional()
          .describe('in the name of what was changed or of the person it belongs to, or in what it was changed to'),
      }),
    ),
    output: gridOutput(
      z.object({
        id,
        at,
        employee: id.optional(),
        apiKey: id.optional().describe('of whom no person did it, but a program with this key'),
        device: z.string().optional(),
        job: z.string().optional(),
        name: z.string().optional().describe('of who did it, also when they have left, or of the key'),
        ip: z.string().optional(),
        path: z.string().optional(),
        changes: z.array(change),
        names: z
          .record(z.string(), z.string())
          .describe('by id, how objects that fields refer to are called now; those that are gone are missing'),
      }),
    ),
  },
} as const satisfies Declarations
