import { inject, test } from 'vitest'
import { client } from '../../kit/client.ts'
import { expectDays, playCase, readCase, readParams } from './play.ts'

// Field case 06: where law pays by the hour of the holiday, a night counts on both sides of midnight.

const http = client(inject('address'))
const given = readCase('06-night-and-holiday')

test('a night before a holiday is holiday overtime from midnight on, in a company whose holidays count by the clock', async () => {
  const played = await playCase(http, given, async (_, boss) => {
    const params = await readParams(http, boss)
    await http.call('attparams/update', { ...params, holidayBy: 'clock', from: given.rows.from }, boss)
  })
  await expectDays(played, [
    ...given.expect,
    { day: '2026-11-10', dutyMinutes: 120, workMinutes: 120 },
    { day: '2026-11-11', dutyMinutes: 360, workMinutes: 360, overtimeMinutes: 125 },
  ])
})

test('a holiday frees the shift that begins on it in a company that has not chosen', async () => {
  const played = await playCase(http, given)
  await expectDays(played, [
    { day: '2026-11-10', dutyMinutes: 480, workMinutes: 480, overtimeMinutes: 0 },
    { day: '2026-11-11', dutyMinutes: 0, workMinutes: 0, overtimeMinutes: 488 },
  ])
})
