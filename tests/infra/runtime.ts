import { createRequire } from 'node:module'

// Replaces the Lambda runtime. A separate process loads one bundle and calls the bundle with the events of its parent,
// in sequence.

const [, , bundle = ''] = process.argv
const { handler } = createRequire(import.meta.url)(bundle)

process.on('message', async (event: object) => {
  // The service gives a scheduled job more time than a path.
  const milliseconds = 'detail-type' in event ? 300_000 : 29_000
  try {
    process.send?.({
      answer: await handler(event, { awsRequestId: 'recorded', getRemainingTimeInMillis: () => milliseconds }),
    })
  } catch (error) {
    process.send?.({ fault: error instanceof Error ? error.stack : String(error) })
  }
})
