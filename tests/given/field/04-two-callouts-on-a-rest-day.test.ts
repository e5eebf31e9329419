import { expect, inject, test } from 'vitest'
import { client } from '../../kit/client.ts'
import { taskEnd } from '../../kit/sheet.ts'
import { expectDays, playCase, readCase, readParams } from './play.ts'

// Field case 04: a worker without a shift is called in twice, and all 14 hours in between counted as overtime.

const http = client(inject('address'))
const given = readCase('04-two-callouts-on-a-rest-day')
const day = given.rows.from

test('two call-outs on a day without a shift count as two pairs in a new company', async () => {
  await expectDays(await playCase(http, given), given.expect)
})

test('a company that counts from the first to the last punch sees the preview before it counts pairs', async () => {
  const played = await playCase(http, given, async (_, boss) => {
    const params = await readParams(http, boss)
    await http.call('attparams/update', { ...params, pairsWithoutShift: false, from: day }, boss)
  })
  const { boss } = played
  await expectDays(played, [{ day, overtimeMinutes: 840 }])
  const change = { ...(await readParams(http, boss)), pairsWithoutShift: true, from: day }
  const { preview } = await taskEnd(http, boss, await http.call('attparams/preview', change, boss))
  expect(preview).toMatchObject({ days: 1, before: { overtimeMinutes: 840 }, after: { overtimeMinutes: 240 } })
  await expectDays(played, [{ day, overtimeMinutes: 840 }])
  await http.call('attparams/update', change, boss)
  await expectDays(played, given.expect)
})

test('a program that does not know the rule leaves it as it is', async () => {
  const { boss } = await playCase(http, given)
  const { pairsWithoutShift, holidayBy, ...known } = await readParams(http, boss)
  expect([pairsWithoutShift, holidayBy]).toEqual([true, 'day'])
  expect(await http.call('attparams/update', known, boss)).toEqual({})
  await http.call('attparams/update', { ...known, version: known.version + 1, bounceSeconds: 0 }, boss)
  expect(await readParams(http, boss)).toMatchObject({ bounceSeconds: 0, pairsWithoutShift, holidayBy })
})

test('a night without a shift waits for its clock-out on the next date, and a forgotten one is missing', async () => {
  const night = ['101 2026-11-14 22:00', '101 2026-11-15 03:00', '101 2026-11-17 20:00']
  const rows = { who: 'ann', from: '2026-11-14', to: '2026-11-17' }
  const played = await playCase(http, { ...given, punches: night, rows })
  const list = await expectDays(played, [
    { day: '2026-11-14', overtimeMinutes: 300, exceptions: [] },
    { day: '2026-11-17', overtimeMinutes: 0, exceptions: ['missingOut'] },
  ])
  expect(list.map(row => row.day).sort()).toEqual(['2026-11-14', '2026-11-17'])
})
