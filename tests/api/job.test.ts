import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Company, companyKey, zoneKey, zonesKey } from '../../shared/company.ts'
import { type DayRow, dayRowKey } from '../../shared/day.ts'
import { employeeKey, worknoKey } from '../../shared/employee.ts'
import type { Fact } from '../../shared/fact.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import { orphanKey } from '../../shared/record/orphan.ts'
import { draftedMonthKey, scheduleKey } from '../../shared/schedule/month.ts'
import { shiftKey, shiftUseKey } from '../../shared/shift.ts'
import { rightBefore } from '../kit/right-before.ts'
import { openWorld, type World } from '../kit/world.ts'

// The jobs run here on events from the test. Repeated, reordered or concurrent events must change nothing.

let world: World
let table: import('../../functions/kit/table.ts').Table
let directory: import('../../functions/kit/table.ts').Table
let save: typeof import('../../functions/kit/table.ts').save
let recalculate: typeof import('../../events/recalculate.ts').handler
let close: typeof import('../../events/close.ts').handler
let heard: Fact[]

const company = 'c'.repeat(16)
const shift = 's'.repeat(16)
const day = '2026-03-04'
const patient = { timeout: 10_000 }
let people = 0
let employee: string
let workno: string

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment)
  const hear = async ({ Records }: { Records: { body: string }[] }) => {
    heard.push(...Records.map(({ body }) => (JSON.parse(body) as { detail: Fact }).detail))
    return { batchItemFailures: [] }
  }
  heard = []
  const leave = async () => ({ batchItemFailures: [] })
  world.bus.start({ recalculate: hear as never, summarize: leave, refresh: leave })
  const kit = await import('../../functions/kit/table.ts')
  save = kit.save
  table = kit.openTable(company)
  directory = kit.directory()
  recalculate = (await import('../../events/recalculate.ts')).handler
  close = (await import('../../events/close.ts')).handler
  const settings: Company = {
    id: company,
    name: 'Jobs',
    company_num: '1',
    timezone: 'Asia/Tokyo',
    dateformat_id: 3,
    timeformat_id: 2,
    timeUnit: [0, 0, 0, 0, 0],
    createdAt: '2026-01-01T00:00:00Z',
  }
  await save(
    table.insert(companyKey(), settings),
    directory.insert(zoneKey('Asia/Tokyo', company), { company }),
    directory.put(zonesKey('Asia/Tokyo'), { zone: 'Asia/Tokyo' }),
    table.insert(shiftKey(shift), {
      id: shift,
      name: 'Day',
      color: 'teal',
      onDuty: '09:00',
      offDuty: '18:00',
      punchStart: '07:00',
      punchEnd: '23:00',
      allowedLateMinutes: 0,
      allowedEarlyMinutes: 0,
      noClockOut: 0,
      earlyInOvertime: { counts: false, afterMinutes: 0 },
      lateOutOvertime: { counts: false, afterMinutes: 0 },
      breaks: [],
    }),
  )
})
afterAll(() => world.close())

/** Adds a new employee for each test, scheduled on one day, so that tests do not share rows. */
beforeEach(async () => {
  workno = String(100 + people++)
  employee = `e${workno}`.padEnd(16, '0')
  await save(
    table.insert(worknoKey(workno), { employee }),
    table.insert(employeeKey(employee), {
      id: employee,
      first_name: 'E',
      last_name: workno,
      workno,
      department: 'd'.repeat(16),
      role: 3,
    }),
    table.insert(scheduleKey('2026-03', employee), { employee, month: '2026-03', days: { [day]: [shift] } }),
    table.insert(shiftUseKey(shift, '2026-03', employee), { month: '2026-03', employee }),
  )
})

const punch = async (localTime: string): Promise<Fact> => {
  const item: Punch = {
    number: workno,
    sn: 'T1',
    at: new Date(`${localTime}+09:00`).toISOString(),
    localTime,
    zone: 'Asia/Tokyo',
    source: 'sendlog',
    receivedAt: '2026-03-04T00:00:00Z',
    generation: 1,
  }
  await save(table.put(punchKey(item), item))
  return { type: 'record.created', company, number: workno, at: item.at, sn: 'T1' }
}
const tell = (...facts: (Fact | 'junk')[]) =>
  recalculate({
    Records: facts.map((fact, i) => ({
      messageId: String(i),
      body: fact === 'junk' ? '{' : JSON.stringify({ detail: fact }),
    })) as never,
  })
/** Adds a second number that belongs to the employee. */
const addSecondNumber = async () => {
  const number = `7${workno}`
  await save(table.insert(worknoKey(number), { employee }))
  return number
}
const rows = () => table.all<DayRow>({ pk: dayRowKey(employee, '', null, 1).pk })

describe('the recalculation', () => {
  test('writes nothing for repeated facts in another order', async () => {
    const facts = [await punch(`${day}T08:58:00`), await punch(`${day}T12:30:00`), await punch(`${day}T18:01:00`)]
    expect(await tell(...facts)).toEqual({ batchItemFailures: [] })
    const before = await rows()
    expect(before).toMatchObject([{ day, workMinutes: 540, state: 'final', version: 1 }])
    await tell(...facts.toReversed(), ...facts)
    expect(await rows()).toEqual(before)
  })

  test('gives the same result for concurrent runs', async () => {
    const facts = [await punch(`${day}T09:10:00`), await punch(`${day}T18:00:00`)]
    const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => tell(facts[i % 2] ?? 'junk')))
    expect(answers.flatMap(({ batchItemFailures }) => batchItemFailures)).toEqual([])
    expect(await rows()).toMatchObject([{ workMinutes: 530, lateMinutes: 10 }])
  })

  test('calculates employees’ punches, holds punches of unknown numbers, and fails only the broken fact', async () => {
    const ownFact = await punch(`${day}T09:10:00`)
    const own = workno
    const strange = async (number: string, at: string): Promise<Fact> => {
      workno = number
      return { ...(await punch(at)), number } as Fact
    }
    const facts = [
      await strange('9001', `${day}T07:00:00`),
      ownFact,
      { ...ownFact, at: 'never', number: await addSecondNumber() },
      await strange('9002', `${day}T08:00:00`),
    ] as Fact[]
    workno = own
    expect(await tell(...facts, await punch(`${day}T18:00:00`))).toEqual({
      batchItemFailures: [{ itemIdentifier: '2' }],
    })
    expect(await rows()).toMatchObject([{ workMinutes: 530, lateMinutes: 10 }])
    const held = await table.getMany(['9001', '9002', own].map(orphanKey))
    expect(held.map(orphan => orphan?.workno)).toEqual(['9001', '9002', undefined])
  })

  test('does not hold the punches of a number that gets an employee meanwhile', async () => {
    const fact = await punch(`${day}T09:10:00`)
    const holder = await table.get(worknoKey(workno))
    if (!holder) throw new Error('No holder')
    await save(table.remove(worknoKey(workno)))
    const isOver = rightBefore(
      input => input.includes('ORPHAN') && input.includes('"Item"'),
      () => save(table.insert(worknoKey(workno), { employee })),
    )
    try {
      expect(await tell(fact)).toEqual({ batchItemFailures: [] })
    } finally {
      vi.restoreAllMocks()
    }
    expect(isOver()).toBe(true)
    expect(await table.get(orphanKey(workno))).toBeUndefined()
  })

  test('returns only the fact of the number that failed', async () => {
    const fact = await punch(`${day}T09:10:00`)
    const facts = [fact, { ...fact, number: '9003' } as Fact]
    // The whole batch fails once, and then the single number fails.
    let times = 0
    const fail = async () => {
      throw new Error(`The table fails (${++times})`)
    }
    rightBefore(input => input.includes('PUNCH#9003'), fail, { isAlways: true })
    try {
      expect(await tell(...facts)).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] })
    } finally {
      vi.restoreAllMocks()
    }
    expect(times).toBe(2)
    expect(await rows()).toMatchObject([{ lateMinutes: 10 }])
  })

  test('corrects the row and closes its exception after a late punch', async () => {
    await tell(await punch(`${day}T09:00:00`))
    expect(await rows()).toMatchObject([{ workMinutes: 0, exceptions: ['missingOut'] }])
    await tell(await punch(`${day}T18:00:00`))
    expect(await rows()).toMatchObject([{ workMinutes: 540, exceptions: [], version: 2 }])
  })

  test('removes the row of an unscheduled day without work', async () => {
    await tell({ type: 'schedule.changed', company, employee, from: day, to: day })
    expect(await rows()).toMatchObject([{ absentMinutes: 540 }])
    const month = await table.get(scheduleKey('2026-03', employee))
    if (!month) throw new Error('No month')
    await save(table.replace(scheduleKey('2026-03', employee), { ...month, days: {} }))
    await tell({ type: 'schedule.changed', company, employee, from: day, to: day })
    expect(await rows()).toEqual([])
  })

  test('gives a new employee only days with punches, and holds the punches of a returned number again', async () => {
    const orphan = () => table.get(orphanKey(workno))
    const isNew = { type: 'employment.changed' as const, company, employee, workno, isNew: true }
    const settle = async () => {
      // The job passes a range longer than one portion on through the bus.
      await expect.poll(() => world.bus.waiting(), patient).toBe(0)
      await tell(...heard.splice(0))
    }
    heard.length = 0
    await save(table.remove(scheduleKey('2026-03', employee)))
    await tell(isNew)
    expect([await rows(), heard]).toEqual([[], []])

    const person = await table.get(employeeKey(employee))
    if (!person) throw new Error('Nobody')
    await save(table.remove(employeeKey(employee)), table.remove(worknoKey(workno)))
    await tell(await punch(`${day}T09:00:00`))
    expect(await orphan()).toMatchObject({ workno })
    await save(table.insert(employeeKey(employee), person), table.insert(worknoKey(workno), { employee }))
    await tell(isNew)
    await settle()
    expect([await orphan(), await rows()]).toMatchObject([undefined, [{ day }]])
    await save(table.remove(employeeKey(employee)), table.remove(worknoKey(workno)))
    await tell({ type: 'employment.changed', company, employee, workno })
    expect(await orphan()).toMatchObject({ workno })
    await save(table.insert(employeeKey(employee), person), table.insert(worknoKey(workno), { employee }))
  })

  test('fails only the unreadable message of a batch', async () => {
    const fact = await punch(`${day}T09:00:00`)
    expect(await tell('junk', fact)).toEqual({ batchItemFailures: [{ itemIdentifier: '0' }] })
    expect(await rows()).toHaveLength(1)
  })

  test('keeps past days in the old department after a move', async () => {
    await tell(await punch(`${day}T09:00:00`))
    const person = await table.get(employeeKey(employee))
    if (!person) throw new Error('Nobody')
    await save(table.replace(employeeKey(employee), { ...person, department: 'n'.repeat(16) }))
    await tell({ type: 'employment.changed', company, employee, workno })
    await tell(await punch(`${day}T18:00:00`))
    expect(await rows()).toMatchObject([{ department: 'd'.repeat(16), workMinutes: 540 }])
  })

  test('removes days outside employment and restores them after a date change', async () => {
    await tell(await punch(`${day}T09:00:00`))
    const change = async (changes: object) => {
      const person = await table.get(employeeKey(employee))
      if (!person) throw new Error('Nobody')
      await save(table.replace(employeeKey(employee), { ...person, ...changes }))
      await tell({ type: 'employment.changed', company, employee, workno })
      // The job passes a range longer than one portion on through the bus.
      await expect.poll(() => world.bus.waiting(), patient).toBe(0)
      await tell(...heard.splice(0))
    }
    heard.length = 0
    await change({ hireDay: '2026-03-05' })
    expect(await rows()).toEqual([])
    await change({ hireDay: '2026-03-01' })
    expect(await rows()).toMatchObject([{ day }])
  })
})

describe('the daily close', () => {
  const due = () => heard.filter(({ type }) => type === 'days.due')
  const closeAt = async (time: string) => {
    heard.length = 0
    await close({ time })
    await expect.poll(() => world.bus.waiting(), patient).toBe(0)
  }

  test('sends the last days of each employee to the calculation once, when the day of the zone ends', async () => {
    await closeAt('2026-03-04T14:45:00Z')
    expect(due()).toEqual([])
    await closeAt('2026-03-04T15:00:00Z')
    expect(due()).toEqual([])
    await closeAt('2026-03-04T15:15:00Z')
    expect(due()).toHaveLength(people)
    const close = {
      type: 'days.due',
      company,
      employee,
      from: '2026-03-02',
      to: '2026-03-06',
      cause: { kind: 'close' },
    }
    expect(due()).toContainEqual(close)
    await closeAt('2026-03-04T15:15:00Z')
    expect(due()).toEqual([])
  })

  test('catches up on missed quarter hours', async () => {
    await closeAt('2026-03-05T14:45:00Z')
    await closeAt('2026-03-05T20:00:00Z')
    expect(due()).toHaveLength(people)
  })

  test('drops the drafts of past days, so that they hold no shift, and keeps the others', async () => {
    const [past, future] = ['2026-02', '2098-02']
    for (const month of [past, future]) {
      const days = [`${month}-03`]
      await save(
        table.insert(scheduleKey(month, employee), { employee, month, days: {}, draft: { [`${month}-03`]: [shift] } }),
        table.insert(draftedMonthKey(employee, month), { employee, month, days }),
        table.insert(shiftUseKey(shift, month, employee), { month, employee }),
      )
    }
    await closeAt('2026-03-06T15:15:00Z')
    expect(await table.get(scheduleKey(past, employee))).not.toHaveProperty('draft')
    expect(await table.get(draftedMonthKey(employee, past))).toBeUndefined()
    expect(await table.get(shiftUseKey(shift, past, employee))).toBeUndefined()
    expect(await table.get(scheduleKey(future, employee))).toMatchObject({ draft: { [`${future}-03`]: [shift] } })
    expect(await table.get(draftedMonthKey(employee, future))).toBeDefined()
  })
})
