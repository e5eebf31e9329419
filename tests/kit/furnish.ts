import { expect } from 'vitest'
import type { Path, PathCall, PathOutput } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { type Client, eventually, invite, type Registered, type Signed, strongPassword } from './client.ts'
import { type Names, sampleInput } from './sample.ts'
import { taskEnd } from './sheet.ts'
import { openSocket } from './socket.ts'

// A company with at least two objects of each kind. Tests of all paths search responses for the objects or try to reach
// the objects.

export interface Furnished {
  /** The ids of its objects, by parameter name. */
  names: Names
  /** Objects of the same kinds that tests may delete, because nothing depends on them. */
  spare: Names
  /** The session on the employee side, and the employee ID for another sign-in. */
  employee: { token: string; workno: string }
  /** A manager who signs in by e-mail. */
  manager: { token: string; email: string }
}

const webhookUrl = (text: string) => `https://hooks.example.com/${encodeURIComponent(text)}`

/**
 * Fills a company with calls built from the declarations of the paths. `text` is in every free-text field, including
 * new fields. The schedule, punches and requests are on `day` in `zone`.
 */
export const furnish = async (
  http: Client,
  company: Registered,
  { text, zone, day }: { text: string; zone: string; day: string },
): Promise<Furnished> => {
  const caller: Signed = { token: company.token, headers: { 'x-timezone': zone } }
  let counter = 0
  const names: Names = { company: company.company, day, text, search: text, timezone: zone, type: 'csv' }
  names.year = day.slice(0, 4)
  /** Calls a path with its sample input and these changes; every text is unique. */
  const callSample = <P extends Path>(path: P, changes: Names = {}, without: string[] = []): Promise<PathOutput<P>> => {
    const words = { ...names, text: `${text} ${counter++}`, ...changes }
    const sample = Object.entries(sampleInput(path, words)).filter(([name]) => !without.includes(name))
    return http.call(path, Object.fromEntries(sample) as PathCall<P>, caller)
  }
  const runTwice = async <T>(create: () => Promise<T>): Promise<[T, T]> => [await create(), await create()]
  const readVersion = async () => String((await http.call('company/get', {}, caller)).version)

  await callSample('company/update', { version: await readVersion() })
  await callSample('company/prevention/update', { version: await readVersion() })
  await callSample('company/password')

  const [department, spareDepartment] = await runTwice(() => callSample('department/add', {}, ['parent']))
  Object.assign(names, { department: department.id, parent: department.id })
  await callSample('department/add', { parent: department.id })
  await callSample('company/punch/update', { version: await readVersion() })
  const [shift, spareShift] = await runTwice(() => callSample('shift/add'))
  names.shift = shift.id
  await callSample('shift/update', { version: '1' })
  // The holidays are in another department, so that they free no scheduled employee.
  const [holiday, spareHoliday] = await runTwice(() => callSample('holiday/add', { department: spareDepartment.id }))
  names.holiday = holiday.id
  const [hours] = await runTwice(async () =>
    callSample('attparams/hours/update', { version: await readVersion() }, ['id', 'from']),
  )
  names.hours = hours.id
  await callSample('report/since/start')
  const [role, spareRole] = await runTwice(() => callSample('role/add'))
  Object.assign(names, { role: role.id, roleId: role.id })

  const workers: string[] = []
  const person = (workno: string) => ({
    workno,
    ...{ first_name: `${text} ${workno}`, last_name: text, tel: text, position: text },
    email: `${workno}-${Math.random().toString(36).slice(2)}@example.com`,
    ...{ department: department.id, departments: [company.department], hireDay: day },
  })
  const addPerson = async (workno: string, more: object = {}) =>
    (await http.call('employee/add', { ...person(workno), ...more }, caller)).id
  for (const workno of ['12', '13', '14', '15']) workers.push(await addPerson(workno))
  for (const workno of ['16', '17']) await http.call('employee/delete', { id: await addPerson(workno) }, caller)
  const holders: string[] = []
  for (const workno of ['18', '19']) holders.push(await addPerson(workno, { role: 2, roleId: role.id }))
  const [employee = '', spareEmployee = ''] = workers
  Object.assign(names, { employee, add: workers[2], remove: holders[0] })
  const ownId = await addPerson('20', { password: strongPassword })
  const { token } = await http.call(
    'personal/login',
    { code: company.company_num, workno: '20', password: strongPassword },
    {},
  )
  const requestIds: string[] = []
  for (const from of ['20:00', '22:00']) {
    const overtime = { date: day, from, to: from.replace(':00', ':30'), notes: text }
    requestIds.push((await http.call('personal/request/overtime/add', overtime, { token })).id)
  }
  const [request = ''] = requestIds
  Object.assign(names, { request, requester: ownId })
  await http.call('personal/request/comment/add', { id: request, text }, { token })
  const manager = await invite(http, caller, { ...person('21'), role: 2, roleId: role.id })
  // A generous leave rule, and an extra grant.
  const rule = { leaveType: 1, since: 2000, days: 366, mostCarriedDays: 0, excess: 'warn' } as const
  await http.call('leave/params/update', { version: Number(await readVersion()), rules: [rule] }, caller)
  await callSample('leave/balance/update', { employee }, ['version'])
  const opening = { kind: 'opening', day, minutes: 60, reason: text } as const
  for (const holder of [spareEmployee, employee])
    names.entry = (await http.call('leave/account/entry/add', { ...opening, employee: holder }, caller)).id
  await callSample('employee/attendance/update', { employee }, ['version'])
  await callSample('employee/qrcode', {}, ['id'])
  const plan = { employees: [...workers, ownId], days: [day], shift: shift.id }
  await http.call('schedule/add', plan, caller)
  await http.call('company/schedule/update', { version: Number(await readVersion()), draftsSchedule: true }, caller)
  const draft = { from: addDays(day, 1), shifts: [shift.id], rows: [{ employees: workers, cells: [[0]] }] }
  await taskEnd(http, caller, await http.call('schedule/draft/update', { plan: draft }, caller))
  // Employees forget to punch out of a shift that is already over.
  const early = { onDuty: '05:00', offDuty: '08:00', punchStart: '04:00', punchEnd: '10:00', breaks: [] }
  const { id: earlyShift } = await http.call('shift/add', { name: `${text} early`, ...early }, caller)
  // A locked day. Later punches do not change the day, and create pending changes.
  const paidDay = addDays(day, -6)
  for (const workno of ['24', '25']) await addPerson(workno, { hireDay: paidDay })
  const forgetful = [await addPerson('22'), await addPerson('23')]
  await http.call('schedule/add', { employees: forgetful, days: [day], shift: earlyShift }, caller)

  const serialNumber = `F${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`.toUpperCase()
  const spareDevice = `${serialNumber}-2`
  Object.assign(names, { serialNumber, device: serialNumber })
  await callSample('device/add', { serialNumber: spareDevice })
  const terminal = await openSocket(http.address, {
    path: (await http.call('device/add', { serialNumber, name: text, department: department.id }, caller)).serverPath,
  })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: { modelname: text, firmware: text } })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  const punch = (enrollid: number, time: string, date = day) => ({
    ...{ enrollid, time: `${date} ${time}`, mode: 8, inout: 0, event: 0, temp: 37.9, mask: 0 },
  })
  const sendRecords = async (record: unknown[]) => {
    terminal.say({ cmd: 'sendlog', count: record.length, logindex: 1, record })
    expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  }
  const paidRange = { filters: { from: paidDay, to: paidDay } }
  const lateLeavers = [24, 25]
  await sendRecords(
    lateLeavers.flatMap(number => [punch(number, '08:00:00', paidDay), punch(number, '16:00:00', paidDay)]),
  )
  await eventually(
    () => http.call('report/grid', paidRange, caller),
    ({ list }) => expect(list.map(({ overtimeMinutes }) => overtimeMinutes)).toEqual([480, 480]),
  )
  await eventually(
    () => http.call('report/lock', {}, caller),
    ({ settledTo }) => expect(settledTo >= paidDay).toBe(true),
  )
  await http.call('report/lock/update', { lockedTo: paidDay }, caller)
  await sendRecords(lateLeavers.map(number => punch(number, '17:00:00', paidDay)))
  const missingOutPunches = [punch(22, '05:00:00'), punch(23, '05:00:00')]
  const record = [
    ...missingOutPunches,
    punch(12, '09:06:30'),
    punch(13, '08:58:00'),
    punch(20, '08:59:00'),
    punch(77, '08:00:00'),
    punch(78, '08:00:00'),
    text,
  ]
  await sendRecords(record)
  terminal.say(`{"${text}":`)
  terminal.close()

  const [mail, spareMail] = await runTwice(() => callSample('report/mail/add', { employee: company.owner }))
  names.report = mail.id
  const [template, spareTemplate] = await runTwice(() => callSample('report/template/add'))
  names.template = template.id
  const [rotation, spareRotation] = await runTwice(() => callSample('schedule/template/add'))
  names.schedule = rotation.id
  // Long before the other objects, so that the lock does not concern them.
  for (const to of ['2000-12-31', '2001-01-01'])
    await callSample('report/close/add', { from: to, to }, ['openExceptions'])
  // The endpoint is disabled, so that it receives no later events.
  const [webhook, spareWebhook] = await runTwice(async () => {
    const { id } = await callSample('webhooks/endpoint/add')
    for (let count = 0; count < 2; count++) await http.call('webhooks/endpoint/test', { id }, caller)
    await http.call(
      'webhooks/endpoint/update',
      { id, version: 1, url: webhookUrl(text), events: [], isOn: false },
      caller,
    )
    return id
  })
  Object.assign(names, { webhooks: webhook, webhook })
  for (const webhookId of [spareWebhook, webhook]) {
    const { list } = await eventually(
      () => http.call('webhooks/log/grid', { filters: { webhook: webhookId } }, caller),
      ({ list }) => expect(list.map(({ state }) => state)).toEqual(['failed', 'failed']),
    )
    names.delivery = list[0]?.id ?? ''
  }
  const [key, spareKey] = await runTwice(() => callSample('apikey/add'))
  names.apikey = key.id
  const [task, spareTask] = await runTwice(() => callSample('department/export', {}, []))
  names.task = task.task
  for (const started of [task, spareTask]) expect((await taskEnd(http, caller, started)).state).toBe('done')
  await eventually(
    () =>
      Promise.all([
        http.call('dashboard/today', {}, caller),
        http.call('record/orphan/grid', {}, caller),
        http.call('device/get', { serialNumber }, caller),
        http.call('exception/grid', { filters: { from: day, to: day } }, caller),
        http.call('report/lock/change/grid', {}, caller),
      ]),
    ([today, orphans, device, exceptions, lockedChanges]) => {
      expect(lockedChanges.list).toHaveLength(2)
      expect(today).toMatchObject({ active_num: 5, should_num: 7 })
      expect(exceptions.list).toHaveLength(2)
      expect(orphans.list).toHaveLength(2)
      expect(device.online).toBe(false)
    },
  )
  // Approvers get notices of requests and comments, and terminal managers get notices of quarantined records.
  const notices = await eventually(
    () => http.call('notice/grid', {}, caller),
    ({ list }) => expect(list).toHaveLength(4),
  )
  names.notice = notices.list[0]?.id ?? ''
  return {
    names,
    spare: {
      ...names,
      report: spareMail.id,
      template: spareTemplate.id,
      schedule: spareRotation.id,
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
