import { beforeAll, expect, inject, test } from 'vitest'
import { listZones as zoneIds } from '../../shared/zone-name.ts'
import { client, register } from '../kit/client.ts'

const http = client(inject('address'))
let token: string
beforeAll(async () => {
  token = (await register(http)).token
})
const listZones = async (language: string) =>
  (await http.call('timezone/list', {}, { token, headers: { 'x-language': language } })).list

test('zones have place names in the caller’s language', async () => {
  const lists = await Promise.all(['en', 'zh', 'es', 'el'].map(listZones))
  const namesOf = (id: string) => lists.map(list => list.find(zone => zone.id === id)?.name)
  expect(namesOf('Europe/Athens')).toEqual(['Greece · Athens', '希腊 · Athens', 'Grecia · Athens', 'Ελλάδα · Athens'])
  expect(namesOf('America/New_York')).toEqual([
    'New York',
    '纽约 · New York',
    'Nueva York · New York',
    'Νέα Υόρκη · New York',
  ])
  expect(new Set(namesOf('UTC')).size).toBe(4)
})

test('the list contains every zone of the platform once under its current name, from west to east, with its current offset', async () => {
  const list = await listZones('en')
  expect(list.map(({ id }) => id).sort()).toEqual(zoneIds().sort())
  expect(list.map(({ offsetMinutes }) => offsetMinutes)).toEqual(
    list.map(({ offsetMinutes }) => offsetMinutes).sort((a, b) => a - b),
  )
  const offsetOf = (id: string) => list.find(zone => zone.id === id)?.offsetMinutes
  expect(offsetOf('UTC')).toBe(0)
  expect(offsetOf('Asia/Tokyo')).toBe(540)
  expect(offsetOf('Asia/Kathmandu')).toBe(345)
  expect([120, 180]).toContain(offsetOf('Europe/Athens'))
  expect([-300, -240]).toContain(offsetOf('America/New_York'))
})

test('a company accepts an old name of a zone, and keeps it', async () => {
  const company = await register(http, { timezone: 'Europe/Kiev' })
  expect((await http.call('auth/get', {}, company)) as object).toMatchObject({ company: { timezone: 'Europe/Kiev' } })
})

test('a company accepts every zone of the list', async () => {
  const {
    list: [first, ...others],
  } = await http.call('timezone/list', {}, { token })
  for (const zone of [first, others.at(-1)])
    expect((await register(http, { timezone: zone?.id ?? '' })).company).toMatch(/^[a-z0-9]{16}$/)
})
