import { afterAll, beforeAll, expect, test } from 'vitest'
import { defaultParameters } from '../../shared/attendance/input.ts'
import { type Company, companyKey } from '../../shared/company.ts'
import { type DayRow, dayRowKey } from '../../shared/day.ts'
import { employeeKey, formerEmployeeKey, worknoKey } from '../../shared/employee.ts'
import type { Fact } from '../../shared/fact.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import { changeRules } from '../../shared/rule.ts'
import { openWorld, type World } from '../kit/world.ts'

// Changed rules and the days they reach, with the job handed its events by the test.

let world: World
let table: import('../../functions/kit/table.ts').Table
let save: typeof import('../../functions/kit/table.ts').save
let recalculate: typeof import('../../events/recalculate.ts').handler
let days: typeof import('../../functions/day/calculate.ts')
let rules: typeof import('../../functions/attparams/task.ts')

const company = 'c'.repeat(16)
const today = new Date().toISOString().slice(0, 10)
const idOf = (n: number) => `e${String(n).padStart(15, '0')}`

const people = 230
const former = 30

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment)
  const hear = async () => ({ batchItemFailures: [] })
  world.bus.start({ recalculate: hear, refresh: hear })
  const kit = await import('../../functions/kit/table.ts')
  save = kit.save
  table = kit.openTable(company)
  recalculate = (await import('../../events/recalculate.ts')).handler
  days = await import('../../functions/day/calculate.ts')
  rules = await import('../../functions/attparams/task.ts')
  const settings: Company = {
    id: company,
    name: 'Rules',
    company_num: '1',
    timezone: 'Etc/UTC',
    dateformat_id: 3,
    timeformat_id: 2,
    timeUnit: [0, 0, 0, 0, 0],
    createdAt: '2026-01-01T00:00:00Z',
  }
  await save(table.insert(companyKey(), settings))
  const employee = (n: number) => ({
    ...{ id: idOf(n), first_name: 'E', last_name: String(n), workno: String(100 + n) },
    ...{ department: 'd'.repeat(16), role: 3 },
  })
  for (let n = 0; n < people; n++) await save(table.insert(employeeKey(idOf(n)), employee(n)))
  for (let n = people; n < people + former; n++) {
    const endDay = n % 2 ? today : '2026-01-02'
    await save(table.insert(formerEmployeeKey(idOf(n)), { ...employee(n), endDay }))
  }
  await save(table.insert(worknoKey('100'), { employee: idOf(0) }))
})
afterAll(() => world.close())

const tell = (...facts: Fact[]) =>
  recalculate({
    Records: facts.map((fact, i) => ({ messageId: String(i), body: JSON.stringify({ detail: fact }) })) as never,
  })
const change = async (changes: Partial<typeof defaultParameters>, from: string) => {
  const settings = await table.get(companyKey())
  if (!settings) throw new Error('No company')
  const { timezone, parameters = defaultParameters } = settings
  const rules = changeRules(settings, { timezone, parameters: { ...parameters, ...changes } }, from)
  await save(table.replace(companyKey(), { ...settings, ...rules }))
}
const punch = async (localTime: string) => {
  const item: Punch = {
    ...{ number: '100', sn: 'T1', at: `${localTime}Z`, localTime, zone: 'Etc/UTC' },
    ...{ source: 'sendlog', receivedAt: `${localTime}Z`, generation: 1 },
  }
  await save(table.put(punchKey(item), item))
}
const rows = () => table.all<DayRow>({ pk: dayRowKey(idOf(0), '', null, 1).pk })

/** A run of the task that a change of rules begins, without anybody who asked; answers what it said. */
const recalculateRules = async (from: string) => {
  const steps: [step: string, done: number, total: number][] = []
  const work = {
    ...{ task: 't'.repeat(16), company, memory: {}, input: { from } },
    remember: async () => undefined,
    tell: async (...step: (typeof steps)[number]) => void steps.push(step),
    pause: () => undefined,
  }
  const { recalculated } = await rules.recalculateRules.run(work as never)
  return { recalculated, steps }
}

test('everybody who is or was there then is looked at, in portions, with progress', async () => {
  const { recalculated, steps } = await recalculateRules(today)
  expect(recalculated).toMatchObject({ employees: people + former / 2, rows: 0, handedOn: 0 })
  const last = steps.at(-1)
  expect(last?.slice(0, 3)).toEqual(['calculate', recalculated?.days, recalculated?.days])
  expect(steps.length).toBeGreaterThan(4)
})

test('a change that reaches far back looks for nothing before the first day of each person', async () => {
  await punch(`${today}T09:00:00`)
  await punch(`${today}T12:00:00`)
  await tell({ type: 'days.due', company, employee: idOf(0), from: today, to: today, cause: { kind: 'close' } })
  expect(await rows()).toMatchObject([{ day: today, overtimeMinutes: 180 }])
  const { recalculated } = await recalculateRules('2001-01-01')
  expect(recalculated?.employees).toBe(people + former)
  expect(recalculated?.days).toBeLessThan((people + former) * 100)
})

test('what was calculated by rules that changed meanwhile is calculated again, and the same again writes nothing', async () => {
  let isChanged = false
  /** Between the first look at the rules and what follows from them, they change. */
  const late: typeof table = {
    ...table,
    async getMany(keys) {
      const isFirst = !isChanged
      isChanged = true
      if (isFirst) await change({ restDayWorkIsOvertime: false }, today)
      return table.getMany(keys)
    },
  }
  await punch(`${today}T13:00:00`)
  await days.calculateDays(late, [{ employee: idOf(0), from: today, to: today }], { kind: 'punch' })
  const [row, ...others] = await rows()
  expect(others).toEqual([])
  expect(row).toMatchObject({ workMinutes: 240, overtimeMinutes: 0, parametersVersion: 1 })
  await tell({ type: 'days.due', company, employee: idOf(0), from: today, to: today, cause: { kind: 'close' } })
  expect(await rows()).toEqual([row])
})

test('of many changes and calculations at once the last change is what counts', async () => {
  const calculate = () =>
    tell({ type: 'days.due', company, employee: idOf(0), from: today, to: today, cause: { kind: 'close' } })
  const changes = (async () => {
    for (const restDayWorkIsOvertime of [true, false, true]) await change({ restDayWorkIsOvertime }, today)
  })()
  await Promise.all([changes, ...Array.from({ length: 6 }, calculate)])
  await calculate()
  expect(await rows()).toMatchObject([{ workMinutes: 0, overtimeMinutes: 240, parametersVersion: 4 }])
})
