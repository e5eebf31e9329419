import { GetCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import { type IndexName, type Key, stripKeys, tableSchema } from '../../../shared/table.ts'
import { environment } from '../environment.ts'
import { openCursor, sealCursor } from './cursor.ts'
import { client, type Item, nowSeconds, placeOf, readAll } from './engine.ts'
import { type Place, storedAt } from './write.ts'

export interface Page<T> {
  list: Item<T>[]
  next?: string
}

export interface Range<T> {
  /** The partition key, from a key template. */
  pk: string
  index?: IndexName
  prefix?: string
  /** Both ends are inclusive. */
  from?: string
  to?: string
  /** Only items after this sort key, in reading direction. */
  after?: string | undefined
  /** Returns only rows that meet all conditions. The engine reads the other rows but does not send them. */
  where?: Where[]
  reverse?: boolean
  size?: number
  /** The `next` of the previous page. */
  page?: string | undefined
  /**
   * Returns only these attributes. If the items expire, include `expiresAt`: without it an expired item counts as
   * present.
   */
  only?: (keyof T & string)[]
}

/** A condition on an attribute. `not below` also accepts a missing attribute. */
export type Where = [
  attribute: string,
  is: '=' | '<>' | 'below' | 'not below' | 'contains',
  value: string | number | boolean,
]

/** Some rows of a range with their sort keys. */
export interface Part<T> {
  rows: { item: Item<T>; at: string }[]
  /** The number of rows that the engine read, and the last key. `reached` is undefined at the end of the range. */
  read: number
  reached?: string
}

/** The index after a row. If the row no longer exists, its former index. */
const placeAfter = (list: { id: string }[], { after, end }: Record<string, unknown>) =>
  list.findIndex(({ id }) => id === after) + 1 || Number(end)

export interface Reader {
  get<T>(key: Key<T>): Promise<Item<T> | undefined>
  /** One result for each key, in order; undefined if the item is missing. */
  getMany<T>(keys: Key<T>[]): Promise<(Item<T> | undefined)[]>
  /** One page of a partition, in key order. */
  page<T>(range: Range<T>): Promise<Page<T>>
  /** All items of a partition, page by page. */
  each<T>(range: Range<T>): AsyncGenerator<Item<T>>
  all<T>(range: Range<T>): Promise<Item<T>[]>
  /** One query of at most `size` rows. Returns whole rows, because they contain their sort keys. */
  part<T>(range: Omit<Range<T>, 'only'>): Promise<Part<T>>
  /** The number of rows. The engine reads all rows but sends none. */
  count<T>(range: Range<T>): Promise<number>
  /** A page of an ordered list in memory; `name` identifies the list for its cursor. */
  slice<T extends { id: string }>(
    list: T[],
    of: { name: string; size: number; page?: string | undefined },
  ): Promise<{ list: T[]; next?: string }>
}

const isPresent = (item: Record<string, unknown> | undefined): item is Record<string, unknown> => {
  const expiry = item?.[tableSchema.expiry]
  return item !== undefined && !(typeof expiry === 'number' && expiry < nowSeconds())
}
const shape = <T>(item: Record<string, unknown>): Item<T> => stripKeys(item) as Item<T>

/** Remembers an audited item, so that the audit can compare a change with it. */
const see = <T>(place: Place, key: Key<T>, raw: Record<string, unknown> | undefined): Item<T> | undefined => {
  const item = isPresent(raw) ? shape<T>(raw) : undefined
  if (place.trail && key.audited && item) place.trail.seen.set(placeOf(storedAt(place, key)), JSON.stringify(item))
  return item
}

const questionOf = <T>({ prefix }: Place, range: Range<T>) => {
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
  // DynamoDB rejects an empty key, so an empty bound means no bound.
  const after = range.after || undefined
  const from = (reverse ? range.from : (after ?? range.from)) || undefined
  const to = reverse ? (after ?? range.to) : range.to
  if (range.prefix) bound('begins_with(#sk, :prefix)', { ':prefix': range.prefix })
  // BETWEEN includes the row at `after`; `part` removes it.
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
    TableName: environment('TABLE'),
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

/** Queries a whole range, page by page. */
async function* answersTo<T>(place: Place, range: Range<T>, more: Partial<QueryCommandInput> = {}) {
  const question = { ...questionOf(place, range), ...more }
  let position: Record<string, unknown> | undefined
  do {
    const answer = await client.send(
      new QueryCommand({ ...question, ...(position && { ExclusiveStartKey: position }) }),
    )
    yield answer
    position = answer.LastEvaluatedKey
  } while (position)
}

async function* readEach<T>(place: Place, range: Range<T>): AsyncGenerator<Item<T>> {
  for await (const { Items = [] } of answersTo(place, range))
    for (const item of Items) if (isPresent(item)) yield shape<T>(item)
}

const readPage = async <T>(place: Place, range: Range<T>): Promise<Page<T>> => {
  const question = questionOf(place, range)
  const { page: _, size: __, only: ___, ...of } = range
  const binding = place.prefix + JSON.stringify(of)
  const list: Item<T>[] = []
  let position = range.page === undefined ? undefined : await openCursor(range.page, binding)
  const size = range.size ?? 100
  // The engine's limit also counts expired items, so filling a page may take several reads.
  do {
    const answer = await client.send(
      new QueryCommand({
        ...question,
        Limit: size - list.length,
        ...(position && { ExclusiveStartKey: position }),
      }),
    )
    for (const item of answer.Items ?? []) if (isPresent(item)) list.push(shape<T>(item))
    position = answer.LastEvaluatedKey
  } while (position && list.length < size)
  return { list, ...(position && { next: await sealCursor(position, binding) }) }
}

const readPart = async <T>(place: Place, range: Omit<Range<T>, 'only'>): Promise<Part<T>> => {
  const sortKey = range.index ? tableSchema.indexes[range.index].sortKey : tableSchema.sortKey
  const answer = await client.send(
    new QueryCommand({ ...questionOf(place, range), ...(range.size !== undefined && { Limit: range.size }) }),
  )
  const rows = (answer.Items ?? [])
    .filter(item => isPresent(item) && item[sortKey] !== range.after)
    .map(item => ({ item: shape<T>(item), at: String(item[sortKey]) }))
  const reached = answer.LastEvaluatedKey?.[sortKey]
  return { rows, read: answer.ScannedCount ?? rows.length, ...(reached !== undefined && { reached }) }
}

export const readerOf = (place: Place): Reader => ({
  async get<T>(key: Key<T>) {
    const Key = storedAt(place, key)
    const { Item } = await client.send(new GetCommand({ TableName: environment('TABLE'), Key, ConsistentRead: true }))
    return see(place, key, Item)
  },
  async getMany<T>(keys: Key<T>[]) {
    const items = await readAll(keys.map(key => storedAt(place, key)))
    return keys.map(key => see(place, key, items.get(placeOf(storedAt(place, key)))))
  },
  page: range => readPage(place, range),
  each: range => readEach(place, range),
  async all<T>(range: Range<T>) {
    const list: Item<T>[] = []
    for await (const item of readEach(place, range)) list.push(item)
    return list
  },
  part: range => readPart(place, range),
  async count(range) {
    let count = 0
    for await (const { Count = 0 } of answersTo(place, range, { Select: 'COUNT' })) count += Count
    return count
  },
  async slice(list, { name, size, page }) {
    const binding = `${place.prefix}${name}`
    const start = page === undefined ? 0 : placeAfter(list, await openCursor(page, binding))
    const part = list.slice(start, start + size)
    const last = part.at(-1)
    const end = start + part.length
    const next = last && end < list.length && { next: await sealCursor({ after: last.id, end }, binding) }
    return { list: part, ...next }
  },
})
