import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { client, eventually, type Registered, register, type Signed, strongPassword } from '../kit/client.ts'
import { taskEnd } from '../kit/sheet.ts'

// Punching in the browser: by the server's clock, once however often it is tapped, and only where the company says.

const http = client(inject('address'))
const zone = 'Europe/Athens'
const headers = { 'x-timezone': zone }
const office = { latitude: 37.97555, longitude: 23.73489 }
const beach = { latitude: 37.8, longitude: 23.78 }

let company: Registered
let boss: Signed
let people = 0
/** Somebody who has not punched. */
const somebody = async (department = company.department, more: object = {}) => {
  const workno = String(100 + people++)
  const person = { first_name: 'Ann', last_name: workno, workno, department, password: strongPassword, ...more }
  const { id } = await http.call('employee/add', person, boss)
  const signed = await http.call('personal/login', {
    ...{ code: company.company_num, workno, password: strongPassword },
  })
  return { ...signed, id, workno }
}

type Settings = Omit<PathCall<'company/punch/update'>, 'version'>
const settings: Settings = { isOn: true, isPlaceAsked: false, places: [], outside: 'refuse' }
const allow = async (changes: Partial<Settings> = {}) => {
  const { version } = await http.call('company/punch', {}, boss)
  await http.call('company/punch/update', { ...settings, ...changes, version }, boss)
}
/** The time between taps that are one is as short as it can be. */
const bounce = async (bounceSeconds: number) => {
  const { since: _, former: _former, ...params } = await http.call('attparams/index', {}, boss)
  const { task } = await http.call('attparams/update', { ...params, bounceSeconds }, boss)
  if (task) await taskEnd(http, boss, { task })
}

const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(Date.now())
const listed = async (employee: string) => {
  const day = today()
  return (await http.call('record/grid', { filters: { from: day, to: day, employee } }, boss)).list
}
const tap = (signed: Signed, form: PathCall<'personal/punch/add'> = {}) => http.call('personal/punch/add', form, signed)
const refused = (signed: Signed, form: PathCall<'personal/punch/add'> = {}) =>
  http.ask('personal/punch/add', form, signed)

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  boss = { token: company.token, headers }
})

describe('who may punch in the browser', () => {
  test('is nobody until the company says so', async () => {
    const ann = await somebody()
    const { version, ...told } = await http.call('company/punch', {}, boss)
    expect(told).toEqual({ ...settings, isOn: false })
    expect(await http.call('personal/punch/get', {}, ann)).toEqual({
      ...{ isAllowed: false, isPlaceAsked: false, isPlaceNeeded: false },
    })
    expect(await refused(ann)).toMatchObject({ code: 60086 })
    expect(version).toBeGreaterThan(0)
  })

  test('may be those of some departments and below alone', async () => {
    const add = async (name: string, parent: string) => (await http.call('department/add', { name, parent }, boss)).id
    const field = await add('Field', company.department)
    const north = await add('North', field)
    await allow({ departments: [field] })
    const [inside, below, outside] = [await somebody(field), await somebody(north), await somebody()]
    const second = await somebody(company.department, { departments: [north] })
    for (const one of [inside, below, second]) expect((await tap(one)).isRepeat).toBe(false)
    expect(await refused(outside)).toMatchObject({ code: 60086 })
    expect((await http.call('personal/punch/get', {}, outside)).isAllowed).toBe(false)
    // A department that goes opens the door to nobody else.
    await allow({ departments: [north] })
    const { departments } = await http.call('company/punch', {}, boss)
    expect(departments).toEqual([north])
  })

  test('is nobody before the day they are hired', async () => {
    await allow()
    const hireDay = new Date(Date.now() + 72 * 3600_000).toISOString().slice(0, 10)
    expect(await refused(await somebody(undefined, { hireDay }))).toMatchObject({ code: 60086 })
  })

  test('may be departments that are there', async () => {
    const { version } = await http.call('company/punch', {}, boss)
    const form = { ...settings, departments: [company.department, '0'.repeat(16)], version }
    expect(await http.ask('company/punch/update', form, boss)).toMatchObject({
      ...{ code: 60004, fields: { 'departments.1': 60004 } },
    })
    const stale = { ...settings, version: version - 1 }
    expect(await http.ask('company/punch/update', stale, boss)).toMatchObject({ code: 60006 })
  })
})

describe('a punch in the browser', () => {
  test('is made now, by the clock of the server, and counts like any other', async () => {
    await allow()
    const ann = await somebody()
    const before = Date.now()
    const punched = await tap(ann)
    expect(Date.parse(punched.at)).toBeGreaterThanOrEqual(before - 1000)
    expect(Date.parse(punched.at)).toBeLessThanOrEqual(Date.now())
    expect(punched).toEqual({ at: punched.at, timezone: zone, isOutside: false, isRepeat: false })
    const [record] = await eventually(
      () => listed(ann.id),
      list => expect(list).toHaveLength(1),
    )
    expect(record).toMatchObject({ at: punched.at, use: 'in', device: 'browser', source: 'browser' })
    expect(record).not.toHaveProperty('latitude')
    await eventually(
      () => http.call('personal/dashboard/record', {}, ann),
      ({ state, since }) => expect({ state, since }).toEqual({ state: 'in', since: punched.at }),
    )
    const { last } = await http.call('personal/punch/get', {}, ann)
    expect(last).toEqual({ at: punched.at, timezone: zone, isOutside: false })
  })

  test('takes no time from whoever makes it', async () => {
    const ann = await somebody()
    const form = { at: '2020-01-01T08:00:00Z' } as PathCall<'personal/punch/add'>
    expect(await refused(ann, form)).toMatchObject({ code: 10002, fields: { at: 60003 } })
  })

  test('is one however many taps come at once, and however they come', async () => {
    const ann = await somebody()
    const answers = await Promise.all(Array.from({ length: 8 }, () => tap(ann)))
    expect(new Set(answers.map(({ at }) => at)).size).toBe(1)
    expect(answers.filter(({ isRepeat }) => !isRepeat)).toHaveLength(1)
    const key = { token: ann.token, headers: { ...headers, 'idempotency-key': 'one' } }
    const [first, second] = [await tap(key), await tap(key)]
    expect(second).toEqual(first)
    expect(first.isRepeat).toBe(true)
    await eventually(
      () => listed(ann.id),
      list => expect(list).toHaveLength(1),
    )
  })

  test('is another one once taps no longer count as one', async () => {
    await bounce(0)
    const ann = await somebody()
    const first = await tap(ann)
    expect((await tap(ann)).at).toBe(first.at)
    // Five seconds even where the company lets every punch count.
    const second = await eventually(
      () => tap(ann),
      ({ isRepeat }) => expect(isRepeat).toBe(false),
      20,
    )
    expect(Date.parse(second.at) - Date.parse(first.at)).toBeGreaterThanOrEqual(5000)
    await eventually(
      () => listed(ann.id),
      list => expect(list.map(({ use }) => use)).toEqual(['out', 'in']),
    )
    await bounce(60)
  })
})

describe('where a punch is made', () => {
  const places = [{ name: 'Office', radiusMetres: 150, ...office }]

  test('is not kept where the company does not ask for it', async () => {
    await allow({ places, outside: 'refuse' })
    const ann = await somebody()
    expect(await tap(ann, beach)).toMatchObject({ isOutside: false })
    const [record] = await eventually(
      () => listed(ann.id),
      list => expect(list).toHaveLength(1),
    )
    expect(record).not.toHaveProperty('latitude')
  })

  test('has to be one of the places, where others are refused', async () => {
    await allow({ isPlaceAsked: true, places, outside: 'refuse' })
    const ann = await somebody()
    expect(await http.call('personal/punch/get', {}, ann)).toMatchObject({ isPlaceAsked: true, isPlaceNeeded: true })
    expect(await refused(ann, beach)).toMatchObject({ code: 60087 })
    // However little a browser knows, a beach is no office.
    expect(await refused(ann, { ...beach, accuracyMetres: 50_000 })).toMatchObject({ code: 60087 })
    expect(await refused(ann)).toMatchObject({ code: 60001, fields: { latitude: 60001 } })
    expect(await refused(ann, { latitude: 1 })).toMatchObject({ code: 10002, fields: { longitude: 60001 } })
    expect(await refused(ann, { latitude: 91, longitude: 0 })).toMatchObject({ fields: { latitude: 60002 } })
    const near = { latitude: office.latitude + 0.0019, longitude: office.longitude }
    expect(await refused(ann, near)).toMatchObject({ code: 60087 })
    const punched = await tap(ann, { ...near, accuracyMetres: 80.5 })
    expect(punched).toMatchObject({ place: 'Office', isOutside: false })
    const [record] = await eventually(
      () => listed(ann.id),
      list => expect(list).toHaveLength(1),
    )
    expect(record).toMatchObject({ latitude: 37.97745, longitude: 23.73489, accuracyMetres: 81, place: 'Office' })
    expect(await http.call('personal/punch/get', {}, ann)).toMatchObject({ last: { place: 'Office' } })
  })

  test('is marked, where others are let through', async () => {
    await allow({ isPlaceAsked: true, places, outside: 'flag' })
    const [ann, bea, col] = [await somebody(), await somebody(), await somebody()]
    expect(await tap(ann, beach)).toMatchObject({ isOutside: true })
    expect(await tap(bea)).toMatchObject({ isOutside: true })
    expect(await tap(col, office)).toMatchObject({ isOutside: false, place: 'Office' })
    const records = await eventually(
      () => Promise.all([ann, bea, col].map(async ({ id }) => (await listed(id))[0])),
      list => expect(list.every(Boolean)).toBe(true),
    )
    expect(records.map(record => [record?.isOutside, record?.latitude, record?.place])).toEqual([
      [true, beach.latitude, undefined],
      [true, undefined, undefined],
      [undefined, office.latitude, 'Office'],
    ])
    const day = today()
    const { task } = await http.call(
      'record/export',
      { type: 'csv', filters: { from: day, to: day, source: 'browser' } },
      boss,
    )
    const { file } = await taskEnd(http, boss, { task })
    const sheet = await (await fetch(file?.url ?? '')).text()
    const placesOf = sheet.split('\n').map(line =>
      line
        .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
        .at(-1)
        ?.trim(),
    )
    expect(placesOf).toContain('Location')
    expect(placesOf).toContain('Outside')
    expect(placesOf).toContain('Office')
    expect(sheet).toContain(`"Outside: ${beach.latitude}, ${beach.longitude}"`)
  })

  test('is anywhere, but told, while the company has no places', async () => {
    await allow({ isPlaceAsked: true, places: [], outside: 'refuse' })
    const [ann, bea] = [await somebody(), await somebody()]
    expect(await http.call('personal/punch/get', {}, ann)).toMatchObject({ isPlaceAsked: true, isPlaceNeeded: false })
    expect(await tap(ann, beach)).toMatchObject({ isOutside: false })
    expect(await tap(bea)).toMatchObject({ isOutside: false })
  })
})

test('whoever is erased leaves the punch behind, and not where it was', async () => {
  await allow({ isPlaceAsked: true, places: [{ name: 'Office', radiusMetres: 150, ...office }], outside: 'flag' })
  const ann = await somebody()
  const { at } = await tap(ann, beach)
  await eventually(
    () => listed(ann.id),
    list => expect(list).toMatchObject([{ at, latitude: beach.latitude, isOutside: true }]),
  )
  const { task } = await http.call('employee/erase', { id: ann.id }, boss)
  expect((await taskEnd(http, boss, { task })).state).toBe('done')
  const [record] = await listed(ann.id)
  expect(record).toMatchObject({ at, isOutside: true })
  expect(record).not.toHaveProperty('latitude')
})

test('who changed the rules is told by the audit', async () => {
  await allow({ isPlaceAsked: true, places: [{ name: 'Depot', radiusMetres: 80, ...office }], outside: 'flag' })
  const { list } = await http.call('audit/grid', { filters: { noun: 'company' } }, boss)
  expect(JSON.stringify(list[0]?.changes)).toContain('Depot')
})
