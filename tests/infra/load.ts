import { subscribe } from 'node:diagnostics_channel'
import { createRequire } from 'node:module'

// Measures a cold start and later calls. Loads one bundle, calls it `times` times with each event of the parent, and
// reports the processor time. Waiting time and other load of the machine do not count.

const [, , bundle = ''] = process.argv
const startedAt = performance.now()
const { handler } = createRequire(import.meta.url)(bundle)
process.send?.({ loadMs: performance.now() - startedAt })

let requests = 0
subscribe('http.client.request.start', () => {
  requests++
})

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

process.on('message', async ({ event, times }: { event: object; times: number }) => {
  const cpuMs: number[] = []
  const requestCounts: number[] = []
  let answer: unknown
  for (let n = 0; n < times; n++) {
    requests = 0
    const before = process.cpuUsage()
    answer = await handler(event, { awsRequestId: 'measured', getRemainingTimeInMillis: () => 29_000 })
    const { user, system } = process.cpuUsage(before)
    cpuMs.push((user + system) / 1000)
    requestCounts.push(requests)
  }
  process.send?.({ answer, ownMs: median(cpuMs.slice(times >> 1)), requests: median(requestCounts.slice(times >> 1)) })
})
