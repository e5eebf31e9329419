import { expect, inject, test } from 'vitest'
import { client, eventually, register } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket } from '../kit/socket.ts'

// The way through the whole product: punches of a terminal become figures, and an open browser refreshes.

const address = inject('address')
const http = client(address)

test('punches become figures in report, records and dashboard, and an open browser refreshes', async () => {
  const zone = eveningZone()
  const day = dayIn(zone)
  const olga = await register(http, { timezone: zone })
  const signed = { token: olga.token, headers: { 'x-timezone': zone } }
  const { id: department } = await http.call('department/add', { name: 'Workshop' }, signed)
  const add = async (workno: string) =>
    (await http.call('employee/add', { first_name: 'Ann', last_name: workno, workno, department }, signed)).id
  const [ann, bob, cat] = [await add('7'), await add('8'), await add('9')]
  const { id: shift } = await http.call(
    'shift/add',
    {
      name: 'Day',
      onDuty: '09:00',
      offDuty: '18:00',
      punchStart: '07:00',
      punchEnd: '19:30',
      allowedLateMinutes: 5,
      allowedEarlyMinutes: 5,
      lateOutOvertime: { counts: true, afterMinutes: 30 },
      breaks: [{ start: '12:00', end: '13:00', durationMinutes: 60, thresholdMinutes: 0 }],
    },
    signed,
  )
  await http.call('schedule/add', { employees: [ann, bob, cat], days: [day], shift }, signed)

  const browser = await openSocket(address)
  browser.say({ cmd: 'home.login', token: olga.token })
  expect(await browser.hear({ ret: 'home.login' })).toMatchObject({ result: true })

  const today = () => http.call('dashboard/today', {}, signed)
  await eventually(today, found => expect(found).toMatchObject({ day, active_num: 0, should_num: 3, percentage: 0 }))

  const sn = `LINE${Date.now()}`
  const { serverPath } = await http.call('device/add', { serialNumber: sn, name: 'Door', department }, signed)
  const terminal = await openSocket(address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn, cpusn: 'c1', devinfo: { modelname: 'AiFace', firmware: 'v1', usednewlog: 4 } })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  await terminal.hear({ cmd: 'getnewlog' })
  terminal.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] })
  browser.unheard.length = 0

  const punch = (enrollid: number, time: string) => ({ enrollid, time: `${day} ${time}`, mode: 8, inout: 0, event: 0 })
  const record = [
    punch(7, '09:06:30'),
    punch(7, '18:40:00'),
    punch(7, '18:40:20'),
    punch(8, '08:58:00'),
    punch(8, '17:00:00'),
    punch(77, '08:00:00'),
  ]
  // The terminal missed the acknowledgement and sends the records twice.
  for (const logindex of [1, 1]) {
    terminal.say({ cmd: 'sendlog', count: record.length, logindex, record })
    expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true, count: record.length, logindex })
  }

  const report = async () => (await http.call('report/grid', { filters: { from: day, to: day } }, signed)).list
  const rows = await eventually(report, list => {
    const row = (workno: string) => list.find(found => found.workno === workno)
    expect(row('7')).toMatchObject({
      shift: 'Day',
      dutyMinutes: 480,
      workMinutes: 474,
      lateMinutes: 6,
      earlyLeaveMinutes: 0,
      overtimeMinutes: 40,
      breakMinutes: 60,
      absentMinutes: 0,
    })
    expect(row('8')).toMatchObject({ workMinutes: 420, lateMinutes: 0, earlyLeaveMinutes: 60 })
    expect(row('9')).toMatchObject({ workMinutes: 0, absentMinutes: 480 })
  })
  expect(rows).toHaveLength(3)
  await eventually(
    async () => browser.unheard.flatMap(({ refresh }) => refresh),
    refresh => expect(refresh).toEqual(expect.arrayContaining(['report/', 'record/', 'dashboard/'])),
  )

  const records = (await http.call('record/grid', { filters: { from: day, to: day } }, signed)).list
  expect(records.map(({ workno, use, device }) => [workno, use, device])).toEqual([
    ['7', 'out', sn],
    ['7', 'repeat', sn],
    ['8', 'out', sn],
    ['7', 'in', sn],
    ['8', 'in', sn],
  ])
  await eventually(today, found => expect(found).toMatchObject({ active_num: 2, should_num: 3, percentage: 67 }))
  expect(await http.call('dashboard/today/absent', {}, signed)).toMatchObject({ count: 1, list: [{ workno: '9' }] })
  expect(await http.call('dashboard/info', {}, signed)).toMatchObject({
    employee_num: 4,
    record_num: 5,
    device_num: 1,
    device_online_num: 1,
  })

  // Number 77 was unknown. Its held punch becomes Dora’s once she gets the number.
  await eventually(
    () => http.call('record/orphan/grid', {}, signed),
    ({ list }) => expect(list).toMatchObject([{ workno: '77', serialNumber: sn }]),
  )
  await http.call('employee/add', { first_name: 'Dora', last_name: 'Late', workno: '77', department }, signed)
  await eventually(
    () => http.call('record/orphan/grid', {}, signed),
    ({ list }) => expect(list).toEqual([]),
  )
  await eventually(report, list => expect(list.find(({ workno }) => workno === '77')).toBeDefined())

  // A change of the shift changes the days that use it.
  const [stored] = (await http.call('shift/grid', {}, signed)).list
  if (!stored) throw new Error('The shift is gone')
  const { isUsed: _, ...form } = stored
  await http.call('shift/update', { ...form, allowedLateMinutes: 10 }, signed)
  await eventually(report, list =>
    expect(list.find(({ workno }) => workno === '7')).toMatchObject({ workMinutes: 480, lateMinutes: 0 }),
  )
  terminal.close()
  browser.close()
})
