import { expect } from 'vitest'
import type { Path, PathCall, PathOutput } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { type Client, eventually, invite, type Registered, type Signed, strongPassword } from './client.ts'
import { type Names, sampleInput } from './sample.ts'
import { taskEnd } from './sheet.ts'
import { openSocket } from './socket.ts'

// A company with at least two of everything: what walks through all paths look for in answers, or try to reach.

export interface Furnished {
  /** Its things by the names parameters give them. */
  names: Names
  /** Things of the same kinds to be deleted: what hangs on them is nothing. */
  spare: Names
  /** Who is signed in on the employee side, and how to sign in again. */
  employee: { token: string; workno: string }
  /** Somebody who signs in by e-mail as well. */
  manager: { token: string; email: string }
}

const webhookUrl = (text: string) => `https://hooks.example.com/${encodeURIComponent(text)}`

/**
 * Furnishes a company by what its paths declare: `text` stands wherever anybody may write anything, so that a field nobody had
 * thought of holds it too. Its day is `day`, of the zone it is furnished from.
 */
export const furnish = async (
  http: Client,
  company: Registered,
  { text, zone, day }: { text: string; zone: string; day: string },
): Promise<Furnished> => {
  const signed: Signed = { token: company.token, headers: { 'x-timezone': zone } }
  let counter = 0
  const names: Names = { company: company.company, day, text, search: text, timezone: zone, type: 'csv' }
  names.year = day.slice(0, 4)
  /** Calls a path with its sample, so much of it changed; every text is another one. */
  const make = <P extends Path>(path: P, changes: Names = {}, without: string[] = []): Promise<PathOutput<P>> => {
    const words = { ...names, text: `${text} ${counter++}`, ...changes }
    const sample = Object.entries(sampleInput(path, words)).filter(([name]) => !without.includes(name))
    return http.call(path, Object.fromEntries(sample) as PathCall<P>, signed)
  }
  const twice = async <T>(once: () => Promise<T>): Promise<[T, T]> => [await once(), await once()]
  const version = async () => String((await http.call('company/get', {}, signed)).version)

  await make('company/update', { version: await version() })
  await make('company/prevention/update', { version: await version() })
  await make('company/password')

  const [department, spareDepartment] = await twice(() => make('department/add', {}, ['parent']))
  Object.assign(names, { department: department.id, parent: department.id })
  await make('department/add', { parent: department.id })
  await make('company/punch/update', { version: await version() })
  const [shift, spareShift] = await twice(() => make('shift/add'))
  names.shift = shift.id
  await make('shift/update', { version: '1' })
  // They free nobody who is looked at below.
  const [holiday, spareHoliday] = await twice(() => make('holiday/add', { department: spareDepartment.id }))
  names.holiday = holiday.id
  const [role, spareRole] = await twice(() => make('role/add'))
  Object.assign(names, { role: role.id, roleId: role.id })

  const workers: string[] = []
  const person = (workno: string) => ({
    workno,
    ...{ first_name: `${text} ${workno}`, last_name: text, tel: text, position: text },
    email: `${workno}-${Math.random().toString(36).slice(2)}@example.com`,
    ...{ department: department.id, departments: [company.department], hireDay: day },
  })
  const addPerson = async (workno: string, more: object = {}) =>
    (await http.call('employee/add', { ...person(workno), ...more }, signed)).id
  for (const workno of ['12', '13', '14', '15']) workers.push(await addPerson(workno))
  for (const workno of ['16', '17']) await http.call('employee/delete', { id: await addPerson(workno) }, signed)
  const holders: string[] = []
  for (const workno of ['18', '19']) holders.push(await addPerson(workno, { role: 2, roleId: role.id }))
  const [employee = '', spareEmployee = ''] = workers
  Object.assign(names, { employee, add: workers[2], remove: holders[0] })
  const own = await addPerson('20', { password: strongPassword })
  const { token } = await http.call(
    'personal/login',
    { code: company.company_num, workno: '20', password: strongPassword },
    {},
  )
  const asked: string[] = []
  for (const from of ['20:00', '22:00']) {
    const overtime = { date: day, from, to: from.replace(':00', ':30'), notes: text }
    asked.push((await http.call('personal/request/overtime/add', overtime, { token })).id)
  }
  const [request = ''] = asked
  Object.assign(names, { request, requester: own })
  await http.call('personal/request/comment/add', { id: request, text }, { token })
  const manager = await invite(http, signed, { ...person('21'), role: 2, roleId: role.id })
  // As much leave as nobody takes, and something given beside it.
  const rule = { leaveType: 1, since: 2000, days: 366, mostCarriedDays: 0, excess: 'warn' } as const
  await http.call('leave/params/update', { version: Number(await version()), rules: [rule] }, signed)
  await make('leave/balance/update', { employee }, ['version'])
  await make('employee/attendance/update', { employee }, ['version'])
  await make('employee/qrcode', {}, ['id'])
  const plan = { employees: [...workers, own], days: [day], shift: shift.id }
  await http.call('schedule/add', plan, signed)
  // A day that is over already, on which they forget to punch out.
  const early = { onDuty: '05:00', offDuty: '08:00', punchStart: '04:00', punchEnd: '10:00', breaks: [] }
  const { id: earlyShift } = await http.call('shift/add', { name: `${text} early`, ...early }, signed)
  // A day that was paid: whoever worked longer on it than anybody knew then is told, and nothing of it changes.
  const paidDay = addDays(day, -6)
  for (const workno of ['24', '25']) await addPerson(workno, { hireDay: paidDay })
  const forgetful = [await addPerson('22'), await addPerson('23')]
  await http.call('schedule/add', { employees: forgetful, days: [day], shift: earlyShift }, signed)

  const serialNumber = `F${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`.toUpperCase()
  const spareDevice = `${serialNumber}-2`
  Object.assign(names, { serialNumber, device: serialNumber })
  await make('device/add', { serialNumber: spareDevice })
  const terminal = await openSocket(http.address, {
    path: (await http.call('device/add', { serialNumber, name: text, department: department.id }, signed)).serverPath,
  })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: { modelname: text, firmware: text } })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  const punch = (enrollid: number, time: string, on = day) => ({
    ...{ enrollid, time: `${on} ${time}`, mode: 8, inout: 0, event: 0, temp: 37.9, mask: 0 },
  })
  const send = async (record: unknown[]) => {
    terminal.say({ cmd: 'sendlog', count: record.length, logindex: 1, record })
    expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  }
  const paid = { filters: { from: paidDay, to: paidDay } }
  const lateLeavers = [24, 25]
  await send(lateLeavers.flatMap(number => [punch(number, '08:00:00', paidDay), punch(number, '16:00:00', paidDay)]))
  await eventually(
    () => http.call('report/grid', paid, signed),
    ({ list }) => expect(list.map(({ overtimeMinutes }) => overtimeMinutes)).toEqual([480, 480]),
  )
  await eventually(
    () => http.call('report/lock', {}, signed),
    ({ settledTo }) => expect(settledTo >= paidDay).toBe(true),
  )
  await http.call('report/lock/update', { lockedTo: paidDay }, signed)
  await send(lateLeavers.map(number => punch(number, '17:00:00', paidDay)))
  const forgotten = [punch(22, '05:00:00'), punch(23, '05:00:00')]
  const record = [
    ...forgotten,
    punch(12, '09:06:30'),
    punch(13, '08:58:00'),
    punch(20, '08:59:00'),
    punch(77, '08:00:00'),
    punch(78, '08:00:00'),
    text,
  ]
  await send(record)
  terminal.say(`{"${text}":`)
  terminal.close()

  const [mail, spareMail] = await twice(() => make('report/mail/add', { employee: company.owner }))
  names.report = mail.id
  // Off, so that nothing is told of what is done later.
  const [webhook, spareWebhook] = await twice(async () => {
    const { id } = await make('webhooks/endpoint/add')
    for (let count = 0; count < 2; count++) await http.call('webhooks/endpoint/test', { id }, signed)
    await http.call(
      'webhooks/endpoint/update',
      { id, version: 1, url: webhookUrl(text), events: [], isOn: false },
      signed,
    )
    return id
  })
  Object.assign(names, { webhooks: webhook, webhook })
  for (const one of [spareWebhook, webhook]) {
    const { list } = await eventually(
      () => http.call('webhooks/log/grid', { filters: { webhook: one } }, signed),
      ({ list }) => expect(list.map(({ state }) => state)).toEqual(['failed', 'failed']),
    )
    names.delivery = list[0]?.id ?? ''
  }
  const [key, spareKey] = await twice(() => make('apikey/add'))
  names.apikey = key.id
  const [task, spareTask] = await twice(() => make('department/export', {}, []))
  names.task = task.task
  for (const begun of [task, spareTask]) expect((await taskEnd(http, signed, begun)).state).toBe('done')
  await eventually(
    () =>
      Promise.all([
        http.call('dashboard/today', {}, signed),
        http.call('record/orphan/grid', {}, signed),
        http.call('device/get', { serialNumber }, signed),
        http.call('exception/grid', { filters: { from: day, to: day } }, signed),
        http.call('report/lock/change/grid', {}, signed),
      ]),
    ([today, orphans, device, exceptions, locked]) => {
      expect(locked.list).toHaveLength(2)
      expect(today).toMatchObject({ active_num: 5, should_num: 7 })
      expect(exceptions.list).toHaveLength(2)
      expect(orphans.list).toHaveLength(2)
      expect(device.online).toBe(false)
    },
  )
  // Whoever may approve is told what was asked for and written, and who looks after terminals what could not be filed.
  const told = await eventually(
    () => http.call('notice/grid', {}, signed),
    ({ list }) => expect(list).toHaveLength(4),
  )
  names.notice = told.list[0]?.id ?? ''
  return {
    names,
    spare: {
      ...names,
      report: spareMail.id,
      webhooks: spareWebhook,
      apikey: spareKey.id,
      department: spareDepartment.id,
      parent: spareDepartment.id,
      shift: spareShift.id,
      holiday: spareHoliday.id,
      role: spareRole.id,
      roleId: spareRole.id,
      employee: spareEmployee,
      serialNumber: spareDevice,
      device: spareDevice,
      task: spareTask.task,
    },
    employee: { token, workno: '20' },
    manager,
  }
}
