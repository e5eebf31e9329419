import { beforeAll, expect, inject, test } from 'vitest'
import * as z from 'zod'
import { api, type Path } from '../../shared/api.ts'
import type { Declaration } from '../../shared/contract.ts'
import { errors } from '../../shared/errors.ts'
import { client, type Registered, register, strongPassword } from '../client.ts'

// Every declared path, walked by strangers, by people without permission, by another company, and by junk.

const http = client(inject('address'))
const paths = Object.entries(api as Record<string, Declaration>) as [Path, Declaration][]

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Schema = { [name: string]: unknown } & {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
}
const inputSchema = ({ input }: Declaration) =>
  z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as unknown as Schema

/** The other company's things, by the names parameters give them. */
interface Foreign {
  [name: string]: string
}
const idPattern = '^[a-z0-9]{16}$'

/** A value a schema accepts, with another company's ids wherever an id is asked for. */
const sample = (name: string, schema: Schema, foreign: Foreign): Json => {
  if (schema.const !== undefined) return schema.const as Json
  if (Array.isArray(schema.enum)) return schema.enum[0] as Json
  if (schema.anyOf?.[0]) return sample(name, schema.anyOf[0], foreign)
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, inner]) => [key, sample(key, inner, foreign)]),
      )
    case 'array':
      return [sample(name.replace(/s$/, ''), schema.items ?? {}, foreign)]
    case 'integer':
    case 'number':
      return Number(schema.minimum ?? 0) > 0 ? Number(schema.minimum) : 1
    case 'boolean':
      return true
    default:
      if (schema.pattern === idPattern || name === 'serialNumber') return foreign[name] ?? foreign.employee ?? ''
      if (schema.format === 'date') return '2099-01-01'
      if (name === 'email') return 'nobody@example.com'
      if (name === 'timezone') return 'Europe/Athens'
      if (/password/.test(name)) return strongPassword
      if (/Duty|punchStart|punchEnd|start|end/.test(name))
        return (
          { onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00', start: '12:00', end: '13:00' }[
            name
          ] ?? '09:00'
        )
      if (name === 'page') return 'AAAA'
      return name === 'code' ? '123456' : '4711'
  }
}

const marker = `Quokka ${Math.random()}`
let mine: Registered
let theirs: Registered
let employeeToken: string
let powerlessToken: string
let foreign: Foreign

const shift = { name: marker, onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00' }

beforeAll(async () => {
  ;[mine, theirs] = [await register(http), await register(http, { company_name: marker })]
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
  const email = `powerless-${Date.now()}@example.com`
  await http.call(
    'employee/add',
    {
      first_name: 'Paul',
      last_name: 'P',
      workno: '8',
      department: mine.department,
      email,
      role: 2,
      roleId,
      password: strongPassword,
    },
    signed,
  )
  powerlessToken = (await http.call('user/login', { email, password: strongPassword })).token

  const theirsSigned = { token: theirs.token }
  const { id: department } = await http.call('department/add', { name: marker.slice(1) }, theirsSigned)
  const { id: theirShift } = await http.call('shift/add', shift, theirsSigned)
  const { id: role } = await http.call(
    'role/add',
    { name: marker, permissions: [1], departments: [department] },
    theirsSigned,
  )
  const { id: employee } = await http.call(
    'employee/add',
    { first_name: marker, last_name: 'Q', workno: '12', department },
    theirsSigned,
  )
  const serialNumber = `WALK${Date.now()}`
  await http.call('device/add', { serialNumber, name: marker, department }, theirsSigned)
  foreign = { department, parent: department, shift: theirShift, role, roleId: role, employee, serialNumber }
})

/** What the other company sees of itself, all lists. */
const everythingOfTheirs = async () => {
  const signed = { token: theirs.token }
  const lists = await Promise.all([
    http.call('department/grid', {}, signed),
    http.call('employee/grid', {}, signed),
    http.call('shift/grid', {}, signed),
    http.call('role/grid', {}, signed),
    http.call('device/grid', {}, signed),
    http.call('schedule/grid', { filters: { from: '2099-01-01', to: '2099-01-31' } }, signed),
    http.call('company/get', {}, signed),
  ])
  return JSON.stringify(lists)
}

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

const schemas = new Map(paths.map(([path, declaration]) => [path, inputSchema(declaration)]))
/** What a path accepts, with the other company's ids. */
const validInput = (path: Path) =>
  sample('', schemas.get(path) ?? {}, {
    ...foreign,
    id: foreign[path.split('/')[0] ?? ''] ?? theirs.company,
  }) as { [name: string]: Json }
const headersFor = (declaration: Declaration, token?: string) => ({
  ...(token && { 'x-token': token }),
  ...(declaration.needsTimezone && { 'x-timezone': 'Europe/Athens' }),
})
const send = ([path, declaration]: [Path, Declaration], token?: string, input: unknown = validInput(path)) =>
  http.send(path, typeof input === 'string' ? input : JSON.stringify(input), headersFor(declaration, token))
const tokenFor = ({ who }: Declaration) => (who === 'employee' ? employeeToken : mine.token)

const guarded = paths.filter(([, { who }]) => who !== 'anyone')
const permitted = guarded.filter(([, { who }]) => who !== 'signedIn')
/** These end the session they are called with, so each gets one of its own. */
const endsSession = (path: Path) =>
  path === 'user/login/off' || path.endsWith('/login/switch') || path === 'company/select'

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
  const { properties = {}, required = [] } = schemas.get(path) ?? {}
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
  const before = await everythingOfTheirs()
  const token = endsSession(path) ? await newToken(declaration) : tokenFor(declaration)
  const input = validInput(path)
  const answer = await send(walked, token, input)
  expect(answer.status).toBe(200)
  expect(JSON.stringify(answer)).not.toContain(marker)
  const namesTheirs = Object.values(foreign).some(id => JSON.stringify(input).includes(id))
  if (namesTheirs && !/\/(grid|all)$/.test(path)) isRefusal(answer)
  expect(await everythingOfTheirs()).toBe(before)
})

test('an unknown path is 404', async () => {
  expect(await http.send('department/destroy', '{}')).toMatchObject({ status: 404, code: 60009 })
  expect(await http.send('nothing/at/all', '{}')).toMatchObject({ status: 404, code: 60009 })
})

test('another major version of the API is refused with 20001', async () => {
  const answer = await http.send('company/get', '{}', { 'x-token': mine.token, 'x-api-version': '3.0' })
  expect(answer).toMatchObject({ code: 20001, fields: { 'X-Api-Version': 20001 } })
})
