import { startStack } from '../kit/stack.ts'

/** One stack with the demo company and the site, built afresh where its sources are newer. Webhooks may go to this machine. */
export default async () => {
  const stack = await startStack({ site: true, demo: true, environment: { WEBHOOK_LOOPBACK: 'on' } })
  process.env.SITE_ADDRESS = stack.address
  return async () => {
    const code = await stack.stop()
    if (code !== 0) throw new Error(`The stack ended with code ${code}: ${stack.said()}`)
  }
}
