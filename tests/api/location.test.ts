import { beforeAll, expect, inject, test } from 'vitest'
import { client, register } from '../kit/client.ts'

const http = client(inject('address'))
let token: string
beforeAll(async () => {
  token = (await register(http)).token
})
const by = (language = 'en') => ({ token, headers: { 'x-language': language } })
const countries = async (language?: string) => (await http.call('location/country', {}, by(language))).list
const states = async (country_id: string, language?: string) =>
  (await http.call('location/state', { country_id }, by(language))).list
const cities = async (state_id: string) => (await http.call('location/city', { state_id }, by())).list

test('countries are named and sorted in the language of the caller', async () => {
  const lists = await Promise.all(['en', 'zh', 'es', 'el', 'fr'].map(countries))
  const names = lists.map(list => list.find(({ id }) => id === 'GR')?.name)
  expect(names).toEqual(['Greece', '希腊', 'Grecia', 'Ελλάδα', 'Greece'])
  for (const [i, language] of ['en', 'zh', 'es', 'el'].entries()) {
    const list = lists[i] ?? []
    expect(list.length).toBeGreaterThan(240)
    expect(list.filter(({ id, name }) => name === id)).toEqual([])
    expect(list).toEqual(list.toSorted((a, b) => a.name.localeCompare(b.name, language)))
    expect(new Set(list.map(({ id }) => id)).size).toBe(list.length)
  }
})

test('a country lists its states, and a state its cities, each once and by name', async () => {
  const greekStates = await states('GR')
  expect(greekStates).toContainEqual({ id: 'GR-I', name: 'Attica', native: 'Αττική' })
  const inAttica = (await cities('GR-I')).map(({ name }) => name)
  expect(inAttica).toEqual(expect.arrayContaining(['Athens', 'Piraeus']))
  expect(inAttica).toEqual(inAttica.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })))
  expect(new Set(inAttica).size).toBe(inAttica.length)
})

test('every state of a country lists its cities', async () => {
  let [stateCount, cityCount] = [0, 0]
  for (const country of ['ES', 'CY', 'VA', 'TF'])
    for (const { id } of await states(country)) {
      stateCount++
      cityCount += (await cities(id)).length
    }
  expect(stateCount).toBeGreaterThan(60)
  expect(cityCount).toBeGreaterThan(5000)
})

test('an unknown place is missing, and a malformed code is invalid', async () => {
  const ask = (country_id: string) => http.ask('location/state', { country_id }, by())
  expect(await ask('XX')).toMatchObject({ code: 60004, fields: { country_id: 60004 } })
  for (const wrong of ['gr', 'GRC', '', '#']) expect(await ask(wrong)).toMatchObject({ fields: { country_id: 10002 } })
  const askCities = (state_id: string) => http.ask('location/city', { state_id }, by())
  for (const missing of ['GR-ZZ', 'XX-I'])
    expect(await askCities(missing)).toMatchObject({ fields: { state_id: 60004 } })
  expect(await askCities('Attica')).toMatchObject({ fields: { state_id: 10002 } })
})
