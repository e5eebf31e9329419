import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { worknoKey } from '../../shared/employee.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import { rightBefore } from '../kit/right-before.ts'
import { openWorld, type World } from '../kit/world.ts'

// Assigns stored punches to the employee of their number, while the number gains and loses that employee.

let world: World
let kit: typeof import('../../functions/kit/table.ts')
let tellWhose: typeof import('../../functions/record/orphan.ts').tellWhose
let company: string

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment)
  kit = await import('../../functions/kit/table.ts')
  tellWhose = (await import('../../functions/record/orphan.ts')).tellWhose
})
afterAll(() => world.close())
beforeEach(async () => {
  company = `o${randomBytes(8).toString('hex').slice(1)}`
  await kit.save(...[2, 3].map(day => table().put(punchKey(punchOf(day)), punchOf(day))))
})
afterEach(() => {
  vi.restoreAllMocks()
})

const [number, employee] = ['71', 'e1']
const table = () => kit.openTable(company)
const punchOf = (day: number): Punch => ({
  ...{ number, sn: 'GATE', generation: 1, source: 'sendlog', zone: 'Europe/Athens' },
  ...{ localTime: `2026-03-0${day}T09:00:00`, at: `2026-03-0${day}T07:00:00.000Z` },
  receivedAt: `2026-03-0${day}T07:00:01.000Z`,
})
const punches = () => table().all<Punch>({ pk: punchKey(punchOf(2)).pk })
const givenTo = async () => (await punches()).map(({ given }) => given?.by)
const become = () => kit.save(table().put(worknoKey(number), { employee, untoldBefore: new Date().toISOString() }))
const takeBack = () => kit.save(table().remove(worknoKey(number)))
const tell = () => tellWhose(table(), number)

test('assigned punches become unassigned when their employee loses the number', async () => {
  await become()
  await tell()
  expect(await givenTo()).toEqual([employee, employee])
  // A punch that arrives meanwhile is assigned at once.
  await kit.save(table().put(punchKey(punchOf(4)), { ...punchOf(4), receivedAt: new Date().toISOString() }))
  await takeBack()
  await tell()
  expect(await givenTo()).toEqual(['nobody', 'nobody', 'nobody'])
  const unassigned = await punches()
  await tell()
  expect(await punches()).toEqual(unassigned)
})

test('punches become unassigned even if the number is lost during their assignment', async () => {
  await become()
  const wasTakenBack = rightBefore(
    input => input.includes('"given"'),
    async () => {
      await takeBack()
      await tell()
    },
  )
  await tell()
  expect(wasTakenBack()).toBe(true)
  expect(await givenTo()).toEqual(['nobody', 'nobody'])
})
