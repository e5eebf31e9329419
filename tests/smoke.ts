import { setTimeout as wait } from 'node:timers/promises'
import { api, type Path } from '../shared/api.ts'
import { errors } from '../shared/errors.ts'
import { securityHeaders } from '../shared/headers.ts'
import { openSocket } from './kit/socket.ts'

// `npm run smoke -- https://…`: whether what was just deployed answers as it should, within a minute and without a trace. Nobody is
// registered; whoever wants more runs the api tests against it.

const address = process.argv[2]?.replace(/\/$/, '')
if (!address) {
  console.error('Say where: npm run smoke -- https://…')
  process.exit(2)
}

const fail = (sentence: string): never => {
  throw new Error(sentence)
}
const must = (isSo: boolean, sentence: string) => (isSo ? undefined : fail(sentence))

const ask = async (path: string) => {
  const response = await fetch(`${address}/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-version': '2.0', 'x-timezone': 'UTC' },
    body: '{}',
  })
  const answer = (await response.json()) as { code: number }
  return { response, code: answer.code }
}

/** All paths, so many at a time: a route that leads nowhere, or a function that cannot start, shows here. */
const atOnce = 8
const openPaths = (Object.keys(api) as Path[]).filter(path => api[path].who === 'anyone')

const looks: Record<string, () => Promise<unknown>> = {
  'the site is there, with its headers': async () => {
    const page = await fetch(`${address}/`)
    const text = await page.text()
    must(page.ok && text.includes('<div id="root"'), `answers ${page.status} without the page`)
    for (const [name, value] of Object.entries(securityHeaders)) {
      const said = page.headers.get(name) ?? 'nothing'
      const isSame = name === 'content-security-policy' ? said.startsWith(value.slice(0, 40)) : said === value
      must(isSame || (name === 'strict-transport-security' && address.startsWith('http:')), `${name} is “${said}”`)
    }
    const [, script] = /src="(\/assets\/[^"]+\.js)"/.exec(text) ?? []
    const asset = await fetch(`${address}${script}`)
    must(asset.ok, `${script} answers ${asset.status}`)
    must(asset.headers.get('cache-control')?.includes('immutable') === true, `${script} may not be kept`)
  },
  'an address of the site leads to its page, also where no file is': async () => {
    const page = await fetch(`${address}/schedule?month=2030-01`)
    must(page.ok && (await page.text()).includes('<div id="root"'), `answers ${page.status}`)
  },
  'every path refuses a stranger in its own words, and nothing of it is kept': async () => {
    const paths = (Object.keys(api) as Path[]).filter(path => !openPaths.includes(path)).values()
    const work = async () => {
      for (const path of paths) {
        const { response, code } = await ask(path)
        must(code === 101, `${path} answers ${response.status} ${code}`)
        must(response.headers.get('cache-control') === 'no-store', `${path} may be kept`)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
  },
  'who signs in with nothing is told which field is missing': async () => {
    const { code } = await ask('user/login')
    must(code !== 0 && code in errors, `answers ${code}`)
  },
  'a terminal nobody knows is refused, and one that says nothing may wait': async () => {
    const terminal = await openSocket(address)
    terminal.say({ cmd: 'reg', sn: `SMOKE${Date.now()}`, devinfo: {} })
    const answer = await terminal.hear({ ret: 'reg' })
    must(answer.result === false, `is told ${JSON.stringify(answer)}`)
    await wait(1000)
    terminal.close()
  },
  'a terminal of the other protocol is refused, if nobody knows it': async () => {
    const response = await fetch(`${address}/iclock/cdata?SN=SMOKE${Date.now()}&options=all`)
    must(response.status === 401 || response.status === 403 || response.status === 404, `answers ${response.status}`)
  },
}

for (const [what, look] of Object.entries(looks)) {
  const startedAt = performance.now()
  try {
    await look()
    console.log(`✓ ${what} (${Math.round(performance.now() - startedAt)} ms)`)
  } catch (error) {
    console.log(`✗ ${what}: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
}
