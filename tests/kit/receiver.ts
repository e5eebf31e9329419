import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { PathCall } from '../../shared/api.ts'
import { eventBody, eventData } from '../../shared/webhooks/shape.ts'
import type { Client, Registered } from './client.ts'

// A receiver of webhooks on this machine, as somebody outside has one: it verifies all it gets by the library of Standard Webhooks,
// reads it as is promised, and answers as it is told.

export interface Heard {
  id: string
  type: keyof typeof eventData
  data: Record<string, unknown>
  body: string
  headers: Record<string, string>
}

export type Answer = (response: ServerResponse, heard: Heard[]) => void

/** Begins to listen, and becomes an endpoint of a company. */
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
      const told = eventBody.parse(new Webhook(secret).verify(body, headers))
      if (told.company_id !== boss.company) throw new Error(`It is of the company ${told.company_id}`)
      const type = told.type as keyof typeof eventData
      heard.push({
        ...{ id: String(headers['webhook-id']), type, body, headers },
        data: told.link === undefined ? eventData[type].strict().parse(told.data) : {},
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
  const made = await http.call('webhooks/endpoint/add', { url, events }, boss)
  secret = made.secret
  return {
    ...{ heard, url, id: made.id, secret: made.secret },
    /** What was not signed as it should be, or is not what is promised. */
    refused,
    log: async () => (await http.call('webhooks/log/grid', { filters: { webhook: made.id } }, boss)).list,
    remove: () => http.call('webhooks/endpoint/delete', { id: made.id }, boss),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
