import { beforeEach, describe, expect, test, vi } from 'vitest'

// How the browser sends requests and reads answers. The network and the browser's globals are stubs.

const stored = new Map<string, string>([['token', 'mine']])
vi.stubGlobal('localStorage', {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, value: string) => stored.set(name, value),
  removeItem: (name: string) => stored.delete(name),
})
vi.stubGlobal('document', { documentElement: { lang: 'en' } })
vi.stubGlobal('location', { origin: 'http://localhost' })
const answers: (() => Response)[] = []
const sent: Headers[] = []
vi.stubGlobal('fetch', async (_: unknown, { headers }: RequestInit) => {
  sent.push(new Headers(headers))
  const answer = answers.shift()
  if (!answer) throw new TypeError('Failed to fetch')
  return answer()
})
const { call, isTokenOutdated, keepToken, leaveToken, readToken, write } = await import('../../web/api.ts')

const json =
  (body: unknown, status = 200) =>
  () =>
    new Response(JSON.stringify(body), { status })
const codeOf = (request: Promise<unknown>) => request.then(String, error => error.code)
const add = () => write('department/add', { name: 'Once' })
const keys = () => sent.map(headers => headers.get('idempotency-key'))

beforeEach(() => {
  answers.length = 0
  sent.length = 0
  vi.useRealTimers()
})

describe('an answer of a gateway', () => {
  test.each([
    [502, '<html><body>Bad Gateway</body></html>'],
    [503, '{"message":"Service Unavailable"}'],
    [504, '{"message":"Endpoint request timed out"}'],
    [500, '{"message":"Internal Server Error"}'],
    [500, 'null'],
    [200, '<html></html>'],
  ])('%s %s counts as no answer', async (status, body) => {
    answers.push(() => new Response(body, { status }))
    expect(await codeOf(call('auth/get', {}))).toBe('network')
  })

  test('an error from our server counts as an answer', async () => {
    answers.push(json({ code: 60011, message: 'Something went wrong on our side' }, 500))
    expect(await codeOf(call('auth/get', {}))).toBe(60011)
  })
})

describe('the idempotency key of a write', () => {
  test('stays the same if no answer arrives or while the first request is in progress', async () => {
    answers.push(json({ message: 'Service Unavailable' }, 503), json({ code: 60018 }), json({ code: 0, data: {} }))
    expect([await codeOf(add()), await codeOf(add())]).toEqual(['network', 60018])
    await add()
    expect(new Set(keys()).size).toBe(1)
  })

  test('changes after any other answer', async () => {
    answers.push(json({ code: 59002 }), json({ code: 0, data: {} }), json({ code: 0, data: {} }))
    expect(await codeOf(add())).toBe(59002)
    await add()
    await add()
    expect(new Set(keys()).size).toBe(3)
  })

  test('changes after two minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    expect(await codeOf(add())).toBe('network')
    vi.advanceTimersByTime(119_000)
    expect(await codeOf(add())).toBe('network')
    vi.advanceTimersByTime(1_000)
    expect(await codeOf(add())).toBe('network')
    const [first, second, third] = keys()
    expect(second).toBe(first)
    expect(third).not.toBe(first)
  })
})

describe('a tab', () => {
  test('keeps its user when another tab signs in as another user, and does not sign that user out', async () => {
    stored.set('token', 'theirs')
    answers.push(json({ code: 0, data: {} }))
    await call('auth/get', {})
    expect(sent[0]?.get('x-token')).toBe('mine')
    expect(isTokenOutdated()).toBe(true)
    keepToken(null)
    expect(readToken()).toBe(null)
    expect(stored.get('token')).toBe('theirs')
  })

  test('stores its token for new tabs, and removes it on sign-out', () => {
    keepToken('fresh')
    expect([readToken(), stored.get('token'), isTokenOutdated()]).toEqual(['fresh', 'fresh', false])
    keepToken(null)
    expect(stored.has('token')).toBe(false)
  })

  test('that stays open while its user opens another company keeps its own token', () => {
    keepToken('one')
    leaveToken('other')
    expect([readToken(), stored.get('token')]).toEqual(['one', 'other'])
  })
})
