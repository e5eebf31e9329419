import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'

// An example of a webhook receiver: `npm run webhook-receiver -- --secret whsec_…`. It receives webhooks of the local
// stack (`npm start -- --loopback`), verifies them by the Standard Webhooks rules, and prints them. Any Standard
// Webhooks library can verify them too.

const { secret = '', port } = parseArgs({
  options: { secret: { type: 'string' }, port: { type: 'string', default: '9090' } },
}).values
const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
const toleranceSeconds = 300

/** One valid signature is enough. While a new secret replaces an old one, a webhook has two signatures. */
const isGenuine = (id: string, timestamp: string, signatures: string, body: string): boolean => {
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < toleranceSeconds)) return false
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
  return signatures.split(' ').some(signature => {
    const [scheme, encoded = ''] = signature.split(',')
    const bytes = Buffer.from(encoded, 'base64')
    return scheme === 'v1' && bytes.length === expected.length && timingSafeEqual(bytes, expected)
  })
}

/** The same webhook may arrive twice. Its id identifies it. */
const seen = new Set<string>()

createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  const header = (name: string) => String(request.headers[`webhook-${name}`] ?? '')
  const isGood = isGenuine(header('id'), header('timestamp'), header('signature'), body)
  // A 2xx response within 15 seconds prevents a retry.
  response.writeHead(isGood ? 204 : 401).end()
  if (!isGood) console.log('refused: not signed with this secret')
  else if (!seen.has(header('id'))) console.log(header('id'), body)
  seen.add(header('id'))
}).listen(Number(port), '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${port}/`))
