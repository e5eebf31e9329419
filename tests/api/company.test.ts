import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall, PathOutput } from '../../shared/api.ts'
import { companyKey, zoneKey, zonesKey } from '../../shared/company.ts'
import { addDays } from '../../shared/local-day.ts'
import {
  client,
  countFirstToLast,
  eventually,
  invite,
  type Registered,
  register,
  strongPassword,
} from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { chunk, jpegOfBytes, jpegOfSize, png, pngWith } from '../kit/picture.ts'
import { openSocket } from '../kit/socket.ts'
import { openTable } from '../kit/table.ts'
import { upload } from '../kit/upload.ts'

const address = inject('address')
const http = client(address)

type Settings = PathOutput<'company/get'>

const settings = (signed: { token: string }) => http.call('company/get', {}, signed)
/** The time settings in the shape that their form sends. */
const timeOf = ({ version, timezone, dateformat_id, timeformat_id, splitTime, firstWeekday }: Settings) => ({
  version,
  timezone,
  dateformat_id: dateformat_id as 3,
  timeformat_id: timeformat_id as 2,
  splitTime,
  firstWeekday,
})

/** A registered terminal. `punch` sends one record and waits until it is stored. */
const openTerminal = async (
  signed: { token: string },
  department: string,
  form: { timezone?: string } = {},
  devinfo: { time?: string } = {},
) => {
  const serialNumber = `CO${Math.random().toString(36).slice(2, 12).toUpperCase()}`
  const device = { serialNumber, name: 'Gate', department, ...form }
  const { serverPath } = await http.call('device/add', device, signed)
  const connect = async () => {
    const socket = await openSocket(address, { path: serverPath })
    socket.say({ cmd: 'reg', sn: serialNumber, devinfo })
    const answer = await socket.hear({ ret: 'reg' })
    expect(answer).toMatchObject({ result: true })
    return { ...socket, answer, closed: socket.closed }
  }
  let socket = await connect()
  return {
    serialNumber,
    socket: () => socket,
    async reconnect() {
      socket = await connect()
      return socket
    },
    async punch(workno: string, time: string) {
      const record = [{ enrollid: Number(workno), time: `${time}:00`, mode: 8, inout: 0, event: 0 }]
      socket.say({ cmd: 'sendlog', count: 1, logindex: 1, record })
      expect(await socket.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
    },
  }
}

describe('company details', () => {
  let olga: Registered
  let signed: { token: string }
  beforeAll(async () => {
    olga = await register(http)
    signed = { token: olga.token }
  })

  test('start with the values of the registration and default settings', async () => {
    expect(await settings(signed)).toMatchObject({
      id: olga.company,
      name: 'Olive & Sons',
      company_num: olga.company_num,
      timezone: 'Europe/Athens',
      dateformat_id: 3,
      timeformat_id: 2,
      storesTemplates: false,
      retentionMonths: 60,
      splitTime: '00:00',
      firstWeekday: 1,
      hasPassword: false,
    })
  })

  test('keep given values, drop omitted values and never change the company number', async () => {
    const place = { address: 'Ermou 1', country: 'GR', state: 'Attica', city: 'Athens' }
    const more = { storesTemplates: true, retentionMonths: 120 }
    const { version } = await settings(signed)
    const form = { version, name: 'Olive', ...place, industry_id: 12, size_id: 2, ...more }
    await http.call('company/update', form, signed)
    const { version: _, ...kept } = form
    expect(await settings(signed)).toMatchObject({ ...kept, version: version + 1, company_num: olga.company_num })
    expect((await http.call('auth/get', {}, signed)).company.name).toBe('Olive')

    const bare = { version: version + 1, name: 'Olive', storesTemplates: false, retentionMonths: 60 }
    await http.call('company/update', bare, signed)
    const updated = await settings(signed)
    for (const name of ['address', 'country', 'state', 'city', 'industry_id', 'size_id'])
      expect(updated).not.toHaveProperty(name)
    expect(updated.timezone).toBe('Europe/Athens')
  })

  test('accept only one of several concurrent updates to the same version, across all forms', {
    tags: 'long',
  }, async () => {
    const before = await settings(signed)
    const { version } = before
    const prevention = await http.call('company/prevention', {}, signed)
    const answers = await Promise.all([
      http.ask('company/update', { version, name: 'One', storesTemplates: false, retentionMonths: 60 }, signed),
      http.ask('company/time/update', timeOf(before), signed),
      http.ask('company/prevention/update', { ...prevention, version }, signed),
    ])
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 60006, 60006])
  })

  test.each([
    ['name', { name: '' }],
    ['industry_id', { industry_id: 26 }],
    ['size_id', { size_id: 9 }],
    ['retentionMonths', { retentionMonths: 5 }],
  ])('reject %s out of bounds', async (field, wrong) => {
    const { version, name, storesTemplates, retentionMonths } = await settings(signed)
    const form = { version, name, storesTemplates, retentionMonths, ...wrong }
    expect(await http.ask('company/update', form, signed)).toMatchObject({
      code: 10002,
      fields: { [field]: expect.any(Number) },
    })
  })

  test('offer 24 industries and “Other”, and company sizes without gaps', async () => {
    const { list: industries } = await http.call('company/industry_list', {}, signed)
    expect(industries).toHaveLength(25)
    expect(industries.at(0)?.name).toBe('Advertising')
    expect(industries.slice(-2).map(({ name }) => name)).toEqual(['Transportation', 'Other'])
    const { list: sizes } = await http.call('company/size_list', {}, signed)
    expect(sizes.map(({ from }) => from)).toEqual([1, ...sizes.slice(0, -1).map(({ to }) => (to ?? 0) + 1)])
    expect(sizes.at(-1)?.to).toBeUndefined()
  })

  test('require 4 to 8 digits for the cloud password and audit each time it is shown', async () => {
    const { token } = await register(http)
    const own = { token }
    expect(await http.call('company/password/get', {}, own)).toEqual({})
    for (const [comm_pwd, code] of [
      ['12a4', 59001],
      ['１２３４', 59001],
      ['', 60001],
      ['123', 10002],
      ['123456789', 10002],
    ] as const)
      expect(await http.ask('company/password', { comm_pwd }, own), comm_pwd).toMatchObject({
        code: code === 60001 ? 10002 : code,
        fields: { comm_pwd: code },
      })
    await http.call('company/password', { comm_pwd: '471100' }, own)
    expect(await http.call('company/password/get', {}, own)).toEqual({ comm_pwd: '471100' })
    expect(await settings(own)).toMatchObject({ hasPassword: true })
    const { list } = await http.call('audit/grid', { filters: { noun: 'company' } }, own)
    expect(list.slice(0, 2).map(({ path, changes }) => [path, changes[0]?.change])).toEqual([
      ['company/password/get', 'read'],
      ['company/password', 'changed'],
    ])
    expect(JSON.stringify(list)).not.toContain('471100')
  })

  test('are readable for managers, but only administrators change them or see the cloud password', async () => {
    const { id: roleId } = await http.call(
      'role/add',
      { name: 'All', permissions: [1, 2, 3], departments: [olga.department] },
      signed,
    )
    const person = { first_name: 'M', last_name: 'M', workno: '90', department: olga.department, role: 2, roleId }
    const manager = await invite(http, signed, person)
    expect(await settings(manager)).toMatchObject({ id: olga.company })
    const { version } = await settings(signed)
    const refused = { status: 200, code: 60005 }
    expect(await http.ask('company/password/get', {}, manager)).toMatchObject(refused)
    expect(await http.ask('company/prevention', {}, manager)).toMatchObject(refused)
    const form = { version, name: 'Hers', storesTemplates: true, retentionMonths: 60 }
    expect(await http.ask('company/update', form, manager)).toMatchObject(refused)
  })
})

describe('temperature and mask settings', () => {
  test('are off by default, keep updates and check the bounds of the unit', async () => {
    const signed = { token: (await register(http)).token }
    const before = await http.call('company/prevention', {}, signed)
    expect(before).toMatchObject({
      ...{ mask_detection: 0, mask_alarm: 0, work_mode: 0, relay_output: 0, temp_unit: 0 },
      ...{ fever_threshold: 37.3, fever_alarm: 0, temp_opendoor: 0, temp_access: 0 },
    })
    const all: PathCall<'company/prevention/update'> = {
      ...{ mask_detection: 2, mask_alarm: 1, work_mode: 2, relay_output: 1, temp_unit: 1 },
      ...{ fever_threshold: 99.5, fever_alarm: 1, temp_opendoor: 1, temp_access: 1, version: before.version },
    }
    await http.call('company/prevention/update', all, signed)
    const updated = await http.call('company/prevention', {}, signed)
    expect(updated).toEqual({ ...all, version: before.version + 1 })
    for (const [field, wrong] of [
      ['mask_detection', { mask_detection: 3 }],
      ['mask_alarm', { mask_alarm: 2 }],
      ['work_mode', { work_mode: -1 }],
      ['relay_output', { relay_output: 2 }],
      ['temp_unit', { temp_unit: 2 }],
      ['fever_threshold', { fever_threshold: 37.3 }],
      ['fever_threshold', { fever_threshold: 99.55 }],
      ['fever_threshold', { fever_threshold: 107.7 }],
      ['fever_threshold', { fever_threshold: 42.1, temp_unit: 0 }],
      ['fever_threshold', { fever_threshold: 33.9, temp_unit: 0 }],
      ['fever_alarm', { fever_alarm: true }],
      ['temp_opendoor', { temp_opendoor: 2 }],
      ['temp_access', { temp_access: '1' }],
    ] as const)
      expect(
        await http.send('company/prevention/update', JSON.stringify({ ...updated, ...wrong }), {
          'x-token': signed.token,
        }),
        JSON.stringify(wrong),
      ).toMatchObject({ code: 10002, fields: { [field]: expect.any(Number) } })
    for (const field of ['mask_alarm', 'work_mode', 'fever_threshold'])
      expect(
        await http.send('company/prevention/update', JSON.stringify({ ...updated, [field]: undefined }), {
          'x-token': signed.token,
        }),
      ).toMatchObject({ code: 10002, fields: { [field]: 60001 } })
    expect(await http.call('company/prevention', {}, signed)).toEqual(updated)
  })
})

describe('the company logo', () => {
  let signed: { token: string }
  let version: number
  beforeAll(async () => {
    signed = { token: (await register(http)).token }
    version = (await settings(signed)).version
  })
  const send = async (bytes: Uint8Array, type: 'image/png' | 'image/jpeg' = 'image/png') => {
    const { upload: id, ...form } = await http.call('company/logo', { type }, signed)
    expect((await upload(form, bytes)).status).toBe(204)
    return id
  }
  const shown = async () => {
    const { logo } = await settings(signed)
    return logo === undefined ? undefined : Buffer.from(await (await fetch(logo)).arrayBuffer())
  }

  test('loses its metadata and replaces the previous logo', async () => {
    const saved = await http.call(
      'company/logo/save',
      { upload: await send(pngWith(chunk('tEXt', 'Author\0Me'))) },
      signed,
    )
    expect(saved.version).toBe(version + 1)
    expect(await shown()).toEqual(png)
    const { logo: first } = await settings(signed)
    await http.call('company/logo/save', { upload: await send(jpegOfSize(2048, 120), 'image/jpeg') }, signed)
    expect((await settings(signed)).logo).not.toBe(first)
    expect((await shown())?.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]))
  })

  test('is rejected if it is no image, too large or never uploaded', { tags: 'long' }, async () => {
    const before = await shown()
    const save = async (bytes: Uint8Array) => http.ask('company/logo/save', { upload: await send(bytes) }, signed)
    expect(await save(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toMatchObject({
      fields: { upload: 10002 },
    })
    expect(await save(jpegOfSize(2049, 120))).toMatchObject({ fields: { upload: 60002 } })
    const unknown = { upload: '0'.repeat(16) }
    expect(await http.ask('company/logo/save', unknown, signed)).toMatchObject({ fields: { upload: 60004 } })
    const { upload: _, ...form } = await http.call('company/logo', { type: 'image/jpeg' }, signed)
    expect((await upload(form, jpegOfBytes(2_097_153))).status).toBe(400)
    expect(await shown()).toEqual(before)
  })

  test('can be deleted repeatedly', async () => {
    const deleted = await http.call('company/logo/delete', {}, signed)
    expect(await http.call('company/logo/delete', {}, signed)).toEqual(deleted)
    expect(await shown()).toBeUndefined()
  })
})

describe('time settings', () => {
  let signed: { token: string }
  beforeAll(async () => {
    signed = { token: (await register(http, { timezone: zone })).token }
  })

  const zone = eveningZone()
  const today = dayIn(zone)

  test('apply formats at once, and change only the leave types in the form', async () => {
    const signed = { token: (await register(http)).token }
    const before = await settings(signed)
    expect(before.leaveTypes.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(before.leaveTypes.every(({ isOn }) => isOn)).toBe(true)
    const form = { ...timeOf(before), dateformat_id: 1, timeformat_id: 1 } as const
    await http.call('company/time/update', { ...form, leaveTypes: [{ id: 4, isOn: false, isPaid: true }] }, signed)
    expect(await http.call('auth/get', {}, signed)).toMatchObject({ dateformat: 'MM/DD/YYYY', timeformat: 'hh:mm A' })
    const updated = await settings(signed)
    const [, second, , fourth] = updated.leaveTypes
    expect(fourth).toEqual({ id: 4, name: 'sabbatical', isOn: false, isPaid: true })
    // Leave types missing from the form stay unchanged.
    await http.call(
      'company/time/update',
      { ...timeOf(updated), leaveTypes: [{ id: 2, isOn: true, isPaid: false }] },
      signed,
    )
    expect((await settings(signed)).leaveTypes.slice(1, 4)).toEqual([
      { ...second, isPaid: false },
      before.leaveTypes[2],
      fourth,
    ])
  })

  test.each([
    ['timezone', { timezone: 'Mars/Base' }],
    ['dateformat_id', { dateformat_id: 4 }],
    ['timeformat_id', { timeformat_id: 0 }],
    ['splitTime', { splitTime: '24:00' }],
    ['firstWeekday', { firstWeekday: 7 }],
    ['leaveTypes.0.id', { leaveTypes: [{ id: 11, isOn: true, isPaid: true }] }],
    [
      'leaveTypes.1.id',
      {
        leaveTypes: [
          { id: 2, isOn: true, isPaid: true },
          { id: 2, isOn: false, isPaid: true },
        ],
      },
    ],
    ['from', { from: addDays(today, 3) }],
    ['from', { from: addDays(today, -11 * 366) }],
    ['from', { from: '0001-01-01' }],
  ])('reject %s out of bounds', async (field, wrong) => {
    const body = JSON.stringify({ ...timeOf(await settings(signed)), ...wrong })
    expect(await http.send('company/time/update', body, { 'x-token': signed.token })).toMatchObject({
      code: 10002,
      fields: { [field]: expect.any(Number) },
    })
  })

  test('apply new rules from a chosen day, and earlier days keep the old rules, even for late punches', async () => {
    const olga = await register(http, { timezone: zone })
    const signed = { token: olga.token }
    const person = { first_name: 'E', last_name: 'E', workno: '5', department: olga.department }
    await http.call('employee/add', person, signed)
    await countFirstToLast(http, signed)
    const terminal = await openTerminal(signed, olga.department)
    const days = [addDays(today, -4), addDays(today, -2), today]
    for (const day of days) for (const time of ['09:00', '12:00']) await terminal.punch('5', `${day} ${time}`)
    /** The minutes of unscheduled work and overtime per day. */
    const figures = async () => {
      const { list } = await http.call('report/grid', { filters: { from: addDays(today, -9), to: today } }, signed)
      return list
        .toReversed()
        .map(({ day, unscheduledMinutes, overtimeMinutes }) => [day, unscheduledMinutes, overtimeMinutes])
    }
    const becomes = (expected: unknown[][]) => eventually(figures, found => expect(found).toEqual(expected))
    const [first = '', before = '', last = ''] = days
    // By default, work on a day without a shift is overtime.
    await becomes([
      [first, 0, 180],
      [before, 0, 180],
      [last, 0, 180],
    ])
    const change = async (changes: object) => {
      const { since: _, former: __, ...attparams } = await http.call('attparams/index', {}, signed)
      const { task } = await http.call('attparams/update', { ...attparams, ...changes }, signed)
      expect(task).toBeDefined()
    }

    await change({ restDayWorkIsOvertime: false })
    await becomes([
      [first, 0, 180],
      [before, 0, 180],
      [last, 180, 0],
    ])
    await terminal.punch('5', `${first} 13:00`)
    await terminal.punch('5', `${last} 13:00`)
    await becomes([
      [first, 0, 240],
      [before, 0, 180],
      [last, 240, 0],
    ])

    await change({ restDayWorkIsOvertime: false, from: addDays(before, -1) })
    await becomes([
      [first, 0, 240],
      [before, 180, 0],
      [last, 240, 0],
    ])
    await terminal.punch('5', `${first} 14:00`)
    await becomes([
      [first, 0, 300],
      [before, 180, 0],
      [last, 240, 0],
    ])

    await change({ restDayWorkIsOvertime: true, from: addDays(today, -200) })
    await becomes([
      [first, 0, 300],
      [before, 0, 180],
      [last, 0, 240],
    ])
    terminal.socket().close()
  })

  test('move terminals, new days and planning to a new zone', { tags: 'long' }, async () => {
    // The other zone is two hours ahead and on the same date at any hour.
    const twoHours = 2 * 3_600_000
    const ahead = eveningZone(Date.now() - twoHours)
    const [own, other] = dayIn(ahead) === today ? [zone, ahead] : [eveningZone(Date.now() + twoHours), zone]
    const olga = await register(http, { timezone: own })
    const signed = { token: olga.token }
    const person = { first_name: 'E', last_name: 'E', workno: '5', department: olga.department }
    const { id: employee } = await http.call('employee/add', person, signed)
    const terminal = await openTerminal(signed, olga.department)
    // The clocks of two terminals are wrong by several days.
    const off = { time: '2026-01-01 00:00:00' }
    const abroad = await openTerminal(signed, olga.department, { timezone: 'Asia/Tokyo' }, off)
    const away = await openTerminal(signed, olga.department, {}, off)
    away.socket().close()
    const driftAt = async ({ serialNumber }: typeof away) =>
      (await http.call('device/get', { serialNumber }, signed)).driftSeconds
    expect(await driftAt(away)).toBeLessThan(-86_400)
    const sn = `${away.serialNumber}H`
    const overHttp = { serialNumber: sn, name: 'Shed', department: olga.department, authentication: 'claim' as const }
    await http.call('device/add', overHttp, signed)
    await fetch(`${address}/iclock/cdata?SN=${sn}&options=all`)
    const orders = async () => (await fetch(`${address}/iclock/getrequest?SN=${sn}`)).text()
    const yesterday = addDays(today, -1)
    for (const day of [yesterday, today]) await terminal.punch('5', `${day} 15:00`)
    const zones = async () => {
      const { list } = await http.call('report/grid', { filters: { from: addDays(today, -9), to: today } }, signed)
      return list.toReversed().map(({ day, timezone }) => [day, timezone])
    }
    await eventually(zones, found =>
      expect(found).toEqual([
        [yesterday, own],
        [today, own],
      ]),
    )

    await http.call('company/time/update', { ...timeOf(await settings(signed)), timezone: other }, signed)
    await terminal.socket().closed
    await eventually(
      () => driftAt(away),
      seconds => expect(seconds).toBeUndefined(),
    )
    expect(await driftAt(abroad)).toBeLessThan(-86_400)
    await eventually(orders, text => expect(text).toContain(':CHECK'))
    await eventually(zones, found =>
      expect(found).toEqual([
        [yesterday, own],
        [today, other],
      ]),
    )
    const back = await terminal.reconnect()
    const shown = (ago: number) => new Date(Date.now() - ago).toLocaleTimeString('sv', { timeZone: other }).slice(0, 2)
    expect([shown(0), shown(60_000)]).toContain(String(back.answer.cloudtime).slice(11, 13))
    // The new zone is two hours ahead, so 15:00 became 17:00.
    await terminal.punch('5', `${today} 20:00`)
    await eventually(
      () => http.call('report/grid', { filters: { from: today, to: today } }, signed),
      ({ list }) => expect(list[0]).toMatchObject({ timezone: other, overtimeMinutes: 180 }),
    )
    // A terminal with its own zone stays in it.
    await abroad.punch('5', `${yesterday} 09:00`)

    const form = { name: 'Day', onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00' }
    const { id: shift } = await http.call('shift/add', form, signed)
    const plan = { employees: [employee], days: [addDays(today, 1)], shift }
    const as = (zone: string) => ({ ...signed, headers: { 'x-timezone': zone } })
    expect(await http.ask('schedule/add', plan, as(own))).toMatchObject({ code: 59040 })
    expect(await http.ask('schedule/add', plan, as(other))).toMatchObject({ code: 0 })
    terminal.socket().close()
    abroad.socket().close()
  })
})

describe('the zone pointer of a company, which the daily close uses', { tags: 'long' }, () => {
  const world = openTable(inject('endpoint'))
  afterAll(() => world.close())

  test('moves in the same save as the zone', async () => {
    const api = client(inject('address'))
    const olga = await register(api)
    const signed = { token: olga.token }
    const before = await api.call('company/get', {}, signed)
    const look = async () => ({
      old: await world.look(zoneKey('Europe/Athens', olga.company)),
      moved: await world.look(zoneKey('Asia/Tokyo', olga.company)),
      zone: await world.look(zonesKey('Asia/Tokyo')),
    })
    expect(await look()).toMatchObject({ old: { company: olga.company }, moved: undefined })
    const form = { ...timeOf(before), timezone: 'Asia/Tokyo' }
    expect(await api.ask('company/time/update', { ...form, version: before.version + 1 }, signed)).toMatchObject({
      code: 60006,
    })
    expect(await look()).toMatchObject({ old: { company: olga.company }, moved: undefined })
    await api.call('company/time/update', form, signed)
    expect(await look()).toMatchObject({
      old: undefined,
      moved: { company: olga.company },
      zone: { zone: 'Asia/Tokyo' },
    })
    expect(await world.look(companyKey(), olga.company)).toMatchObject({
      timezone: 'Asia/Tokyo',
      parameters: { version: 1 },
    })
  })
})

test('a terminal registers only with the right company number and cloud password', async () => {
  const olga = await register(http)
  const signed = { token: olga.token }
  await http.call('company/password', { comm_pwd: '471100' }, signed)
  const sn = `PWD${Date.now()}`
  const form = {
    serialNumber: sn,
    name: 'Gate',
    department: olga.department,
    authentication: 'claim+password' as const,
  }
  await http.call('device/add', form, signed)
  const reg = async (company_num: string, comm_pwd: string) => {
    const terminal = await openSocket(address)
    terminal.say({ cmd: 'reg', sn, company_num, comm_pwd, devinfo: {} })
    const { result } = await terminal.hear({ ret: 'reg' })
    terminal.close()
    return result
  }
  expect(await reg(olga.company_num, '471101')).toBe(false)
  expect(await reg('12345678', '471100')).toBe(false)
  expect(await reg(olga.company_num, '471100')).toBe(true)
})

test('a person of one company lists only that company and cannot select another', async () => {
  const [olga, other] = [await register(http), await register(http, { company_name: 'Elsewhere' })]
  const { token } = await http.call('user/login', { email: olga.email, password: strongPassword })
  expect((await http.call('company/list', {}, { token })).list.map(({ id }) => id)).toEqual([olga.company])
  expect(await http.ask('company/select', { id: other.company }, { token })).toMatchObject({ code: 21022 })
  const selected = await http.call('company/select', { id: olga.company }, { token })
  expect(await http.call('company/get', {}, selected)).toMatchObject({
    id: olga.company,
    company_num: olga.company_num,
  })
  expect(await http.ask('company/get', {}, { token })).toMatchObject({ code: 502 })
})

test('an administrator hides the first steps for the whole company, and shows them again', async () => {
  const boss = await register(http)
  const areHidden = async () => (await http.call('company/get', {}, boss)).areStepsHidden
  expect(await areHidden()).toBe(false)
  for (const wanted of [true, false]) {
    await http.call('company/steps/update', { areHidden: wanted }, boss)
    expect(await areHidden()).toBe(wanted)
  }
})
