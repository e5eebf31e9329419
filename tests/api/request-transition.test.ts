import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { companyKey } from '../../shared/company.ts'
import { addDays } from '../../shared/local-day.ts'
import {
  type LeaveRequest,
  type OvertimeRequest,
  type Request,
  type RequestStatus,
  type RequestStep,
  requestKey,
  requestListPk,
} from '../../shared/request.ts'
import { companyPrefix } from '../../shared/table.ts'
import { client, invite, type Registered, register, strongPassword } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { openTable } from '../kit/table.ts'

// Tests the transition table of requests, line by line. Each actor tries to move a request from each state to each
// other state. The test plants each request in the line’s starting state.

const states = ['pending', 'two', 'half', 'approved', 'declined', 'cancelled'] as const
const whens = ['ahead', 'begun', 'locked'] as const
const movers = [
  ...(['requester', 'own', 'approver', 'stand-in', 'first', 'stand-in of first', 'elsewhere', 'powerless'] as const),
]
type State = (typeof states)[number]
type When = (typeof whens)[number]
type Mover = (typeof movers)[number]

const lines = readFileSync(new URL('../given/request-transitions.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter(line => line !== '' && !line.startsWith('#'))
  .map(line => {
    const [, state, when, mover = '', numbers = ''] = /^(\w+) +(\w+) +([a-z -]*[a-z]) +(.*)$/.exec(line) ?? []
    return {
      state: state as State,
      when: when as When,
      mover: mover as Mover,
      answers: numbers.split(/ +/).map(Number),
    }
  })

const zone = eveningZone()
const today = dayIn(zone)
const lockedTo = addDays(today, -10)
const dayOf: Record<When, string> = { ahead: addDays(today, 1), begun: today, locked: addDays(lockedTo, -1) }
const stored: Record<State, RequestStatus> = { pending: 0, two: 0, half: 0, approved: 1, declined: 2, cancelled: 3 }

const world = openTable(inject('endpoint'))
const http = client(inject('address'))
let company: Registered
const tokens = {} as Record<Mover, string>
const ids = {} as Record<Mover, string>
let count = 0

const plant = async (state: State, when: When) => {
  const day = dayOf[when]
  const id = `${day}-${String(++count).padStart(16, '0')}`
  const at = new Date().toISOString()
  const first: RequestStep = { status: 1, by: ids.first, at }
  const common = {
    ...{ id, employee: ids.requester, status: stored[state], day, toDay: day, zone, createdAt: at },
    steps: state === 'half' ? [first] : [],
  }
  // Overtime needs two approvals, and leave needs one.
  const request: LeaveRequest | OvertimeRequest =
    state === 'two' || state === 'half'
      ? { ...common, type: 3, from: `${day}T20:00:00.000Z`, to: `${day}T21:00:00.000Z` }
      : { ...common, type: 2, leaveType: 3, total: { days: 1, minutes: 480 } }
  const prefix = companyPrefix(company.company)
  const { pk, sk } = requestKey(request)
  const place = { dayPk: prefix + requestListPk(request.status), daySk: sk }
  await world.plant({ ...request, pk: prefix + pk, sk, ...place, version: 1 })
  return request
}

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  const boss = { token: company.token }
  const { id: department } = await http.call('department/add', { name: 'Here', parent: company.department }, boss)
  const { id: other } = await http.call('department/add', { name: 'There', parent: company.department }, boss)
  let workno = 100
  const manager = async (mover: Mover, department: string, permissions: number[]) => {
    const { id: roleId } = await http.call('role/add', { name: mover, permissions, departments: [department] }, boss)
    const person = { first_name: mover, last_name: 'M', workno: String(++workno), department, role: 2, roleId }
    const invited = await invite(http, boss, person)
    Object.assign(tokens, { [mover]: invited.token })
    Object.assign(ids, { [mover]: invited.id })
    return invited
  }
  const requester = await manager('own', department, [10])
  ids.requester = requester.id
  const { token } = await http.call('user/login', { email: requester.email, password: strongPassword })
  tokens.requester = (await http.call('personal/login/switch', {}, { token })).token
  await manager('approver', department, [10])
  await manager('first', department, [10])
  await manager('stand-in', other, [10])
  await manager('stand-in of first', other, [10])
  await manager('elsewhere', other, [10])
  await manager('powerless', department, [1, 2, 3, 5, 6, 7, 8, 9, 11])
  const days = { from: today, to: addDays(today, 1) }
  for (const [absent, delegate] of [
    ['approver', 'stand-in'],
    ['first', 'stand-in of first'],
  ] as const) {
    // A delegate must be visible to the absent manager, so both share a department for a moment.
    const { id: roleId } = await http.call(
      'role/add',
      { name: `both ${delegate}`, permissions: [10], departments: [department, other] },
      boss,
    )
    await http.call('role/update/user', { id: roleId, add: [ids[delegate]] }, boss)
    await http.call('approve/delegate/update', { employee: ids[delegate], ...days }, { token: tokens[absent] })
    const role = (await http.call('role/grid', {}, boss)).list.find(({ id }) => id === roleId)
    const update = { id: roleId, version: role?.version ?? 0, permissions: [10], departments: [other] }
    await http.call('role/update/item', update, boss)
  }
  const { version } = await http.call('approve/params', {}, boss)
  await http.call('approve/params/update', { version, secondStep: [3] }, boss)
  await world.set(companyKey(), { lockedTo }, company.company)
})
afterAll(() => world.close())

test('the table has a line for each state, time and actor', () => {
  const isPossible = (state: State, mover: Mover) => !mover.includes('first') || state === 'half'
  const all = states.flatMap(state =>
    whens.flatMap(when => movers.flatMap(mover => (isPossible(state, mover) ? `${state} ${when} ${mover}` : []))),
  )
  expect(lines.map(({ state, when, mover }) => `${state} ${when} ${mover}`).sort()).toEqual(all.sort())
  for (const { answers } of lines) expect(answers).toHaveLength(4)
})

describe.each(states)('from %s', from => {
  const expectAnswers = async ({ when, mover, answers }: (typeof lines)[number]) => {
    const move = async (expected: number, to: number) => {
      const request = await plant(from, when)
      const { employee, id } = request
      const label = `${from} ${when} ${mover} → ${to}`
      const isOwnCancel = mover === 'requester' && to === 3
      const answer = await http.send(
        isOwnCancel ? 'personal/request/cancel' : 'approve/update',
        JSON.stringify(isOwnCancel ? { id } : { requests: [{ employee, id }], status: to }),
        { 'x-token': tokens[mover] },
      )
      const after = await world.look<Request>(requestKey(request), company.company)
      if (expected > 3) {
        expect(answer, label).toMatchObject({ status: 200, code: expected })
        const field = isOwnCancel ? 'id' : to === 0 ? 'status' : 'requests.0'
        if (expected !== 60005) expect(answer.fields, label).toEqual({ [field]: expected })
        expect(after, label).toEqual({ ...request, version: 1 })
      } else {
        expect(answer, label).toMatchObject({ status: 200, code: 0 })
        const delegators = { 'stand-in': ids.approver, 'stand-in of first': ids.first } as Partial<
          Record<Mover, string>
        >
        const step = {
          ...{ status: to, by: ids[mover], at: expect.any(String) },
          ...(delegators[mover] && { onBehalfOf: delegators[mover] }),
        }
        const expectedItem = { ...request, status: expected, steps: [...request.steps, step], version: 2 }
        expect(after, label).toEqual(expectedItem)
      }
    }
    await Promise.all(answers.map(move))
  }
  const own = lines.filter(({ state }) => state === from)
  test.each(own.filter(({ when }) => when === 'ahead'))('$when, by $mover', expectAnswers)
  test.each(own.filter(({ when }) => when !== 'ahead'))('$when, by $mover', { tags: 'long' }, expectAnswers)
})
