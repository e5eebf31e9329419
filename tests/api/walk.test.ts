import { beforeAll, expect, inject, test } from 'vitest'
import type { Path } from '../../shared/api.ts'
import type { Declaration } from '../../shared/contract.ts'
import { errors } from '../../shared/errors.ts'
import { systemRole } from '../../shared/role.ts'
import { canonical } from '../kit/canonical.ts'
import { type Answer, client, eventually, invite, type Registered, register, strongPassword } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { furnish } from '../kit/furnish.ts'
import {
  endsSession,
  inputOf,
  isCount,
  isGrid,
  leavesOut,
  type Names,
  paths,
  sampleInput,
  wholeGrid,
} from '../kit/sample.ts'
import { taskEnd } from '../kit/sheet.ts'
import { isShort } from '../kit/tier.ts'

// Calls every declared path without a session, without permission, with another company’s ids, and with junk. The short
// tier sends junk in one field of each kind. It compares the other company’s data after every fifth group of paths.

const http = client(inject('address'))
const zone = eveningZone()
const day = dayIn(zone)
const marker = `Quokka ${Math.random()}`

let company: Registered
let otherCompany: Registered
let employeeToken: string
let otherEmployeeToken: string
let powerlessToken: string
/** The ids of the other company’s objects. */
let foreign: Names
/** Every id and serial number of the other company. */
let foreignIds: string[]
/** The last state of the other company that the test has read. */
let lastState: string

/** A token of the other company with the permission for the path. */
const otherToken = ({ who }: Declaration) => (who === 'employee' ? otherEmployeeToken : otherCompany.token)

/** All lists of the other company. Each has at least two rows when the walk begins. */
const readForeignLists = async () => {
  const lists = await Promise.all([
    ...grids.map(walked => send(walked, otherToken(walked[1]), wholeGrid(walked[0], foreign))),
    ...(['record/orphan/grid', 'dashboard/today/absent'] as const).map(path => http.ask(path, {}, otherCompany)),
  ])
  return lists as Answer<{ list: unknown[]; next?: string }>[]
}

const readForeignState = async () => {
  const caller = { token: otherCompany.token }
  const single = await Promise.all([
    http.call('company/get', {}, caller),
    http.call('dashboard/info', {}, caller),
    http.call('dashboard/today', {}, caller),
    http.call('dashboard/yesterday', {}, caller),
    http.call('dashboard/history', {}, caller),
  ])
  // The cursor of a page is sealed anew each time.
  const lists = (await readForeignLists()).map(({ data: { next, ...data }, ...answer }) => ({
    ...answer,
    data: { ...data, isOnePage: next === undefined },
  }))
  return canonical([...lists, ...single])
}

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  otherCompany = await register(http, { company_name: marker, timezone: zone })
  const caller = { token: company.token }
  await http.call(
    'employee/add',
    { first_name: 'Emil', last_name: 'E', workno: '7', department: company.department, password: strongPassword },
    caller,
  )
  employeeToken = (
    await http.call('personal/login', { code: company.company_num, workno: '7', password: strongPassword })
  ).token
  const { id: roleId } = await http.call(
    'role/add',
    { name: 'Looks on', permissions: [], departments: [company.department] },
    caller,
  )
  const paul = { first_name: 'Paul', last_name: 'P', workno: '8', department: company.department, role: 2, roleId }
  powerlessToken = (await invite(http, caller, paul)).token

  const { names, employee } = await furnish(http, otherCompany, { text: marker, zone, day })
  otherEmployeeToken = employee.token
  // Every text of this company contains its own marker.
  foreign = { ...names, text: 'Ours' }
  // The walk looks for changes, so it begins after the calculations.
  await eventually(readForeignLists, lists => {
    for (const [i, { data }] of lists.entries())
      expect(data.list.length, grids[i]?.[0] ?? String(i)).toBeGreaterThanOrEqual(2)
  })
  lastState = await readForeignState()
  const ids = (lastState.match(/"[a-z0-9]{16}"/g) ?? []).map(id => id.slice(1, -1)).filter(id => !systemRole(id))
  foreignIds = [...new Set(ids), foreign.serialNumber ?? '', otherCompany.owner]
})

/** A new session on the side of the path. */
const newToken = async ({ who }: Declaration) => {
  const password = strongPassword
  const { token } =
    who === 'employee'
      ? await http.call('personal/login', { code: company.company_num, workno: '7', password })
      : await http.call('user/login', { email: company.email, password })
  return token
}

const expectRefusal = (answer: { status: number; code: number }) => {
  expect(answer.status, JSON.stringify(answer)).toBeLessThan(500)
  expect(answer.code, JSON.stringify(answer)).not.toBe(0)
  expect(String(answer.code) in errors, JSON.stringify(answer)).toBe(true)
}

/** Valid input of a path, with the other company’s ids. */
const validInput = (path: Path) => sampleInput(path, foreign)
const headersFor = (declaration: Declaration, token?: string) => ({
  ...(token && { 'x-token': token }),
  ...(declaration.needsTimezone && { 'x-timezone': zone }),
})
const send = ([path, declaration]: [Path, Declaration], token?: string, input: unknown = validInput(path)) =>
  http.send(path, typeof input === 'string' ? input : JSON.stringify(input), headersFor(declaration, token))
const tokenFor = ({ who }: Declaration) => (who === 'employee' ? employeeToken : company.token)

/** The result of an own task, and its file. */
const resultOf = async (task: string) => {
  const result = await taskEnd(http, company, { task })
  return JSON.stringify(result) + (result.file ? await (await fetch(result.file.url)).text() : '')
}

const guarded = paths.filter(([, { who }]) => who !== 'anyone')
const permitted = guarded.filter(([, { who }]) => who !== 'signedIn')
const grids = paths.filter(([path]) => isGrid(path))
/** The sample data take half a minute. Only the long tier loads and removes them. */
const crossed = guarded.filter(([path]) => !isShort || !path.startsWith('company/sample/'))
/** The last path of every fifth group, and the last path of all. The data cannot change and change back. */
const endsGroups = new Set(
  [...new Map(crossed.map(([path]) => [path.split('/')[0], path])).values()].filter(
    (path, i) => i % 5 === 4 || path === crossed.at(-1)?.[0],
  ),
)
/** The first path of each group: one function serves the group and checks all of its bodies alike. */
const firstOfGroup = [...Map.groupBy(paths, ([path]) => path.split('/')[0]).values()].flatMap(group =>
  group.slice(0, 1),
)

test.each(guarded)('%s refuses a caller without a session with 101', async (...walked) => {
  for (const token of [undefined, 'not-a-token', 'x'.repeat(5000)])
    expect(await send(walked, token)).toMatchObject({ status: 200, code: 101 })
})

test.each(permitted)('%s refuses a caller without permission', async (...walked) => {
  const { who } = walked[1]
  const tokens = who === 'employee' ? [company.token] : [employeeToken]
  if (who === 'administrator' || Array.isArray(who)) tokens.push(powerlessToken)
  for (const token of tokens) expect(await send(walked, token)).toMatchObject({ status: 200, code: 60005 })
})

/** The kinds of fields that received junk. The short tier tries each kind once, at any path. */
const kinds = new Set<string>()

test.each(paths)('%s names the field of junk and never fails', async (...walked) => {
  const [path, declaration] = walked
  const valid = validInput(path)
  const bodies: [field: string, body: string][] = [['surprise', JSON.stringify({ ...valid, surprise: 1 })]]
  if (!isShort || firstOfGroup.includes(walked))
    for (const body of ['{', '[]', '"text"', 'null']) bodies.push(['body', body])
  const { properties = {}, required = [] } = inputOf(path)
  for (const [field, inner] of Object.entries(properties)) {
    const kind = JSON.stringify([inner, required.includes(field)])
    if (isShort && kinds.has(kind)) continue
    kinds.add(kind)
    const invalid = inner.type === 'string' ? 12.5 : 'wrong'
    bodies.push([field, JSON.stringify({ ...valid, [field]: invalid })])
    bodies.push([field, JSON.stringify({ ...valid, [field]: 'x'.repeat(100_000) })])
    // Half a surrogate pair, which only an escape sequence can contain.
    bodies.push([field, JSON.stringify({ ...valid, [field]: 'half \ud800' })])
    bodies.push([field, `{"${field}":${'['.repeat(20_000)}${']'.repeat(20_000)}}`])
    if (required.includes(field)) {
      const { [field]: _, ...incomplete } = valid
      bodies.push([field, JSON.stringify(incomplete)])
    }
  }
  for (const [field, body] of bodies) {
    const answer = await send(walked, tokenFor(declaration), body)
    expectRefusal(answer)
    expect(answer.status).toBe(200)
    const isNamed = Object.keys(answer.fields ?? {}).some(name => name === field || name.startsWith(`${field}.`))
    expect(isNamed, `${field} ${JSON.stringify(answer)}`).toBe(true)
  }
})

test.each(isShort ? firstOfGroup : paths)('%s refuses a body over 256 KB with 413', async (...walked) => {
  const answer = await send(walked, company.token, { text: 'x'.repeat(256 * 1024) })
  expect(answer).toMatchObject({ status: 413, code: 60010 })
})

test.each(crossed)('%s finds no data of another company and changes nothing there', async (...walked) => {
  const [path, declaration] = walked
  const valid = validInput(path)
  // Lists are called with the ids of the other company as filters, and also without these filters.
  for (const input of isGrid(path) ? [valid, wholeGrid(path, foreign)] : [valid]) {
    const token = endsSession(path) ? await newToken(declaration) : tokenFor(declaration)
    const answer = await send(walked, token, input)
    expect(answer.status).toBe(200)
    const { task } = Object(answer.data) as { task?: string }
    if (leavesOut(path)) expect(answer, JSON.stringify(answer)).toMatchObject({ code: 0 })
    // The totals exclude the other company’s days.
    else if (path === 'report/total') expect(JSON.stringify(answer)).not.toMatch(/Minutes":[1-9]/)
    else if (path === 'temperature/summary')
      expect(answer).toMatchObject({ code: 0, data: { measured: 0, high: 0, withoutMask: 0 } })
    else if (isCount(path)) expect([answer.code, Object(answer.data).count ?? 0]).toEqual([0, 0])
    else if (!task && foreignIds.some(id => JSON.stringify(input).includes(id))) expectRefusal(answer)
    // The result of a task could contain foreign data too, so the test waits for the result.
    const text = JSON.stringify(answer) + (task ? await resultOf(task) : '')
    expect(text).not.toContain(marker)
    expect(foreignIds.filter(id => text.includes(id))).toEqual([])
  }
  if (isShort && !endsGroups.has(path)) return
  const before = lastState
  lastState = await readForeignState()
  expect(lastState).toBe(before)
})

test.each(grids)('%s rejects a cursor of another company, of another list or of other filters', async (...walked) => {
  const [path, declaration] = walked
  const token = otherToken(declaration)
  const [input, valid] = [wholeGrid(path, foreign), validInput(path)]
  const { data } = await send(walked, token, { ...input, size: 1 })
  const { next = '' } = data as { next?: string }
  expect(await send(walked, token, { ...input, page: next })).toMatchObject({ code: 0 })

  const refused = { status: 200, code: 10002, fields: { page: 10002 } }
  expect(await send(walked, tokenFor(declaration), { ...input, page: next })).toMatchObject(refused)
  const others = grids.filter(([otherGrid]) => otherGrid !== path)
  // The short tier tries the lists after this one, because every list checks its cursors in the same code.
  const at = grids.findIndex(([grid]) => grid === path)
  for (const otherGrid of isShort ? [...others, ...others].slice(at, at + 5) : others)
    expect(
      await send(otherGrid, otherToken(otherGrid[1]), { ...wholeGrid(otherGrid[0], foreign), page: next }),
      otherGrid[0],
    ).toMatchObject(refused)
  const { filters = {} } = inputOf(path).properties ?? {}
  for (const [name, { default: usual }] of Object.entries(filters.properties ?? {})) {
    // The usual value of a filter asks for the same list.
    if (filters.required?.includes(name) || (usual !== undefined && usual === Object(valid.filters)[name])) continue
    const narrower = { filters: { ...Object(input.filters), [name]: Object(valid.filters)[name] }, page: next }
    expect(await send(walked, token, narrower), name).toMatchObject(refused)
  }
  for (const page of ['', 'AAAA', next.slice(0, -2), `${next.startsWith('A') ? 'B' : 'A'}${next.slice(1)}`])
    expect(await send(walked, token, { ...input, page }), page).toMatchObject(refused)
})

test.each(paths.filter(([, { needsTimezone }]) => needsTimezone))(
  '%s requires an existing time zone of the caller',
  async path => {
    const input = JSON.stringify(validInput(path))
    for (const invalidZone of [undefined, '', ' ', 'Mars/Base', 'Europe', '+25:99', '0', 'x'.repeat(5000)])
      expect(
        await http.send(path, input, {
          'x-token': company.token,
          ...(invalidZone !== undefined && { 'x-timezone': invalidZone }),
        }),
        invalidZone,
      ).toMatchObject({ status: 200, code: 20001, fields: { 'X-Timezone': 20001 } })
  },
)

test('an unknown path is 404', async () => {
  expect(await http.send('department/destroy', '{}')).toMatchObject({ status: 404, code: 60009 })
  expect(await http.send('nothing/at/all', '{}')).toMatchObject({ status: 404, code: 60009 })
})

test('the API rejects another major version with 20001', async () => {
  const answer = await http.send('company/get', '{}', { 'x-token': company.token, 'x-api-version': '3.0' })
  expect(answer).toMatchObject({ code: 20001, fields: { 'X-Api-Version': 20001 } })
})
