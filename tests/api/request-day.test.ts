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

// What requests do to days: by the engine and the table, without anybody who waits, on days that were long ago.

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

/** A company of two in a zone, the first of whom is scheduled on these days. */
const open = async (timezone: string, days: string[], changes: Parameters<typeof fixedShift>[1] = {}) => {
  const mine = await worked.found(2, { timezone })
  const { table, company } = mine
  await mine.keep(fixedShift(shift, changes))
  await mine.schedule(employee, Object.fromEntries(days.map(day => [day, [shift]])))
  const person = await table.get(employeeKey(employee))
  if (!person) throw new Error('Nobody')
  const caller = { table, company, employee: person }
  const add = (make: (around: Awaited<ReturnType<Requests['readAround']>>) => Request | Promise<Request>) =>
    requests.addRequest(table, employee, make)
  const come = (request: Pick<Request, 'employee' | 'id'>, status: RequestStatus) =>
    requests.moveRequests(table, [request], ({ version: _, ...now }) => ({
      ...now,
      status,
      steps: [...now.steps, { status, by: manager, at: new Date().toISOString() }],
    }))
  const calculate = (from: string, to = from) =>
    worked.days.calculateDays(table, [{ employee, from: addDays(from, -marginDays), to: addDays(to, marginDays) }], {
      kind: 'request',
      by: manager,
    })
  return {
    ...mine,
    ...{ caller, add, come, calculate },
    /** Instants, by a terminal that shows the time of Greenwich. */
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
      const made = await request
      await come(made, status)
      await calculate(day)
      return made
    },
    asksPunch: (form: ShiftForm) => add(around => forms.shiftRequest(caller, form, around)),
    asksOvertime: (form: OvertimeForm) => add(around => forms.overtimeRequest(caller, form, around)),
    asksLeave: (form: LeaveForm) =>
      requests.addRequest(
        table,
        employee,
        around => forms.leaveRequest(caller, form, around),
        (leave, around) => forms.countLeave(caller, leave, around),
      ),
    async only(day: string) {
      const rows = (await mine.rows(0)).filter(row => row.day === day)
      expect(rows).toHaveLength(1)
      const [row] = rows
      if (!row) throw new Error(`Nothing on ${day}`)
      return row
    },
  }
}

describe('a correction', () => {
  test('is a punch of its day once it is approved, and nothing of it stays when it is cancelled', async () => {
    const day = '2026-06-03'
    const mine = await open('Europe/Athens', [day])
    await mine.punchAt('2026-06-03T06:00:00Z')
    await mine.calculate(day)
    const before = await mine.only(day)
    expect(before).toMatchObject({ workMinutes: 0, exceptions: ['missingOut'], state: 'final' })

    const asked = await mine.asksPunch({ date: day, time: '18:00' })
    expect(await mine.calculate(day)).toMatchObject({ rows: 0 })
    await mine.decided(day, Promise.resolve(asked))
    expect(await mine.only(day)).toMatchObject({
      ...{ workMinutes: 480, absentMinutes: 0, exceptions: [], cause: { kind: 'request', by: manager } },
      punches: [
        { use: 'in', at: Date.parse('2026-06-03T06:00:00Z') },
        { use: 'out', at: Date.parse('2026-06-03T15:00:00Z'), key: `REQUEST#${asked.id}` },
      ],
    })
    await mine.decided(day, Promise.resolve(asked), cancelled)
    const { calculatedAt: _, version: __, cause: ___, history, ...after } = await mine.only(day)
    const { calculatedAt: _c, version: _v, cause: _k, ...as } = before
    expect(after).toEqual(as)
    expect(history?.map(({ figures }) => figures.workMinutes)).toEqual([0, 480])
  })

  test('of a minute that has a punch is a repeat of it', async () => {
    const day = '2026-06-03'
    const mine = await open('Europe/Athens', [day])
    await mine.punchAt('2026-06-03T06:00:30Z', '2026-06-03T15:00:00Z')
    await mine.decided(day, mine.asksPunch({ date: day, time: '18:00' }))
    const { workMinutes, punches } = await mine.only(day)
    expect([workMinutes, punches.map(({ use }) => use)]).toEqual([480, ['in', 'repeat', 'out']])
  })

  test('of a night shift counts on the day the shift began, by the clock of the morning after', async () => {
    const day = '2026-06-03'
    const mine = await open('Europe/Athens', [day], night)
    await mine.punchAt('2026-06-03T18:55:00Z')
    await mine.decided(day, mine.asksPunch({ date: day, time: '06:03+1' }))
    expect(await mine.only(day)).toMatchObject({
      ...{ workMinutes: 450, exceptions: [], lastOut: Date.parse('2026-06-04T03:03:00Z') },
    })
    expect((await mine.rows(0)).map(row => row.day)).toEqual([day])
  })

  test('in the night the clocks change is worked as long as it lasts', async () => {
    const [longer, shorter] = ['2026-10-31', '2026-03-07']
    const mine = await open('America/New_York', [longer, shorter], night)
    await mine.punchAt('2026-11-01T02:00:00Z', '2026-03-08T03:00:00Z')
    await mine.decided(longer, mine.asksPunch({ date: longer, time: '06:00+1' }))
    await mine.decided(shorter, mine.asksPunch({ date: shorter, time: '06:00+1' }))
    expect(await mine.only(longer)).toMatchObject({ dutyMinutes: 510, workMinutes: 510 })
    expect(await mine.only(shorter)).toMatchObject({ dutyMinutes: 390, workMinutes: 390 })
  })

  test('names either of two readings of the clock, and none that it skipped', async () => {
    const [longer, shorter] = ['2026-10-31', '2026-03-07']
    const mine = await open('America/New_York', [longer, shorter], night)
    const at = async (form: ShiftForm) => {
      const request = await mine.asksPunch(form)
      return 'at' in request && request.at
    }
    expect(await at({ date: longer, time: '01:30+1' })).toBe('2026-11-01T05:30:00.000Z')
    expect(await at({ date: longer, time: '01:30+1', isLater: true })).toBe('2026-11-01T06:30:00.000Z')
    expect(await at({ date: longer, time: '00:30+1', isLater: true })).toBe('2026-11-01T04:30:00.000Z')
    await expect(at({ date: shorter, time: '02:30+1' })).rejects.toMatchObject({ code: 10002, fields: { time: 10002 } })
  })

  test('of a day before the company moved is read in the zone of that day', async () => {
    const day = '2026-06-03'
    const mine = await open('Europe/Athens', [day])
    const company = await mine.table.get(companyKey())
    if (!company) throw new Error('No company')
    const { changeRules } = await import('../../shared/rule.ts')
    const { defaultParameters } = await import('../../shared/attendance/input.ts')
    const moved = changeRules(company, { timezone: 'America/New_York', parameters: defaultParameters }, '2026-07-01')
    await worked.save(mine.table.replace(companyKey(), { ...company, ...moved }))
    expect(await mine.asksPunch({ date: day, time: '18:00' })).toMatchObject({
      ...{ zone: 'Europe/Athens', at: '2026-06-03T15:00:00.000Z' },
    })
    expect(await mine.asksPunch({ date: '2026-07-01', time: '18:00' })).toMatchObject({
      at: '2026-07-01T22:00:00.000Z',
    })
  })
})

describe('leave', () => {
  const [monday, tuesday, friday] = ['2026-06-01', '2026-06-02', '2026-06-05']
  const week = [monday, tuesday, '2026-06-03', '2026-06-04', friday]

  test('of whole days takes their duty, over days nobody works on, and gives it back', async () => {
    const mine = await open('Europe/Athens', [...week, '2026-06-08'])
    await mine.calculate(monday, '2026-06-08')
    const asked = await mine.asksLeave({ leaveType: 3, date: friday, toDate: '2026-06-08', isAllDay: true })
    expect(asked).toMatchObject({ day: friday, toDay: '2026-06-08', total: { days: 2, minutes: 960 } })
    await mine.come(asked, approved)
    await mine.calculate(friday, '2026-06-08')
    const figures = async () =>
      (await mine.rows(0)).map(({ day, kind, leaveMinutes, absentMinutes, leaveTypes }) => [
        ...[day.slice(-2), kind, leaveMinutes, absentMinutes, leaveTypes],
      ])
    const worked5 = ['01', '02', '03', '04'].map(day => [day, 'work', 0, 480, {}])
    expect(await figures()).toEqual([
      ...worked5,
      ['05', 'leave', 480, 0, { 3: 480 }],
      ['08', 'leave', 480, 0, { 3: 480 }],
    ])
    await mine.come(asked, cancelled)
    await mine.calculate(friday, '2026-06-08')
    expect(await figures()).toEqual([...worked5, ['05', 'work', 0, 480, {}], ['08', 'work', 0, 480, {}]])
  })

  test('of part of a day leaves the rest of its duty to be worked', async () => {
    const mine = await open('Europe/Athens', [monday])
    await mine.punchAt('2026-06-01T06:00:00Z', '2026-06-01T12:00:00Z')
    const form = { leaveType: 2, date: monday, isAllDay: false, from: '15:00', to: '18:00' }
    const asked = await mine.decided(monday, mine.asksLeave(form))
    expect(asked).toMatchObject({ total: { days: 0.375, minutes: 180 } })
    expect(await mine.only(monday)).toMatchObject({ workMinutes: 300, leaveMinutes: 180, earlyLeaveMinutes: 0 })
  })

  test('from one day into another takes part of each', async () => {
    const mine = await open('Europe/Athens', [monday, tuesday])
    const form = { leaveType: 2, date: monday, toDate: tuesday, isAllDay: false, from: '15:00', to: '12:00' }
    const asked = await mine.asksLeave(form)
    expect(asked).toMatchObject({ total: { days: 0.75, minutes: 360 } })
    await mine.come(asked, approved)
    await mine.calculate(monday, tuesday)
    expect((await mine.rows(0)).map(({ leaveMinutes }) => leaveMinutes)).toEqual([180, 180])
  })

  test('of a day of a flexible week makes the week shorter', async () => {
    const mine = await open('Europe/Athens', week)
    await mine.keep(weeklyShift(shift, 2400))
    const asked = await mine.asksLeave({ leaveType: 3, date: friday, isAllDay: true })
    await mine.come(asked, approved)
    await mine.calculate(monday, friday)
    const rows = await mine.rows(0)
    expect(rows.find(({ day }) => day === friday)).toMatchObject({ kind: 'leave', leaveMinutes: 480 })
    expect(rows.flatMap(({ week }) => week ?? [])).toMatchObject([{ targetMinutes: 1920, shortfallMinutes: 1920 }])
  })

  test('of a year is found by the day in its middle', async () => {
    const mine = await open('Europe/Athens', ['2026-03-02'])
    const asked = await mine.asksLeave({ leaveType: 5, date: '2025-09-01', toDate: '2026-08-31', isAllDay: true })
    await mine.decided('2026-03-02', Promise.resolve(asked))
    expect(await mine.only('2026-03-02')).toMatchObject({ kind: 'leave', leaveMinutes: 480 })
  })
})

describe('overtime', () => {
  test('counts while its person is there, once it is approved', async () => {
    const day = '2026-06-03'
    const mine = await open('Europe/Athens', [day])
    await mine.punchAt('2026-06-03T06:00:00Z', '2026-06-03T17:00:00Z')
    const asked = await mine.asksOvertime({ date: day, from: '18:30', to: '20:30' })
    await mine.calculate(day)
    expect(await mine.only(day)).toMatchObject({ workMinutes: 480, overtimeMinutes: 0 })
    await mine.decided(day, Promise.resolve(asked))
    expect(await mine.only(day)).toMatchObject({ workMinutes: 480, overtimeMinutes: 90 })
    await mine.decided(day, Promise.resolve(asked), cancelled)
    expect(await mine.only(day)).toMatchObject({ overtimeMinutes: 0 })
  })
})

describe('what happens at the same time', () => {
  const day = '2026-06-03'
  const overtime = { date: day, from: '18:30', to: '20:30' }

  test('of two who ask for the same time one is told that it is asked for', async () => {
    const mine = await open('Europe/Athens', [day])
    const asked = await Promise.allSettled([1, 2, 3].map(() => mine.asksOvertime(overtime)))
    const refused = asked.flatMap(one => (one.status === 'rejected' ? [one.reason] : []))
    expect(refused).toMatchObject([{ code: 60080, fields: { date: 60080 } }, { code: 60080 }])
    const beside = await Promise.all([
      mine.asksOvertime({ date: day, from: '17:30', to: '18:30' }),
      mine.asksOvertime({ date: day, from: '20:30', to: '21:30' }),
      mine.asksPunch({ date: day, time: '18:30' }),
    ])
    expect(beside.map(({ status }) => status)).toEqual([pending, pending, pending])
  })

  test('what was locked while somebody asked is not asked for', async () => {
    const mine = await open('Europe/Athens', [day])
    const lock = async () => {
      const company = await mine.table.get(companyKey())
      if (company) await worked.save(mine.table.replace(companyKey(), { ...company, lockedTo: day }))
    }
    let tries = 0
    const asked = mine.add(async around => {
      if (++tries === 1) await lock()
      return forms.overtimeRequest(mine.caller, overtime, around)
    })
    await expect(asked).rejects.toMatchObject({ code: 60061, fields: { date: 60061 } })
    expect(tries).toBe(2)
    await expect(mine.asksOvertime({ ...overtime, date: addDays(day, 1) })).resolves.toMatchObject({ status: pending })
  })

  test('nobody who has left asks for anything', async () => {
    const mine = await open('Europe/Athens', [day])
    await worked.save(mine.table.remove(employeeKey(employee)))
    await expect(mine.asksOvertime(overtime)).rejects.toMatchObject({ code: 502 })
  })

  test('a day that is calculated while somebody decides comes out as it was decided', async () => {
    const mine = await open('Europe/Athens', [day])
    await mine.punchAt('2026-06-03T06:00:00Z', '2026-06-03T17:00:00Z')
    const asked = await mine.asksOvertime(overtime)
    for (let turn = 0; turn < 12; turn++) {
      const status = turn % 2 === 0 ? approved : cancelled
      // The one that is slower began before anything was decided.
      const before = [mine.calculate(day), mine.calculate(day)]
      await mine.come(asked, status)
      await Promise.all([...before, mine.calculate(day)])
      expect((await mine.only(day)).overtimeMinutes, String(turn)).toBe(status === approved ? 90 : 0)
    }
    expect((await mine.table.get(requestKey(asked)))?.steps).toHaveLength(12)
  })

  test('a row that follows from what was cancelled while it was made is made again', async () => {
    const mine = await open('Europe/Athens', [day])
    await mine.punchAt('2026-06-03T06:00:00Z', '2026-06-03T17:00:00Z')
    await mine.calculate(day)
    const asked = await mine.asksOvertime(overtime)
    await mine.come(asked, approved)
    let isHeld = false
    const slow: typeof mine.table = {
      ...mine.table,
      async all(range) {
        if (range.pk.startsWith('PUNCH#') && !isHeld) {
          isHeld = true
          await mine.come(asked, cancelled)
          // To whoever looks now the row is as it should be.
          expect(await mine.calculate(day)).toMatchObject({ rows: 0 })
        }
        return mine.table.all(range)
      },
    }
    await worked.days.calculateDays(slow, [{ employee, from: day, to: day }], { kind: 'punch' })
    expect(isHeld).toBe(true)
    expect(await mine.only(day)).toMatchObject({ overtimeMinutes: 0 })
  })

  test('a locked day keeps what it was, whatever is decided', async () => {
    const mine = await open('Europe/Athens', [day])
    await mine.punchAt('2026-06-03T06:00:00Z', '2026-06-03T17:00:00Z')
    await mine.calculate(day)
    const asked = await mine.asksOvertime(overtime)
    const company = await mine.table.get(companyKey())
    if (!company) throw new Error('No company')
    await worked.save(mine.table.replace(companyKey(), { ...company, lockedTo: day }))
    await mine.decided(day, Promise.resolve(asked))
    expect(await mine.only(day)).toMatchObject({ overtimeMinutes: 0 })
  })
})

test('what is supposed to be approved is told, and nothing is written', async () => {
  const day = '2026-06-03'
  const mine = await open('Europe/Athens', [day])
  await mine.punchAt('2026-06-03T06:00:00Z')
  await mine.calculate(day)
  const asked = await mine.asksPunch({ date: day, time: '18:00' })
  const { walked } = await worked.days.walkDays(mine.table, [{ employee, from: day, to: day }], {
    requests: (of, known) => (of === employee ? [...known, asked] : known),
  })
  expect(walked[0]?.changes).toMatchObject([{ day, before: { workMinutes: 0 }, after: { workMinutes: 480 } }])
  expect(await mine.only(day)).toMatchObject({ workMinutes: 0 })
})

test('a problem names the field of the form', async () => {
  const mine = await open('Europe/Athens', ['2026-06-03'])
  const refused = await mine
    .asksOvertime({ date: '2026-06-03', from: '18:00', to: '18:00' })
    .catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(Problem)
  expect(refused).toMatchObject({ code: 10002, fields: { to: 10002 } })
})
