import { beforeAll, expect, inject, test } from 'vitest'
import { addDays, localDay } from '../../shared/local-day.ts'
import { client, invite, type Registered, register, type Signed } from '../kit/client.ts'
import { awaitWindow } from '../kit/evening.ts'
import { taskEnd } from '../kit/sheet.ts'

// The calendar feed of a person, at a secret address.

const http = client(inject('address'))
const zone = 'Europe/Athens'
const today = localDay(zone, Date.now())
const tomorrow = addDays(today, 1)
let owner: Registered
let nora: Signed & { id: string }
let shift: string

/** Reads a feed at this stack, whatever host its address names. */
const read = async (url: string) => {
  const { pathname, search } = new URL(url)
  const response = await fetch(http.address + pathname + search)
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}
const add = () => http.call('personal/calendar/add', {}, nora)
const person = (workno: string) => ({
  ...{ first_name: `N${workno}`, last_name: 'N', workno },
  ...{ department: owner.department, role: 3 as const },
})

beforeAll(async () => {
  owner = await register(http)
  nora = await invite(http, owner, person('11'))
  const form = { name: 'Early, long', punchStart: '05:00', onDuty: '06:00', offDuty: '14:00', punchEnd: '15:00' }
  shift = (await http.call('shift/add', form, owner)).id
})

test('the feed holds published shifts only, and each keeps its id when it changes', async () => {
  const { version } = await http.call('company/schedule', {}, owner)
  await http.call('company/schedule/update', { version, draftsSchedule: true }, owner)
  const { url } = await add()
  expect(await read(url)).toMatchObject({ status: 200, type: 'text/calendar; charset=utf-8' })
  const plan = { from: tomorrow, shifts: [shift], rows: [{ employees: [nora.id], cells: [[0]] }] }
  await taskEnd(http, owner, await http.call('schedule/draft/update', { plan }, owner))
  expect((await read(url)).text).not.toContain('BEGIN:VEVENT')
  await taskEnd(http, owner, await http.call('schedule/publish', { employees: [nora.id] }, owner))
  const { text } = await read(url)
  const uid = `UID:${nora.id}-${tomorrow}-${shift}@attendance`
  expect(text.replaceAll('\r\n ', '')).toContain(uid)
  expect(text).toContain('SUMMARY:Early\\, long')
  expect(text).toMatch(/LAST-MODIFIED:\d{8}T\d{6}Z/)
  const sequence = (feed: string) => Number(/SEQUENCE:(\d+)/.exec(feed)?.[1])
  const form = { punchStart: '05:00', onDuty: '06:30', offDuty: '14:00', punchEnd: '15:00' }
  const { list } = await http.call('shift/all', {}, owner)
  const stored = list.find(({ id }) => id === shift)
  const { version: shiftVersion } = { version: 1, ...stored }
  await http.call('shift/update', { id: shift, version: shiftVersion, name: 'Early, long', ...form }, owner)
  const changed = (await read(url)).text
  expect(changed.replaceAll('\r\n ', '')).toContain(uid)
  expect(sequence(changed)).toBeGreaterThan(sequence(text))
})

test('the feed leaves out whole days of approved leave', async () => {
  const { url } = await add()
  const [first, second] = [addDays(tomorrow, 7), addDays(tomorrow, 8)]
  await http.call('schedule/update', { employees: [nora.id], days: [first, second], shift }, owner)
  const events = async () => [
    ...(await read(url)).text.replaceAll('\r\n ', '').matchAll(/UID:\S+?-(\d{4}-\d\d-\d\d)-/g),
  ]
  const daysOf = async () => (await events()).map(([, day]) => day)
  expect(await daysOf()).toEqual(expect.arrayContaining([first, second]))
  const leave = { employees: [nora.id], leaveType: 3, isAllDay: true as const, date: first, toDate: first }
  await http.call('leave/add', leave, owner)
  expect(await daysOf()).toContain(second)
  expect(await daysOf()).not.toContain(first)
})

test('the feed gives the hours of a department by its own clock', async () => {
  const { id: department } = await http.call('department/add', { name: 'Tokyo', timezone: 'Asia/Tokyo' }, owner)
  const kei = await invite(http, owner, { ...person('13'), department })
  const form = { name: 'Tokyo', punchStart: '05:00', onDuty: '06:00', offDuty: '14:00', punchEnd: '15:00' }
  const { id } = await http.call('shift/add', form, owner)
  await http.call('schedule/update', { employees: [kei.id], days: [tomorrow], shift: id }, owner)
  const { url } = await http.call('personal/calendar/add', {}, kei)
  expect((await read(url)).text).toContain(`DTSTART:${today.replaceAll('-', '')}T210000Z`)
})

test('a new address replaces the earlier one, and a stopped one opens nothing', async () => {
  const { url: first } = await add()
  const { url: second } = await add()
  expect((await read(first)).status).toBe(404)
  expect((await read(second)).status).toBe(200)
  expect(await http.call('personal/calendar/get', {}, nora)).toMatchObject({ createdAt: expect.any(String) })
  await http.call('personal/calendar/delete', {}, nora)
  expect((await read(second)).status).toBe(404)
  expect(await http.call('personal/calendar/get', {}, nora)).toEqual({})
  await http.call('personal/calendar/delete', {}, nora)
})

test('the feed stops for a person who is deleted or has left', async () => {
  const gone = await invite(http, owner, person('12'))
  const { url } = await http.call('personal/calendar/add', {}, gone)
  expect((await read(url)).status).toBe(200)
  await http.call('employee/delete', { id: gone.id }, owner)
  expect((await read(url)).status).toBe(404)
})

test('an unknown address answers like a stopped one, and a stranger who tries many must wait', async () => {
  // The limit counts by the hour, so all attempts must fall into one hour.
  await awaitWindow()
  const address = `${http.address}/api/calendar.ics?key=`
  const statuses = new Set<number>()
  for (let i = 0; i < 70; i++) statuses.add((await read(address + String(i).padStart(43, 'x'))).status)
  expect([...statuses]).toEqual([404, 429])
  // A known address still answers.
  expect((await read((await add()).url)).status).toBe(200)
})

test('managers have no calendar address', async () => {
  expect(await http.ask('personal/calendar/add', {}, owner)).toMatchObject({ code: 60005 })
})
