import type { TestProject } from 'vitest/node'
import { startStack } from '../stack.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the local stack of all api tests answers. */
    address: string
  }
}

/** One stack for all api tests: they make companies of their own and cannot see each other. Its bus is a harsh one. */
export default async (project: TestProject) => {
  const stack = await startStack({ harsh: true })
  project.provide('address', stack.address)
  return async () => {
    const code = await stack.stop()
    if (code !== 0) throw new Error(`The stack ended with code ${code}: ${stack.said()}`)
  }
}
