import { setTimeout as wait } from 'node:timers/promises'
import { api, type Path } from '../shared/api.ts'
import { errors } from '../shared/errors.ts'
import { securityHeaders } from '../shared/headers.ts'
import { openSocket } from './kit/socket.ts'

// `npm run smoke -- https://…` checks a new deployment within a minute and leaves no trace. The smoke test registers no
// company, so the api tests check more.

const address = process.argv[2]?.replace(/\/$/, '')
if (!address) {
  console.error('Usage: npm run smoke -- https://…')
  process.exit(2)
}

const fail = (sentence: string): never => {
  throw new Error(sentence)
}
const check = (isMet: boolean, sentence: string) => (isMet ? undefined : fail(sentence))

const ask = async (path: string) => {
  const response = await fetch(`${address}/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-version': '2.0', 'x-timezone': 'UTC' },
    body: '{}',
  })
  const answer = (await response.json()) as { code: number }
  return { response, code: answer.code }
}

/** Calls all paths in parallel, to find routes that lead nowhere and functions that cannot start. */
const atOnce = 8
const openPaths = (Object.keys(api) as Path[]).filter(path => api[path].who === 'anyone')

const checks: Record<string, () => Promise<unknown>> = {
  'the site answers with its security headers': async () => {
    const page = await fetch(`${address}/`)
    const text = await page.text()
    check(page.ok && text.includes('<div id="root"'), `answers ${page.status} without the page`)
    for (const [name, value] of Object.entries(securityHeaders)) {
      const received = page.headers.get(name) ?? 'nothing'
      const isSame = name === 'content-security-policy' ? received.startsWith(value.slice(0, 40)) : received === value
      check(isSame || (name === 'strict-transport-security' && address.startsWith('http:')), `${name} is “${received}”`)
    }
    const [, script] = /src="(\/assets\/[^"]+\.js)"/.exec(text) ?? []
    const asset = await fetch(`${address}${script}`)
    check(asset.ok, `${script} answers ${asset.status}`)
    check(asset.headers.get('cache-control')?.includes('immutable') === true, `${script} is not marked as immutable`)
  },
  'every address of the site returns its page': async () => {
    const page = await fetch(`${address}/schedule?month=2030-01`)
    check(page.ok && (await page.text()).includes('<div id="root"'), `answers ${page.status}`)
  },
  'every path rejects a caller without a session, and forbids caching': async () => {
    const paths = (Object.keys(api) as Path[]).filter(path => !openPaths.includes(path)).values()
    const work = async () => {
      for (const path of paths) {
        const { response, code } = await ask(path)
        check(code === 101, `${path} answers ${response.status} ${code}`)
        check(response.headers.get('cache-control') === 'no-store', `${path} allows caching`)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
  },
  'a sign-in without fields gets an error code': async () => {
    const { code } = await ask('user/login')
    check(code !== 0 && code in errors, `answers ${code}`)
  },
  'an unknown terminal is refused, and its silent socket stays open': async () => {
    const terminal = await openSocket(address)
    terminal.say({ cmd: 'reg', sn: `SMOKE${Date.now()}`, devinfo: {} })
    const answer = await terminal.hear({ ret: 'reg' })
    check(answer.result === false, `the server replies ${JSON.stringify(answer)}`)
    await wait(1000)
    terminal.close()
  },
  'an unknown terminal of the HTTP protocol is refused': async () => {
    const response = await fetch(`${address}/iclock/cdata?SN=SMOKE${Date.now()}&options=all`)
    check(response.status === 401 || response.status === 403 || response.status === 404, `answers ${response.status}`)
  },
}

for (const [name, runCheck] of Object.entries(checks)) {
  const startedAt = performance.now()
  try {
    await runCheck()
    console.log(`✓ ${name} (${Math.round(performance.now() - startedAt)} ms)`)
  } catch (error) {
    console.log(`✗ ${name}: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
}
