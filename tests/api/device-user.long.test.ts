import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { templateOf } from '../../infra/local/terminal/command.ts'
import { startLink } from '../../infra/local/terminal/link.ts'
import type { Link } from '../../infra/local/terminal/manner.ts'
import { type Memory, openMemory } from '../../infra/local/terminal/memory.ts'
import { type Profile, profiles } from '../../infra/local/terminal/profile.ts'
import { client, eventually, type Registered, register } from '../kit/client.ts'
import { jpeg, pngWith } from '../kit/picture.ts'
import { openSocket } from '../kit/socket.ts'
import { temporaryFolder } from '../kit/stack.ts'
import { upload } from '../kit/upload.ts'

// These tests check the memory of a simulated terminal that shares no code with the server. Events may repeat and
// arrive in any order.

const http = client(inject('address'))
const folder = temporaryFolder()
let owner: Registered
let north: string
let northDoor: string
let south: string
let worknos = 1000
const open: (() => void | Promise<void>)[] = []
/** Employees to delete after each test, so that later tests start empty. */
const staff = new Set<string>()

beforeAll(async () => {
  owner = await register(http)
  north = await addDepartment('North')
  northDoor = await addDepartment('North door', north)
  south = await addDepartment('South')
  await storeTemplates(true)
})
afterEach(async () => {
  for (const close of open.splice(0)) await close()
  for (const id of staff) await http.ask('employee/delete', { id }, owner)
  staff.clear()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const addDepartment = async (name: string, parent?: string) =>
  (await http.call('department/add', { name, ...(parent && { parent }) }, owner)).id
const storeTemplates = async (storesTemplates: boolean) => {
  const { version, name, retentionMonths } = await http.call('company/get', {}, owner)
  await http.call('company/update', { version, name, retentionMonths, storesTemplates }, owner)
}

interface Person {
  id: string
  workno: string
}
const addPerson = async (department: string, more: object = {}): Promise<Person> => {
  const workno = String(worknos++)
  const form = { first_name: 'Per', last_name: `Son ${workno}`, workno, department, ...more }
  const { id } = await http.call('employee/add', form, owner)
  staff.add(id)
  return { id, workno }
}
const getPerson = async (id: string) => {
  const { list } = await http.call('employee/grid', { size: 200 }, owner)
  const person = list.find(employee => employee.id === id)
  if (!person) throw new Error(`${id} is nobody.`)
  return person
}
const changePerson = async (id: string, change: object) => {
  const { version, first_name, last_name, workno, department, departments } = await getPerson(id)
  const form = {
    id,
    version,
    first_name,
    last_name,
    workno,
    department,
    ...(departments && { departments }),
    ...change,
  }
  await http.call('employee/update', form, owner)
}
const setCredential = async (id: string, form: { punchMode?: number; card?: string; password?: string }) => {
  const { version } = await http.call('employee/attendance/get', { id }, owner)
  await http.call('employee/attendance/update', { id, punchMode: 0, ...form, ...(version && { version }) }, owner)
}

/** A simulated terminal whose memory survives a power cut. */
const addTerminal = async (department: string, profile: Profile = profiles.new) => {
  const serialNumber = `U${randomBytes(5).toString('hex').toUpperCase()}`
  const device = { serialNumber, name: 'Gate', department }
  const { serverPath } = await http.call('device/add', device, owner)
  const memory: Memory = openMemory(folder, serialNumber)
  const heard: string[] = []
  let link: Link | undefined
  const terminal = {
    serialNumber,
    memory,
    heard,
    async switchOn() {
      const address = `${http.address.replace('http', 'ws')}${serverPath}`
      link = startLink(
        address,
        { sn: serialNumber },
        memory,
        event => {
          if (event.kind === 'commanded') heard.push(event.command)
          if (event.kind === 'lost') heard.push(event.kind)
        },
        { profile },
      )
      await eventually(
        async () => link?.isRegistered,
        isRegistered => expect(isRegistered).toBe(true),
      )
    },
    async switchOff() {
      await link?.close()
      await eventually(
        () => http.call('device/get', { serialNumber }, owner),
        ({ online }) => expect(online).toBe(false),
      )
    },
    /** The users of the terminal by number, with name and credentials. */
    holds: () =>
      Object.fromEntries(
        [...memory.users.values()].map(({ enrollid, name, records }) => [enrollid, { name, ...records }]),
      ),
    async knows(...people: Person[]) {
      await eventually(
        async () => [...memory.users.keys()].map(String).sort(),
        numbers => expect(numbers).toEqual(people.map(({ workno }) => workno).sort()),
      )
    },
    people: async (state?: 'current' | 'waiting' | 'leaving' | 'refused') =>
      (await http.call('device/user/grid', { size: 200, filters: { serialNumber, ...(state && { state }) } }, owner))
        .list,
    async rests() {
      await eventually(
        async () => [...(await terminal.people('waiting')), ...(await terminal.people('leaving'))],
        list => expect(list).toEqual([]),
        60,
      )
    },
  }
  open.push(async () => {
    await link?.close()
    memory.close()
    await http.call('device/delete', { serialNumber }, owner)
  })
  return terminal
}

describe('a terminal holds', () => {
  test('the employees of its department and sub-departments, through each change', async () => {
    const [ann, bob, cleo] = [await addPerson(north), await addPerson(northDoor), await addPerson(south)]
    const guest = await addPerson(south, { departments: [north] })
    const gate = await addTerminal(north)
    // This user was enrolled at the terminal itself. The company has no employee with the number.
    gate.memory.putUser({ enrollid: 77, name: 'Hand', admin: 1, enabled: true, records: { 0: 'finger' } })
    await gate.switchOn()
    const hand = { id: '', workno: '77' }
    await gate.knows(ann, bob, guest, hand)
    expect(gate.holds()[ann.workno]).toEqual({ name: `Per Son ${ann.workno}` })

    await setCredential(ann.id, { card: '4711', password: '12' })
    await eventually(
      async () => gate.holds()[ann.workno],
      held => expect(held).toEqual({ name: `Per Son ${ann.workno}`, 10: 12, 11: 4711 }),
    )
    await setCredential(ann.id, { card: '4712' })
    await eventually(
      async () => gate.holds()[ann.workno],
      held => expect(held).toEqual({ name: `Per Son ${ann.workno}`, 11: 4712 }),
    )
    await changePerson(ann.id, { first_name: 'Anna' })
    await eventually(
      async () => gate.holds()[ann.workno],
      held => expect(held).toMatchObject({ name: `Anna Son ${ann.workno}`, 11: 4712 }),
    )
    const renumbered = { ...ann, workno: String(worknos++) }
    await changePerson(ann.id, { workno: renumbered.workno })
    await gate.knows(renumbered, bob, guest, hand)
    await eventually(
      async () => gate.holds()[renumbered.workno],
      held => expect(held).toMatchObject({ name: `Anna Son ${ann.workno}`, 11: 4712 }),
    )

    await changePerson(cleo.id, { department: northDoor })
    await changePerson(guest.id, { departments: undefined })
    await changePerson(bob.id, { endDay: '2020-01-01' })
    await gate.knows(renumbered, cleo, hand)
    await http.call('employee/delete', { id: cleo.id }, owner)
    await gate.knows(renumbered, hand)
    expect(gate.holds()[77]).toEqual({ name: 'Hand', 0: 'finger' })

    // The terminal moves to another department. Then a third department moves below the new department.
    const dora = await addPerson(south)
    const { version } = await http.call('device/get', { serialNumber: gate.serialNumber }, owner)
    const device = { serialNumber: gate.serialNumber, version, name: 'Gate', department: south }
    await http.call('device/update', device, owner)
    await gate.knows(dora, guest, hand)
    const lane = await addDepartment('Lane')
    const emil = await addPerson(lane)
    const { list } = await http.call('department/grid', { filters: { search: 'Lane' } }, owner)
    await http.call(
      'department/update',
      { id: lane, version: list[0]?.version ?? 0, name: 'Lane', parent: south },
      owner,
    )
    await gate.knows(dora, guest, emil, hand)
  })

  test('only the credentials that the punch mode of an employee needs', async () => {
    const ann = await addPerson(north)
    await setCredential(ann.id, { card: '900', password: '34' })
    const gate = await addTerminal(north)
    await gate.switchOn()
    const name = `Per Son ${ann.workno}`
    const expected: [number, object][] = [
      [0, { 10: 34, 11: 900 }],
      [2, { 11: 900 }],
      [3, { 10: 34 }],
      [1, {}],
      [4, { 10: 34, 11: 900 }],
    ]
    for (const [punchMode, held] of expected) {
      await setCredential(ann.id, { punchMode, card: '900', password: '34' })
      await eventually(
        async () => gate.holds()[ann.workno],
        found => expect(found, String(punchMode)).toEqual({ name, ...held }),
      )
    }
  })

  test('all users again after a sync and after a reset', async () => {
    const ann = await addPerson(north)
    await setCredential(ann.id, { card: '901' })
    const gate = await addTerminal(north)
    await gate.switchOn()
    await gate.knows(ann)
    await gate.rests()
    for (const wipe of [() => gate.memory.clear('users'), undefined]) {
      wipe?.()
      if (wipe) await http.call('device/sync', { serialNumber: gate.serialNumber }, owner)
      else await http.call('device/reset', { serialNumber: gate.serialNumber, isForced: true }, owner)
      await eventually(
        async () => gate.heard.filter(command => command === 'initsys').length,
        count => expect(count).toBe(wipe ? 0 : 1),
      )
      await eventually(
        async () => gate.holds()[ann.workno],
        held => expect(held).toEqual({ name: `Per Son ${ann.workno}`, 11: 901 }),
      )
    }
  })

  test('its users even if it must be disabled first or replies with the command name', async () => {
    const ann = await addPerson(north)
    await setCredential(ann.id, { card: '902', password: '56' })
    for (const profile of [profiles.topdata, profiles['echo-cmd'], profiles.v24]) {
      const gate = await addTerminal(north, profile)
      await gate.switchOn()
      await eventually(
        async () => gate.holds()[ann.workno],
        held => expect(held).toMatchObject({ name: `Per Son ${ann.workno}`, 10: 56, 11: 902 }),
      )
      if (profile.wantsDisabling)
        await eventually(
          async () => gate.heard.filter(command => command === 'enabledevice' || command === 'disabledevice').at(-1),
          last => expect(last).toBe('enabledevice'),
        )
    }
  })

  test('no user that it refuses, and the list shows the refusal', async () => {
    const ann = await addPerson(south)
    const serialNumber = `U${randomBytes(5).toString('hex').toUpperCase()}`
    const { serverPath } = await http.call('device/add', { serialNumber, name: 'Raw', department: south }, owner)
    const { pathname, search } = new URL(serverPath, http.address)
    const raw = await openSocket(http.address, { path: pathname + search, takesSettings: false })
    const take = async (cmd: string, result: boolean) => {
      expect(await raw.hear({ cmd })).toBeDefined()
      raw.say({ ret: cmd, result, count: 0, from: 0, to: 0, record: [], ...(!result && { reason: 1 }) })
    }
    raw.say({ cmd: 'reg', sn: serialNumber, devinfo: { firmware: 'ai518_f43h_v1.27', usednewlog: 0 } })
    for (const cmd of ['setdevinfo', 'getnewlog', 'getuserlist']) await take(cmd, true)
    await take('setusername', false)
    const counts = { current: 0, waiting: 0, leaving: 0, refused: 1 }
    await eventually(
      () => http.call('device/user/grid', { filters: { serialNumber } }, owner),
      found =>
        expect(found).toMatchObject({
          counts,
          list: [{ employee: ann.id, state: 'refused', name: false, refused: [{ part: 'name', reason: 'refused' }] }],
        }),
    )
    raw.close()
    await http.call('device/delete', { serialNumber }, owner)
  })

  test('a face picture in a supported format; otherwise the list shows the reason', async () => {
    const [ann, bob] = [await addPerson(north), await addPerson(north)]
    const pictures = [
      [ann, jpeg, 'image/jpeg'],
      [bob, pngWith(), 'image/png'],
    ] as const
    for (const [{ id }, bytes, type] of pictures) {
      const form = await http.call('employee/photo', { id, type }, owner)
      expect(await upload(form, bytes)).toEqual({ status: 204 })
      await http.call('employee/attendance/face/update', { id, upload: form.upload }, owner)
    }
    const gate = await addTerminal(north)
    await gate.switchOn()
    await gate.knows(ann, bob)
    await eventually(
      async () => gate.holds()[ann.workno],
      held => expect(Buffer.from(String(held?.[50 as never]), 'base64').subarray(0, 3)).toEqual(jpeg.subarray(0, 3)),
    )
    const rows = await eventually(
      () => gate.people(),
      list => expect(list.map(({ state }) => state)).toEqual(['current', 'refused']),
    )
    expect(rows).toMatchObject([
      { employee: ann.id, face: true, card: false, refused: [] },
      { employee: bob.id, face: false, refused: [{ part: '50', reason: 'no JPEG' }] },
    ])
  })
})

describe('an enrolment at a terminal', () => {
  const fingersOf = async (id: string) => (await http.call('employee/attendance/finger/get', { id }, owner)).list

  test('reaches the other terminals of the department when it starts from the server', async () => {
    const ann = await addPerson(north)
    const [gate, door, far] = [await addTerminal(north), await addTerminal(north), await addTerminal(south)]
    for (const terminal of [gate, door, far]) await terminal.switchOn()
    await gate.knows(ann)
    await door.knows(ann)
    const of = { serialNumber: gate.serialNumber, employee: ann.id }
    await http.call('device/enroll', { ...of, kind: 'finger', sign: 1 }, owner)
    const [finger] = await eventually(
      () => fingersOf(ann.id),
      list => expect(list).toMatchObject([{ sign: 1, algorithm: 'thbio3.0', serialNumber: gate.serialNumber }]),
    )
    expect(finger).not.toHaveProperty('sealed')
    await eventually(
      async () => door.holds()[ann.workno],
      held => expect(held).toEqual(gate.holds()[ann.workno]),
    )
    expect(door.holds()[ann.workno]).toHaveProperty('1')
    // The counts must update at once, before the next poll.
    for (const terminal of [gate, door])
      await eventually(
        () => http.call('device/get', { serialNumber: terminal.serialNumber }, owner),
        ({ users, templates }) => expect([users, templates]).toEqual([1, 1]),
        10,
      )
    await far.knows()
    const { list } = await http.call('device/command/grid', { filters: { serialNumber: gate.serialNumber } }, owner)
    for (const cmd of ['adduser', 'checkregstatus', 'getuserinfo'])
      expect(
        list.find(command => command.cmd === cmd),
        cmd,
      ).toMatchObject({ state: 'done', by: 'Olga Owner' })
    expect(JSON.stringify(list)).not.toContain(
      String(Object.values(gate.memory.users.get(Number(ann.workno))?.records ?? {})[0]),
    )

    // The enrolment of a card works like that of a finger.
    await http.call('device/enroll', { ...of, kind: 'card' }, owner)
    await http.call('employee/delete', { id: ann.id }, owner)
    for (const terminal of [gate, door]) await terminal.knows()
  })

  test('notes that a face exists, but does not request the picture, which could end the connection', async () => {
    const ann = await addPerson(north)
    const gate = await addTerminal(north)
    await gate.switchOn()
    await gate.knows(ann)
    await http.call('device/enroll', { serialNumber: gate.serialNumber, employee: ann.id, kind: 'face' }, owner)
    await eventually(
      () => gate.people(),
      list => expect(list).toMatchObject([{ employee: ann.id, face: true }]),
    )
    expect(gate.memory.users.get(Number(ann.workno))?.records['50']).toHaveLength(64 * 900)
    expect(gate.heard).toContain('checkregstatus')
    for (const never of ['getuserinfo', 'lost']) expect(gate.heard).not.toContain(never)
  })

  test('stays on its terminal if the company stores no templates', async () => {
    await storeTemplates(false)
    const ann = await addPerson(north)
    const [gate, door] = [await addTerminal(north), await addTerminal(north)]
    for (const terminal of [gate, door]) await terminal.switchOn()
    for (const terminal of [gate, door]) await terminal.knows(ann)
    await http.call('device/enroll', { serialNumber: gate.serialNumber, employee: ann.id, kind: 'finger' }, owner)
    const [row] = await eventually(
      () => gate.people(),
      list => expect(list).toMatchObject([{ fingers: 1 }]),
    )
    expect(row).toMatchObject({ employee: ann.id })
    expect(await fingersOf(ann.id)).toEqual([])
    await changePerson(ann.id, { last_name: 'Other' })
    for (const terminal of [gate, door])
      await eventually(
        async () => terminal.holds()[ann.workno],
        held => expect(held).toMatchObject({ name: 'Per Other' }),
      )
    expect(gate.holds()[ann.workno]).toHaveProperty('0')
    expect(door.holds()[ann.workno]).not.toHaveProperty('0')
    const onlyAt = async ({ serialNumber }: typeof gate) =>
      (await http.call('device/user/grid', { filters: { serialNumber } }, owner)).onlyHere
    expect([await onlyAt(gate), await onlyAt(door)]).toEqual([1, 0])
    // A reset erases the finger, and the list no longer shows it.
    await http.call('device/reset', { serialNumber: gate.serialNumber, isForced: true }, owner)
    await eventually(
      () => gate.people(),
      list => expect(list).toMatchObject([{ employee: ann.id, fingers: 0, state: 'current' }]),
    )
    expect(await onlyAt(gate)).toBe(0)
    expect(gate.holds()[ann.workno]).not.toHaveProperty('0')
    await storeTemplates(true)
    await http.call('employee/delete', { id: ann.id }, owner)
    for (const terminal of [gate, door]) await terminal.knows()
  })

  test('is taken from the user list, except for users that the terminal had before the company added it', async () => {
    const [ann, bob] = [await addPerson(north), await addPerson(north)]
    const [gate, door] = [await addTerminal(north), await addTerminal(north)]
    const teach = ({ workno }: Person, name: string, admin: number, finger: string) =>
      gate.memory.putUser({ enrollid: Number(workno), name, admin, enabled: true, records: { 0: finger } })
    // A previous owner used two numbers. One is Bob’s now, and an employee hired later gets the other.
    const number = String(worknos++)
    for (const user of [bob, { id: '', workno: number }]) teach(user, 'Zoe', 0, 'ZOE-ZOE-ZOE-ZOE')
    for (const terminal of [gate, door]) await terminal.switchOn()
    await gate.knows(ann, bob, { id: '', workno: number })
    await door.knows(ann, bob)
    for (const terminal of [gate, door]) await terminal.rests()
    const cleo = { ...(await addPerson(north, { workno: number })), workno: number }
    for (const terminal of [gate, door]) await terminal.knows(ann, bob, cleo)
    for (const terminal of [gate, door]) await terminal.rests()
    await eventually(
      async () => gate.holds()[number],
      held => expect(held).toMatchObject({ name: expect.stringContaining('Per') }),
    )
    teach(ann, 'Per Son', 1, 'FEDCBA9876543210')
    await http.call('device/sync', { serialNumber: gate.serialNumber }, owner)
    await eventually(
      () => fingersOf(ann.id),
      list => expect(list).toMatchObject([{ sign: 0, serialNumber: gate.serialNumber }]),
    )
    await eventually(
      async () => door.holds()[ann.workno],
      held => expect(held).toEqual({ name: `Per Son ${ann.workno}`, 0: 'FEDCBA9876543210' }),
    )
    await gate.rests()
    for (const { id, workno } of [bob, cleo]) {
      expect(await fingersOf(id)).toEqual([])
      expect(door.holds()[workno]).toEqual({ name: expect.stringContaining('Per Son') })
    }
    // The update keeps the administrator rights of the user.
    await setCredential(ann.id, { card: '5252' })
    await eventually(
      async () => gate.memory.users.get(Number(ann.workno)),
      user => expect(user).toMatchObject({ admin: 1, records: { 0: 'FEDCBA9876543210', 11: 5252 } }),
    )
  })

  test('is taken from the user list after the server has replaced and removed an earlier credential', async () => {
    const gate = await addTerminal(south)
    const workno = String(worknos++)
    const number = Number(workno)
    gate.memory.putUser({ enrollid: number, name: 'Zoe', admin: 0, enabled: true, records: { 11: 4040 } })
    await gate.switchOn()
    await gate.rests()
    const { id } = await addPerson(south, { workno })
    const holds = (card: object) =>
      eventually(
        async () => gate.holds()[workno],
        held => expect(held).toEqual({ name: expect.stringContaining('Per Son'), ...card }),
      )
    const cardOf = async () => (await http.call('employee/attendance/get', { id }, owner)).card
    await holds({ 11: 4040 })
    const of = { filters: { serialNumber: gate.serialNumber } }
    const listed = async () =>
      (await http.call('device/command/grid', of, owner)).list.filter(
        ({ cmd, state }) => cmd === 'getuserlist' && state === 'done',
      ).length
    const before = await listed()
    await http.call('device/sync', { serialNumber: gate.serialNumber }, owner)
    await eventually(listed, count => expect(count).toBe(before + 1))
    await gate.rests()
    expect(await cardOf()).toBeUndefined()
    // The server reads the stored card before the enrolment. Otherwise it could take a late report of that card for the
    // new one.
    await http.call('device/enroll', { serialNumber: gate.serialNumber, employee: id, kind: 'card' }, owner)
    const registered = await eventually(cardOf, card => expect(card).toBeDefined())
    expect(registered).not.toBe('4040')
    expect(gate.heard.indexOf('getuserinfo')).toBeGreaterThan(-1)
    expect(gate.heard.indexOf('getuserinfo')).toBeLessThan(gate.heard.indexOf('adduser'))
    await gate.rests()
    await setCredential(id, { card: '5353' })
    await holds({ 11: 5353 })
    await setCredential(id, {})
    await holds({})
    await gate.rests()
    gate.memory.putUser({ enrollid: number, name: 'Per Son', admin: 0, enabled: true, records: { 11: 6464 } })
    await http.call('device/sync', { serialNumber: gate.serialNumber }, owner)
    await eventually(cardOf, card => expect(card).toBe('6464'))
  })

  test('is stored again after another credential has replaced it', async () => {
    const gate = await addTerminal(south)
    const ann = await addPerson(south)
    await gate.switchOn()
    await gate.knows(ann)
    const cardOf = async () => (await http.call('employee/attendance/get', { id: ann.id }, owner)).card
    const enroll = () =>
      http.call('device/enroll', { serialNumber: gate.serialNumber, employee: ann.id, kind: 'card' }, owner)
    const expectedCard = templateOf(Number(ann.workno), 11)
    await enroll()
    await eventually(cardOf, card => expect(card).toBe(expectedCard))
    await gate.rests()
    await setCredential(ann.id, { card: '5353' })
    await eventually(
      async () => gate.holds()[ann.workno],
      held => expect(held).toMatchObject({ 11: 5353 }),
    )
    await gate.rests()
    await enroll()
    await eventually(cardOf, card => expect(card).toBe(expectedCard))
  })

  test('fails if the terminal returns an earlier credential or the card of another employee', async () => {
    const gate = await addTerminal(south)
    const [ann, bob] = [await addPerson(south), await addPerson(south)]
    const cardOf = ({ workno }: { workno: string }) => templateOf(Number(workno), 11)
    const number = Number(ann.workno)
    gate.memory.putUser({ enrollid: number, name: 'Per Son', admin: 0, enabled: true, records: { 11: cardOf(ann) } })
    await gate.switchOn()
    await gate.rests()
    const of = { filters: { serialNumber: gate.serialNumber } }
    const kept = async ({ workno }: { workno: string }) =>
      (await http.call('device/command/grid', of, owner)).list.find(
        ({ cmd, subject }) => cmd === 'getuserinfo' && subject === `Per Son ${workno}`,
      )
    await http.call('device/enroll', { serialNumber: gate.serialNumber, employee: ann.id, kind: 'card' }, owner)
    await eventually(
      () => kept(ann),
      found => expect(found).toMatchObject({ state: 'failed', result: 'refused', reason: 'held before' }),
    )
    expect(await http.call('employee/attendance/get', { id: ann.id }, owner)).not.toHaveProperty('card')
    await setCredential(ann.id, { card: cardOf(bob) })
    await http.call('device/enroll', { serialNumber: gate.serialNumber, employee: bob.id, kind: 'card' }, owner)
    await eventually(
      () => kept(bob),
      found => expect(found).toMatchObject({ state: 'failed', result: 'refused', reason: 'not kept' }),
    )
    expect(await http.call('employee/attendance/get', { id: bob.id }, owner)).not.toHaveProperty('card')
  })

  test('at the terminal’s own menu is stored before its acknowledgement, but not for an unknown number', async () => {
    const [ann, bob] = [await addPerson(south), await addPerson(south)]
    const gate = await addTerminal(south)
    const serialNumber = `U${randomBytes(5).toString('hex').toUpperCase()}`
    const device = { serialNumber, name: 'Raw', department: south }
    const { serverPath } = await http.call('device/add', device, owner)
    const { pathname, search } = new URL(serverPath, http.address)
    const raw = await openSocket(http.address, { path: pathname + search })
    raw.say({ cmd: 'reg', sn: serialNumber, devinfo: { fpalgo: 'thbio3.0' } })
    await raw.hear({ cmd: 'getnewlog' })
    raw.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] })
    // Waits until the terminal has reported that it holds no users.
    await eventually(
      () => http.call('device/command/grid', { filters: { serialNumber } }, owner),
      ({ list }) => expect(list).toContainEqual(expect.objectContaining({ cmd: 'getuserlist', state: 'done' })),
    )
    const send = async (workno: string, backupnum: number, record: unknown) => {
      raw.say({ cmd: 'senduser', sn: serialNumber, enrollid: Number(workno), name: 'Per', backupnum, admin: 0, record })
      expect(await raw.hear({ ret: 'senduser' })).toMatchObject({ result: true, enrollid: Number(workno), backupnum })
    }
    await send(ann.workno, 0, 'ABCDEF0123')
    expect(await fingersOf(ann.id)).toMatchObject([{ sign: 0, serialNumber }])
    const first = await fingersOf(ann.id)
    await send(ann.workno, 0, 'ABCDEF0123')
    expect(await fingersOf(ann.id)).toEqual(first)
    await send(ann.workno, 11, 5151)
    await send(ann.workno, 10, '77')
    expect(await http.call('employee/attendance/get', { id: ann.id }, owner)).toMatchObject({
      card: '5151',
      password: '77',
    })
    // A card belongs to one employee. The server ignores unknown numbers and unreadable values.
    await send(bob.workno, 11, 5151)
    await send(bob.workno, 50, 'no picture')
    await send('987654', 0, 'ABCDEF0123')
    await send('0', 0, 'ABCDEF0123')
    expect(await http.call('employee/attendance/get', { id: bob.id }, owner)).not.toHaveProperty('card')
    for (const junk of [
      {},
      { enrollid: [] },
      { enrollid: 7, backupnum: -1, record: 'x' },
      { enrollid: 7, record: {} },
    ]) {
      raw.say({ cmd: 'senduser', ...junk })
      expect(await raw.hear({ ret: 'senduser' })).toMatchObject({ result: true })
    }
    await gate.switchOn()
    await gate.knows(ann, bob)
    await eventually(
      async () => gate.holds()[ann.workno],
      held => expect(held).toEqual({ name: `Per Son ${ann.workno}`, 0: 'ABCDEF0123', 10: 77, 11: 5151 }),
    )
    raw.close()
    await http.call('device/delete', { serialNumber }, owner)
  })
})

test('a withdrawn card disappears from a terminal that has reported the card to the server', async () => {
  const ann = await addPerson(south)
  const serialNumber = `U${randomBytes(5).toString('hex').toUpperCase()}`
  const device = { serialNumber, name: 'Raw', department: south, authentication: 'claim' as const }
  await http.call('device/add', device, owner)
  const raw = await openSocket(http.address)
  raw.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  await raw.hear({ cmd: 'getnewlog' })
  raw.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] })
  await setCredential(ann.id, { card: '4711' })
  await eventually(
    async () => (await http.call('device/user/grid', { filters: { serialNumber } }, owner)).list,
    list => expect(list).toMatchObject([{ employee: ann.id, card: true, state: 'current' }]),
  )
  // A stranger who knows the serial number can send this frame.
  raw.say({ cmd: 'senduser', enrollid: Number(ann.workno), name: 'Per', backupnum: 11, admin: 0, record: 4711 })
  await raw.hear({ ret: 'senduser' })
  await setCredential(ann.id, {})
  expect(await raw.hear({ cmd: 'deleteuser' })).toMatchObject({ enrollid: Number(ann.workno), backupnum: 11 })
  raw.close()
  await http.call('device/delete', { serialNumber }, owner)
})

describe('a terminal with many users', () => {
  test('receives a few users at a time while other commands wait', {
    timeout: 120_000,
  }, async () => {
    const lane = await addDepartment('Long lane')
    const gate = await addTerminal(lane)
    await gate.switchOn()
    await gate.switchOff()
    const people = await Promise.all(Array.from({ length: 40 }, () => addPerson(lane)))
    await eventually(
      () => gate.people('waiting'),
      list => expect(list).toHaveLength(people.length),
    )
    const commands = async () =>
      (await http.call('device/command/grid', { size: 200, filters: { serialNumber: gate.serialNumber } }, owner)).list
    const waiting = await eventually(commands, list => {
      expect(list.filter(({ cmd, state }) => cmd === 'setusername' && state === 'queued').length).toBeGreaterThan(10)
    })
    // Two handlers may fill the queue at once. Neither handler sees the commands of the other.
    expect(waiting.filter(({ state }) => state === 'queued').length).toBeLessThanOrEqual(40)
    await gate.switchOn()
    await gate.knows(...people)
    await gate.rests()
    expect((await gate.people('current')).length).toBe(people.length)
    // Each user is sent once, although two handlers fill the queue.
    expect(gate.heard.filter(command => command === 'setusername')).toHaveLength(people.length)
  })
})

test('all terminals end up with their assigned users after changes in any order', {
  timeout: 150_000,
}, async () => {
  const [east, west] = [await addDepartment('East'), await addDepartment('West')]
  const eastDoor = await addDepartment('East door', east)
  const gates = [await addTerminal(east), await addTerminal(eastDoor), await addTerminal(west)]
  const reach = [[east, eastDoor], [eastDoor], [west]]
  for (const gate of gates) await gate.switchOn()
  const places = [east, eastDoor, west, south]
  const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T
  const team = await Promise.all(Array.from({ length: 6 }, () => addPerson(pick(places))))
  let cards = 60_000
  const happenings: (() => Promise<unknown>)[] = [
    () => changePerson(pick(team).id, { department: pick(places) }),
    () => changePerson(pick(team).id, { last_name: `Named ${cards++}` }),
    () => changePerson(pick(team).id, { workno: String(worknos++) }),
    () => changePerson(pick(team).id, { endDay: pick(['2020-01-01', undefined]) }),
    () => setCredential(pick(team).id, { punchMode: pick([0, 2, 3]), card: String(cards++), password: '5' }),
    () => setCredential(pick(team).id, {}),
    () => http.call('device/sync', { serialNumber: pick(gates).serialNumber }, owner),
    async () => {
      const gate = pick(gates)
      await gate.switchOff()
      await gate.switchOn()
    },
  ]
  for (let i = 0; i < 40; i++) await pick(happenings)()
  // Commands queued while a terminal was offline may be obsolete by now, so expect the current state of the
  // employees.
  const people = await Promise.all(team.map(({ id }) => getPerson(id)))
  const attendance = await Promise.all(team.map(({ id }) => http.call('employee/attendance/get', { id }, owner)))
  for (const [at, gate] of gates.entries()) {
    const expected = Object.fromEntries(
      people.flatMap(({ first_name, last_name, workno, department, endDay }, i) => {
        if (endDay || !reach[at]?.includes(department)) return []
        const { punchMode = 0, card, password } = attendance[i] ?? {}
        const shows = { card: punchMode !== 3 && card, password: punchMode !== 2 && password }
        const held = { ...(shows.password && { 10: Number(password) }), ...(shows.card && { 11: Number(card) }) }
        return [[workno, { name: `${first_name} ${last_name}`, ...held }]]
      }),
    )
    await eventually(
      async () => gate.holds(),
      held => expect(held).toEqual(expected),
      60,
    )
    await gate.rests()
  }
})

test('the user list of a terminal shows each state and returns pages', async () => {
  const [ann, bob] = [await addPerson(north), await addPerson(northDoor)]
  const gate = await addTerminal(north)
  const list = async (filters: object = {}, size = 200, page?: string) =>
    http.call(
      'device/user/grid',
      { size, ...(page && { page }), filters: { serialNumber: gate.serialNumber, ...filters } },
      owner,
    )
  expect(await list()).toMatchObject({ count: 2, list: [{ employee: ann.id, state: 'waiting' }, { state: 'waiting' }] })
  const first = await list({}, 1)
  expect(first.list).toMatchObject([{ employee: ann.id, workno: ann.workno, fingers: 0, face: false, refused: [] }])
  expect((await list({}, 1, first.next)).list).toMatchObject([{ employee: bob.id }])
  const counts = { current: 0, waiting: 2, leaving: 0, refused: 0 }
  expect(await list({ state: 'current' })).toMatchObject({ list: [], count: 0, counts })
  await gate.switchOn()
  await gate.rests()
  expect((await list({ state: 'current' })).list.map(({ employee }) => employee)).toEqual([ann.id, bob.id])
  await gate.switchOff()
  await changePerson(ann.id, { department: south })
  await eventually(
    () => gate.people('leaving'),
    found => expect(found).toMatchObject([{ employee: ann.id }]),
  )
  expect(await http.call('device/user/grid', { filters: { serialNumber: 'NOBODY' } }, owner)).toEqual({ list: [] })
})
