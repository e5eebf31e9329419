import type { TestProject } from 'vitest/node'
import { client, register } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { furnish } from '../kit/furnish.ts'
import { differences, plantNeighbour } from '../kit/neighbour.ts'
import { startStackWithTable } from '../kit/table.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the local stack of all api tests. */
    address: string
    /** The address of the stack's engine. */
    endpoint: string
  }
}

const word = 'Quagga'

/**
 * One stack serves all api tests. They create their own companies and cannot see each other. Its bus delivers each
 * event twice and in any order. A neighbour company exists throughout. `tests/kit/client.ts` fails on any response with
 * a word of the neighbour, whose bytes must be unchanged at the end.
 */
export default async (project: TestProject) => {
  if (process.env.TEST_URL) return project.provide('address', process.env.TEST_URL.replace(/\/$/, ''))
  const world = await startStackWithTable({}, { harsh: true })
  const { stack } = world
  const http = client(stack.address)
  const zone = eveningZone()
  const model = await register(http, { company_name: word, timezone: zone })
  await furnish(http, model, { text: word, zone, day: dayIn(zone) })
  const owner = { company: model.company, number: model.company_num, word }
  const neighbour = await plantNeighbour(world, owner)
  const before = await neighbour.fingerprints()
  project.provide('address', stack.address)
  project.provide('endpoint', world.endpoint)
  return async () => {
    const changed = differences(before, await neighbour.fingerprints())
    const code = await world.stop()
    // The server logs the reason of a failure only here.
    for (const line of stack.said().split('\n')) if (line.startsWith('! ')) console.error(line)
    if (code !== 0) throw new Error(`The stack ended with code ${code}: ${stack.said()}`)
    if (changed.length > 0) throw new Error(`Somebody changed what is their neighbour's: ${changed.join(', ')}`)
  }
}
