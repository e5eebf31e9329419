import { afterAll, beforeAll, expect, test } from 'vitest'
import { defaultParameters } from '../../shared/attendance/input.ts'
import { type Company, companyKey } from '../../shared/company.ts'
import { type DayRow, dayRowKey } from '../../shared/day.ts'
import { employeeKey, formerEmployeeKey, worknoKey } from '../../shared/employee.ts'
import type { Fact } from '../../shared/fact.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import { changeRules } from '../../shared/rule.ts'
import { openWorld, type World } from '../kit/world.ts'

// Changed rules recalculate their days. The test sends the job its events.

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
  const ignore = async () => ({ batchItemFailures: [] })
  world.bus.start({ recalculate: ignore, refresh: ignore })
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

const runJob = (...facts: Fact[]) =>
  recalculate({
    Records: facts.map((fact, i) => ({ messageId: String(i), body: JSON.stringify({ detail: fact }) })) as never,
  })
const changeParameters = async (changes: Partial<typeof defaultParameters>, from: string) => {
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
const readRows = () => table.all<DayRow>({ pk: dayRowKey(idOf(0), '', null, 1).pk })

/** Runs the recalculation task of a rule change without a caller, and returns its progress. */
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

test('a recalculation covers present and former employees of the period, in portions, with progress', async () => {
  const { recalculated, steps } = await recalculateRules(today)
  expect(recalculated).toMatchObject({ employees: people + former / 2, rows: 0, handedOn: 0 })
  const last = steps.at(-1)
  expect(last?.slice(0, 3)).toEqual(['calculate', recalculated?.days, recalculated?.days])
  expect(steps.length).toBeGreaterThan(4)
})

test('a recalculation of many years starts at each employee’s first day', async () => {
  await punch(`${today}T09:00:00`)
  await punch(`${today}T12:00:00`)
  await runJob({ type: 'days.due', company, employee: idOf(0), from: today, to: today, cause: { kind: 'close' } })
  expect(await readRows()).toMatchObject([{ day: today, overtimeMinutes: 180 }])
  const { recalculated } = await recalculateRules('2001-01-01')
  expect(recalculated?.employees).toBe(people + former)
  expect(recalculated?.days).toBeLessThan((people + former) * 100)
})

test('the job repeats a calculation when the rules change meanwhile, and a later run writes no row', async () => {
  let isChanged = false
  /** Changes the rules between the first read of the rules and the calculation. */
  const racingTable: typeof table = {
    ...table,
    async getMany(keys) {
      const isFirst = !isChanged
      isChanged = true
      if (isFirst) await changeParameters({ restDayWorkIsOvertime: false }, today)
      return table.getMany(keys)
    },
  }
  await punch(`${today}T13:00:00`)
  await days.calculateDays(racingTable, [{ employee: idOf(0), from: today, to: today }], { kind: 'punch' })
  const [row, ...others] = await readRows()
  expect(others).toEqual([])
  expect(row).toMatchObject({ workMinutes: 240, overtimeMinutes: 0, parametersVersion: 1 })
  await runJob({ type: 'days.due', company, employee: idOf(0), from: today, to: today, cause: { kind: 'close' } })
  expect(await readRows()).toEqual([row])
})

test('after many simultaneous changes and calculations, the last rules count', async () => {
  const calculate = () =>
    runJob({ type: 'days.due', company, employee: idOf(0), from: today, to: today, cause: { kind: 'close' } })
  const changes = (async () => {
    for (const restDayWorkIsOvertime of [true, false, true]) await changeParameters({ restDayWorkIsOvertime }, today)
  })()
  await Promise.all([changes, ...Array.from({ length: 6 }, calculate)])
  await calculate()
  expect(await readRows()).toMatchObject([{ workMinutes: 0, overtimeMinutes: 240, parametersVersion: 4 }])
})
