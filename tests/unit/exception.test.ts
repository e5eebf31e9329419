import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Item, Table } from '../../functions/kit/table.ts'
import type { DayRow } from '../../shared/day.ts'
import { type ExceptionState, exceptionKey, exceptionPk, type RaisedException } from '../../shared/exception.ts'
import { heldMinutes } from '../../shared/exception-limit.ts'
import { openWorld, type World } from '../kit/world.ts'

// Exceptions follow their day rows: the writes beside a row, against a real engine.

let world: World
let kit: typeof import('../../functions/kit/table.ts')
let writes: typeof import('../../functions/day/exception.ts')['exceptionWrites']
let table: Table
let companies = 0

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment)
  kit = await import('../../functions/kit/table.ts')
  writes = (await import('../../functions/day/exception.ts')).exceptionWrites
})
afterAll(() => world.close())
beforeEach(() => {
  table = kit.openTable(`exceptions-${companies++}`)
})

const row = (more: Partial<DayRow> = {}): DayRow => ({
  ...{ employee: 'e'.repeat(16), department: 'd'.repeat(16), day: '2026-03-02', shift: 's'.repeat(16) },
  ...{ shiftVersion: 1, zone: 'UTC', kind: 'work', state: 'final', closesAt: 0, cause: { kind: 'punch' } },
  ...{ dutyFrom: null, dutyTo: null, firstIn: null, lastOut: null },
  ...{ dutyMinutes: 480, workMinutes: 0, lateMinutes: 10, earlyLeaveMinutes: 0, absentMinutes: 0 },
  ...{ leaveMinutes: 60, overtimeMinutes: 0, breakMinutes: 0, longBreakMinutes: 0, leaveTypes: {} },
  ...{ exceptions: [], punches: [], reasons: [], inputHash: '', engineVersion: 1, parametersVersion: 1 },
  calculatedAt: new Date().toISOString(),
  cause: { kind: 'punch' },
  ...more,
})
const missingOutRow = row({ exceptions: ['missingOut'] })

const saveChange = async (before: DayRow | undefined, after: DayRow | undefined) => {
  const list = writes(table, before, after)
  if (list.length > 0) await kit.save(...list)
}
const all = (state: ExceptionState) => table.all<RaisedException>({ pk: exceptionPk(state) })
const states = async () =>
  Object.fromEntries(
    await Promise.all(
      (['open', 'accepted', 'settled'] as const).map(async state => [
        state,
        (await all(state)).map(({ type, minutes }) => `${type} ${minutes}`),
      ]),
    ),
  )
/** Accepts the first open exception as a manager would. */
const accept = async () => {
  const [{ version, ...open }] = (await all('open')) as [Item<RaisedException>]
  await kit.save(
    table.remove(exceptionKey('open', open), version),
    table.insert(exceptionKey('accepted', open), { ...open, state: 'accepted', note: 'told me' }),
  )
}

test('a row raises its exceptions with their minutes', async () => {
  await saveChange(undefined, missingOutRow)
  await saveChange(
    undefined,
    row({ day: '2026-03-03', exceptions: ['longBreak'], longBreakMinutes: 30, workMinutes: 390, lateMinutes: 0 }),
  )
  await saveChange(
    undefined,
    row({
      day: '2026-03-04',
      exceptions: ['punchedOnLeave'],
      leaveMinutes: 480,
      workMinutes: 200,
      overtimeMinutes: 20,
    }),
  )
  await saveChange(undefined, row({ day: '2026-03-05', shift: null, exceptions: ['missingIn'], dutyMinutes: 0 }))
  expect(await states()).toEqual({
    open: ['missingOut 410', 'longBreak 30', 'punchedOnLeave 220', 'missingIn 0'],
    accepted: [],
    settled: [],
  })
  expect((await all('open'))[0]).toMatchObject({
    employee: missingOutRow.employee,
    department: missingOutRow.department,
  })
})

test('a row that has no exceptions before and after a change writes nothing', () => {
  expect(writes(table, undefined, row())).toEqual([])
  expect(writes(table, row(), row({ workMinutes: 1 }))).toEqual([])
  expect(writes(table, row(), undefined)).toEqual([])
})

test('an accepted exception stays accepted while the row has it with the same minutes', async () => {
  await saveChange(undefined, missingOutRow)
  await accept()
  expect(writes(table, missingOutRow, row({ exceptions: ['missingOut'], breakMinutes: 5 }))).toEqual([])
  expect(await states()).toEqual({ open: [], accepted: ['missingOut 410'], settled: [] })
})

test('other minutes or another department reopen an accepted exception, and only once', async () => {
  await saveChange(undefined, missingOutRow)
  await accept()
  const later = row({ exceptions: ['missingOut'], lateMinutes: 40 })
  await saveChange(missingOutRow, later)
  expect(await states()).toEqual({ open: ['missingOut 380'], accepted: [], settled: [] })
  await accept()
  await saveChange(later, { ...later, department: 'o'.repeat(16) })
  expect(await states()).toEqual({ open: ['missingOut 380'], accepted: [], settled: [] })
  expect((await all('open'))[0]?.department).toBe('o'.repeat(16))
})

test('an open or accepted exception is settled when its row loses it, and reopens on its return', async () => {
  const settled = row({ workMinutes: 410 })
  for (const isAccepted of [false, true]) {
    await saveChange(isAccepted ? settled : undefined, missingOutRow)
    expect(await states()).toEqual({ open: ['missingOut 410'], accepted: [], settled: [] })
    if (isAccepted) await accept()
    await saveChange(missingOutRow, settled)
    expect(await states()).toEqual({ open: [], accepted: [], settled: ['missingOut 410'] })
  }
  expect((await all('settled'))[0]).toMatchObject({ at: settled.calculatedAt, expiresAt: expect.any(Number) })
})

test('a row settles one of two exceptions, and the other stays', async () => {
  const both = row({ exceptions: ['missingOut', 'longBreak'], longBreakMinutes: 7 })
  await saveChange(undefined, both)
  await saveChange(both, row({ exceptions: ['longBreak'], longBreakMinutes: 7, workMinutes: 410 }))
  expect(await states()).toEqual({ open: ['longBreak 7'], accepted: [], settled: ['missingOut 410'] })
})

test('a deleted row deletes its exceptions', async () => {
  await saveChange(undefined, missingOutRow)
  await saveChange(missingOutRow, undefined)
  await saveChange(undefined, missingOutRow)
  await accept()
  await saveChange(missingOutRow, undefined)
  expect(await states()).toEqual({ open: [], accepted: [], settled: [] })
})

test('the save of a row stays within the transaction limit for any change of its exceptions', () => {
  const all = ['missingIn', 'missingOut', 'longBreak', 'punchedOnLeave'] as const
  expect(writes(table, row({ exceptions: [...all] }), row()).length).toBeLessThanOrEqual(12)
})

test('work during leave holds no minutes back, because the report counts it already', () => {
  expect(heldMinutes({ type: 'punchedOnLeave', minutes: 480 })).toBe(0)
  expect(heldMinutes({ type: 'missingOut', minutes: 480 })).toBe(480)
})
