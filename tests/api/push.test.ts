import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

// The server retries a failed push, except for commands that a terminal would execute twice.

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

test('the server retries a repeatable command when the gateway fails', async () => {
  await expect(push('one', { cmd: 'getnewlog' })).rejects.toThrow()
  expect(tries).toBe(3)
})

test('the server sends a one-time command once, even when the gateway fails', async () => {
  await expect(push('one', { cmd: 'opendoor' }, { isOnce: true })).rejects.toThrow()
  expect(tries).toBe(1)
})
