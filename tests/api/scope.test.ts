import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { Path } from '../../shared/api.ts'
import type { Declaration } from '../../shared/contract.ts'
import { allPermissions, isPermission, roles } from '../../shared/permissions.ts'
import { canonical } from '../kit/canonical.ts'
import { client, eventually, invite, type Registered, register, strongPassword } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { isCount, isGrid, type Names, paths, sampleInput } from '../kit/sample.ts'
import { taskEnd } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'
import { isShort } from '../kit/tier.ts'

// Who may call what, and whom it reaches: every declared path, called by everybody there can be. One company, two departments
// beside each other; who manages one of them sees and changes nothing of the other, and nobody above them.

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
  /** Its ids by the names parameters give them. */
  names: Names
  /** Everything of it that an answer could name. */
  ids: string[]
}

let company: Registered
let here: Place
let there: Place
/** The administrator, and the manager of `here`. */
let boss: { token: string; headers: Record<string, string> }
let mona: { token: string; headers: Record<string, string> }
let monaRole: string
/** The state of `there` when somebody last looked. */
let known: string
/** Employees of `here` with a power of their own. */
let administrator: string
let otherManager: string
/** Everybody there can be, by what they are. */
const callers = new Map<string, string>()
/** Keys alike, for one may not call as often as a walk does. */
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

/** Programs: with each permission alone, with all of them, and with all but nothing to be changed. */
const gatherKeys = async () => {
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

/** One who holds each permission alone, those of the system's roles, and those without any. */
const gatherCallers = async () => {
  const { department = '' } = here.names
  for (const number of allPermissions) {
    const form = { name: `Only ${number}`, permissions: [number], departments: [department] }
    const { id: roleId } = await http.call('role/add', form, boss)
    const only = await manager(`Only ${number}`, String(600 + number), company.department, roleId)
    callers.set(`permission ${number}`, only.token)
  }
  const leader = await manager('Lea', '304', department, 'departmentleader')
  const everywhere = await manager('Pat', '620', company.department, 'personnelmanager')
  const employee = { first_name: 'Emil', last_name: 'E', workno: '621', department: company.department }
  const nobody = await manager('Noa', '622', company.department, 'personnelmanager')
  const { version, ...form } = await http.call('user/employee', {}, nobody)
  const { id, first_name, last_name, workno } = form
  const without = { id, version, first_name, last_name, workno, department: company.department, role: roles.none }
  await http.call('employee/update', without, boss)
  for (const [name, token] of [
    ['every permission', mona.token],
    ['the department leader', leader.token],
    ['the personnel manager', everywhere.token],
    ['the administrator', boss.token],
    ['an employee', (await invite(http, boss, employee)).token],
    ['who has no role', nobody.token],
  ] as const)
    callers.set(name, token)
}

/** A department with a terminal and three scheduled employees, of whom one has punched, and one frame nobody could file. */
const furnish = async (name: string, firstWorkno: number, shift: string): Promise<Place> => {
  const { id: department } = await http.call('department/add', { name, parent: company.department }, boss)
  const employees: string[] = []
  for (const offset of [0, 1, 2])
    employees.push(await addPerson(String(firstWorkno + offset), department, offset === 0 ? { password } : {}, name))
  await http.call('schedule/add', { employees, days: [day], shift }, boss)
  const signIn = { code: company.company_num, workno: String(firstWorkno), password }
  const asked = { leaveType: 3, date: day, isAllDay: false, from: '16:00', to: '18:00', notes: name }
  const { id: request } = await http.call(
    'personal/request/leave/add',
    asked,
    await http.call('personal/login', signIn),
  )
  // What she manages stands behind what she does not.
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
  return {
    names: {
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

/** All that a caller sees of people, terminals, days and figures. */
const everythingSeen = (by: typeof boss, department?: string) => {
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
const figuresSeen = (by: typeof boss) =>
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
  ])
/** What the administrator sees of the other department. */
const stateThere = async () => {
  const { department = '', serialNumber = '' } = there.names
  const [departments, , quarantined] = await figuresSeen(boss)
  return canonical([
    await everythingSeen(boss, department),
    departments.list.find(({ id }) => id === department),
    quarantined.list.filter(found => found.serialNumber === serialNumber),
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
  const department = here.names.department ?? ''
  const { roleId, token } = await managerOf('Mona', '301', department)
  monaRole = roleId
  mona = { token, headers }
  otherManager = (await managerOf('Max', '302', department)).id
  administrator = await addPerson('303', department, { role: 1, password })
  await gatherCallers()
  await gatherKeys()
  await eventually(
    async () => JSON.stringify([await everythingSeen(boss), await figuresSeen(boss)]),
    text => {
      expect(text).toContain('"active_num":2,"should_num":6')
      expect(text).toContain('"record_num":2')
      expect(text.match(/"workno":"5[12]00"/g)).toHaveLength(2)
      expect(text).not.toContain('"online":true')
    },
  )
  known = await stateThere()
})

// What each permission opens, by the table of decisions. It stands here a second time, so that a path that is declared for
// somebody else than its group is found.
const everybody =
  /^(auth\/get|user\/(login\/off|password\/update|employee|email\/code|email\/update)|personal\/update|notice\/.*)$/
const employeeSide = /^(user\/login\/switch|personal\/(dashboard|punch|record|report|request)\/.*)$/
const everyManager =
  /^(dashboard|location|timezone|task)\/|^company\/(list|get|select|add|industry_list|size_list)$|^(department|holiday|shift|role)\/all$|^personal\/login\/switch$/
const administrators =
  /^(apikey|company|role|holiday|webhooks|audit)\/|^employee\/(erase|data|former|sign_in)(\/|$)|^report\/lock\/(update|preview)$|^(approve|leave)\/params\/update$/
const opens: Record<string, RegExp> = {
  1: /^department\//,
  2: /^device\//,
  3: /^(employee|qrcode)\//,
  4: /^$/,
  5: /^(attparams|report\/params)(\/|$)/,
  6: /^(shift|attparams)\//,
  7: /^schedule\//,
  8: /^(report|exception)\//,
  9: /^(record|temperature)\//,
  10: /^(approve|leave)\//,
  11: /^temperature\//,
}
/** A person's own, a person's judgement, and what somebody signs in with or is read by at a terminal. */
const noKeys =
  /^(approve\/(update|comment|delegate)|report\/mail|company\/(add|list|select)|personal)(\/|$)|^employee\/(send_qrcode|login_link|qrcode|attendance\/((finger|face)\/)?get)$|^device\/(add|secret)$/
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
  return permissionsOf(caller).some(number => opens[number]?.test(path))
}
const guarded = paths.filter(([, { who }]) => who !== 'anyone')
/** The short tier calls one path for all paths of a group that declare the same rights. */
const kindOf = ([path, { who, writes, isPersonal, answersSecret }]: (typeof guarded)[number]) =>
  JSON.stringify([path.split('/')[0], who, writes, isPersonal, answersSecret])
const representatives = [...Map.groupBy(guarded, kindOf).values()].flatMap(([first]) => (first ? [first] : []))

describe('of all there can be', () => {
  test.each(isShort ? representatives : guarded)('only who may calls %s', async (path, declaration) => {
    // What is refused for its input alone was permitted, and does nothing.
    const junk = JSON.stringify({ ...sampleInput(path, here.names), surprise: 1 })
    for (const name of callers.keys()) {
      const answer = await http.send(path, junk, { 'x-token': tokenOf(name), ...headers })
      const what = `${name}: ${JSON.stringify(answer)}`
      expect(answer.status, what).toBe(200)
      if (name === 'who has no role') expect(answer, what).toMatchObject({ code: 502 })
      else if (mayCall(name, path, declaration))
        expect(answer, what).toMatchObject({ code: 10002, fields: { surprise: 60003 } })
      else expect(answer, what).toMatchObject({ code: 60005 })
    }
  })
})

const endsSession = (path: Path) => /login\/(off|switch)$|^company\/(select|add)$/.test(path)
/**
 * Shifts and parameters belong to the company, so who may change them changes them for all; a password, a name and a mailed report
 * belong to their person.
 */
const isOfDepartments = (path: Path, { writes }: Declaration) =>
  !(writes && /^(attparams|notice|shift|user|personal|report\/(mail|params))\//.test(path))
/** Those who manage one department: everybody with some permission there. */
const limited = [
  ...allPermissions.map(number => `permission ${number}`),
  ...['every permission', 'the department leader', wholeKey],
]
const walked = guarded.flatMap(([path, declaration]) =>
  endsSession(path) || !isOfDepartments(path, declaration)
    ? []
    : limited
        .filter(caller => mayCall(caller, path, declaration))
        // What opens to every manager is no other thing to each of them.
        .filter(caller => Array.isArray(declaration.who) || !caller.startsWith('permission'))
        // The short tier tries one caller for each path.
        .slice(isShort ? -1 : 0)
        .map(caller => ({ path, caller, writes: declaration.writes })),
)
/** The parameters that can name a thing of a department. */
const naming = [
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
    'requests',
  ] as const),
]
/** What is in their sheet is judged row by row, and nothing else is named, nor by sending one; who stands in for somebody is theirs alone. */
const namesNothing = (path: Path) =>
  /^(department|employee|schedule)\/import$|^task\/upload$|^approve\/delegate\/delete$/.test(path)

/** Inputs that are right in one's own department but for one parameter, or one filter of a list, that names the other's. */
const trespasses = (path: Path) => {
  const [own, other] = [sampleInput(path, here.names), sampleInput(path, there.names)]
  const { from, to, year, ...filters } = { ...Object(other.filters) } as typeof own
  const days = { ...(from !== undefined && { from, to }), ...(year !== undefined && { year }) }
  const inputs = [...naming, 'search'].flatMap(name => [
    ...(name in own ? [{ name, input: { ...own, [name]: other[name] } }] : []),
    ...(name in filters ? [{ name, input: { ...own, filters: { ...days, [name]: filters[name] } } }] : []),
  ])
  return inputs.filter(({ input }) => [...there.ids, marker].some(id => JSON.stringify(input).includes(id)))
}

/** What came of a task, and its file. */
const resultOf = async (token: string, task: string) => {
  const told = await taskEnd(http, { token }, { task })
  return [told, told.file ? await (await fetch(told.file.url)).text() : '']
}

describe('who manages one department', () => {
  test.each(walked)('reaches nothing of the other through $path with $caller', async ({ path, caller, writes }) => {
    const token = tokenOf(caller)
    const send = (input: object) => http.send(path, JSON.stringify(input), { 'x-token': token, ...headers })
    const inputs = trespasses(path)
    if (writes) expect(inputs.length > 0 || namesNothing(path)).toBe(true)
    else {
      const own = await send(sampleInput(path, here.names))
      // A task is its own person's, and belongs to no department.
      expect(own.code, JSON.stringify(own)).toBe(path === 'task/get' ? 60004 : 0)
      expectNothingOfThere(own)
    }
    for (const { name, input } of inputs) {
      const answer = await send(input)
      const what = `${name} ${JSON.stringify(answer)}`
      expect(answer.status, what).toBe(200)
      const { task } = Object(answer.data) as { task?: string }
      if (task) expectNothingOfThere(await resultOf(token, task))
      // Nobody of there is counted.
      else if (isCount(path)) expect([answer.code, Object(answer.data).count ?? 0], what).toEqual([0, 0])
      // No day of there is added.
      else if (path === 'report/total')
        expect(Math.max(...Object.values(Object(answer.data).figures as Record<string, number>)), what).toBe(0)
      // Nobody of there was measured.
      else if (path === 'temperature/summary')
        expect(answer, what).toMatchObject({ code: 0, data: { measured: 0, high: 0, withoutMask: 0 } })
      // Nobody is called so here.
      else if (isGrid(path) || name === 'search') expect(answer, what).toMatchObject({ code: 0, data: { list: [] } })
      else {
        // 60015 says that a serial number is taken, which has to be said whoever has it.
        expect(path === 'device/add' ? [60004, 60015] : [60004, 60005], what).toContain(answer.code)
        expect(Object.keys(answer.fields ?? {})[0], what).toMatch(new RegExp(`^${name}`))
      }
      expectNothingOfThere(answer)
    }
    if (!writes) return
    const before = known
    known = await stateThere()
    expect(known).toBe(before)
  })

  test.each(['the personnel manager', 'the administrator'])('is not %s, who sees both', async caller => {
    const by = { token: tokenOf(caller), headers }
    for (const found of await everythingSeen(by, there.names.department)) expect(found.list.length).toBeGreaterThan(0)
    const text = JSON.stringify(await everythingSeen(by))
    for (const place of [here, there]) for (const id of place.ids) expect(text).toContain(id)
  })
})

describe('a manager of one department with every permission', () => {
  test('sees what is in it, all of it and nothing else, in every list and every figure', async () => {
    const { department = '', serialNumber = '' } = here.names
    const lists = await everythingSeen(mona)
    const [departments, all, quarantined, orphans, info, today, absent, yesterday] = await figuresSeen(mona)
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

  test('finds nothing by naming the other department or somebody in it', async () => {
    const { department = '', employee = '' } = there.names
    const found = await everythingSeen(mona, department)
    for (const { list } of found) expect(list).toEqual([])
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

  test('changes nobody with a power of their own, in no way', async () => {
    const read = async (id: string) => {
      const found = (await http.call('employee/grid', {}, boss)).list.find(employee => employee.id === id)
      if (!found) throw new Error(`No employee ${id}`)
      return found
    }
    for (const id of [administrator, otherManager]) {
      const before = await read(id)
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
      expect(await read(id)).toEqual(before)
    }
  })

  test('gives nobody a role, and can give herself none', async () => {
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

  test('does not move her department to the top, and has none at the top', async () => {
    const { department: id = '' } = here.names
    const read = async () => (await http.call('department/grid', {}, boss)).list.find(found => found.id === id)
    const before = await read()
    const version = before?.version ?? 0
    expect(await http.ask('department/update', { id, version, name: 'Here' }, mona)).toMatchObject({
      status: 200,
      fields: { parent: expect.any(Number) },
    })
    expect(await read()).toEqual(before)
    expect(await http.ask('department/add', { name: 'On top' }, mona)).toMatchObject({ code: 60005 })
    // Its other particulars are hers to change.
    await http.call('department/update', { id, version, name: 'Here', parent: company.department, tel: '210' }, mona)
    expect(await read()).toMatchObject({ parent: company.department, tel: '210' })
  })

  test('adds a department below her own, sees it and works in it', async () => {
    const { department: parent = '' } = here.names
    const { id } = await http.call('department/add', { name: 'Below', parent }, mona)
    const { list } = await http.call('department/grid', {}, mona)
    expect(list.map(found => found.id).sort()).toEqual([id, parent].sort())
    expect((await http.call('department/all', {}, mona)).list.map(found => found.id)).toContain(id)
    const person = { first_name: 'New', last_name: 'N', workno: '401', department: id }
    const { id: employee } = await http.call('employee/add', person, mona)
    const found = await http.call('employee/grid', { filters: { department: id } }, mona)
    expect(found.list).toMatchObject([{ id: employee }])
    const version = list.find(found => found.id === id)?.version ?? 0
    await http.call('department/update', { id, version, name: 'Lower', parent }, mona)
    await http.call('employee/delete', { id: employee }, mona)
    await http.call('department/delete', { id }, mona)
    expect((await http.call('department/grid', {}, mona)).count).toBe(1)
  })
})
