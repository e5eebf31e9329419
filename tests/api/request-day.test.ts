import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { marginDays } from '../../shared/attendance/calculate.ts'
import { companyKey } from '../../shared/company.ts'
import { employeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { addDays } from '../../shared/local-day.ts'
import type { LeaveForm, OvertimeForm, ShiftForm } from '../../shared/personal/request.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import { type Request, type RequestStatus, requestKey, requestStatus } from '../../shared/request.ts'
import { fixedShift, idOf, openWorked, weeklyShift } from '../kit/worked.ts'

// The effect of requests on days, with the engine and the table only, on past days.

type Forms = typeof import('../../functions/personal/request.ts')
type Requests = typeof import('../../functions/request/store.ts')

let worked: Awaited<ReturnType<typeof openWorked>>
let forms: Forms
let requests: Requests

const employee = idOf(0)
const manager = idOf(1)
const shift = 's'.repeat(16)
const { pending, approved, cancelled } = requestStatus
const night = {
  ...{ onDuty: '22:00', offDuty: '06:00+1', punchStart: '20:00', punchEnd: '08:00+1' },
  breaks: [{ start: '02:00+1', end: '03:00+1', durationMinutes: 30, thresholdMinutes: 0 }],
}

beforeAll(async () => {
  worked = await openWorked()
  forms = await import('../../functions/personal/request.ts')
  requests = await import('../../functions/request/store.ts')
})
afterAll(() => worked.world.close())

/** A company of two employees; the first is scheduled on the given days. */
const openCompany = async (timezone: string, days: string[], changes: Parameters<typeof fixedShift>[1] = {}) => {
  const company = await worked.found(2, { timezone })
  const { table, company: id } = company
  await company.keep(fixedShift(shift, changes))
  await company.schedule(employee, Object.fromEntries(days.map(day => [day, [shift]])))
  const person = await table.get(employeeKey(employee))
  if (!person) throw new Error('Nobody')
  const caller = { table, company: id, employee: person }
  const addRequest = (make: (around: Awaited<ReturnType<Requests['readAround']>>) => Request | Promise<Request>) =>
    requests.addRequest(table, employee, make)
  const moveTo = (request: Pick<Request, 'employee' | 'id'>, status: RequestStatus) =>
    requests.moveRequests(table, [request], ({ version: _, ...stored }) => ({
      ...stored,
      status,
      steps: [...stored.steps, { status, by: manager, at: new Date().toISOString() }],
    }))
  const calculate = (from: string, to = from) =>
    worked.days.calculateDays(table, [{ employee, from: addDays(from, -marginDays), to: addDays(to, marginDays) }], {
      kind: 'request',
      by: manager,
    })
  return {
    ...company,
    ...{ caller, add: addRequest, come: moveTo, calculate },
    /** Punches at these instants, from a terminal that runs on UTC. */
    async punchAt(...instants: string[]) {
      for (const at of instants) {
        const item: Punch = {
          ...{ number: '100', sn: 'T1', at: new Date(at).toISOString(), localTime: at.slice(0, 19), zone: 'Etc/UTC' },
          ...{ source: 'sendlog', receivedAt: at, generation: 1 },
        }
        await worked.save(table.put(punchKey(item), item))
      }
    },
    async decided(day: string, request: Promise<Request>, status: RequestStatus = approved) {
      const added = await request
      await moveTo(added, status)
      await calculate(day)
      return added
    },
    asksPunch: (form: ShiftForm) => addRequest(around => forms.shiftRequest(caller, form, around)),
    asksOvertime: (form: OvertimeForm) => addRequest(around => forms.overtimeRequest(caller, form, around)),
    asksLeave: (form: LeaveForm) =>
      requests.addRequest(
        table,
        employee,
        around => forms.leaveRequest(caller, form, around),
        (leave, around) => forms.countLeave(caller, leave, around),
      ),
    async only(day: string) {
      const rows = (await company.rows(0)).filter(row => row.day === day)
      expect(rows).toHaveLength(1)
      const [row] = rows
      if (!row) throw new Error(`Nothing on ${day}`)
      return row
    },
  }
}

describe('a correction', () => {
  test('is a punch of its day after approval, and changes no figure after revocation', async () => {
    const day = '2026-06-03'
    const company = await openCompany('Europe/Athens', [day])
    await company.punchAt('2026-06-03T06:00:00Z')
    await company.calculate(day)
    const before = await company.only(day)
    expect(before).toMatchObject({ workMinutes: 0, exceptions: ['missingOut'], state: 'final' })

    const request = await company.asksPunch({ date: day, time: '18:00' })
    expect(await company.calculate(day)).toMatchObject({ rows: 0 })
    await company.decided(day, Promise.resolve(request))
    expect(await company.only(day)).toMatchObject({
      ...{ workMinutes: 480, absentMinutes: 0, exceptions: [], cause: { kind: 'request', by: manager } },
      punches: [
        { use: 'in', at: Date.parse('2026-06-03T06:00:00Z') },
        { use: 'out', at: Date.parse('2026-06-03T15:00:00Z'), key: `REQUEST#${request.id}` },
      ],
    })
    await company.decided(day, Promise.resolve(request), cancelled)
    const { calculatedAt: _, version: __, cause: ___, history, ...after } = await company.only(day)
    const { calculatedAt: _c, version: _v, cause: _k, ...expected } = before
    expect(after).toEqual(expected)
    expect(history?.map(({ figures }) => figures.workMinutes)).toEqual([0, 480])
  })

  test('of a minute with a punch counts as a repeat of that punch', async () => {
    const day = '2026-06-03'
    const company = await openCompany('Europe/Athens', [day])
    await company.punchAt('2026-06-03T06:00:30Z', '2026-06-03T15:00:00Z')
    await company.decided(day, company.asksPunch({ date: day, time: '18:00' }))
    const { workMinutes, punches } = await company.only(day)
    expect([workMinutes, punches.map(({ use }) => use)]).toEqual([480, ['in', 'repeat', 'out']])
  })

  test('of a night shift accepts a time of the next morning, and counts on the day the shift began', async () => {
    const day = '2026-06-03'
    const company = await openCompany('Europe/Athens', [day], night)
    await company.punchAt('2026-06-03T18:55:00Z')
    await company.decided(day, company.asksPunch({ date: day, time: '06:03+1' }))
    expect(await company.only(day)).toMatchObject({
      ...{ workMinutes: 450, exceptions: [], lastOut: Date.parse('2026-06-04T03:03:00Z') },
    })
    expect((await company.rows(0)).map(row => row.day)).toEqual([day])
  })

  test('counts the real length of the night when clocks change', async () => {
    const [longer, shorter] = ['2026-10-31', '2026-03-07']
    const company = await openCompany('America/New_York', [longer, shorter], night)
    await company.punchAt('2026-11-01T02:00:00Z', '2026-03-08T03:00:00Z')
    await company.decided(longer, company.asksPunch({ date: longer, time: '06:00+1' }))
    await company.decided(shorter, company.asksPunch({ date: shorter, time: '06:00+1' }))
    expect(await company.only(longer)).toMatchObject({ dutyMinutes: 510, workMinutes: 510 })
    expect(await company.only(shorter)).toMatchObject({ dutyMinutes: 390, workMinutes: 390 })
  })

  test('accepts both readings of a repeated time, and rejects a skipped time', async () => {
    const [longer, shorter] = ['2026-10-31', '2026-03-07']
    const company = await openCompany('America/New_York', [longer, shorter], night)
    const at = async (form: ShiftForm) => {
      const request = await company.asksPunch(form)
      return 'at' in request && request.at
    }
    expect(await at({ date: longer, time: '01:30+1' })).toBe('2026-11-01T05:30:00.000Z')
    expect(await at({ date: longer, time: '01:30+1', isLater: true })).toBe('2026-11-01T06:30:00.000Z')
    expect(await at({ date: longer, time: '00:30+1', isLater: true })).toBe('2026-11-01T04:30:00.000Z')
    await expect(at({ date: shorter, time: '02:30+1' })).rejects.toMatchObject({ code: 10002, fields: { time: 10002 } })
  })

  test('of a day before the company moved uses the zone of that day', async () => {
    const day = '2026-06-03'
    const company = await openCompany('Europe/Athens', [day])
    const settings = await company.table.get(companyKey())
    if (!settings) throw new Error('No company')
    const { changeRules } = await import('../../shared/rule.ts')
    const { defaultParameters } = await import('../../shared/attendance/input.ts')
    const rules = changeRules(settings, { timezone: 'America/New_York', parameters: defaultParameters }, '2026-07-01')
    await worked.save(company.table.replace(companyKey(), { ...settings, ...rules }))
    expect(await company.asksPunch({ date: day, time: '18:00' })).toMatchObject({
      ...{ zone: 'Europe/Athens', at: '2026-06-03T15:00:00.000Z' },
    })
    expect(await company.asksPunch({ date: '2026-07-01', time: '18:00' })).toMatchObject({
      at: '2026-07-01T22:00:00.000Z',
    })
  })
})

describe('leave', () => {
  const [monday, tuesday, friday] = ['2026-06-01', '2026-06-02', '2026-06-05']
  const week = [monday, tuesday, '2026-06-03', '2026-06-04', friday]

  test('of whole days replaces their scheduled time, skips days off, and is undone when revoked', async () => {
    const company = await openCompany('Europe/Athens', [...week, '2026-06-08'])
    await company.calculate(monday, '2026-06-08')
    const request = await company.asksLeave({ leaveType: 3, date: friday, toDate: '2026-06-08', isAllDay: true })
    expect(request).toMatchObject({ day: friday, toDay: '2026-06-08', total: { days: 2, minutes: 960 } })
    await company.come(request, approved)
    await company.calculate(friday, '2026-06-08')
    const figures = async () =>
      (await company.rows(0)).map(({ day, kind, leaveMinutes, absentMinutes, leaveTypes }) => [
        ...[day.slice(-2), kind, leaveMinutes, absentMinutes, leaveTypes],
      ])
    const absentDays = ['01', '02', '03', '04'].map(day => [day, 'work', 0, 480, {}])
    expect(await figures()).toEqual([
      ...absentDays,
      ['05', 'leave', 480, 0, { 3: 480 }],
      ['08', 'leave', 480, 0, { 3: 480 }],
    ])
    await company.come(request, cancelled)
    await company.calculate(friday, '2026-06-08')
    expect(await figures()).toEqual([...absentDays, ['05', 'work', 0, 480, {}], ['08', 'work', 0, 480, {}]])
  })

  test('of part of a day leaves the remaining scheduled time to be worked', async () => {
    const company = await openCompany('Europe/Athens', [monday])
    await company.punchAt('2026-06-01T06:00:00Z', '2026-06-01T12:00:00Z')
    const form = { leaveType: 2, date: monday, isAllDay: false, from: '15:00', to: '18:00' }
    const request = await company.decided(monday, company.asksLeave(form))
    expect(request).toMatchObject({ total: { days: 0.375, minutes: 180 } })
    expect(await company.only(monday)).toMatchObject({ workMinutes: 300, leaveMinutes: 180, earlyLeaveMinutes: 0 })
  })

  test('from the evening of a day to the next morning takes a part of both days', async () => {
    const company = await openCompany('Europe/Athens', [monday, tuesday])
    const form = { leaveType: 2, date: monday, toDate: tuesday, isAllDay: false, from: '15:00', to: '12:00' }
    const request = await company.asksLeave(form)
    expect(request).toMatchObject({ total: { days: 0.75, minutes: 360 } })
    await company.come(request, approved)
    await company.calculate(monday, tuesday)
    expect((await company.rows(0)).map(({ leaveMinutes }) => leaveMinutes)).toEqual([180, 180])
  })

  test('of a day in a flexible week shortens the week', async () => {
    const company = await openCompany('Europe/Athens', week)
    await company.keep(weeklyShift(shift, 2400))
    const request = await company.asksLeave({ leaveType: 3, date: friday, isAllDay: true })
    await company.come(request, approved)
    await company.calculate(monday, friday)
    const rows = await company.rows(0)
    expect(rows.find(({ day }) => day === friday)).toMatchObject({ kind: 'leave', leaveMinutes: 480 })
    expect(rows.flatMap(({ week }) => week ?? [])).toMatchObject([{ targetMinutes: 1920, shortfallMinutes: 1920 }])
  })

  test('of a year covers a day in its middle', async () => {
    const company = await openCompany('Europe/Athens', ['2026-03-02'])
    const request = await company.asksLeave({ leaveType: 5, date: '2025-09-01', toDate: '2026-08-31', isAllDay: true })
    await company.decided('2026-03-02', Promise.resolve(request))
    expect(await company.only('2026-03-02')).toMatchObject({ kind: 'leave', leaveMinutes: 480 })
  })
})

describe('overtime', () => {
  test('counts the time between the employee’s punches once approved', async () => {
    const day = '2026-06-03'
    const company = await openCompany('Europe/Athens', [day])
    await company.punchAt('2026-06-03T06:00:00Z', '2026-06-03T17:00:00Z')
    const request = await company.asksOvertime({ date: day, from: '18:30', to: '20:30' })
    await company.calculate(day)
    expect(await company.only(day)).toMatchObject({ workMinutes: 480, overtimeMinutes: 0 })
    await company.decided(day, Promise.resolve(request))
    expect(await company.only(day)).toMatchObject({ workMinutes: 480, overtimeMinutes: 90 })
    await company.decided(day, Promise.resolve(request), cancelled)
    expect(await company.only(day)).toMatchObject({ overtimeMinutes: 0 })
  })
})

describe('concurrent changes', () => {
  const day = '2026-06-03'
  const overtime = { date: day, from: '18:30', to: '20:30' }

  test('of several requests for the same time store one request and reject the rest', async () => {
    const company = await openCompany('Europe/Athens', [day])
    const request = await Promise.allSettled([1, 2, 3].map(() => company.asksOvertime(overtime)))
    const reasons = request.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
    expect(reasons).toMatchObject([{ code: 60080, fields: { date: 60080 } }, { code: 60080 }])
    const adjacent = await Promise.all([
      company.asksOvertime({ date: day, from: '17:30', to: '18:30' }),
      company.asksOvertime({ date: day, from: '20:30', to: '21:30' }),
      company.asksPunch({ date: day, time: '18:30' }),
    ])
    expect(adjacent.map(({ status }) => status)).toEqual([pending, pending, pending])
  })

  test('a day locked during the request rejects the request', async () => {
    const company = await openCompany('Europe/Athens', [day])
    const lock = async () => {
      const settings = await company.table.get(companyKey())
      if (settings) await worked.save(company.table.replace(companyKey(), { ...settings, lockedTo: day }))
    }
    let tries = 0
    const request = company.add(async around => {
      if (++tries === 1) await lock()
      return forms.overtimeRequest(company.caller, overtime, around)
    })
    await expect(request).rejects.toMatchObject({ code: 60061, fields: { date: 60061 } })
    expect(tries).toBe(2)
    await expect(company.asksOvertime({ ...overtime, date: addDays(day, 1) })).resolves.toMatchObject({
      status: pending,
    })
  })

  test('an employee who has left cannot add a request', async () => {
    const company = await openCompany('Europe/Athens', [day])
    await worked.save(company.table.remove(employeeKey(employee)))
    await expect(company.asksOvertime(overtime)).rejects.toMatchObject({ code: 502 })
  })

  test('a day calculated during a decision has the figures of the decision in the end', { tags: 'long' }, async () => {
    const company = await openCompany('Europe/Athens', [day])
    await company.punchAt('2026-06-03T06:00:00Z', '2026-06-03T17:00:00Z')
    const request = await company.asksOvertime(overtime)
    for (let turn = 0; turn < 12; turn++) {
      const status = turn % 2 === 0 ? approved : cancelled
      // The slower calculation begins before the decision.
      const before = [company.calculate(day), company.calculate(day)]
      await company.come(request, status)
      await Promise.all([...before, company.calculate(day)])
      expect((await company.only(day)).overtimeMinutes, String(turn)).toBe(status === approved ? 90 : 0)
    }
    expect((await company.table.get(requestKey(request)))?.steps).toHaveLength(12)
  })

  test('a row based on a request that was revoked during the calculation is calculated again', {
    tags: 'long',
  }, async () => {
    const company = await openCompany('Europe/Athens', [day])
    await company.punchAt('2026-06-03T06:00:00Z', '2026-06-03T17:00:00Z')
    await company.calculate(day)
    const request = await company.asksOvertime(overtime)
    await company.come(request, approved)
    let hasRevoked = false
    const slow: typeof company.table = {
      ...company.table,
      async all(range) {
        if (range.pk.startsWith('PUNCH#') && !hasRevoked) {
          hasRevoked = true
          await company.come(request, cancelled)
          // A second calculation starts meanwhile, and finds that the stored row is correct.
          expect(await company.calculate(day)).toMatchObject({ rows: 0 })
        }
        return company.table.all(range)
      },
    }
    await worked.days.calculateDays(slow, [{ employee, from: day, to: day }], { kind: 'punch' })
    expect(hasRevoked).toBe(true)
    expect(await company.only(day)).toMatchObject({ overtimeMinutes: 0 })
  })

  test('a locked day keeps its figures, regardless of the decision', async () => {
    const company = await openCompany('Europe/Athens', [day])
    await company.punchAt('2026-06-03T06:00:00Z', '2026-06-03T17:00:00Z')
    await company.calculate(day)
    const request = await company.asksOvertime(overtime)
    const settings = await company.table.get(companyKey())
    if (!settings) throw new Error('No company')
    await worked.save(company.table.replace(companyKey(), { ...settings, lockedTo: day }))
    await company.decided(day, Promise.resolve(request))
    expect(await company.only(day)).toMatchObject({ overtimeMinutes: 0 })
  })
})

test('a preview of an approval shows the change and writes nothing', async () => {
  const day = '2026-06-03'
  const company = await openCompany('Europe/Athens', [day])
  await company.punchAt('2026-06-03T06:00:00Z')
  await company.calculate(day)
  const request = await company.asksPunch({ date: day, time: '18:00' })
  const { walked } = await worked.days.walkDays(company.table, [{ employee, from: day, to: day }], {
    requests: (id, stored) => (id === employee ? [...stored, request] : stored),
  })
  expect(walked[0]?.changes).toMatchObject([{ day, before: { workMinutes: 0 }, after: { workMinutes: 480 } }])
  expect(await company.only(day)).toMatchObject({ workMinutes: 0 })
})

test('a rejected request names the field of the form', async () => {
  const company = await openCompany('Europe/Athens', ['2026-06-03'])
  const problem = await company
    .asksOvertime({ date: '2026-06-03', from: '18:00', to: '18:00' })
    .catch((error: unknown) => error)
  expect(problem).toBeInstanceOf(Problem)
  expect(problem).toMatchObject({ code: 10002, fields: { to: 10002 } })
})
