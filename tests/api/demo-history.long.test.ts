import { afterAll, beforeAll, expect, test } from 'vitest'
import { gateSerialNumber } from '../../infra/local/demo.ts'
import { api, type Path, type PathCall } from '../../shared/api.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { client, eventually, type Signed } from '../kit/client.ts'
import { type Stack, startStack } from '../kit/stack.ts'

// The demo company of `npm start` fills every list, on each day.

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ demo: true })
}, 60_000)
afterAll(() => stack.stop())

const password = 'Demo#2026'
const today = localDay(Intl.DateTimeFormat().resolvedOptions().timeZone, Date.now())
const range = { from: addDays(today, -29), to: addDays(today, 1) }
const coming = { from: today, to: addDays(today, 14) }

/** The input of a list that requires one. */
const inputs: { [P in Path]?: PathCall<P> } = {
  'device/command/grid': { filters: { serialNumber: gateSerialNumber } },
  'device/log/grid': { filters: { serialNumber: gateSerialNumber } },
  'device/user/grid': { filters: { serialNumber: gateSerialNumber } },
  'exception/grid': { filters: range },
  'holiday/all': { from: `${today.slice(0, 4)}-01-01`, to: `${today.slice(0, 4)}-12-31` },
  'leave/balance/grid': { filters: { year: Number(today.slice(0, 4)) } },
  'leave/calendar': { filters: coming },
  'record/grid': { filters: range },
  'report/grid': { filters: range },
  'schedule/grid': { filters: coming },
  'temperature/grid': { filters: range },
}

/**
 * An erasure only waits for terminals that hold a person, and no person of the demo asks for one. The views of a person
 * are no list of the company.
 */
const empty: Path[] = ['employee/erase/grid', 'user/view/all']
const isList = (path: string): path is Path => /\/(grid|all)$/.test(path) || path === 'leave/calendar'
const lists = (Object.keys(api) as string[]).filter(isList).filter(path => !empty.includes(path))

/** The path if its list is empty or refused. */
const findProblem = async (path: Path, input: object, by: Signed): Promise<string | undefined> => {
  const answer = await client(stack.address).ask(path, input as PathCall<Path>, by)
  if (answer.code !== 0) return `${path} ${answer.code} ${JSON.stringify(answer.fields)}`
  return (answer.data as { list: unknown[] }).list.length > 0 ? undefined : path
}

test('every list of the demo company has a row, for the administrator and for the employee', {
  timeout: 240_000,
}, async () => {
  const http = client(stack.address)
  const admin = { token: (await http.call('user/login', { email: 'demo@example.com', password })).token }
  const form = { code: '10000001', workno: '4', password }
  const employee = { token: (await http.call('personal/login', form)).token }
  const [shift] = (await http.call('shift/all', {}, admin)).list
  const webhook = async () => (await http.call('webhooks/endpoint/grid', {}, admin)).list[0]?.id ?? ''
  const inputOf = async (path: Path): Promise<object> => {
    if (path === 'shift/version/grid') return { filters: { id: shift?.id } }
    if (path === 'webhooks/log/grid') return { filters: { webhook: await webhook() } }
    if (path === 'personal/record/all') return { from: range.from, to: today }
    return inputs[path] ?? {}
  }
  expect(lists.length).toBeGreaterThan(35)
  const findEmpty = async () => {
    const found: string[] = []
    for (const path of lists) {
      const problem = await findProblem(path, await inputOf(path), path.startsWith('personal/') ? employee : admin)
      if (problem !== undefined) found.push(problem)
    }
    return found
  }
  // The history arrives in the background.
  await eventually(findEmpty, found => expect(found).toEqual([]), 180)
  const device = await http.call('device/grid', {}, admin)
  expect(device.list.find(({ serialNumber }) => serialNumber === gateSerialNumber)).toMatchObject({ state: 'bound' })
  expect((await http.call('dashboard/info', {}, admin)).device_online_num).toBe(1)
  const people = await http.call('employee/grid', { size: 200 }, admin)
  expect(people.list.filter(({ photo }) => photo !== undefined)).toHaveLength(21)
  expect(stack.said()).not.toMatch(/^!/m)
})

test('requests wait for the administrator and for the manager of Production, and people are away today', {
  timeout: 120_000,
}, async () => {
  const http = client(stack.address)
  const tokenOf = async (email: string) => ({ token: (await http.call('user/login', { email, password })).token })
  const [admin, manager] = [await tokenOf('demo@example.com'), await tokenOf('grace@example.com')]
  const waiting = async (by: Signed) => (await http.call('approve/count', {}, by)).count
  await eventually(
    () => waiting(admin),
    count => expect(count).toBe(7),
    120,
  )
  await eventually(
    () => waiting(manager),
    count => expect(count).toBe(4),
    60,
  )
  const { list } = await http.call('leave/calendar', { filters: { from: today, to: today } }, admin)
  expect(list.length).toBeGreaterThan(0)
})

test('each sign-in that the local sign-in page offers works', async () => {
  const signIns = await (await fetch(`${stack.address}/demo/sign-ins.json`)).json()
  expect(signIns.map(({ kind }: { kind: string }) => kind)).toEqual([
    ...['administrator', 'manager', 'employee', 'reports'],
  ])
  const http = client(stack.address)
  for (const { email, code, workno } of signIns) {
    const { token } = email
      ? await http.call('user/login', { email, password })
      : await http.call('personal/login', { code, workno, password })
    expect(token).toBeTypeOf('string')
  }
})
