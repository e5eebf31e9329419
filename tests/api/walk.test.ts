import { beforeAll, expect, inject, test } from 'vitest'
import type { Path } from '../../shared/api.ts'
import type { Declaration } from '../../shared/contract.ts'
import { errors } from '../../shared/errors.ts'
import { systemRole } from '../../shared/role.ts'
import { canonical } from '../kit/canonical.ts'
import { type Answer, client, eventually, invite, type Registered, register, strongPassword } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { furnish } from '../kit/furnish.ts'
import { inputOf, isCount, isGrid, type Names, paths, sampleInput, wholeGrid } from '../kit/sample.ts'
import { taskEnd } from '../kit/sheet.ts'
import { isShort } from '../kit/tier.ts'

// Calls every declared path as a stranger, without permission, as another company, and with junk. The short tier sends junk in one
// field of each kind, and compares the other company's data once per group of paths.

const http = client(inject('address'))
const zone = eveningZone()
const day = dayIn(zone)
const marker = `Quokka ${Math.random()}`

let mine: Registered
let theirs: Registered
let employeeToken: string
let theirEmployeeToken: string
let powerlessToken: string
/** The other company's things. */
let foreign: Names
/** Every id and serial number the other company knows. */
let theirIds: string[]
/** What the other company saw of itself when somebody last looked. */
let known: string

/** Who of theirs may call a path. */
const theirToken = ({ who }: Declaration) => (who === 'employee' ? theirEmployeeToken : theirs.token)

/** All lists of the other company. Each has at least two rows when the walk begins. */
const listsOfTheirs = async () => {
  const lists = await Promise.all([
    ...grids.map(walked => send(walked, theirToken(walked[1]), wholeGrid(walked[0], foreign))),
    ...(['record/orphan/grid', 'dashboard/today/absent'] as const).map(path => http.ask(path, {}, theirs)),
  ])
  return lists as Answer<{ list: unknown[]; next?: string }>[]
}

const everythingOfTheirs = async () => {
  const signed = { token: theirs.token }
  const single = await Promise.all([
    http.call('company/get', {}, signed),
    http.call('dashboard/info', {}, signed),
    http.call('dashboard/today', {}, signed),
    http.call('dashboard/yesterday', {}, signed),
    http.call('dashboard/history', {}, signed),
  ])
  // The place behind a page is sealed anew each time.
  const lists = (await listsOfTheirs()).map(({ data: { next, ...data }, ...answer }) => ({
    ...answer,
    data: { ...data, isOnePage: next === undefined },
  }))
  return canonical([...lists, ...single])
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

  const { names, employee } = await furnish(http, theirs, { text: marker, zone, day })
  theirEmployeeToken = employee.token
  // What we write ourselves are words of our own.
  foreign = { ...names, text: 'Ours' }
  // The walk looks for changes, so it begins when all is calculated.
  await eventually(listsOfTheirs, lists => {
    for (const [i, { data }] of lists.entries())
      expect(data.list.length, grids[i]?.[0] ?? String(i)).toBeGreaterThanOrEqual(2)
  })
  known = await everythingOfTheirs()
  const ids = (known.match(/"[a-z0-9]{16}"/g) ?? []).map(id => id.slice(1, -1)).filter(id => !systemRole(id))
  theirIds = [...new Set(ids), foreign.serialNumber ?? '', theirs.owner]
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

/** What came of a task of ours, and its file. */
const resultOf = async (task: string) => {
  const told = await taskEnd(http, mine, { task })
  return JSON.stringify(told) + (told.file ? await (await fetch(told.file.url)).text() : '')
}

const guarded = paths.filter(([, { who }]) => who !== 'anyone')
const permitted = guarded.filter(([, { who }]) => who !== 'signedIn')
const grids = paths.filter(([path]) => isGrid(path))
/** The last path of each group. */
const endsGroup = new Set(new Map(guarded.map(([path]) => [path.split('/')[0], path])).values())
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
  const kinds = new Set<string>()
  for (const [field, inner] of Object.entries(properties)) {
    const kind = JSON.stringify([inner, required.includes(field)])
    if (isShort && kinds.has(kind)) continue
    kinds.add(kind)
    const wrong = inner.type === 'string' ? 12.5 : 'wrong'
    bodies.push([field, JSON.stringify({ ...valid, [field]: wrong })])
    bodies.push([field, JSON.stringify({ ...valid, [field]: 'x'.repeat(100_000) })])
    // Half a character, as only an escape can bring one.
    bodies.push([field, JSON.stringify({ ...valid, [field]: 'half \ud800' })])
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
  for (const input of isGrid(path) ? [whole, wholeGrid(path, foreign)] : [whole]) {
    const token = endsSession(path) ? await newToken(declaration) : tokenFor(declaration)
    const answer = await send(walked, token, input)
    expect(answer.status).toBe(200)
    const { task } = Object(answer.data) as { task?: string }
    if (isGrid(path)) expect(answer, JSON.stringify(answer)).toMatchObject({ code: 0 })
    // No day of theirs is added.
    else if (path === 'report/total') expect(JSON.stringify(answer)).not.toMatch(/Minutes":[1-9]/)
    else if (path === 'temperature/summary')
      expect(answer).toMatchObject({ code: 0, data: { measured: 0, high: 0, withoutMask: 0 } })
    else if (isCount(path)) expect([answer.code, Object(answer.data).count ?? 0]).toEqual([0, 0])
    else if (!task && theirIds.some(id => JSON.stringify(input).includes(id))) isRefusal(answer)
    // What is done later is waited for, and what it made is read.
    const text = JSON.stringify(answer) + (task ? await resultOf(task) : '')
    expect(text).not.toContain(marker)
    expect(theirIds.filter(id => text.includes(id))).toEqual([])
  }
  if (isShort && !endsGroup.has(path)) return
  const before = known
  known = await everythingOfTheirs()
  expect(known).toBe(before)
})

test.each(grids)(
  '%s goes on from no place of another company, of another list or of other filters',
  async (...walked) => {
    const [path, declaration] = walked
    const token = theirToken(declaration)
    const [input, whole] = [wholeGrid(path, foreign), validInput(path)]
    const { data } = await send(walked, token, { ...input, size: 1 })
    const { next = '' } = data as { next?: string }
    expect(await send(walked, token, { ...input, page: next })).toMatchObject({ code: 0 })

    const refused = { status: 200, code: 10002, fields: { page: 10002 } }
    expect(await send(walked, tokenFor(declaration), { ...input, page: next })).toMatchObject(refused)
    for (const other of grids.filter(([other]) => other !== path))
      expect(
        await send(other, theirToken(other[1]), { ...wholeGrid(other[0], foreign), page: next }),
        other[0],
      ).toMatchObject(refused)
    const { filters = {} } = inputOf(path).properties ?? {}
    for (const name of Object.keys(filters.properties ?? {}).filter(name => !filters.required?.includes(name))) {
      const narrower = { filters: { ...Object(input.filters), [name]: Object(whole.filters)[name] }, page: next }
      expect(await send(walked, token, narrower), name).toMatchObject(refused)
    }
    for (const page of ['', 'AAAA', next.slice(0, -2), `${next.startsWith('A') ? 'B' : 'A'}${next.slice(1)}`])
      expect(await send(walked, token, { ...input, page }), page).toMatchObject(refused)
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
