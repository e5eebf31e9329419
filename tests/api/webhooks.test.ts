import { describe, expect, inject, test } from 'vitest'
import { client, register } from '../kit/client.ts'

// The endpoints a company has itself told by: who sets them, where they may lead, and that their secrets are shown once.

const http = client(inject('address'))
const boss = await register(http)
const url = 'https://hooks.example.com/attendance'
const typed = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

describe('endpoints', () => {
  test('webhooks are offered, and a company has none to begin with', async () => {
    expect(await http.call('webhooks/show', {}, boss)).toEqual({ is_show: true })
    expect(await http.call('webhooks/get', {}, boss)).toEqual({})
  })

  test('the first is made and changed by one path, on top of what was seen, and its secret is shown once', async () => {
    const events = ['record', 'employee', 'record'] as const
    const made = await http.call('webhooks/update', { url, events: [...events] }, boss)
    expect(made).toMatchObject({ secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/), version: 1 })
    const { secret: _, ...first } = made
    const shown = { ...first, url, events: ['record', 'employee'], isOn: true }
    expect(await http.call('webhooks/get', {}, boss)).toEqual(shown)
    expect(await http.ask('webhooks/update', { url, events: [] }, boss)).toMatchObject({ code: 60006 })
    const again = await http.call('webhooks/update', { url, events: [], isOn: false, version: 1 }, boss)
    expect(again).toEqual({ id: made.id, version: 2 })
    const other = await http.call('webhooks/update', { url, events: [], secret: typed, version: 2 }, boss)
    expect(other).toEqual({ id: made.id, secret: typed, version: 3 })
    const told = await http.call('webhooks/get', {}, boss)
    expect(told).toMatchObject({ events: [], isOn: true, formerUntil: expect.any(String) })
    expect(JSON.stringify(told)).not.toContain('whsec_')
    // Who sends the whole form each time gives it no other secret: the one before goes on signing as long as was said.
    const form = { url, events: ['record' as const], secret: typed }
    expect(await http.call('webhooks/update', { ...form, version: 3 }, boss)).toEqual({ id: made.id, version: 4 })
    expect(await http.call('webhooks/get', {}, boss)).toEqual({ ...told, events: ['record'], version: 4 })
    const { formerUntil = '' } = told
    const rotated = await http.call('webhooks/endpoint/rotate', { id: String(made.id), secret: typed }, boss)
    expect(rotated).toMatchObject({ secret: typed, formerUntil })
    expect(await http.call('webhooks/get', {}, boss)).toMatchObject({ version: 4 })
  })

  test('a company has four at most; one is changed on top of what was seen, given another secret, and deleted', async () => {
    const add = () => http.ask('webhooks/endpoint/add', { url, events: ['terminal'] }, boss)
    const [second] = [(await add()).data, await add(), await add()]
    expect(await add()).toMatchObject({ code: 60072, fields: { url: 60072 } })
    const { list, count } = await http.call('webhooks/endpoint/grid', {}, boss)
    expect(count).toBe(4)
    expect(list[1]).toEqual({ id: second.id, url, events: ['terminal'], isOn: true, version: 1 })
    const form = { id: second.id, url: `${url}/2`, events: ['attendance' as const] }
    expect(await http.ask('webhooks/endpoint/update', { ...form, version: 7 }, boss)).toMatchObject({ code: 60006 })
    expect(await http.call('webhooks/endpoint/update', { ...form, version: 1 }, boss)).toEqual({ version: 2 })
    const rotated = await http.call('webhooks/endpoint/rotate', { id: second.id, secret: 'a'.repeat(24) }, boss)
    expect(rotated.secret).toBe(`whsec_${btoa('a'.repeat(24))}`)
    const hours = (Date.parse(String(rotated.formerUntil)) - Date.now()) / 3600_000
    expect(hours).toBeGreaterThan(23.9)
    expect(hours).toBeLessThanOrEqual(24)
    await http.call('webhooks/endpoint/delete', { id: second.id }, boss)
    const gone = await http.ask('webhooks/endpoint/rotate', { id: second.id }, boss)
    expect(gone).toMatchObject({ code: 60004, fields: { id: 60004 } })
  })

  test('a company has four at most also where many are added at the same moment', async () => {
    const other = await register(http)
    const add = () => http.ask('webhooks/endpoint/add', { url, events: ['terminal'] }, other)
    const answers = await Promise.all(Array.from({ length: 8 }, add))
    expect(answers.map(({ code }) => code).sort()).toEqual([...Array(4).fill(0), ...Array(4).fill(60072)])
  })

  test('the audit tells who changed what, and no secret', async () => {
    const { list } = await http.call('audit/grid', { filters: { noun: 'webhook' } }, boss)
    expect(list[0]?.changes).toMatchObject([{ noun: 'webhook', change: 'removed', name: `${url}/2` }])
    const rotated = list.flatMap(({ changes }) => changes).find(({ fields }) => fields.former && !fields.url)
    expect(rotated?.fields).toMatchObject({ secret: { before: '•••', after: '•••' } })
    expect(JSON.stringify(list)).not.toMatch(/whsec_|sealed/)
  })

  test.each([
    'http://hooks.example.com/',
    'ftp://hooks.example.com/',
    'https://user:word@hooks.example.com/',
    'https://hooks.example.com:80/',
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://017700000001/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[fd00::1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://10.1.2.3/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://intranet/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    `https://${'a.'.repeat(130)}example.com/`,
    'no address',
  ])('%s is no address of the internet', async wrong => {
    const answer = await http.ask('webhooks/endpoint/add', { url: wrong, events: [] }, boss)
    expect(answer).toMatchObject({ code: 10002, fields: { url: 10002 } })
  })

  test.each(['short', 'whsec_c2hvcnQ=', 'with a blank in its twenty four letters'])('%s is no secret', async secret => {
    const answer = await http.ask('webhooks/endpoint/add', { url, events: [], secret }, boss)
    expect(answer).toMatchObject({ code: 10002, fields: { secret: 10002 } })
  })
})
