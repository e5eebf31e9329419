import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { callsPerMinute } from '../shared/apikey.ts'
import { mostCallBytes } from '../shared/contract.ts'
import { errors } from '../shared/errors.ts'
import { openapi } from '../shared/openapi.ts'

// The API description as a page and as a document. The page works without scripts; with a script, users can try a call.

type Document = ReturnType<typeof openapi>
type Operation = Document['paths'][string]['post']
type Webhook = Document['webhooks'][string]['post']
interface Schema {
  type?: string
  const?: unknown
  default?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  format?: string
  pattern?: string
  minimum?: number
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
}

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, character => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character] ?? '')

const withCode = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
const anchor = (name: string) => name.replaceAll(/[/ ]/g, '-')
const code = (value: unknown) => `<pre><code>${escapeHtml(JSON.stringify(value, null, 2))}</code></pre>`

const dataOf = ({ responses }: Operation) => {
  const [success] = responses[200].content['application/json'].schema.oneOf
  return success && 'properties' in success ? success.properties?.data : {}
}

/** The smallest valid example of a schema, without optional fields. */
const leastOf = (schema: Schema): unknown => {
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf?.[0]) return leastOf(schema.anyOf[0])
  switch (schema.type) {
    case 'object': {
      const names = schema.required ?? []
      return Object.fromEntries(names.map(name => [name, leastOf(schema.properties?.[name] ?? {})]))
    }
    case 'array':
      return []
    case 'integer':
    case 'number':
      return Math.max(0, schema.minimum ?? 0)
    case 'boolean':
      return false
    default:
      return schema.format === 'date' ? new Date().toISOString().slice(0, 10) : ''
  }
}

const inputOf = ({ requestBody }: Operation) => requestBody.content['application/json'].schema
/** Describes the credentials of a call. */
const signWords = ({ security }: Operation) =>
  security.length === 0
    ? ''
    : security.length === 1
      ? '<code>X-Token</code>, '
      : '<code>X-Token</code> or <code>Authorization: Bearer</code>, '

const showOperation = (operation: Operation) => `
<article id="${anchor(operation.operationId)}" data-path="${escapeHtml(operation.operationId)}" data-input="${escapeHtml(JSON.stringify(leastOf(inputOf(operation) as Schema)))}">
  <h3><span class="verb">POST</span> /api/${escapeHtml(operation.operationId)}</h3>
  <p>${escapeHtml(operation.summary)} <em>${escapeHtml(operation.description)}</em></p>
  <p class="headers">Headers: ${signWords(operation)}${operation.parameters.map(({ name, required }) => `<code>${name}</code>${required ? '' : ' (optional)'}`).join(', ')}</p>
  <details><summary>Input</summary>${code(inputOf(operation))}</details>
  <details><summary>Output</summary>${code(dataOf(operation))}</details>
</article>`

const showWebhook = ({ operationId, summary, description, requestBody }: Webhook) => {
  const { schema, example } = requestBody.content['application/json']
  return `
<article id="${anchor(operationId)}">
  <h3>${escapeHtml(example.type)}</h3>
  <p>${escapeHtml(summary)} <em>${withCode(description)}</em></p>
  <details><summary>Sample</summary>${code(example)}</details>
  <details><summary>Schema</summary>${code(schema)}</details>
</article>`
}

const showSigning = ({ parameters }: Webhook) => `
<p>The server POSTs each event as JSON to the company’s endpoints, signed according to <a href="https://www.standardwebhooks.com">Standard Webhooks</a> 1.0.0, at least once and in any order. An answer of 2xx within 15 seconds ends the delivery.</p>
<dl>${parameters.map(({ name, description }) => `<dt><code>${name}</code></dt><dd>${withCode(description)}</dd>`).join('')}</dl>`

/** A developer's first five minutes: poll for punches, then receive them. */
const guide = `<section id="start"><h2>First five minutes</h2>
<p>Run <code>npm start -- --loopback</code> in one shell and sign in as the administrator that it prints. Then open System, Application.</p>
<h3>Poll for punches</h3>
<p>On the tab <em>API keys</em>, create a key with the permission <em>Records</em>. Use it in a second shell:</p>
<pre>KEY=attk_…
curl -s http://127.0.0.1:8080/api/record/since -H "Authorization: Bearer $KEY" --json '{"size": 2}'</pre>
<p>The answer holds the first punches, a <code>cursor</code> and <code>isMore</code>. Send the cursor in the next call: at once while <code>isMore</code> is true, otherwise after a minute. Late punches are included. A punch appears again, with the same <code>uuid</code>, when its employee ID is assigned or unassigned.</p>
<pre>curl -s http://127.0.0.1:8080/api/record/since -H "Authorization: Bearer $KEY" --json '{"cursor": "…"}'</pre>
<h3>Receive a webhook</h3>
<p>On the tab <em>Webhooks</em>, add the endpoint <code>http://127.0.0.1:9090/</code>. Start a receiver with its secret:</p>
<pre>npm run webhook-receiver -- --secret whsec_…</pre>
<p><em>Send a test</em> makes it print <code>webhook.ping</code>. Then run <code>npm run terminal</code> in a third shell, type <code>4</code> and press Enter. The receiver prints <code>record.created</code> within seconds.</p></section>`

/** The rules of every path. */
const rules = `<section id="rules"><h2>Paging, retries and limits</h2>
<dl>
<dt>Page</dt><dd>A list answers up to <code>size</code> rows (at most 200) and <code>next</code>. Send <code>next</code> as <code>page</code> with the same filters for the following page. The last page has no <code>next</code>. A page may hold fewer rows than <code>size</code>, even none.</dd>
<dt>Retry</dt><dd>After a timeout, 429 or 500, wait and send the call again. Send an <code>Idempotency-Key</code> with each call that changes data: the same key and body within 24 hours return the first answer. After 60006 read the item again, because another caller has changed it.</dd>
<dt>Limit</dt><dd>An API key may make ${callsPerMinute} calls a minute. Above that the answer is 429 with code 60008, and <code>Retry-After</code> says how many seconds to wait. A body holds at most ${mostCallBytes / 1024} KiB (60010).</dd>
<dt>Errors</dt><dd>Check <code>code</code>, not the HTTP status. <code>fields</code> names each invalid field. Unknown paths and other methods than POST answer 60009 (404).</dd>
</dl></section>`

const showPage = (document: Document) => {
  const webhooks = Object.values(document.webhooks).map(({ post }) => post)
  const operations = Object.values(document.paths).map(({ post }) => post)
  const groups = document.tags.map(({ name }) => ({ name, list: operations.filter(({ tags }) => tags[0] === name) }))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(document.info.title)} – API</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/docs.css">
<script src="/docs.js" defer></script>
</head>
<body>
<header><h1>${escapeHtml(document.info.title)} – API ${escapeHtml(document.info.version)}</h1>
<p>${withCode(document.info.description)} As a document: <a href="/api/openapi.json">openapi.json</a>.</p>
<p>${withCode(document.components.securitySchemes.key.description)}</p></header>
<nav aria-label="Paths">${groups.map(({ name, list }) => `<h2>${name}</h2><ul>${list.map(({ operationId }) => `<li><a href="#${anchor(operationId)}">${operationId}</a></li>`).join('')}</ul>`).join('')}<h2>Webhook events</h2><ul>${webhooks.map(({ operationId, requestBody }) => `<li><a href="#${anchor(operationId)}">${requestBody.content['application/json'].example.type}</a></li>`).join('')}</ul></nav>
<main>
${guide}
${rules}
${groups.map(({ name, list }) => `<section><h2>${name}</h2>${list.map(showOperation).join('')}</section>`).join('')}
<section id="webhooks"><h2>Webhook events</h2>${webhooks.slice(0, 1).map(showSigning).join('')}${webhooks.map(showWebhook).join('')}</section>
<section id="codes"><h2>Codes</h2><table><thead><tr><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead><tbody>
${Object.entries(errors)
  .map(([number, meaning]) => `<tr><td>${number}</td><td>${escapeHtml(meaning)}</td></tr>`)
  .join('')}
</tbody></table></section>
</main>
</body>
</html>
`
}

/** Created once per process, because the declarations never change. */
let made: { json: string; page: string } | undefined

/** `GET /api/docs` and `GET /api/openapi.json`, without a session. */
export const handler = async ({ rawPath }: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
  if (!made) {
    const document = openapi()
    made = { json: JSON.stringify(document), page: showPage(document) }
  }
  const isPage = rawPath === '/api/docs'
  return {
    statusCode: 200,
    headers: {
      'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    },
    body: isPage ? made.page : made.json,
  }
}
