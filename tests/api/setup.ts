import type { TestProject } from 'vitest/node'
import { client, register } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { furnish } from '../kit/furnish.ts'
import { differences, plantNeighbour } from '../kit/neighbour.ts'
import { startStackWithTable } from '../kit/table.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the local stack of all api tests answers. */
    address: string
  }
}

const word = 'Quagga'

/**
 * One stack for all api tests: they make companies of their own and cannot see each other. Its bus is a harsh one. Another
 * company stands beside theirs all the time: `tests/kit/client.ts` fails on any answer that holds a word of it, and in the end it
 * must be as it was, to the byte.
 */
export default async (project: TestProject) => {
  if (process.env.TEST_URL) return project.provide('address', process.env.TEST_URL.replace(/\/$/, ''))
  const world = await startStackWithTable({}, { harsh: true })
  const { stack } = world
  const http = client(stack.address)
  const zone = eveningZone()
  const model = await register(http, { company_name: word, timezone: zone })
  await furnish(http, model, { text: word, zone, day: dayIn(zone) })
  const of = { company: model.company, number: model.company_num, word }
  const neighbour = await plantNeighbour(world, of)
  const before = await neighbour.fingerprints()
  project.provide('address', stack.address)
  return async () => {
    const changed = differences(before, await neighbour.fingerprints())
    const code = await world.stop()
    // What went wrong behind an answer is said nowhere else.
    for (const line of stack.said().split('\n')) if (line.startsWith('! ')) console.error(line)
    if (code !== 0) throw new Error(`The stack ended with code ${code}: ${stack.said()}`)
    if (changed.length > 0) throw new Error(`Somebody changed what is their neighbour's: ${changed.join(', ')}`)
  }
}
