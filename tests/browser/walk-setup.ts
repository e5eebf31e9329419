import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { steps } from '../../infra/local/demo/step.ts'
import { startStack } from '../kit/stack.ts'

const stepCount = Object.keys(steps).length

/** Starts a stack with the whole demo company, and waits until its history is complete. No page of it is empty. */
export default async () => {
  const stack = await startStack({ site: true, demo: true })
  process.env.SITE_ADDRESS = stack.address
  const progress = join(stack.data, 'demo.json')
  const isComplete = () => existsSync(progress) && JSON.parse(readFileSync(progress, 'utf8')).done.length === stepCount
  while (!isComplete()) await wait(500)
  return async () => {
    const code = await stack.stop()
    if (code !== 0) throw new Error(`The stack ended with code ${code}: ${stack.said()}`)
  }
}
