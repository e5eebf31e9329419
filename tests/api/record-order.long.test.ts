import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Caller } from '../../functions/kit/caller.ts'
import { type Company, companyKey } from '../../shared/company.ts'
import { worknoKey } from '../../shared/employee.ts'
import { type Punch, punchKey, recordMarkKey } from '../../shared/punch.ts'
import type { LogRecord } from '../../shared/terminal/ai-face.ts'
import { rightBefore } from '../kit/right-before.ts'
import { openWorld, type World } from '../kit/world.ts'

// `record/since` with clocks that step back, differ or run ahead. The server stores every punch behind all returned
// cursors.

let world: World
let kit: typeof import('../../functions/kit/table.ts')
let ingest: typeof import('../../functions/terminal/intake.ts').ingest
let readSince: typeof import('../../functions/record/order.ts').readSince
let tellWhose: typeof import('../../functions/record/orphan.ts').tellWhose
let company: string

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment)
  kit = await import('../../functions/kit/table.ts')
  ingest = (await import('../../functions/terminal/intake.ts')).ingest
  readSince = (await import('../../functions/record/order.ts')).readSince
  tellWhose = (await import('../../functions/record/orphan.ts')).tellWhose
})
afterAll(() => world.close())
beforeEach(() => {
  company = `s${randomBytes(8).toString('hex').slice(1)}`
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const minute = 60_000
const hour = 60 * minute
const noon = Date.parse('2026-03-02T12:00:00Z')
const table = () => kit.openTable(company)

/** Fakes only the date; timers keep running, like a monotonic clock. */
const setClock = (now: number) => vi.useFakeTimers({ toFake: ['Date'], now })
const ingestAt = (now: number, ...numbers: string[]) => {
  setClock(now)
  const records = numbers.map((number): LogRecord => ({ kind: 'punch', number, localTime: '2026-03-02T09:00:00' }))
  return ingest({ table: table(), sn: 'GATE', zone: 'UTC', generation: 1 }, records, 'sendlog', now)
}

/** A reader that continues from its cursor, and the numbers of all punches it read. */
const openReader = () => {
  const heard: string[] = []
  let after: string | undefined
  return {
    heard,
    async read(now: number, size = 50) {
      setClock(now)
      const { rows } = await readSince(table(), { after, size })
      heard.push(...rows.map(({ item }) => item.number))
      after = rows.at(-1)?.at ?? after
    },
  }
}

test('a punch stored after the clock stepped back comes behind the cursors returned before', async () => {
  await ingestAt(noon, '1', '2')
  const { heard, read } = openReader()
  await read(noon + 2 * minute)
  expect(heard).toEqual(['1', '2'])
  await ingestAt(noon - hour, '3')
  await ingestAt(noon - hour + 1000, '1'.padEnd(4, '0'))
  await read(noon - hour + 2 * minute)
  await ingestAt(noon - hour + 3 * minute, '0')
  await read(noon - hour + 5 * minute)
  expect(heard).toEqual(['1', '2', '3', '1000', '0'])
})

test('a punch keeps its time of receipt, even if its place in the list is later', async () => {
  await ingestAt(noon, '1')
  await openReader().read(noon + 2 * minute)
  await ingestAt(noon - hour, '2')
  const punch = await table().get(punchKey({ number: '2', localTime: '2026-03-02T09:00:00', sn: 'GATE' }))
  expect(punch?.receivedAt).toBe(new Date(noon - hour).toISOString())
})

test('no reader misses a punch, even if the clock of a reader runs ahead', async () => {
  await ingestAt(noon, '2')
  const [ahead, exact] = [openReader(), openReader()]
  await ahead.read(noon + hour)
  await ingestAt(noon - 1, '1')
  await ingestAt(noon + 1000, '0')
  for (const { read } of [ahead, exact]) await read(noon + 2 * hour)
  expect(ahead.heard).toEqual(['2', '1', '0'])
  expect(exact.heard).toEqual(['2', '1', '0'])
})

test('readers get every punch, even if the clock of another writer runs ahead', async () => {
  await ingestAt(noon + hour, '2')
  await ingestAt(noon, '1')
  const { heard, read } = openReader()
  await read(noon + 2 * minute)
  await ingestAt(noon + 3 * minute, '0')
  await ingestAt(noon + hour + 1, '3')
  await ingestAt(noon + 4 * minute, '4')
  await read(noon + 3 * hour)
  expect(heard.toSorted()).toEqual(['0', '1', '2', '3', '4'])
})

test('a punch that a reader passes during its write moves behind the cursor before the acknowledgement', async () => {
  await ingestAt(noon, '2')
  const { heard, read } = openReader()
  const hasRead = rightBefore(
    input => input.includes('PUNCH#1') && input.includes('Item'),
    () => read(noon + hour),
  )
  await ingestAt(noon - minute, '1')
  expect(hasRead()).toBe(true)
  expect(heard).toEqual(['2'])
  await read(noon + 2 * hour)
  expect(heard).toEqual(['2', '1'])
})

test('a punch stored while a reader ends its page comes with that page or a later page', async () => {
  await ingestAt(noon, '2')
  const { heard, read } = openReader()
  const hasWritten = rightBefore(
    input => input.includes('RECORD_MARK') && input.includes('"Item"'),
    () => ingestAt(noon - minute, '1').then(() => setClock(noon + hour)),
  )
  await read(noon + hour)
  await read(noon + 2 * hour)
  expect(hasWritten()).toBe(true)
  expect(heard.toSorted()).toEqual(['1', '2'])
})

test('a reader gets each of many simultaneously stored punches once, in small pages', async () => {
  await ingestAt(noon + hour, '9')
  const { heard, read } = openReader()
  await read(noon + 2 * hour)
  const numbers = Array.from({ length: 20 }, (_, i) => String(100 + i))
  setClock(noon)
  await Promise.all(numbers.map(number => ingestAt(noon, number)))
  for (let page = 0; page < 5; page++) await read(noon + 2 * minute, 7)
  expect(heard.toSorted()).toEqual([...numbers, '9'])
})

test('no punch comes before a cursor that is older than the record mark', async () => {
  await ingestAt(noon, '2')
  setClock(noon + 2 * minute)
  const [row] = (await readSince(table(), { after: undefined, size: 1 })).rows
  await kit.save(table().remove(recordMarkKey))
  const oldCursor = { after: row?.at, size: 50 }
  expect((await readSince(table(), oldCursor)).rows).toEqual([])
  await ingestAt(noon - hour, '1')
  setClock(noon - hour + 2 * minute)
  expect((await readSince(table(), oldCursor)).rows.map(({ item }) => item.number)).toEqual(['1'])
})

test('punches are listed again when their number gets an employee, even after the clock stepped back', async () => {
  await ingestAt(noon, '1')
  const { heard, read } = openReader()
  await read(noon + 2 * minute)
  setClock(noon - hour)
  await kit.save(table().put(worknoKey('1'), { employee: 'e1', untoldBefore: new Date().toISOString() }))
  await tellWhose(table(), '1')
  await read(noon - hour + 2 * minute)
  expect(heard).toEqual(['1', '1'])
  const [punch] = await table().all<Punch>({ pk: punchKey({ number: '1', localTime: '', sn: '' }).pk })
  expect(punch?.given?.by).toBe('e1')
})

test('a browser punch after the clock stepped back is no repeat, and comes behind the cursor', async () => {
  const { tap } = await import('../../functions/personal/browser-punch.ts')
  const browserPunch = { isOn: true, isPlaceAsked: false, places: [] }
  await kit.save(table().put(companyKey(), { timezone: 'UTC', browserPunch } as unknown as Company))
  const caller = { table: table(), company, employee: { id: 'e1', workno: '1' } } as Caller
  const { heard, read } = openReader()
  setClock(noon)
  expect((await tap(caller, {})).isRepeat).toBe(false)
  await read(noon + 2 * minute)
  setClock(noon - hour)
  expect((await tap(caller, {})).isRepeat).toBe(false)
  expect((await tap(caller, {})).isRepeat).toBe(true)
  await read(noon - hour + 2 * minute)
  expect(heard).toEqual(['1', '1'])
})
