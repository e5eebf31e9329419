import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Company, companyKey, zoneKey, zonesKey } from '../../shared/company.ts'
import { cardKey, credentialKey, dataKeyKey } from '../../shared/credential.ts'
import { type DayRow, dayRowKey } from '../../shared/day.ts'
import { type Employee, employeeKey, formerEmployeeKey, worknoKey } from '../../shared/employee.ts'
import { type Erasure, erasureKey } from '../../shared/erasure.ts'
import type { Fact } from '../../shared/fact.ts'
import { addDays, addMonths, localDay } from '../../shared/local-day.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import { askedKey, attachmentKey, type OvertimeRequest, requestKey } from '../../shared/request.ts'
import { scheduleKey } from '../../shared/schedule/month.ts'
import { shiftUseKey } from '../../shared/shift.ts'
import { openWorld, type World } from '../kit/world.ts'

// How long the data of former employees is kept. The test sends the jobs their events.

let world: World
let table: import('../../functions/kit/table.ts').Table
let save: typeof import('../../functions/kit/table.ts').save
let close: typeof import('../../events/close.ts').handler
let forget: typeof import('../../events/forget.ts').handler
let facts: Fact[]
let people = 0
let employee: string
let workno: string

const company = 'r'.repeat(16)
const shift = 's'.repeat(16)
const zone = 'Asia/Tokyo'
const retentionMonths = 24
const today = localDay(zone, Date.now())
const settings: Company = {
  id: company,
  name: 'Retention',
  company_num: '2',
  timezone: zone,
  dateformat_id: 3,
  timeformat_id: 2,
  timeUnit: [0, 0, 0, 0, 0],
  retentionMonths,
  createdAt: '2020-01-01T00:00:00Z',
}

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment)
  const collect = async ({ Records }: { Records: { body: string }[] }) => {
    facts.push(...Records.map(({ body }) => (JSON.parse(body) as { detail: Fact }).detail))
    return { batchItemFailures: [] }
  }
  facts = []
  // Terminals react to leaving employees too; this company has no terminals.
  const enlist = async () => ({ batchItemFailures: [] })
  world.bus.start({ enlist, recalculate: collect as never, forget: collect as never, summarize: collect as never })
  const kit = await import('../../functions/kit/table.ts')
  save = kit.save
  table = kit.openTable(company)
  close = (await import('../../events/close.ts')).handler
  forget = (await import('../../events/forget.ts')).handler
  await save(
    table.insert(companyKey(), settings),
    kit.directory().insert(zoneKey(zone, company), { company }),
    kit.directory().put(zonesKey(zone), { zone }),
  )
})
afterAll(() => world.close())

beforeEach(() => {
  workno = String(900 + people++)
  employee = `r${workno}`.padEnd(16, '0')
})

const person = (endDay: string): Employee => ({
  ...{ id: employee, first_name: 'R', last_name: workno, workno, department: 'd'.repeat(16), role: 3, endDay },
})
const workedOn = '2021-05-04'
/** Adds a day with a schedule and a punch. */
const addFigures = async () => {
  const punch: Punch = {
    ...{ number: workno, sn: 'T1', at: `${workedOn}T00:00:00Z`, localTime: `${workedOn}T09:00:00`, zone },
    ...{ source: 'sendlog', receivedAt: `${workedOn}T00:00:00Z`, generation: 1 },
  }
  const row = { day: workedOn, shift, employee } as DayRow
  await save(
    table.insert(worknoKey(workno), { employee }),
    table.insert(punchKey(punch), punch),
    table.insert(dayRowKey(employee, workedOn, shift, 1), row),
    table.insert(scheduleKey('2021-05', employee), { employee, month: '2021-05', days: { [workedOn]: [shift] } }),
    table.insert(shiftUseKey(shift, '2021-05', employee), { month: '2021-05', employee }),
  )
}
/** Adds an approved request of that day, with a file. */
const addRequest = async () => {
  const request: OvertimeRequest = {
    ...{ id: `${workedOn}-${'0'.repeat(16)}`, employee, type: 3, status: 1, day: workedOn, toDay: workedOn, zone },
    ...{ from: `${workedOn}T10:00:00.000Z`, to: `${workedOn}T11:00:00.000Z`, createdAt: '', steps: [] },
    attachments: [{ id: 'attached', name: 'It', type: 'application/pdf', bytes: 4 }],
  }
  const { openFiles } = await import('../../functions/kit/files.ts')
  const files = openFiles(company)
  await files.write(attachmentKey(employee, 'attached'), { type: 'application/pdf', bytes: Buffer.from('%PDF') })
  await save(table.insert(requestKey(request), request), table.insert(askedKey(employee), { count: 1 }))
  return { files, request }
}
const countFigures = async () => {
  const [month, use, former] = await Promise.all([
    table.get(scheduleKey('2021-05', employee)),
    table.get(shiftUseKey(shift, '2021-05', employee)),
    table.get(formerEmployeeKey(employee)),
  ])
  const punches = await table.all({ pk: punchKey({ number: workno, localTime: '', sn: '' }).pk })
  const rows = await table.all({ pk: dayRowKey(employee, '', null, 1).pk })
  return [punches.length, rows.length, month ? 1 : 0, use ? 1 : 0, former ? 1 : 0]
}
const runForget = () => {
  const fact: Fact = { type: 'leaver.due', company, employee }
  return forget({ Records: [{ messageId: '1', body: JSON.stringify({ detail: fact }) }] as never })
}
/** Each run closes the next day, because the daily close never goes back. */
let nextClosing = -20
/** Closes a day and returns the employees whose data is due for deletion. */
const closeDay = async () => {
  facts.length = 0
  await close({ time: `${addDays(today, nextClosing++)}T15:15:00Z` })
  await expect.poll(() => world.bus.waiting(), { timeout: 10_000 }).toBe(0)
  return facts.flatMap(fact => (fact.type === 'leaver.due' ? [fact.employee] : []))
}
describe('the figures of deleted and erased employees', () => {
  test('are removed when the retention period ends, and the employee ID stays taken', async () => {
    await addFigures()
    const { files, request } = await addRequest()
    await save(table.insert(formerEmployeeKey(employee), person(addDays(addMonths(today, -retentionMonths), -40))))
    expect(await closeDay()).toContain(employee)
    expect(await runForget()).toEqual({ batchItemFailures: [] })
    expect(await countFigures()).toEqual([0, 0, 0, 0, 0])
    for (const key of [requestKey(request), askedKey(employee)]) expect(await table.get<object>(key)).toBeUndefined()
    expect(await files.read(attachmentKey(employee, 'attached'))).toBeUndefined()
    expect(await table.get(worknoKey(workno))).toMatchObject({ employee })
    expect(await runForget()).toEqual({ batchItemFailures: [] })
  })

  test('stay until the retention period ends, even if the company extends the period in the meantime', async () => {
    await addFigures()
    const all = [1, 1, 1, 1, 1]
    await save(table.insert(formerEmployeeKey(employee), person(addMonths(today, -retentionMonths))))
    await runForget()
    expect(await countFigures()).toEqual(all)
    await save(table.put(formerEmployeeKey(employee), person(addMonths(today, -retentionMonths - 2))))
    const stored = await table.get(companyKey())
    await save(table.put(companyKey(), { ...settings, ...stored, retentionMonths: retentionMonths + 12 }))
    expect(await closeDay()).not.toContain(employee)
    await runForget()
    expect(await countFigures()).toEqual(all)
    await save(table.put(companyKey(), settings))
    await runForget()
    expect(await countFigures()).toEqual([0, 0, 0, 0, 0])
  })

  test('stay for an employee who left but was not deleted', async () => {
    await addFigures()
    await save(table.insert(employeeKey(employee), person('2015-01-01')))
    await runForget()
    expect(await countFigures()).toEqual([1, 1, 1, 1, 0])
  })
})

describe('credentials', () => {
  test('are removed with their employee, even after an interrupted deletion', async () => {
    const former = { ...person(addDays(today, -400)), isLeaving: true as const }
    await addFigures()
    await save(
      table.insert(formerEmployeeKey(employee), former),
      table.insert(credentialKey(employee), { employee, punchMode: 2, card: 'sealed', cardDigest: workno }),
      table.insert(cardKey(workno), { employee }),
      table.insert(dataKeyKey(employee), { employee, wrapped: 'wrapped' }),
    )
    expect(await closeDay()).toContain(employee)
    for (let times = 0; times < 2; times++) await runForget()
    for (const key of [credentialKey(employee), cardKey(workno), dataKeyKey(employee)])
      expect(await table.get<object>(key)).toBeUndefined()
    expect(await table.get(formerEmployeeKey(employee))).not.toHaveProperty('isLeaving')
    expect(await countFigures()).toEqual([1, 1, 1, 1, 1])
    expect(await closeDay()).not.toContain(employee)
  })

  test('are kept for a month after the last day', async () => {
    const setLastDay = (day: string) => save(table.put(employeeKey(employee), person(day)))
    const readCredentials = async () => [
      await table.get(credentialKey(employee)),
      await table.get(dataKeyKey(employee)),
    ]
    await save(
      table.insert(credentialKey(employee), { employee, punchMode: 2, card: 'sealed' }),
      table.insert(dataKeyKey(employee), { employee, wrapped: 'wrapped' }),
    )
    await setLastDay(today)
    expect(await closeDay()).not.toContain(employee)
    for (const day of [addDays(today, 400), today, addDays(today, -30)]) {
      await setLastDay(day)
      await runForget()
      expect(await readCredentials(), day).toMatchObject([{ punchMode: 2 }, { wrapped: 'wrapped' }])
    }
    await setLastDay(addDays(today, -31))
    expect(await closeDay()).toContain(employee)
    await runForget()
    expect(await readCredentials()).toEqual([undefined, undefined])
  })
})

test('an erasure does not wait for a retired terminal', async () => {
  const id = newErasure()
  const erasure: Erasure = {
    ...{ id, by: employee, employee, startedAt: '2026-01-01T00:00:00Z', state: 'waiting', total: 1 },
    waiting: [{ serialNumber: 'GIVENUP', command: 'x' }],
  }
  await save(table.insert(erasureKey(id), erasure))
  await closeDay()
  expect(await table.get(erasureKey(id))).toBeUndefined()
})
const newErasure = () => `t${workno}`.padEnd(16, '0')
