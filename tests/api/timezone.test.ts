import { beforeAll, expect, inject, test } from 'vitest'
import { client, register } from '../kit/client.ts'

const http = client(inject('address'))
let token: string
beforeAll(async () => {
  token = (await register(http)).token
})
const zones = async (language: string) =>
  (await http.call('timezone/list', {}, { token, headers: { 'x-language': language } })).list

test('zones are named by place in the language of the caller', async () => {
  const lists = await Promise.all(['en', 'zh', 'es', 'el'].map(zones))
  const names = (id: string) => lists.map(list => list.find(zone => zone.id === id)?.name)
  expect(names('Europe/Athens')).toEqual(['Greece · Athens', '希腊 · Athens', 'Grecia · Athens', 'Ελλάδα · Athens'])
  expect(names('America/New_York')).toEqual([
    'New York',
    '纽约 · New York',
    'Nueva York · New York',
    'Νέα Υόρκη · New York',
  ])
  expect(new Set(names('UTC')).size).toBe(4)
})

test('every zone the platform knows is there once, from west to east, with the offset it has now', async () => {
  const list = await zones('en')
  expect(list.map(({ id }) => id).sort()).toEqual([...Intl.supportedValuesOf('timeZone'), 'UTC'].sort())
  expect(list.map(({ offsetMinutes }) => offsetMinutes)).toEqual(
    list.map(({ offsetMinutes }) => offsetMinutes).sort((one, other) => one - other),
  )
  const offset = (id: string) => list.find(zone => zone.id === id)?.offsetMinutes
  expect(offset('UTC')).toBe(0)
  expect(offset('Asia/Tokyo')).toBe(540)
  expect(offset('Asia/Katmandu')).toBe(345)
  expect([120, 180]).toContain(offset('Europe/Athens'))
  expect([-300, -240]).toContain(offset('America/New_York'))
})

test('a company takes every zone of the list', async () => {
  const {
    list: [first, ...others],
  } = await http.call('timezone/list', {}, { token })
  for (const zone of [first, others.at(-1)])
    expect((await register(http, { timezone: zone?.id ?? '' })).company).toMatch(/^[a-z0-9]{16}$/)
})
