import { subscribe } from 'node:diagnostics_channel'
import { createRequire } from 'node:module'

// A cold start and what comes after it: loads one bundle, then hands it the events its parent sends, each as often as asked, and
// says what that took of the processor. What it waits for, and what else the machine does, is not the function's time.

const [, , bundle = ''] = process.argv
const startedAt = performance.now()
const { handler } = createRequire(import.meta.url)(bundle)
process.send?.({ loadMs: performance.now() - startedAt })

let requests = 0
subscribe('http.client.request.start', () => {
  requests++
})

const median = (values: number[]) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

process.on('message', async ({ event, times }: { event: object; times: number }) => {
  const own: number[] = []
  const asked: number[] = []
  let answer: unknown
  for (let n = 0; n < times; n++) {
    requests = 0
    const before = process.cpuUsage()
    answer = await handler(event, { awsRequestId: 'measured', getRemainingTimeInMillis: () => 29_000 })
    const { user, system } = process.cpuUsage(before)
    own.push((user + system) / 1000)
    asked.push(requests)
  }
  process.send?.({ answer, ownMs: median(own.slice(times >> 1)), requests: median(asked.slice(times >> 1)) })
})
