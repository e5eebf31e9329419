import { expect, inject, test } from 'vitest'
import { addDays } from '../../../shared/local-day.ts'
import { client, eventually } from '../../kit/client.ts'
import { dayIn } from '../../kit/evening.ts'
import { taskEnd } from '../../kit/sheet.ts'
import { expectDays, type FieldCase, playCase, readCase } from './play.ts'

// Field case 07: a company in Berlin has a site in New York, and the clocks change in different weeks.

const http = client(inject('address'))
const berlin = readCase('07-second-site-other-dst')
const hours = { onDuty: '09:00', offDuty: '17:00', punchStart: '06:00', punchEnd: '20:00' }
const newYork: FieldCase = { ...berlin, shifts: { NY: hours } }
const timezone = 'America/New_York'
const today = dayIn(berlin.zone)
const [earlier, changed, later] = [addDays(today, -12), addDays(today, -7), addDays(today, -5)]
/** The case on recent days, because a zone changes at most a year back. */
const recent: FieldCase = {
  ...newYork,
  plan: [{ who: 'ann', from: earlier, cells: [['NY'], [], [], [], [], [], [], ['NY']] }],
  punches: [earlier, later].flatMap(day => [`101 ${day} 09:00`, `101 ${day} 17:00`]),
  rows: { who: 'ann', from: earlier, to: later },
}

test('a department in New York keeps its hours in the week between the two clock changes', async () => {
  const played = await playCase(http, newYork, async (company, boss) => {
    company.department = (await http.call('department/add', { name: 'New York', timezone }, boss)).id
  })
  await expectDays(played, berlin.expect)
  const [row] = await played.rows()
  expect(row?.timezone).toBe(timezone)
})

test('another zone shows its effect first, applies from its day on, and earlier days keep theirs', async () => {
  const played = await playCase(http, recent)
  const { boss, company } = played
  // By the clock of Berlin, people clock in near the end of the shift, and clock out after its punch period.
  const wrong = { workMinutes: 0, exceptions: ['missingIn' as const] }
  await expectDays(played, [
    { day: earlier, ...wrong },
    { day: later, ...wrong },
  ])
  const read = async () =>
    (await http.call('department/grid', {}, boss)).list.find(({ id }) => id === company.department)
  const { name = '', version = 0 } = (await read()) ?? {}
  const change = { id: company.department, name, version, timezone, timezoneFrom: changed }
  const { preview } = await taskEnd(http, boss, await http.call('department/preview', change, boss))
  expect(preview).toMatchObject({ days: 1, before: { workMinutes: 0 }, after: { workMinutes: 480 } })
  expect(await read()).not.toHaveProperty('timezone')
  const { task = '' } = await http.call('department/update', change, boss)
  expect(await taskEnd(http, boss, { task })).toMatchObject({ state: 'done', recalculated: { rows: 1 } })
  await expectDays(played, [
    { day: earlier, ...wrong, timezone: 'Europe/Berlin' },
    { day: later, workMinutes: 480, lateMinutes: 0, timezone },
  ])
  expect(await read()).toMatchObject({ timezone })
  for (const timezoneFrom of [addDays(today, -367), addDays(today, 1)])
    expect(
      await http.ask('department/update', { ...change, version: version + 1, timezone: 'UTC', timezoneFrom }, boss),
    ).toMatchObject({ code: 10002, fields: { timezoneFrom: 10002 } })
  expect(
    await http.ask('department/update', { ...change, version: version + 1, timezone: 'Mars/Olympus' }, boss),
  ).toMatchObject({ code: 10002, fields: { timezone: 10002 } })
})

test('a sub-department has the zone of its parent, and a person who moves keeps the zone of past days', async () => {
  const played = await playCase(http, { ...newYork, punches: [] })
  const { boss, company } = played
  const parent = (await http.call('department/add', { name: 'Americas', timezone }, boss)).id
  const site = (await http.call('department/add', { name: 'Site', parent }, boss)).id
  const person = { first_name: 'Bob', last_name: 'B', workno: '102', department: site }
  const bob = (await http.call('employee/add', person, boss)).id
  await http.call('record/add', { employee: bob, date: '2026-10-20', time: '09:00', reason: 'Forgot' }, boss)
  await http.call('record/add', { employee: bob, date: '2026-10-20', time: '17:00', reason: 'Forgot' }, boss)
  const ofBob = async () => {
    const filters = { employee: bob, from: '2026-10-19', to: '2026-10-21' }
    return (await http.call('report/grid', { filters }, boss)).list
  }
  await eventually(ofBob, list => expect(list).toMatchObject([{ day: '2026-10-20', timezone, overtimeMinutes: 480 }]))
  const [{ firstIn } = { firstIn: '' }] = await ofBob()
  expect(firstIn).toBe('2026-10-20T13:00:00.000Z')
  const { list } = await http.call('employee/grid', { size: 50 }, boss)
  const { version = 0 } = list.find(({ id }) => id === bob) ?? {}
  await http.call('employee/update', { ...person, id: bob, version, role: 3, department: company.department }, boss)
  await http.call('record/add', { employee: bob, date: '2026-10-21', time: '09:00', reason: 'Forgot' }, boss)
  await eventually(ofBob, rows =>
    expect(rows.map(row => [row.day, row.timezone]).sort()).toEqual([
      ['2026-10-20', timezone],
      ['2026-10-21', 'Europe/Berlin'],
    ]),
  )
})
