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
import { deviceKey } from '../../shared/device/key.ts'
import { companyPrefix } from '../../shared/table.ts'
import { type Client, client, type Registered, register } from '../kit/client.ts'

// The terminals of one company, and the three sets of their punches: made, acknowledged and stored.

/** This zone has no clock changes, so each local time is one instant. */
export const quietZone = 'Asia/Tokyo'

export interface Claimed {
  http: Client
  owner: Registered
  serialNumbers: string[]
}

/** Registers a company and adds this many terminals. */
export const claimTerminals = async (
  address: string,
  { count, prefix = 'CHAOS' }: { count: number; prefix?: string },
): Promise<Claimed> => {
  const http = client(address)
  const owner = await register(http, { timezone: quietZone })
  const { department } = owner
  const serialNumbers = Array.from({ length: count }, (_, i) => `${prefix}${String(i + 1).padStart(4, '0')}`)
  const remaining = [...serialNumbers]
  const add = async () => {
    for (let serialNumber = remaining.pop(); serialNumber !== undefined; serialNumber = remaining.pop())
      await http.call('device/add', { serialNumber, name: 'Gate', department, authentication: 'claim' }, owner)
  }
  await Promise.all(Array.from({ length: 8 }, add))
  return { http, owner, serialNumbers }
}

/** Registers companies with this many terminals each. */
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

/** The highest user number at a terminal. Some numbers are employee IDs of the company, and the rest are orphans. */
const usualPeople = 1000

/** Plans punches on the two days before yesterday, each at its own second. */
export const planPunches = (
  sn: string,
  { count, seed, people = usualPeople }: { count: number; seed: number; people?: number | undefined },
): Omit<LogEntry, 'index'>[] => {
  const drawLot = drawLots(seed, `punches ${sn}`)
  const from = Date.parse(`${new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`)
  const step = (2 * 86_400_000) / count
  return Array.from({ length: count }, (_, i) => ({
    enrollid: 1 + Math.floor(drawLot() * people),
    time: new Date(from + Math.floor(i * step)).toISOString().slice(0, 19).replace('T', ' '),
    mode: drawLot() < 0.8 ? 3 : 1,
    inout: 0,
    event: 0,
  }))
}

/** The name of a punch in all counts. */
export const nameOf = (sn: string, number: number | string, time: string) => `${sn} ${number} ${time.replace('T', ' ')}`

export interface Manners {
  entriesPerFrame?: number
  profile?: Profile | 'adms'
  faults?: Faults
}

export interface Fleet {
  terminals: Terminal[]
  /** Every punch made, by name. */
  made: Set<string>
  /** The punches that the server acknowledged. */
  acknowledged: Set<string>
  /** The time from each frame to its acknowledgement. */
  milliseconds: number[]
  /** The time from each punch, or from its due time, to its acknowledgement. */
  sincePunched: number[]
  /** The time at which each terminal had delivered all punches, in milliseconds since the start. */
  finishedAt: Map<string, number>
  events: { registered: number; lost: number; refused: number }
  /** The number of lost and failed connections of each terminal. */
  losses: Map<string, number>
  /** The commands that each terminal received. */
  commanded: Map<string, Set<string>>
  /** Milliseconds since the start. */
  now(): number
  /** Adds punches to a running terminal. `at` is their due time in milliseconds since the start. */
  punch(terminal: Terminal, entries: Omit<LogEntry, 'index'>[], at?: number): void
  /** The number of undelivered punches. */
  waiting(): number
  close(): Promise<void>
}

/** Starts terminals whose logs already contain the punches, as after a network outage. */
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
  const handleEvent = (sn: string, event: LinkEvent) => {
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
        // A small fleet may reconnect sooner, because it does not overload a server that has just restarted.
        longestPauseMilliseconds: Math.min(1000, 250 + 10 * serialNumbers.length),
        ...manners,
      },
      event => handleEvent(sn, event),
    )
    fleet.terminals.push(terminal)
    bySn.set(sn, terminal)
    fleet.punch(terminal, planPunches(sn, { count: punchesEach, seed, people }))
  }
  return fleet
}

/** The address of a stack’s engine, which keeps running after a kill of the stack. */
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

/** All stored items of these companies whose key begins with the prefix. */
export const readItems = async (
  endpoint: string,
  companies: string[],
  prefix: string,
): Promise<Record<string, unknown>[]> => {
  const prefixes = companies.map((company, i) => [`:prefix${i}`, `${companyPrefix(company)}${prefix}`] as const)
  const table = DynamoDBDocumentClient.from(new DynamoDBClient(clientOf(endpoint)))
  const items: Record<string, unknown>[] = []
  let startKey: Record<string, unknown> | undefined
  do {
    const { Items = [], LastEvaluatedKey } = await table.send(
      new ScanCommand({
        TableName: 'attendance',
        FilterExpression: prefixes.map(([name]) => `begins_with(pk, ${name})`).join(' OR '),
        ExpressionAttributeValues: Object.fromEntries(prefixes),
        ConsistentRead: true,
        ...(startKey && { ExclusiveStartKey: startKey }),
      }),
    )
    items.push(...Items)
    startKey = LastEvaluatedKey
  } while (startKey)
  table.destroy()
  return items
}

/**
 * Backdates the claims and binds the terminals. Records from before a claim may belong to another company, so the
 * server does not request such records after a loss.
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

/** The number of a company’s terminals from which the server must still request possibly lost records. */
export const countOwing = async (endpoint: string, company: string): Promise<number> => {
  const table = DynamoDBDocumentClient.from(new DynamoDBClient(clientOf(endpoint)))
  let owingCount = 0
  let startKey: Record<string, unknown> | undefined
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
          ...(startKey && { ExclusiveStartKey: startKey }),
        }),
      )
      owingCount += Count
      startKey = LastEvaluatedKey
    } while (startKey)
    return owingCount
  } finally {
    table.destroy()
  }
}

export const readPunches = async (endpoint: string, ...companies: string[]): Promise<StoredPunch[]> =>
  (await readItems(endpoint, companies, 'PUNCH#')) as StoredPunch[]

export interface Count {
  stored: number
  /** The punches made but not stored. */
  lost: number
  /** The acknowledged punches among the lost punches. */
  broken: number
  /** The punches stored more than once. */
  doubled: number
  /** The punches stored but never made. */
  foreign: number
}

/** Compares the stored punches with the punches made. Each punch must be stored exactly once. */
export const countPunches = (
  stored: StoredPunch[],
  { made, acknowledged }: Pick<Fleet, 'made' | 'acknowledged'>,
): Count => {
  const names = stored.map(({ sn, number, localTime }) => nameOf(sn, number, localTime))
  const storedNames = new Set(names)
  return {
    stored: storedNames.size,
    lost: made.difference(storedNames).size,
    broken: acknowledged.difference(storedNames).size,
    doubled: names.length - storedNames.size,
    foreign: storedNames.difference(made).size,
  }
}

export const quantile = (values: number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0
