import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { marshall } from '@aws-sdk/util-dynamodb'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { zoneKey, zonesKey } from '../../shared/company.ts'
import { employeeKey } from '../../shared/employee.ts'
import type { Fact } from '../../shared/fact.ts'
import type { JobName } from '../../shared/jobs.ts'
import { type ReportMail, reportMailKey } from '../../shared/report/mail.ts'
import { sweepKey } from '../../shared/sweep.ts'
import { rightBefore } from '../kit/right-before.ts'
import { idOf, openWorked, type Worked } from '../kit/worked.ts'

// A job cannot read or write one company. The job must still serve all other companies, in the same run and the next.

let worked: Awaited<ReturnType<typeof openWorked>>
let directory: import('../../functions/kit/table.ts').Table
/** Sorted by id, because the jobs visit companies in this order. */
let companies: Worked[]

const zone = 'Asia/Tokyo'
/** More companies than a run records at a time. */
const count = 40
const patient = { timeout: 20_000 }
const published: Fact[] = []
const first = Date.parse('2026-03-04T15:15:00Z')
const day = 24 * 3_600_000
const iso = (at: number) => new Date(at).toISOString()

beforeAll(async () => {
  worked = await openWorked()
  directory = (await import('../../functions/kit/table.ts')).directory()
  companies = await Promise.all(Array.from({ length: count }, () => worked.found(1, { timezone: zone })))
  companies.sort((a, b) => (a.company < b.company ? -1 : 1))
  await worked.save(directory.put(zonesKey(zone), { zone }))
  for (const { company } of companies) await worked.save(directory.put(zoneKey(zone, company), { company }))
})
afterAll(() => worked.world.close())
beforeEach(async () => {
  listen()
  // The state after the last quarter hour of the previous day.
  for (const sk of ['stop', 'stop-owed', ...companies.map(({ company }) => `owed#${company}`)])
    await worked.save(directory.remove({ pk: 'CLOSE', sk }))
  await worked.save(directory.put({ pk: 'CLOSE', sk: '-' }, { until: iso(first - 900_000) }))
})
afterEach(() => vi.restoreAllMocks())

/** Replaces the bus with one that refuses the selected facts. */
const listen = (isRefused = (_: Fact) => false) => {
  published.length = 0
  const send = async ({ input }: { input: { Entries: { Detail: string }[] } }) => {
    const facts = input.Entries.map(({ Detail }) => JSON.parse(Detail) as Fact)
    published.push(...facts)
    return { FailedEntryCount: facts.filter(isRefused).length }
  }
  vi.spyOn(EventBridgeClient.prototype, 'send').mockImplementation(send as never)
}
const refuse = (...of: (Worked | undefined)[]) =>
  rightBefore(
    input => of.some(tenant => tenant && input.includes(`C#${tenant.company}#`)),
    () => Promise.reject(new Error('Unreadable')),
    { isAlways: true },
  )
const close = async (at: number, context?: { getRemainingTimeInMillis(): number }) => {
  const { handler } = await import('../../events/close.ts')
  await handler({ time: iso(at) }, context)
}
/** Takes the facts published since the last call. */
const take = <T extends Fact['type']>(type: T) =>
  published.splice(0).filter((fact): fact is Extract<Fact, { type: T }> => fact.type === type)
/** The company of each `days.due` fact since the last call, sorted. */
const handedOn = () =>
  take('days.due')
    .map(({ company }) => company)
    .sort()
const names = (list: Worked[]) => list.map(({ company }) => company).sort()
const but = (...left: (Worked | undefined)[]) => names(companies.filter(tenant => !left.includes(tenant)))

describe('the daily close', () => {
  test('closes every other company while one fails, and catches up later', async () => {
    const broken = companies[3]
    refuse(broken)
    await close(first)
    expect(handedOn()).toEqual(but(broken))
    await close(first + 900_000)
    await close(first + 1_800_000)
    expect(handedOn()).toEqual([])
    await close(first + day)
    expect(handedOn()).toEqual(but(broken))
    vi.restoreAllMocks()
    listen()
    await close(first + day + 900_000)
    const due = take('days.due')
    expect(due).toMatchObject([{ company: broken?.company, from: '2026-03-02', to: '2026-03-07' }])
    await close(first + day + 1_800_000)
    expect(handedOn()).toEqual([])
  })

  test('continues where the previous run timed out, and closes each company once', { tags: 'long' }, async () => {
    const broken = companies[2]
    refuse(broken)
    let looks = 0
    const short = { getRemainingTimeInMillis: () => (++looks > 10 ? 0 : 300_000) }
    await close(first, short)
    const before = handedOn()
    expect(before.length).toBeGreaterThan(5)
    expect(before.length).toBeLessThan(count - 5)
    await close(first + 900_000)
    expect([...before, ...handedOn()].sort()).toEqual(but(broken))
  })

  test('skips a company that hung in the previous run, and closes it later', { tags: 'long' }, async () => {
    const release = Promise.withResolvers<void>()
    const hung = companies[1]
    const isHung = rightBefore(
      input => input.includes(`C#${hung?.company}#`),
      () => release.promise,
      { isAlways: true },
    )
    const killed = close(first)
    await expect.poll(isHung, patient).toBe(true)
    let isOver = false
    const next = close(first + 900_000).then(() => {
      isOver = true
    })
    await expect.poll(() => isOver, patient).toBe(true)
    const all = new Set(handedOn())
    expect([...all].sort()).toEqual(expect.arrayContaining(names(companies.slice(32))))
    vi.restoreAllMocks()
    listen()
    await close(first + 1_800_000)
    for (const company of handedOn()) all.add(company)
    expect([...all].sort()).toEqual(names(companies))
    release.resolve()
    await Promise.all([killed, next])
  })
})

describe('reports by mail', () => {
  test('are sent to every other company while one company fails, and later to the failed company', async () => {
    const { handler } = await import('../../events/mail.ts')
    const { writeMail } = await import('../../functions/report/mail.ts')
    const at = Date.parse('2026-02-04T06:00:00+09:00')
    const [broken, other] = companies
    const mailOf = (id: string, nextAt: number): ReportMail => ({
      ...{ id: id.repeat(16), name: 'Daily', by: idOf(0), view: 'daily', type: 'csv', every: 'daily' },
      ...{ weekday: 1, monthday: 1, time: '06:00', employees: [idOf(0)], nextAt: iso(nextAt) },
    })
    if (!broken || !other) throw new Error('No companies')
    await worked.save(...writeMail(broken.table, broken.company, mailOf('b', at)))
    await worked.save(...writeMail(other.table, other.company, mailOf('o', at + 60_000)))
    const lastOf = async ({ table }: Worked, id: string) => (await table.get(reportMailKey(id.repeat(16))))?.lastAt
    refuse(broken)
    await handler({ time: iso(at + 300_000) })
    expect(await lastOf(other, 'o')).toBe(iso(at + 60_000))
    vi.restoreAllMocks()
    await handler({ time: iso(at + 600_000) })
    expect([await lastOf(broken, 'b'), await lastOf(other, 'o')]).toEqual([iso(at), iso(at + 60_000)])
  })
})

describe('the sweep', () => {
  const sweep = async (at: number) => (await import('../../events/sweep.ts')).handler({ time: iso(at) })
  const lookedAt = async (at: number) => {
    const looks = await Promise.all(companies.map(({ table }) => table.get(sweepKey())))
    return names(companies.filter((_, i) => looks[i]?.at === iso(at)))
  }

  test('visits every other company while one fails', async () => {
    const now = Date.now()
    refuse(companies[5])
    await sweep(now)
    vi.restoreAllMocks()
    expect(await lookedAt(now)).toEqual(but(companies[5]))
  })
})

const queued: [JobName, (company: string) => Fact][] = [
  [
    'recalculate',
    company => ({ type: 'schedule.changed', company, employee: idOf(0), from: '2026-03-04', to: '2026-03-04' }),
  ],
  ['summarize', company => ({ type: 'summary.due', company, from: '2026-03-04', to: '2026-03-04' })],
  ['refresh', company => ({ type: 'company.changed', company })],
  ['refresh', company => ({ type: 'zone.changed', company })],
  ['notify', company => ({ type: 'request.changed', company, employee: idOf(0), id: 'r'.repeat(16), status: 1 })],
  ['enlist', company => ({ type: 'device.owed', company, sn: 'T1' })],
  ['command', company => ({ type: 'command.queued', company, sn: 'T1' })],
  ['forget', company => ({ type: 'leaver.due', company, employee: idOf(0) })],
  ['deliver', company => ({ type: 'delivery.due', company, webhook: 'w'.repeat(16) })],
  [
    'announce',
    company => ({
      ...{ type: 'event.happened', company, of: 'x', at: '2026-03-04T00:00:00Z' },
      ...{ event: 'employee.created', employee: idOf(0) },
    }),
  ],
  ['perform', company => ({ type: 'task.due', company, employee: idOf(0), task: 't'.repeat(16) })],
]

test.each(queued)('a run of %s returns only the facts of the failing company', async (name, factOf) => {
  const { handler } = await import(`../../events/${name}.ts`)
  const [broken, other] = companies
  refuse(broken)
  const facts = [broken, other].map(tenant => factOf(tenant?.company ?? ''))
  const Records = facts.map((detail, i) => ({ messageId: String(i), body: JSON.stringify({ detail }) }))
  expect(await handler({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: '0' }] })
})

test('a company with unreadable endpoints does not block the stream, and its events are still published', async () => {
  const [broken, other] = companies
  refuse(broken)
  const { handler } = await import('../../events/changes.ts')
  const Records = [broken, other].map((tenant, i) => {
    const item = { id: idOf(7), first_name: 'New', last_name: 'One', workno: '700', department: '', version: 1 }
    const NewImage = marshall({ ...item, pk: `C#${tenant?.company}#${employeeKey('').pk}`, sk: idOf(7) })
    return { dynamodb: { SequenceNumber: String(i), ApproximateCreationDateTime: 1_772_600_000, NewImage } }
  })
  expect(await handler({ Records } as never)).toEqual({ batchItemFailures: [] })
  const of = (type: Fact['type']) => published.filter(fact => fact.type === type).map(({ company }) => company)
  expect(of('employee.changed').sort()).toEqual([broken, other].map(tenant => tenant?.company))
  expect(of('event.happened')).toEqual([broken?.company])
})

test('a fact that the bus refuses does not delay later facts', async () => {
  const { publish } = await import('../../functions/kit/bus.ts')
  listen(fact => 'employee' in fact && fact.employee === idOf(1))
  const facts = Array.from({ length: 25 }, (_, n) => ({ type: 'leaver.due' as const, company: 'c', employee: idOf(n) }))
  await expect(publish(facts)).rejects.toThrow('1 facts')
  expect(published).toHaveLength(25)
})
