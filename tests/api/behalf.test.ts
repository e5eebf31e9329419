import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register, strongPassword } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'

// Managers enter leave, overtime and missing punches for other people.

const http = client(inject('address'))
const zone = eveningZone()
const today = dayIn(zone)
const dayAt = (offset: number) => addDays(today, offset)
const password = strongPassword

interface Signed {
  id: string
  token: string
}
type Boss = Signed & { headers: Record<string, string> }
interface World {
  company: Registered
  boss: Boss
  north: string
  south: string
  shift: string
  /** Nora and Ned approve for `north`, Sam for `south`. */
  nora: Signed & { email: string }
  ned: Signed
  sam: Signed
}

let workno = 100

const found = async (): Promise<World> => {
  const company = await register(http, { timezone: zone })
  const boss = { id: company.owner, token: company.token, headers: { 'x-timezone': zone } }
  const addDepartment = async (name: string) =>
    (await http.call('department/add', { name, parent: company.department }, boss)).id
  const [north, south] = [await addDepartment('North'), await addDepartment('South')]
  const form = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '15:00' }
  const { id: shift } = await http.call('shift/add', { name: 'Early', ...form, breaks: [] }, boss)
  const addManager = async (first_name: string, department: string) => {
    const role = { name: first_name, permissions: [10], departments: [department] }
    const { id: roleId } = await http.call('role/add', role, boss)
    const person = { first_name, last_name: 'M', workno: String(++workno), department, role: 2, roleId }
    return invite(http, boss, person)
  }
  const [nora, ned, sam] = [
    await addManager('Nora', north),
    await addManager('Ned', north),
    await addManager('Sam', south),
  ]
  return { company, boss, north, south, shift, nora, ned, sam }
}

let world: World

/** Adds a signed-in employee with an early shift on the next ten days. */
const addEmployee = async ({ boss, company, north, shift }: World, department = north): Promise<Signed> => {
  const number = String(++workno)
  const person = { first_name: 'Ann', last_name: number, workno: number, department, password }
  const { id } = await http.call('employee/add', person, boss)
  const days = Array.from({ length: 12 }, (_, i) => dayAt(i - 1)).filter(day => day >= today)
  await http.call('schedule/add', { employees: [id], days, shift }, boss)
  const { token } = await http.call('personal/login', { code: company.company_num, workno: number, password })
  return { id, token }
}

const leave = (date: string, employees: string[]): PathCall<'leave/add'> => ({
  ...{ employees, leaveType: 2, date, isAllDay: true },
})
const requestsOf = async (person: Signed) => (await http.call('personal/request/grid', {}, person)).list
const noticesOf = async (person: { token: string }) =>
  (await http.call('notice/grid', {}, person)).list.map(({ kind, name, request }) => ({ kind, name, request }))
const setSecondStep = async ({ boss }: World, secondStep: (1 | 2 | 3)[]) => {
  const { version } = await http.call('approve/params', {}, boss)
  await http.call('approve/params/update', { version, secondStep }, boss)
}
const setLimit = async ({ boss }: World, daysPerYear: number, excess: 'refuse' | 'warn') => {
  const { version } = await http.call('leave/params', {}, boss)
  const since = Number(today.slice(0, 4)) - 1
  const rule = { leaveType: 3, since, days: daysPerYear, mostCarriedDays: 0, excess }
  await http.call('leave/params/update', { version, rules: [rule] }, boss)
}

beforeAll(async () => {
  world = await found()
})

describe('leave that a manager enters', () => {
  test('is approved for two people at once, as their own requests, with the manager named', async () => {
    const [ann, ben] = [await addEmployee(world), await addEmployee(world)]
    const form = { ...leave(dayAt(1), [ann.id, ben.id]), notes: 'Phoned in sick' }
    const { status, requests } = await http.call('leave/add', form, world.nora)
    expect(status).toBe(1)
    expect(requests.map(({ employee }) => employee)).toEqual([ann.id, ben.id])
    for (const person of [ann, ben]) {
      const [request] = await requestsOf(person)
      expect(request).toMatchObject({
        ...{ employee: person.id, status: 1, leaveType: 2, date: dayAt(1), notes: 'Phoned in sick' },
        ...{ enteredBy: 'Nora M', total: { days: 1, minutes: 480 }, steps: [{ status: 1, by: 'Nora M' }] },
      })
    }
    const { list } = await http.call('approve/grid', { filters: { employee: ann.id } }, world.ned)
    expect(list).toMatchObject([{ id: requests[0]?.id, status: 1, enteredBy: 'Nora M', moves: [3] }])
  })

  test('counts in the balance and in the day row, and gives the person one notice', async () => {
    const ann = await addEmployee(world)
    const { requests } = await http.call('leave/add', leave(today, [ann.id]), world.nora)
    const { balances } = await http.call('personal/report/leave', { year: Number(today.slice(0, 4)) }, ann)
    expect(balances.find(({ leaveType }) => leaveType === 2)).toMatchObject({ usedDays: 1 })
    await eventually(
      () => http.call('report/grid', { filters: { from: today, to: today, employee: ann.id } }, world.boss),
      ({ list }) => expect(list).toMatchObject([{ leaveMinutes: 480, absentMinutes: 0 }]),
    )
    await eventually(
      () => noticesOf(ann),
      list => expect(list).toEqual([{ kind: 'request.entered', name: 'Nora M', request: requests[0]?.id }]),
    )
    // The other approver has nothing to decide.
    expect((await noticesOf(world.ned)).filter(({ request }) => request === requests[0]?.id)).toEqual([])
  })

  test('stands in the audit with the manager as the actor', async () => {
    const ann = await addEmployee(world)
    await http.call('leave/add', leave(dayAt(2), [ann.id]), world.nora)
    const { list } = await http.call(
      'audit/grid',
      { filters: { employee: world.nora.id, noun: 'request' } },
      world.boss,
    )
    expect(list[0]).toMatchObject({ path: 'leave/add' })
    expect(JSON.stringify(list[0])).toContain(ann.id)
  })

  test('is entered for everybody or nobody, and the answer names each person who cannot have it', async () => {
    const [ann, ben, leaver] = [await addEmployee(world), await addEmployee(world), await addEmployee(world)]
    await http.call('personal/request/leave/add', { leaveType: 3, date: dayAt(1), isAllDay: true }, ben)
    const { list } = await http.call('employee/grid', { filters: { search: 'Ann' }, size: 200 }, world.boss)
    const stored = list.find(({ id }) => id === leaver.id)
    if (!stored) throw new Error('Nobody')
    const { first_name, last_name, workno, department, role, version } = stored
    const kept = { id: leaver.id, first_name, last_name, workno, department, role, version, endDay: today }
    await http.call('employee/update', kept, world.boss)
    const ids = [ann.id, ben.id, leaver.id]
    const answer = await http.ask('leave/add', leave(dayAt(1), ids), world.nora)
    expect(answer).toMatchObject({ code: 60080, fields: { 'employees.1': 60080, 'employees.2': 10002 } })
    expect(await requestsOf(ann)).toEqual([])
    const preview = await http.call('leave/preview', leave(dayAt(1), ids), world.nora)
    expect(preview).toMatchObject({
      needsSecond: false,
      list: [
        { employee: ann.id, total: { days: 1 }, conflicts: [] },
        { employee: ben.id, problem: 60080, conflicts: [{ leaveType: 3, status: 0, date: dayAt(1) }] },
        { employee: leaver.id, problem: 10002, conflicts: [] },
      ],
    })
    expect(preview.list[0]).not.toHaveProperty('problem')
  })

  test('is refused for oneself and for people of another department, whatever else is wrong', async () => {
    const [ann, cara] = [await addEmployee(world), await addEmployee(world, world.south)]
    const { nora, sam } = world
    for (const path of ['leave/add', 'leave/preview'] as const) {
      expect(await http.ask(path, leave(dayAt(1), [ann.id, nora.id]), nora)).toMatchObject({
        ...{ code: 60082, fields: { 'employees.1': 60082 } },
      })
      const wrong = { ...leave('2001-01-01', [nora.id, cara.id]), toDate: '2000-01-01', leaveType: 10 }
      expect(await http.ask(path, wrong, nora)).toMatchObject({ code: 60004, fields: { 'employees.1': 60004 } })
    }
    expect(await requestsOf(ann)).toEqual([])
    expect((await http.call('leave/add', leave(dayAt(1), [cara.id]), sam)).status).toBe(1)
  })

  test('blames the form, not a person, for a wrong last day', async () => {
    const ann = await addEmployee(world)
    const wrong = { ...leave(dayAt(2), [ann.id]), toDate: dayAt(1) }
    for (const path of ['leave/add', 'leave/preview'] as const)
      expect(await http.ask(path, wrong, world.nora)).toMatchObject({ code: 10002, fields: { toDate: 10002 } })
  })

  test('is refused beyond the balance or only warned about, by the rule of the type', { tags: 'long' }, async () => {
    const own = await found()
    const ann = await addEmployee(own)
    const form = { ...leave(dayAt(1), [ann.id]), leaveType: 3, toDate: dayAt(2) }
    await setLimit(own, 1, 'refuse')
    const preview = () => http.call('leave/preview', form, own.nora)
    expect((await preview()).list).toMatchObject([{ problem: 60084, exceeds: 'refuse', total: { days: 2 } }])
    expect(await http.ask('leave/add', form, own.nora)).toMatchObject({
      ...{ code: 60084, fields: { 'employees.0': 60084 } },
    })
    await setLimit(own, 1, 'warn')
    const [warned] = (await preview()).list
    expect(warned).toMatchObject({ exceeds: 'warn', total: { days: 2 } })
    expect(warned?.balances?.every(({ before, after }) => before === 1 && after < before)).toBe(true)
    expect(warned).not.toHaveProperty('problem')
    expect((await http.call('leave/add', form, own.nora)).status).toBe(1)
  })

  test('is refused on locked days', { tags: 'long' }, async () => {
    const own = await found()
    const ann = await addEmployee(own)
    const { version, settledTo: lockedTo } = await http.call('report/lock', {}, own.boss)
    await http.call('report/lock/update', { lockedTo, version }, own.boss)
    for (const path of ['leave/add', 'leave/preview'] as const)
      expect(await http.ask(path, leave(lockedTo, [ann.id]), own.nora)).toMatchObject({
        ...{ code: 60061, fields: { date: 60061 } },
      })
  })
})

describe('where two people must approve', () => {
  test('the entry is the first approval, another manager gives the second, and the person hears of both', async () => {
    const own = await found()
    await setSecondStep(own, [2])
    const ann = await addEmployee(own)
    const form = leave(dayAt(1), [ann.id])
    expect((await http.call('leave/preview', form, own.nora)).needsSecond).toBe(true)
    const { status, requests } = await http.call('leave/add', form, own.nora)
    const [request] = requests
    expect(status).toBe(0)
    expect(await requestsOf(ann)).toMatchObject([{ status: 0, steps: [{ status: 1, by: 'Nora M' }] }])
    await eventually(
      () => noticesOf(own.ned),
      list => expect(list).toMatchObject([{ kind: 'request.asked', request: request?.id }]),
    )
    await eventually(
      () => noticesOf(ann),
      list => expect(list.map(({ kind }) => kind)).toEqual(['request.entered']),
    )
    expect(await noticesOf(own.nora)).toEqual([])
    const approve = (by: Signed) => http.ask('approve/update', { requests, status: 1 }, by)
    expect(await approve(own.nora)).toMatchObject({ code: 60083 })
    expect(await approve(own.ned)).toMatchObject({ code: 0 })
    expect(await requestsOf(ann)).toMatchObject([{ status: 1, steps: [{ by: 'Nora M' }, { by: 'Ned M' }] }])
    await eventually(
      () => noticesOf(ann),
      list => expect(list.map(({ kind }) => kind)).toEqual(['request.decided', 'request.entered']),
    )
  })

  test('a delegate enters requests by the right of the absent manager, and both names stand in them', {
    tags: 'long',
  }, async () => {
    const own = await found()
    const ann = await addEmployee(own)
    await http.call('approve/delegate/update', { employee: own.sam.id, from: today, to: today }, own.boss)
    await http.call('leave/add', leave(dayAt(1), [ann.id]), own.sam)
    const [request] = await requestsOf(ann)
    expect(request?.steps).toMatchObject([{ by: 'Sam M', onBehalfOf: 'Olga Owner' }])
    const { list } = await http.call('approve/employee/grid', { filters: { search: 'ann' } }, own.sam)
    expect(list.map(({ id }) => id)).toEqual([ann.id])
  })
})

describe('overtime and missing punches that a manager enters', () => {
  test('are approved requests of the person and count in their days', async () => {
    const ann = await addEmployee(world)
    const employees = [ann.id]
    const punch = { employees, date: today, time: '05:00', inout: 0 as const }
    expect((await http.call('approve/shift/add', punch, world.nora)).status).toBe(1)
    const overtime = { employees, date: dayAt(1), from: '18:00', to: '20:00' }
    expect((await http.call('approve/overtime/add', overtime, world.nora)).status).toBe(1)
    expect(await requestsOf(ann)).toMatchObject([
      { type: 3, status: 1, enteredBy: 'Nora M' },
      { type: 1, status: 1, enteredBy: 'Nora M', inout: 0 },
    ])
    await eventually(
      () => http.call('report/grid', { filters: { from: today, to: today, employee: ann.id } }, world.boss),
      ({ list }) => expect(list[0]?.firstIn).toBeDefined(),
    )
    for (const [path, form] of [
      ['approve/shift/add', punch],
      ['approve/overtime/add', overtime],
    ] as const) {
      expect(await http.ask(path, form as never, world.nora)).toMatchObject({
        ...{ code: 60080, fields: { 'employees.0': 60080 } },
      })
      expect(await http.ask(path, { ...form, employees: [world.nora.id] } as never, world.nora)).toMatchObject({
        ...{ code: 60082, fields: { 'employees.0': 60082 } },
      })
    }
    const future = { employees, date: dayAt(1), time: '23:59+1' }
    expect(await http.ask('approve/shift/add', future, world.nora)).toMatchObject({ fields: { time: 10002 } })
  })

  test('reach thirty people in one call', { tags: 'long' }, async () => {
    const people: string[] = []
    for (let count = 0; count < 30; count++) {
      const person = { first_name: 'Many', last_name: 'P', workno: String(++workno), department: world.north }
      people.push((await http.call('employee/add', person, world.boss)).id)
    }
    const form = { employees: people, date: dayAt(1), from: '18:00', to: '20:00' }
    const { requests } = await http.call('approve/overtime/add', form, world.nora)
    expect(new Set(requests.map(({ employee }) => employee))).toEqual(new Set(people))
    const many = { ...form, employees: [...people, world.sam.id] }
    expect(await http.ask('approve/overtime/add', many, world.nora)).toMatchObject({ code: 10002 })
  })
})
