import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { type Code, type Fields, Problem } from '../../shared/errors.ts'
import { companyPrefix, type IndexName, type Key, type Places, stripKeys, tableSchema } from '../../shared/table.ts'
import { environment } from './environment.ts'

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
  reverse?: boolean
  size?: number
  /** The `next` of the page before. */
  page?: string | undefined
  /** Only these attributes are answered. */
  only?: (keyof T & string)[]
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
  /** The check asks no more than that the item is there and stays. */
  isRequirement?: true
  otherwise: Otherwise
}

/**
 * Set on an item that is being deleted, before anybody looks whether something still hangs on it: whoever hangs something
 * on it from then on is refused, so that what the look finds is all there is.
 */
export const leavingAttribute = 'leavingAt'

const hasVersion = (version: number): Condition => ({
  expression: '#version = :version',
  names: { '#version': 'version' },
  values: { ':version': version },
})

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
  /** With a version: must still have it. */
  remove(key: Key, version?: number, otherwise?: Otherwise): Write
  /** Must exist and not be on its way out. */
  require(key: Key, otherwise: Otherwise): Write
  /** Must be as it was read: with that version, or still missing. */
  unchanged(key: Key, item: { version: number } | undefined, otherwise?: Otherwise): Write
  /** Adds to a number and answers the sum; for counting tries, never for anything people are paid by. */
  add(key: Key, by: number, expiresAt: number): Promise<number>
}

/** `prefix` is empty for the directory of global pointers. */
const open = (prefix: string): Table => {
  const name = environment('TABLE')
  const stored = ({ pk, sk }: Key) => ({ pk: prefix + pk, sk })
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
    if (range.prefix !== undefined) bound('begins_with(#sk, :prefix)', { ':prefix': range.prefix })
    else if (range.from !== undefined && range.to !== undefined)
      bound('#sk BETWEEN :from AND :to', { ':from': range.from, ':to': range.to })
    else if (range.from !== undefined) bound('#sk >= :from', { ':from': range.from })
    else if (range.to !== undefined) bound('#sk <= :to', { ':to': range.to })
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
      ScanIndexForward: !range.reverse,
      ConsistentRead: !range.index,
    }
  }

  const table: Table = {
    async get<T>(key: Key<T>) {
      const { Item } = await client.send(new GetCommand({ TableName: name, Key: stored(key), ConsistentRead: true }))
      return present(Item) ? shape<T>(Item) : undefined
    },
    async getMany<T>(keys: Key<T>[]) {
      const found = new Map<string, Record<string, unknown>>()
      let open = [...new Map(keys.map(key => [`${key.pk} ${key.sk}`, stored(key)] as const)).values()]
      for (let tries = 0; open.length > 0; tries++) {
        // What the engine had no room for comes back unprocessed; waiting a little longer each time lets it breathe.
        if (tries > 0) await wait(Math.min(50 * 2 ** tries, 1000) * (0.5 + Math.random() / 2))
        const now = open.slice(0, 100)
        const { Responses, UnprocessedKeys } = await client.send(
          new BatchGetCommand({ RequestItems: { [name]: { Keys: now, ConsistentRead: true } } }),
        )
        for (const item of (Responses?.[name] ?? []) as Record<string, unknown>[])
          found.set(`${item.pk} ${item.sk}`, item)
        const left = (UnprocessedKeys?.[name]?.Keys ?? []) as typeof open
        if (left.length === 0) tries = -1
        open = [...left, ...open.slice(100)]
      }
      return keys.map(key => {
        const { pk, sk } = stored(key)
        const item = found.get(`${pk} ${sk}`)
        return present(item) ? shape<T>(item) : undefined
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
    insert: (key, item, otherwise = changedMeanwhile) => ({
      put: full(key, item, 1),
      condition: {
        // What has expired counts as gone although the engine has not got round to deleting it.
        expression: 'attribute_not_exists(#pk) OR #expiry < :now',
        names: { '#pk': 'pk', '#expiry': tableSchema.expiry },
        values: { ':now': nowSeconds() },
      },
      otherwise,
    }),
    replace: (key, item, otherwise = changedMeanwhile) => ({
      put: full(key, item, item.version + 1),
      condition: hasVersion(item.version),
      otherwise,
    }),
    put: (key, item) => ({ put: full(key, item, 1), otherwise: changedMeanwhile }),
    remove: (key, version, otherwise = changedMeanwhile) => ({
      remove: stored(key),
      ...(version !== undefined && {
        condition: hasVersion(version),
      }),
      otherwise,
    }),
    require: (key, otherwise) => ({
      check: stored(key),
      condition: {
        expression: 'attribute_exists(#pk) AND attribute_not_exists(#leaving)',
        names: { '#pk': 'pk', '#leaving': leavingAttribute },
      },
      isRequirement: true,
      otherwise,
    }),
    unchanged: (key, item, otherwise = changedMeanwhile) => ({
      check: stored(key),
      condition: item ? hasVersion(item.version) : { expression: 'attribute_not_exists(#pk)', names: { '#pk': 'pk' } },
      otherwise,
    }),
    async add(key, by, expiresAt) {
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
  }
  return table
}

/** Opened per call: it is a prefix and a few closures, and keeping one per company would keep tenants in memory. */
export const openTable = (company: string): Table => open(companyPrefix(company))

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

/**
 * The engine takes one operation for each item. What is required twice needs looking at once, and what the same save
 * inserts is there.
 */
const withoutNeedless = (writes: Write[]): Write[] => {
  const name = ({ pk, sk }: Record<string, unknown>) => `${pk} ${sk}`
  const seen = new Set(writes.flatMap(({ put }) => (put ? [name(put)] : [])))
  return writes.filter(({ check, isRequirement }) => {
    if (!check || !isRequirement) return true
    const isNew = !seen.has(name(check))
    seen.add(name(check))
    return isNew
  })
}

/**
 * Carries writes out together or not at all (at most 100). A condition that does not hold throws that write's `otherwise`.
 * A collision with another transaction is waited out a few times, for nobody has seen anything wrong yet.
 */
export const save = async (...all: Write[]): Promise<void> => {
  const writes = withoutNeedless(all)
  const [only] = writes
  const TableName = environment('TABLE')
  if (only && writes.length === 1 && !only.check) {
    try {
      if (only.put) await client.send(new PutCommand({ TableName, Item: only.put, ...conditionOf(only) }))
      else if (only.remove) await client.send(new DeleteCommand({ TableName, Key: only.remove, ...conditionOf(only) }))
    } catch (error) {
      if (nameOf(error) === 'ConditionalCheckFailedException') throw problem(only.otherwise)
      throw error
    }
    return
  }
  const TransactItems = writes.map(write =>
    write.put
      ? { Put: { TableName, Item: write.put, ...conditionOf(write) } }
      : write.remove
        ? { Delete: { TableName, Key: write.remove, ...conditionOf(write) } }
        : {
            ConditionCheck: {
              TableName,
              Key: write.check,
              ConditionExpression: write.condition?.expression ?? '',
              ExpressionAttributeNames: write.condition?.names ?? {},
              ...(write.condition?.values && { ExpressionAttributeValues: write.condition.values }),
            },
          },
  )
  for (let tries = 1; ; tries++) {
    try {
      await client.send(new TransactWriteCommand({ TransactItems }))
      return
    } catch (error) {
      if (nameOf(error) !== 'TransactionCanceledException') throw error
      const reasons = (error as { CancellationReasons?: { Code?: string }[] }).CancellationReasons ?? []
      const failed = reasons.findIndex(reason => reason.Code === 'ConditionalCheckFailed')
      const write = writes[failed]
      if (write) throw problem(write.otherwise)
      if (tries === 5) throw error
      await wait(20 * 2 ** tries * (0.5 + Math.random() / 2))
    }
  }
}

// A cursor is the position the engine gave, signed together with the list it belongs to: it opens nothing but its own list.

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

const sign = async (text: string) => {
  cursorSecret ??= readCursorSecret().catch(error => {
    cursorSecret = undefined
    throw error
  })
  return createHmac('sha256', await cursorSecret)
    .update(text)
    .digest()
    .subarray(0, 16)
}

/** Makes a `next` out of any position a list wants to go on from; `binding` names the list. */
export const sealCursor = async (position: Record<string, unknown>, binding: string): Promise<string> => {
  const text = JSON.stringify(position)
  return Buffer.concat([await sign(`${binding}\n${text}`), Buffer.from(text)]).toString('base64url')
}

/** Throws 10002 for the field `page` where the cursor is not one this list gave out. */
export const openCursor = async (cursor: string, binding: string): Promise<Record<string, unknown>> => {
  const bytes = Buffer.from(cursor, 'base64url')
  const text = bytes.subarray(16).toString()
  const expected = await sign(`${binding}\n${text}`)
  if (bytes.length < 18 || !timingSafeEqual(bytes.subarray(0, 16), expected)) throw new Problem(10002, { page: 10002 })
  return JSON.parse(text) as Record<string, unknown>
}
