import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { daysBetween } from '../../shared/local-day.ts'
import type { Permission } from '../../shared/permissions.ts'
import { client, invite, type Registered, register, type Signed, strongPassword } from '../kit/client.ts'

// Leave on the schedule board: who sees what, and who counts as present.

const http = client(inject('address'))
const range = { from: '2098-03-30', to: '2098-04-03' }
let owner: Registered
let shift: string
const ids: Record<string, string> = {}
/** Planners of the department Works, by whether they have a permission for leave. */
let planners: Record<'bare' | 'approver', Signed>

const leavesOf = async (caller: Signed, filters: object = {}) => {
  const { list } = await http.call('schedule/grid', { filters: { ...range, ...filters } }, caller)
  return Object.fromEntries(list.map(({ first_name, leaves }) => [first_name, leaves]))
}

beforeAll(async () => {
  owner = await register(http)
  const works = (await http.call('department/add', { name: 'Works' }, owner)).id
  const [anna, bert, cleo, dora] = ['Anna', 'Bert', 'Cleo', 'Dora']
  for (const [i, first_name] of [anna, bert, cleo, dora].entries()) {
    const department = first_name === dora ? owner.department : works
    const form = { first_name, last_name: 'X', workno: String(11 + i), department, password: strongPassword }
    ids[first_name ?? ''] = (await http.call('employee/add', form, owner)).id
  }
  const invitePlanner = async (workno: string, permissions: Permission[]) => {
    const { id: roleId } = await http.call('role/add', { name: workno, permissions, departments: [works] }, owner)
    const form = { first_name: 'M', last_name: workno, workno, department: owner.department, role: 2 as const, roleId }
    return invite(http, owner, form)
  }
  planners = { bare: await invitePlanner('20', [7]), approver: await invitePlanner('21', [7, 10]) }
  const times = { punchStart: '05:00', onDuty: '06:00', offDuty: '14:00', punchEnd: '15:00' }
  shift = (await http.call('shift/add', { name: 'Early', ...times }, owner)).id
  const days = daysBetween(range.from, range.to)
  await http.call('schedule/update', { employees: Object.values(ids), days, shift }, owner)
  const enter = (name: string, form: Pick<PathCall<'leave/add'>, 'date' | 'toDate' | 'isAllDay' | 'from' | 'to'>) =>
    http.call('leave/add', { employees: [ids[name] ?? ''], leaveType: 2, ...form }, owner)
  await enter('Anna', { date: '2098-03-25', toDate: '2098-03-31', isAllDay: true })
  await enter('Bert', { date: '2098-03-31', isAllDay: false, from: '06:00', to: '10:00' })
  await enter('Dora', { date: '2098-03-31', toDate: '2098-04-01', isAllDay: true })
  const { token } = await http.call('personal/login', {
    code: owner.company_num,
    workno: '13',
    password: strongPassword,
  })
  const asked = { leaveType: 3, date: '2098-04-02', toDate: '2098-04-20', isAllDay: true }
  await http.call('personal/request/leave/add', asked, { token })
})

describe('the schedule board', () => {
  test('shows approved and pending leave that touches its days, and marks leave by the hour', async () => {
    const { Anna, Bert, Cleo } = await leavesOf(owner)
    expect(Anna).toMatchObject([{ status: 1, leaveType: 2, date: '2098-03-25', toDate: '2098-03-31' }])
    expect(Anna?.[0]).not.toHaveProperty('from')
    expect(Bert).toMatchObject([{ status: 1, date: '2098-03-31', from: expect.any(String), to: expect.any(String) }])
    expect(Cleo).toMatchObject([{ status: 0, leaveType: 3, date: '2098-04-02', toDate: '2098-04-20' }])
    expect((await leavesOf(owner, { from: '2098-04-01' })).Anna).toEqual([])
  })

  test('shows the type of leave only to planners with a permission for leave, and only people of their departments', async () => {
    const [bare, approver] = [await leavesOf(planners.bare), await leavesOf(planners.approver)]
    expect(Object.keys(bare)).toEqual(['Anna', 'Bert', 'Cleo'])
    expect(bare.Anna).toMatchObject([{ status: 1, date: '2098-03-25' }])
    for (const [leave] of Object.values(bare)) expect(leave).not.toHaveProperty('leaveType')
    expect(approver.Anna).toMatchObject([{ leaveType: 2 }])
  })
})

describe('schedule/summary', () => {
  const countsOf = async (caller: Signed) => {
    const { list, away } = await http.call('schedule/summary', range, caller)
    const of = (entries: { day: string; employees: number }[]) =>
      entries.map(({ day, employees }) => [day.slice(5), employees])
    return { work: of(list), away: of(away) }
  }

  test('counts neither work nor shift of people on approved leave for the whole day', async () => {
    expect(await countsOf(owner)).toEqual({
      work: [
        ['03-30', 3],
        ['03-31', 2],
        ['04-01', 3],
        ['04-02', 4],
        ['04-03', 4],
      ],
      away: [
        ['03-30', 1],
        ['03-31', 2],
        ['04-01', 1],
      ],
    })
  })

  test('counts absent people of the caller’s departments only', async () => {
    expect((await countsOf(planners.bare)).away).toEqual([
      ['03-30', 1],
      ['03-31', 1],
    ])
  })
})
