import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Path } from '../../shared/api.ts'
import { apiKeyKey } from '../../shared/apikey.ts'
import { companyKey } from '../../shared/company.ts'
import type { Declaration } from '../../shared/contract.ts'
import { departmentKey } from '../../shared/department.ts'
import { employeeKey } from '../../shared/employee.ts'
import { leaveBookKey } from '../../shared/leave.ts'
import { addDays } from '../../shared/local-day.ts'
import { reportMailKey } from '../../shared/report/mail.ts'
import { reportTemplateKey } from '../../shared/report/template.ts'
import { roleKey } from '../../shared/role.ts'
import { scheduleTemplateKey } from '../../shared/schedule/template.ts'
import { shiftKey } from '../../shared/shift.ts'
import { webhookKey } from '../../shared/webhooks.ts'
import { canonical } from '../kit/canonical.ts'
import {
  askCode,
  type Client,
  client,
  eventually,
  invitationIn,
  type Registered,
  register,
  strongPassword,
} from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { type Furnished, furnish } from '../kit/furnish.ts'
import { differences, type Neighbour, plantNeighbour } from '../kit/neighbour.ts'
import { jpeg } from '../kit/picture.ts'
import { endsSession, inputOf, isGrid, type Names, paths, sampleInput, wholeGrid } from '../kit/sample.ts'
import { sendSheet, taskEnd } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'
import { isShort } from '../kit/tier.ts'
import { upload } from '../kit/upload.ts'

// Two companies have the same ids, because the test plants a copy of the first company in the table. The test calls
// every declared path as the first company. No data of the copy may change. The client of these tests checks that no
// response contains a word of the copy.

const word = 'Quagga'
const zone = eveningZone()
const day = dayIn(zone)

let world: StackWithTable
let http: Client
let company: Registered
let furnished: Furnished
let neighbour: Neighbour
let before: Record<string, string>
/** The responses of all reading paths before the copy existed. */
const soloResponses = new Map<Path, string>()

/** Responses that differ each time: forms and addresses of files, and the list of views. */
const differsEachTime = (path: Path) =>
  /^(company\/logo|employee\/photo|personal\/request\/upload|task\/upload|audit\/grid|record\/since)$|\/template$/.test(
    path,
  )
/** A response without the signatures of addresses, which expire, and without sealed cursors, which always differ. */
const comparable = (answer: unknown) =>
  canonical(answer)
    .replace(/\?[^"]*X-Amz-[^"]*/g, '')
    .replace(/"cursor":"[^"]*"/g, '')
const reads = (declaration: Declaration) => !declaration.writes && declaration.who !== 'anyone'
/** Paths that remove an object which no other path needs. */
const removes = (path: Path) =>
  /^(apikey|department|device|employee|holiday|report\/(mail|template)|role|shift|webhooks\/endpoint)\/(delete|erase)$/.test(
    path,
  )

const newToken = async ({ who }: Declaration) => {
  const { token } =
    who === 'employee'
      ? await http.call('personal/login', {
          code: company.company_num,
          workno: furnished.employee.workno,
          password: strongPassword,
        })
      : await http.call('user/login', { email: company.email, password: strongPassword })
  return token
}
const send = async (path: Path, declaration: Declaration, input: object) => {
  const token = endsSession(path)
    ? await newToken(declaration)
    : declaration.who === 'employee'
      ? furnished.employee.token
      : company.token
  return http.send(path, JSON.stringify(input), {
    ...(declaration.who !== 'anyone' && { 'x-token': token }),
    ...(declaration.needsTimezone && { 'x-timezone': zone }),
  })
}

/** The version of the object that a path changes. */
const versionOf = async (path: Path, names: Names): Promise<string> => {
  const keys: Record<string, { pk: string; sk: string }> = {
    apikey: apiKeyKey(names.apikey ?? ''),
    approve: companyKey(),
    attparams: companyKey(),
    company: companyKey(),
    report: companyKey(),
    leave: path.endsWith('/params/update') ? companyKey() : leaveBookKey(names.employee ?? ''),
    department: departmentKey(names.department ?? ''),
    employee: employeeKey(names.employee ?? ''),
    role: roleKey(names.role ?? ''),
    shift: shiftKey(names.shift ?? ''),
    schedule: scheduleTemplateKey(names.schedule ?? ''),
    webhooks: webhookKey(names.webhooks ?? ''),
  }
  const [group = ''] = path.split('/')
  if (group === 'device') {
    const { serialNumber = '' } = names
    return String((await http.call('device/get', { serialNumber }, company)).version)
  }
  const key =
    path === 'report/mail/update'
      ? reportMailKey(names.report ?? '')
      : path === 'report/template/update'
        ? reportTemplateKey(names.template ?? '')
        : keys[group]
  return String((key && (await world.look<{ version: number }>(key, company.company)))?.version ?? 1)
}

/** Uploads a picture and returns its id. */
const sendPicture = async (path: 'company/logo' | 'employee/photo'): Promise<Names> => {
  const type = 'image/jpeg' as const
  const id = furnished.names.employee ?? ''
  const { upload: uploadId, ...form } =
    path === 'company/logo' ? await http.call(path, { type }, company) : await http.call(path, { id, type }, company)
  expect((await upload(form, jpeg)).status).toBe(204)
  return { upload: uploadId }
}
/** Uploads an attachment of a request and returns its id. */
const sendAttachment = async (): Promise<Names> => {
  const { upload: uploadId, ...form } = await http.call(
    'personal/request/upload',
    { type: 'image/jpeg' },
    furnished.employee,
  )
  expect((await upload(form, jpeg)).status).toBe(204)
  return { upload: uploadId }
}
let requestCount = 0
/** Adds a request and returns its id. */
const addRequest = async (): Promise<Names> => {
  const minute = String(requestCount++ * 2 + 10)
  const overtime = { date: day, from: `23:${minute}`, to: `23:${Number(minute) + 1}` }
  return { request: (await http.call('personal/request/overtime/add', overtime, furnished.employee)).id }
}
/** Adds a punch as a manager, and returns a free time to move it to. */
const addCorrection = async (): Promise<Names> => {
  const { employee = '' } = furnished.names
  const minute = String(corrections++ * 2 + 10)
  const form = { employee, date: day, time: `02:${minute}`, reason: word }
  const { punch } = await http.call('record/add', form, company)
  return { employee, punch, version: '1', time: `02:${Number(minute) + 1}` }
}
let corrections = 0
/** Corrects a punch of the signed-in employee under a rule that lets them answer. */
const addOwnCorrection = (correctionRule: 'agreement' | 'objection') => async (): Promise<Names> => {
  const setRule = async (rule: 'agreement' | 'objection' | 'manager') => {
    const { version } = await http.call('company/correction', {}, company)
    await http.call('company/correction/update', { version, correctionRule: rule, objectionDays: 7 }, company)
  }
  await setRule(correctionRule)
  const minute = String(corrections++ * 2 + 10)
  const form = { employee: furnished.names.requester ?? '', date: day, time: `02:${minute}`, reason: word }
  const { punch } = await http.call('record/add', form, company)
  await setRule('manager')
  return { punch, version: '1' }
}
/** An open exception of the day of `furnish`. */
const findException = async (state: 'open'): Promise<Names> => {
  const { list } = await http.call('exception/grid', { filters: { from: day, to: day, state } }, company)
  const [exception] = list
  if (!exception) throw new Error(`No ${state} exception`)
  const { employee, shift, type, minutes, proposal } = exception
  return {
    ...{ employee, shift: shift ?? '', day, type, minutes: String(minutes) },
    ...(proposal?.at !== undefined && { at: proposal.at }),
  }
}
/** A fix of a reviewed exception and a correction of the same employee, to take back. */
const addFix = async (): Promise<Names> => {
  const { list } = await http.call('exception/grid', { filters: { from: day, to: day, state: 'accepted' } }, company)
  const { employee = '', shift = null, type = 'missingOut', minutes = 0 } = list[0] ?? {}
  const exceptions = [{ employee, day, shift, type, minutes }]
  await http.call('exception/reopen', { exceptions }, company)
  await http.call('exception/fix', { exceptions, action: 'absent', reason: word }, company)
  const form = { employee, date: day, time: '00:30', reason: word }
  const { punch } = await http.call('record/add', form, company)
  return { employee, day, shift: shift ?? '', punch, version: '1' }
}
/** Queues a command for the terminal of the first company. */
const addCommand = async (): Promise<Names> => {
  const { serialNumber = '' } = furnished.names
  return { id: (await http.call('device/poll', { serialNumber }, company)).command }
}
/** Contacts the server as the terminal over another protocol, so that an approval is pending. */
const otherHardware = async (): Promise<Names> => {
  const { serialNumber = '' } = furnished.names
  const { serverPath } = await http.call('device/secret', { serialNumber }, company)
  const { searchParams } = new URL(serverPath, http.address)
  await fetch(`${http.address}/iclock/cdata?SN=${serialNumber}&${searchParams}`)
  const { pending } = await http.call('device/get', { serialNumber }, company)
  return { pendingAt: pending?.at ?? '' }
}
const findQuarantined = async (): Promise<Names> => ({
  id: (await http.call('device/quarantine', {}, company)).list[0]?.id ?? '',
})

/** Gives a number of the terminal to a person, and returns the version of that entry. */
const addNumber = async (): Promise<Names> => {
  const { serialNumber = '', employee = '' } = furnished.names
  const entry = { serialNumber, number: '79', from: day, employee }
  await taskEnd(http, company, await http.call('device/number/update', entry, company))
  const { list } = await http.call('device/number/list', { serialNumber }, company)
  return { version: String(list[0]?.version ?? 0) }
}

let strangers = 0
/** An unused address. */
const newEmail = () => `stranger-${strangers++}-${Date.now()}@example.com`
const createInvitation = async () => invitationIn((await http.call('employee/qrcode', {}, company)).url)

/** Enables the endpoint, because a disabled endpoint receives no events. */
const switchEndpointOn = async (): Promise<Names> => {
  const id = furnished.names.webhooks ?? ''
  const { list } = await http.call('webhooks/endpoint/grid', {}, company)
  const { version = 1, url = '' } = list.find(endpoint => endpoint.id === id) ?? {}
  await http.call('webhooks/endpoint/update', { id, version, url, events: [] }, company)
  // Waits until the delivery ends, because deliveries without a receiver may be due for days.
  const { delivery = '' } = furnished.names
  await eventually(
    () => http.call('webhooks/log/get', { webhook: id, delivery }, company),
    log => expect(log.state).not.toBe('due'),
  )
  return {}
}

/** Saves the view that the next call changes or deletes. */
const addView = async (): Promise<Names> => {
  await http.ask('user/view/save', { list: 'employee', name: word, query: 'state=left' }, company)
  return {}
}

/** The preparations that a path needs before its call. */
const preparations: { [path in Path]?: () => Promise<Names> } = {
  // A long past day is final, and no closed period ends on it.
  'report/close/add': async () => ({ from: '2001-01-02', to: '2001-01-02' }),
  'department/add': async () => ({ text: `${word} new` }),
  'department/preview': async () => ({ text: `${word} changed`, parent: company.department }),
  'department/update': async () => ({ text: `${word} changed`, parent: company.department }),
  'role/update': async () => ({ text: `${word} changed` }),
  'department/import': async () => ({ upload: await sendSheet(http, company, `name\n${word} imported\n`) }),
  'device/add': async () => ({ serialNumber: `${furnished.names.serialNumber}-3` }),
  'device/approve': otherHardware,
  'device/command/cancel': addCommand,
  'device/command/retry': async () => {
    const { serialNumber = '' } = furnished.names
    const { id = '' } = await addCommand()
    await http.call('device/command/cancel', { serialNumber, id }, company)
    return { id }
  },
  'device/number/update': addNumber,
  'device/quarantine/replay': findQuarantined,
  'device/quarantine/delete': findQuarantined,
  'employee/add': async () => ({ workno: '4001' }),
  'employee/update': async () => ({ workno: '4002' }),
  'employee/rehire': async () => {
    const person = { first_name: `${word} left`, last_name: word, department: company.department }
    const employments = { hireDay: addDays(day, -20), endDay: addDays(day, -10) }
    return { id: (await http.call('employee/add', { ...person, ...employments, workno: '4005' }, company)).id }
  },
  'employee/import': async () => ({ upload: await sendSheet(http, company, `workno\n4003\n`) }),
  'employee/attendance/update': async () => {
    const { version } = await http.call('employee/attendance/get', { id: furnished.names.employee ?? '' }, company)
    return { version: String(version) }
  },
  'employee/attendance/face/update': () => sendPicture('employee/photo'),
  'employee/photo/save': () => sendPicture('employee/photo'),
  'company/logo/save': () => sendPicture('company/logo'),
  'approve/update': addRequest,
  'approve/delegate/update': async () => {
    const person = { first_name: `${word} stands in`, last_name: word, workno: '4004', department: company.department }
    return { employee: (await http.call('employee/add', { ...person, role: 1 }, company)).id }
  },
  'personal/request/cancel': addRequest,
  'personal/request/shift/add': sendAttachment,
  // Today may be a holiday or a day off by then, so the leave is on another day.
  'personal/request/leave/add': async () => ({ ...(await sendAttachment()), day: '2027-03-02' }),
  'personal/request/overtime/add': sendAttachment,
  // Other calls end the employment of the usual employee.
  'leave/add': async () => {
    const person = { first_name: `${word} away`, last_name: word, department: company.department }
    const { id } = await http.call('employee/add', { ...person, workno: '4006' }, company)
    return { employee: id, day: '2027-03-09' }
  },
  'leave/account/entry/add': async () => ({ kind: 'adjustment' }),
  'leave/account/entry/counter': async () => {
    const { employee = '' } = furnished.names
    const entry = { employee, kind: 'adjustment', day, minutes: 5, reason: word } as const
    return { id: (await http.call('leave/account/entry/add', entry, company)).id }
  },
  'personal/login': async () => ({ code: company.company_num, workno: furnished.employee.workno }),
  'personal/record/agree': addOwnCorrection('agreement'),
  'personal/record/object': addOwnCorrection('objection'),
  'record/update': addCorrection,
  'record/ignore': addCorrection,
  'record/restore': addCorrection,
  'schedule/import': async () => ({ upload: await sendSheet(http, company, `workno,${day}\n12,\n`) }),
  'schedule/delete': async () => {
    const { employee = '', shift = '' } = furnished.names
    const signed = { ...company, headers: { 'x-timezone': zone } }
    await http.call('schedule/add', { employees: [employee], days: [day], shift }, signed)
    return {}
  },
  'exception/accept': () => findException('open'),
  'exception/reopen': async () => {
    const exception = await findException('open')
    await http.call('exception/accept', sampleInput('exception/accept', exception) as never, company)
    return exception
  },
  'exception/fix': () => findException('open'),
  'exception/restore': addFix,
  'holiday/update': async () => ({ text: `${word} holiday` }),
  'report/mail/add': async () => ({ employee: company.owner }),
  'report/mail/update': async () => ({ employee: company.owner }),
  'report/template/add': async () => ({ text: `${word} new template` }),
  'report/template/update': async () => ({ text: `${word} changed template` }),
  'schedule/template/add': async () => ({ text: `${word} new rotation` }),
  'schedule/template/update': async () => ({ text: `${word} changed rotation` }),
  'shift/update': async () => ({ text: `${word} shift` }),
  'shift/preview': async () => ({ text: `${word} preview` }),
  'webhooks/replay': switchEndpointOn,
  'webhooks/replay/failed': switchEndpointOn,
  'user/register/code': async () => ({ email: newEmail() }),
  'user/register': async () => {
    const email = newEmail()
    return { email, ...(await askCode(http, 'user/register/code', { email })) }
  },
  'user/login': async () => ({ email: company.email }),
  'user/login/link': async () => ({ email: company.email }),
  'user/login/sign': async () => {
    const { email } = company
    const { token, company_id } = await http.call('user/login', { email, password: strongPassword, redirect: 1 })
    return { token, company_id }
  },
  'user/forgot': async () => ({ email: company.email }),
  'user/forgot/save': async () => {
    const { email } = furnished.manager
    return { email, ...(await askCode(http, 'user/forgot', { email })) }
  },
  'user/email/code': async () => ({ email: newEmail() }),
  'user/email/update': async () => {
    const email = newEmail()
    const code = await askCode(http, 'user/email/code', { email }, company)
    company.email = email
    return { email, ...code }
  },
  'user/view/save': addView,
  'user/view/delete': addView,
  'user/invite/get': async () => ({ token: await createInvitation() }),
  'user/invite/code': async () => ({ token: await createInvitation(), email: newEmail() }),
  'user/invite/join': async () => {
    const [token, email] = [await createInvitation(), newEmail()]
    return { token, email, ...(await askCode(http, 'user/invite/code', { token, email })) }
  },
}
/** Paths that fail without further preparation, with their error codes. */
const refusals: { [path in Path]?: number } = {
  // A person signed in as an employee has no management side.
  'user/login/switch': 21022,
  // No erasure waits for a terminal.
  'employee/erase/confirm': 60004,
}

const inputFor = async (path: Path): Promise<object> => {
  const names = removes(path) ? furnished.spare : furnished.names
  const version: Names = inputOf(path).properties?.version ? { version: await versionOf(path, names) } : {}
  return sampleInput(path, { ...names, ...version, ...(await preparations[path]?.()) })
}

/** The test calls reading paths first, and removing paths last. */
const ordered = paths.toSorted(([a, first], [b, second]) => {
  const place = (path: Path, declaration: Declaration) => (removes(path) ? 2 : reads(declaration) ? 0 : 1)
  return place(a, first) - place(b, second)
})
/** The short tier calls one path of each group with equal declarations. */
const kindOf = ([path, { who, writes, isPersonal, answersSecret }]: (typeof ordered)[number]) =>
  JSON.stringify([path.split('/')[0], removes(path), isGrid(path), who, writes, isPersonal, answersSecret])
const called = isShort
  ? ordered.filter((walked, i) => ordered.findIndex(other => kindOf(other) === kindOf(walked)) === i)
  : ordered
const readingPaths = ordered.filter(
  ([path, declaration]) => reads(declaration) && !endsSession(path) && !differsEachTime(path),
)

beforeAll(async () => {
  world = await startStackWithTable({}, { harsh: true })
  http = client(world.stack.address)
  company = await register(http, { company_name: word, timezone: zone })
  furnished = await furnish(http, company, { text: word, zone, day })
  for (const [path, declaration] of readingPaths)
    soloResponses.set(path, comparable(await send(path, declaration, await inputFor(path))))
  neighbour = await plantNeighbour(world, { company: company.company, number: company.company_num, word })
  before = await neighbour.fingerprints()
})
afterAll(() => world.stop())

describe('beside a company with the same ids', () => {
  test.each(readingPaths)('%s gives the same response as without the copy', async (path, declaration) => {
    expect(comparable(await send(path, declaration, await inputFor(path)))).toBe(soloResponses.get(path))
  })

  test.each(called)('%s does its work and changes no data of the copy', async (path, declaration) => {
    const inputs = [await inputFor(path), ...(isGrid(path) ? [wholeGrid(path, furnished.names)] : [])]
    for (const input of inputs) {
      const answer = await send(path, declaration, input)
      expect(answer.code, JSON.stringify([input, answer])).toBe(refusals[path] ?? 0)
      const { task } = Object(answer.data) as { task?: string }
      // An erasure waits for terminals, and no terminal answers here.
      if (task && path !== 'employee/erase') expect((await taskEnd(http, company, { task })).state).toBe('done')
    }
  })
})

test('a terminal delivers to its own company when the copy has a terminal with the same serial number', async () => {
  const { serialNumber = '' } = furnished.names
  const { serverPath } = await http.call('device/secret', { serialNumber }, company)
  const terminal = await openSocket(http.address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  const record = [{ enrollid: 14, time: `${day} 09:00:00`, mode: 8, inout: 0, event: 0 }]
  terminal.say({ cmd: 'sendlog', count: 1, logindex: 1, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  const filters = { from: day, to: day, employee: furnished.names.add }
  await eventually(
    () => http.call('record/grid', { filters }, { ...company, headers: { 'x-timezone': zone } }),
    ({ list }) => expect(list).toHaveLength(1),
  )
  terminal.close()
})

test('the copy is unchanged to the byte, and the comparison detects any change', async () => {
  const after = await neighbour.fingerprints()
  expect(Object.keys(before).length).toBeGreaterThan(100)
  expect(differences(before, after)).toEqual([])
  const employee = employeeKey(furnished.names.employee ?? '')
  await world.set(employee, { position: 'Changed' }, neighbour.company)
  expect(differences(after, await neighbour.fingerprints()).length).toBeGreaterThan(1)
})
