import { expect, inject, test } from 'vitest'
import { client, eventually } from '../../kit/client.ts'
import { taskEnd } from '../../kit/sheet.ts'
import { expectDays, playCase, readCase } from './play.ts'

// Field case 20: 24 and 31 December are half days off.

const http = client(inject('address'))
const given = readCase('20-half-day-holiday')
const [eve, half] = ['2025-12-24', '2025-12-31']

test('a holiday from 14:00 and half a holiday free a part of the shift', async () => {
  await expectDays(await playCase(http, given), given.expect)
})

test('leave on a half day off takes half a day', async () => {
  const played = await playCase(http, { ...given, punches: [] })
  const { boss, people } = played
  const leave = { employees: [people.ann ?? ''], leaveType: 2, isAllDay: true }
  await http.call('leave/add', { ...leave, date: eve }, boss)
  await http.call('leave/add', { ...leave, date: '2025-12-23' }, boss)
  await expectDays(played, [
    { day: '2025-12-23', leaveMinutes: 480, absentMinutes: 0 },
    { day: eve, dutyMinutes: 240, leaveMinutes: 240, absentMinutes: 0 },
  ])
  const { list } = await http.call('leave/balance/get', { employee: people.ann ?? '', year: 2025 }, boss)
  expect(list.map(({ date, days, minutes }) => [date, days, minutes])).toEqual([
    ['2025-12-23', 1, 480],
    [eve, 0.5, 240],
  ])
})

test('a change of the free part shows its effect first and recalculates the day', async () => {
  const played = await playCase(http, given)
  await expectDays(played, given.expect)
  const { boss } = played
  const { list } = await http.call('holiday/grid', {}, boss)
  const holiday = list.find(({ from }) => from === eve)
  if (!holiday) throw new Error('No holiday')
  const { id, version, ...form } = holiday
  const changed = { ...form, part: { from: '12:00' } }
  const { preview } = await taskEnd(http, boss, await http.call('holiday/preview', { id, holidays: [changed] }, boss))
  expect(preview).toMatchObject({ days: 1, before: { dutyMinutes: 240 }, after: { dutyMinutes: 180 } })
  await http.call('holiday/update', { id, version, ...changed }, boss)
  await expectDays(played, [{ day: eve, dutyMinutes: 180 }])
  const { part: _, ...whole } = form
  await http.call('holiday/update', { id, version: version + 1, ...whole }, boss)
  await eventually(played.rows, rows =>
    expect(rows.find(({ day }) => day === eve)).toMatchObject({ kind: 'holiday', dutyMinutes: 0 }),
  )
})

test('a part is refused for several days, without any time, and for the whole day', async () => {
  const { boss } = await playCase(http, { ...given, punches: [] })
  const form = { name: 'Eve', from: half, to: half }
  const ask = async (changes: object) => {
    const { code, fields } = await http.ask('holiday/add', { ...form, ...changes } as never, boss)
    return [code, Object.keys(fields ?? {})]
  }
  expect(await ask({ to: '2026-01-01', part: 'half' })).toEqual([10002, ['part']])
  expect(await ask({ part: { from: '14:00', to: '14:00' } })).toEqual([10002, ['part.to']])
  expect(await ask({ part: {} })).toEqual([10002, ['part.from']])
  expect((await ask({ part: { from: '24:00' } }))[0]).toBe(10002)
  expect((await ask({ part: 'morning' }))[0]).toBe(10002)
})

test('a public holiday of an evening is imported with its hours', async () => {
  const { boss } = await playCase(http, { ...given, punches: [], holidays: [], plan: [] })
  const of = { country: 'AU', state: 'NT', year: 2025 }
  const evening = { from: eve, to: eve, part: { from: '19:00' } }
  const { list } = await http.call('holiday/public', of, boss)
  expect(list.filter(({ part }) => part)).toMatchObject([evening, { from: half, part: { from: '19:00' } }])
  expect(list.find(({ from }) => from === '2025-12-25')).not.toHaveProperty('part')
  await http.call('holiday/import', { ...of, days: [eve] }, boss)
  expect((await http.call('holiday/grid', {}, boss)).list).toMatchObject([evening])
  const { list: after } = await http.call('holiday/public', of, boss)
  expect(after.filter(({ part }) => part).map(({ isKnown }) => isKnown)).toEqual([true, false])
})
