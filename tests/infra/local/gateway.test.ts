import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Gateway, type Served, startGateway, terminalPath } from '../../../infra/local/gateway.ts'

// The local gateway passes events to the handlers like API Gateway's HTTP API. Each route here returns its event.

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway(0)
  const echo = async (event: object) => ({ statusCode: 200, body: JSON.stringify(event) })
  const routes = new Map(['POST /api/some/path', `POST ${terminalPath}`].map(route => [route, echo]))
  gateway.serve({ routes, complain: sentence => expect.unreachable(sentence) } as Partial<Served> as Served)
})
afterAll(() => gateway.stop())

const send = async (path: string, type: string | undefined, ...chunks: string[]): Promise<APIGatewayProxyEventV2> => {
  const sent = request(`${gateway.address}${path}`, { method: 'POST', headers: type ? { 'content-type': type } : {} })
  for (const chunk of chunks) sent.write(chunk)
  sent.end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return (await json(answer)) as APIGatewayProxyEventV2
}

describe.each(['/api/some/path', '/iclock/100/secret/cdata'])('a body for %s', path => {
  test.each([
    ['application/json', false],
    ['application/json; charset=utf-8', false],
    ['application/xml', false],
    ['application/javascript', false],
    ['text/plain', false],
    ['Text/XML; charset=utf-8', false],
    ['application/x-www-form-urlencoded', true],
    ['application/vnd.api+json', true],
    ['application/json-patch+json', true],
    ['application/push;charset=UTF-8', true],
    ['application/octet-stream', true],
    [undefined, true],
  ])('of type %s is encoded as Base64: %s', async (type, isBase64Encoded) => {
    const event = await send(path, type, '{"name":"Zoë"}')
    expect(event.isBase64Encoded).toBe(isBase64Encoded)
    expect(Buffer.from(event.body ?? '', isBase64Encoded ? 'base64' : 'utf8').toString()).toBe('{"name":"Zoë"}')
  })

  test('that is empty is omitted and not encoded', async () => {
    const event = await send(path, 'application/octet-stream')
    expect(event).not.toHaveProperty('body')
    expect(event.isBase64Encoded).toBe(false)
  })
})
