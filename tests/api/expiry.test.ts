import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Key } from '../../shared/table.ts'
import { openWorld, type World } from '../kit/world.ts'

let world: World
let kit: typeof import('../../functions/kit/table.ts')

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment)
  kit = await import('../../functions/kit/table.ts')
})
afterAll(() => world.close())

test('every read omits an expired item, even a read of a few attributes', async () => {
  const table = kit.openTable(`x${randomBytes(8).toString('hex').slice(1)}`)
  const now = Math.floor(Date.now() / 1000)
  const keyOf = (id: string): Key<{ id: string; expiresAt: number }> => ({ pk: 'PASSING', sk: id })
  for (const [id, expiresAt] of Object.entries({ old: now - 60, new: now + 3600 }))
    await kit.save(table.insert(keyOf(id), { id, expiresAt }))
  const range = { pk: 'PASSING' }
  expect(await table.get(keyOf('old'))).toBeUndefined()
  expect((await table.all<{ id: string }>(range)).map(({ id }) => id)).toEqual(['new'])
  const some = await table.all<{ id: string; expiresAt: number }>({ ...range, only: ['id', 'expiresAt'] })
  expect(some.map(({ id }) => id)).toEqual(['new'])
})
