import { createRequire } from 'node:module'

// Stands where the Lambda service's runtime stands: a process of its own that loads one bundle and hands it one event after
// the other, as its parent sends them.

const [, , bundle = ''] = process.argv
const { handler } = createRequire(import.meta.url)(bundle)

process.on('message', async event => {
  try {
    process.send?.({
      answer: await handler(event, { awsRequestId: 'recorded', getRemainingTimeInMillis: () => 29_000 }),
    })
  } catch (error) {
    process.send?.({ fault: error instanceof Error ? error.stack : String(error) })
  }
})
