import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PathCall, PathOutput } from '../../shared/api.ts'
import { companyKey } from '../../shared/company.ts'
import { addDays } from '../../shared/local-day.ts'
import { type Correction, correctionKey } from '../../shared/record/correction.ts'
import { firstReachedDay } from '../../shared/record/rule.ts'
import {
  type Client,
  client,
  eventually,
  invite,
  type Registered,
  register,
  type Signed,
  strongPassword,
} from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { openReceiver } from '../kit/receiver.ts'
import { openSocket, type Socket } from '../kit/socket.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// The company's rule for corrections: the manager decides, the employee may object, both agree, or only by request.

const zone = eveningZone()
const day = dayIn(zone)
const reason = 'Queue at the gate'

let world: StackWithTable
let http: Client
let company: Registered
let boss: Signed
let manager: Signed
let roleId: string
let terminal: Socket
let serialNumber: string
let shift: string
let receiver: Awaited<ReturnType<typeof openReceiver>>
let number = 100
let logs = 0

beforeAll(async () => {
  world = await startStackWithTable({ WEBHOOK_LOOPBACK: 'on' })
  http = client(world.stack.address)
  company = await register(http, { timezone: zone })
  boss = { token: company.token, headers: { 'x-timezone': zone } }
  const role = { name: 'Records', permissions: [8, 9], departments: [company.department] }
  roleId = (await http.call('role/add', role, boss)).id
  const mona = { first_name: 'Mona', last_name: 'M', workno: '300', department: company.department, role: 2, roleId }
  manager = await invite(http, boss, mona)
  const form = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '16:00', breaks: [] }
  shift = (await http.call('shift/add', { name: 'Early', ...form }, boss)).id
  serialNumber = `R${Math.random().toString(36).slice(2, 10)}`.toUpperCase()
  const device = { serialNumber, name: 'Door', department: company.department }
  terminal = await openSocket(http.address, { path: (await http.call('device/add', device, boss)).serverPath })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  await terminal.hear({ ret: 'reg' })
  receiver = await openReceiver({ http, boss: company }, ['record'])
})
afterAll(async () => {
  receiver.close()
  await world.stop()
})

type Rule = Omit<PathCall<'company/correction/update'>, 'version'>
const setRule = async (rule: Partial<Rule>) => {
  const { version } = await http.call('company/correction', {}, boss)
  await http.call('company/correction/update', { correctionRule: 'manager', objectionDays: 7, ...rule, version }, boss)
}

/** An employee who punched at 05:30 and 13:00 in a shift from 05:00 to 13:00, and their sign-in. */
const worker = async (isSignedIn = true) => {
  const workno = String(++number)
  const person = { first_name: 'Eva', last_name: workno, workno, department: company.department }
  const password = isSignedIn ? { password: strongPassword } : {}
  const { id } = await http.call('employee/add', { ...person, ...password }, boss)
  await http.call('schedule/add', { employees: [id], days: [day], shift }, boss)
  const record = ['05:30:00', '13:00:00'].map(time => ({
    ...{ enrollid: Number(workno), time: `${day} ${time}`, mode: 8, inout: 0, event: 0 },
  }))
  terminal.say({ cmd: 'sendlog', count: record.length, logindex: ++logs, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  const code = company.company_num
  const own: Signed = isSignedIn
    ? await http.call('personal/login', { code, workno, password: strongPassword }, {})
    : { token: '' }
  await workedBy(id, 450)
  return { id, workno, own, punch: `${workno}#${day}T05:30:00#${serialNumber}` }
}

type Day = PathOutput<'report/day'>
const dayOf = (employee: string): Promise<Day> => http.call('report/day', { employee, day }, manager)
const workedBy = async (employee: string, minutes: number): Promise<Day> =>
  eventually(
    () => dayOf(employee),
    ({ list }) => expect(list[0]?.workMinutes).toBe(minutes),
  )
const correctionOf = ({ list }: Pick<Day, 'list'>, id: string) =>
  [...(list[0]?.punches ?? []), ...(list[0]?.ignored ?? [])].find(punch => punch.id === id)
const ownDay = (own: Signed) => http.call('personal/report/record', { day }, own)
const move = (employee: string, punch: string, more: { time?: string; version?: number } = {}) =>
  http.ask('record/update', { employee, punch, date: day, time: '05:00', reason, ...more }, manager)
const noticeOf = (signed: Signed, correction: string, of?: string) =>
  eventually(
    () => http.call('notice/grid', {}, signed),
    ({ list }) =>
      expect(
        list.filter(notice => notice.correction === correction && (of === undefined || notice.address.includes(of))),
      ).toHaveLength(1),
  )
/** The correction events of an employee in the order of their arrival, each once. */
const eventsOf = (workno: string) => {
  const events = receiver.heard.filter(
    ({ type, data }) => type.startsWith('record.correction_') && data.workno === workno,
  )
  return [...new Map(events.map(event => [event.id, event])).values()]
}

describe('the rule of a company', () => {
  test('is “the manager decides” without a limit at first, and its change is audited', async () => {
    const other = await register(http, { timezone: zone })
    const first = await http.call('company/correction', {}, other)
    expect(first).toEqual({ correctionRule: 'manager', objectionDays: 7, version: expect.any(Number) })
    const form = { correctionRule: 'objection' as const, objectionDays: 3, correctionReachDays: 10 }
    await http.call('company/correction/update', { ...form, version: first.version }, other)
    expect(await http.call('company/correction', {}, other)).toMatchObject(form)
    expect(await http.ask('company/correction/update', { ...form, version: first.version }, other)).toMatchObject({
      code: 60006,
    })
    const audit = await http.call('audit/grid', { filters: { noun: 'company' } }, other)
    expect(audit.list[0]).toMatchObject({ path: 'company/correction/update' })
    expect(JSON.stringify(audit.list[0])).toContain('correctionRule')
    expect(await http.call('auth/get', {}, other)).toMatchObject({ correctionRule: 'objection' })
  })

  test.each<[string, unknown, number]>([
    ['correctionRule', 'nobody', 10002],
    ['objectionDays', 31, 60002],
    ['objectionDays', 0, 10002],
    ['correctionReachDays', 367, 60002],
    ['correctionReachDays', -1, 10002],
  ])('refuses %s %s', async (field, wrong, code) => {
    const form = { correctionRule: 'manager', objectionDays: 7, version: 1, [field]: wrong } as never
    const answer = await http.ask('company/correction/update', form, boss)
    expect(answer).toMatchObject({ code: 10002, fields: { [field]: code } })
  })

  test('is changed by administrators only', async () => {
    expect(await http.ask('company/correction', {}, manager)).toMatchObject({ code: 60005 })
  })
})

describe('when the manager decides', () => {
  test('a correction counts at once, and the employee cannot object', async () => {
    await setRule({})
    const { id, punch, own } = await worker()
    expect(await move(id, punch)).toMatchObject({ code: 0 })
    const shown = correctionOf(await workedBy(id, 480), punch)?.correction
    expect(shown).toMatchObject({ state: 'counts', version: 1 })
    expect(shown).not.toHaveProperty('objectBy')
    const { list } = await noticeOf(own, 'decided')
    expect(list[0]).toMatchObject({ kind: 'correction.made', name: 'Mona M', side: 'user', date: day })
    expect(await http.ask('personal/record/object', { punch, version: 1, reason }, own)).toMatchObject({ code: 60073 })
    expect(await http.ask('personal/record/agree', { punch, version: 1 }, own)).toMatchObject({ code: 60004 })
  })
})

test('the employee hears of a mark of absence', { tags: 'long' }, async () => {
  await setRule({})
  const { id, workno, own } = await worker()
  const punch = `${workno}#${day}T13:00:00#${serialNumber}`
  await http.call('record/ignore', { employee: id, punch, reason }, manager)
  const filters = { from: day, to: day, employee: id, state: 'open' as const }
  const { list } = await eventually(
    () => http.call('exception/grid', { filters }, manager),
    ({ list }) => expect(list).toMatchObject([{ canBeAbsent: true }]),
  )
  const exceptions = list.map(({ employee, day, shift, type, minutes }) => ({ employee, day, shift, type, minutes }))
  await http.call('exception/fix', { exceptions, action: 'absent', reason }, manager)
  const { list: notices } = await noticeOf(own, 'absent')
  expect(notices[0]).toMatchObject({ kind: 'correction.made', name: 'Mona M', side: 'user', date: day })
  expect(notices[0]?.address).toBe(`/timecard?month=${day.slice(0, 7)}&day=${day}`)
})

describe('when the employee may object', () => {
  beforeAll(() => setRule({ correctionRule: 'objection', objectionDays: 2 }))

  test('a correction counts until the employee objects; then the recorded punch counts, with the trace', async () => {
    const { id, punch, own } = await worker()
    await move(id, punch)
    const corrected = correctionOf(await workedBy(id, 480), punch)?.correction
    const days = (Date.parse(corrected?.objectBy ?? '') - Date.parse(corrected?.madeAt ?? '')) / (24 * 3600_000)
    expect(days).toBe(2)
    const { list } = await noticeOf(own, 'counts')
    expect(list[0]).toMatchObject({ kind: 'correction.made', name: 'Mona M', side: 'user', date: day })
    expect(list[0]?.address).toBe(`/timecard?month=${day.slice(0, 7)}&day=${day}`)

    const why = 'I was there at half past'
    await http.call('personal/record/object', { punch, version: 1, reason: why }, own)
    const objected = await workedBy(id, 450)
    expect(objected.list[0]?.cause).toEqual({ kind: 'objection' })
    expect(correctionOf(objected, punch)?.correction).toMatchObject({
      ...{ state: 'objected', at: expect.stringContaining(':00:00'), reason, by: 'Mona M', version: 2 },
      objection: { reason: why, at: expect.any(String) },
    })
    await noticeOf(manager, 'objected', id)
    const audit = await http.call('audit/grid', { filters: { noun: 'correction' } }, boss)
    expect(audit.list[0]).toMatchObject({ path: 'personal/record/object' })

    const again = await http.ask('personal/record/object', { punch, version: 2, reason }, own)
    expect(again).toMatchObject({ code: 60004, fields: { punch: 60004 } })
    const restored = await http.ask('record/restore', { employee: id, punch, version: 2 }, manager)
    expect(restored).toMatchObject({ code: 60004, fields: { punch: 60004 } })
    // A repetition counts again, but keeps the objection beside the punch.
    await move(id, punch, { version: 2 })
    expect(correctionOf(await workedBy(id, 480), punch)?.correction).toMatchObject({
      ...{ state: 'counts', objection: { reason: why } },
    })
  })

  test('the checklist of a period names the correction until the employee objects', async () => {
    const { id, own, punch } = await worker()
    expect(await move(id, punch)).toMatchObject({ code: 0 })
    const named = async () => {
      const { corrections } = await http.call('report/close/check', { from: day, to: day }, manager)
      return corrections.list.filter(({ employee }) => employee === id)
    }
    expect(await named()).toEqual([expect.objectContaining({ day, objectBy: expect.any(String) })])
    await http.call('personal/record/object', { punch, version: 1, reason: 'I came later' }, own)
    expect(await named()).toEqual([])
  })

  test('an objection to a correction of a manager who left reaches those who may correct it now', {
    tags: 'long',
  }, async () => {
    const person = { first_name: 'Nia', last_name: 'N', workno: '301', department: company.department }
    const nia = await invite(http, boss, { ...person, role: 2, roleId })
    const { id, own, punch } = await worker()
    const form = { employee: id, punch, date: day, time: '05:00', reason }
    await http.call('record/update', form, { token: nia.token })
    await http.call('employee/delete', { id: nia.id }, boss)
    await http.call('personal/record/object', { punch, version: 1, reason: 'I came later' }, own)
    for (const reader of [manager, boss]) await noticeOf(reader, 'objected', id)
  })

  test('an objection after the deadline is refused', { tags: 'long' }, async () => {
    const { id, punch, own } = await worker()
    await move(id, punch)
    await workedBy(id, 480)
    const past = new Date(Date.now() - 1000).toISOString()
    await world.set(correctionKey({ employee: id, punch }), { objectBy: past } as Partial<Correction>, company.company)
    const late = await http.ask('personal/record/object', { punch, version: 1, reason }, own)
    expect(late).toMatchObject({ code: 60094, fields: { punch: 60094 } })
    await workedBy(id, 480)
    // A later correction falls back to this one, which the employee can no longer object to.
    await move(id, punch, { time: '06:00', version: 1 })
    await workedBy(id, 420)
    await http.call('personal/record/object', { punch, version: 2, reason }, own)
    await workedBy(id, 480)
  })

  test('an added punch that the employee objects to stays visible and does not count', { tags: 'long' }, async () => {
    const { id, own } = await worker()
    const form = { employee: id, date: day, time: '14:00', reason }
    const { punch } = await http.call('record/add', form, manager)
    await eventually(
      () => dayOf(id),
      ({ list }) => expect(list[0]?.punches).toHaveLength(3),
    )
    await http.call('personal/record/object', { punch, version: 1, reason: 'No' }, own)
    const { list } = await eventually(
      () => ownDay(own),
      ({ list }) => expect(list[0]?.punches).toHaveLength(2),
    )
    expect(list[0]?.ignored).toMatchObject([{ id: punch, correction: { state: 'objected', isIgnored: false } }])
  })

  test('the employee objects to their own punch only, to the version they saw, and with a reason', async () => {
    const { id, punch, own } = await worker()
    const { own: other } = await worker()
    await move(id, punch)
    expect(await http.ask('personal/record/object', { punch, version: 1, reason }, other)).toMatchObject({
      ...{ code: 60004, fields: { punch: 60004 } },
    })
    expect(await http.ask('personal/record/object', { punch, version: 7, reason }, own)).toMatchObject({ code: 60006 })
    expect(await http.ask('personal/record/object', { punch, version: 1, reason: ' ' }, own)).toMatchObject({
      ...{ code: 10002, fields: { reason: 60001 } },
    })
  })
})

describe('on a locked day', () => {
  test.each(['objection', 'agreement'] as const)('nobody answers a correction (%s)', async correctionRule => {
    await setRule({ correctionRule })
    const { id, own } = await worker()
    const paid = addDays(day, correctionRule === 'objection' ? -12 : -10)
    const { punch } = await http.call('record/add', { employee: id, date: paid, time: '10:00', reason }, manager)
    await world.set(companyKey(), { lockedTo: paid }, company.company)
    const seen = { punch, version: 1 }
    const refused = { code: 60061, fields: { date: 60061 } }
    expect(await http.ask('personal/record/object', { ...seen, reason }, own)).toMatchObject(refused)
    if (correctionRule === 'agreement')
      expect(await http.ask('personal/record/agree', seen, own)).toMatchObject(refused)
  })
})

describe('when both must agree', () => {
  beforeAll(() => setRule({ correctionRule: 'agreement' }))

  test('a proposal does not count until the employee agrees, and the day shows both versions', async () => {
    const { id, punch, own } = await worker()
    const preview = { employee: id, action: 'update' as const, punch, date: day, time: '05:00' }
    const { days } = await http.call('record/preview', preview, manager)
    expect(days).toMatchObject([{ before: { workMinutes: 450 }, after: { workMinutes: 480 } }])
    await move(id, punch)
    await noticeOf(own, 'proposed')
    for (const shown of [await dayOf(id), await ownDay(own)]) {
      expect(shown.list[0]?.workMinutes).toBe(450)
      const proposed = correctionOf(shown, punch)
      expect(proposed?.correction).toMatchObject({ state: 'proposed', recordedAt: proposed?.at })
      expect(Date.parse(proposed?.at ?? '') - Date.parse(proposed?.correction?.at ?? '')).toBe(30 * 60_000)
    }
    await http.call('personal/record/agree', { punch, version: 1 }, own)
    const agreed = correctionOf(await workedBy(id, 480), punch)?.correction
    expect(agreed).toMatchObject({ state: 'counts', agreedAt: expect.any(String), version: 2 })
    await noticeOf(manager, 'agreed', id)
    expect(await http.ask('personal/record/object', { punch, version: 2, reason }, own)).toMatchObject({ code: 60073 })
    // Even a return to the recorded time needs the employee's agreement; what they agreed to counts until then.
    await http.call('record/restore', { employee: id, punch, version: 2 }, manager)
    expect(correctionOf(await workedBy(id, 480), punch)?.correction).toMatchObject({ state: 'proposed' })
    await http.call('personal/record/agree', { punch, version: 3 }, own)
    await workedBy(id, 450)
  })

  test('a declined proposal never counts, and a withdrawn one is gone', { tags: 'long' }, async () => {
    const { id, punch, own } = await worker()
    await move(id, punch)
    await http.call('personal/record/object', { punch, version: 1, reason: 'No' }, own)
    expect(correctionOf(await dayOf(id), punch)?.correction).toMatchObject({
      ...{ state: 'objected', objection: { reason: 'No' } },
    })
    await noticeOf(manager, 'objected', id)
    const { punch: added } = await http.call('record/add', { employee: id, date: day, time: '14:00', reason }, manager)
    expect(await http.ask('record/add', { employee: id, date: day, time: '14:00', reason }, manager)).toMatchObject({
      ...{ code: 60089, fields: { time: 60089 } },
    })
    expect((await ownDay(own)).list[0]?.ignored).toMatchObject([{ id: added, correction: { state: 'proposed' } }])
    await http.call('record/restore', { employee: id, punch: added, version: 1 }, manager)
    expect((await ownDay(own)).list[0]?.ignored).toEqual([])
    const gone = await http.ask('personal/record/agree', { punch: added, version: 1 }, own)
    expect(gone).toMatchObject({ code: 60004, fields: { punch: 60004 } })
    await workedBy(id, 450)
  })

  test('a proposal on a day without a shift and punches is visible to both', { tags: 'long' }, async () => {
    const { id, own } = await worker()
    const free = addDays(day, -3)
    const { punch } = await http.call('record/add', { employee: id, date: free, time: '10:00', reason }, manager)
    const { list } = await http.call('personal/report/record', { day: free }, own)
    expect(list).toMatchObject([{ kind: 'rest', punches: [], ignored: [{ id: punch }] }])
    expect((await http.call('report/day', { employee: id, day: free }, manager)).list).toHaveLength(1)
  })

  test('a person without a sign-in cannot agree, so the proposal waits', async () => {
    const { id, punch } = await worker(false)
    await move(id, punch)
    const shown = await dayOf(id)
    expect(shown.correcting).toMatchObject({ rule: 'agreement', canAnswer: false })
    expect(shown.list[0]?.workMinutes).toBe(450)
  })

  test('of a manager’s new proposal and the employee’s agreement at the same moment, one wins', {
    tags: 'long',
  }, async () => {
    const { id, punch, own } = await worker()
    await move(id, punch)
    const answers = await Promise.all([
      http.ask('personal/record/agree', { punch, version: 1 }, own),
      move(id, punch, { time: '05:10', version: 1 }),
    ])
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 60006])
  })
})

describe('when corrections are only requested', () => {
  test('managers correct nothing, and the day says why', async () => {
    const { id, punch } = await worker()
    await setRule({ correctionRule: 'request' })
    const { correcting } = await dayOf(id)
    expect(correcting).toMatchObject({ rule: 'request', refused: 60092 })
    expect(await move(id, punch)).toMatchObject({ code: 60092 })
    const form = { employee: id, date: day, time: '14:00' }
    expect(await http.ask('record/add', { ...form, reason }, manager)).toMatchObject({ code: 60092 })
    expect(await http.ask('record/ignore', { employee: id, punch, reason }, manager)).toMatchObject({ code: 60092 })
    expect(await http.ask('record/restore', { employee: id, punch }, manager)).toMatchObject({ code: 60092 })
    expect(await http.ask('record/preview', { ...form, action: 'add' }, manager)).toMatchObject({ code: 60092 })
    // A person whom the caller does not manage comes first.
    const unknown = { ...form, employee: '0'.repeat(16), reason }
    expect(await http.ask('record/add', unknown, manager)).toMatchObject({ code: 60004 })
  })
})

describe('the reach of corrections', () => {
  test('is counted in working days, Monday to Friday without holidays', () => {
    const holidays = ['2026-11-26']
    const first = (today: string, days: number) => firstReachedDay(today, days, date => holidays.includes(date))
    expect(first('2026-11-27', 0)).toBe('2026-11-27')
    expect(first('2026-11-27', 1)).toBe('2026-11-25')
    expect(first('2026-11-23', 1)).toBe('2026-11-20')
    expect(first('2026-11-22', 1)).toBe('2026-11-20')
    expect(first('2026-11-27', 5)).toBe('2026-11-19')
  })

  test('refuses earlier days with the field’s name', async () => {
    const { id, punch } = await worker()
    await setRule({ correctionReachDays: 2 })
    const first = firstReachedDay(day, 2, () => false)
    const add = (date: string) => http.ask('record/add', { employee: id, date, time: '10:00', reason }, manager)
    expect(await add(addDays(first, -1))).toMatchObject({ code: 60093, fields: { date: 60093 } })
    expect(await add(first)).toMatchObject({ code: 0 })
    const old = punch.replace(day, addDays(first, -1))
    const ignored = await http.ask('record/ignore', { employee: id, punch: old, reason }, manager)
    expect(ignored).toMatchObject({ code: 60093, fields: { punch: 60093 } })
    const earlier = { employee: id, day: addDays(first, -1) }
    expect(await http.call('report/day', earlier, manager)).toMatchObject({ correcting: { refused: 60093 } })
    // A holiday is no working day, so the reach goes further.
    await http.call('holiday/add', { name: 'Rest', from: first, to: first, departments: [company.department] }, boss)
    const further = firstReachedDay(day, 2, date => date === first)
    expect(await add(further)).toMatchObject({ code: 0 })
    await setRule({})
  })
})

describe('webhooks of corrections', () => {
  test('tell what counts, what counted before, the reason and the author', async () => {
    await setRule({})
    const { id, punch, workno } = await worker()
    const { punch: added } = await http.call('record/add', { employee: id, date: day, time: '14:00', reason }, manager)
    await move(id, punch)
    await http.call('record/ignore', { employee: id, punch, reason, version: 1 }, manager)
    await http.call('record/restore', { employee: id, punch, version: 2 }, manager)
    await http.call('record/restore', { employee: id, punch, version: 3 }, manager)
    await http.call('record/restore', { employee: id, punch: added, version: 1 }, manager)
    await eventually(
      async () => eventsOf(workno),
      events => expect(events).toHaveLength(6),
    )
    expect(receiver.refused).toEqual([])
    const told = (type: string) => eventsOf(workno).filter(event => event.type === `record.correction_${type}`)
    const author = { id: expect.any(String), workno: '300' }
    expect(told('added').map(({ data }) => data)).toMatchObject([
      { device: { serial_number: 'manager' }, before: null, checktime: expect.any(String), reason, author },
    ])
    const [updated] = told('updated').map(({ data }) => data)
    expect(updated).toMatchObject({
      ...{ device: { serial_number: serialNumber, name: 'Door' }, workno, reason, author },
      employee: { workno, first_name: 'Eva' },
    })
    expect(updated?.before).toBe(updated?.recorded)
    const record = receiver.heard.find(({ type, data }) => type === 'record.created' && data.uuid === updated?.uuid)
    expect(Date.parse(String(record?.data.checktime))).toBe(Date.parse(String(updated?.recorded)))
    expect(told('ignored').map(({ data }) => data)).toMatchObject([{ checktime: null, before: updated?.checktime }])
    const restored = told('restored').map(({ data: { checktime, before } }) => `${before} → ${checktime}`)
    const addedAt = told('added')[0]?.data.checktime
    expect(restored.toSorted()).toEqual(
      [`null → ${updated?.checktime}`, `${updated?.checktime} → ${updated?.recorded}`, `${addedAt} → null`].toSorted(),
    )
  })

  test('wait with a proposal until the employee agrees', { tags: 'long' }, async () => {
    await setRule({ correctionRule: 'agreement' })
    const { id, punch, workno, own } = await worker()
    await move(id, punch)
    await http.call('personal/record/agree', { punch, version: 1 }, own)
    await eventually(
      async () => eventsOf(workno),
      events => expect(events).toHaveLength(1),
    )
    expect(eventsOf(workno)).toMatchObject([{ type: 'record.correction_updated', data: { reason, workno } }])
    await setRule({})
  })
})

describe('the punch of a deleted terminal', () => {
  test('is corrected under the same rule', { tags: 'long' }, async () => {
    await setRule({ correctionRule: 'agreement' })
    const { id, punch, workno, own } = await worker()
    terminal.close()
    await http.call('device/delete', { serialNumber }, boss)
    expect(await move(id, punch)).toMatchObject({ code: 0 })
    expect(correctionOf(await workedBy(id, 450), punch)?.correction).toMatchObject({ state: 'proposed' })
    await http.call('personal/record/agree', { punch, version: 1 }, own)
    await workedBy(id, 480)
    await eventually(
      async () => eventsOf(workno),
      ([event]) => expect(event?.data.device).toEqual({ serial_number: serialNumber }),
    )
  })
})
