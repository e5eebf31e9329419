import { client, register } from './client.ts'
import { dayIn, eveningZone } from './evening.ts'
import { openSocket } from './socket.ts'

// A company at work on a running stack: people planned for today, a terminal at their door and a browser that is told what is new.

/** The first number somebody there punches with; the next one has the next. */
export const firstWorkno = 100

/** Everything is told that the preparation caused when `quietMilliseconds` are over. */
export const openLive = async (
  address: string,
  { people, serialNumber, quietMilliseconds }: { people: number; serialNumber: string; quietMilliseconds: number },
) => {
  const http = client(address)
  const zone = eveningZone()
  const day = dayIn(zone)
  const mine = await register(http, { timezone: zone })
  const signed = { token: mine.token, headers: { 'x-timezone': zone } }
  const times = { onDuty: '09:00', offDuty: '18:00', punchStart: '00:01', punchEnd: '19:30' }
  const { id: shift } = await http.call('shift/add', { name: 'Day', ...times }, signed)
  const employees: string[] = []
  for (let i = 0; i < people; i++) {
    const workno = String(firstWorkno + i)
    const form = { first_name: 'P', last_name: String(i), workno, department: mine.department }
    employees.push((await http.call('employee/add', form, signed)).id)
  }
  await http.call('schedule/add', { employees, days: [day], shift }, signed)
  const device = { serialNumber, name: 'Door', department: mine.department, authentication: 'claim' as const }
  await http.call('device/add', device, signed)
  const terminal = await openSocket(address)
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  await terminal.hear({ cmd: 'getnewlog' })
  terminal.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] })
  const browser = await openSocket(address)
  browser.say({ cmd: 'home.login', token: mine.token })
  await browser.hear({ ret: 'home.login' })
  await new Promise(resolve => setTimeout(resolve, quietMilliseconds))
  browser.unheard.length = 0
  return { http, signed, day, employees, terminal, browser }
}
