import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { Path } from '../../shared/api.ts'
import { readySets } from '../../shared/attendance/hours/ready.ts'
import type { Declaration } from '../../shared/contract.ts'
import { allPermissions, isPermission, roles } from '../../shared/permissions.ts'
import { whoLists } from '../../shared/who.ts'
import { canonical } from '../kit/canonical.ts'
import { client, eventually, invite, type Registered, register, strongPassword } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { endsSession, isCount, leavesOut, type Names, paths, sampleInput } from '../kit/sample.ts'
import { taskEnd } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'
import { isShort } from '../kit/tier.ts'

// Every kind of caller calls every declared path, to check its permission and its reach. A company has two sibling
// departments. A manager of one department sees and changes nothing of the other department or of departments above.

const http = client(inject('address'))
const zone = eveningZone()
const day = dayIn(zone)
const range = { filters: { from: day, to: day } }
const headers = { 'x-timezone': zone }
const wholeKey = 'a key with every permission'
const readingKey = 'a key that changes nothing'
const marker = `Numbat ${Math.random()}`
const password = strongPassword

interface Place {
  /** The ids of its objects, by parameter name. */
  names: Names
  /** All ids of its objects that a response could contain. */
  ids: string[]
}

let company: Registered
let here: Place
let there: Place
/** The administrator, and the manager of `here`. */
let boss: { token: string; headers: Record<string, string> }
let mona: { token: string; headers: Record<string, string> }
let monaRole: string
/** The last state of `there` that the test has read. */
let lastState: string
/** Employees of `here` with management rights. */
let administrator: string
let otherManager: string
/** The tokens of all kinds of callers, by name. */
const callers = new Map<string, string>()
/** Several keys with the same permissions, because the rate limit of one key is too low for the test. */
const wholeKeys: string[] = []
let turn = 0
const tokenOf = (name: string) => (name === wholeKey ? wholeKeys[turn++ % wholeKeys.length] : callers.get(name)) ?? name

const addPerson = async (workno: string, department: string, more: object = {}, first_name = 'Sam') =>
  (await http.call('employee/add', { first_name, last_name: 'S', workno, department, ...more }, boss)).id

const managerOf = async (name: string, workno: string, department: string) => {
  const form = { name, permissions: allPermissions, departments: [department] }
  const { id: roleId } = await http.call('role/add', form, boss)
  return { ...(await manager(name, workno, department, roleId)), roleId }
}
const manager = (name: string, workno: string, department: string, roleId: string) => {
  const person = { first_name: name, last_name: 'S', workno, department, role: roles.manager, roleId }
  return invite(http, boss, person)
}

/** API keys: one per permission, one with all permissions, and a read-only key. */
const addKeys = async () => {
  const { department = '' } = here.names
  const keyOf = async (name: string, permissions: number[], canWrite: boolean) => {
    const form = { name, permissions: permissions.filter(isPermission), canWrite, departments: [department] }
    return (await http.call('apikey/add', form, boss)).key
  }
  for (const number of allPermissions) callers.set(`key ${number}`, await keyOf(`Key ${number}`, [number], true))
  callers.set(readingKey, await keyOf('Reader', allPermissions, false))
  for (let count = 0; count < 6; count++) wholeKeys.push(await keyOf(`Key ${count}`, allPermissions, true))
  callers.set(wholeKey, '')
}

/** Callers: one per permission, the system roles, and callers without permissions. */
const addCallers = async () => {
  const { department = '' } = here.names
  for (const number of allPermissions) {
    const form = { name: `Only ${number}`, permissions: [number], departments: [department] }
    const { id: roleId } = await http.call('role/add', form, boss)
    const limitedManager = await manager(`Only ${number}`, String(600 + number), company.department, roleId)
    callers.set(`permission ${number}`, limitedManager.token)
  }
  const leader = await manager('Lea', '304', department, 'departmentleader')
  const personnelManager = await manager('Pat', '620', company.department, 'personnelmanager')
  const employee = { first_name: 'Emil', last_name: 'E', workno: '621', department: company.department }
  const withoutRole = await manager('Noa', '622', company.department, 'personnelmanager')
  const { version, ...form } = await http.call('user/employee', {}, withoutRole)
  const { id, first_name, last_name, workno } = form
  const demoted = { id, version, first_name, last_name, workno, department: company.department, role: roles.none }
  await http.call('employee/update', demoted, boss)
  for (const [name, token] of [
    ['every permission', mona.token],
    ['the department leader', leader.token],
    ['the personnel manager', personnelManager.token],
    ['the administrator', boss.token],
    ['an employee', (await invite(http, boss, employee)).token],
    ['who has no role', withoutRole.token],
  ] as const)
    callers.set(name, token)
}

/** A department with a terminal and three scheduled employees, a punch, a request and an unreadable record. */
const furnish = async (name: string, firstWorkno: number, shift: string): Promise<Place> => {
  const { id: department } = await http.call('department/add', { name, parent: company.department }, boss)
  const employees: string[] = []
  for (const offset of [0, 1, 2])
    employees.push(await addPerson(String(firstWorkno + offset), department, offset === 0 ? { password } : {}, name))
  await http.call('schedule/add', { employees, days: [day], shift }, boss)
  const signIn = { code: company.company_num, workno: String(firstWorkno), password }
  const leave = { leaveType: 3, date: day, isAllDay: false, from: '16:00', to: '18:00', notes: name }
  const { id: request } = await http.call(
    'personal/request/leave/add',
    leave,
    await http.call('personal/login', signIn),
  )
  // The manager’s own terminal sorts behind the other terminal.
  const serialNumber = `SCOPE${1000 - firstWorkno}-${Date.now()}`
  const { serverPath } = await http.call('device/add', { serialNumber, name, department }, boss)
  const terminal = await openSocket(http.address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  const punch = (enrollid: number, time: string) => ({ enrollid, time: `${day} ${time}`, mode: 8, inout: 0, event: 0 })
  const record = [punch(firstWorkno, '09:06:00'), punch(firstWorkno + 5000, '08:00:00'), name]
  terminal.say({ cmd: 'sendlog', count: record.length, logindex: 1, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  terminal.close()
  const form = { ...sampleInput('report/template/add', { column: 'workno' }), name: `Payroll ${firstWorkno}` } as never
  const { id: template } = await http.call('report/template/add', form, boss)
  return {
    names: {
      template,
      department,
      parent: department,
      employee: employees[0] ?? '',
      serialNumber,
      device: serialNumber,
      request,
      search: name,
      day,
      type: 'csv',
    },
    ids: [department, ...employees, serialNumber, request],
  }
}

/** All lists of employees, terminals, days and figures that the caller sees. */
const readLists = (by: typeof boss, department?: string) => {
  const filters = department === undefined ? {} : { department }
  const days = { filters: { ...range.filters, ...filters } }
  return Promise.all([
    http.call('employee/grid', { filters }, by),
    http.call('device/grid', { filters }, by),
    http.call('schedule/grid', days, by),
    http.call('record/grid', days, by),
    http.call('report/grid', days, by),
    http.call('approve/grid', { filters }, by),
  ])
}
const readFigures = (by: typeof boss) =>
  Promise.all([
    http.call('department/grid', {}, by),
    http.call('department/all', {}, by),
    http.call('device/quarantine', {}, by),
    http.call('record/orphan/grid', {}, by),
    http.call('dashboard/info', {}, by),
    http.call('dashboard/today', {}, by),
    http.call('dashboard/today/absent', {}, by),
    http.call('dashboard/yesterday', {}, by),
    http.call('dashboard/history', {}, by),
    http.call('dashboard/attention', {}, by),
    ...whoLists.map(list => http.call('dashboard/now', { filters: { list } }, by)),
  ])
/** The administrator’s view of the other department. */
const readStateThere = async () => {
  const { department = '', serialNumber = '' } = there.names
  const [departments, , quarantined] = await readFigures(boss)
  return canonical([
    await readLists(boss, department),
    departments.list.find(({ id }) => id === department),
    quarantined.list.filter(record => record.serialNumber === serialNumber),
  ])
}
const expectNothingOfThere = (answer: unknown) => {
  const text = JSON.stringify(answer)
  expect(text).not.toContain(marker)
  expect(there.ids.filter(id => text.includes(id))).toEqual([])
}

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  boss = { token: company.token, headers }
  const form = { onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00' }
  const { id: shift } = await http.call('shift/add', { name: 'Day', ...form }, boss)
  const { id: spare } = await http.call('shift/add', { name: 'Spare', ...form }, boss)
  here = await furnish('Here', 100, shift)
  there = await furnish(marker, 200, shift)
  here.names.shift = spare
  there.names.shift = spare
  await http.call('report/since/start', {}, boss)
  // Hour sets belong to the company, but tell only the departments that the caller manages.
  const { version } = await http.call('attparams/index', {}, boss)
  const departments = [there.names.department ?? '']
  here.names.hours = (
    await http.call('attparams/hours/update', { version, set: readySets.plain, departments }, boss)
  ).id
  const department = here.names.department ?? ''
  const { roleId, token } = await managerOf('Mona', '301', department)
  monaRole = roleId
  mona = { token, headers }
  otherManager = (await managerOf('Max', '302', department)).id
  administrator = await addPerson('303', department, { role: 1, password })
  await addCallers()
  await addKeys()
  await eventually(
    async () => JSON.stringify([await readLists(boss), await readFigures(boss)]),
    text => {
      expect(text).toContain('"active_num":2,"should_num":6')
      expect(text).toContain('"record_num":2')
      expect(text.match(/"workno":"5[12]00"/g)).toHaveLength(2)
      expect(text).not.toContain('"online":true')
    },
  )
  lastState = await readStateThere()
})

// The paths of each permission, by the table in decisions. The copy here finds paths declared with the wrong
// permission.
const everybody =
  /^(auth\/get|user\/(login\/off|password\/update|employee|email\/code|email\/update|view\/.*|column\/update)|personal\/update|notice\/.*)$/
const employeeSide =
  /^(user\/login\/switch|personal\/(account|team)|personal\/(calendar|company|dashboard|punch|record|report|request)\/.*)$/
const everyManager =
  /^(dashboard|location|timezone|task)\/|^company\/(list|get|select|add|industry_list|size_list)$|^(department|holiday|shift|role)\/all$|^personal\/login\/switch$/
const administrators =
  /^(apikey|company|role|holiday|webhooks|audit)\/|^employee\/(erase|data|former|sign_in)(\/|$)|^report\/(lock\/(update|preview)|close\/add|template\/(add|update|delete|preview))$|^(approve|leave(\/account)?)\/params\/update$/
const pathsOf: Record<string, RegExp> = {
  1: /^department\//,
  2: /^device\//,
  3: /^(employee|qrcode)\//,
  4: /^$/,
  5: /^(attparams|report\/params)(\/|$)/,
  6: /^(shift|attparams)\//,
  7: /^schedule\//,
  8: /^(report\/|leave\/account\/(get|grid|params)$|exception\/(?!fix|restore)|employee\/(get|photo\/list)$)/,
  9: /^((record|temperature)\/|exception\/(fix|restore)$|report\/day$|employee\/(get|photo\/list)$)/,
  10: /^((approve|leave)\/|report\/day$|employee\/(get|photo\/list)$)/,
  11: /^temperature\//,
}
/** Paths for persons only: own data, decisions, and credentials. */
const noKeys =
  /^(approve\/(update|comment|delegate|shift|overtime)|leave\/add|report\/mail|company\/(add|list|select)|personal)(\/|$)|^employee\/(send_qrcode|login_link|qrcode|attendance\/((finger|face)\/)?get)$|^device\/(add|secret)$/
const isKey = (caller: string) => /^(key|a key)/.test(caller)
const permissionsOf = (caller: string): readonly number[] =>
  /^(permission|key)/.test(caller)
    ? [Number(caller.split(' ')[1])]
    : caller === 'the department leader'
      ? [7, 8, 9, 10]
      : allPermissions
const mayCall = (caller: string, path: Path, { writes }: Declaration): boolean => {
  if (isKey(caller) && (everybody.test(path) || noKeys.test(path) || (writes && caller === readingKey))) return false
  if (everybody.test(path)) return true
  if (employeeSide.test(path) || caller === 'an employee') return employeeSide.test(path) && caller === 'an employee'
  if (everyManager.test(path)) return true
  if (administrators.test(path)) return caller === 'the administrator'
  return permissionsOf(caller).some(number => pathsOf[number]?.test(path))
}
const guarded = paths.filter(([, { who }]) => who !== 'anyone')
/** The short tier tries every eighth caller with a single permission that a path refuses, in turn. */
const callersFor = (path: Path, declaration: Declaration) => {
  const at = guarded.findIndex(([each]) => each === path)
  return [...callers.keys()].filter(
    (name, i) => !isShort || !/\d/.test(name) || (i + at) % 8 === 0 || mayCall(name, path, declaration),
  )
}
/** The short tier calls one path of each group with equal declarations. */
const kindOf = ([path, { who, writes, isPersonal, answersSecret }]: (typeof guarded)[number]) =>
  JSON.stringify([path.split('/')[0], who, writes, isPersonal, answersSecret])
const representatives = [...Map.groupBy(guarded, kindOf).values()].flatMap(([first]) => (first ? [first] : []))

describe('of all kinds of callers', () => {
  test.each(isShort ? representatives : guarded)('only permitted callers may call %s', async (path, declaration) => {
    // Only a permitted call reaches the validation, and the invalid input does nothing.
    const junk = JSON.stringify({ ...sampleInput(path, here.names), surprise: 1 })
    for (const name of callersFor(path, declaration)) {
      const answer = await http.send(path, junk, { 'x-token': tokenOf(name), ...headers })
      const label = `${name}: ${JSON.stringify(answer)}`
      expect(answer.status, label).toBe(200)
      if (name === 'who has no role') expect(answer, label).toMatchObject({ code: 502 })
      else if (mayCall(name, path, declaration))
        expect(answer, label).toMatchObject({ code: 10002, fields: { surprise: 60003 } })
      else expect(answer, label).toMatchObject({ code: 60005 })
    }
  })
})

/**
 * Excludes paths that change data of the company or of the caller. Shifts and parameters belong to the company.
 * Passwords, names and scheduled reports belong to the caller.
 */
const isOfDepartments = (path: Path, { writes }: Declaration) =>
  !(writes && /^(attparams|notice|shift|user|personal|report\/(mail|params|since))\//.test(path))
/** Callers limited to one department. */
const limited = [
  ...allPermissions.map(number => `permission ${number}`),
  ...['every permission', 'the department leader', wholeKey],
]
const walked = guarded.flatMap(([path, declaration]) =>
  endsSession(path) || !isOfDepartments(path, declaration)
    ? []
    : limited
        .filter(caller => mayCall(caller, path, declaration))
        // A path that every manager may call behaves alike for each permission.
        .filter(caller => Array.isArray(declaration.who) || !caller.startsWith('permission'))
        // The short tier tries one caller for each path.
        .slice(isShort ? -1 : 0)
        .map(caller => ({ path, caller, writes: declaration.writes })),
)
/** The short tier compares the state of the other department after every tenth write. No change can go unnoticed. */
const writing = walked.filter(({ writes }) => writes)
const compared = new Set(writing.filter((_, i) => !isShort || i % 10 === 9 || i === writing.length - 1))
/** The parameters that can name an object of a department. */
const namingParameters = [
  ...([
    'id',
    'ids',
    'department',
    'departments',
    'parent',
    'employee',
    'employees',
    'serialNumber',
    'plan',
    'exceptions',
    'absences',
    'requests',
  ] as const),
]
/** Paths without a parameter that names an object of a department. The server checks sheets row by row. Templates belong to the company. */
const namesNothing = (path: Path) =>
  /^(department|employee|schedule)\/import$|^task\/upload$|^schedule\/template\/|^approve\/delegate\/delete$/.test(path)

/**
 * Inputs that are valid in the caller’s department, except for one parameter or list filter of the other department.
 */
const trespasses = (path: Path) => {
  const [ownInput, otherInput] = [sampleInput(path, here.names), sampleInput(path, there.names)]
  const { from, to, year, ...filters } = { ...Object(otherInput.filters) } as typeof ownInput
  const days = { ...(from !== undefined && { from, to }), ...(year !== undefined && { year }) }
  const inputs = [...namingParameters, 'search'].flatMap(name => [
    ...(name in ownInput ? [{ name, input: { ...ownInput, [name]: otherInput[name] } }] : []),
    ...(name in filters ? [{ name, input: { ...ownInput, filters: { ...days, [name]: filters[name] } } }] : []),
  ])
  return inputs.filter(({ input }) => [...there.ids, marker].some(id => JSON.stringify(input).includes(id)))
}

/** The result of a task, and its file. */
const resultOf = async (token: string, task: string) => {
  const result = await taskEnd(http, { token }, { task })
  return [result, result.file ? await (await fetch(result.file.url)).text() : '']
}

describe('a manager of one department', () => {
  test.each(walked)('reaches no data of the other through $path with $caller', async one => {
    const { path, caller, writes } = one
    const token = tokenOf(caller)
    const send = (input: object) => http.send(path, JSON.stringify(input), { 'x-token': token, ...headers })
    const inputs = trespasses(path)
    if (writes) expect(inputs.length > 0 || namesNothing(path)).toBe(true)
    else {
      const answer = await send(sampleInput(path, here.names))
      // A task belongs to its author, not to a department.
      expect(answer.code, JSON.stringify(answer)).toBe(path === 'task/get' ? 60004 : 0)
      expectNothingOfThere(answer)
    }
    for (const { name, input } of inputs) {
      const answer = await send(input)
      const label = `${name} ${JSON.stringify(answer)}`
      expect(answer.status, label).toBe(200)
      const { task } = Object(answer.data) as { task?: string }
      if (task) expectNothingOfThere(await resultOf(token, task))
      // The count excludes employees of the other department.
      else if (isCount(path)) expect([answer.code, Object(answer.data).count ?? 0], label).toEqual([0, 0])
      // The total excludes days of the other department.
      else if (path === 'report/total')
        expect(Math.max(...Object.values(Object(answer.data).figures as Record<string, number>)), label).toBe(0)
      // The summary excludes measurements of the other department.
      else if (path === 'temperature/summary')
        expect(answer, label).toMatchObject({ code: 0, data: { measured: 0, high: 0, withoutMask: 0 } })
      // No object of the caller’s department matches.
      else if (leavesOut(path) || name === 'search')
        expect(answer, label).toMatchObject({ code: 0, data: { list: [] } })
      else {
        // 60015 reports a taken serial number, whichever department owns it.
        expect(path === 'device/add' ? [60004, 60015] : [60004, 60005], label).toContain(answer.code)
        expect(Object.keys(answer.fields ?? {})[0], label).toMatch(new RegExp(`^${name}`))
      }
      expectNothingOfThere(answer)
    }
    if (!compared.has(one)) return
    const before = lastState
    lastState = await readStateThere()
    expect(lastState).toBe(before)
  })

  test.each(['the personnel manager', 'the administrator'])(
    'does not include %s, who sees both departments',
    async caller => {
      const by = { token: tokenOf(caller), headers }
      for (const list of await readLists(by, there.names.department)) expect(list.list.length).toBeGreaterThan(0)
      const text = JSON.stringify(await readLists(by))
      for (const place of [here, there]) for (const id of place.ids) expect(text).toContain(id)
    },
  )
})

describe('a manager of one department with every permission', () => {
  test('sees only the data of that department, and all of it, in every list and every figure', async () => {
    const { department = '', serialNumber = '' } = here.names
    const lists = await readLists(mona)
    const [departments, all, quarantined, orphans, info, today, absent, yesterday] = await readFigures(mona)
    expectNothingOfThere([lists, departments, all, quarantined, orphans, info, today, absent, yesterday])
    const [employees, devices, scheduled, records, days] = lists
    expect(employees).toMatchObject({ count: 7 })
    expect(devices).toMatchObject({ count: 1, list: [{ serialNumber }] })
    expect(scheduled).toMatchObject({ count: 7 })
    expect(records.list).toMatchObject([{ workno: '100' }])
    expect(days.list.map(({ workno }) => workno).sort()).toEqual(['100', '101', '102'])
    expect(departments).toMatchObject({ count: 1, list: [{ id: department, employeeCount: 7, deviceCount: 1 }] })
    expect(all.list.map(({ id }) => id)).toEqual([department])
    expect(quarantined.list).toMatchObject([{ serialNumber }])
    expect((await http.call('device/quarantine', { size: 1 }, mona)).list).toMatchObject([{ serialNumber }])
    expect(orphans.list).toEqual([])
    expect(info).toEqual({ employee_num: 7, record_num: 1, device_num: 1, device_online_num: 0 })
    expect(today).toMatchObject({ active_num: 1, should_num: 3, percentage: 33 })
    expect(absent).toMatchObject({ count: 2 })
    expect(yesterday).toMatchObject({ early: 0, late: 0, exception: 0, over: 0, absent: 0 })
  })

  test('finds nothing with filters for the other department or its employees', async () => {
    const { department = '', employee = '' } = there.names
    const lists = await readLists(mona, department)
    for (const { list } of lists) expect(list).toEqual([])
    const filters = { ...range.filters, employee }
    expect((await http.call('record/grid', { filters }, mona)).list).toEqual([])
    expect((await http.call('report/grid', { filters }, mona)).list).toEqual([])
    for (const { list } of await Promise.all([
      http.call('employee/grid', { filters: { search: marker } }, mona),
      http.call('department/grid', { filters: { search: marker } }, mona),
      http.call('device/grid', { filters: { search: marker } }, mona),
      http.call('schedule/grid', { filters: { ...range.filters, search: '200' } }, mona),
    ]))
      expect(list).toEqual([])
  })

  test('cannot change employees with management rights', async () => {
    const readEmployee = async (id: string) => {
      const stored = (await http.call('employee/grid', {}, boss)).list.find(employee => employee.id === id)
      if (!stored) throw new Error(`No employee ${id}`)
      return stored
    }
    for (const id of [administrator, otherManager]) {
      const before = await readEmployee(id)
      const { version, first_name, last_name, workno, department, email, role, roleId } = before
      const form = { id, version, first_name, last_name, workno, department, email, role, roleId }
      const refused = { status: 200, code: 60005 }
      for (const changes of [
        { password: 'Another#42' },
        { first_name: 'Renamed' },
        { email: 'mona@example.com' },
        { role: roles.employee, roleId: undefined },
        { role: roles.none, roleId: undefined },
        { endDay: '2020-01-01' },
      ])
        expect(await http.ask('employee/update', { ...form, ...changes }, mona), JSON.stringify(changes)).toMatchObject(
          refused,
        )
      expect(await http.ask('employee/delete', { id }, mona)).toMatchObject(refused)
      expect(await http.ask('employee/photo', { id, type: 'image/png' }, mona)).toMatchObject(refused)
      expect(await http.ask('employee/photo/save', { id, upload: id }, mona)).toMatchObject(refused)
      expect(await http.ask('employee/photo/delete', { id }, mona)).toMatchObject(refused)
      expect(await readEmployee(id)).toEqual(before)
    }
  })

  test('cannot assign a role, not even to herself', async () => {
    const { department = '' } = here.names
    const self = await http.call('user/employee', {}, mona)
    const { id, version, first_name, last_name, workno, email } = self
    const form = { id, version, first_name, last_name, workno, email, department }
    for (const more of [{ role: roles.administrator }, { role: roles.manager, roleId: monaRole }]) {
      const person = { first_name: 'New', last_name: 'N', workno: '399', department, ...more }
      expect(await http.ask('employee/add', person, mona)).toMatchObject({ code: 60005, fields: { role: 60005 } })
    }
    expect(await http.ask('employee/update', { ...form, role: roles.administrator }, mona)).toMatchObject({
      code: 60005,
    })
    const role = { name: 'All', permissions: allPermissions, departments: [there.names.department ?? ''] }
    expect(await http.ask('role/add', role, mona)).toMatchObject({ code: 60005 })
  })

  test('cannot move her department to the top, and cannot add a department there', async () => {
    const { department: id = '' } = here.names
    const readDepartment = async () => (await http.call('department/grid', {}, boss)).list.find(item => item.id === id)
    const before = await readDepartment()
    const version = before?.version ?? 0
    expect(await http.ask('department/update', { id, version, name: 'Here' }, mona)).toMatchObject({
      status: 200,
      fields: { parent: expect.any(Number) },
    })
    expect(await readDepartment()).toEqual(before)
    expect(await http.ask('department/add', { name: 'On top' }, mona)).toMatchObject({ code: 60005 })
    // She may change the other fields of her department.
    await http.call('department/update', { id, version, name: 'Here', parent: company.department, tel: '210' }, mona)
    expect(await readDepartment()).toMatchObject({ parent: company.department, tel: '210' })
  })

  test('adds a department below her own, sees it and works in it', async () => {
    const { department: parent = '' } = here.names
    const { id } = await http.call('department/add', { name: 'Below', parent }, mona)
    const { list } = await http.call('department/grid', {}, mona)
    expect(list.map(item => item.id).sort()).toEqual([id, parent].sort())
    expect((await http.call('department/all', {}, mona)).list.map(item => item.id)).toContain(id)
    const person = { first_name: 'New', last_name: 'N', workno: '401', department: id }
    const { id: employee } = await http.call('employee/add', person, mona)
    const employees = await http.call('employee/grid', { filters: { department: id } }, mona)
    expect(employees.list).toMatchObject([{ id: employee }])
    const version = list.find(item => item.id === id)?.version ?? 0
    await http.call('department/update', { id, version, name: 'Lower', parent }, mona)
    await http.call('employee/delete', { id: employee }, mona)
    await http.call('department/delete', { id }, mona)
    expect((await http.call('department/grid', {}, mona)).count).toBe(1)
  })
})
