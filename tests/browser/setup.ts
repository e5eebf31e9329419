import { startStack } from '../kit/stack.ts'

/** Starts a stack with the plain demo company and the site. Rebuilds the site if its sources are newer. Webhooks may target this machine. */
export default async () => {
  const stack = await startStack({ site: true, demo: 'plain', environment: { WEBHOOK_LOOPBACK: 'on' } })
  process.env.SITE_ADDRESS = stack.address
  return async () => {
    const code = await stack.stop()
    if (code !== 0) throw new Error(`The stack ended with code ${code}: ${stack.said()}`)
  }
}
