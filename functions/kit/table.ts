import { createCipheriv, createDecipheriv, createHmac, randomBytes, randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import {
  BatchExecuteStatementCommand,
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import {
  type Actor,
  type AuditEntry,
  type AuditedChange,
  auditKey,
  auditPks,
  changeBetween,
} from '../../shared/audit.ts'
import type { Audited, AuditedNoun } from '../../shared/change.ts'
import { type Code, type Fields, Problem } from '../../shared/errors.ts'
import {
  companyPrefix,
  type IndexName,
  type Key,
  type Places,
  stripKeys,
  type Tally,
  tableSchema,
  tallyParts,
} from '../../shared/table.ts'
import { importedNouns, rowsOf } from '../../shared/task.ts'
import { environment } from './environment.ts'
import { newId } from './id.ts'

// The only code that touches the database. A table is opened for one company and puts that company in front of every key,
// so that no code can name another company's item; the directory holds the few global pointers.

const endpoint = process.env.DYNAMODB_ENDPOINT

/** Where to go on behind a row; where the row has gone since, at the place it had. */
const placeAfter = (list: { id: string }[], { after, end }: Record<string, unknown>) =>
  list.findIndex(({ id }) => id === after) + 1 || Number(end)

/** A local engine checks no signature, and computing one is a third of a call's time; it only wants to see the headers. */
export const localClient: DynamoDBClientConfig = endpoint
  ? {
      endpoint,
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      signer: {
        sign: async request => {
          request.headers['x-amz-date'] = '20260101T000000Z'
          request.headers.authorization =
            'AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=local'
          return request
        },
      },
    }
  : {}

const client = DynamoDBDocumentClient.from(new DynamoDBClient(localClient), {
  marshallOptions: { removeUndefinedValues: true },
})
// For a log that nobody keeps, everything sent and read would be copied: a tenth of a call's time.
client.middlewareStack.remove('loggerMiddleware')

/** An item as it was read: `version` is what a later save is conditional on. */
export type Item<T> = T & { version: number }

export interface Page<T> {
  list: Item<T>[]
  next?: string
}

export interface Range<T> {
  /** Partition key as the noun wrote it: take it from a key template. */
  pk: string
  index?: IndexName
  prefix?: string
  /** Both ends count. */
  from?: string
  to?: string
  /** Only what comes behind this sort key, in the direction of reading. */
  after?: string | undefined
  /** Only rows of which all of this holds. The engine reads the others too, but does not send them. */
  where?: Where[]
  reverse?: boolean
  size?: number
  /** The `next` of the page before. */
  page?: string | undefined
  /** Only these attributes are answered. */
  only?: (keyof T & string)[]
}

/** What must hold of an attribute; `not below` holds also where there is none. */
export type Where = [
  attribute: string,
  is: '=' | '<>' | 'below' | 'not below' | 'contains',
  value: string | number | boolean,
]

/** Some rows of a range, with the sort keys they stand at. */
export interface Part<T> {
  rows: { item: Item<T>; at: string }[]
  /** How many rows the engine looked at, and how far it came; nowhere further where the range is at its end. */
  read: number
  reached?: string
}

/** What a caller is told when the condition of a write does not hold. */
export interface Otherwise {
  code: Code
  fields?: Fields
}

interface Condition {
  expression: string
  names: Record<string, string>
  values?: Record<string, unknown>
}

/** One write, bound to its table and condition; `save` carries any number of them out together or not at all. */
export interface Write {
  put?: Record<string, unknown>
  remove?: { pk: string; sk: string }
  condition?: Condition
  check?: { pk: string; sk: string }
  /** Added to the numbers of one part of a tally. */
  tally?: { pk: string; sk: string; by: Record<string, number> }
  /** The check asks no more than that the item is there and stays. */
  isRequirement?: true
  /** What the audit is to be told of it. */
  told?: Told
  otherwise: Otherwise
}

/** A write of an audited noun by somebody: `before` and `after` are told when it is saved. */
interface Told {
  trail: Trail
  audited: Audited<never>
  /** The version it replaces or removes, where that is known; none where it must be new. */
  version?: number | 'unknown'
}

/** Who works with a table, and what of audited nouns it has read: the state before a change. */
interface Trail {
  actor: Actor
  /** JSON, so that nobody who changes what they were given changes what was read. */
  seen: Map<string, string>
  entry(changes: AuditedChange[]): Write
}

const hasVersion = (version: number): Condition => ({
  expression: '#version = :version',
  names: { '#version': 'version' },
  values: { ':version': version },
})

const isNew: Condition = { expression: 'attribute_not_exists(#pk)', names: { '#pk': 'pk' } }

const changedMeanwhile: Otherwise = { code: 60006 }
const nowSeconds = () => Math.floor(Date.now() / 1000)

export interface Table {
  get<T>(key: Key<T>): Promise<Item<T> | undefined>
  /** One answer for each key, in their order; undefined where nothing exists. */
  getMany<T>(keys: Key<T>[]): Promise<(Item<T> | undefined)[]>
  /** One page of a partition, in key order. */
  page<T>(range: Range<T>): Promise<Page<T>>
  /** All of a partition, page by page. */
  each<T>(range: Range<T>): AsyncGenerator<Item<T>>
  all<T>(range: Range<T>): Promise<Item<T>[]>
  /** What one question to the engine brings, of at most `size` rows looked at; whole rows, for they tell where they stand. */
  part<T>(range: Omit<Range<T>, 'only'>): Promise<Part<T>>
  /** How many rows there are; the engine has to read them all, but sends none. */
  count<T>(range: Range<T>): Promise<number>
  /** A page of a list that is in memory, ordered; `name` tells this list from others the same cursor must not open. */
  slice<T extends { id: string }>(
    list: T[],
    of: { name: string; size: number; page?: string | undefined },
  ): Promise<{ list: T[]; next?: string }>
  /** Must not exist yet. */
  insert<T extends object>(key: Key<T>, item: T, otherwise?: Otherwise): Write
  /** Must still have the version that was read. */
  replace<T extends object>(key: Key<T>, item: Item<T>, otherwise?: Otherwise): Write
  /** Whatever was there. */
  put<T extends object>(key: Key<T>, item: T): Write
  /** Whatever was there, by a version drawn by lot: whoever read the item before neither replaces nor removes it. */
  putAnew<T extends object>(key: Key<T>, item: T): Write
  /** The same where it must not exist yet. */
  insertAnew<T extends object>(key: Key<T>, item: T): Write
  /** With a version: must still have it. */
  remove(key: Key, version?: number, otherwise?: Otherwise): Write
  /** Must exist and not be on its way out. */
  require(key: Key, otherwise: Otherwise): Write
  /** Must be as it was read: with that version, or still missing. */
  unchanged(key: Key, item: { version: number } | undefined, otherwise?: Otherwise): Write
  /** Adds to a number and answers the sum; for counting tries, never for anything people are paid by. */
  add(key: Key, by: number, expiresAt: number): Promise<number>
  /**
   * Adds to numbers as part of a save. Nobody sees whether it was done before, so it stands beside a write whose condition holds
   * but once.
   */
  tally<T extends Tally>(key: Key<T>, by: Record<Exclude<keyof T & string, 'of'>, number>): Write
  /** Tells the audit what changed nothing, but must not go unseen: that somebody was shown a secret. */
  note(change: AuditedChange): Write
  /** What the kit prefixes every key of this table with. */
  readonly prefix: string
  /** The employee or the API key whose changes these are; none of a job's. */
  readonly by: string | undefined
}

interface Opening {
  actor?: Actor | undefined
  /** Opens the audit itself; for erasing alone. */
  mayRewriteAudit?: true
}

/** `prefix` is empty for the directory of global pointers. */
const open = (prefix: string, { actor, mayRewriteAudit }: Opening = {}): Table => {
  const name = environment('TABLE')
  const stored = ({ pk, sk }: Key) => ({ pk: prefix + pk, sk })
  /** The audit is added to by `save`, and by nothing and nobody else. */
  const mayWrite = ({ pk }: Key) => {
    if (auditPks.includes(pk) && !mayRewriteAudit) throw new Error('The audit is only ever added to.')
  }
  const entry = (changes: AuditedChange[]): Write => {
    const { task, ...who } = actor ?? {}
    const item: AuditEntry = {
      id: newId(),
      at: new Date().toISOString(),
      ...who,
      ...(task && changes.every(change => isMadeByTask(actor, change)) && { task }),
      changes,
      nouns: [...new Set(changes.map(({ noun }) => noun))],
      objects: [...new Set(changes.map(({ id }) => id))],
    }
    return { put: full(auditKey(item), item, 1), condition: isNew, otherwise: changedMeanwhile }
  }
  const trail: Trail | undefined = actor && { actor, seen: new Map(), entry }
  const told = ({ audited }: Key, version?: Told['version']) =>
    trail && audited ? { told: { trail, audited, ...(version !== undefined && { version }) } } : {}
  /** Keeps what was read of an audited noun, for telling what a change of it changed. */
  const see = <T>(key: Key<T>, item: Item<T> | undefined) => {
    if (trail && key.audited && item) trail.seen.set(placeOf(stored(key)), JSON.stringify(item))
    return item
  }
  const full = <T extends object>(key: Key<T>, item: T, version: number) => {
    const places: Places = { ...key, ...key.places?.(item) }
    const keys: Record<string, unknown> = { ...item, ...stored(key), version }
    for (const [index, { partitionKey, sortKey }] of Object.entries(tableSchema.indexes)) {
      const at = places[index as IndexName]
      if (at) {
        keys[partitionKey] = prefix + at.pk
        keys[sortKey] = at.sk
      }
    }
    if (places.search !== undefined) keys[tableSchema.search] = places.search
    return keys
  }
  const present = (item: Record<string, unknown> | undefined): item is Record<string, unknown> => {
    const expiry = item?.[tableSchema.expiry]
    return item !== undefined && !(typeof expiry === 'number' && expiry < nowSeconds())
  }
  const shape = <T>(item: Record<string, unknown>): Item<T> => stripKeys(item) as Item<T>

  const query = <T>(range: Range<T>) => {
    const index = range.index && tableSchema.indexes[range.index]
    const names: Record<string, string> = { '#pk': index?.partitionKey ?? 'pk' }
    const values: Record<string, unknown> = { ':pk': prefix + range.pk }
    let expression = '#pk = :pk'
    const bound = (text: string, bounds: Record<string, string>) => {
      names['#sk'] = index?.sortKey ?? 'sk'
      Object.assign(values, bounds)
      expression += ` AND ${text}`
    }
    const { reverse } = range
    // Behind nothing, and from nothing on, is all: the engine takes no empty key to compare with.
    const after = range.after || undefined
    const from = (reverse ? range.from : (after ?? range.from)) || undefined
    const to = reverse ? (after ?? range.to) : range.to
    if (range.prefix) bound('begins_with(#sk, :prefix)', { ':prefix': range.prefix })
    // Where the range ends on the other side too, the row at `after` comes along: `part` leaves it out.
    else if (from !== undefined && to !== undefined) bound('#sk BETWEEN :from AND :to', { ':from': from, ':to': to })
    else if (from !== undefined) bound(`#sk ${from === after ? '>' : '>='} :from`, { ':from': from })
    else if (to !== undefined) bound(`#sk ${to === after ? '<' : '<='} :to`, { ':to': to })
    const filter = range.where?.map(([attribute, is, value], i) => {
      names[`#w${i}`] = attribute
      values[`:w${i}`] = value
      if (is === 'contains') return `contains(#w${i}, :w${i})`
      if (is === 'not below') return `(attribute_not_exists(#w${i}) OR #w${i} >= :w${i})`
      return `#w${i} ${is === 'below' ? '<' : is} :w${i}`
    })
    const projection = range.only?.map((attribute, i) => {
      names[`#a${i}`] = attribute
      return `#a${i}`
    })
    return {
      TableName: name,
      ...(range.index && { IndexName: range.index }),
      KeyConditionExpression: expression,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
      ...(projection && { ProjectionExpression: projection.join(', ') }),
      ...(filter && filter.length > 0 && { FilterExpression: filter.join(' AND ') }),
      ScanIndexForward: !range.reverse,
      ConsistentRead: !range.index,
    }
  }

  const table: Table = {
    async get<T>(key: Key<T>) {
      const { Item } = await client.send(new GetCommand({ TableName: name, Key: stored(key), ConsistentRead: true }))
      return see(key, present(Item) ? shape<T>(Item) : undefined)
    },
    async getMany<T>(keys: Key<T>[]) {
      const found = await readAll(keys.map(stored))
      return keys.map(key => {
        const item = found.get(placeOf(stored(key)))
        return see(key, present(item) ? shape<T>(item) : undefined)
      })
    },
    async page<T>(range: Range<T>) {
      const request = query(range)
      const { page: _, size: __, only: ___, ...of } = range
      const binding = prefix + JSON.stringify(of)
      const start = range.page === undefined ? undefined : await openCursor(range.page, binding)
      const list: Item<T>[] = []
      let position = start
      const size = range.size ?? 100
      // An expired item is still counted by the engine's limit, so a page is filled until it is full or the list ends.
      do {
        const answer = await client.send(
          new QueryCommand({
            ...request,
            Limit: size - list.length,
            ...(position && { ExclusiveStartKey: position }),
          }),
        )
        for (const item of answer.Items ?? []) if (present(item)) list.push(shape<T>(item))
        position = answer.LastEvaluatedKey
      } while (position && list.length < size)
      return { list, ...(position && { next: await sealCursor(position, binding) }) }
    },
    async *each<T>(range: Range<T>) {
      let position: Record<string, unknown> | undefined
      do {
        const answer = await client.send(
          new QueryCommand({ ...query(range), ...(position && { ExclusiveStartKey: position }) }),
        )
        for (const item of answer.Items ?? []) if (present(item)) yield shape<T>(item)
        position = answer.LastEvaluatedKey
      } while (position)
    },
    async all<T>(range: Range<T>) {
      const list: Item<T>[] = []
      for await (const item of table.each(range)) list.push(item)
      return list
    },
    async part<T>(range: Omit<Range<T>, 'only'>) {
      const sortKey = range.index ? tableSchema.indexes[range.index].sortKey : tableSchema.sortKey
      const answer = await client.send(
        new QueryCommand({ ...query(range), ...(range.size !== undefined && { Limit: range.size }) }),
      )
      const rows = (answer.Items ?? [])
        .filter(item => present(item) && item[sortKey] !== range.after)
        .map(item => ({ item: shape<T>(item), at: String(item[sortKey]) }))
      const reached = answer.LastEvaluatedKey?.[sortKey]
      return { rows, read: answer.ScannedCount ?? rows.length, ...(reached !== undefined && { reached }) }
    },
    async count(range) {
      let count = 0
      let position: Record<string, unknown> | undefined
      do {
        const answer = await client.send(
          new QueryCommand({
            ...query(range),
            Select: 'COUNT',
            ...(position && { ExclusiveStartKey: position }),
          }),
        )
        count += answer.Count ?? 0
        position = answer.LastEvaluatedKey
      } while (position)
      return count
    },
    async slice(list, { name: listName, size, page }) {
      const binding = `${prefix}${listName}`
      const start = page === undefined ? 0 : placeAfter(list, await openCursor(page, binding))
      const part = list.slice(start, start + size)
      const last = part.at(-1)
      const end = start + part.length
      return {
        list: part,
        ...(last && end < list.length && { next: await sealCursor({ after: last.id, end }, binding) }),
      }
    },
    insert(key, item, otherwise = changedMeanwhile) {
      mayWrite(key)
      const condition = {
        // What has expired counts as gone although the engine has not got round to deleting it.
        expression: 'attribute_not_exists(#pk) OR #expiry < :now',
        names: { '#pk': 'pk', '#expiry': tableSchema.expiry },
        values: { ':now': nowSeconds() },
      }
      return { put: full(key, item, 1), condition, otherwise, ...told(key) }
    },
    replace(key, item, otherwise = changedMeanwhile) {
      mayWrite(key)
      const condition = hasVersion(item.version)
      return { put: full(key, item, item.version + 1), condition, otherwise, ...told(key, item.version) }
    },
    put(key, item) {
      mayWrite(key)
      return { put: full(key, item, 1), otherwise: changedMeanwhile, ...told(key, 'unknown') }
    },
    putAnew: (key, item) => {
      mayWrite(key)
      return { put: full(key, item, randomInt(2 ** 47)), otherwise: changedMeanwhile, ...told(key, 'unknown') }
    },
    insertAnew: (key, item) => ({ ...table.insert(key, item), put: full(key, item, randomInt(2 ** 47)) }),
    remove(key, version, otherwise = changedMeanwhile) {
      mayWrite(key)
      const condition = version === undefined ? {} : { condition: hasVersion(version) }
      return { remove: stored(key), ...condition, otherwise, ...told(key, version ?? 'unknown') }
    },
    require: (key, otherwise) => ({
      check: stored(key),
      condition: {
        expression: 'attribute_exists(#pk) AND attribute_not_exists(#leaving)',
        names: { '#pk': 'pk', '#leaving': tableSchema.leaving },
      },
      isRequirement: true,
      otherwise,
    }),
    unchanged: (key, item, otherwise = changedMeanwhile) => ({
      check: stored(key),
      condition: item ? hasVersion(item.version) : isNew,
      otherwise,
    }),
    async add(key, by, expiresAt) {
      mayWrite(key)
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName: name,
          Key: stored(key),
          UpdateExpression: 'ADD #count :by SET #expiry = :expiry',
          ExpressionAttributeNames: { '#count': 'count', '#expiry': tableSchema.expiry },
          ExpressionAttributeValues: { ':by': by, ':expiry': expiresAt },
          ReturnValues: 'UPDATED_NEW',
        }),
      )
      return Number(Attributes?.count ?? 0)
    },
    tally(key, by) {
      mayWrite(key)
      return { tally: { ...stored(key), by }, otherwise: changedMeanwhile }
    },
    note(change) {
      if (!actor) throw new Error('Nobody works with this table whom the audit could name.')
      return entry([change])
    },
    prefix,
    by: actor?.employee ?? actor?.apiKey?.id,
  }
  return table
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

const conditionOf = (write: Write) =>
  write.condition && {
    ConditionExpression: write.condition.expression,
    ExpressionAttributeNames: write.condition.names,
    ...(write.condition.values && { ExpressionAttributeValues: write.condition.values }),
  }

const problem = ({ code, fields }: Otherwise) => new Problem(code, fields)
const nameOf = (error: unknown) => (error instanceof Error ? error.name : '')

const placeOf = ({ pk, sk }: { pk: string; sk: string }) => `${pk} ${sk}`

/** Items by their places, as they are stored, expired or not. */
const readAll = async (places: { pk: string; sk: string }[]): Promise<Map<string, Record<string, unknown>>> => {
  const name = environment('TABLE')
  const found = new Map<string, Record<string, unknown>>()
  let open = [...new Map(places.map(place => [placeOf(place), place] as const)).values()]
  for (let tries = 0; open.length > 0; tries++) {
    // What the engine had no room for comes back unprocessed; waiting a little longer each time lets it breathe.
    if (tries > 0) await wait(Math.min(50 * 2 ** tries, 1000) * (0.5 + Math.random() / 2))
    const now = open.slice(0, 100)
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetCommand({ RequestItems: { [name]: { Keys: now, ConsistentRead: true } } }),
    )
    for (const item of (Responses?.[name] ?? []) as Record<string, unknown>[]) found.set(`${item.pk} ${item.sk}`, item)
    const left = (UnprocessedKeys?.[name]?.Keys ?? []) as typeof open
    if (left.length === 0) tries = -1
    open = [...left, ...open.slice(100)]
  }
  return found
}

const isTaskNoun = ({ task, path = '' }: Actor = {}, noun: AuditedNoun) =>
  task !== undefined && path in importedNouns && importedNouns[path as keyof typeof importedNouns] === noun

/** Written in another order than that of their rows, so that what one save makes does not follow each other. */
const isOneByOne = (noun: AuditedNoun) => noun === 'department'

/** Whether a task has made this itself; what it changes besides is told as what anybody changes. */
const isMadeByTask = (actor: Actor | undefined, { noun, id }: Pick<AuditedChange, 'noun' | 'id'>) =>
  isTaskNoun(actor, noun) && id.startsWith(rowsOf(actor?.task ?? ''))

/** Changes of one save are told together where they are found by the same key: what a task makes stands under the task. */
const placeInAudit = (actor: Actor, change: AuditedChange): string =>
  !isMadeByTask(actor, change) ? '' : isOneByOne(change.noun) ? change.id : 'made'

/** Beyond this much text an entry is continued in another: an item ends at 400 KB. */
const mostEntryCharacters = 100_000

/** The entries of the audit these writes are told by, and what each table is to have seen once they are saved. */
const tell = async (writes: Write[]): Promise<{ entries: Write[]; saved: () => void }> => {
  const telling = writes.flatMap(write => {
    const { pk, sk } = (write.put ?? write.remove ?? {}) as { pk: string; sk: string }
    return write.told ? [{ write, told: write.told, at: { pk, sk }, place: placeOf({ pk, sk }) }] : []
  })
  const seenOf = ({ told: { trail, version }, place }: (typeof telling)[number]) => {
    if (version === undefined) return undefined
    const text = trail.seen.get(place)
    const item = text === undefined ? undefined : (JSON.parse(text) as Item<object>)
    return version === 'unknown' || item?.version === version ? item : undefined
  }
  // What was not read by this table, or read before it changed, is read now. Where even that is another version than the one
  // that is replaced, the write will be refused, and nothing told.
  const before = new Map(telling.map(one => [one.place, seenOf(one)]))
  const unseen = telling.filter(({ told, place }) => told.version !== undefined && !before.get(place))
  if (unseen.length > 0)
    for (const [place, item] of await readAll(unseen.map(({ at }) => at)))
      before.set(place, stripKeys(item) as Item<object>)

  const changes = new Map<Trail, AuditedChange[]>()
  for (const { write, told, place } of telling) {
    const change = changeBetween(told.audited, before.get(place), write.put && stripKeys(write.put))
    if (change) changes.set(told.trail, [...(changes.get(told.trail) ?? []), change])
  }
  return {
    entries: [...changes].flatMap(([{ actor, entry }, list]) =>
      [...Map.groupBy(list, change => placeInAudit(actor, change)).values()].flatMap(portions).map(entry),
    ),
    saved: () => {
      for (const { write, told, place } of telling)
        if (write.put) told.trail.seen.set(place, JSON.stringify(stripKeys(write.put)))
        else told.trail.seen.delete(place)
    },
  }
}

const portions = (changes: AuditedChange[]): AuditedChange[][] => {
  const parts: AuditedChange[][] = [[]]
  let characters = 0
  for (const change of changes) {
    const length = JSON.stringify(change).length
    if (characters > 0 && characters + length > mostEntryCharacters) {
      parts.push([])
      characters = 0
    }
    parts.at(-1)?.push(change)
    characters += length
  }
  return parts
}

/**
 * The engine takes one operation for each item. What is required twice needs looking at once, what the same save inserts is
 * there, and what is added to one tally is added together.
 */
const withoutNeedless = (writes: Write[]): Write[] => {
  const seen = new Set(writes.flatMap(({ put }) => (put ? [placeOf(put as { pk: string; sk: string })] : [])))
  const sums = new Map<string, NonNullable<Write['tally']>>()
  const needed = writes.filter(({ check, isRequirement, tally }) => {
    if (tally) {
      const by = sums.get(placeOf(tally))?.by ?? {}
      const names = Object.keys({ ...by, ...tally.by })
      const sum = Object.fromEntries(names.map(name => [name, (by[name] ?? 0) + (tally.by[name] ?? 0)]))
      sums.set(placeOf(tally), { ...tally, by: sum })
      return false
    }
    if (!check || !isRequirement) return true
    const isNeeded = !seen.has(placeOf(check))
    seen.add(placeOf(check))
    return isNeeded
  })
  for (const tally of sums.values())
    if (Object.values(tally.by).some(number => number !== 0)) needed.push({ tally, otherwise: changedMeanwhile })
  return needed
}

/** What one save can carry: the engine takes 100 writes, and one is kept for the audit. */
export const mostWrites = 99

/** What writes are about: the engine takes one operation for each of these places. What is told by itself is one more. */
const placesOf = (writes: Write[]): Set<string> =>
  new Set(
    writes.flatMap(({ put, remove, check, tally, told }) => {
      const place = placeOf((put ?? remove ?? check ?? tally) as { pk: string; sk: string })
      const isTold = told && isTaskNoun(told.trail.actor, told.audited.noun) && isOneByOne(told.audited.noun)
      return isTold ? [place, `told ${place}`] : [place]
    }),
  )

/** The things of a list that are written together, in their order: no more than one save carries beside `others` more writes. */
export const inSaves = <T>(list: readonly T[], writesOf: (one: T) => Write[], others = 0): T[][] => {
  const saves: T[][] = []
  let places = new Set<string>()
  for (const one of list) {
    const needed = placesOf(writesOf(one))
    const together = places.union(needed)
    const hasRoom = saves.length > 0 && together.size <= mostWrites - others
    places = hasRoom ? together : needed
    if (!hasRoom) saves.push([])
    saves.at(-1)?.push(one)
  }
  return saves
}

/**
 * Carries writes out together or not at all. A condition that does not hold throws that write's `otherwise`.
 * A collision with another transaction is waited out a few times, for nobody has seen anything wrong yet.
 * What an actor's table changes of audited nouns is told to the audit in the same transaction, or neither happens. More than
 * the engine takes at once is a mistake of the code and carries nothing out: whoever has more splits it (`mostWrites`).
 */
export const save = async (...all: Write[]): Promise<void> => {
  const needed = all.length > 1 ? withoutNeedless(all) : all
  // A punch is one write of nobody, and there are many of them.
  if (!needed.some(({ told }) => told)) return carryOut(needed)
  const { entries, saved } = await tell(needed)
  const writes = [...needed, ...entries]
  if (writes.length > 100) throw new Error(`${needed.length} writes and ${entries.length} of the audit are too many.`)
  await carryOut(writes)
  saved()
}

/** What became of an item that must be new: nobody knows where it `failed`. */
export type Arrival = 'stored' | 'known' | 'failed'

/** As many as the engine takes in one batch. */
export const mostArrivals = 25

/**
 * Inserts items, each by itself, in one question to the engine: one that is there already keeps none of the others away. Only for
 * items that never expire and that the audit is not told of. Throws where nothing of it was answered.
 */
export const saveEach = async (writes: Write[]): Promise<Arrival[]> => {
  if (writes.some(({ told }) => told)) throw new Error('The audit is told by `save` alone.')
  const TableName = environment('TABLE')
  const statementOf = ({ put = {} }: Write) => {
    const attributes = Object.entries(put).filter(([, value]) => value !== undefined)
    return {
      Statement: `INSERT INTO "${TableName}" VALUE {${attributes.map(([name]) => `'${name}': ?`).join(', ')}}`,
      Parameters: attributes.map(([, value]) => value),
    }
  }
  const places = writes.map(({ put }) => placeOf(put as { pk: string; sk: string }))
  const firstOf = places.map(place => places.indexOf(place))
  // A batch may not be about one place twice: of two the first counts, and the second is known if that is.
  const asked = [...new Set(firstOf)]
  const { Responses = [] } = await client.send(
    new BatchExecuteStatementCommand({ Statements: asked.map(i => statementOf(writes[i] as Write)) }),
  )
  const arrivals = new Map(
    asked.map((i, n): [number, Arrival] => {
      const answer = Responses[n]
      if (answer?.Error?.Code === 'DuplicateItem') return [i, 'known']
      return [i, answer && !answer.Error ? 'stored' : 'failed']
    }),
  )
  return firstOf.map((first, i) => {
    const arrival = arrivals.get(first) ?? 'failed'
    return first !== i && arrival === 'stored' ? 'known' : arrival
  })
}

/** Whether the engine refused a save because another transaction held one of its items, and nothing else. */
export const hasCollided = (error: unknown): boolean => {
  if (nameOf(error) === 'TransactionConflictException') return true
  const { CancellationReasons: reasons = [] } = Object(error) as { CancellationReasons?: { Code?: string }[] }
  const codes = reasons.map(({ Code = 'None' }) => Code).filter(code => code !== 'None')
  return codes.length > 0 && codes.every(code => code === 'TransactionConflict')
}

const mostTries = 5
/** Before what collided with a transaction is tried again. */
const pause = (tries: number) => wait(20 * 2 ** tries * (0.5 + Math.random() / 2))

/** Which part of a tally is added to next: saves at the same time add to different ones. */
let turn = randomInt(tallyParts)

const updateOf = ({ pk, sk, by }: NonNullable<Write['tally']>) => {
  const numbers = Object.entries(by)
  return {
    Key: { pk, sk: `${sk}#${turn % tallyParts}` },
    UpdateExpression: `SET #of = :of ADD ${numbers.map((_, i) => `#n${i} :n${i}`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries([['#of', 'of'], ...numbers.map(([name], i) => [`#n${i}`, name])]),
    ExpressionAttributeValues: Object.fromEntries([[':of', sk], ...numbers.map(([, number], i) => [`:n${i}`, number])]),
  }
}

const carryOut = async (writes: Write[]): Promise<void> => {
  const [only] = writes
  const TableName = environment('TABLE')
  if (only && writes.length === 1 && !only.check && !only.tally) {
    for (let tries = 1; ; tries++) {
      try {
        if (only.put) await client.send(new PutCommand({ TableName, Item: only.put, ...conditionOf(only) }))
        else if (only.remove)
          await client.send(new DeleteCommand({ TableName, Key: only.remove, ...conditionOf(only) }))
        return
      } catch (error) {
        if (nameOf(error) === 'ConditionalCheckFailedException') throw problem(only.otherwise)
        // The item is part of a transaction that is being carried out.
        if (nameOf(error) !== 'TransactionConflictException' || tries === mostTries) throw error
        await pause(tries)
      }
    }
  }
  const operationOf = (write: Write) =>
    write.put
      ? { Put: { TableName, Item: write.put, ...conditionOf(write) } }
      : write.remove
        ? { Delete: { TableName, Key: write.remove, ...conditionOf(write) } }
        : write.tally
          ? { Update: { TableName, ...updateOf(write.tally) } }
          : {
              ConditionCheck: {
                TableName,
                Key: write.check,
                ConditionExpression: write.condition?.expression ?? '',
                ExpressionAttributeNames: write.condition?.names ?? {},
                ...(write.condition?.values && { ExpressionAttributeValues: write.condition.values }),
              },
            }
  for (let tries = 1; ; tries++) {
    turn++
    try {
      await client.send(new TransactWriteCommand({ TransactItems: writes.map(operationOf) }))
      return
    } catch (error) {
      if (nameOf(error) !== 'TransactionCanceledException') throw error
      const reasons = (error as { CancellationReasons?: { Code?: string }[] }).CancellationReasons ?? []
      const failed = reasons.findIndex(reason => reason.Code === 'ConditionalCheckFailed')
      const write = writes[failed]
      if (write) throw problem(write.otherwise)
      if (tries === mostTries) throw error
      await pause(tries)
    }
  }
}

// A cursor is a position in a list, sealed together with the list it belongs to: it opens nothing but its own list, and who
// holds it cannot read it, for the row it stands at may be one they must not see.

let cursorSecret: Promise<Buffer> | undefined
const cursorKey: Key<{ secret: string }> = { pk: 'SECRET#cursor', sk: '-' }

const readCursorSecret = async (): Promise<Buffer> => {
  const stored = await directory().get(cursorKey)
  if (stored) return Buffer.from(stored.secret, 'base64')
  const secret = randomBytes(32).toString('base64')
  try {
    await save(directory().insert(cursorKey, { secret }))
  } catch (error) {
    // Another process was first: its secret is the one.
    if (!(error instanceof Problem)) throw error
    return readCursorSecret()
  }
  return Buffer.from(secret, 'base64')
}

/** Each list has a key of its own. */
const keyOf = async (binding: string) => {
  cursorSecret ??= readCursorSecret().catch(error => {
    cursorSecret = undefined
    throw error
  })
  return createHmac('sha256', await cursorSecret)
    .update(binding)
    .digest()
}

const cipher = 'aes-256-gcm'
const [nonceBytes, tagBytes] = [12, 16]

/** Makes a `next` out of any position a list wants to go on from; `binding` names the list. */
export const sealCursor = async (position: Record<string, unknown>, binding: string): Promise<string> => {
  const nonce = randomBytes(nonceBytes)
  const sealing = createCipheriv(cipher, await keyOf(binding), nonce)
  const text = Buffer.concat([sealing.update(JSON.stringify(position)), sealing.final()])
  return Buffer.concat([nonce, sealing.getAuthTag(), text]).toString('base64url')
}

/** Throws 10002 for the field `page` where the cursor is not one this list gave out. */
export const openCursor = async (cursor: string, binding: string): Promise<Record<string, unknown>> => {
  const bytes = Buffer.from(cursor, 'base64url')
  const key = await keyOf(binding)
  try {
    const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    const text = Buffer.concat([opening.update(bytes.subarray(nonceBytes + tagBytes)), opening.final()])
    return JSON.parse(text.toString()) as Record<string, unknown>
  } catch {
    throw new Problem(10002, { page: 10002 })
  }
}
