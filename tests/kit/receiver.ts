import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { PathCall } from '../../shared/api.ts'
import { eventBody, eventData } from '../../shared/webhooks/shape.ts'
import type { Client, Registered } from './client.ts'

// A webhook receiver on this machine, which verifies each request with the Standard Webhooks library and checks the
// promised shape. The test chooses the response.

export interface Heard {
  id: string
  type: keyof typeof eventData
  data: Record<string, unknown>
  body: string
  headers: Record<string, string>
}

export type Answer = (response: ServerResponse, heard: Heard[]) => void

/** Starts to listen, and adds the endpoint to a company. */
export const openReceiver = async (
  { http, boss }: { http: Client; boss: Registered },
  events: PathCall<'webhooks/endpoint/add'>['events'],
  answer: Answer = response => response.end('thanks'),
) => {
  const heard: Heard[] = []
  const refused: unknown[] = []
  let secret = ''
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const headers = request.headers as Record<string, string>
    try {
      const event = eventBody.parse(new Webhook(secret).verify(body, headers))
      if (event.company_id !== boss.company) throw new Error(`It is of the company ${event.company_id}`)
      const type = event.type as keyof typeof eventData
      heard.push({
        ...{ id: String(headers['webhook-id']), type, body, headers },
        data: event.link === undefined ? eventData[type].strict().parse(event.data) : {},
      })
    } catch (error) {
      refused.push(error)
      return response.writeHead(401).end()
    }
    answer(response, heard)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const created = await http.call('webhooks/endpoint/add', { url, events }, boss)
  secret = created.secret
  return {
    ...{ heard, url, id: created.id, secret: created.secret },
    /** The errors of requests with a wrong signature or an unexpected shape. */
    refused,
    log: async () => (await http.call('webhooks/log/grid', { filters: { webhook: created.id } }, boss)).list,
    remove: () => http.call('webhooks/endpoint/delete', { id: created.id }, boss),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
