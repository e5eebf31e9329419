import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'

// `npm run webhook-receiver -- --secret whsec_…`: receives webhooks of the local stack (`npm start -- --loopback`), verifies them as
// Standard Webhooks says, and prints them. An example of what whoever is told has to do; any library of the standard does as well.

const { secret = '', port } = parseArgs({
  options: { secret: { type: 'string' }, port: { type: 'string', default: '9090' } },
}).values
const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
const toleranceSeconds = 300

/** Any one of the signatures is enough: there are two while a secret takes the place of another. */
const isGenuine = (id: string, timestamp: string, signatures: string, body: string): boolean => {
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < toleranceSeconds)) return false
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
  return signatures.split(' ').some(signature => {
    const [scheme, given = ''] = signature.split(',')
    const bytes = Buffer.from(given, 'base64')
    return scheme === 'v1' && bytes.length === expected.length && timingSafeEqual(bytes, expected)
  })
}

/** The same webhook may come twice: its id tells. */
const seen = new Set<string>()

createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  const header = (name: string) => String(request.headers[`webhook-${name}`] ?? '')
  const isGood = isGenuine(header('id'), header('timestamp'), header('signature'), body)
  // Whoever answers within 15 seconds with 2xx is not told again.
  response.writeHead(isGood ? 204 : 401).end()
  if (!isGood) console.log('refused: not signed with this secret')
  else if (!seen.has(header('id'))) console.log(header('id'), body)
  seen.add(header('id'))
}).listen(Number(port), '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${port}/`))
