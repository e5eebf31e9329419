import { type Client, client, type Registered, register } from '../kit/client.ts'
import { importSheet, sendSheet, taskEnd } from '../kit/sheet.ts'
import { startStack } from '../kit/stack.ts'
import type { Report } from './main.ts'

// The first requests of an administrator’s pages, in companies of 100 and 10,000 employees, created by imports. The
// size of the company must not slow down these requests.

const sizes = [100, 10_000]
const departments = 20
const rounds = 40
/** One employee in `leavers` has left. */
const leavers = 20

const sheetOf = (count: number) => {
  const lines = Array.from({ length: count }, (_, i) => {
    const endDay = i % leavers === 0 ? '2026-02-28' : ''
    return `Quentin ${i},Longbottom ${i % 997},${1000 + i},Department ${i % departments},Baker,person${i}@example.com,2026-01-15,${endDay}`
  })
  return `first_name,last_name,workno,department,position,email,hireDay,endDay\n${lines.join('\n')}\n`
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** The requests by report name. */
const requests: Record<string, (http: Client, mine: Registered) => Promise<unknown>> = {
  'employee/grid': (http, owner) => http.ask('employee/grid', { size: 100 }, owner),
  'employee/count': (http, owner) => http.ask('employee/count', {}, owner),
  'employee/grid, those who left': (http, owner) =>
    http.ask('employee/grid', { size: 100, filters: { state: 'left' } }, owner),
  'department/grid': (http, owner) => http.ask('department/grid', {}, owner),
  'department/grid by people': (http, owner) =>
    http.ask('department/grid', { sort: { by: 'employeeCount', descending: true } }, owner),
  'dashboard/info': (http, owner) => http.ask('dashboard/info', {}, owner),
  'audit/grid': (http, owner) => http.ask('audit/grid', {}, owner),
}

export const bench = async (report: Report) => {
  const stack = await startStack()
  try {
    const http = client(stack.address)
    const companies = []
    for (const size of sizes) {
      const mine = await register(http)
      const tree = Array.from({ length: departments }, (_, i) => `Department ${i}`).join('\n')
      await importSheet(http, mine, `name\n${tree}\n`, { path: 'department/import' })
      const startedAt = performance.now()
      const upload = await sendSheet(http, mine, sheetOf(size))
      const importTask = await http.call('employee/import', { upload, dryRun: false }, mine)
      const { state } = await taskEnd(http, mine, importTask, 300)
      if (state !== 'done') throw new Error(`The import ended as ${state}.`)
      report(`importing ${size} people`, (performance.now() - startedAt) / 1000, 's')
      companies.push({ size, mine })
    }
    // Waits for the jobs of the imports.
    await new Promise(resolve => setTimeout(resolve, 5000))
    for (const [name, request] of Object.entries(requests)) {
      const times = companies.map(() => [] as number[])
      for (let round = -3; round < rounds; round++)
        for (const [i, { mine }] of companies.entries()) {
          const startedAt = performance.now()
          await request(http, mine)
          if (round >= 0) times[i]?.push(performance.now() - startedAt)
        }
      const [small = 1, large = 0] = times.map(median)
      report(`${name}, of ${sizes[1]}`, large, 'ms')
      report(`${name}, of ${sizes[1]} / of ${sizes[0]}`, large / small, 'ratio', { atMost: 2 })
    }
    for (const { size, mine } of companies) {
      const { length } = JSON.stringify(await http.ask('audit/grid', {}, mine))
      report(`first page of the audit, of ${size}`, length / 1024, 'KB', { atMost: 64 })
    }
  } finally {
    await stack.stop()
  }
}
