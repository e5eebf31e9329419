import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, type Registered, register, strongPassword } from '../client.ts'
import { dayIn, eveningZone } from '../evening.ts'
import { jpeg } from '../picture.ts'
import { upload } from '../upload.ts'

// What people ask for, for themselves: what may be asked, what is refused and why, and what becomes of their days.

const http = client(inject('address'))
const zone = eveningZone()
const day = dayIn(zone)
const password = strongPassword

let company: Registered
let boss: { token: string; headers: Record<string, string> }
let shift: string
let workno = 100

/** Somebody new, scheduled 05:00 to 13:00 on these days, signed in on their own side. */
const somebody = async (days: string[] = [day], more: Partial<PathCall<'employee/add'>> = {}) => {
  const number = String(++workno)
  const person = { first_name: 'E', last_name: number, workno: number, department: company.department, password }
  const { id } = await http.call('employee/add', { ...person, ...more }, boss)
  if (days.length > 0) await http.call('schedule/add', { employees: [id], days, shift }, boss)
  const { token } = await http.call('personal/login', { code: company.company_num, workno: number, password })
  return { id, workno: number, token }
}

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  boss = { token: company.token, headers: { 'x-timezone': zone } }
  const form = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '15:00' }
  const breaks = [{ start: '08:00', end: '10:00', durationMinutes: 30, thresholdMinutes: 0 }]
  shift = (await http.call('shift/add', { name: 'Early', ...form, breaks }, boss)).id
})

describe('a request', () => {
  test('of each kind is asked for, listed with its instants, and taken back', async () => {
    const tomorrow = addDays(day, 1)
    const me = await somebody([day, tomorrow])
    const punch = await http.call(
      'personal/request/shift/add',
      { date: day, time: '13:02', inout: 1, notes: 'Forgot' },
      me,
    )
    const leave = await http.call(
      'personal/request/leave/add',
      { leaveType: 3, date: tomorrow, isAllDay: false, from: '05:00', to: '08:45' },
      me,
    )
    const overtime = await http.call(
      'personal/request/overtime/add',
      { date: tomorrow, from: '22:00', to: '01:00+1' },
      me,
    )
    const { list, count } = await http.call('personal/request/grid', {}, me)
    expect(count).toBe(3)
    expect(list.map(({ id }) => id).sort()).toEqual([punch.id, leave.id, overtime.id].sort())
    const at = (date: string, time: string) => new Date(Date.parse(`${date}T${time}:00Z`) - offset()).toISOString()
    expect(list.find(({ id }) => id === punch.id)).toMatchObject({
      ...{
        type: 1,
        status: 0,
        date: day,
        toDate: day,
        timezone: zone,
        at: at(day, '13:02'),
        inout: 1,
        notes: 'Forgot',
      },
      ...{ workno: me.workno, steps: [], commentCount: 0, attachmentCount: 0, mayCancel: true },
    })
    expect(list.find(({ id }) => id === leave.id)).toMatchObject({
      ...{ type: 2, leaveType: 3, isAllDay: false, from: at(tomorrow, '05:00'), to: at(tomorrow, '08:45') },
      total: { days: 0.433, minutes: 195 },
    })
    expect(list.find(({ id }) => id === overtime.id)).toMatchObject({
      ...{ type: 3, from: at(tomorrow, '22:00'), to: at(addDays(tomorrow, 1), '01:00') },
    })
    for (const { id } of list) await http.call('personal/request/cancel', { id }, me)
    const after = await http.call('personal/request/grid', { filters: { status: 3 } }, me)
    expect(after.list.map(({ mayCancel, steps }) => [mayCancel, steps])).toEqual(
      list.map(() => [false, [{ status: 3, by: `E ${me.workno}`, at: expect.any(String) }]]),
    )
  })

  test('keeps what was attached, which its person is shown', async () => {
    const me = await somebody()
    const form = await http.call('personal/request/upload', { type: 'image/jpeg' }, me)
    expect(await upload(form, jpeg)).toMatchObject({ status: 204 })
    const attachments = [{ upload: form.upload, name: 'Note of the doctor' }]
    const { id } = await http.call('personal/request/shift/add', { date: day, time: '05:00', attachments }, me)
    const { comment } = await http.call('personal/request/comment/add', { id, text: 'Please look' }, me)
    const found = await http.call('personal/request/get', { id }, me)
    expect(found.comments).toEqual([
      { id: comment, by: `E ${me.workno}`, isOwn: true, text: 'Please look', at: expect.any(String) },
    ])
    expect(found.attachments).toMatchObject([{ name: 'Note of the doctor', type: 'image/jpeg' }])
    const shown = await fetch(found.attachments[0]?.url ?? '')
    expect([shown.status, (await shown.arrayBuffer()).byteLength]).toEqual([200, found.attachments[0]?.bytes])
  })
})

/** How far the clocks of the tests' zone are ahead of UTC, in ms. */
function offset() {
  const [, sign, hours] = /GMT([+-])?(\d+)?/.exec(zone) ?? []
  return (sign === '-' ? 1 : -1) * Number(hours ?? 0) * 3_600_000
}
