import { beforeAll, expect, inject, test } from 'vitest'
import { client, invite, type Registered, register, strongPassword } from '../client.ts'

const http = client(inject('address'))
let mine: Registered
let signed: { token: string }

beforeAll(async () => {
  mine = await register(http)
  signed = { token: mine.token }
})

const person = (workno: string) => ({ first_name: 'Pat', last_name: 'Person', workno, department: mine.department })
const read = async (id: string) => {
  const { list } = await http.call('employee/grid', {}, signed)
  const found = list.find(employee => employee.id === id)
  if (!found) throw new Error(`No employee ${id}`)
  return found
}

test('an employee ID is numeric, given once, and the same with leading zeros', async () => {
  expect(await http.ask('employee/add', person('12a'), signed)).toMatchObject({
    code: 59013,
    fields: { workno: 59013 },
  })
  await http.call('employee/add', person('120'), signed)
  expect(await http.ask('employee/add', person('000120'), signed)).toMatchObject({
    code: 59014,
    fields: { workno: 59014 },
  })
})

test('of many who ask for the same employee ID at once one gets it', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => http.ask('employee/add', person('121'), signed)))
  expect(answers.map(({ code }) => code).sort()).toEqual([0, ...Array(7).fill(59014)])
})

test('an employee ID is never given to somebody else, not even after its holder left', async () => {
  const { id } = await http.call('employee/add', person('122'), signed)
  await http.call('employee/delete', { id }, signed)
  expect(await http.ask('employee/add', person('122'), signed)).toMatchObject({ code: 59014 })
})

test('the owner and oneself cannot be deleted, and the owner stays an administrator', async () => {
  expect(await http.ask('employee/delete', { id: mine.owner }, signed)).toMatchObject({ code: 59012 })
  const { canSignIn: _c, isOwner: _o, passwordSetAt: _p, ...owner } = await read(mine.owner)
  expect(await http.ask('employee/update', { ...owner, role: 3 }, signed)).toMatchObject({
    code: 59012,
    fields: { role: 59012 },
  })
})

test('a person who is disabled, gets another password or is deleted is signed out everywhere', async () => {
  const { id } = await http.call('employee/add', { ...person('123'), password: strongPassword }, signed)
  const login = () => http.call('personal/login', { code: mine.company_num, workno: '123', password: strongPassword })
  const change = async (changes: object) => {
    const { canSignIn: _, isOwner: _o, passwordSetAt: _p, ...now } = await read(id)
    await http.call('employee/update', { ...now, ...changes }, signed)
  }
  const first = await login()
  await change({ password: strongPassword })
  expect(await http.ask('auth/get', {}, first)).toMatchObject({ code: 502 })
  const second = await login()
  await change({ role: 0 })
  expect(await http.ask('auth/get', {}, second)).toMatchObject({ code: 502 })
  expect(
    await http.ask('personal/login', { code: mine.company_num, workno: '123', password: strongPassword }),
  ).toMatchObject({ code: 21021 })
  await change({ role: 3 })
  const third = await login()
  await http.call('employee/delete', { id }, signed)
  expect(await http.ask('auth/get', {}, third)).toMatchObject({ code: 502 })
})

test('a manager of one department sees and changes its people only, and makes nobody an administrator', async () => {
  const { id: sales } = await http.call('department/add', { name: 'Sales' }, signed)
  const { id: roleId } = await http.call(
    'role/add',
    { name: 'Sales lead', permissions: [1, 3, 7], departments: [sales] },
    signed,
  )
  const lead = await invite(http, signed, { ...person('130'), department: sales, role: 2, roleId })
  const { id: outside } = await http.call('employee/add', person('131'), signed)

  const { list } = await http.call('employee/grid', {}, lead)
  expect(list.map(({ workno }) => workno)).toEqual(['130'])
  expect((await http.call('department/grid', {}, lead)).list.map(({ id }) => id)).toEqual([sales])
  expect((await http.call('department/all', {}, lead)).list.map(({ id }) => id)).toEqual([sales])
  const board = await http.call('schedule/grid', { filters: { from: '2099-01-01', to: '2099-01-07' } }, lead)
  expect(board.list.map(({ workno }) => workno)).toEqual(['130'])
  expect(await http.ask('employee/delete', { id: outside }, lead)).toMatchObject({ code: 60004 })
  expect(await http.ask('employee/add', person('132'), lead)).toMatchObject({
    code: 60004,
    fields: { department: 60004 },
  })
  expect(await http.ask('employee/add', { ...person('132'), department: sales, role: 1 }, lead)).toMatchObject({
    code: 60005,
  })
  expect(await http.ask('report/grid', { filters: { from: '2099-01-01', to: '2099-01-02' } }, lead)).toMatchObject({
    code: 60005,
  })
  await http.call('employee/add', { ...person('133'), department: sales }, lead)
})

test('an e-mail is only to be reached by: it signs nobody in who has not shown to read it', async () => {
  const email = `shared-${Date.now()}@example.com`
  const { id } = await http.call('employee/add', { ...person('140'), email, password: strongPassword }, signed)
  expect(await http.ask('user/login', { email, password: strongPassword })).toMatchObject({ code: 21014 })
  expect(await http.ask('user/forgot', { email })).toMatchObject({ code: 21004 })
  await http.call('employee/add', { ...person('141'), email }, signed)
  expect((await read(id)).email).toBe(email)
})
