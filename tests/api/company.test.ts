import { expect, inject, test } from 'vitest'
import { client, register, strongPassword } from '../client.ts'
import { openSocket } from '../socket.ts'

const address = inject('address')
const http = client(address)

test('a terminal that must bring company number and cloud password registers with the right ones only', async () => {
  const mine = await register(http)
  const signed = { token: mine.token }
  expect(await http.ask('company/password', { comm_pwd: '12a4' }, signed)).toMatchObject({
    code: 59001,
    fields: { comm_pwd: 59001 },
  })
  await http.call('company/password', { comm_pwd: '471100' }, signed)
  const sn = `PWD${Date.now()}`
  const form = {
    serialNumber: sn,
    name: 'Gate',
    department: mine.department,
    authentication: 'claim+password' as const,
  }
  await http.call('device/add', form, signed)
  const reg = async (company_num: string, comm_pwd: string) => {
    const terminal = await openSocket(address)
    terminal.say({ cmd: 'reg', sn, company_num, comm_pwd, devinfo: {} })
    const { result } = await terminal.hear({ ret: 'reg' })
    terminal.close()
    return result
  }
  expect(await reg(mine.company_num, '471101')).toBe(false)
  expect(await reg('12345678', '471100')).toBe(false)
  expect(await reg(mine.company_num, '471100')).toBe(true)
})

test('a person of one company lists that one, and cannot select another', async () => {
  const [mine, other] = [await register(http), await register(http, { company_name: 'Elsewhere' })]
  const { token } = await http.call('user/login', { email: mine.email, password: strongPassword })
  expect((await http.call('company/list', {}, { token })).list.map(({ id }) => id)).toEqual([mine.company])
  expect(await http.ask('company/select', { id: other.company }, { token })).toMatchObject({ code: 21022 })
  const selected = await http.call('company/select', { id: mine.company }, { token })
  expect(await http.call('company/get', {}, selected)).toMatchObject({
    id: mine.company,
    company_num: mine.company_num,
  })
  expect(await http.ask('company/get', {}, { token })).toMatchObject({ code: 502 })
})
