import { beforeAll, describe, expect, inject, test } from 'vitest'
import { client, type Registered, register } from '../kit/client.ts'

const http = client(inject('address'))
let mine: Registered
let signed: { token: string }
let employee: string

const times = { onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00' }
const addShift = async (name: string, changes: object = {}) =>
  (await http.call('shift/add', { name, ...times, ...changes }, signed)).id
const days = ['2099-03-02', '2099-03-03', '2099-03-04']
const read = async (from = '2099-03-01', to = '2099-03-31') => {
  const { list } = await http.call('schedule/grid', { filters: { from, to } }, signed)
  return list.find(row => row.employee === employee)?.days ?? {}
}

beforeAll(async () => {
  mine = await register(http)
  signed = { token: mine.token }
  employee = (
    await http.call(
      'employee/add',
      { first_name: 'Sam', last_name: 'Schedule', workno: '5', department: mine.department },
      signed,
    )
  ).id
})

describe('a shift', () => {
  test('is refused at the field where its times are out of order', async () => {
    const ask = (changes: object) => http.ask('shift/add', { name: 'Wrong', ...times, ...changes }, signed)
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

  test('is used once it is scheduled, and then cannot be deleted', async () => {
    const id = await addShift('Used')
    const isUsed = async () => (await http.call('shift/grid', {}, signed)).list.find(shift => shift.id === id)?.isUsed
    expect(await isUsed()).toBe(false)
    await http.call('schedule/add', { employees: [employee], days: ['2099-05-04'], shift: id }, signed)
    expect(await isUsed()).toBe(true)
    expect(await http.ask('shift/delete', { id }, signed)).toMatchObject({ code: 60016 })
    await http.call('schedule/clear', { employees: [employee], from: '2099-05-01', to: '2099-05-31' }, signed)
    await http.call('shift/delete', { id }, signed)
  })
})

describe('a schedule', () => {
  test('takes several shifts a day, refuses overlapping duties and names who, when and with what', async () => {
    const morning = await addShift('Morning', { offDuty: '12:00', punchEnd: '13:00' })
    const evening = await addShift('Evening', { punchStart: '12:30', onDuty: '13:00', offDuty: '20:00' })
    const noon = await addShift('Noon', { punchStart: '10:00', onDuty: '11:00', offDuty: '14:00', punchEnd: '15:00' })
    expect(await http.call('schedule/add', { employees: [employee], days, shift: morning }, signed)).toEqual({
      changedDays: 3,
      refused: [],
    })
    await http.call('schedule/add', { employees: [employee], days, shift: evening }, signed)
    expect((await read())['2099-03-03']).toEqual([morning, evening])
    const refused = await http.ask('schedule/add', { employees: [employee], days: ['2099-03-03'], shift: noon }, signed)
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

  test('sees a conflict of a night shift with the morning after, across the end of a month', async () => {
    const night = await addShift('Night', {
      punchStart: '20:00',
      onDuty: '22:00',
      offDuty: '06:00+1',
      punchEnd: '10:00+1',
    })
    const early = await addShift('Early', { punchStart: '04:00', onDuty: '05:00', offDuty: '13:00', punchEnd: '15:00' })
    await http.call('schedule/add', { employees: [employee], days: ['2099-06-30'], shift: night }, signed)
    expect(
      await http.ask('schedule/add', { employees: [employee], days: ['2099-07-01'], shift: early }, signed),
    ).toMatchObject({
      code: 59031,
      about: [{ day: '2099-06-30', shift: 'Night', withDay: '2099-07-01', withShift: 'Early' }],
    })
  })

  test('is replaced by assigning, taken back one by one, and cleared', async () => {
    const [one, other] = [await addShift('One'), await addShift('Other')]
    const august = ['2099-08-03', '2099-08-04']
    await http.call('schedule/add', { employees: [employee], days: august, shift: one }, signed)
    await http.call('schedule/update', { employees: [employee], days: august, shift: other }, signed)
    expect(await read('2099-08-01', '2099-08-31')).toEqual({ '2099-08-03': [other], '2099-08-04': [other] })
    await http.call('schedule/delete', { employee, day: '2099-08-03', shift: other }, signed)
    expect(await read('2099-08-01', '2099-08-31')).toEqual({ '2099-08-04': [other] })
    expect(
      await http.call('schedule/clear', { employees: [employee], from: '2099-08-01', to: '2099-08-31' }, signed),
    ).toEqual({ changedDays: 1, refused: [] })
    expect(await read('2099-08-01', '2099-08-31')).toEqual({})
  })

  test('can be mended day by day where a changed shift has brought it into conflict', async () => {
    const [one, other] = [
      await addShift('Short', { offDuty: '12:00', punchEnd: '13:00' }),
      await addShift('Afternoon', { punchStart: '12:30', onDuty: '13:00' }),
    ]
    const november = ['2099-11-02', '2099-11-03', '2099-11-04']
    for (const shift of [one, other])
      await http.call('schedule/add', { employees: [employee], days: november, shift }, signed)
    const short = (await http.call('shift/grid', {}, signed)).list.find(({ id }) => id === one)
    if (!short) throw new Error('The shift is gone')
    const { isUsed: _, ...form } = short
    await http.call('shift/update', { ...form, offDuty: '15:00', punchEnd: '16:00' }, signed)
    await http.call('schedule/delete', { employee, day: '2099-11-03', shift: other }, signed)
    await http.call('schedule/clear', { employees: [employee], from: '2099-11-04', to: '2099-11-04' }, signed)
    expect(await read('2099-11-01', '2099-11-30')).toEqual({ '2099-11-02': [one, other], '2099-11-03': [one] })
  })

  test('takes no days that lie further apart than two months', async () => {
    const shift = await addShift('Far')
    const days = ['2099-01-05', '2099-12-05']
    expect(await http.ask('schedule/add', { employees: [employee], days, shift }, signed)).toMatchObject({
      code: 10002,
      fields: { days: 10002 },
    })
  })

  test('takes no day nobody plans for', async () => {
    const shift = await addShift('Beyond')
    for (const day of ['1969-12-31', '2101-01-01', '9999-12-31']) {
      for (const path of ['schedule/add', 'schedule/update'] as const)
        expect(await http.ask(path, { employees: [employee], days: [day], shift }, signed)).toMatchObject({
          code: 10002,
          fields: { 'days.0': 10002 },
        })
      const range = { from: day, to: day }
      const fields = { from: 10002, to: 10002 }
      expect(await http.ask('schedule/clear', { employees: [employee], ...range }, signed)).toMatchObject({ fields })
      expect(await http.ask('schedule/summary', range, signed)).toMatchObject({ fields })
      expect(await http.ask('schedule/delete', { employee, day, shift }, signed)).toMatchObject({
        fields: { day: 10002 },
      })
      for (const path of ['schedule/grid', 'schedule/search'] as const)
        expect(await http.ask(path, { filters: range }, signed)).toMatchObject({
          fields: { 'filters.from': 10002, 'filters.to': 10002 },
        })
    }
    expect(await http.call('schedule/add', { employees: [employee], days: ['2100-12-31'], shift }, signed)).toEqual({
      changedDays: 1,
      refused: [],
    })
  })

  test('does not touch days before today', async () => {
    const shift = await addShift('Past')
    for (const path of ['schedule/add', 'schedule/update'] as const)
      expect(await http.ask(path, { employees: [employee], days: ['2020-01-06'], shift }, signed)).toMatchObject({
        code: 60019,
        fields: { 'days.0': 60019 },
      })
    expect(await http.ask('schedule/delete', { employee, day: '2020-01-06', shift }, signed)).toMatchObject({
      code: 60019,
    })
  })

  test('wants the zone of the browser, and one with the hours of the company’s on those days', async () => {
    const shift = await addShift('Zoned')
    const body = { employees: [employee], days: ['2099-09-01'], shift }
    const raw = await http.send('schedule/add', JSON.stringify(body), { 'x-token': mine.token })
    expect(raw).toMatchObject({ code: 20001, fields: { 'X-Timezone': 20001 } })
    const from = (zone: string) => http.ask('schedule/add', body, { ...signed, headers: { 'x-timezone': zone } })
    expect(await from('Asia/Tokyo')).toMatchObject({ code: 59040 })
    expect(await from('Nowhere/Land')).toMatchObject({ code: 20001 })
    expect(await from('Europe/Helsinki')).toMatchObject({ code: 0 })
  })

  test('refuses a shift or a person that does not exist, and changes nothing then', async () => {
    const shift = await addShift('Sound')
    const nobody = '0000000000000000'
    expect(
      await http.ask('schedule/add', { employees: [employee, nobody], days: ['2099-10-01'], shift }, signed),
    ).toMatchObject({ code: 60004, fields: { 'employees.1': 60004 } })
    expect(
      await http.ask('schedule/add', { employees: [employee], days: ['2099-10-01'], shift: nobody }, signed),
    ).toMatchObject({ code: 60004, fields: { shift: 60004 } })
    expect(await read('2099-10-01', '2099-10-31')).toEqual({})
  })
})
