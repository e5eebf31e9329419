import { beforeAll, describe, expect, inject, test } from 'vitest'
import { addDays, localDay } from '../../shared/local-day.ts'
import { client, register, type Signed, strongPassword } from '../kit/client.ts'

// Employees see the leave of their colleagues, if the company allows it.

const http = client(inject('address'))
const zone = 'Europe/Athens'
const headers = { 'x-timezone': zone }
const dayIn = (days: number) => addDays(localDay(zone, Date.now()), days)

let boss: Signed
let signIn: (workno: string) => Promise<Signed>
const ids: Record<string, string> = {}

const enter = (workno: string, leaveType: number, from: number, to: number) =>
  http.call(
    'leave/add',
    { employees: [ids[workno] ?? ''], leaveType, date: dayIn(from), toDate: dayIn(to), isAllDay: true },
    boss,
  )
const share = async (showsColleaguesAway: boolean) => {
  const { version, rules } = await http.call('leave/params', {}, boss)
  await http.call('leave/params/update', { version, rules, showsColleaguesAway }, boss)
}
const awayFor = async (workno: string) => {
  const { list } = await http.call('personal/team', {}, await signIn(workno))
  return list.map(({ last_name, date, toDate }) => [last_name, date, toDate])
}

/** A company with two people in the office, two in the works, and one in both. */
const openCompany = async () => {
  const company = await register(http, { timezone: zone })
  const signed = { token: company.token, headers }
  const department = async (name: string) => (await http.call('department/add', { name }, signed)).id
  return { company, signed, office: await department('Office'), works: await department('Works') }
}

beforeAll(async () => {
  const { company, signed, office, works } = await openCompany()
  boss = signed
  for (const [workno, department, departments] of [
    ['11', office],
    ['12', office],
    ['13', works],
    ['14', works],
    ['15', works, [office]],
  ] as const) {
    const person = { first_name: 'E', last_name: workno, workno, department, password: strongPassword }
    const form = { ...person, ...(departments && { departments: [...departments] }) }
    ids[workno] = (await http.call('employee/add', form, boss)).id
  }
  // Leave needs scheduled days, also on weekends.
  const times = { onDuty: '09:00', offDuty: '17:00', punchStart: '07:00', punchEnd: '20:00', breaks: [] }
  const { id: shift } = await http.call('shift/add', { name: 'Day', ...times }, boss)
  const days = Array.from({ length: 22 }, (_, i) => dayIn(i))
  await http.call('schedule/add', { employees: Object.values(ids), days, shift }, boss)
  signIn = async workno => {
    const form = { code: company.company_num, workno, password: strongPassword }
    return { token: (await http.call('personal/login', form)).token, headers }
  }
  await enter('11', 3, 1, 2)
  await enter('12', 3, 3, 5)
  await enter('12', 2, 6, 7)
  await enter('12', 3, 20, 21)
  await enter('13', 3, -2, 0)
  await enter('15', 3, 13, 16)
  const ask = { leaveType: 3, date: dayIn(4), toDate: dayIn(4), isAllDay: true }
  await http.call('personal/request/leave/add', ask, await signIn('14'))
})

describe('who is away', () => {
  test('shows nothing until an administrator allows it, and the audit records the change', async () => {
    const { isAllowed, list } = await http.call('personal/team', {}, await signIn('11'))
    expect({ isAllowed, list }).toEqual({ isAllowed: false, list: [] })
    await share(true)
    expect(await http.call('personal/team', {}, await signIn('11'))).toMatchObject({
      ...{ isAllowed: true, from: dayIn(0), to: dayIn(13) },
    })
    const { list: entries } = await http.call('audit/grid', { filters: {}, size: 1 }, boss)
    expect(entries[0]).toMatchObject({ path: 'leave/params/update' })
    expect(JSON.stringify(entries[0])).toContain('showsColleaguesAway')
  })

  test('lists approved leave of colleagues in the own departments only, without the own leave', async () => {
    await share(true)
    expect(await awayFor('11')).toEqual([
      ['12', dayIn(3), dayIn(7)],
      ['15', dayIn(13), dayIn(16)],
    ])
    expect(await awayFor('14')).toEqual([
      ['13', dayIn(-2), dayIn(0)],
      ['15', dayIn(13), dayIn(16)],
    ])
    expect((await awayFor('15')).map(([name]) => name)).toEqual(['13', '11', '12'])
  })

  test('tells no type, and joins leaves of different types on consecutive days', async () => {
    await share(true)
    const { list } = await http.call('personal/team', {}, await signIn('11'))
    expect(list[0]).toEqual({
      ...{ first_name: 'E', last_name: '12', date: dayIn(3), toDate: dayIn(7), isPartDay: false },
    })
  })

  test('stays on if a caller saves the allowances alone, and is off again after an administrator turns it off', async () => {
    await share(true)
    const { version, rules } = await http.call('leave/params', {}, boss)
    await http.call('leave/params/update', { version, rules }, boss)
    expect((await http.call('leave/params', {}, boss)).showsColleaguesAway).toBe(true)
    await share(false)
    expect(await awayFor('11')).toEqual([])
  })

  test('shows nobody of another company', async () => {
    await share(true)
    const other = await openCompany()
    const form = { first_name: 'O', last_name: 'O', workno: '11', department: other.office, password: strongPassword }
    await http.call('employee/add', form, other.signed)
    const { version, rules } = await http.call('leave/params', {}, other.signed)
    await http.call('leave/params/update', { version, rules, showsColleaguesAway: true }, other.signed)
    const signed = await http.call('personal/login', {
      ...{ code: other.company.company_num, workno: '11', password: strongPassword },
    })
    const { isAllowed, list } = await http.call('personal/team', {}, { token: signed.token, headers })
    expect({ isAllowed, list }).toEqual({ isAllowed: true, list: [] })
  })
})
