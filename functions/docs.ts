import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { errors } from '../shared/errors.ts'
import { openapi } from '../shared/openapi.ts'

// The API description as a page to read and as a document to load. It needs no script and no style of its own.

type Document = ReturnType<typeof openapi>
type Operation = Document['paths'][string]['post']

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, character => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character] ?? '')

const anchor = (path: string) => path.replaceAll('/', '-')
const code = (value: unknown) => `<pre><code>${escapeHtml(JSON.stringify(value, null, 2))}</code></pre>`

const dataOf = ({ responses }: Operation) => {
  const [success] = responses[200].content['application/json'].schema.oneOf
  return success && 'properties' in success ? success.properties?.data : {}
}

const showOperation = (operation: Operation) => `
<article id="${anchor(operation.operationId)}">
  <h3><span class="verb">POST</span> /api/${escapeHtml(operation.operationId)}</h3>
  <p>${escapeHtml(operation.summary)} <em>${escapeHtml(operation.description)}</em></p>
  <p class="headers">Headers: ${operation.parameters.map(({ name, required }) => `<code>${name}</code>${required ? '' : ' (optional)'}`).join(', ')}</p>
  <details><summary>Input</summary>${code(operation.requestBody.content['application/json'].schema)}</details>
  <details><summary>Output</summary>${code(dataOf(operation))}</details>
</article>`

const showPage = (document: Document) => {
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
</head>
<body>
<header><h1>${escapeHtml(document.info.title)} – API ${escapeHtml(document.info.version)}</h1>
<p>${escapeHtml(document.info.description).replace(/`([^`]+)`/g, '<code>$1</code>')} The same as a document: <a href="/api/openapi.json">openapi.json</a>.</p></header>
<nav aria-label="Paths">${groups.map(({ name, list }) => `<h2>${name}</h2><ul>${list.map(({ operationId }) => `<li><a href="#${anchor(operationId)}">${operationId}</a></li>`).join('')}</ul>`).join('')}</nav>
<main>
${groups.map(({ name, list }) => `<section><h2>${name}</h2>${list.map(showOperation).join('')}</section>`).join('')}
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

/** Made once per process: the declarations do not change while it runs. */
let made: { json: string; page: string } | undefined

/** `GET /api/docs` and `GET /api/openapi.json`; open to everybody. */
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
