import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, QueryCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { readProcess } from '../../infra/local/process.ts'
import { clientOf } from '../../infra/local/stack/database.ts'
import { drawLots, type Faults } from '../../infra/local/terminal/fault.ts'
import { startTerminal, type Terminal } from '../../infra/local/terminal/fleet.ts'
import type { LinkEvent } from '../../infra/local/terminal/manner.ts'
import type { LogEntry } from '../../infra/local/terminal/memory.ts'
import type { Profile } from '../../infra/local/terminal/profile.ts'
import { deviceKey } from '../../shared/device.ts'
import { companyPrefix } from '../../shared/table.ts'
import { type Client, client, type Registered, register } from '../kit/client.ts'

// The terminals of one company with what everybody knows of their punches: what was made, what the server said it kept, and
// what then lies in the table.

/** No clock of this zone ever changes, so one reading is one instant. */
export const quietZone = 'Asia/Tokyo'

export interface Claimed {
  http: Client
  owner: Registered
  serialNumbers: string[]
}

/** A new company that has claimed so many terminals. */
export const claimTerminals = async (
  address: string,
  { count, prefix = 'CHAOS' }: { count: number; prefix?: string },
): Promise<Claimed> => {
  const http = client(address)
  const owner = await register(http, { timezone: quietZone })
  const { department } = owner
  const serialNumbers = Array.from({ length: count }, (_, i) => `${prefix}${String(i + 1).padStart(4, '0')}`)
  const left = [...serialNumbers]
  const add = async () => {
    for (let serialNumber = left.pop(); serialNumber !== undefined; serialNumber = left.pop())
      await http.call('device/add', { serialNumber, name: 'Gate', department, authentication: 'claim' }, owner)
  }
  await Promise.all(Array.from({ length: 8 }, add))
  return { http, owner, serialNumbers }
}

/** So many new companies with so many terminals each. */
export const claimForCompanies = async (
  address: string,
  { companies, count }: { companies: number; count: number },
): Promise<{ companies: string[]; serialNumbers: string[] }> => {
  const claimed: Claimed[] = []
  for (let i = 0; i < companies; i++) claimed.push(await claimTerminals(address, { count, prefix: `CHAOS${i}` }))
  return {
    companies: claimed.map(({ owner }) => owner.company),
    serialNumbers: claimed.flatMap(({ serialNumbers }) => serialNumbers),
  }
}

/** Who punches at a terminal, by number: a few of them belong to the company, the others to nobody yet. */
const usualPeople = 1000

/** As many punches as wished on the two days before yesterday, each at a second of its own. */
export const planPunches = (
  sn: string,
  { count, seed, people = usualPeople }: { count: number; seed: number; people?: number | undefined },
): Omit<LogEntry, 'index'>[] => {
  const lot = drawLots(seed, `punches ${sn}`)
  const from = Date.parse(`${new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`)
  const step = (2 * 86_400_000) / count
  return Array.from({ length: count }, (_, i) => ({
    enrollid: 1 + Math.floor(lot() * people),
    time: new Date(from + Math.floor(i * step)).toISOString().slice(0, 19).replace('T', ' '),
    mode: lot() < 0.8 ? 3 : 1,
    inout: 0,
    event: 0,
  }))
}

/** What one punch is called wherever it is counted. */
export const nameOf = (sn: string, number: number | string, time: string) => `${sn} ${number} ${time.replace('T', ' ')}`

export interface Manners {
  entriesPerFrame?: number
  profile?: Profile | 'adms'
  faults?: Faults
}

export interface Fleet {
  terminals: Terminal[]
  /** Every punch that was made, by name. */
  made: Set<string>
  /** Those the server said it keeps. */
  acknowledged: Set<string>
  /** How long each acknowledged frame took. */
  milliseconds: number[]
  /** How long each acknowledged punch took since somebody made it, or was to make it. */
  sincePunched: number[]
  /** When each terminal had nothing left to deliver, in milliseconds since the start. */
  finishedAt: Map<string, number>
  events: { registered: number; lost: number; refused: number }
  /** How often each terminal lost its connection, or found no server. */
  losses: Map<string, number>
  /** What each terminal was told to do. */
  commanded: Map<string, Set<string>>
  /** Milliseconds since the start. */
  now(): number
  /** Punches that were made at a terminal while it goes on; `at` is when they were to be, in milliseconds since the start. */
  punch(terminal: Terminal, entries: Omit<LogEntry, 'index'>[], at?: number): void
  /** What no terminal has delivered. */
  waiting(): number
  close(): Promise<void>
}

/** Starts terminals whose log holds the punches already, as after a time without a network. */
export const startFleet = (options: {
  address: string
  data: string
  seed: number
  serialNumbers: string[]
  punchesEach: number
  people?: number
  mannersOf?: (i: number) => Manners
}): Fleet => {
  const { address, data, seed, serialNumbers, punchesEach, people, mannersOf = () => ({}) } = options
  const startedAt = performance.now()
  const punchedAt = new Map<string, number>()
  const fleet: Fleet = {
    terminals: [],
    made: new Set(),
    acknowledged: new Set(),
    milliseconds: [],
    sincePunched: [],
    finishedAt: new Map(),
    events: { registered: 0, lost: 0, refused: 0 },
    losses: new Map(),
    commanded: new Map(),
    now: () => performance.now() - startedAt,
    punch(terminal, entries, at = fleet.now()) {
      for (const { enrollid, time } of terminal.punch(entries)) {
        const name = nameOf(terminal.sn, enrollid, time)
        fleet.made.add(name)
        punchedAt.set(name, at)
      }
    },
    waiting: () => fleet.terminals.reduce((sum, { memory }) => sum + memory.waiting, 0),
    close: async () => void (await Promise.all(fleet.terminals.map(terminal => terminal.close()))),
  }
  const bySn = new Map<string, Terminal>()
  const hear = (sn: string, event: LinkEvent) => {
    if (event.kind === 'acknowledged') {
      fleet.milliseconds.push(event.milliseconds)
      for (const { enrollid, time } of event.entries) {
        const name = nameOf(sn, enrollid, time)
        fleet.acknowledged.add(name)
        fleet.sincePunched.push(fleet.now() - (punchedAt.get(name) ?? 0))
      }
      if (bySn.get(sn)?.memory.waiting === 0) fleet.finishedAt.set(sn, fleet.now())
    } else if (event.kind === 'commanded') {
      fleet.commanded.set(sn, (fleet.commanded.get(sn) ?? new Set()).add(event.command))
    } else if (event.kind === 'registered' || event.kind === 'lost' || event.kind === 'refused') {
      fleet.events[event.kind]++
      if (event.kind === 'lost') fleet.losses.set(sn, (fleet.losses.get(sn) ?? 0) + 1)
    }
  }
  for (const [i, sn] of serialNumbers.entries()) {
    const manners: Manners = mannersOf(i)
    const terminal = startTerminal(
      {
        address: manners.profile === 'adms' ? address : `${address.replace(/^http/, 'ws')}/web`,
        data: join(data, 'terminals'),
        identity: { sn },
        seed,
        // Few do not crowd a server that has just come back.
        longestPauseMilliseconds: Math.min(1000, 250 + 10 * serialNumbers.length),
        ...manners,
      },
      event => hear(sn, event),
    )
    fleet.terminals.push(terminal)
    bySn.set(sn, terminal)
    fleet.punch(terminal, planPunches(sn, { count: punchesEach, seed, people }))
  }
  return fleet
}

/** Where the engine of a stack answers; it outlives the stack. */
export const engineOf = (data: string): string => {
  const { engine } = JSON.parse(readFileSync(join(data, 'stack.json'), 'utf8'))
  return `http://127.0.0.1:${/-port (\d+)/.exec(readProcess(engine)?.command ?? '')?.[1]}`
}

export interface StoredPunch {
  number: string
  localTime: string
  sn: string
  at: string
  [name: string]: unknown
}

/** All items of companies whose key begins so, as they lie in the table. */
export const readItems = async (
  endpoint: string,
  companies: string[],
  prefix: string,
): Promise<Record<string, unknown>[]> => {
  const prefixes = companies.map((company, i) => [`:prefix${i}`, `${companyPrefix(company)}${prefix}`] as const)
  const table = DynamoDBDocumentClient.from(new DynamoDBClient(clientOf(endpoint)))
  const found: Record<string, unknown>[] = []
  let from: Record<string, unknown> | undefined
  do {
    const { Items = [], LastEvaluatedKey } = await table.send(
      new ScanCommand({
        TableName: 'attendance',
        FilterExpression: prefixes.map(([name]) => `begins_with(pk, ${name})`).join(' OR '),
        ExpressionAttributeValues: Object.fromEntries(prefixes),
        ConsistentRead: true,
        ...(from && { ExclusiveStartKey: from }),
      }),
    )
    found.push(...Items)
    from = LastEvaluatedKey
  } while (from)
  table.destroy()
  return found
}

/**
 * The terminals have been the company's for so many days and were let in: what a terminal holds from before its claim may be others',
 * and is not asked for again where it was lost on its way.
 */
export const ageClaims = async (
  endpoint: string,
  { owner, serialNumbers }: Pick<Claimed, 'owner' | 'serialNumbers'>,
  { days, mannersOf }: { days: number; mannersOf: (i: number) => Manners },
): Promise<void> => {
  const table = DynamoDBDocumentClient.from(new DynamoDBClient(clientOf(endpoint)))
  const claimedAt = new Date(Date.now() - days * 86_400_000).toISOString()
  for (const [i, serialNumber] of serialNumbers.entries()) {
    const protocol = mannersOf(i).profile === 'adms' ? 'adms' : 'ai-face'
    const { pk, sk } = deviceKey(serialNumber)
    await table.send(
      new UpdateCommand({
        TableName: 'attendance',
        Key: { pk: `${companyPrefix(owner.company)}${pk}`, sk },
        UpdateExpression: 'SET #claimedAt = :claimedAt, #state = :state, #protocol = :protocol',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#claimedAt': 'claimedAt', '#state': 'state', '#protocol': 'protocol' },
        ExpressionAttributeValues: { ':claimedAt': claimedAt, ':state': 'bound', ':protocol': protocol },
      }),
    )
  }
  table.destroy()
}

/** How many of a company's terminals are still to be asked for what may have been lost on its way. */
export const countOwing = async (endpoint: string, company: string): Promise<number> => {
  const table = DynamoDBDocumentClient.from(new DynamoDBClient(clientOf(endpoint)))
  let owing = 0
  let from: Record<string, unknown> | undefined
  try {
    do {
      const { Count = 0, LastEvaluatedKey } = await table.send(
        new QueryCommand({
          TableName: 'attendance',
          KeyConditionExpression: 'pk = :pk',
          FilterExpression: 'attribute_exists(reconcileFrom)',
          ExpressionAttributeValues: { ':pk': `${companyPrefix(company)}${deviceKey('').pk}` },
          Select: 'COUNT',
          ConsistentRead: true,
          ...(from && { ExclusiveStartKey: from }),
        }),
      )
      owing += Count
      from = LastEvaluatedKey
    } while (from)
    return owing
  } finally {
    table.destroy()
  }
}

export const readPunches = async (endpoint: string, ...companies: string[]): Promise<StoredPunch[]> =>
  (await readItems(endpoint, companies, 'PUNCH#')) as StoredPunch[]

export interface Count {
  stored: number
  /** Made and not there. */
  lost: number
  /** Of these, what the server had said it keeps. */
  broken: number
  /** There more than once. */
  doubled: number
  /** There, and never made. */
  foreign: number
}

/** Everything that was made is there once, and nothing else. */
export const countPunches = (
  stored: StoredPunch[],
  { made, acknowledged }: Pick<Fleet, 'made' | 'acknowledged'>,
): Count => {
  const names = stored.map(({ sn, number, localTime }) => nameOf(sn, number, localTime))
  const there = new Set(names)
  return {
    stored: there.size,
    lost: made.difference(there).size,
    broken: acknowledged.difference(there).size,
    doubled: names.length - there.size,
    foreign: there.difference(made).size,
  }
}

export const quantile = (values: number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0
