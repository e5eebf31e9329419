import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { preparePlaces } from '../../infra/places.ts'
import { locationPaths } from '../../shared/location.ts'

type Line = [id: string, name: string, native: string, cities: [id: string, name: string][]][]

const [notice, ...lines] = readFileSync(preparePlaces('.build'), 'utf8').trim().split('\n')
const countries = lines.map(line => ({ country: line.slice(0, 2), states: JSON.parse(line.slice(3)) as Line }))

test('the file of places names its source and licence', () => {
  expect(notice).toMatch(/^# Countries States Cities Database, https:.*Open Database License 1\.0, https:/)
})

test('every state has a unique id that begins with its country, and that the path accepts', () => {
  const ids = countries.flatMap(({ country, states }) => states.map(([id]) => ({ country, id })))
  expect(ids.length).toBeGreaterThan(5000)
  expect(new Set(ids.map(({ id }) => id)).size).toBe(ids.length)
  const { input } = locationPaths['location/city']
  const invalid = ids.filter(
    ({ country, id }) => !id.startsWith(`${country}-`) || !input.safeParse({ state_id: id }).success,
  )
  expect(invalid).toEqual([])
})

test('every place has a name, which is unique in its state', () => {
  for (const { states } of countries)
    for (const [id, name, , cities] of states) {
      const names = cities.map(([, city]) => city)
      expect(new Set(names).size, id).toBe(names.length)
      expect(
        [name, ...names].every(text => text.trim() === text && text !== '' && text.length <= 100),
        id,
      ).toBe(true)
    }
})
