import { beforeAll, describe, expect, inject, test } from 'vitest'
import { client, type Registered, register } from '../kit/client.ts'

const http = client(inject('address'))
let company: Registered
let caller: { token: string }
let employee: string

const times = { onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00' }
const addShift = async (name: string, changes: object = {}) =>
  (await http.call('shift/add', { name, ...times, ...changes }, caller)).id
const days = ['2099-03-02', '2099-03-03', '2099-03-04']
const read = async (from = '2099-03-01', to = '2099-03-31') => {
  const { list } = await http.call('schedule/grid', { filters: { from, to } }, caller)
  return list.find(row => row.employee === employee)?.days ?? {}
}

beforeAll(async () => {
  company = await register(http)
  caller = { token: company.token }
  employee = (
    await http.call(
      'employee/add',
      { first_name: 'Sam', last_name: 'Schedule', workno: '5', department: company.department },
      caller,
    )
  ).id
})

describe('a shift', () => {
  test('is rejected with the field whose times are out of order', async () => {
    const ask = (changes: object) => http.ask('shift/add', { name: 'Wrong', ...times, ...changes }, caller)
    expect(await ask({ punchEnd: '17:00' })).toMatchObject({ code: 59021, fields: { punchEnd: 59021 } })
    expect(await ask({ offDuty: '08:30', punchEnd: '12:00' })).toMatchObject({
      code: 59022,
      fields: { offDuty: 59022 },
    })
    expect(await ask({ punchStart: '10:00' })).toMatchObject({ code: 59023, fields: { punchStart: 59023 } })
    expect(await ask({ allowedLateMinutes: 600 })).toMatchObject({ code: 10002, fields: { allowedLateMinutes: 10002 } })
    const breaks = [{ start: '12:00', end: '13:00', durationMinutes: 90, thresholdMinutes: 0 }]
    expect(await ask({ breaks })).toMatchObject({ code: 10002, fields: { 'breaks.0.durationMinutes': 10002 } })
  })

  test('is in use once scheduled, and then cannot be deleted', async () => {
    const id = await addShift('Used')
    const isUsed = async () => (await http.call('shift/grid', {}, caller)).list.find(shift => shift.id === id)?.isUsed
    expect(await isUsed()).toBe(false)
    await http.call('schedule/add', { employees: [employee], days: ['2099-05-04'], shift: id }, caller)
    expect(await isUsed()).toBe(true)
    expect(await http.ask('shift/delete', { id }, caller)).toMatchObject({ code: 60016 })
    await http.call('schedule/clear', { employees: [employee], from: '2099-05-01', to: '2099-05-31' }, caller)
    await http.call('shift/delete', { id }, caller)
  })
})

describe('a schedule', () => {
  test('accepts several shifts a day, and an overlap gets an error with employee, day and shifts', async () => {
    const morning = await addShift('Morning', { offDuty: '12:00', punchEnd: '13:00' })
    const evening = await addShift('Evening', { punchStart: '12:30', onDuty: '13:00', offDuty: '20:00' })
    const noon = await addShift('Noon', { punchStart: '10:00', onDuty: '11:00', offDuty: '14:00', punchEnd: '15:00' })
    expect(await http.call('schedule/add', { employees: [employee], days, shift: morning }, caller)).toEqual({
      changedDays: 3,
      refused: [],
    })
    await http.call('schedule/add', { employees: [employee], days, shift: evening }, caller)
    expect((await read())['2099-03-03']).toEqual([morning, evening])
    const refused = await http.ask('schedule/add', { employees: [employee], days: ['2099-03-03'], shift: noon }, caller)
    expect(refused).toMatchObject({
      code: 59031,
      about: expect.arrayContaining([
        {
          employee,
          name: 'Sam Schedule',
          day: '2099-03-03',
          shift: 'Morning',
          withDay: '2099-03-03',
          withShift: 'Noon',
        },
      ]),
    })
    expect((await read())['2099-03-03']).toEqual([morning, evening])
  })

  test('detects a conflict of a night shift with the next morning, across the end of a month', async () => {
    const night = await addShift('Night', {
      punchStart: '20:00',
      onDuty: '22:00',
      offDuty: '06:00+1',
      punchEnd: '10:00+1',
    })
    const early = await addShift('Early', { punchStart: '04:00', onDuty: '05:00', offDuty: '13:00', punchEnd: '15:00' })
    await http.call('schedule/add', { employees: [employee], days: ['2099-06-30'], shift: night }, caller)
    expect(
      await http.ask('schedule/add', { employees: [employee], days: ['2099-07-01'], shift: early }, caller),
    ).toMatchObject({
      code: 59031,
      about: [{ day: '2099-06-30', shift: 'Night', withDay: '2099-07-01', withShift: 'Early' }],
    })
  })

  test('can be replaced, removed shift by shift, and cleared', async () => {
    const [first, other] = [await addShift('One'), await addShift('Other')]
    const august = ['2099-08-03', '2099-08-04']
    await http.call('schedule/add', { employees: [employee], days: august, shift: first }, caller)
    await http.call('schedule/update', { employees: [employee], days: august, shift: other }, caller)
    expect(await read('2099-08-01', '2099-08-31')).toEqual({ '2099-08-03': [other], '2099-08-04': [other] })
    await http.call('schedule/delete', { employee, day: '2099-08-03', shift: other }, caller)
    expect(await read('2099-08-01', '2099-08-31')).toEqual({ '2099-08-04': [other] })
    expect(
      await http.call('schedule/clear', { employees: [employee], from: '2099-08-01', to: '2099-08-31' }, caller),
    ).toEqual({ changedDays: 1, refused: [] })
    expect(await read('2099-08-01', '2099-08-31')).toEqual({})
  })

  test('can be corrected day by day after a change of a shift has created conflicts', async () => {
    const [shortShift, afternoonShift] = [
      await addShift('Short', { offDuty: '12:00', punchEnd: '13:00' }),
      await addShift('Afternoon', { punchStart: '12:30', onDuty: '13:00' }),
    ]
    const november = ['2099-11-02', '2099-11-03', '2099-11-04']
    for (const shift of [shortShift, afternoonShift])
      await http.call('schedule/add', { employees: [employee], days: november, shift }, caller)
    const short = (await http.call('shift/grid', {}, caller)).list.find(({ id }) => id === shortShift)
    if (!short) throw new Error('The shift is gone')
    const { isUsed: _, ...form } = short
    await http.call('shift/update', { ...form, offDuty: '15:00', punchEnd: '16:00' }, caller)
    await http.call('schedule/delete', { employee, day: '2099-11-03', shift: afternoonShift }, caller)
    await http.call('schedule/clear', { employees: [employee], from: '2099-11-04', to: '2099-11-04' }, caller)
    expect(await read('2099-11-01', '2099-11-30')).toEqual({
      '2099-11-02': [shortShift, afternoonShift],
      '2099-11-03': [shortShift],
    })
  })

  test('accepts no days more than two months apart', async () => {
    const shift = await addShift('Far')
    const days = ['2099-01-05', '2099-12-05']
    expect(await http.ask('schedule/add', { employees: [employee], days, shift }, caller)).toMatchObject({
      code: 10002,
      fields: { days: 10002 },
    })
  })

  test('accepts no days outside 1970 to 2100', async () => {
    const shift = await addShift('Beyond')
    for (const day of ['1969-12-31', '2101-01-01', '9999-12-31']) {
      for (const path of ['schedule/add', 'schedule/update'] as const)
        expect(await http.ask(path, { employees: [employee], days: [day], shift }, caller)).toMatchObject({
          code: 10002,
          fields: { 'days.0': 10002 },
        })
      const range = { from: day, to: day }
      const fields = { from: 10002, to: 10002 }
      expect(await http.ask('schedule/clear', { employees: [employee], ...range }, caller)).toMatchObject({ fields })
      expect(await http.ask('schedule/summary', range, caller)).toMatchObject({ fields })
      expect(await http.ask('schedule/delete', { employee, day, shift }, caller)).toMatchObject({
        fields: { day: 10002 },
      })
      for (const path of ['schedule/grid', 'schedule/search'] as const)
        expect(await http.ask(path, { filters: range }, caller)).toMatchObject({
          fields: { 'filters.from': 10002, 'filters.to': 10002 },
        })
    }
    expect(await http.call('schedule/add', { employees: [employee], days: ['2100-12-31'], shift }, caller)).toEqual({
      changedDays: 1,
      refused: [],
    })
  })

  test('rejects past days', async () => {
    const shift = await addShift('Past')
    for (const path of ['schedule/add', 'schedule/update'] as const)
      expect(await http.ask(path, { employees: [employee], days: ['2020-01-06'], shift }, caller)).toMatchObject({
        code: 60019,
        fields: { 'days.0': 60019 },
      })
    expect(await http.ask('schedule/delete', { employee, day: '2020-01-06', shift }, caller)).toMatchObject({
      code: 60019,
    })
  })

  test('requires a browser zone with the hours of the company’s zone on the planned days', async () => {
    const shift = await addShift('Zoned')
    const body = { employees: [employee], days: ['2099-09-01'], shift }
    const withoutZone = await http.send('schedule/add', JSON.stringify(body), { 'x-token': company.token })
    expect(withoutZone).toMatchObject({ code: 20001, fields: { 'X-Timezone': 20001 } })
    const addFrom = (zone: string) => http.ask('schedule/add', body, { ...caller, headers: { 'x-timezone': zone } })
    expect(await addFrom('Asia/Tokyo')).toMatchObject({ code: 59040 })
    expect(await addFrom('Nowhere/Land')).toMatchObject({ code: 20001 })
    expect(await addFrom('Europe/Helsinki')).toMatchObject({ code: 0 })
  })

  test('rejects an unknown shift and an unknown employee, and then changes nothing', async () => {
    const shift = await addShift('Sound')
    const unknownId = '0000000000000000'
    expect(
      await http.ask('schedule/add', { employees: [employee, unknownId], days: ['2099-10-01'], shift }, caller),
    ).toMatchObject({ code: 60004, fields: { 'employees.1': 60004 } })
    expect(
      await http.ask('schedule/add', { employees: [employee], days: ['2099-10-01'], shift: unknownId }, caller),
    ).toMatchObject({ code: 60004, fields: { shift: 60004 } })
    expect(await read('2099-10-01', '2099-10-31')).toEqual({})
  })
})
