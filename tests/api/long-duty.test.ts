import { expect, inject, test } from 'vitest'
import { expectDays, type FieldCase, playCase } from '../given/field/play.ts'
import { client } from '../kit/client.ts'

// A duty of 24 hours, as firefighters, doctors and guards have.

const http = client(inject('address'))
const whole = { onDuty: '08:00', offDuty: '08:00+1', punchStart: '06:00', punchEnd: '10:00+1' }
const given: FieldCase = {
  zone: 'Europe/Berlin',
  shifts: { H24: whole },
  people: { ann: { workno: '101' } },
  plan: [{ who: 'ann', from: '2025-10-22', cells: [['H24'], [], ['H24'], ['H24']] }],
  punches: [
    '101 2025-10-22 07:55',
    '101 2025-10-23 08:05',
    '101 2025-10-24 07:50',
    '101 2025-10-25 08:00',
    '101 2025-10-26 08:00',
  ],
  rows: { who: 'ann', from: '2025-10-22', to: '2025-10-26' },
  expect: [],
}

test('a duty of 24 hours counts whole, also over a clock change, and one punch at relief ends and begins', async () => {
  await expectDays(await playCase(http, given), [
    { day: '2025-10-22', dutyMinutes: 1440, workMinutes: 1440, exceptions: [] },
    { day: '2025-10-24', dutyMinutes: 1440, workMinutes: 1440, exceptions: [] },
    { day: '2025-10-25', dutyMinutes: 1500, workMinutes: 1500, exceptions: [] },
  ])
})

test('a longer duty or punch period is refused at its field', async () => {
  const { boss } = await playCase(http, { ...given, plan: [], punches: ['101 2025-10-22 07:55'] })
  const refuse = async (changes: object) =>
    (await http.ask('shift/add', { name: 'Longer', ...whole, ...changes }, boss)).fields
  expect(await refuse({ offDuty: '08:01+1' })).toEqual({ offDuty: 10002 })
  expect(await refuse({ punchStart: '06:00', punchEnd: '18:01+1' })).toEqual({ punchEnd: 10002 })
  await http.call('shift/add', { name: 'Longest', ...whole, punchEnd: '18:00+1' }, boss)
})
