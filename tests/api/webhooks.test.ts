import { describe, expect, inject, test } from 'vitest'
import { client, register } from '../kit/client.ts'

// The webhook endpoints of a company: their permissions, their allowed addresses, and secrets that are shown once.

const http = client(inject('address'))
const boss = await register(http)
const url = 'https://hooks.example.com/attendance'
const chosenSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

describe('endpoints', () => {
  test('webhooks are available, and a new company has no endpoint', async () => {
    expect(await http.call('webhooks/show', {}, boss)).toEqual({ is_show: true })
    expect(await http.call('webhooks/get', {}, boss)).toEqual({})
  })

  test('`webhooks/update` adds and changes the first endpoint, and shows the secret only once', async () => {
    const events = ['record', 'employee', 'record'] as const
    const created = await http.call('webhooks/update', { url, events: [...events] }, boss)
    expect(created).toMatchObject({ secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/), version: 1 })
    const { secret: _, ...first } = created
    const expected = { ...first, url, events: ['record', 'employee'], isOn: true }
    expect(await http.call('webhooks/get', {}, boss)).toEqual(expected)
    expect(await http.ask('webhooks/update', { url, events: [] }, boss)).toMatchObject({ code: 60006 })
    const disabled = await http.call('webhooks/update', { url, events: [], isOn: false, version: 1 }, boss)
    expect(disabled).toEqual({ id: created.id, version: 2 })
    const rotatedByForm = await http.call(
      'webhooks/update',
      { url, events: [], secret: chosenSecret, version: 2 },
      boss,
    )
    expect(rotatedByForm).toEqual({ id: created.id, secret: chosenSecret, version: 3 })
    const stored = await http.call('webhooks/get', {}, boss)
    expect(stored).toMatchObject({ events: [], isOn: true, formerUntil: expect.any(String) })
    expect(JSON.stringify(stored)).not.toContain('whsec_')
    // A form with the same secret rotates nothing, so the former secret keeps its expiry.
    const form = { url, events: ['record' as const], secret: chosenSecret }
    expect(await http.call('webhooks/update', { ...form, version: 3 }, boss)).toEqual({ id: created.id, version: 4 })
    expect(await http.call('webhooks/get', {}, boss)).toEqual({ ...stored, events: ['record'], version: 4 })
    const { formerUntil = '' } = stored
    const rotated = await http.call('webhooks/endpoint/rotate', { id: String(created.id), secret: chosenSecret }, boss)
    expect(rotated).toMatchObject({ secret: chosenSecret, formerUntil })
    expect(await http.call('webhooks/get', {}, boss)).toMatchObject({ version: 4 })
  })

  test('a company has at most four endpoints, and can change, rotate and delete each of them', async () => {
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
    const deleted = await http.ask('webhooks/endpoint/rotate', { id: second.id }, boss)
    expect(deleted).toMatchObject({ code: 60004, fields: { id: 60004 } })
  })

  test('a company has at most four endpoints, even after simultaneous additions', async () => {
    const other = await register(http)
    const add = () => http.ask('webhooks/endpoint/add', { url, events: ['terminal'] }, other)
    const answers = await Promise.all(Array.from({ length: 8 }, add))
    expect(answers.map(({ code }) => code).sort()).toEqual([...Array(4).fill(0), ...Array(4).fill(60072)])
  })

  test('the audit log shows each change and its author, but no secret', async () => {
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
  ])('%s is not an allowed internet address', async invalidUrl => {
    const answer = await http.ask('webhooks/endpoint/add', { url: invalidUrl, events: [] }, boss)
    expect(answer).toMatchObject({ code: 10002, fields: { url: 10002 } })
  })

  test.each(['short', 'whsec_c2hvcnQ=', 'with a blank in its twenty four letters'])(
    '%s is not a valid secret',
    async secret => {
      const answer = await http.ask('webhooks/endpoint/add', { url, events: [], secret }, boss)
      expect(answer).toMatchObject({ code: 10002, fields: { secret: 10002 } })
    },
  )
})
