import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Path } from '../../shared/api.ts'
import { apiKeyKey } from '../../shared/apikey.ts'
import { companyKey } from '../../shared/company.ts'
import type { Declaration } from '../../shared/contract.ts'
import { departmentKey } from '../../shared/department.ts'
import { employeeKey } from '../../shared/employee.ts'
import { leaveBookKey } from '../../shared/leave.ts'
import { reportMailKey } from '../../shared/report/mail.ts'
import { roleKey } from '../../shared/role.ts'
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
import { inputOf, isGrid, type Names, paths, sampleInput, wholeGrid } from '../kit/sample.ts'
import { sendSheet, taskEnd } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'
import { upload } from '../kit/upload.ts'

// Two companies with the same ids side by side. The other is a copy of ours, planted behind the functions' back, in other words.
// Every declared path is called as ours with the ids of both: nothing of the other's changes, and no word of it is answered
// (the client of these tests looks at every answer).

const word = 'Quagga'
const zone = eveningZone()
const day = dayIn(zone)

let world: StackWithTable
let http: Client
let mine: Registered
let furnished: Furnished
let neighbour: Neighbour
let before: Record<string, string>
/** What every path that only reads answered before there was a neighbour. */
const alone = new Map<Path, string>()

/** Answers that are never the same twice: a form to send a file with or its address, and a list of who looked at what. */
const differsEachTime = (path: Path) =>
  /^(company\/logo|employee\/photo|personal\/request\/upload|task\/upload|audit\/grid|record\/since)$|\/template$/.test(
    path,
  )
/** An answer, but for the signatures of addresses, which are good for a while. */
const told = (answer: unknown) => canonical(answer).replace(/\?[^"]*X-Amz-[^"]*/g, '')
const reads = (declaration: Declaration) => !declaration.writes && declaration.who !== 'anyone'
const endsSession = (path: Path) => /^(user\/login\/off|company\/(select|add))$|login\/switch$/.test(path)
/** What these take away nobody else asks for. */
const removes = (path: Path) =>
  /^(apikey|department|device|employee|holiday|report\/mail|role|shift|webhooks\/endpoint)\/(delete|erase)$/.test(path)

const newToken = async ({ who }: Declaration) => {
  const { token } =
    who === 'employee'
      ? await http.call('personal/login', {
          code: mine.company_num,
          workno: furnished.employee.workno,
          password: strongPassword,
        })
      : await http.call('user/login', { email: mine.email, password: strongPassword })
  return token
}
const send = async (path: Path, declaration: Declaration, input: object) => {
  const token = endsSession(path)
    ? await newToken(declaration)
    : declaration.who === 'employee'
      ? furnished.employee.token
      : mine.token
  return http.send(path, JSON.stringify(input), {
    ...(declaration.who !== 'anyone' && { 'x-token': token }),
    ...(declaration.needsTimezone && { 'x-timezone': zone }),
  })
}

/** The version of what a path changes. */
const versionOf = async (path: Path, names: Names): Promise<string> => {
  const keys: Record<string, { pk: string; sk: string }> = {
    apikey: apiKeyKey(names.apikey ?? ''),
    approve: companyKey(),
    attparams: companyKey(),
    company: companyKey(),
    report: companyKey(),
    leave: path === 'leave/params/update' ? companyKey() : leaveBookKey(names.employee ?? ''),
    department: departmentKey(names.department ?? ''),
    employee: employeeKey(names.employee ?? ''),
    role: roleKey(names.role ?? ''),
    shift: shiftKey(names.shift ?? ''),
    webhooks: webhookKey(names.webhooks ?? ''),
  }
  const [group = ''] = path.split('/')
  if (group === 'device') {
    const { serialNumber = '' } = names
    return String((await http.call('device/get', { serialNumber }, mine)).version)
  }
  const key = path === 'report/mail/update' ? reportMailKey(names.report ?? '') : keys[group]
  return String((key && (await world.look<{ version: number }>(key, mine.company)))?.version ?? 1)
}

/** Sends a picture; answers what it is called. */
const sendPicture = async (path: 'company/logo' | 'employee/photo'): Promise<Names> => {
  const type = 'image/jpeg' as const
  const id = furnished.names.employee ?? ''
  const { upload: sent, ...form } =
    path === 'company/logo' ? await http.call(path, { type }, mine) : await http.call(path, { id, type }, mine)
  expect((await upload(form, jpeg)).status).toBe(204)
  return { upload: sent }
}
/** Sends what is attached to a request; answers what it is called. */
const sendAttachment = async (): Promise<Names> => {
  const { upload: sent, ...form } = await http.call(
    'personal/request/upload',
    { type: 'image/jpeg' },
    furnished.employee,
  )
  expect((await upload(form, jpeg)).status).toBe(204)
  return { upload: sent }
}
let asked = 0
/** Asks for something else each time; answers what it is called. */
const aRequest = async (): Promise<Names> => {
  const minute = String(asked++ * 2 + 10)
  const overtime = { date: day, from: `23:${minute}`, to: `23:${Number(minute) + 1}` }
  return { request: (await http.call('personal/request/overtime/add', overtime, furnished.employee)).id }
}
/** A punch that a manager added, and a free time to move it to. */
const aCorrection = async (): Promise<Names> => {
  const { employee = '' } = furnished.names
  const minute = String(corrections++ * 2 + 10)
  const form = { employee, date: day, time: `02:${minute}`, reason: word }
  const { punch } = await http.call('record/add', form, mine)
  return { employee, punch, version: '1', time: `02:${Number(minute) + 1}` }
}
let corrections = 0
/** What somebody forgot on the day the company was furnished. */
const anException = async (state: 'open'): Promise<Names> => {
  const { list } = await http.call('exception/grid', { filters: { from: day, to: day, state } }, mine)
  const [{ employee, shift, type, minutes } = { employee: '', shift: '', type: '', minutes: 0 }] = list
  return { employee, shift: shift ?? '', day, type, minutes: String(minutes) }
}
/** What our terminal is to do when it is there. */
const aCommand = async (): Promise<Names> => {
  const { serialNumber = '' } = furnished.names
  return { id: (await http.call('device/poll', { serialNumber }, mine)).command }
}
/** Our terminal's address is come to by the other protocol, which waits for somebody to have seen it. */
const otherHardware = async (): Promise<Names> => {
  const { serialNumber = '' } = furnished.names
  const { serverPath } = await http.call('device/secret', { serialNumber }, mine)
  const { searchParams } = new URL(serverPath, http.address)
  await fetch(`${http.address}/iclock/cdata?SN=${serialNumber}&${searchParams}`)
  const { pending } = await http.call('device/get', { serialNumber }, mine)
  return { pendingAt: pending?.at ?? '' }
}
const held = async (): Promise<Names> => ({ id: (await http.call('device/quarantine', {}, mine)).list[0]?.id ?? '' })

let strangers = 0
/** An address nobody has used. */
const newEmail = () => `stranger-${strangers++}-${Date.now()}@example.com`
const invitation = async () => invitationIn((await http.call('employee/qrcode', {}, mine)).url)

/** Nothing is sent to an endpoint that is off. */
const switchedOn = async (): Promise<Names> => {
  const id = furnished.names.webhooks ?? ''
  const { list } = await http.call('webhooks/endpoint/grid', {}, mine)
  const { version = 1, url = '' } = list.find(one => one.id === id) ?? {}
  await http.call('webhooks/endpoint/update', { id, version, url, events: [] }, mine)
  // What is replayed is over: whatever else the endpoint was told of may still be due, for days where nobody takes it.
  const { delivery = '' } = furnished.names
  await eventually(
    () => http.call('webhooks/log/get', { webhook: id, delivery }, mine),
    found => expect(found.state).not.toBe('due'),
  )
  return {}
}

/** What has to be thought of, sent or asked for before a path can be called. */
const preparations: { [path in Path]?: () => Promise<Names> } = {
  'department/add': async () => ({ text: `${word} new` }),
  'department/update': async () => ({ text: `${word} changed`, parent: mine.department }),
  'role/update': async () => ({ text: `${word} changed` }),
  'department/import': async () => ({ upload: await sendSheet(http, mine, `name\n${word} imported\n`) }),
  'device/add': async () => ({ serialNumber: `${furnished.names.serialNumber}-3` }),
  'device/approve': otherHardware,
  'device/command/cancel': aCommand,
  'device/command/retry': async () => {
    const { serialNumber = '' } = furnished.names
    const { id = '' } = await aCommand()
    await http.call('device/command/cancel', { serialNumber, id }, mine)
    return { id }
  },
  'device/quarantine/replay': held,
  'device/quarantine/delete': held,
  'employee/add': async () => ({ workno: '4001' }),
  'employee/update': async () => ({ workno: '4002' }),
  'employee/import': async () => ({ upload: await sendSheet(http, mine, `workno\n4003\n`) }),
  'employee/attendance/update': async () => {
    const { version } = await http.call('employee/attendance/get', { id: furnished.names.employee ?? '' }, mine)
    return { version: String(version) }
  },
  'employee/attendance/face/update': () => sendPicture('employee/photo'),
  'employee/photo/save': () => sendPicture('employee/photo'),
  'company/logo/save': () => sendPicture('company/logo'),
  'approve/update': aRequest,
  'approve/delegate/update': async () => {
    const person = { first_name: `${word} stands in`, last_name: word, workno: '4004', department: mine.department }
    return { employee: (await http.call('employee/add', { ...person, role: 1 }, mine)).id }
  },
  'personal/request/cancel': aRequest,
  'personal/request/shift/add': sendAttachment,
  // By then today is a holiday, or free: leave is taken from a Tuesday nobody has planned.
  'personal/request/leave/add': async () => ({ ...(await sendAttachment()), day: '2027-03-02' }),
  'personal/request/overtime/add': sendAttachment,
  'personal/login': async () => ({ code: mine.company_num, workno: furnished.employee.workno }),
  'record/update': aCorrection,
  'record/ignore': aCorrection,
  'record/restore': aCorrection,
  'schedule/import': async () => ({ upload: await sendSheet(http, mine, `workno,${day}\n12,\n`) }),
  'schedule/delete': async () => {
    const { employee = '', shift = '' } = furnished.names
    const signed = { ...mine, headers: { 'x-timezone': zone } }
    await http.call('schedule/add', { employees: [employee], days: [day], shift }, signed)
    return {}
  },
  'exception/accept': () => anException('open'),
  'exception/reopen': async () => {
    const exception = await anException('open')
    await http.call('exception/accept', sampleInput('exception/accept', exception) as never, mine)
    return exception
  },
  'holiday/update': async () => ({ text: `${word} holiday` }),
  'report/mail/add': async () => ({ employee: mine.owner }),
  'report/mail/update': async () => ({ employee: mine.owner }),
  'shift/update': async () => ({ text: `${word} shift` }),
  'shift/preview': async () => ({ text: `${word} preview` }),
  'webhooks/replay': switchedOn,
  'webhooks/replay/failed': switchedOn,
  'user/register/code': async () => ({ email: newEmail() }),
  'user/register': async () => {
    const email = newEmail()
    return { email, ...(await askCode(http, 'user/register/code', { email })) }
  },
  'user/login': async () => ({ email: mine.email }),
  'user/login/link': async () => ({ email: mine.email }),
  'user/login/sign': async () => {
    const { email } = mine
    const { token, company_id } = await http.call('user/login', { email, password: strongPassword, redirect: 1 })
    return { token, company_id }
  },
  'user/forgot': async () => ({ email: mine.email }),
  'user/forgot/save': async () => {
    const { email } = furnished.manager
    return { email, ...(await askCode(http, 'user/forgot', { email })) }
  },
  'user/email/code': async () => ({ email: newEmail() }),
  'user/email/update': async () => {
    const email = newEmail()
    const code = await askCode(http, 'user/email/code', { email }, mine)
    mine.email = email
    return { email, ...code }
  },
  'user/invite/get': async () => ({ token: await invitation() }),
  'user/invite/code': async () => ({ token: await invitation(), email: newEmail() }),
  'user/invite/join': async () => {
    const [token, email] = [await invitation(), newEmail()]
    return { token, email, ...(await askCode(http, 'user/invite/code', { token, email })) }
  },
}
/** What cannot be done here, and what is answered instead. */
const refusals: { [path in Path]?: number } = {
  // Who is signed in as an employee has no other side.
  'user/login/switch': 21022,
  // There is no erasure that waits for a terminal.
  'employee/erase/confirm': 60004,
}

const inputFor = async (path: Path): Promise<object> => {
  const names = removes(path) ? furnished.spare : furnished.names
  const version: Names = inputOf(path).properties?.version ? { version: await versionOf(path, names) } : {}
  return sampleInput(path, { ...names, ...version, ...(await preparations[path]?.()) })
}

/** Those who read come first, and those who take away last. */
const ordered = paths.toSorted(([one, first], [other, second]) => {
  const place = (path: Path, declaration: Declaration) => (removes(path) ? 2 : reads(declaration) ? 0 : 1)
  return place(one, first) - place(other, second)
})
const read = ordered.filter(([path, declaration]) => reads(declaration) && !endsSession(path) && !differsEachTime(path))

beforeAll(async () => {
  world = await startStackWithTable({}, { harsh: true })
  http = client(world.stack.address)
  mine = await register(http, { company_name: word, timezone: zone })
  furnished = await furnish(http, mine, { text: word, zone, day })
  for (const [path, declaration] of read) alone.set(path, told(await send(path, declaration, await inputFor(path))))
  neighbour = await plantNeighbour(world, { company: mine.company, number: mine.company_num, word })
  before = await neighbour.fingerprints()
})
afterAll(() => world.stop())

describe('beside a company with the same ids', () => {
  test.each(read)('%s answers what it answered alone', async (path, declaration) => {
    expect(told(await send(path, declaration, await inputFor(path)))).toBe(alone.get(path))
  })

  test.each(ordered)('%s does what it is asked to, and nothing there', async (path, declaration) => {
    const inputs = [await inputFor(path), ...(isGrid(path) ? [wholeGrid(path, furnished.names)] : [])]
    for (const input of inputs) {
      const answer = await send(path, declaration, input)
      expect(answer.code, JSON.stringify([input, answer])).toBe(refusals[path] ?? 0)
      const { task } = Object(answer.data) as { task?: string }
      // An erasure waits for terminals, and there are none that answer.
      if (task && path !== 'employee/erase') expect((await taskEnd(http, mine, { task })).state).toBe('done')
    }
  })
})

test('a terminal of ours delivers to us, whose neighbour has one with the same serial number', async () => {
  const { serialNumber = '' } = furnished.names
  const { serverPath } = await http.call('device/secret', { serialNumber }, mine)
  const terminal = await openSocket(http.address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  const record = [{ enrollid: 14, time: `${day} 09:00:00`, mode: 8, inout: 0, event: 0 }]
  terminal.say({ cmd: 'sendlog', count: 1, logindex: 1, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  const filters = { from: day, to: day, employee: furnished.names.add }
  await eventually(
    () => http.call('record/grid', { filters }, { ...mine, headers: { 'x-timezone': zone } }),
    ({ list }) => expect(list).toHaveLength(1),
  )
  terminal.close()
})

test('the neighbour is as it was, to the byte, and would not be after any change', async () => {
  const after = await neighbour.fingerprints()
  expect(Object.keys(before).length).toBeGreaterThan(100)
  expect(differences(before, after)).toEqual([])
  const employee = employeeKey(furnished.names.employee ?? '')
  await world.set(employee, { position: 'Changed' }, neighbour.company)
  expect(differences(after, await neighbour.fingerprints()).length).toBeGreaterThan(1)
})
