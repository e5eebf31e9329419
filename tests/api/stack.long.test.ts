import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text as consume } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { WebSocket } from 'ws'
import { clientOf, startDatabase } from '../../infra/local/stack/database.ts'
import { client, eventually, register } from '../kit/client.ts'
import { endEngine, isOurEngine, runStack, startStack, temporaryFolder } from '../kit/stack.ts'

const address = inject('address')
const folders: string[] = []
const createFolder = () => {
  const data = temporaryFolder()
  folders.push(data)
  return data
}
afterAll(() => {
  for (const data of folders) {
    endEngine(data)
    rmSync(data, { recursive: true, force: true })
  }
})

/** The number of unread stream records and undelivered messages after a kill. */
const countUnfinished = (data: string): number => {
  const jobs = new DatabaseSync(join(data, 'jobs.db'))
  const table = new DatabaseSync(join(data, 'table.db'), { readOnly: true })
  try {
    const count = (database: DatabaseSync, query: string, ...values: string[]) =>
      Number(database.prepare(query).get(...values)?.count)
    const checkpoint = String(jobs.prepare('SELECT sequence FROM checkpoint').get()?.sequence ?? 0)
    const unread =
      'SELECT count(*) AS count FROM _stream_records WHERE CAST(sequence_number AS INTEGER) > CAST(? AS INTEGER)'
    return count(table, unread, checkpoint) + count(jobs, 'SELECT count(*) AS count FROM message')
  } finally {
    jobs.close()
    table.close()
  }
}

/** The output and exit code of a start that must fail. */
const runFailingStart = async (options: Parameters<typeof runStack>[0]) => {
  const { exited, said } = runStack(options)
  return { code: await exited, said: said() }
}

describe('a stack killed at any moment', () => {
  const timeout = isOurEngine ? 120_000 : 600_000
  test('keeps acknowledged changes, and finishes the remaining calculations after a restart', { timeout }, async () => {
    const data = createFolder()
    let stack = await startStack({ data })
    let http = client(stack.address)
    const { token, department } = await register(http, { timezone: 'Europe/Athens' })
    const caller = { token }
    const { id: shift } = await http.call(
      'shift/add',
      { name: 'Day', onDuty: '09:00', offDuty: '17:00', punchStart: '07:00', punchEnd: '22:00' },
      caller,
    )
    const employees: string[] = []
    for (let workno = 100; workno < 172; workno++) {
      const person = { first_name: 'Kim', last_name: 'Kim', workno: String(workno), department }
      employees.push((await http.call('employee/add', person, caller)).id)
    }
    const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Athens' }).format(Date.now())
    let kills = 0
    for (let round = 0; round < 6; round++) {
      const portion = employees.slice(12 * round, 12 * round + 12)
      await http.call('schedule/add', { employees: portion, days: [today], shift }, caller)
      // The kill hits a later moment each time: before events are sent, while they wait, while days are calculated.
      await wait(round * 15)
      await stack.kill9()
      if (isOurEngine && countUnfinished(data) > 0) kills++
      stack = await startStack({ data })
      http = client(stack.address)
    }
    // The kills must hit unfinished work, or the test proves nothing.
    if (isOurEngine) expect(kills).toBeGreaterThanOrEqual(3)
    const listMissing = async () => {
      const filters = { from: today, to: today }
      const { list } = await http.call('report/grid', { size: 200, filters }, caller)
      const computed = new Set(list.filter(row => row.shift === 'Day').map(({ employee }) => employee))
      return employees.filter(id => !computed.has(id))
    }
    await eventually(listMissing, remaining => expect(remaining).toEqual([]), 20)
    expect(stack.said()).not.toContain('DEAD LETTER')
    expect(await stack.stop()).toBe(0)
  })

  test('leaves its engine running, and the next start ends that engine', async () => {
    const data = createFolder()
    const first = await startStack({ data })
    await first.kill9()
    const second = await startStack({ data })
    expect(second.said()).toContain('stopping the engine of a crashed stack')
    expect(await second.stop()).toBe(0)
  })
})

describe('a start', () => {
  test('into the folder of a running stack reports the conflict, and does not disturb the running stack', async () => {
    const data = createFolder()
    const first = await startStack({ data })
    const { code, said } = await runFailingStart({ data, arguments: ['--quiet'] })
    expect(said).toMatch(/^Another stack \(process \d+\) uses .+\n$/)
    expect(code).toBe(1)
    await register(client(first.address))
    expect(await first.stop()).toBe(0)
  })

  test('on a port in use reports the conflict in one sentence', async () => {
    const server = createServer()
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const { code, said } = await runFailingStart({ data: createFolder(), port, arguments: ['--quiet'] })
    server.close()
    expect(said).toBe(`Port ${port} is in use: stop the program that uses it, or choose another port with --port.\n`)
    expect(code).toBe(1)
  })

  test('with a folder without write access reports the problem in one sentence', async () => {
    const parent = createFolder()
    writeFileSync(join(parent, 'file'), '')
    const data = join(parent, 'file', 'data')
    const { code, said } = await runFailingStart({ data, arguments: ['--quiet'] })
    expect(said).toBe(`The folder ${data} is not writable (ENOTDIR): choose another one with --data.\n`)
    expect(code).toBe(1)
  })

  test.runIf(isOurEngine)('on a platform without an engine names the alternative', async () => {
    const otherPlatform = "data:text/javascript,Object.defineProperty(process,'platform',{value:'plan9'})"
    const { code, said } = await runFailingStart({
      data: createFolder(),
      arguments: ['--quiet'],
      nodeArguments: ['--import', otherPlatform],
    })
    expect(said).toMatch(/^There is no database engine for plan9-\w+: start any DynamoDB, .+DYNAMODB_ENDPOINT=.+\n$/)
    expect(code).toBe(1)
  })

  test.runIf(isOurEngine)('with a damaged table reports the damage', async () => {
    const data = createFolder()
    writeFileSync(join(data, 'table.db'), 'this is no database, however long it is'.repeat(200))
    const { code, said } = await runFailingStart({ data, arguments: ['--quiet'] })
    expect(said).toMatch(/^The database engine does not start: .+\n$/)
    expect(code).toBe(1)
  })

  test('without the key of its table, or with a wrong key, reports the problem and changes nothing', async () => {
    const data = createFolder()
    const file = join(data, 'key')
    const first = await startStack({ data })
    const { token } = await register(client(first.address))
    expect(await first.stop()).toBe(0)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const key = readFileSync(file, 'utf8')
    const start = () => runFailingStart({ data, arguments: ['--quiet'] })
    rmSync(file)
    const missing = `The key file ${file} is missing, and only its key decrypts the secrets in the table: `
    const remedy = 'restore it from a backup, or start with an empty data folder and table.\n'
    expect(await start()).toEqual({ code: 1, said: missing + remedy })
    expect(existsSync(file)).toBe(false)
    for (const text of ['', key.slice(0, 40), `${key}0`, 'no key at all'.padEnd(64, '.')]) {
      writeFileSync(file, text)
      expect(await start()).toEqual({ code: 1, said: `The key file ${file} is damaged: ${remedy}` })
      expect(readFileSync(file, 'utf8')).toBe(text)
    }
    writeFileSync(file, 'ab'.repeat(32))
    expect(await start()).toEqual({ code: 1, said: `The key file ${file} does not belong to this table: ${remedy}` })
    writeFileSync(file, `${key}\n`)
    const last = await startStack({ data })
    expect(await client(last.address).ask('auth/get', {}, { token })).toMatchObject({ code: 0 })
    expect(await last.stop()).toBe(0)
  })

  test('with a table from before key checks accepts the first key, and then no other key', async () => {
    const data = createFolder()
    const file = join(data, 'key')
    const engine = await startDatabase({ data, table: 'attendance', say: () => undefined, onEnd: console.error })
    const dynamo = new DynamoDBClient(clientOf(engine.endpoint))
    const Item = { pk: { S: 'OLD' }, sk: { S: 'OLD' } }
    await dynamo.send(new PutItemCommand({ TableName: 'attendance', Item }))
    dynamo.destroy()
    await engine.stop()
    expect((await runFailingStart({ data, arguments: ['--quiet'] })).said).toContain('is missing')
    writeFileSync(file, 'ab'.repeat(32))
    expect(await (await startStack({ data })).stop()).toBe(0)
    writeFileSync(file, 'cd'.repeat(32))
    expect((await runFailingStart({ data, arguments: ['--quiet'] })).said).toContain('does not belong to this table')
  })

  test('with damaged stored events names the file', async () => {
    const data = createFolder()
    writeFileSync(join(data, 'jobs.db'), 'this is no database, however long it is'.repeat(200))
    const { code, said } = await runFailingStart({ data, arguments: ['--quiet'] })
    expect(said).toMatch(/^The pending facts cannot be read from .+jobs\.db: .+\n$/)
    expect(code).toBe(1)
  })

  test('with another DynamoDB uses that DynamoDB, and reports in one sentence if no DynamoDB answers', async () => {
    const complain = (reason: string) => expect.fail(reason)
    const other = await startDatabase({ data: createFolder(), table: 'other', say: () => undefined, onEnd: complain })
    const environment = { DYNAMODB_ENDPOINT: other.endpoint }
    const data = createFolder()
    const stack = await startStack({ data, environment })
    const { token } = await register(client(stack.address))
    expect(existsSync(join(data, 'table.db'))).toBe(false)
    await stack.kill9()
    const next = await startStack({ data, environment })
    expect(await client(next.address).ask('auth/get', {}, { token })).toMatchObject({ code: 0 })
    expect(await next.stop()).toBe(0)
    await other.stop()
    const { code, said } = await runFailingStart({ data, environment, arguments: ['--quiet'] })
    expect(said).toMatch(/^Cannot prepare the table at http:\S+: .+\n$/)
    expect(code).toBe(1)
  })

  test('with an unknown option names it', async () => {
    const { code, said } = await runFailingStart({ data: createFolder(), arguments: ['--fast'] })
    expect(said).toContain("'--fast'")
    expect(said).not.toContain('    at ')
    expect(code).toBe(1)
  })

  test('creates the demo company: its people can sign in, and its terminal finds the port', async () => {
    const data = createFolder()
    const stack = await startStack({ data, demo: true })
    expect(stack.said()).toMatch(/demo@example\.com +password Demo#2026/)
    const answer = await client(stack.address).ask('user/login', {
      email: 'demo@example.com',
      password: 'Demo#2026',
    })
    expect(answer).toMatchObject({ code: 0 })
    const options = ['infra/local/terminal.ts', '--data', join(data, 'terminals')]
    const terminal = spawn(process.execPath, options, { stdio: ['pipe', 'pipe', 'inherit'] })
    terminal.stdin.end('4\n')
    const said = await consume(terminal.stdout)
    expect(said).toContain(`connected to ${new URL(stack.address).host}.`)
    expect(said).toMatch(/employee 4 {2}stored\n$/)
    expect(await stack.stop()).toBe(0)
  })
})

test('a stack ends its engine when it stops, prints that it has stopped, and starts again with all data', async () => {
  const data = createFolder()
  const first = await startStack({ data })
  const { token } = await register(client(first.address))
  expect(await first.stop()).toBe(0)
  expect(first.said()).toMatch(/stopped\n$/)
  const second = await startStack({ data })
  expect(second.said()).not.toContain('stopping the engine of a crashed stack')
  expect(await client(second.address).ask('auth/get', {}, { token })).toMatchObject({ code: 0 })
  expect(await second.outbox()).toHaveLength(1)
  expect(await second.stop()).toBe(0)
})

describe('the gateway', () => {
  const post = (path: string, body: string) => fetch(`${address}${path}`, { method: 'POST', body })

  test('answers an undeclared path with 404, for every method', async () => {
    const body = { code: 60009, message: expect.any(String) }
    for (const path of ['/api/nothing/here', '/api/department/unknown', '/api/toString', '/elsewhere']) {
      const response = await post(path, '{}')
      expect([response.status, await response.json()]).toEqual([404, body])
    }
    const read = await fetch(`${address}/api/department/add`)
    expect([read.status, await read.json()]).toEqual([404, body])
  })

  test('answers a body over 256 KB with 413, even without a declared length', async () => {
    for (const path of ['/api/user/login', '/api/department/add']) {
      const response = await post(path, `"${'x'.repeat(256 * 1024)}"`)
      expect([response.status, await response.json()]).toMatchObject([413, { code: 60010 }])
    }
    const status = await new Promise(resolve => {
      const request = httpRequest(`${address}/api/user/login`, { method: 'POST' }, ({ statusCode }) =>
        resolve(statusCode),
      )
      for (let i = 0; i < 300; i++) request.write('x'.repeat(1024))
      request.end()
    })
    expect(status).toBe(413)
  })

  test('accepts a body of any content type, because some programs set no content type', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'application/octet-stream', 'text/plain']) {
      const body = Buffer.from(JSON.stringify({ email: 'nobody@example.com', password: 'Rhubarb#42' }))
      const response = await fetch(`${address}/api/user/login`, {
        ...{ method: 'POST', body, headers: { 'content-type': type } },
      })
      expect(await response.json()).toMatchObject({ code: 21014 })
    }
  })

  test.each([
    { offered: [], named: '' },
    { offered: ['json'], named: 'json' },
    { offered: ['json.v2', 'chat'], named: 'json.v2' },
  ])('opens a socket that offers the subprotocols $offered as “$named”', async ({ offered, named }) => {
    const socket = new WebSocket(`${address.replace(/^http/, 'ws')}/web`, offered)
    await once(socket, 'open')
    expect(socket.protocol).toBe(named)
    socket.close()
  })

  test('sends every response with the headers that protect a browser', async () => {
    for (const path of ['/api/docs', '/outbox', '/nothing.here']) {
      const { headers } = await fetch(`${address}${path}`)
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; /)
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    }
    expect((await post('/api/user/login', '{}')).headers.get('cache-control')).toBe('no-store')
  })

  test('shows the API description as a page and as a document', async () => {
    const page = await fetch(`${address}/api/docs`)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(await page.text()).toContain('department/add')
    expect(await (await fetch(`${address}/api/openapi.json`)).json()).toMatchObject({ openapi: '3.1.0' })
  })

  test('shows the mails that it would have sent', async () => {
    const { email } = await register(client(address))
    const page = await (await fetch(`${address}/outbox`)).text()
    expect(page).toContain(email)
  })

  test('redirects localhost to the address whose origin the sockets accept', async () => {
    const { port } = new URL(address)
    const response = await fetch(`http://localhost:${port}/outbox?format=json`, { redirect: 'manual' })
    expect(response.status).toBe(307)
    expect(response.headers.get('location')).toBe(`${address}/outbox?format=json`)
  })
})

describe('the site', () => {
  test('serves one page for every address, and nothing outside its folder', async () => {
    const stack = await startStack({ data: createFolder(), site: true })
    const readPath = async (path: string) => {
      const response = await fetch(`${stack.address}${path}`)
      return { status: response.status, kept: response.headers.get('cache-control'), text: await response.text() }
    }
    const page = await readPath('/')
    expect(page).toMatchObject({ status: 200, kept: 'no-cache', text: expect.stringContaining('<div id="root"') })
    expect(await readPath('/department/some-id')).toEqual(page)
    // The stack serves the same files as a deployment, whichever command built them.
    expect(page.text).not.toContain('jsx-dev-runtime')
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page.text)?.[1]
    expect(await readPath(`${script}`)).toMatchObject({ status: 200, kept: 'public, max-age=31536000, immutable' })
    expect(await readPath('/assets/missing.js')).toMatchObject({ status: 404 })
    for (const path of [
      '/..%2f..%2fpackage.json',
      '/%2e%2e/%2e%2e/package.json',
      '/assets/..%5c..%5cindex.html',
      '/%00.js',
    ])
      expect((await readPath(path)).text).not.toContain('"dependencies"')
    expect(await stack.stop()).toBe(0)
  }, 120_000)
})
