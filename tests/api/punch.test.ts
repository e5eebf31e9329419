import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { client, eventually, type Registered, register, type Signed, strongPassword } from '../kit/client.ts'
import { taskEnd } from '../kit/sheet.ts'

// An employee punches in the browser, with the server’s time. Repeated taps count once, and the company may restrict
// the location.

const http = client(inject('address'))
const zone = 'Europe/Athens'
const headers = { 'x-timezone': zone }
const office = { latitude: 37.97555, longitude: 23.73489 }
const beach = { latitude: 37.8, longitude: 23.78 }

let company: Registered
let boss: Signed
let people = 0
/** An employee without punches. */
const addEmployee = async (department = company.department, more: object = {}) => {
  const workno = String(100 + people++)
  const person = { first_name: 'Ann', last_name: workno, workno, department, password: strongPassword, ...more }
  const { id } = await http.call('employee/add', person, boss)
  const session = await http.call('personal/login', {
    ...{ code: company.company_num, workno, password: strongPassword },
  })
  return { ...session, id, workno }
}

type Settings = Omit<PathCall<'company/punch/update'>, 'version'>
const settings: Settings = { isOn: true, isPlaceAsked: false, places: [], outside: 'refuse' }
const saveSettings = async (changes: Partial<Settings> = {}) => {
  const { version } = await http.call('company/punch', {}, boss)
  await http.call('company/punch/update', { ...settings, ...changes, version }, boss)
}
/** Sets the repeat interval in seconds. Repeated taps within the interval count as one punch. */
const setBounce = async (bounceSeconds: number) => {
  const { since: _, former: _former, ...params } = await http.call('attparams/index', {}, boss)
  const { task } = await http.call('attparams/update', { ...params, bounceSeconds }, boss)
  if (task) await taskEnd(http, boss, { task })
}

const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(Date.now())
const listPunches = async (employee: string) => {
  const day = today()
  return (await http.call('record/grid', { filters: { from: day, to: day, employee } }, boss)).list
}
const tap = (signed: Signed, form: PathCall<'personal/punch/add'> = {}) => http.call('personal/punch/add', form, signed)
const refusePunch = (signed: Signed, form: PathCall<'personal/punch/add'> = {}) =>
  http.ask('personal/punch/add', form, signed)

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  boss = { token: company.token, headers }
})

describe('punching in the browser', () => {
  test('is off until the company turns it on', async () => {
    const ann = await addEmployee()
    const { version, ...stored } = await http.call('company/punch', {}, boss)
    expect(stored).toEqual({ ...settings, isOn: false })
    expect(await http.call('personal/punch/get', {}, ann)).toEqual({
      ...{ isAllowed: false, isPlaceAsked: false, isPlaceNeeded: false },
    })
    expect(await refusePunch(ann)).toMatchObject({ code: 60086 })
    expect(version).toBeGreaterThan(0)
  })

  test('is allowed for chosen departments and their sub-departments only', async () => {
    const add = async (name: string, parent: string) => (await http.call('department/add', { name, parent }, boss)).id
    const field = await add('Field', company.department)
    const north = await add('North', field)
    await saveSettings({ departments: [field] })
    const [inside, below, outside] = [await addEmployee(field), await addEmployee(north), await addEmployee()]
    const second = await addEmployee(company.department, { departments: [north] })
    for (const employee of [inside, below, second]) expect((await tap(employee)).isRepeat).toBe(false)
    expect(await refusePunch(outside)).toMatchObject({ code: 60086 })
    expect((await http.call('personal/punch/get', {}, outside)).isAllowed).toBe(false)
    // The setting lists only the chosen department.
    await saveSettings({ departments: [north] })
    const { departments } = await http.call('company/punch', {}, boss)
    expect(departments).toEqual([north])
  })

  test('is refused before the employee’s hire date', async () => {
    await saveSettings()
    const hireDay = new Date(Date.now() + 72 * 3600_000).toISOString().slice(0, 10)
    expect(await refusePunch(await addEmployee(undefined, { hireDay }))).toMatchObject({ code: 60086 })
  })

  test('accepts only existing departments', async () => {
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
  test('takes the server’s time and counts like any other punch', async () => {
    await saveSettings()
    const ann = await addEmployee()
    const before = Date.now()
    const result = await tap(ann)
    expect(Date.parse(result.at)).toBeGreaterThanOrEqual(before - 1000)
    expect(Date.parse(result.at)).toBeLessThanOrEqual(Date.now())
    expect(result).toEqual({ at: result.at, timezone: zone, isOutside: false, isCounted: true, isRepeat: false })
    const [record] = await eventually(
      () => listPunches(ann.id),
      list => expect(list).toHaveLength(1),
    )
    expect(record).toMatchObject({ at: result.at, use: 'in', device: 'browser', source: 'browser' })
    expect(record).not.toHaveProperty('latitude')
    await eventually(
      () => http.call('personal/dashboard/record', {}, ann),
      ({ state, since }) => expect({ state, since }).toEqual({ state: 'in', since: result.at }),
    )
    const { last } = await http.call('personal/punch/get', {}, ann)
    expect(last).toEqual({ at: result.at, timezone: zone, isOutside: false })
  })

  test('says at once whether a shift counts it', async () => {
    const [free, planned] = [await addEmployee(), await addEmployee()]
    const hour = Number(new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit' }).format(Date.now()))
    const form =
      hour < 12
        ? { onDuty: '20:00', offDuty: '22:00', punchStart: '19:00', punchEnd: '23:00' }
        : { onDuty: '04:00', offDuty: '06:00', punchStart: '03:00', punchEnd: '07:00' }
    const { id: shift } = await http.call('shift/add', { name: 'Far away', ...form, breaks: [] }, boss)
    await http.call('schedule/add', { employees: [planned.id], days: [today()], shift }, boss)
    expect(await tap(free)).toMatchObject({ isCounted: true, isRepeat: false })
    expect(await tap(planned)).toMatchObject({ isCounted: false, isRepeat: false })
    expect(await tap(planned)).toMatchObject({ isCounted: false, isRepeat: true })
    await eventually(
      () => listPunches(planned.id),
      list => expect(list).toMatchObject([{ use: 'outside' }]),
    )
  })

  test('rejects a time from the browser', async () => {
    const ann = await addEmployee()
    const form = { at: '2020-01-01T08:00:00Z' } as PathCall<'personal/punch/add'>
    expect(await refusePunch(ann, form)).toMatchObject({ code: 10002, fields: { at: 60003 } })
  })

  test('is stored once, for simultaneous taps and for idempotent retries', async () => {
    const ann = await addEmployee()
    const answers = await Promise.all(Array.from({ length: 8 }, () => tap(ann)))
    expect(new Set(answers.map(({ at }) => at)).size).toBe(1)
    expect(answers.filter(({ isRepeat }) => !isRepeat)).toHaveLength(1)
    const key = { token: ann.token, headers: { ...headers, 'idempotency-key': 'one' } }
    const [first, second] = [await tap(key), await tap(key)]
    expect(second).toEqual(first)
    expect(first.isRepeat).toBe(true)
    await eventually(
      () => listPunches(ann.id),
      list => expect(list).toHaveLength(1),
    )
  })

  test('is stored again after the repeat interval', { tags: 'long' }, async () => {
    await saveSettings()
    await setBounce(0)
    const ann = await addEmployee()
    const first = await tap(ann)
    expect((await tap(ann)).at).toBe(first.at)
    // Five seconds are the minimum, even when the company counts every punch.
    const second = await eventually(
      () => tap(ann),
      ({ isRepeat }) => expect(isRepeat).toBe(false),
      20,
    )
    expect(Date.parse(second.at) - Date.parse(first.at)).toBeGreaterThanOrEqual(5000)
    await eventually(
      () => listPunches(ann.id),
      list => expect(list.map(({ use }) => use)).toEqual(['out', 'in']),
    )
    await setBounce(60)
  })
})

describe('the location of a punch', () => {
  const places = [{ name: 'Office', radiusMetres: 150, ...office }]

  test('is not stored when the company does not ask for it', async () => {
    await saveSettings({ places, outside: 'refuse' })
    const ann = await addEmployee()
    expect(await tap(ann, beach)).toMatchObject({ isOutside: false })
    const [record] = await eventually(
      () => listPunches(ann.id),
      list => expect(list).toHaveLength(1),
    )
    expect(record).not.toHaveProperty('latitude')
  })

  test('must be one of the company’s locations when the company refuses other locations', async () => {
    await saveSettings({ isPlaceAsked: true, places, outside: 'refuse' })
    const ann = await addEmployee()
    expect(await http.call('personal/punch/get', {}, ann)).toMatchObject({ isPlaceAsked: true, isPlaceNeeded: true })
    expect(await refusePunch(ann, beach)).toMatchObject({ code: 60087 })
    // An inaccurate position at the beach does not match the office.
    expect(await refusePunch(ann, { ...beach, accuracyMetres: 50_000 })).toMatchObject({ code: 60087 })
    expect(await refusePunch(ann)).toMatchObject({ code: 60001, fields: { latitude: 60001 } })
    expect(await refusePunch(ann, { latitude: 1 })).toMatchObject({ code: 10002, fields: { longitude: 60001 } })
    expect(await refusePunch(ann, { latitude: 91, longitude: 0 })).toMatchObject({ fields: { latitude: 60002 } })
    const near = { latitude: office.latitude + 0.0019, longitude: office.longitude }
    expect(await refusePunch(ann, near)).toMatchObject({ code: 60087 })
    const result = await tap(ann, { ...near, accuracyMetres: 80.5 })
    expect(result).toMatchObject({ place: 'Office', isOutside: false })
    const [record] = await eventually(
      () => listPunches(ann.id),
      list => expect(list).toHaveLength(1),
    )
    expect(record).toMatchObject({ latitude: 37.97745, longitude: 23.73489, accuracyMetres: 81, place: 'Office' })
    expect(await http.call('personal/punch/get', {}, ann)).toMatchObject({ last: { place: 'Office' } })
  })

  test('is marked when the company allows punches elsewhere', async () => {
    await saveSettings({ isPlaceAsked: true, places, outside: 'flag' })
    const [ann, bea, col] = [await addEmployee(), await addEmployee(), await addEmployee()]
    expect(await tap(ann, beach)).toMatchObject({ isOutside: true })
    expect(await tap(bea)).toMatchObject({ isOutside: true })
    expect(await tap(col, office)).toMatchObject({ isOutside: false, place: 'Office' })
    const records = await eventually(
      () => Promise.all([ann, bea, col].map(async ({ id }) => (await listPunches(id))[0])),
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

  test('may be anywhere while the company has no locations', async () => {
    await saveSettings({ isPlaceAsked: true, places: [], outside: 'refuse' })
    const [ann, bea] = [await addEmployee(), await addEmployee()]
    expect(await http.call('personal/punch/get', {}, ann)).toMatchObject({ isPlaceAsked: true, isPlaceNeeded: false })
    expect(await tap(ann, beach)).toMatchObject({ isOutside: false })
    expect(await tap(bea)).toMatchObject({ isOutside: false })
  })
})

test('erasing an employee keeps the punch and deletes its location', async () => {
  await saveSettings({
    isPlaceAsked: true,
    places: [{ name: 'Office', radiusMetres: 150, ...office }],
    outside: 'flag',
  })
  const ann = await addEmployee()
  const { at } = await tap(ann, beach)
  await eventually(
    () => listPunches(ann.id),
    list => expect(list).toMatchObject([{ at, latitude: beach.latitude, isOutside: true }]),
  )
  const { task } = await http.call('employee/erase', { id: ann.id }, boss)
  expect(await taskEnd(http, boss, { task })).toMatchObject({ state: 'done' })
  const [record] = await listPunches(ann.id)
  expect(record).toMatchObject({ at, isOutside: true })
  expect(record).not.toHaveProperty('latitude')
})

test('the audit log records changes of the punch settings', async () => {
  await saveSettings({ isPlaceAsked: true, places: [{ name: 'Depot', radiusMetres: 80, ...office }], outside: 'flag' })
  const { list } = await http.call('audit/grid', { filters: { noun: 'company' } }, boss)
  expect(JSON.stringify(list[0]?.changes)).toContain('Depot')
})
