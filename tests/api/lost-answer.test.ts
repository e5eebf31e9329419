import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { departmentNameKey } from '../../shared/department.ts'
import { openWorld, type World } from '../kit/world.ts'

// The answer to a write does not arrive, so the SDK sends the same write again.

let world: World
let table: import('../../functions/kit/table.ts').Table
let kit: typeof import('../../functions/kit/table.ts')
let change: typeof import('../../functions/kit/table/change.ts').change

interface Handler {
  handle(request: { headers: Record<string, string> }, options?: object): Promise<{ response: unknown }>
}
const client = new DynamoDBClient({ region: 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } })
const prototype: Handler = Object.getPrototypeOf(client.config.requestHandler)
const { handle } = prototype

let lost = 0
/** Drops the answer to the next put that the engine executes. */
const loseAnswer = () => {
  lost = 1
}

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment)
  kit = await import('../../functions/kit/table.ts')
  change = (await import('../../functions/kit/table/change.ts')).change
  table = kit.openTable('l'.repeat(16))
  prototype.handle = async function (this: Handler, request, options) {
    const answer = await handle.call(this, request, options)
    if (!request.headers['x-amz-target']?.endsWith('.PutItem') || lost === 0) return answer
    lost--
    throw Object.assign(new Error('The answer did not arrive in time'), { name: 'TimeoutError' })
  }
})
afterAll(() => {
  prototype.handle = handle
  return world.close()
})

/** Items of an unaudited noun, so that a save is a single put. */
const keyOf = departmentNameKey

test('an insert succeeds when the SDK repeats it after a lost answer', async () => {
  loseAnswer()
  await kit.save(table.insert(keyOf('first'), { department: 'office' }))
  expect(lost).toBe(0)
  expect(await table.get(keyOf('first'))).toMatchObject({ department: 'office', version: 1 })
})

test('an insert under a taken key is refused even if its first attempt never arrived', async () => {
  await kit.save(table.insert(keyOf('second'), { department: 'office' }))
  const handleNow = prototype.handle
  let failed = false
  // The first attempt fails before it reaches the engine.
  prototype.handle = async function (this: Handler, request, options) {
    if (!failed && request.headers['x-amz-target']?.endsWith('.PutItem')) {
      failed = true
      throw Object.assign(new Error('No connection in time'), { name: 'TimeoutError' })
    }
    return handleNow.call(this, request, options)
  }
  try {
    await expect(kit.save(table.insert(keyOf('second'), { department: 'other' }))).rejects.toMatchObject({
      code: 60006,
    })
  } finally {
    prototype.handle = handleNow
  }
  expect(await table.get(keyOf('second'))).toMatchObject({ department: 'office' })
})

test('a change happens once when the SDK repeats it after a lost answer', async () => {
  await kit.save(table.insert(keyOf('third'), { department: 'office' }))
  loseAnswer()
  let runs = 0
  const changed = await change(table, keyOf('third'), item => {
    runs++
    return { ...item, department: `${item.department}!` }
  })
  expect({ lost, runs }).toEqual({ lost: 0, runs: 1 })
  expect(changed).toMatchObject({ department: 'office!', version: 2 })
  expect(await table.get(keyOf('third'))).toMatchObject({ department: 'office!', version: 2 })
})
