import { client, register } from '../client.ts'
import { dayIn, eveningZone } from '../evening.ts'
import { openSocket } from '../socket.ts'
import { startStack } from '../stack.ts'
import type { Report } from './main.ts'

// From a punch sent by a terminal to an open browser told to refresh its report: store, acknowledge, stream, facts,
// calculation, row, fact, push. One punch at a time, each of another employee.

const punches = 200
const people = 20

const quantile = (values: number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0

export const bench = async (report: Report) => {
  const stack = await startStack()
  try {
    const http = client(stack.address)
    const zone = eveningZone()
    const day = dayIn(zone)
    const mine = await register(http, { timezone: zone })
    const signed = { token: mine.token, headers: { 'x-timezone': zone } }
    const times = { onDuty: '09:00', offDuty: '18:00', punchStart: '00:01', punchEnd: '19:30' }
    const { id: shift } = await http.call('shift/add', { name: 'Day', ...times }, signed)
    const employees: string[] = []
    for (let i = 0; i < people; i++) {
      const form = { first_name: 'P', last_name: String(i), workno: String(100 + i), department: mine.department }
      employees.push((await http.call('employee/add', form, signed)).id)
    }
    await http.call('schedule/add', { employees, days: [day], shift }, signed)
    const serialNumber = 'BENCHLINE'
    const device = { serialNumber, name: 'Door', department: mine.department, authentication: 'claim' as const }
    await http.call('device/add', device, signed)
    const terminal = await openSocket(stack.address)
    terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
    await terminal.hear({ cmd: 'getnewlog' })
    terminal.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] })
    const browser = await openSocket(stack.address)
    browser.say({ cmd: 'home.login', token: mine.token })
    await browser.hear({ ret: 'home.login' })

    const isTold = async () => {
      for (;;) {
        const message = await browser.hear({})
        if (Array.isArray(message.refresh) && message.refresh.includes('report/')) return
      }
    }
    // What the preparation caused is told first.
    await new Promise(resolve => setTimeout(resolve, 1500))
    browser.unheard.length = 0
    const acknowledged: number[] = []
    const told: number[] = []
    for (let i = 0; i < punches; i++) {
      const minute = String(Math.floor(i / people)).padStart(2, '0')
      const record = [{ enrollid: 100 + (i % people), time: `${day} 09:${minute}:00`, mode: 8, inout: 0, event: 0 }]
      const sentAt = performance.now()
      terminal.say({ cmd: 'sendlog', count: 1, logindex: i, record })
      await terminal.hear({ ret: 'sendlog' })
      acknowledged.push(performance.now() - sentAt)
      await isTold()
      told.push(performance.now() - sentAt)
    }
    report('punch sent → acknowledged, p50', quantile(acknowledged, 0.5), 'ms')
    report('punch sent → acknowledged, p95', quantile(acknowledged, 0.95), 'ms')
    report('punch sent → browser told, p50', quantile(told, 0.5), 'ms')
    // Two seconds are promised to a person, whatever the machine.
    report('punch sent → browser told, p95', quantile(told, 0.95), 'ms', { atMost: 2000 })
  } finally {
    await stack.stop()
  }
}
