import { beforeAll, expect, inject, test } from 'vitest'
import type { Path } from '../../shared/api.ts'
import type { Declaration } from '../../shared/contract.ts'
import { errors } from '../../shared/errors.ts'
import { client, eventually, invite, type Registered, register, strongPassword } from '../client.ts'
import { dayIn, eveningZone } from '../evening.ts'
import { inputOf, isGrid, type Names, paths, sampleInput } from '../sample.ts'
import { openSocket } from '../socket.ts'

// Every declared path, walked by strangers, by people without permission, by another company, and by junk.

const http = client(inject('address'))
const zone = eveningZone()
const day = dayIn(zone)
const marker = `Quokka ${Math.random()}`

let mine: Registered
let theirs: Registered
let employeeToken: string
let powerlessToken: string
/** The other company's things. */
let foreign: Names
/** Every id and serial number the other company knows. */
let theirIds: string[]
/** What the other company saw of itself when somebody last looked. */
let known: string

const shift = { name: marker, onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00' }

/** All lists of the other company. Each has at least two rows when the walk begins. */
const listsOfTheirs = async () => {
  const signed = { token: theirs.token, headers: { 'x-timezone': zone } }
  const range = { filters: { from: day, to: day } }
  return Promise.all([
    http.call('department/grid', {}, signed),
    http.call('employee/grid', {}, signed),
    http.call('employee/former/grid', {}, signed),
    http.call('shift/grid', {}, signed),
    http.call('role/grid', {}, signed),
    http.call('device/grid', {}, signed),
    http.call('schedule/grid', range, signed),
    http.call('record/grid', range, signed),
    http.call('report/grid', range, signed),
    http.call('device/quarantine', {}, signed),
    http.call('record/orphan/grid', {}, signed),
    http.call('dashboard/today/absent', {}, signed),
  ])
}

const everythingOfTheirs = async () => {
  const signed = { token: theirs.token }
  const single = await Promise.all([
    http.call('company/get', {}, signed),
    http.call('dashboard/info', {}, signed),
    http.call('dashboard/today', {}, signed),
    http.call('dashboard/yesterday', {}, signed),
  ])
  return JSON.stringify([...(await listsOfTheirs()), ...single])
}

/** The other company has two of everything: people, punches, figures, and what terminals sent and nobody could file. */
const furnishTheirs = async (): Promise<Names> => {
  const signed = { token: theirs.token, headers: { 'x-timezone': zone } }
  const { id: department } = await http.call('department/add', { name: marker.slice(1) }, signed)
  const { id: theirShift } = await http.call('shift/add', shift, signed)
  await http.call('shift/add', { ...shift, name: `${marker} 2` }, signed)
  const role = { name: marker, permissions: [1], departments: [department] }
  const { id: roleId } = await http.call('role/add', role, signed)
  await http.call('role/add', role, signed)
  const employees: string[] = []
  for (const workno of ['12', '13', '14', '15'])
    employees.push(
      (await http.call('employee/add', { first_name: marker, last_name: 'Q', workno, department }, signed)).id,
    )
  await http.call('schedule/add', { employees, days: [day], shift: theirShift }, signed)
  for (const workno of ['16', '17']) {
    const { id } = await http.call('employee/add', { first_name: marker, last_name: 'Q', workno, department }, signed)
    await http.call('employee/delete', { id }, signed)
  }

  const [serialNumber, other] = [`WALK${Date.now()}`, `WALKER${Date.now()}`]
  await http.call('device/add', { serialNumber: other, name: marker, department }, signed)
  const { serverPath } = await http.call('device/add', { serialNumber, name: marker, department }, signed)
  const terminal = await openSocket(http.address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: { modelname: marker } })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  const punch = (enrollid: number, time: string) => ({ enrollid, time: `${day} ${time}`, mode: 8, inout: 0, event: 0 })
  const record = [punch(12, '09:06:30'), punch(13, '08:58:00'), punch(77, '08:00:00'), punch(78, '08:00:00'), marker]
  terminal.say({ cmd: 'sendlog', count: record.length, logindex: 1, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  terminal.say(`{"${marker}":`)
  terminal.close()
  return {
    company: theirs.company,
    department,
    parent: department,
    shift: theirShift,
    role: roleId,
    roleId,
    employee: employees[0] ?? '',
    serialNumber,
    device: serialNumber,
    search: marker,
    day,
  }
}

beforeAll(async () => {
  mine = await register(http, { timezone: zone })
  theirs = await register(http, { company_name: marker, timezone: zone })
  const signed = { token: mine.token }
  await http.call(
    'employee/add',
    { first_name: 'Emil', last_name: 'E', workno: '7', department: mine.department, password: strongPassword },
    signed,
  )
  employeeToken = (await http.call('personal/login', { code: mine.company_num, workno: '7', password: strongPassword }))
    .token
  const { id: roleId } = await http.call(
    'role/add',
    { name: 'Looks on', permissions: [], departments: [mine.department] },
    signed,
  )
  const paul = { first_name: 'Paul', last_name: 'P', workno: '8', department: mine.department, role: 2, roleId }
  powerlessToken = (await invite(http, signed, paul)).token

  foreign = await furnishTheirs()
  // The walk looks for changes, so it begins when all is calculated and the terminal is known to have gone.
  await eventually(
    async () => {
      const lists = await listsOfTheirs()
      return { rows: lists.map(({ list }) => list.length), text: JSON.stringify(lists) }
    },
    ({ rows, text }) => {
      expect(Math.min(...rows), String(rows)).toBeGreaterThanOrEqual(2)
      expect(text).not.toContain('"online":true')
    },
  )
  known = await eventually(everythingOfTheirs, found =>
    expect(found).toContain('"active_num":2,"should_num":4,"percentage":50'),
  )
  const ids = known.match(/"[a-z0-9]{16}"/g) ?? []
  theirIds = [...new Set(ids.map(id => id.slice(1, -1))), foreign.serialNumber ?? '', theirs.owner]
})

/** A session of its own on the side a path is for. */
const newToken = async ({ who }: Declaration) => {
  const password = strongPassword
  const { token } =
    who === 'employee'
      ? await http.call('personal/login', { code: mine.company_num, workno: '7', password })
      : await http.call('user/login', { email: mine.email, password })
  return token
}

const isRefusal = (answer: { status: number; code: number }) => {
  expect(answer.status, JSON.stringify(answer)).toBeLessThan(500)
  expect(answer.code, JSON.stringify(answer)).not.toBe(0)
  expect(String(answer.code) in errors, JSON.stringify(answer)).toBe(true)
}

/** What a path accepts, with the other company's ids. */
const validInput = (path: Path) => sampleInput(path, foreign)
const headersFor = (declaration: Declaration, token?: string) => ({
  ...(token && { 'x-token': token }),
  ...(declaration.needsTimezone && { 'x-timezone': zone }),
})
const send = ([path, declaration]: [Path, Declaration], token?: string, input: unknown = validInput(path)) =>
  http.send(path, typeof input === 'string' ? input : JSON.stringify(input), headersFor(declaration, token))
const tokenFor = ({ who }: Declaration) => (who === 'employee' ? employeeToken : mine.token)

const guarded = paths.filter(([, { who }]) => who !== 'anyone')
const permitted = guarded.filter(([, { who }]) => who !== 'signedIn')
const grids = paths.filter(([path]) => isGrid(path))
/** A list with no more filters than it must have. */
const inputOfAll = (path: Path) =>
  inputOf(path).properties?.filters?.required?.includes('from') ? { filters: { from: day, to: day } } : {}
/** These end the session they are called with, so each gets one of its own. */
const endsSession = (path: Path) =>
  path === 'user/login/off' || path.endsWith('/login/switch') || path === 'company/select' || path === 'company/add'

test.each(guarded)('%s refuses a stranger with 101', async (...walked) => {
  for (const token of [undefined, 'not-a-token', 'x'.repeat(5000)])
    expect(await send(walked, token)).toMatchObject({ status: 200, code: 101 })
})

test.each(permitted)('%s refuses who is not permitted', async (...walked) => {
  const { who } = walked[1]
  const tokens = who === 'employee' ? [mine.token] : [employeeToken]
  if (who === 'administrator' || Array.isArray(who)) tokens.push(powerlessToken)
  for (const token of tokens) expect(await send(walked, token)).toMatchObject({ status: 200, code: 60005 })
})

test.each(paths)('%s names the field of junk and never fails', async (...walked) => {
  const [path, declaration] = walked
  const valid = validInput(path)
  const bodies: [field: string, body: string][] = [
    ['surprise', JSON.stringify({ ...valid, surprise: 1 })],
    ['body', '{'],
    ['body', '[]'],
    ['body', '"text"'],
    ['body', 'null'],
  ]
  const { properties = {}, required = [] } = inputOf(path)
  for (const [field, inner] of Object.entries(properties)) {
    const wrong = inner.type === 'string' ? 12.5 : 'wrong'
    bodies.push([field, JSON.stringify({ ...valid, [field]: wrong })])
    bodies.push([field, JSON.stringify({ ...valid, [field]: 'x'.repeat(100_000) })])
    bodies.push([field, `{"${field}":${'['.repeat(20_000)}${']'.repeat(20_000)}}`])
    if (required.includes(field)) {
      const { [field]: _, ...rest } = valid
      bodies.push([field, JSON.stringify(rest)])
    }
  }
  for (const [field, body] of bodies) {
    const answer = await send(walked, tokenFor(declaration), body)
    isRefusal(answer)
    expect(answer.status).toBe(200)
    const named = Object.keys(answer.fields ?? {}).some(name => name === field || name.startsWith(`${field}.`))
    expect(named, `${field} ${JSON.stringify(answer)}`).toBe(true)
  }
})

test.each(paths)('%s refuses a body over 256 KB with 413', async (...walked) => {
  const answer = await send(walked, mine.token, { text: 'x'.repeat(256 * 1024) })
  expect(answer).toMatchObject({ status: 413, code: 60010 })
})

test.each(guarded)("%s finds nothing of another company's and changes nothing there", async (...walked) => {
  const [path, declaration] = walked
  const whole = validInput(path)
  // A list is asked for with the other company's ids as filters, and for all it has.
  for (const input of isGrid(path) ? [whole, inputOfAll(path)] : [whole]) {
    const token = endsSession(path) ? await newToken(declaration) : tokenFor(declaration)
    const answer = await send(walked, token, input)
    expect(answer.status).toBe(200)
    if (isGrid(path)) expect(answer, JSON.stringify(answer)).toMatchObject({ code: 0 })
    else if (theirIds.some(id => JSON.stringify(input).includes(id))) isRefusal(answer)
    const text = JSON.stringify(answer)
    expect(text).not.toContain(marker)
    expect(theirIds.filter(id => text.includes(id))).toEqual([])
  }
  const before = known
  known = await everythingOfTheirs()
  expect(known).toBe(before)
})

test.each(grids)(
  '%s goes on from no place of another company, of another list or of other filters',
  async (...walked) => {
    const [path] = walked
    const input = inputOfAll(path)
    const { data } = await send(walked, theirs.token, { ...input, size: 1 })
    const { next = '' } = data as { next?: string }
    expect(await send(walked, theirs.token, { ...input, page: next })).toMatchObject({ code: 0 })

    const refused = { status: 200, code: 10002, fields: { page: 10002 } }
    expect(await send(walked, mine.token, { ...input, page: next })).toMatchObject(refused)
    for (const other of grids.filter(([other]) => other !== path))
      expect(await send(other, theirs.token, { ...inputOfAll(other[0]), page: next }), other[0]).toMatchObject(refused)
    const { filters = {} } = inputOf(path).properties ?? {}
    for (const name of Object.keys(filters.properties ?? {}).filter(name => !filters.required?.includes(name))) {
      const narrower = { filters: { ...input.filters, [name]: foreign[name] }, page: next }
      expect(await send(walked, theirs.token, narrower), name).toMatchObject(refused)
    }
    for (const page of ['', 'AAAA', next.slice(0, -2), `${next.startsWith('A') ? 'B' : 'A'}${next.slice(1)}`])
      expect(await send(walked, theirs.token, { ...input, page }), page).toMatchObject(refused)
  },
)

test.each(paths.filter(([, { needsTimezone }]) => needsTimezone))(
  '%s needs a zone of its caller that exists',
  async path => {
    const input = JSON.stringify(validInput(path))
    for (const garbage of [undefined, '', ' ', 'Mars/Base', 'Europe', '+25:99', '0', 'x'.repeat(5000)])
      expect(
        await http.send(path, input, {
          'x-token': mine.token,
          ...(garbage !== undefined && { 'x-timezone': garbage }),
        }),
        garbage,
      ).toMatchObject({ status: 200, code: 20001, fields: { 'X-Timezone': 20001 } })
  },
)

test('an unknown path is 404', async () => {
  expect(await http.send('department/destroy', '{}')).toMatchObject({ status: 404, code: 60009 })
  expect(await http.send('nothing/at/all', '{}')).toMatchObject({ status: 404, code: 60009 })
})

test('another major version of the API is refused with 20001', async () => {
  const answer = await http.send('company/get', '{}', { 'x-token': mine.token, 'x-api-version': '3.0' })
  expect(answer).toMatchObject({ code: 20001, fields: { 'X-Api-Version': 20001 } })
})
