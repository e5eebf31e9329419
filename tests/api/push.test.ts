import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

// What fails on its way to a connection is tried again, but not what a terminal would do twice.

let tries = 0
const gateway = createServer((_, response) => {
  tries++
  response.writeHead(502).end()
})
let push: typeof import('../../functions/kit/push.ts').push

beforeAll(async () => {
  await new Promise<void>(resolve => gateway.listen(0, '127.0.0.1', resolve))
  Object.assign(process.env, {
    SOCKET_ENDPOINT: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`,
    ...{ AWS_REGION: 'local', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
  })
  push = (await import('../../functions/kit/push.ts')).push
})
afterAll(() => void gateway.close())
beforeEach(() => {
  tries = 0
})

test('what may be said again is said again where the gateway fails', async () => {
  await expect(push('one', { cmd: 'getnewlog' })).rejects.toThrow()
  expect(tries).toBe(3)
})

test('what is to be done once is said once, whatever the gateway answers', async () => {
  await expect(push('one', { cmd: 'opendoor' }, { isOnce: true })).rejects.toThrow()
  expect(tries).toBe(1)
})
