import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Caller } from '../../functions/kit/caller.ts'
import { absenceKey, absencePk } from '../../shared/absence.ts'
import { companyKey } from '../../shared/company.ts'
import { employeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { type Correction, correctionPk } from '../../shared/record/correction.ts'
import { rightBefore } from '../kit/right-before.ts'
import { dayAt, fixedShift, idOf, openWorked, type Worked, zone } from '../kit/worked.ts'

// Managers fix exceptions and take fixes back while the stored rows lag behind, or while other people save.

let worked: Awaited<ReturnType<typeof openWorked>>
let fixes: typeof import('../../functions/exception/fix.ts')
let tenant: Worked
let caller: Caller
const shift = 's'.repeat(16)
const day = dayAt(-4)
const employee = idOf(0)
const reason = 'Told me on the phone'
const exception = { employee, day, shift, type: 'missingOut' as const, minutes: 480 }
/** The end of the shift, which the proposal names. */
let end: number
const corrections = () => tenant.table.all<Correction>({ pk: correctionPk(employee) })

/** The refusal of a call, which must fail. */
const refusalOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(error instanceof Problem)) throw new Error('Not refused', { cause: error })
  return { code: error.code, fields: error.fields }
}

beforeAll(async () => {
  worked = await openWorked()
  fixes = await import('../../functions/exception/fix.ts')
})
afterAll(() => worked.world.close())
afterEach(() => {
  vi.restoreAllMocks()
})
beforeEach(async () => {
  tenant = await worked.found(2)
  const boss = await tenant.table.get(employeeKey(idOf(1)))
  if (!boss) throw new Error('Nobody')
  const request = { requestId: 'r', path: 'exception/fix', ip: '192.0.2.1', language: 'en', timezone: zone }
  const rights = { type: 'management' as const, permissions: new Set([8, 9] as const), departments: undefined }
  caller = { ...request, ...rights, company: tenant.company, employee: boss, table: tenant.table }
  await tenant.keep(fixedShift(shift))
  await tenant.schedule(employee, { [day]: [shift] })
  await tenant.punch(0, day, '09:00')
  await worked.days.calculateDays(tenant.table, [{ employee, from: day, to: day }], { kind: 'punch' })
  const [row] = await tenant.rows(0)
  expect(row).toMatchObject({ exceptions: ['missingOut'], state: 'final' })
  end = row?.dutyTo ?? 0
})

describe('after the end of the shift changed, and before the day is calculated again', () => {
  /** The shift ends half an hour earlier. The shorter break keeps the minutes. */
  const moveEnd = () =>
    tenant.keep(
      fixedShift(shift, {
        offDuty: '17:30',
        breaks: [{ start: '12:00', end: '12:30', durationMinutes: 30, thresholdMinutes: 0 }],
      }),
    )

  test('a proposal that the manager saw with the former time writes nothing', async () => {
    await moveEnd()
    const shown = { ...exception, at: new Date(end).toISOString() }
    const call = fixes.fix(caller, { exceptions: [shown], action: 'proposed', reason })
    expect(await refusalOf(call)).toEqual({ code: 60006, fields: { 'exceptions.0': 60006 } })
    expect(await corrections()).toEqual([])
  })

  test.each([
    ['names no time', false],
    ['names the present time', true],
  ])('a proposal that %s adds the punch at the present end', async (_, isNamed) => {
    await moveEnd()
    const at = new Date(end - 30 * 60_000).toISOString()
    const exceptions = [{ ...exception, ...(isNamed && { at }) }]
    expect((await fixes.fix(caller, { exceptions, action: 'proposed', reason })).punches).toHaveLength(1)
    expect(await corrections()).toMatchObject([{ at }])
  })
})

describe('taking fixes back', () => {
  const mark = () => fixes.fix(caller, { exceptions: [exception], action: 'absent', reason })
  const propose = () => fixes.fix(caller, { exceptions: [exception], action: 'proposed', reason })

  test('counts an entry that the call names twice once', async () => {
    for (const fix of [propose, mark]) {
      const { punches, absences } = await fix()
      await fixes.restore(caller, { punches: [...punches, ...punches], absences: [...absences, ...absences] })
    }
    expect(await corrections()).toEqual([])
    expect(await tenant.table.all({ pk: absencePk(employee) })).toEqual([])
  })

  test('succeeds although somebody saves the company settings meanwhile', async () => {
    const taken = await mark()
    const hasSaved = rightBefore(
      input => input.includes('"Delete"') && input.includes('ABSENCE#'),
      async () => {
        const company = await tenant.table.get(companyKey())
        if (company) await worked.save(tenant.table.replace(companyKey(), { ...company, name: 'Renamed' }))
      },
    )
    await fixes.restore(caller, taken)
    expect(hasSaved()).toBe(true)
    expect(await tenant.table.all({ pk: absencePk(employee) })).toEqual([])
  })

  test('names the mark that another manager removed meanwhile', async () => {
    const taken = await mark()
    const hasRemoved = rightBefore(
      input => input.includes('"Delete"') && input.includes('ABSENCE#'),
      () => worked.save(tenant.table.remove(absenceKey(exception), 1)),
    )
    expect(await refusalOf(fixes.restore(caller, taken))).toEqual({ code: 60006, fields: { 'absences.0': 60006 } })
    expect(hasRemoved()).toBe(true)
  })
})
