import { client, register } from './client.ts'
import { dayIn, eveningZone } from './evening.ts'
import { openSocket } from './socket.ts'

// A working company on a running stack: employees scheduled today, a terminal, and a browser that receives changes.

/** The employee ID of the first employee. The next employees get the next IDs. */
export const firstWorkno = 100

/** Waits `quietMilliseconds` for the events of the preparation. */
export const openLive = async (
  address: string,
  { people, serialNumber, quietMilliseconds }: { people: number; serialNumber: string; quietMilliseconds: number },
) => {
  const http = client(address)
  const zone = eveningZone()
  const day = dayIn(zone)
  const company = await register(http, { timezone: zone })
  const caller = { token: company.token, headers: { 'x-timezone': zone } }
  const times = { onDuty: '09:00', offDuty: '18:00', punchStart: '00:01', punchEnd: '19:30' }
  const { id: shift } = await http.call('shift/add', { name: 'Day', ...times }, caller)
  const employees: string[] = []
  for (let i = 0; i < people; i++) {
    const workno = String(firstWorkno + i)
    const form = { first_name: 'P', last_name: String(i), workno, department: company.department }
    employees.push((await http.call('employee/add', form, caller)).id)
  }
  await http.call('schedule/add', { employees, days: [day], shift }, caller)
  const device = { serialNumber, name: 'Door', department: company.department, authentication: 'claim' as const }
  await http.call('device/add', device, caller)
  const terminal = await openSocket(address)
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  await terminal.hear({ cmd: 'getnewlog' })
  terminal.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] })
  const browser = await openSocket(address)
  browser.say({ cmd: 'home.login', token: company.token })
  await browser.hear({ ret: 'home.login' })
  await new Promise(resolve => setTimeout(resolve, quietMilliseconds))
  browser.unheard.length = 0
  return { http, signed: caller, day, employees, terminal, browser }
}
